"""A backlog is bounded, counts what it has no room for, and lets others wait a bounded time."""

import trio
import trio.testing

from gasoline_cdp.capture.backlog import Backlog

# ruff: noqa: ARG001 - a test that names the clock has time pass when nothing else does


async def test_a_full_backlog_refuses_and_counts() -> None:
    backlog: Backlog[str] = Backlog(2)
    assert [backlog.offer(job) for job in ("a", "b", "c")] == [True, True, False]
    assert len(backlog) == 2
    assert backlog.skipped == 1


async def test_jobs_are_done_in_order_and_waited_for(nursery: trio.Nursery) -> None:
    backlog: Backlog[str] = Backlog(5)
    seen: list[str] = []

    async def do(job: str) -> None:
        await trio.lowlevel.checkpoint()
        seen.append(job)

    backlog.offer("a")
    backlog.offer("b")
    nursery.start_soon(backlog.serve, do)
    await backlog.wait_idle()
    assert seen == ["a", "b"]
    assert len(backlog) == 0


async def test_an_announced_job_counts_before_it_is_sent() -> None:
    backlog: Backlog[str] = Backlog(1)
    backlog.announce("a")
    assert len(backlog) == 1
    await backlog.send("a")
    assert await backlog.receive() == "a"
    backlog.done("a")
    await backlog.wait_idle()


async def test_a_job_that_hangs_is_waited_for_once(autojump_clock: trio.testing.MockClock) -> None:
    backlog: Backlog[str] = Backlog(5)
    backlog.offer("hangs")
    start = trio.current_time()
    await backlog.wait_for_current(1.0)
    assert trio.current_time() - start == 1.0
    await backlog.wait_for_current(1.0)
    assert trio.current_time() - start == 1.0, "the second question is not delayed"
    # What came since is waited for, and the one that hangs is not.
    backlog.offer("new")
    await backlog.wait_for_current(1.0)
    assert trio.current_time() - start == 2.0


async def test_waiting_ends_with_the_last_job(autojump_clock: trio.testing.MockClock, nursery: trio.Nursery) -> None:
    backlog: Backlog[float] = Backlog(5)
    backlog.offer(0.25)
    backlog.offer(0.5)
    nursery.start_soon(backlog.serve, trio.sleep)
    start = trio.current_time()
    await backlog.wait_for_current(1.0)
    assert trio.current_time() - start == 0.75


async def test_what_comes_later_is_not_waited_for(
    autojump_clock: trio.testing.MockClock, nursery: trio.Nursery
) -> None:
    backlog: Backlog[float] = Backlog(5)
    backlog.offer(0.25)

    async def add_later() -> None:
        await trio.sleep(0.1)
        backlog.offer(100.0)

    nursery.start_soon(add_later)
    nursery.start_soon(backlog.serve, trio.sleep)
    start = trio.current_time()
    await backlog.wait_for_current(1.0)
    assert trio.current_time() - start == 0.25
