"""Runs our own functions in a page, in a world of their own that the page can neither see nor spoil."""

from typing import Any

from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Params, Session
from gasoline_cdp.cdp.running import Running

WORLD = "gasoline"
# The function by which what runs in our world reports; no other world has it.
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
    running = Running(session, world["executionContextId"])
    call: Params = {
        "functionDeclaration": running.wrap(function),
        "executionContextId": world["executionContextId"],
        "arguments": [{"value": argument} for argument in (running.token, *arguments)],
        "returnByValue": True,
        "awaitPromise": True,
    }
    try:
        with running:
            reply = await session.send("Runtime.callFunctionOn", call)
    except CdpError as error:
        if "context" in error.message.lower():
            raise CdpClosed("the page navigated", error.method) from error
        raise
    if "exceptionDetails" in reply:
        details = reply["exceptionDetails"]
        raise PageFault(str((details.get("exception") or {}).get("description") or details.get("text")))
    return reply.get("result", {}).get("value")
