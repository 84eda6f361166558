"""The one public error and the closed list of its codes."""

from enum import StrEnum
from typing import Any


class Code(StrEnum):
    """Every code an answer can carry; `CATALOGUE` says what each means and what to do."""

    INVALID_PARAMS = "invalid_params"
    NO_BROWSER = "no_browser"
    BROWSER_CRASHED = "browser_crashed"
    NO_SUCH_TAB = "no_such_tab"
    NO_SUCH_REQUEST = "no_such_request"
    BODY_UNAVAILABLE = "body_unavailable"
    PAGE_HUNG = "page_hung"
    PAGE_NAVIGATED = "page_navigated"
    AI_WEB_PILOT_DISABLED = "ai_web_pilot_disabled"
    UNKNOWN_TOOL = "unknown_tool"
    OUTPUT_REFUSED = "output_refused"
    NO_DAEMON = "no_daemon"
    DAEMON_RUNNING = "daemon_running"
    PROFILE_IN_USE = "profile_in_use"
    BROWSER_FAILED = "browser_failed"
    INTERNAL_ERROR = "internal_error"


CATALOGUE: dict[Code, tuple[str, str]] = {
    Code.INVALID_PARAMS: (
        "One or more arguments are unknown, of the wrong type or out of range.",
        "`details.problems` lists all of them at once; correct them and call again.",
    ),
    Code.NO_BROWSER: (
        "No browser was found, or none is connected at the moment.",
        "Install Chrome or Chromium, or name one with --browser. `observe(what='status')` says what happened.",
    ),
    Code.BROWSER_CRASHED: (
        "The browser went away while the call was under way.",
        "It is restarted by itself at most three times in five minutes; call again, or ask for the status.",
    ),
    Code.NO_SUCH_TAB: (
        "No open tab has this tab_id.",
        "`observe(what='tabs')` lists the open tabs. Leave tab_id out for the tab used last.",
    ),
    Code.NO_SUCH_REQUEST: (
        "No captured request has this request_id, or it has left the buffer.",
        "`observe(what='network')` lists the requests with their ids.",
    ),
    Code.BODY_UNAVAILABLE: (
        "Chrome no longer holds the body of this request, or body capture is off.",
        "Reload the page and ask before it navigates, or start with --bodies all.",
    ),
    Code.PAGE_HUNG: (
        "The page did not answer in time: its main thread is busy, or a dialog is open.",
        "Everything captured is still there; reload the page, or ask again later.",
    ),
    Code.PAGE_NAVIGATED: (
        "The page navigated away, or was closed, while it was being asked.",
        "Call again once the new page has loaded.",
    ),
    Code.AI_WEB_PILOT_DISABLED: (
        "The tool acts on the page, and nobody has switched the pilot on.",
        "A person starts gasoline-cdp with --pilot; no tool can switch it on.",
    ),
    Code.UNKNOWN_TOOL: ("There is no tool of this name.", "`tools/list` names them all."),
    Code.OUTPUT_REFUSED: (
        "A file cannot be written there: it lies outside the artifacts directory, or none was given.",
        "A person names the directory with --artifacts DIR; give a name relative to it, or leave output out.",
    ),
    Code.NO_DAEMON: (
        "No gasoline-cdp is running for this user.",
        "Start one with `gasoline-cdp launch`.",
    ),
    Code.DAEMON_RUNNING: (
        "A gasoline-cdp is already running for this user.",
        "Use that one (`gasoline-cdp status`), or end it with Ctrl-C where it runs.",
    ),
    Code.PROFILE_IN_USE: (
        "Another browser uses the profile directory.",
        "Close that browser, or use --profile DIR or --temporary-profile.",
    ),
    Code.BROWSER_FAILED: (
        "The browser could not be started, or would not be spoken to.",
        "The message ends with what the browser itself said; `gasoline-cdp doctor` checks the machine.",
    ),
    Code.INTERNAL_ERROR: (
        "A defect in gasoline-cdp. Nothing captured is lost.",
        "Run with --verbose, and report the traceback on stderr.",
    ),
}


class GasolineError(Exception):
    """What a user or an assistant is told: a code, a sentence that ends in what to do, and details."""

    def __init__(self, code: Code, message: str, **details: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details
