"""The event listeners of an element and of what is around it, as the browser knows them."""

from typing import Any

from attrs import frozen

from gasoline_cdp.assets import page_script
from gasoline_cdp.cdp.connection import CdpError, Session
from gasoline_cdp.cdp.world import Handle
from gasoline_cdp.probe.elements import FrameScope
from gasoline_cdp.redact import safe_word

# Elements around it that are asked, and listeners that are told.
_ANCESTORS = 30
_LISTENERS = 30
_GROUP = "gasoline-listeners"


@frozen(kw_only=True)
class FoundListener:
    """A listener. `depth` 0 is the element, 1 the one around it; `on` is what that is called."""

    event: str
    depth: int
    on: str
    script_id: str
    line: int
    column: int
    capture: bool
    passive: bool
    once: bool


async def listeners_of(frame: FrameScope, element: Handle) -> list[FoundListener]:
    """The listeners of the page on the element, then on each element around it, up to the document."""
    session = frame.world.session
    array = await frame.world.call_for_handle(page_script("ancestors"), element, _ANCESTORS, group=_GROUP)
    listeners: list[FoundListener] = []
    try:
        for depth, node in enumerate(await frame.world.items(array) if array else []):
            described = (await session.send("DOM.describeNode", {"objectId": node.object_id}))["node"]
            own = {"backendNodeId": described["backendNodeId"], "objectGroup": _GROUP}
            # In our own world it would have our own listeners only.
            page_object = (await session.send("DOM.resolveNode", own))["object"]["objectId"]
            listeners += await _listeners(session, page_object, depth, _name_of(described))
    except CdpError:
        # The page changed: what was read is true.
        pass
    finally:
        session.post("Runtime.releaseObjectGroup", {"objectGroup": _GROUP})
    return listeners[:_LISTENERS]


async def _listeners(session: Session, object_id: str, depth: int, on: str) -> list[FoundListener]:
    reply = await session.send("DOMDebugger.getEventListeners", {"objectId": object_id})
    return [
        FoundListener(
            event=safe_word(one.get("type", ""), 60),
            depth=depth,
            on=on,
            script_id=str(one.get("scriptId")),
            line=int(one.get("lineNumber", 0)) + 1,
            column=int(one.get("columnNumber", 0)) + 1,
            capture=bool(one.get("useCapture")),
            passive=bool(one.get("passive")),
            once=bool(one.get("once")),
        )
        for one in reply.get("listeners") or []
    ]


def _name_of(node: dict[str, Any]) -> str:
    flat = node.get("attributes") or []
    identifier = dict(zip(flat[::2], flat[1::2], strict=False)).get("id")
    name = safe_word(str(node.get("nodeName", "")).lower(), 60).removeprefix("#")
    return f"{name}#{safe_word(identifier, 60)}" if identifier else name
