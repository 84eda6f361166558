"""How to query a page, and which errors are raised if it does not answer."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import trio

from gasoline_cdp import limits
from gasoline_cdp.assets import page_script
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Session
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.cdp.world import PageFault, call_in_world
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.redact import safe_url


@contextmanager
def asking(tab: Tab, seconds: float | None = None) -> Iterator[None]:
    """Around queries to a tab: sets a time limit, and turns failures into errors that say what to do."""
    if seconds is None:
        seconds = limits.PAGE_ANSWER_SECONDS
    if tab.state == "crashed":
        raise GasolineError(Code.PAGE_HUNG, f"Tab {tab.tab_id} has crashed. Reload it, then ask again.")
    try:
        with trio.fail_after(max(seconds, limits.ANALYSED_PAGE_ANSWER_SECONDS) if tab.analysis else seconds):
            yield
    except trio.TooSlowError as error:
        if tab.analysis and not tab.dialog:
            raise GasolineError(Code.PAGE_HUNG, busy_with_us(tab)) from error
        why = f"a {tab.dialog} dialog is open in it" if tab.dialog else "its main thread is busy or hung"
        raise GasolineError(
            Code.PAGE_HUNG,
            f"Tab {tab.tab_id} did not answer: {why}. What was captured before is still there: "
            "observe(what='errors'). Reload the page to go on.",
        ) from error
    except CdpClosed as error:
        if tab.session.browser_gone:
            raise browser_ended() from error
        if tab.state == "closed":
            raise GasolineError(Code.NO_SUCH_TAB, f"Tab {tab.tab_id} was closed while it was asked.") from error
        raise GasolineError(
            Code.PAGE_NAVIGATED, f"Tab {tab.tab_id} navigated while it was asked. Ask again."
        ) from error
    except (CdpError, PageFault) as error:
        raise GasolineError(
            Code.PAGE_NAVIGATED, f"Tab {tab.tab_id} could not answer just now (it may be loading). Ask again."
        ) from error


def busy_with_us(tab: Tab) -> str:
    """The error for a page that does not answer because we are analysing it: a reload would end the analysis."""
    return (
        f"Tab {tab.tab_id} does not answer while {tab.analysis} runs in it. Call again when that has ended; a reload "
        "would end it without a result."
    )


@contextmanager
def frame_answers(session: Session, root: Session, seconds: float = limits.FRAME_SECONDS) -> Iterator[None]:
    """Around queries to a frame: one in a process of its own may hang while its page (`root`) does not."""
    if session is root:
        yield
        return
    try:
        with trio.fail_after(seconds):
            yield
    except trio.TooSlowError as error:
        raise GasolineError(
            Code.PAGE_HUNG,
            "That frame of the page does not answer: it is busy or hung. The page itself can be asked.",
        ) from error


def browser_ended() -> GasolineError:
    """The error for a browser that ended during a query to one of its pages."""
    return GasolineError(
        Code.NO_BROWSER,
        "The browser ended while its page was asked. observe(what='status') says whether it is started again.",
    )


async def require_page(tab: Tab) -> None:
    """Refuse to analyse a page that did not load: Chrome shows an error page of its own instead.

    Call it after the page has answered. Chrome announces such a page before the first answer.
    """
    if tab.unreachable is None:
        with asking(tab):
            frame = (await tab.session.send("Page.getFrameTree"))["frameTree"]["frame"]
        tab.unreachable = str(frame.get("unreachableUrl") or "")
    if tab.unreachable:
        raise GasolineError(
            Code.PAGE_NOT_LOADED,
            f"Tab {tab.tab_id} shows Chrome's own error page: {safe_url(tab.unreachable, 200)} did not load. "
            "observe(what='errors') says why; load a page, then call again.",
        )


async def ask_page(tab: Tab, script: str, *arguments: Any) -> Any:
    """Run one of our page scripts in a tab's isolated world."""
    with asking(tab):
        return await call_in_world(tab.session, page_script(script), *arguments)
