"""Attaches to browsers that other programs started, lists them, and lets go of them."""

import trio
from attrs import frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.cdp.endpoint import parse_header
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Needs, NoArgs, Operation
from gasoline_cdp.views.browsers import BrowserEntry, show_browser


@frozen(kw_only=True)
class AttachArgs:
    """Arguments of POST /browsers."""

    ws_endpoint: str = wire.arg("the browser's debugging address, ws://127.0.0.1:PORT/devtools/browser/UUID")
    headers: list[str] | None = wire.arg('headers to send when connecting, "Name: value" each', default=None)


@frozen(kw_only=True)
class DetachArgs:
    """The browser, as POST /browsers named it."""

    browser: str = wire.arg("the browser to let go of")


@frozen(kw_only=True)
class BrowserList:
    """All browsers: our own first, then the attached ones, then those that ended."""

    browsers: list[BrowserEntry]


async def attach_browser(args: AttachArgs, context: Context) -> BrowserEntry:
    """Attach, once auto-attach is in force."""
    try:
        headers = tuple(parse_header(header) for header in args.headers or ())
    except ValueError as error:
        raise GasolineError(Code.INVALID_PARAMS, f"headers: {error}.", problems=["headers"]) from None
    return show_browser(await context.browsers.attach(args.ws_endpoint, headers), context)


async def detach_browser(args: DetachArgs, context: Context) -> BrowserEntry:
    """Let go of a browser, which goes on."""
    await trio.lowlevel.checkpoint()
    return show_browser(context.browsers.detach(args.browser), context)


async def list_browsers(_: NoArgs, context: Context) -> BrowserList:
    """All browsers."""
    await context.browsers.check_alive()
    own = () if context.browser.mode == "none" else (context.browser,)
    return BrowserList(browsers=[show_browser(status, context) for status in (*own, *context.browsers)])


ATTACH = Operation(
    name="/browsers",
    args=AttachArgs,
    answer=BrowserEntry,
    run=attach_browser,
    needs=Needs(browser=False, deadline=limits.START_SECONDS + 1),
    page_content=False,
)
DETACH = Operation(
    name="DELETE /browsers",
    args=DetachArgs,
    answer=BrowserEntry,
    run=detach_browser,
    needs=Needs(browser=False),
    page_content=False,
)
BROWSERS = Operation(
    name="GET /browsers",
    args=NoArgs,
    answer=BrowserList,
    run=list_browsers,
    needs=Needs(browser=False),
    page_content=False,
)
