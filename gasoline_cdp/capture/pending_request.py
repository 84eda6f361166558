"""One hop of a request that has not finished, and how Chrome's events about it are read."""

from functools import lru_cache
from typing import Any

from attrs import define, field, frozen

from gasoline_cdp.capture.stacks import mapping
from gasoline_cdp.capture.wire_sizes import wire_sizes
from gasoline_cdp.measures import Timing
from gasoline_cdp.records import NetworkOutcome, NetworkRecord, Source, StackFrame
from gasoline_cdp.redact import (
    MaskedSecret,
    collect_masked,
    has_auth_header,
    safe_headers,
    safe_text,
    safe_url,
    safe_word,
)

Params = dict[str, Any]

_BINARY = (
    "image/",
    "video/",
    "audio/",
    "font/",
    "application/wasm",
    "application/font",
    "application/x-font",
)
_ARCHIVES = (
    "application/zip",
    "application/gzip",
    "application/pdf",
    "application/x-tar",
)
# Default types of servers for unknown files. They are often text.
_UNSURE = ("application/octet-stream", "binary/octet-stream", "video/mp2t", "application/x-unknown")
_SVG = "image/svg+xml"
# Responses that have no body, whatever their headers say.
NULL_BODY_STATUSES = frozenset({204, 205, 304})
# CORS errors about a response that arrived, as opposed to the request or its preflight.
_ANSWERED = (
    "AllowOriginMismatch",
    "InvalidAllowCredentials",
    "InvalidAllowOriginValue",
    "MissingAllowOriginHeader",
    "MultipleAllowOriginValues",
    "WildcardOriginNotAllowed",
)


@frozen
class Body:
    """A body that is safe to keep, and whether it was cut."""

    text: str
    truncated: bool = False


@define(eq=False)
class PendingRequest:
    """One hop of a request that has not finished."""

    id: str
    request_id: str
    source: Source
    owner: object
    ts: float
    started: float
    method: str
    url: str
    type: str
    initiator: str = ""
    initiator_frames: tuple[StackFrame, ...] = ()
    preflight_for: str = ""
    during: float | None = None
    loader_id: str = ""
    left_at: float | None = None
    redirected_from: str = ""
    redirect_to: str = ""
    post_data: Body | None = None
    # Secrets that were masked in the URL.
    masked_in_url: list[MaskedSecret] = field(factory=list)
    masked_in_body: list[MaskedSecret] = field(factory=list)
    masked_in_headers: list[MaskedSecret] = field(factory=list)
    masked_in_answer: list[MaskedSecret] = field(factory=list)
    has_post_data: bool = False
    # Length of the URL's path and query before anything was masked.
    path_chars: int = 1
    request_headers: Params = field(factory=dict)
    response_headers: Params = field(factory=dict)
    response: Params = field(factory=dict)
    status: int | None = None
    from_cache: bool = False
    decoded_bytes: int = 0
    encoded_bytes: int = 0
    # Size of the response's headers as text, if Chrome has it.
    header_text_bytes: int = -1
    ended: float | None = None
    outcome: NetworkOutcome = "pending"
    failure: str = ""
    expects_extra: bool = False
    has_extra: bool = False
    has_request_extra: bool = False
    mocked: bool = False

    def fail(self, params: Params) -> None:
        """Network.loadingFailed: set the outcome."""
        error = safe_text(params.get("errorText", ""), 200)
        cors = mapping(params.get("corsErrorStatus"))
        blocked = params.get("blockedReason")
        if cors:
            self.outcome = "cors_blocked"
            reason = f"{cors.get('corsError', '')} {cors.get('failedParameter', '')}"
            self.failure = safe_text(f"CORS: {reason.strip()}", 200)
        elif blocked:
            self.outcome, self.failure = "blocked", safe_text(f"blocked: {blocked}", 200)
        elif self.type == "Ping" and params.get("canceled"):
            # A beacon whose page was gone before the response. It was sent nevertheless.
            self.outcome, self.failure = "unknown", "sent; the page was left before its answer"
        elif params.get("canceled") or error == "net::ERR_ABORTED":
            self._cancel(error)
        else:
            self.outcome, self.failure = "failed", error
        if not self.response:
            # CORS hides the response from the page, but extra information about it still arrives.
            self.expects_extra = cors.get("corsError") in _ANSWERED

    def _cancel(self, error: str) -> None:
        """Chrome cancels what nobody reads: a response without a body, or the body of a module that failed."""
        if (self.status or 0) >= 400:
            self.outcome = "http_error"
        elif self.status is not None and self.without_body:
            self.outcome = "ok"
        else:
            self.outcome, self.failure = "aborted", error

    def record(self, seq: int) -> NetworkRecord:
        """The record of this hop as far as it is known."""
        response = self.response
        ended = self.ended
        with collect_masked() as self.masked_in_headers:
            request_headers = safe_headers(self.request_headers)
        with collect_masked() as self.masked_in_answer:
            # A 304 has only changed headers. The rest is in the browser's cache.
            kept = mapping(response.get("headers")) if self.status == 304 else {}
            response_headers = safe_headers({**kept, **self.response_headers})
        return NetworkRecord(
            seq=seq,
            id=self.id,
            ts=self.ts,
            source=self.source,
            method=self.method,
            url=self.url,
            type=self.type,
            outcome=self.outcome,
            status=self.status,
            status_text=safe_word(response.get("statusText", ""), 100),
            failure=self.failure,
            mime=safe_word(response.get("mimeType", ""), 100),
            protocol=safe_word(response.get("protocol", ""), 40),
            remote_address=_remote(response),
            from_cache=self.from_cache or bool(response.get("fromDiskCache")),
            from_service_worker=bool(response.get("fromServiceWorker")),
            redirect_to=self.redirect_to,
            redirected_from=self.redirected_from,
            request_headers=request_headers,
            response_headers=response_headers,
            has_auth_header=has_auth_header(map(str, self.request_headers)),
            loader_id=self.loader_id if self.type == "Document" else "",
            duration_ms=None if ended is None else round(max(0.0, ended - self.started) * 1000, 1),
            timing=_timing(response.get("timing"), self.started, ended),
            encoded_bytes=self.encoded_bytes,
            decoded_bytes=self.decoded_bytes,
            sizes=wire_sizes(self),
            initiator=self.initiator,
            initiator_frames=self.initiator_frames,
            security=safe_word(response.get("securityState", ""), 20),
            preflight_for=self.preflight_for,
            during=self.during,
            cached_status=self._cached_status(),
            mocked=self.mocked,
        )

    @property
    def without_body(self) -> bool:
        """Whether a response like this has no body by the rules of HTTP."""
        return self.method == "HEAD" or self.status in NULL_BODY_STATUSES or self._header("content-length") == "0"

    def _header(self, wanted: str) -> str:
        return next((str(value) for name, value in self.response_headers.items() if name.lower() == wanted), "")

    def _cached_status(self) -> int | None:
        """The status that the page got from Chrome's cache after a 304 on the wire; None in all other cases.

        A page that revalidates by itself gets the 304.
        """
        given = int(number(self.response.get("status")))
        return given if self.status == 304 and given not in (0, 304) else None


