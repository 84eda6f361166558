"""What we count on in the DevTools Protocol, expected of Chromium and of the fake Chrome alike.

Where a Chromium to come behaves otherwise, this says so before anything else does; and no unit test builds on a fake
that does what no browser would.
"""

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import trio

from gasoline_cdp.cdp.transport import Transport
from gasoline_cdp.cdp.websocket import open_websocket
from tests.fake_chrome import INVALID, NO_SUCH_METHOD, NO_SUCH_SESSION, SERVER_ERROR, FakeChrome
from tests.support import PATIENCE

Message = dict[str, Any]

WORKER = """window.w = new Worker(URL.createObjectURL(new Blob(['console.log(17); postMessage(1)']))); void 0"""


class Wire:
    """One end of the protocol: all that was heard, in order."""

    def __init__(self, transport: Transport) -> None:
        self.heard: list[Message] = []
        self._transport = transport
        self._count = 0

    async def post(self, method: str, params: Message | None = None, session: str = "") -> int:
        self._count += 1
        message: Message = {"id": self._count, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        await self._transport.send([json.dumps(message).encode()])
        return self._count

    async def until(self, wanted: Callable[[Message], bool]) -> Message:
        """The first message that is wanted; the rest is kept too."""
        with trio.fail_after(PATIENCE):
            while (found := next(filter(wanted, self.heard), None)) is None:
                self.heard.extend(json.loads(message) for message in await self._transport.receive())
        return found

    async def ask(self, method: str, params: Message | None = None, session: str = "") -> Message:
        number = await self.post(method, params, session)
        return await self.until(lambda message: message.get("id") == number)

    async def event(self, method: str, **params: Any) -> Message:
        """An event with these parameters."""
        return await self.until(
            lambda message: message.get("method") == method and params.items() <= message["params"].items()
        )

    def order(self, *messages: Message) -> list[int]:
        return [self.heard.index(message) for message in messages]

    async def auto_attach(self, kind: str, session: str = "") -> Message:
        kinds = [{"type": kind}, {"exclude": True}]
        params = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True, "filter": kinds}
        return await self.ask("Target.setAutoAttach", params, session)

    async def open_page(self) -> tuple[str, str]:
        """A page that was let go on: its target and its session."""
        target = (await self.ask("Target.createTarget", {"url": "about:blank"}))["result"]["targetId"]
        session = self.session_of(target)
        await self.ask("Runtime.runIfWaitingForDebugger", session=session)
        return target, session

    def session_of(self, target: str) -> str:
        attached = [message["params"] for message in self.heard if message.get("method") == "Target.attachedToTarget"]
        return str(next(one["sessionId"] for one in attached if one["targetInfo"]["targetId"] == target))

    async def evaluate(self, expression: str, session: str) -> Message:
        return await self.ask("Runtime.evaluate", {"expression": expression}, session)


@pytest.fixture(params=["fake", "chromium"])
async def wire(request: pytest.FixtureRequest) -> AsyncIterator[Wire]:
    if request.param == "fake":
        yield Wire(FakeChrome())
        return
    async with open_websocket(request.getfixturevalue("chromium")) as transport:
        wire = Wire(transport)
        yield wire
        created = [message["result"]["targetId"] for message in wire.heard if "targetId" in message.get("result", {})]
        for target in created:
            await wire.ask("Target.closeTarget", {"targetId": target})


def error_of(reply: Message) -> int:
    assert "result" not in reply
    assert reply["error"]["message"]
    return int(reply["error"]["code"])


# --- commands and replies -------------------------------------------------------------------------


async def test_an_unknown_command_is_refused_by_name(wire: Wire) -> None:
    reply = await wire.ask("Gasoline.nothing")
    assert error_of(reply) == NO_SUCH_METHOD
    assert "Gasoline.nothing" in reply["error"]["message"]


async def test_an_unknown_session_is_an_error_without_a_session(wire: Wire) -> None:
    reply = await wire.ask("Runtime.enable", session="0" * 32)
    assert error_of(reply) == NO_SUCH_SESSION
    assert "sessionId" not in reply


async def test_parameters_of_the_wrong_type_are_refused(wire: Wire) -> None:
    await wire.auto_attach("page")
    _, session = await wire.open_page()
    assert error_of(await wire.ask("Runtime.evaluate", {"expression": 5}, session)) == INVALID


