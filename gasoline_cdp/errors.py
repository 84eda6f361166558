"""The only public error, and the closed list of its codes."""

from enum import StrEnum
from typing import Any


class Code(StrEnum):
    """Every code that an answer can have. `CATALOGUE` says what each means and what to do."""

    INVALID_PARAMS = "invalid_params"
    NO_BROWSER = "no_browser"
    BROWSER_CRASHED = "browser_crashed"
    NO_SUCH_TAB = "no_such_tab"
    NO_SUCH_BROWSER = "no_such_browser"
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
    HEAP_TOO_LARGE = "heap_too_large"
    HEAP_ANALYSIS_FAILED = "heap_analysis_failed"
    NO_SUCH_OBJECT = "no_such_object"
    NO_PERFORMANCE_DATA = "no_performance_data"
    NO_ACTIONS_CAPTURED = "no_actions_captured"
    BAD_BUDGETS = "bad_budgets"
    BAD_SETTINGS = "bad_settings"
    NO_AUDIT = "no_audit"
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
        "An argument is unknown, has the wrong type or is out of range.",
        "`details.problems` lists every problem. Correct them and call again.",
    ),
    Code.NO_BROWSER: (
        "No browser was found, or none is connected.",
        "Install Chrome or Chromium, or name one with --browser. `observe(what='status')` says what happened.",
    ),
    Code.BROWSER_CRASHED: (
        "The browser crashed or closed during the call.",
        "gasoline-cdp restarts it, at most three times in five minutes. Call again, or ask for the status.",
    ),
    Code.NO_SUCH_TAB: (
        "No open tab has this tab_id.",
        "`observe(what='tabs')` lists the open tabs. Without tab_id, the tab used last is asked.",
    ),
    Code.NO_SUCH_BROWSER: (
        "No browser of this name was attached with POST /browsers, or it has ended.",
        "`GET /browsers` lists the browsers.",
    ),
    Code.NO_SUCH_REQUEST: (
        "No captured request has this request_id, or the full buffer has dropped it.",
        "`observe(what='network')` lists the requests with their ids.",
    ),
    Code.BODY_UNAVAILABLE: (
        "Chrome no longer has the body of this request, or body capture is off.",
        "Reload the page and ask before it navigates, or start with --bodies all.",
    ),
    Code.PAGE_HUNG: (
        "The page did not answer in time: its main thread is busy, or a dialog is open.",
        "What was captured is still there. Reload the page, or try again later.",
    ),
    Code.PAGE_NAVIGATED: (
        "The page navigated away or was closed during the call.",
        "Call again once the new page has loaded.",
    ),
    Code.PAGE_NOT_LOADED: (
        "The page did not load, and Chrome shows its own error page.",
        "`observe(what='errors')` says why. Load a page, then call again.",
    ),
    Code.ANALYSIS_TIMEOUT: (
        "The analysis did not finish within its time limit.",
        "Narrow its scope, or reload the page and call again.",
    ),
    Code.CONCURRENT_ANALYSIS: (
        "Another analysis used the tab, or too many were running, until this one ran out of time.",
        "Wait for it to end (`observe(what='analyze_result')`), then call again.",
    ),
    Code.NO_SUCH_RESULT: (
        "No analysis has this correlation_id. Results are kept for five minutes.",
        "Start the analysis again.",
    ),
    Code.NO_SUCH_RESOURCE: (
        "No resource has this URI.",
        "`resources/list` and `resources/templates/list` list all resources.",
    ),
    Code.AXE_INJECTION_FAILED: (
        "axe-core could not be loaded into the page, because scripts cannot run in this document.",
        "Load an ordinary web page (not a crashed tab, a PDF or a chrome:// page), then call again.",
    ),
    Code.AXE_CSP_BLOCKED_DEVTOOLS_OPEN: (
        "A page's Content-Security-Policy, together with open developer tools, blocked axe-core.",
        "Reserved: axe-core now runs in an isolated world, so this error no longer occurs.",
    ),
    Code.MEMORY_API_UNAVAILABLE: (
        "The browser does not report how much memory the page uses.",
        "Use Chrome, Chromium or Edge; the other analyses work without it.",
    ),
    Code.AI_WEB_PILOT_DISABLED: (
        "This call needs the pilot, and the pilot is off.",
        "Ask the user to start with --pilot, or to click the switch in the tab 'Gasoline CDP'. No tool can do it.",
    ),
    Code.INVALID_SELECTOR: (
        "The CSS selector is invalid, or no element matches the scope of an audit.",
        "The message quotes the browser. `query_dom` shows what a selector matches.",
    ),
    Code.ELEMENT_NOT_FOUND: (
        "No element of the page, its open shadow roots or its frames matches, or the referenced element is gone.",
        "Look at the page again: `observe(what='accessibility_tree')` gives current references.",
    ),
    Code.EXECUTION_TIMEOUT: (
        "The script did not finish within timeout_ms. It was stopped, or is still running.",
        "The message says whether the page is usable. Do less in the script, or allow more time (at most 30 s).",
    ),
    Code.SCRIPT_ERROR: (
        "The script threw an exception, or is not valid JavaScript.",
        "`details.exception` and `details.stack` say what and where. Line numbers count from the start of the script.",
    ),
    Code.NO_SUCH_STATE: (
        "No saved state has this name.",
        "`manage_state(action='list')` lists the saved states. They are lost when gasoline-cdp stops.",
    ),
    Code.STATE_TOO_LARGE: (
        "The state would exceed the memory limit for saved states.",
        "Delete a saved state with `manage_state(action='delete')`.",
    ),
    Code.STATE_NOT_SAVED: (
        "The tab shows no page of a web site, so there is no state to save.",
        "Open the site in the tab, then save.",
    ),
    Code.STATE_NOT_RESTORED: (
        "The saved state could not be restored. The page has its previous state again.",
        "The message gives the reason.",
    ),
    Code.UNKNOWN_TOOL: ("No tool has this name.", "`tools/list` lists all tools."),
    Code.NO_SUCH_SESSION: (
        "No session of verify_fix has this session_id, or it expired after thirty minutes.",
        "`verify_fix(action='start')` starts a session and returns its session_id.",
    ),
    Code.TOO_MANY_SESSIONS: (
        "Three sessions of verify_fix are open already, and none has been compared.",
        "Compare or cancel one of the sessions in `details.sessions`.",
    ),
    Code.NOT_WATCHING: (
        "There is nothing to compare yet: `watch` was not called after the change, and no change of the code was seen.",
        "Call `verify_fix(action='watch')`, repeat the steps in the browser, then compare.",
    ),
    Code.NO_SUCH_SNAPSHOT: (
        "No snapshot has this name, or it expired after two hours.",
        "`diff_sessions(action='list')` lists the snapshots; `capture` makes one.",
    ),
    Code.BAD_SNAPSHOT_FILE: (
        "The file cannot be read, or is no snapshot that this version understands.",
        "Write a new one: `gasoline-cdp snapshot FILE`, or `gasoline-cdp heap FILE --save` for a heap.",
    ),
    Code.HEAP_TOO_LARGE: (
        "The page's heap, or its snapshot, is larger than can be analysed here.",
        "Reload the page and ask before it has grown. `observe(what='memory')` shows its size without a snapshot.",
    ),
    Code.HEAP_ANALYSIS_FAILED: (
        "The process that analyses heap snapshots ended, or could not read one. Its snapshots are gone.",
        "Take the baseline again. If it fails again, the machine may be short of memory.",
    ),
    Code.NO_SUCH_OBJECT: (
        "The snapshot has no object with this id, or no object of this class.",
        "`analyze(action='memory', scope='classes')` lists classes. An id is gone once its object was collected.",
    ),
    Code.NO_PERFORMANCE_DATA: (
        "No load of this path has been captured.",
        "Load or reload the page, wait two seconds after it has loaded, then call again.",
    ),
    Code.NO_ACTIONS_CAPTURED: (
        "No action of a user was captured that a test could repeat.",
        "Click through the page in this browser, then call again.",
    ),
    Code.BAD_BUDGETS: (
        "The file with the performance budgets has an error; the message names the line.",
        "Correct that line.",
    ),
    Code.BAD_SETTINGS: (
        "The file with the gates and allow-lists has an error; the message names the line.",
        "Correct that line.",
    ),
    Code.NO_AUDIT: (
        "A report of findings was asked for, but no audit has run, so an empty report would look like success.",
        "Run run_accessibility_audit or security_audit first, then call again.",
    ),
    Code.OUTPUT_REFUSED: (
        "The file cannot be written: there is no artifacts directory, the path is outside it, or the system refused.",
        "Ask the user to start gasoline-cdp with --artifacts DIR. Give a path relative to DIR, or leave output out.",
    ),
    Code.NO_DAEMON: (
        "No gasoline-cdp is running for this user.",
        "Start one with `gasoline-cdp launch`. In an editor, `gasoline-cdp mcp` starts one when needed.",
    ),
    Code.DAEMON_RUNNING: (
        "A gasoline-cdp is already running for this user.",
        "Use it (`gasoline-cdp status`), or stop it with `gasoline-cdp stop`.",
    ),
    Code.PROFILE_IN_USE: (
        "Another browser is using the profile directory.",
        "Close that browser, or use --profile DIR or --temporary-profile.",
    ),
    Code.BROWSER_FAILED: (
        "The browser could not be started, or did not answer.",
        "The message ends with the browser's own error. `gasoline-cdp doctor` checks the machine.",
    ),
    Code.NO_SUCH_TEST: (
        "No test with this test_id was marked, or it was too long ago.",
        "Mark it with POST /test-boundary before the test runs, or leave test_id out.",
    ),
    Code.MISDIRECTED_REQUEST: (
        "HTTP: the Host header is missing, repeated, or not the address that gasoline-cdp listens on.",
        "Use the address in `http.json` in the runtime directory: http://127.0.0.1:PORT or http://localhost:PORT.",
    ),
    Code.FOREIGN_ORIGIN: (
        "HTTP: a web page sent the request.",
        "Send it from a program. Web pages may only post to the ingestion endpoints.",
    ),
    Code.UNAUTHORIZED: (
        "HTTP: the bearer token is missing or wrong. It changes at each start.",
        "Read it from `http.json` in the runtime directory, and send `Authorization: Bearer TOKEN`.",
    ),
    Code.WRONG_INGEST_KEY: (
        "HTTP: the ingest key is missing or wrong. It changes at each start.",
        "Read it from `http.json` in the runtime directory, and send it as `?key=` or as `key` in the body.",
    ),
    Code.PAYLOAD_TOO_LARGE: ("HTTP: the body is too large for this endpoint.", "Send less, or split it into batches."),
    Code.RATE_LIMITED: (
        "HTTP: too many requests or too many clients.",
        "Wait a second. Send fewer, larger batches, or close unused connections.",
    ),
    Code.REQUEST_TIMEOUT: ("HTTP: the body did not arrive in time.", "Send it again."),
    Code.NO_SUCH_ENDPOINT: ("HTTP: no endpoint has this path.", "`details.endpoints` lists all endpoints."),
    Code.METHOD_NOT_ALLOWED: (
        "HTTP: this endpoint does not accept the method.",
        "The Allow header lists the methods it accepts.",
    ),
    Code.INTERNAL_ERROR: (
        "A bug in gasoline-cdp. What was captured is not lost.",
        "Run it again with --verbose, and report the traceback on standard error.",
    ),
}


class GasolineError(Exception):
    """What a user or an assistant sees: a code, a sentence that ends in what to do, and details."""

    def __init__(self, code: Code, message: str, **details: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details

    def shape(self) -> dict[str, Any]:
        """The one shape of an error in every answer."""
        shape: dict[str, Any] = {"status": "error", "error": self.code.value, "message": self.message}
        return {**shape, "details": self.details} if self.details else shape