def is_binary(mime: str) -> bool:
    """Whether bodies of this type are described by their size, without reading them."""
    return (mime.startswith(_BINARY) or mime in _ARCHIVES) and mime != _SVG and not is_unsure(mime)


def is_unsure(mime: str) -> bool:
    """Whether only the content shows if bodies of this type are text."""
    return mime in _UNSURE


def _remote(response: Params) -> str:
    address = safe_word(response.get("remoteIPAddress", ""), 60)
    return f"{address}:{int(number(response.get('remotePort')))}" if address else ""


def initiator_phrase(initiator: object) -> str:
    """What caused the request, as a short phrase: script and line, or the parser."""
    details = mapping(initiator)
    kind = safe_word(details.get("type", ""), 30)
    frames = mapping(details.get("stack")).get("callFrames")
    if isinstance(frames, list) and frames and isinstance(frames[0], dict):
        return f"{kind} {_line_of(frames[0])}"
    return f"{kind} {_line_of(details)}" if details.get("url") else kind


def _line_of(details: Params) -> str:
    url = details.get("url")
    return f"{_script(url) if isinstance(url, str) else ''}:{int(number(details.get('lineNumber'))) + 1}"


# A page's requests come from a few scripts.
@lru_cache(maxsize=256)
def _script(url: str) -> str:
    return safe_url(url, 300)


def _timing(timing: object, started: float, ended: float | None) -> Timing | None:
    """Chrome's offsets (milliseconds from requestTime, -1 for absent) as phases."""
    offsets = mapping(timing)
    if not offsets:
        return None

    def phase(start: str, end: str) -> float:
        first, last = number(offsets.get(start), -1), number(offsets.get(end), -1)
        return round(last - first, 1) if first >= 0 and last >= first else -1

    received = number(offsets.get("receiveHeadersEnd"), -1)
    sent = number(offsets.get("requestTime"), started)
    total = None if ended is None else (ended - sent) * 1000
    return Timing(
        queued=round(max(0.0, sent - started) * 1000, 1),
        dns=phase("dnsStart", "dnsEnd"),
        connect=phase("connectStart", "connectEnd"),
        tls=phase("sslStart", "sslEnd"),
        send=phase("sendStart", "sendEnd"),
        wait=phase("sendEnd", "receiveHeadersEnd"),
        receive=round(max(0.0, total - received), 1) if total is not None and received >= 0 else -1,
    )


def number(value: object, default: float = 0.0) -> float:
    """The value if it is a number of plausible size, otherwise the default."""
    # Called twenty times per request. isinstance with a union type is twice as slow.
    return float(value) if isinstance(value, (int, float)) and abs(value) < 2**53 else default
