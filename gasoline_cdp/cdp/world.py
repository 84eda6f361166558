"""Runs our own functions in a page, in a world of their own that the page can neither see nor spoil."""

import secrets
from typing import Any

import orjson
import trio

from gasoline_cdp.assets import page_script
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Params, Session

WORLD = "gasoline"
# The function by which observers in our world report; no other world has it.
REPORT = "gasolineReport"


class PageFault(Exception):  # noqa: N818 - the page's fault
    """Our function threw inside the page."""


async def call_in_world(session: Session, function: str, *arguments: Any) -> Any:
    """Call a JavaScript function expression with JSON arguments in the main frame; return its JSON result.

    Arguments travel as data, never as text of the program. Raises `CdpClosed` when the page navigates meanwhile.
    When cancelled, what still runs of it in the page is ended.
    """
    tree = await session.send("Page.getFrameTree")
    frame_id = tree["frameTree"]["frame"]["id"]
    world = await session.send("Page.createIsolatedWorld", {"frameId": frame_id, "worldName": WORLD})
    running = _Running(session, world["executionContextId"])
    call: Params = {
        "functionDeclaration": f"({page_script('call')})({function})",
        "executionContextId": world["executionContextId"],
        "arguments": [{"value": argument} for argument in (running.token, *arguments)],
        "returnByValue": True,
        "awaitPromise": True,
    }
    with session.hearing("Runtime.bindingCalled", running.heard):
        try:
            reply = await session.send("Runtime.callFunctionOn", call)
        except trio.Cancelled:
            running.stop()
            raise
        except CdpError as error:
            if "context" in error.message.lower():
                raise CdpClosed("the page navigated", error.method) from error
            raise
    if "exceptionDetails" in reply:
        details = reply["exceptionDetails"]
        raise PageFault(str((details.get("exception") or {}).get("description") or details.get("text")))
    return reply.get("result", {}).get("value")


class _Running:
    """Whether a function of ours holds the page's thread; its first and last words in the page say so at once."""

    def __init__(self, session: Session, context_id: int) -> None:
        self.token = secrets.token_hex(8)
        self._session = session
        self._context_id = context_id
        self._holds_thread = False
        self._returned = False

    def heard(self, params: Params) -> None:
        if params.get("name") != REPORT or self.token not in params.get("payload", ""):
            return
        self._holds_thread = orjson.loads(params["payload"]).get("running") is True
        self._returned = not self._holds_thread

    def stop(self) -> None:
        """End it, and nothing else: Chrome ends whatever runs, so it is told to only while that is ours."""
        if self._holds_thread:
            self._session.post("Runtime.terminateExecution")
        elif self._returned:
            # It waits for something: code of the page may be running now, so it is asked.
            arguments = [{"value": self.token}]
            call = {"functionDeclaration": page_script("stop"), "executionContextId": self._context_id}
            self._session.post("Runtime.callFunctionOn", {**call, "arguments": arguments})
