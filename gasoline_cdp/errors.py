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
    PAGE_NOT_LOADED = "page_not_loaded"
    ANALYSIS_TIMEOUT = "analysis_timeout"
    CONCURRENT_ANALYSIS = "concurrent_analysis"
    NO_SUCH_RESULT = "no_such_result"
    NO_SUCH_RESOURCE = "no_such_resource"
    AXE_INJECTION_FAILED = "axe_injection_failed"
    AXE_CSP_BLOCKED_DEVTOOLS_OPEN = "axe_csp_blocked_devtools_open"
    MEMORY_API_UNAVAILABLE = "memory_api_unavailable"
    AI_WEB_PILOT_DISABLED = "ai_web_pilot_disabled"
    INVALID_SELECTOR = "invalid_selector"
    ELEMENT_NOT_FOUND = "element_not_found"
    EXECUTION_TIMEOUT = "execution_timeout"
    SCRIPT_ERROR = "script_error"
    NO_SUCH_STATE = "no_such_state"
    STATE_TOO_LARGE = "state_too_large"
    STATE_NOT_SAVED = "state_not_saved"
    STATE_NOT_RESTORED = "state_not_restored"
    UNKNOWN_TOOL = "unknown_tool"
    NO_SUCH_SESSION = "no_such_session"
    TOO_MANY_SESSIONS = "too_many_sessions"
    NOT_WATCHING = "not_watching"
    NO_SUCH_SNAPSHOT = "no_such_snapshot"
    BAD_SNAPSHOT_FILE = "bad_snapshot_file"
    NO_PERFORMANCE_DATA = "no_performance_data"
    BAD_BUDGETS = "bad_budgets"
    OUTPUT_REFUSED = "output_refused"
    NO_DAEMON = "no_daemon"
    DAEMON_RUNNING = "daemon_running"
    PROFILE_IN_USE = "profile_in_use"
    BROWSER_FAILED = "browser_failed"
    NO_SUCH_TEST = "no_such_test"
    MISDIRECTED_REQUEST = "misdirected_request"
    FOREIGN_ORIGIN = "foreign_origin"
    UNAUTHORIZED = "unauthorized"
    WRONG_INGEST_KEY = "wrong_ingest_key"
    PAYLOAD_TOO_LARGE = "payload_too_large"
    RATE_LIMITED = "rate_limited"
    REQUEST_TIMEOUT = "request_timeout"
    NO_SUCH_ENDPOINT = "no_such_endpoint"
    METHOD_NOT_ALLOWED = "method_not_allowed"
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
    Code.PAGE_NOT_LOADED: (
        "The address of the tab did not load, and Chrome shows an error page of its own instead.",
        "`observe(what='errors')` says why. Load a page, then call again.",
    ),
    Code.ANALYSIS_TIMEOUT: (
        "An analysis did not finish within its time limit.",
        "Narrow its scope, or reload the page and call again.",
    ),
    Code.CONCURRENT_ANALYSIS: (
        "Another analysis had the tab, or too many were under way, for the whole time limit of this one.",
        "Wait for it to end (`observe(what='analyze_result')`), then call again.",
    ),
    Code.NO_SUCH_RESULT: (
        "No analysis has this correlation_id; results wait five minutes.",
        "Start the analysis again.",
    ),
    Code.NO_SUCH_RESOURCE: (
        "There is no resource of this address.",
        "`resources/list` and `resources/templates/list` name them all.",
    ),
    Code.AXE_INJECTION_FAILED: (
        "The accessibility engine could not be loaded into the page: the document is none that scripts can run in.",
        "Load an ordinary page (not a crashed tab, a PDF or one of the browser's own), then call again.",
    ),
    Code.AXE_CSP_BLOCKED_DEVTOOLS_OPEN: (
        "A page's policy and open developer tools kept the engine out. It runs in a world of its own now.",
        "Never sent; kept so that the list of codes stays whole.",
    ),
    Code.MEMORY_API_UNAVAILABLE: (
        "The browser does not tell how much memory the page uses.",
        "Use Chrome, Chromium or Edge; the other analyses work without it.",
    ),
    Code.AI_WEB_PILOT_DISABLED: (
        "The tool acts on the page, and nobody has switched the pilot on.",
        "A person starts gasoline-cdp with --pilot, or clicks the switch in the tab 'Gasoline CDP'; no tool can.",
    ),
    Code.INVALID_SELECTOR: (
        "The browser cannot read the CSS selector, or nothing in the page matches the scope of an audit.",
        "The message holds the browser's own words; `query_dom` shows what a selector matches.",
    ),
    Code.ELEMENT_NOT_FOUND: (
        "No element of the page, its open shadow roots and its frames matches; or what a reference named is gone.",
        "Look at the page again; `observe(what='accessibility_tree')` has references that hold now.",
    ),
    Code.EXECUTION_TIMEOUT: (
        "The script did not finish within its timeout_ms, and was ended or left behind.",
        "The message says in which state the page is; give it less to do, or more time (at most 30 s).",
    ),
    Code.SCRIPT_ERROR: (
        "The script threw, or is not valid JavaScript.",
        "`details.exception` and `details.stack` say what it threw and where; lines are those of the script.",
    ),
    Code.NO_SUCH_STATE: (
        "No state of this name is saved.",
        "manage_state(action='list') names the saved ones; they are lost when gasoline-cdp ends.",
    ),
    Code.STATE_TOO_LARGE: (
        "The state, or all saved states together, would take more memory than there is for them.",
        "Delete a saved state with manage_state(action='delete').",
    ),
    Code.STATE_NOT_SAVED: (
        "The page in the tab has no state of its own: it is no page of a web site.",
        "Open the site in the tab, then save.",
    ),
    Code.STATE_NOT_RESTORED: (
        "The saved state could not be restored, and the page's old state was put back.",
        "The message says what was in the way.",
    ),
    Code.UNKNOWN_TOOL: ("There is no tool of this name.", "`tools/list` names them all."),
    Code.NO_SUCH_SESSION: (
        "verify_fix knows no session of this id, or its thirty minutes are over.",
        "`verify_fix(action='start')` begins one and gives its session_id.",
    ),
    Code.TOO_MANY_SESSIONS: (
        "Three sessions of verify_fix are under way, and none of them has been compared.",
        "Cancel one of those in `details.sessions`, or compare it.",
    ),
    Code.NOT_WATCHING: (
        "There is nothing to compare with: the session was never told that the change is made.",
        "Call `verify_fix(action='watch')`, try the scenario again, then compare.",
    ),
    Code.NO_SUCH_SNAPSHOT: (
        "No snapshot has this name, or its two hours are over.",
        "`diff_sessions(action='list')` names them; `capture` makes one.",
    ),
    Code.BAD_SNAPSHOT_FILE: (
        "A file is not a snapshot that this version can read, or cannot be read at all.",
        "Write it anew with `gasoline-cdp snapshot FILE`.",
    ),
    Code.NO_PERFORMANCE_DATA: (
        "No load of this path has been captured.",
        "Load or reload the page, wait two seconds after it has loaded, and ask again.",
    ),
    Code.BAD_BUDGETS: (
        "The file with the performance budgets cannot be used; the message names the line.",
        "Correct that line.",
    ),
    Code.OUTPUT_REFUSED: (
        "A file cannot be written there: outside the artifacts directory, or without one, or the system refuses.",
        "A person names the directory with --artifacts DIR; give a name relative to it, or leave output out.",
    ),
    Code.NO_DAEMON: (
        "No gasoline-cdp is running for this user.",
        "Start one with `gasoline-cdp launch`; an editor's `gasoline-cdp mcp` starts one by itself.",
    ),
    Code.DAEMON_RUNNING: (
        "A gasoline-cdp is already running for this user.",
        "Use that one (`gasoline-cdp status`), or end it: `gasoline-cdp stop`.",
    ),
    Code.PROFILE_IN_USE: (
        "Another browser uses the profile directory.",
        "Close that browser, or use --profile DIR or --temporary-profile.",
    ),
    Code.BROWSER_FAILED: (
        "The browser could not be started, or would not be spoken to.",
        "The message ends with what the browser itself said; `gasoline-cdp doctor` checks the machine.",
    ),
    Code.NO_SUCH_TEST: (
        "No start of a test with this test_id has been marked, or it was too long ago.",
        "Mark it with POST /test-boundary before the test runs, or leave test_id out.",
    ),
    Code.MISDIRECTED_REQUEST: (
        "HTTP: the Host header is missing, doubled, or not the address that gasoline-cdp listens on.",
        "Use http://127.0.0.1:PORT or http://localhost:PORT as `http.json` in the runtime directory names it.",
    ),
    Code.FOREIGN_ORIGIN: (
        "HTTP: a web page of another origin made the request.",
        "Call from a program instead of from a page; pages may only post to the ingestion endpoints.",
    ),
    Code.UNAUTHORIZED: (
        "HTTP: the bearer token is missing or wrong. It is another one at each start.",
        "Read it from `http.json` in the runtime directory, and send `Authorization: Bearer TOKEN`.",
    ),
    Code.WRONG_INGEST_KEY: (
        "HTTP: the ingest key is missing or wrong. It is another one at each start.",
        "Read it from `http.json` in the runtime directory, and send it as `?key=` or as `key` in the body.",
    ),
    Code.PAYLOAD_TOO_LARGE: ("HTTP: the body is larger than this endpoint takes.", "Send less, or in several batches."),
    Code.RATE_LIMITED: (
        "HTTP: more requests than this endpoint takes, or more clients than it serves.",
        "Wait a second; send fewer and larger batches, or close connections that are no longer used.",
    ),
    Code.REQUEST_TIMEOUT: ("HTTP: the body did not arrive in time.", "Send it again, in one go."),
    Code.NO_SUCH_ENDPOINT: ("HTTP: there is no such path.", "`details.endpoints` lists them all."),
    Code.METHOD_NOT_ALLOWED: ("HTTP: the path exists, but not for this method.", "The Allow header says which do."),
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
