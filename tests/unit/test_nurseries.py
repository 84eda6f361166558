"""Callers of a context manager with a nursery inside see their own exception."""

import pytest
import trio
import trio.testing

from gasoline_cdp.nurseries import lone_exception, move_on_when_late, open_hidden_nursery


async def fail(error: Exception) -> None:
    # Shielded, so that the failure of another task does not come first.
    with trio.CancelScope(shield=True):
        await trio.lowlevel.checkpoint()
    raise error


async def run_tasks(*errors: Exception) -> None:
    async with open_hidden_nursery() as nursery:
        for error in errors:
            nursery.start_soon(fail, error)


async def test_one_exception_comes_out_as_itself_and_with_its_own_context() -> None:
    error = KeyError("mine")
    with pytest.raises(KeyError) as raised:
        async with open_hidden_nursery():
            raise error
    assert raised.value is error
    assert error.__context__ is None


async def test_an_exception_of_a_task_comes_out_as_itself() -> None:
    error = ValueError("of a task")
    with pytest.raises(ValueError, match="of a task") as raised:
        await run_tasks(error)
    assert raised.value is error


async def test_several_stay_a_group() -> None:
    with pytest.raises(BaseExceptionGroup) as raised:
        await run_tasks(KeyError("one"), ValueError("two"))
    assert {type(error) for error in raised.value.exceptions} == {KeyError, ValueError}


def test_groups_within_groups_of_one_are_opened() -> None:
    error = KeyError("deep")
    assert lone_exception(ExceptionGroup("", [ExceptionGroup("", [error])])) is error
    several = ExceptionGroup("", [error, error])
    assert lone_exception(ExceptionGroup("", [several])) is several
    assert lone_exception(error) is error


async def test_what_has_arrived_in_time_is_handled_although_the_time_is_over() -> None:
    ours, theirs = trio.socket.socketpair()
    handled = trio.Event()

    async def read() -> None:
        await ours.recv(1)
        handled.set()

    with ours, theirs:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(read)
            await trio.testing.wait_all_tasks_blocked()
            await theirs.send(b"x")
            async with move_on_when_late(0) as late:
                await handled.wait()
            assert handled.is_set()
            assert not late.cancelled_caught
            async with move_on_when_late(0) as late:
                await trio.Event().wait()
            assert late.cancelled_caught
