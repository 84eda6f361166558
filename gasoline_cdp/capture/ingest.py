"""Records from what a script inside a page has posted, for browsers that the DevTools Protocol does not reach.

Everything here is a page's claim: it is redacted like everything else, marked with the origin that posted it, and never
trusted to say which tab it comes from.
"""

from collections.abc import Callable
from typing import Any, Literal

from attrs import Factory, define

from gasoline_cdp import limits
from gasoline_cdp.analysis.performance.loads import path_of
from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.capture.bodies import Bodies
from gasoline_cdp.capture.pending_request import is_binary
from gasoline_cdp.capture.posted import Posted, written
from gasoline_cdp.capture.stacks import parse_stack_text
from gasoline_cdp.capture.websocket import SocketTracker
from gasoline_cdp.measures import LoadTiming, LongTasks, NetworkTotals
from gasoline_cdp.records import (
    BodyRecord,
    Direction,
    Level,
    LogKind,
    LogRecord,
    NetworkRecord,
    PerformanceRecord,
    SocketEvent,
    SocketRecord,
    Source,
    StackFrame,
)
from gasoline_cdp.redact import charge_to, safe_body, safe_text, safe_url
from gasoline_cdp.store.telemetry import Telemetry

Kind = Literal["logs", "network-bodies", "websocket-events", "performance-snapshot"]

_LEVELS: dict[str, Level] = {
    "error": "error", "warning": "warning", "warn": "warning", "info": "info", "log": "log", "debug": "debug",
}  # fmt: skip
_KINDS: dict[str, LogKind] = {
    "console": "console", "log": "console", "exception": "exception", "error": "exception",
    "rejection": "rejection", "unhandledrejection": "rejection", "unhandled_rejection": "rejection",
}  # fmt: skip
_EVENTS: dict[str, SocketEvent] = {"open": "open", "message": "message", "close": "close", "error": "error"}
_NO_DIRECTION: Direction | None = None
_DIRECTIONS: dict[str, Direction | None] = {"incoming": "incoming", "outgoing": "outgoing"}
# How many missing batches of a sender are remembered by number. They may still arrive.
_MISSING = 1000
_CONTEXT_CHARS = 200


@define
class Sender:
    """One script that numbers its batches from 1."""

    newest: int = 0
    missing: set[int] = Factory(set)
    # Missing batches beyond those remembered by number.
    lost: int = 0

    def arrived(self, number: int) -> None:
        """A batch has arrived, perhaps late."""
        if number <= self.newest:
            self.missing.discard(number)
            return
        gap = range(self.newest + 1, number)
        room = max(0, _MISSING - len(self.missing))
        self.missing.update(gap[:room])
        self.lost += max(0, len(gap) - room)
        self.newest = number