async def test_replies_and_events_carry_the_session_that_they_belong_to(wire: Wire) -> None:
    await wire.auto_attach("page")
    (_, first), (_, second) = await wire.open_page(), await wire.open_page()
    for session in (first, second):
        assert (await wire.ask("Runtime.enable", session=session))["sessionId"] == session
    assert (await wire.evaluate("console.log(1)", second))["sessionId"] == second
    told = [message["sessionId"] for message in wire.heard if message.get("method") == "Runtime.consoleAPICalled"]
    assert told == [second]
    assert "sessionId" not in await wire.auto_attach("page")


async def test_a_session_answers_in_the_order_in_which_it_was_asked(wire: Wire) -> None:
    await wire.auto_attach("page")
    _, session = await wire.open_page()
    numbers = [await wire.post("Runtime.evaluate", {"expression": str(number)}, session) for number in range(20)]
    await wire.until(lambda message: message.get("id") == numbers[-1])
    assert [message["id"] for message in wire.heard if message.get("id") in numbers] == numbers


async def test_what_a_page_said_comes_before_the_reply_to_what_made_it_speak(wire: Wire) -> None:
    await wire.auto_attach("page")
    _, session = await wire.open_page()
    await wire.ask("Runtime.enable", session=session)
    reply = await wire.evaluate("console.log(1); console.log(2)", session)
    said = [message for message in wire.heard if message.get("method") == "Runtime.consoleAPICalled"]
    assert [message["params"]["args"][0]["value"] for message in said] == [1, 2]
    assert wire.order(*said, reply) == sorted(wire.order(*said, reply))


async def test_contexts_are_told_before_the_reply_to_enable(wire: Wire) -> None:
    await wire.auto_attach("page")
    _, session = await wire.open_page()
    reply = await wire.ask("Runtime.enable", session=session)
    created = next(m for m in wire.heard if m.get("method") == "Runtime.executionContextCreated")
    assert created["sessionId"] == session
    assert wire.order(created)[0] < wire.order(reply)[0]


async def test_a_body_that_is_not_there_is_an_error_of_the_server_s_own(wire: Wire) -> None:
    await wire.auto_attach("page")
    _, session = await wire.open_page()
    await wire.ask("Network.enable", session=session)
    assert error_of(await wire.ask("Network.getResponseBody", {"requestId": "none"}, session)) == SERVER_ERROR


# --- attaching ------------------------------------------------------------------------------------


async def test_what_is_open_is_announced_before_the_reply_and_does_not_wait(wire: Wire) -> None:
    target = (await wire.ask("Target.createTarget", {"url": "about:blank"}))["result"]["targetId"]
    reply = await wire.auto_attach("page")
    announced = [message for message in wire.heard if message.get("method") == "Target.attachedToTarget"]
    [mine] = [message for message in announced if message["params"]["targetInfo"]["targetId"] == target]
    assert wire.order(mine)[0] < wire.order(reply)[0]
    assert not mine["params"]["waitingForDebugger"]
    assert "sessionId" not in mine
    assert mine["params"]["targetInfo"].keys() >= {"targetId", "type", "title", "url", "attached"}


async def test_a_new_page_is_announced_before_its_maker_is_answered_and_waits(wire: Wire) -> None:
    await wire.auto_attach("page")
    reply = await wire.ask("Target.createTarget", {"url": "about:blank"})
    announced = await wire.event("Target.attachedToTarget", waitingForDebugger=True)
    info = announced["params"]["targetInfo"]
    assert (info["targetId"], info["type"], info["attached"]) == (reply["result"]["targetId"], "page", True)
    assert wire.order(announced)[0] < wire.order(reply)[0]


async def test_resuming_twice_is_no_error(wire: Wire) -> None:
    await wire.auto_attach("page")
    _, session = await wire.open_page()
    again = await wire.ask("Runtime.runIfWaitingForDebugger", session=session)
    assert (again["result"], again["sessionId"]) == ({}, session)


