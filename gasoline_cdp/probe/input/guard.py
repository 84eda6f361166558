"""Lets input reach one element only. What is on its way to another is stopped before the page sees it."""

import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Literal

import orjson
import trio
from attrs import define, field

from gasoline_cdp.assets import page_script
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Params, Session
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.cdp.world import WORLD, PageFault, World, open_world
from gasoline_cdp.errors import GasolineError
from gasoline_cdp.probe.dom import frame_answers
from gasoline_cdp.probe.elements import frames_of, one_at_a_time
from gasoline_cdp.probe.input.refusals import Refused, name_of
from gasoline_cdp.probe.input.targets import TargetElement

# A guard that is left behind, because its page hung, stops nothing after this.
_GUARD_SECONDS = 5.0
# A person takes longer to release a button than our observer to describe what is pressed.
_DESCRIBE_SECONDS = 0.25
_DESCRIBED = '"pressed":true'
# Chrome takes some milliseconds to name an element of a small page. Those of large pages are not asked for at once.
_NAME_SECONDS = 1.0
# Waits until Chrome has named what was described so far.
Named = Callable[[], Awaitable[None]]


@define
class Reached:
    """What the guard saw of the input."""

    # Whether the element got it; None if no event came.
    pressed: bool | None = None
    # Whether the click event that ended a press reached the element; None if there was none.
    clicked: bool | None = None
    # What got it, or would have got it, instead.
    other: str = ""
    events: list[str] = field(factory=list)
    # Set when our observer has described what is pressed; see actions.js.
    described: trio.Event = field(factory=trio.Event)

    def seen(self, report: Params) -> None:
        """One report of a guard."""
        reached = report.get("reached") is True
        self.events.append(str(report.get("event")))
        if report.get("event") == "click" and self.pressed:
            self.clicked = reached
        elif self.pressed is not False:
            self.pressed = reached
        if not reached:
            self.other = name_of(report.get("on"))

    async def wait_described(self, named: Named) -> None:
        """Wait briefly until our observer has described the element, and Chrome has named it: a click may change it."""
        with trio.move_on_after(_DESCRIBE_SECONDS):
            await self.described.wait()
        if self.described.is_set():
            with trio.move_on_after(_NAME_SECONDS):
                await named()

    def require(self) -> None:
        """Raise `Refused` if the input did not reach the element."""
        if self.pressed is False:
            raise Refused(
                f"the page changed just then: {self.other} would have got the input, so it was stopped", final=True
            )


@asynccontextmanager
async def guarding(tab: Tab, element: TargetElement, kind: Literal["pointer", "keys"]) -> AsyncIterator[Reached]:
    """Guard the input that is sent inside the block. It must be short."""
    token, reached = secrets.token_hex(8), Reached()
    request = {"kind": kind, "token": token, "until": (time.time() + _GUARD_SECONDS) * 1000}

    def reported(params: Params) -> None:
        payload = str(params.get("payload", ""))
        if token in payload:
            reached.seen(orjson.loads(payload))
        elif _DESCRIBED in payload:
            reached.described.set()

    # The element was checked in this world, which therefore knows what is reached.
    own = element.frame.world
    async with one_at_a_time(tab):
        others = [frame.world for frame in await frames_of(tab) if frame.world.frame_id != own.frame_id]
    sessions = list(dict.fromkeys((tab.session, own.session, *(world.session for world in others))))
    listening = [session.listening("Runtime.bindingCalled", reported) for session in sessions]
    for one in listening:
        one.__enter__()
    scripts: dict[Session, str] = {}
    try:
        # A document that replaces one of these in the meantime gets nothing.
        source = f"({page_script('input_guard')})({orjson.dumps(request).decode()});"
        for session in sessions:
            reply = await session.send("Page.addScriptToEvaluateOnNewDocument", {"source": source, "worldName": WORLD})
            scripts[session] = str(reply["identifier"])
        await own.call(page_script("input_guard"), request, element.handle)
        for world in others:
            await _arm(world, tab.session, request)
        loader_id = tab.loader_id
        yield reached
    finally:
        for session, identifier in scripts.items():
            session.post("Page.removeScriptToEvaluateOnNewDocument", {"identifier": identifier})
        _release((own, *others))
        for one in listening:
            one.__exit__(None, None, None)
    if tab.loader_id != loader_id and not tab.dialog:
        # The new document may have been given a guard.
        with suppress(CdpClosed, CdpError):
            _release([await open_world(tab.session)])


async def _arm(world: World, root: Session, request: dict[str, Any]) -> None:
    with suppress(CdpClosed, CdpError, PageFault, GasolineError), frame_answers(world.session, root):
        await world.call(page_script("input_guard"), request)


def _release(worlds: Sequence[World]) -> None:
    """Only posted: a page that hangs must not keep us."""
    for world in worlds:
        call = {"functionDeclaration": page_script("input_guard"), "executionContextId": world.context_id}
        world.session.post("Runtime.callFunctionOn", {**call, "arguments": [{"value": {"release": True}}]})
