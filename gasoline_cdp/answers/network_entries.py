"""Requests in an answer: as entries and as lines."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from attrs import frozen

from gasoline_cdp.analysis.normalise import origin_of
from gasoline_cdp.analysis.sourcemaps.frames import ADDRESS_CHARS, cut, is_library, place_of
from gasoline_cdp.answers.amounts import clock, duration, size
from gasoline_cdp.answers.error_bodies import BODY_CHARS, error_words
from gasoline_cdp.answers.lines import Line
from gasoline_cdp.answers.log_entries import BEFORE_CHANGE, repeated
from gasoline_cdp.answers.paging import iso
from gasoline_cdp.answers.quoting import folded, quoted, word
from gasoline_cdp.answers.shared_facts import SharedFacts, home_of
from gasoline_cdp.answers.source_fields import inside
from gasoline_cdp.answers.stack_lines import show_stack
from gasoline_cdp.records import WRONG, NetworkRecord

_FRAMES_SHOWN = 5
# Longer header values are cut.
_HEADER_CHARS = 1000
# The types of most requests. Lines omit them.
_ORDINARY = {"XHR", "Fetch", "Preflight"}
_GIVEN_UP = "net::ERR_ABORTED"
_PHRASES = {status.value: status.phrase.lower() for status in HTTPStatus}


@frozen(kw_only=True)
class NetworkEntry:
    """A request and its response. If it failed, `at` is the page's code that made it, and `body` what came back.

    `before_change`: it failed, and the code of its tab has changed since.
    """

    ts: str
    id: str
    kind: str
    method: str
    url: str
    status: int | None = None
    outcome: str
    failure: str | None = None
    type: str
    mime: str | None = None
    duration_ms: float | None = None
    bytes: int = 0
    from_cache: bool = False
    from_service_worker: bool = False
    redirect_to: str | None = None
    redirected_from: str | None = None
    has_auth_header: bool = False
    initiator: str | None = None
    at: str | None = None
    body: str | None = None
    # The result of its CORS preflight, if there was one.
    preflight: dict[str, Any] | None = None
    # Made before we attached, and known only from the page's own timing entries: no method, headers or bodies.
    before_attach: bool = False
    tab_id: int
    frame: str | None = None
    worker: str | None = None
    ingested_from: str | None = None
    count: int = 1
    first_ts: str | None = None
    before_change: bool = False
    # A mock of set_conditions answered it, not a server.
    mocked: bool = False

    def lines(self, shared: SharedFacts, chars: int) -> Iterator[Line]:
        """`r44 POST 500 /api/order 120ms 1.25KB app.js:3:1 save`, and below it the beginning of an error body."""
        wrong = self.outcome in WRONG
        words = (
            shared.url(self.url, self),
            self._end(shared, chars),
            self.type.lower() if self.type not in _ORDINARY else "",
            shared.inside(self),
            duration(self.duration_ms) if self.duration_ms is not None else "",
            size(self.bytes) if self.bytes else "",
            "before attach" if self.before_attach else "",
            "mocked" if self.mocked else "",
            shared.tab(self.tab_id),
            repeated(self.count, self.first_ts, self.ts),
            BEFORE_CHANGE if self.before_change else "",
        )
        yield Line(
            " ".join(filter(None, words)),
            time=clock(self.ts),
            tag=" ".join(filter(None, (self.id, short_tag(self.method, self.status, self.outcome)))),
            place=shared.location(self.at, home=home_of(self)) if self.at else "",
            tone="error" if wrong else "plain",
        )
        if self.body and not self._is_phrase(self.body):
            yield Line(folded(self.body, chars), depth=1, tone="dim")

    def _is_phrase(self, body: str) -> bool:
        """Whether a body only repeats the status in words: `Not Found`."""
        return self.status in _PHRASES and body.strip(" .\n").lower() == _PHRASES[self.status]

    def _end(self, shared: SharedFacts, chars: int) -> str:
        """How it ended, beyond its status."""
        asked = self.preflight or {}
        # The error code of an aborted request says no more than "aborted".
        failure = "" if self.outcome == "aborted" and self.failure == _GIVEN_UP else self.failure
        words = (
            word(failure, chars) if failure else "",
            self.outcome if self.status is not None and self.outcome not in {"ok", "http_error", "redirect"} else "",
            f"→ {shared.redirect(self)}" if self.redirect_to else "",
            "from cache" if self.from_cache else "",
            "from service worker" if self.from_service_worker else "",
            f"preflight {asked['status']}" if asked and asked.get("status") not in {200, 204} else "",
        )
        return " ".join(filter(None, words))


def request_tag(method: str, status: int | None, outcome: str | None) -> str:
    """`POST 500`, or without a status its outcome: `GET failed`."""
    return f"{word(method, 20)} {status or outcome or ''}".strip()


def short_tag(method: str, status: int | None, outcome: str | None) -> str:
    """The same without what is ordinary, GET and 200: `404`, `POST`, `POST 500`, `failed`."""
    words = ("" if method == "GET" else word(method, 20), "" if status == 200 else str(status or outcome or ""))
    return " ".join(filter(None, words))


@frozen(kw_only=True)
class NetworkDetail:
    """Everything known of one request."""

    request: NetworkEntry
    request_headers: dict[str, str]
    response_headers: dict[str, str]
    timing_ms: dict[str, float] | None = None
    protocol: str | None = None
    remote_address: str | None = None
    security: str | None = None
    initiator_stack: list[str] | None = None

    def render(self) -> Iterator[Line]:
        """The request's line with the whole URL, then its headers."""
        shared = SharedFacts(tab_id=self.request.tab_id)
        yield from self.request.lines(shared, BODY_CHARS)
        facts = (
            f"tab {self.request.tab_id}" if self.request.tab_id else "",
            self.protocol,
            word(self.remote_address) if self.remote_address else "",
            self.security,
            "auth header sent" if self.request.has_auth_header else "",
            f"redirected from {word(self.request.redirected_from)}" if self.request.redirected_from else "",
            self.request.mime,
        )
        yield Line(", ".join(fact for fact in facts if fact))
        if self.timing_ms:
            yield Line("timing: " + " ".join(f"{name} {duration(ms)}" for name, ms in self.timing_ms.items()))
        if self.initiator_stack:
            own = SharedFacts(origin=origin_of(self.request.url))
            yield Line(f"made by {own.stack(None, self.initiator_stack)}")
        elif self.request.initiator:
            yield Line(f"made by {quoted(self.request.initiator, BODY_CHARS)}")
        for title, headers in (("request", self.request_headers), ("response", self.response_headers)):
            yield Line(f"{title} headers:" if headers else f"{title} headers: none known")
            for name, value in headers.items():
                yield Line(folded(f"{name}: {value}", _HEADER_CHARS), depth=1)