async def test_a_worker_is_announced_to_its_page_and_runs_nothing_before_it_is_resumed(wire: Wire) -> None:
    await wire.auto_attach("page")
    _, page = await wire.open_page()
    await wire.auto_attach("worker", page)
    await wire.evaluate(WORKER, page)
    announced = await wire.until(lambda m: m.get("params", {}).get("targetInfo", {}).get("type") == "worker")
    worker = announced["params"]["sessionId"]
    assert (announced["sessionId"], announced["params"]["waitingForDebugger"]) == (page, True)
    # It answers while it waits, and has said nothing.
    enabled = await wire.ask("Runtime.enable", session=worker)
    await wire.evaluate("0", page)
    assert not [message for message in wire.heard if message.get("method") == "Runtime.consoleAPICalled"]
    resumed = await wire.ask("Runtime.runIfWaitingForDebugger", session=worker)
    said = await wire.until(lambda message: message.get("method") == "Runtime.consoleAPICalled")
    assert said["sessionId"] == worker
    assert wire.order(announced, enabled, resumed) == sorted(wire.order(announced, enabled, resumed))
    assert wire.order(enabled)[0] < wire.order(said)[0]


async def test_a_worker_that_ends_is_told_to_its_page(wire: Wire) -> None:
    await wire.auto_attach("page")
    _, page = await wire.open_page()
    await wire.auto_attach("worker", page)
    await wire.evaluate(WORKER, page)
    announced = await wire.until(lambda m: m.get("params", {}).get("targetInfo", {}).get("type") == "worker")
    worker = announced["params"]["sessionId"]
    await wire.ask("Runtime.runIfWaitingForDebugger", session=worker)
    await wire.evaluate("window.w.terminate()", page)
    detached = await wire.event("Target.detachedFromTarget", sessionId=worker)
    assert detached["sessionId"] == page
    assert error_of(await wire.ask("Runtime.enable", session=worker)) == NO_SUCH_SESSION


# --- detaching ------------------------------------------------------------------------------------


async def test_a_second_session_is_announced_before_the_reply_that_names_it(wire: Wire) -> None:
    await wire.auto_attach("page")
    target, first = await wire.open_page()
    reply = await wire.ask("Target.attachToTarget", {"targetId": target, "flatten": True})
    second = reply["result"]["sessionId"]
    announced = await wire.event("Target.attachedToTarget", sessionId=second)
    assert second != first
    assert not announced["params"]["waitingForDebugger"]
    assert wire.order(announced)[0] < wire.order(reply)[0]


async def test_who_detaches_is_told_so_before_the_reply_and_nothing_else_is_detached(wire: Wire) -> None:
    await wire.auto_attach("page")
    target, first = await wire.open_page()
    second = (await wire.ask("Target.attachToTarget", {"targetId": target, "flatten": True}))["result"]["sessionId"]
    reply = await wire.ask("Target.detachFromTarget", {"sessionId": second})
    detached = await wire.event("Target.detachedFromTarget", sessionId=second)
    assert detached["params"]["targetId"] == target
    assert wire.order(detached)[0] < wire.order(reply)[0]
    assert error_of(await wire.ask("Runtime.enable", session=second)) == NO_SUCH_SESSION
    assert "result" in await wire.ask("Runtime.enable", session=first)


async def test_a_page_that_is_closed_detaches_its_sessions_after_the_reply(wire: Wire) -> None:
    await wire.auto_attach("page")
    target, session = await wire.open_page()
    reply = await wire.ask("Target.closeTarget", {"targetId": target})
    assert reply["result"] == {"success": True}
    detached = await wire.event("Target.detachedFromTarget", sessionId=session)
    assert detached["params"]["targetId"] == target
    assert "sessionId" not in detached
    assert wire.order(reply)[0] < wire.order(detached)[0]
    assert error_of(await wire.ask("Runtime.enable", session=session)) == NO_SUCH_SESSION


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("Target.closeTarget", {"targetId": "none"}),
        ("Target.attachToTarget", {"targetId": "none", "flatten": True}),
        ("Target.detachFromTarget", {"sessionId": "none"}),
    ],
    ids=["close", "attach", "detach"],
)
async def test_what_is_not_there_cannot_be_closed_or_attached_to(wire: Wire, method: str, params: Message) -> None:
    assert error_of(await wire.ask(method, params)) == INVALID
