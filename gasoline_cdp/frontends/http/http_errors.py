"""Errors over HTTP: the JSON format of all frontends, and the status for each code."""

from collections.abc import Sequence
from typing import Any

from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.answer import failure

# 4xx where the caller can fix it or has to wait, 5xx where only we or the browser can. A test checks completeness.
STATUS: dict[Code, int] = {
    Code.INVALID_PARAMS: 400,
    Code.INVALID_SELECTOR: 400,
    Code.BAD_SNAPSHOT_FILE: 400,
    Code.UNAUTHORIZED: 401,
    Code.AI_WEB_PILOT_DISABLED: 403,
    Code.FOREIGN_ORIGIN: 403,
    Code.WRONG_INGEST_KEY: 403,
    Code.OUTPUT_REFUSED: 403,
    Code.UNKNOWN_TOOL: 404,
    Code.NO_SUCH_ENDPOINT: 404,
    Code.NO_SUCH_TAB: 404,
    Code.NO_SUCH_BROWSER: 404,
    Code.NO_SUCH_REQUEST: 404,
    Code.NO_SUCH_TEST: 404,
    Code.NO_SUCH_RESULT: 404,
    Code.NO_SUCH_RESOURCE: 404,
    Code.NO_SUCH_STATE: 404,
    Code.NO_SUCH_SESSION: 404,
    Code.NO_SUCH_SNAPSHOT: 404,
    Code.NO_SUCH_OBJECT: 404,
    Code.ELEMENT_NOT_FOUND: 404,
    Code.NO_PERFORMANCE_DATA: 404,
    Code.NO_ACTIONS_CAPTURED: 404,
    Code.METHOD_NOT_ALLOWED: 405,
    Code.REQUEST_TIMEOUT: 408,
    Code.PAGE_NAVIGATED: 409,
    Code.PAGE_NOT_LOADED: 409,
    Code.CONCURRENT_ANALYSIS: 409,
    Code.NOT_WATCHING: 409,
    Code.NO_AUDIT: 409,
    Code.STATE_NOT_SAVED: 409,
    Code.STATE_NOT_RESTORED: 409,
    Code.DAEMON_RUNNING: 409,
    Code.PROFILE_IN_USE: 409,
    Code.BODY_UNAVAILABLE: 410,
    Code.PAYLOAD_TOO_LARGE: 413,
    Code.STATE_TOO_LARGE: 413,
    Code.HEAP_TOO_LARGE: 413,
    Code.MISDIRECTED_REQUEST: 421,
    # The page, or a file of the project, does not allow the request.
    Code.SCRIPT_ERROR: 422,
    Code.AXE_INJECTION_FAILED: 422,
    Code.AXE_CSP_BLOCKED_DEVTOOLS_OPEN: 422,
    Code.MEMORY_API_UNAVAILABLE: 422,
    Code.BAD_BUDGETS: 422,
    Code.BAD_SETTINGS: 422,
    Code.RATE_LIMITED: 429,
    Code.TOO_MANY_SESSIONS: 429,
    Code.INTERNAL_ERROR: 500,
    Code.NO_BROWSER: 503,
    Code.BROWSER_CRASHED: 503,
    Code.BROWSER_FAILED: 503,
    Code.NO_DAEMON: 503,
    Code.PAGE_HUNG: 504,
    Code.EXECUTION_TIMEOUT: 504,
    Code.ANALYSIS_TIMEOUT: 504,
    Code.HEAP_ANALYSIS_FAILED: 500,
}

Headers = Sequence[tuple[bytes, bytes]]
# On every answer: no caching, no content sniffing, no framing, no referrer.
ALWAYS: Headers = (
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
)
# Except for ingestion: no page of another origin may load it, not even as an image.
UNSHARED = (b"cross-origin-resource-policy", b"same-origin")


def status_of(code: str) -> int:
    """The HTTP status of an error code."""
    return STATUS[Code(code)]


def refusal_body(error: GasolineError) -> bytes:
    """An error as JSON."""
    return failure(error).json


async def send_json(send: Any, status: int, body: bytes, headers: Headers = ()) -> None:
    """Send a complete JSON answer on the ASGI channel."""
    length = (b"content-length", b"%d" % len(body))
    start = [(b"content-type", b"application/json"), length, *headers]
    await send({"type": "http.response.start", "status": status, "headers": start})
    await send({"type": "http.response.body", "body": body})


async def send_refusal(send: Any, error: GasolineError, headers: Headers = ()) -> None:
    """Send an error as a complete answer."""
    await send_json(send, STATUS[error.code], refusal_body(error), headers)
