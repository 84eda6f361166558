"""Runs our own functions in a page, in a world of their own that the page can neither see nor spoil."""

from typing import Any

from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Params, Session

WORLD = "gasoline"
# The function by which observers in our world report; no other world has it.
REPORT = "gasolineReport"


class PageFault(Exception):  # noqa: N818 - the page's fault
    """Our function threw inside the page."""


async def call_in_world(session: Session, function: str, *arguments: Any) -> Any:
    """Call a JavaScript function expression with JSON arguments in the main frame; return its JSON result.

    Arguments travel as data, never as text of the program. Raises `CdpClosed` when the page navigates meanwhile.
    """
    tree = await session.send("Page.getFrameTree")
    frame_id = tree["frameTree"]["frame"]["id"]
    world = await session.send("Page.createIsolatedWorld", {"frameId": frame_id, "worldName": WORLD})
    call: Params = {
        "functionDeclaration": function,
        "executionContextId": world["executionContextId"],
        "arguments": [{"value": argument} for argument in arguments],
        "returnByValue": True,
        "awaitPromise": True,
    }
    try:
        reply = await session.send("Runtime.callFunctionOn", call)
    except CdpError as error:
        if "context" in error.message.lower():
            raise CdpClosed("the page navigated", error.method) from error
        raise
    if "exceptionDetails" in reply:
        details = reply["exceptionDetails"]
        raise PageFault(str((details.get("exception") or {}).get("description") or details.get("text")))
    return reply.get("result", {}).get("value")
