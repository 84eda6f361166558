"""`observe`: what the browser did, mostly from memory."""

from collections.abc import Awaitable, Callable
from typing import Any

from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.answer import Answer
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Needs, Tool
from gasoline_cdp.views.accessibility_tree import show_tree
from gasoline_cdp.views.actions import list_actions, list_dom_snapshots
from gasoline_cdp.views.bodies import list_bodies
from gasoline_cdp.views.console import list_errors, list_logs
from gasoline_cdp.views.listing import Listing, ObserveArgs, What
from gasoline_cdp.views.memory import show_memory
from gasoline_cdp.views.network import list_requests, want_initiator
from gasoline_cdp.views.page import PageInfo, page_info
from gasoline_cdp.views.performance import show_performance, show_vitals
from gasoline_cdp.views.screenshot import show_screenshot
from gasoline_cdp.views.status import current_status
from gasoline_cdp.views.tabs import list_tabs
from gasoline_cdp.views.timeline import list_timeline
from gasoline_cdp.views.websockets import list_sockets


async def analyze_result(args: ObserveArgs, context: Context) -> Answer:
    """The result of slow work: the answer of its tool, or its progress."""
    if not args.correlation_id:
        message = "observe(what='analyze_result') needs the correlation_id that the pending answer gave."
        raise GasolineError(Code.INVALID_PARAMS, message, problems=["correlation_id is required"])
    return await context.jobs.fetch(args.correlation_id)


# Views that only read memory.
VIEWS: dict[What, Callable[[ObserveArgs, Context], object]] = {
    "errors": list_errors,
    "logs": list_logs,
    "network": list_requests,
    "network_bodies": list_bodies,
    "websockets": list_sockets,
    "actions": list_actions,
    "dom_snapshots": list_dom_snapshots,
    "timeline": list_timeline,
    "vitals": show_vitals,
    "performance": show_performance,
    "status": current_status,
}


async def show_page(args: ObserveArgs, context: Context) -> PageInfo:
    """What the tab shows."""
    return await page_info(args.tab_id, context)


# Views whose records may still get more details: source locations, and the element of an action.
_LEARNED_LATER: set[What] = {"errors", "logs", "network", "timeline", "actions"}
_SHOW_ELEMENTS: set[What] = {"timeline", "actions"}
# Views that ask Chrome.
LIVE_VIEWS: dict[What, Callable[[ObserveArgs, Context], Awaitable[object]]] = {
    "tabs": list_tabs,
    "page": show_page,
    "screenshot": show_screenshot,
    "accessibility_tree": show_tree,
    "memory": show_memory,
    # May wait a little for slow work to finish.
    "analyze_result": analyze_result,
}


async def observe(args: ObserveArgs, context: Context) -> Any:
    """Answer from memory, or ask Chrome."""
    if args.what in LIVE_VIEWS:
        return await LIVE_VIEWS[args.what](args, context)
    if args.what in _LEARNED_LATER:
        if args.request_id is not None:
            want_initiator(args.request_id, context)
        await context.capture.wait_known(elements=args.what in _SHOW_ELEMENTS)
    return VIEWS[args.what](args, context)


TOOLS = (
    Tool(
        name="observe",
        title="Observe the browser",
        description="What the browser did, newest first, also before navigations. Start with errors. Cheap.",
        args=ObserveArgs,
        answer=Listing,
        run=observe,
        # Status must answer even if the browser has not started or cannot.
        needs=lambda args, _: Needs(browser=args.what != "status"),
    ),
)
