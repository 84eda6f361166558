"""A function of ours is ended in the page when nobody waits for it any more; code of the page is not."""

import json

import pytest
import trio

from gasoline_cdp.cdp.call_cancellation import Running
from gasoline_cdp.cdp.connection import open_connection
from tests.fakes import FakeTransport, settled


async def cancelled_call(*reports: str) -> FakeTransport:
    """A call that was cancelled after the page had reported these, in which TOKEN stands for the token."""
    chrome = FakeTransport()
    async with open_connection(chrome) as connection:
        session = connection.open_session("s1", connection.root, "t1")
        running = Running(session, 7)
        with trio.CancelScope() as scope, running:
            for report in reports:
                chrome.event("Runtime.bindingCalled", {"payload": report.replace("TOKEN", running.token)}, "s1")
            await settled()
            scope.cancel()
            await trio.lowlevel.checkpoint()
        await settled()
        chrome.event("Runtime.bindingCalled", {"payload": "after"}, "s1")
        await settled()
    return chrome


BEGUN, RETURNED = '{"token":"TOKEN","running":true}', '{"token":"TOKEN","running":false}'


async def test_a_function_that_holds_the_page_is_terminated() -> None:
    assert (await cancelled_call(BEGUN)).methods("s1") == ["Runtime.terminateExecution"]


async def test_one_that_waits_is_asked_to_stop() -> None:
    chrome = await cancelled_call(BEGUN, RETURNED)
    assert chrome.methods("s1") == ["Runtime.callFunctionOn"]
    params = chrome.last("Runtime.callFunctionOn")["params"]
    assert params["executionContextId"] == 7
    assert params["arguments"][0]["value"]


@pytest.mark.parametrize("reports", [(), ('{"token":"another","running":true}',)])
async def test_one_that_has_not_begun_is_left_alone(reports: tuple[str, ...]) -> None:
    assert (await cancelled_call(*reports)).methods("s1") == []


async def test_a_call_that_ends_by_itself_ends_nothing() -> None:
    chrome = FakeTransport()
    async with open_connection(chrome) as connection:
        session = connection.open_session("s1", connection.root, "t1")
        with Running(session, 7) as running:
            assert running is None
        await settled()
    assert chrome.methods("s1") == []


async def test_the_wrapped_function_is_one_expression_around_ours() -> None:
    chrome = FakeTransport()
    async with open_connection(chrome) as connection:
        one, other = Running(connection.root, 1), Running(connection.root, 1)
        wrapped = one.wrap("() => 17")
    assert wrapped.endswith("(() => 17)")
    assert one.token != other.token
    assert json.dumps(one.token).isascii()