def show_network(
    record: NetworkRecord, preflight: NetworkRecord | None = None, *, body: str | None = None
) -> NetworkEntry:
    """A network record as an entry, with its preflight.

    If it failed, the entry names the code that made it, and `body` is what came back.
    """
    asked: dict[str, Any] | None = None
    caller = None
    if record.outcome in WRONG:
        caller = next((frame for frame in record.initiator_frames if not is_library(frame)), None)
    if preflight is not None:
        asked = {"status": preflight.status, "duration_ms": preflight.duration_ms, "id": preflight.id}
    return NetworkEntry(
        ts=iso(record.ts),
        id=record.id,
        kind="network",
        method=record.method,
        url=cut(record.url, ADDRESS_CHARS),
        status=record.status,
        outcome=record.outcome,
        failure=record.failure or None,
        type=record.type,
        mime=record.mime or None,
        duration_ms=record.duration_ms,
        bytes=record.encoded_bytes,
        from_cache=record.from_cache,
        from_service_worker=record.from_service_worker,
        redirect_to=cut(record.redirect_to, ADDRESS_CHARS) or None,
        redirected_from=cut(record.redirected_from, ADDRESS_CHARS) or None,
        has_auth_header=record.has_auth_header,
        initiator=record.initiator.partition(" ")[0] or None if caller else record.initiator or None,
        at=place_of(caller) if caller else None,
        body=error_words(body) if body else None,
        preflight=asked,
        before_attach=record.before_attach,
        mocked=record.mocked,
        tab_id=record.source.tab_id,
        **inside(record.source),
    )


def show_network_detail(record: NetworkRecord) -> NetworkDetail:
    """A network record with headers and timing."""
    timing: dict[str, Any] | None = None
    if record.timing is not None:
        phases = ("queued", "dns", "connect", "tls", "send", "wait", "receive")
        timing = {name: value for name in phases if (value := getattr(record.timing, name)) >= 0}
    return NetworkDetail(
        request=show_network(record),
        request_headers=record.request_headers,
        response_headers=record.response_headers,
        timing_ms=timing,
        protocol=record.protocol or None,
        remote_address=record.remote_address or None,
        security=record.security or None,
        initiator_stack=show_stack(record.initiator_frames, _FRAMES_SHOWN) or None,
    )
