"""What a page's memory amounts to: counters that cost a millisecond, and an exact count of detached elements."""

import time

from attrs import field, frozen

from gasoline_cdp import memory_limits
from gasoline_cdp.assets import page_script
from gasoline_cdp.cdp.connection import CdpError, Session
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.cdp.world import PageFault
from gasoline_cdp.probe.dom import asking

_GROUP = "gasoline-memory"
_LIMIT = "performance.memory ? performance.memory.jsHeapSizeLimit : 0"


@frozen(kw_only=True)
class MemorySample:
    """Counters of one moment."""

    ts: float
    used: int
    total: int
    nodes: int
    listeners: int
    documents: int


@frozen(kw_only=True)
class DetachedCount:
    """Elements that are in no document, and that JavaScript still reaches."""

    elements: int
    trees: int
    tags: dict[str, int] = field(factory=dict)


async def sample_memory(session: Session) -> MemorySample:
    """Ask Chrome for the counters. Collects no garbage, runs no code in the page."""
    usage = await session.send("Runtime.getHeapUsage")
    try:
        counters = await session.send("Memory.getDOMCounters")
    except CdpError:
        # A worker has no DOM.
        counters = {}
    return MemorySample(
        ts=time.time(),
        used=int(usage.get("usedSize", 0)),
        total=int(usage.get("totalSize", 0)),
        nodes=int(counters.get("nodes", 0)),
        listeners=int(counters.get("jsEventListeners", 0)),
        documents=int(counters.get("documents", 0)),
    )


async def heap_limit(session: Session) -> int:
    """How large the page's heap may become; 0 if Chrome does not say."""
    reply = await session.send("Runtime.evaluate", {"expression": _LIMIT, "returnByValue": True, "silent": True})
    value = (reply.get("result") or {}).get("value")
    return int(value) if isinstance(value, int | float) else 0


async def count_detached(tab: Tab) -> DetachedCount:
    """Count detached elements and trees. Chrome collects garbage first; it takes 30 ms to a second."""
    session = tab.session
    with asking(tab, memory_limits.DETACHED_SECONDS):
        try:
            prototype = await session.send(
                "Runtime.evaluate", {"expression": "Node.prototype", "objectGroup": _GROUP, "silent": True}
            )
            reply = await session.send(
                "Runtime.queryObjects",
                {"prototypeObjectId": prototype["result"]["objectId"], "objectGroup": _GROUP},
            )
            counted = await session.send(
                "Runtime.callFunctionOn",
                {
                    "functionDeclaration": page_script("count_detached"),
                    "objectId": reply["objects"]["objectId"],
                    "arguments": [
                        {"objectId": reply["objects"]["objectId"]},
                        {"value": memory_limits.DETACHED_NODES_MAX},
                    ],
                    "returnByValue": True,
                    "silent": True,
                },
            )
        finally:
            session.post("Runtime.releaseObjectGroup", {"objectGroup": _GROUP})
        if "exceptionDetails" in counted:
            raise PageFault(str((counted["exceptionDetails"].get("exception") or {}).get("description")))
    value = (counted.get("result") or {}).get("value") or {}
    return DetachedCount(
        elements=int(value.get("elements", 0)), trees=int(value.get("trees", 0)), tags=dict(value.get("tags") or {})
    )
