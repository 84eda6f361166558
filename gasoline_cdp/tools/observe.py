"""`observe`: what the browser did, from the store."""

from collections.abc import Awaitable, Callable
from typing import Any

from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.tools.accessibility_tree import show_tree
from gasoline_cdp.tools.actions import list_actions, list_dom_snapshots
from gasoline_cdp.tools.bodies import list_bodies
from gasoline_cdp.tools.console import list_errors, list_logs
from gasoline_cdp.tools.jobs import Pending
from gasoline_cdp.tools.listing import Listing, ObserveArgs, What
from gasoline_cdp.tools.network import list_requests, want_initiator
from gasoline_cdp.tools.page import PageInfo, page_info
from gasoline_cdp.tools.performance import show_performance, show_vitals
from gasoline_cdp.tools.screenshot import show_screenshot
from gasoline_cdp.tools.spec import Context, Tool
from gasoline_cdp.tools.status import current_status
from gasoline_cdp.tools.tabs import list_tabs
from gasoline_cdp.tools.timeline import list_timeline
from gasoline_cdp.tools.websocket import list_sockets


async def analyze_result(args: ObserveArgs, context: Context) -> dict[str, Any] | Pending:
    """What slow work came to: the answer its tool would have given at once, or how far it is."""
    if not args.correlation_id:
        message = "observe(what='analyze_result') needs the correlation_id that the pending answer gave."
        raise GasolineError(Code.INVALID_PARAMS, message, problems=["correlation_id is required"])
    return await context.jobs.fetch(args.correlation_id)


# Views that read memory only; the others ask Chrome, below.
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
    "status": lambda _, context: current_status(context),
}


async def show_page(args: ObserveArgs, context: Context) -> PageInfo:
    """What the tab shows."""
    return await page_info(args.tab_id, context)


# Views that say where code was written, which may be found out at this moment.
_TELL_OF_CODE: set[What] = {"errors", "logs", "network", "timeline"}
# Views that ask Chrome.
LIVE_VIEWS: dict[What, Callable[[ObserveArgs, Context], Awaitable[object]]] = {
    "tabs": list_tabs,
    "page": show_page,
    "screenshot": show_screenshot,
    "accessibility_tree": show_tree,
    # Of slow work: may wait a little for its end.
    "analyze_result": analyze_result,
}


async def observe(args: ObserveArgs, context: Context) -> Any:
    """Answer from the store, or ask Chrome for what only it can tell."""
    if args.what in LIVE_VIEWS:
        return await LIVE_VIEWS[args.what](args, context)
    if args.what in _TELL_OF_CODE:
        if args.request_id is not None:
            want_initiator(args.request_id, context)
        await context.capture.wait_known()
    return VIEWS[args.what](args, context)


TOOLS = (
    Tool(
        name="observe",
        title="Observe the browser",
        description=(
            "What the browser really did: start with errors. History survives navigation. Reads memory: fast"
            ", changes nothing. Newest first, folded, 8 KB; cursor for the rest."
        ),
        args=ObserveArgs,
        answer=Listing,
        run=observe,
    ),
)