class Ingest:
    """Takes batches, and counts what was accepted, refused and missing."""

    def __init__(self, telemetry: Telemetry, bodies: Bodies, sockets: SocketTracker) -> None:
        self._telemetry = telemetry
        self._bodies = bodies
        self._sockets = sockets
        self.batches = 0
        self.accepted = 0
        self.rejected = 0
        # The browser context of the batch that is being taken.
        self._context_id = ""
        self._senders: BoundedDict[str, Sender] = BoundedDict(limits.INGEST_SENDERS)
        # A socket gives its address only when it opens.
        self._addresses: BoundedDict[str, str] = BoundedDict(10 * limits.SOCKETS_TRACKED)
        self._takers: dict[Kind, Callable[[Posted, str], None]] = {
            "logs": self._log,
            "network-bodies": self._body,
            "websocket-events": self._socket,
            "performance-snapshot": self._performance,
        }

    @property
    def missing(self) -> int:
        """Number of batches that, by their numbers, were sent and have not arrived."""
        return sum(len(sender.missing) + sender.lost for sender in self._senders.values())

    def take(self, kind: Kind, batch: Any, origin: str) -> tuple[int, list[str]]:
        """Store the valid entries. Returns how many there were, and the problems of the others."""
        # A script that posts a flood uses up the budget of its own origin.
        charge_to(f"ingested {origin}")
        entries, problems = _entries(batch)
        self.batches += 1
        self._number(batch, problems)
        self._context_id = _context_of(batch, problems)
        taken = 0
        for index, entry in enumerate(entries):
            posted = Posted(entry, f"entries[{index}]", problems)
            self._takers[kind](posted, origin)
            taken += posted.sound
        self.accepted += taken
        self.rejected += len(entries) - taken
        return taken, problems

    def _number(self, batch: Any, problems: list[str]) -> None:
        """Note a batch's number. Each script counts separately for each endpoint."""
        number = batch.get("seq") if isinstance(batch, dict) else None
        if number is None:
            return
        if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number < 2**53:
            problems.append("seq must be a whole number from 1 on")
            return
        name = str(batch.get("sender", ""))[:100]
        sender = self._senders.setdefault(name, Sender())
        sender.arrived(number)
        self._senders.move_to_end(name)

    def _source(self, url: str, origin: str) -> Source:
        return Source(
            0,
            "page",
            safe_url(url),
            0,
            f"ingested {origin}",
            ingested_from=origin,
            browser_id="",
            context_id=self._context_id,
        )

    def _log(self, posted: Posted, origin: str) -> None:
        level = posted.choice(("level",), _LEVELS, "log")
        kind = posted.choice(("type", "kind"), _KINDS, "console")
        values = posted.anything("args")
        text = written(values) if values is not None else posted.needed_text("message", "text")
        ts, page = posted.timestamp("ts", "timestamp"), posted.text("page", "page_url", "url")
        frames = parse_stack_text(posted.text("stack"))
        if not frames and (file := posted.text("filename", "source")):
            line, column = posted.count("lineno", "line"), posted.count("colno", "column")
            frames = (StackFrame("", safe_url(file), line, column),)
        if posted.sound:
            level = "error" if kind != "console" else level
            self._telemetry.add(
                LogRecord(
                    seq=self._telemetry.next_seq(),
                    ts=ts,
                    source=self._source(page, origin),
                    kind=kind,
                    level=level,
                    text=safe_text(text),
                    frames=frames,
                )
            )

    def _body(self, posted: Posted, origin: str) -> None:
        url, method = posted.needed_text("url"), posted.text("method", default="GET")
        status, duration = posted.count("status"), posted.number("duration", "duration_ms")
        content_type, failure = posted.text("contentType", "content_type"), posted.text("error", "failure")
        sent, got = posted.text("requestBody", "request_body"), posted.text("responseBody", "response_body")
        cut, ts = posted.flag("truncated"), posted.timestamp("ts", "timestamp")
        page = posted.text("page", "page_url")
        if not posted.sound:
            return
        seq = self._telemetry.next_seq()
        record = NetworkRecord(
            seq=seq,
            id=f"i{seq}",
            ts=ts,
            source=self._source(page, origin),
            method=safe_text(method.upper(), 20),
            url=safe_url(url),
            type="Fetch",
            outcome="failed" if not status else "http_error" if status >= 400 else "ok",
            status=status or None,
            failure=safe_text(failure, 200),
            mime=safe_text(content_type.partition(";")[0].strip().lower(), 100),
            duration_ms=duration,
        )
        self._telemetry.add(record)
        if not self._bodies.wants(record):
            # A page cannot widen what is kept.
            return
        if is_binary(record.mime):
            got = f"[Binary: {len(got)} bytes, {record.mime}]"
        request, request_cut = safe_body(sent, limits.REQUEST_BODY_BYTES)
        response, response_cut = safe_body(got, limits.RESPONSE_BODY_BYTES)
        self._telemetry.add(
            BodyRecord(
                seq=self._telemetry.next_seq(),
                id=record.id,
                ts=ts,
                source=record.source,
                method=record.method,
                url=record.url,
                status=record.status,
                content_type=record.mime,
                duration_ms=duration,
                request_body=request or None,
                response_body=response,
                request_truncated=request_cut,
                response_truncated=response_cut or cut,
            )
        )

    def _socket(self, posted: Posted, origin: str) -> None:
        event = posted.choice(("event",), _EVENTS, "message")
        connection_id = safe_text(posted.needed_text("id", "connection_id"), 60)
        direction = posted.choice(("direction",), _DIRECTIONS, _NO_DIRECTION)
        data, url = posted.text("data"), posted.text("url")
        size, cut = posted.number("size", default=len(data.encode(errors="replace"))), posted.flag("truncated")
        details = {"code": posted.count("code") or None, "reason": safe_text(posted.text("reason"), 200) or None}
        ts, page = posted.timestamp("ts", "timestamp"), posted.text("page", "page_url")
        if not posted.sound or not self._sockets.enabled:
            return
        if url:
            self._addresses[connection_id] = safe_url(url)
        kept, too_long = safe_body(data, limits.SOCKET_MESSAGE_BYTES)
        self._telemetry.add(
            SocketRecord(
                seq=self._telemetry.next_seq(),
                ts=ts,
                source=self._source(page, origin),
                connection_id=connection_id,
                url=self._addresses.get(connection_id, ""),
                event=event,
                direction=direction,
                data=kept,
                bytes=int(size or 0),
                truncated=cut or too_long,
                details={name: value for name, value in details.items() if value is not None},
            )
        )

    def _performance(self, posted: Posted, origin: str) -> None:
        url, ts = safe_url(posted.needed_text("url")), posted.timestamp("ts", "timestamp")
        timing, network = posted.part("timing"), posted.part("network")
        tasks, shift = posted.part("longTasks", "long_tasks"), posted.number("cumulativeLayoutShift", "cls")
        seq = self._telemetry.next_seq()
        record = PerformanceRecord(
            seq=seq,
            ts=ts,
            source=self._source(url, origin),
            # Each is a load of its own, compared with the previous one.
            page_id=f"ingested {seq}",
            url=url,
            path=path_of(url),
            soft_navigation=posted.flag("soft_navigation"),
            timing=LoadTiming(
                time_to_first_byte=timing.number("timeToFirstByte", "time_to_first_byte"),
                dom_interactive=timing.number("domInteractive", "dom_interactive"),
                dom_content_loaded=timing.number("domContentLoaded", "dom_content_loaded"),
                load=timing.number("load"),
                first_contentful_paint=timing.number("firstContentfulPaint", "first_contentful_paint"),
                largest_contentful_paint=timing.number("largestContentfulPaint", "largest_contentful_paint"),
                interaction_to_next_paint=timing.number("interactionToNextPaint", "interaction_to_next_paint"),
            ),
            network=NetworkTotals(
                request_count=network.count("requestCount", "request_count"),
                transfer_size=network.count("transferSize", "transfer_size"),
                decoded_size=network.count("decodedSize", "decoded_size"),
                by_type={},
                slowest_requests=(),
                complete=False,
            ),
            long_tasks=LongTasks(
                count=tasks.count("count"),
                total_blocking_time=tasks.number("totalBlockingTime", "total_blocking_time") or 0.0,
                longest=tasks.number("longest") or 0.0,
            ),
            cumulative_layout_shift=shift,
        )
        if posted.sound:
            self._telemetry.add(record)


def _context_of(batch: Any, problems: list[str]) -> str:
    """The browser context, as the sender says: a test runner that names it with the test's boundary, too."""
    given = batch.get("browser_context_id") if isinstance(batch, dict) else None
    if given is None:
        return ""
    if not isinstance(given, str) or not 1 <= len(given) <= _CONTEXT_CHARS:
        problems.append(f"browser_context_id must be a text of at most {_CONTEXT_CHARS} characters")
        return ""
    return given


def _entries(batch: Any) -> tuple[list[Any], list[str]]:
    """One entry, a list of entries, or an object with the list, the key and the batch number."""
    if isinstance(batch, dict):
        inner = next((batch[name] for name in ("entries", "bodies", "events", "snapshots") if name in batch), None)
        batch = inner if inner is not None else [batch]
    if not isinstance(batch, list):
        return [], ["body must be an object, or a list of objects"]
    if len(batch) > limits.INGEST_ENTRIES:
        return batch[: limits.INGEST_ENTRIES], [f"a batch has {limits.INGEST_ENTRIES} entries at most"]
    return batch, []
