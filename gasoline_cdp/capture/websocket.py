"""WebSockets and EventSources: life cycle, messages in both directions, counts and rates."""

import re
from collections import OrderedDict
from typing import Any

from attrs import define, field

from gasoline_cdp import limits
from gasoline_cdp.capture.code_changes import CodeChangeListener
from gasoline_cdp.capture.console import ParsedLog
from gasoline_cdp.capture.dev_server import build_errors
from gasoline_cdp.capture.inspection import report_headers, socket_location
from gasoline_cdp.capture.stacks import mapping
from gasoline_cdp.records import FIRST_BROWSER, Direction, SocketEvent, SocketRecord, Source
from gasoline_cdp.redact import collect_masked, safe_body, safe_headers, safe_text, safe_url
from gasoline_cdp.sightings import LocationKind
from gasoline_cdp.store.telemetry import Telemetry

Params = dict[str, Any]

_TEXT, _BINARY = 1, 2
_REFUSED = re.compile(r"response code: ([1-5]\d\d)\b")
_OF_ALL_HANDSHAKES = {
    "accept-encoding", "accept-language", "cache-control", "connection", "host", "pragma", "sec-websocket-extensions",
    "sec-websocket-key", "sec-websocket-version", "upgrade", "user-agent",
}  # fmt: skip


@define(eq=False)
class SocketConnection:
    """One connection in its current state. After its end it is kept until others need the room."""

    id: str
    kind: str
    url: str
    source: Source
    opened: float
    owner: object
    state: str = "connecting"
    status: int | None = None
    # Offset from Chrome's monotonic clock to seconds since the epoch.
    clock: float = 0.0
    messages: dict[str, int] = field(factory=lambda: {"incoming": 0, "outgoing": 0})
    bytes: dict[str, int] = field(factory=lambda: {"incoming": 0, "outgoing": 0})
    first_message: float | None = None
    last_message: float | None = None
    closed: float | None = None
    # The handshake's headers as Chrome announced them, until there is a response.
    asked_with: Params = field(factory=dict)
    # When the user event began that the page was handling when it opened the connection.
    during: float | None = None
    # The negotiated subprotocol.
    protocol: str = ""

    def rate(self) -> float | None:
        """Messages per second, if there were at least two."""
        total = sum(self.messages.values())
        if total < 2 or self.first_message is None or self.last_message is None:
            return None
        seconds = self.last_message - self.first_message
        return round((total - 1) / seconds, 1) if seconds > 0 else None


class SocketTracker:
    """All connections, and one record for each of their events."""

    def __init__(self, telemetry: Telemetry, code_changes: CodeChangeListener | None = None) -> None:
        self._telemetry = telemetry
        self._code_changes = code_changes or CodeChangeListener(telemetry)
        # By browser and request id: two browsers may use the same ids.
        self._connections: OrderedDict[tuple[str, str], SocketConnection] = OrderedDict()
        self._count = 0
        self.enabled = True

    def connections(self) -> list[SocketConnection]:
        """The tracked connections, newest first."""
        return list(reversed(self._connections.values()))

    def created(self, params: Params, source: Source, owner: object, now: float, during: float | None = None) -> None:
        """Network.webSocketCreated; `during` is when the user event began that the page is handling."""
        if self.enabled:
            url = params.get("url")
            opened = self._open(str(params.get("requestId", "")), "websocket", url, source, owner, now)
            opened.during = during

    def handshake_sent(self, params: Params, browser_id: str = FIRST_BROWSER) -> None:
        """Network.webSocketWillSendHandshakeRequest: relates Chrome's clock to wall time, and has the headers."""
        if connection := self._find(params, browser_id):
            connection.asked_with = mapping(mapping(params.get("request")).get("headers"))
            wall, timestamp = _number(params.get("wallTime")), _number(params.get("timestamp"))
            if wall is not None and timestamp is not None:
                connection.clock = wall - timestamp

    def handshake_answered(self, params: Params, browser_id: str = FIRST_BROWSER) -> None:
        """Network.webSocketHandshakeResponseReceived."""
        if connection := self._find(params, browser_id):
            response = mapping(params.get("response"))
            status = _number(response.get("status"))
            connection.status = int(status) if status is not None else None
            connection.state = "open" if connection.status in (101, 200) else "refused"
            details: dict[str, Any] = {
                "status": connection.status,
                "headers": self._headers(connection, "response_header", response.get("headers")),
                "request_headers": self._request_headers(connection, response.get("requestHeaders")),
            }
            connection.asked_with = {}
            connection.protocol = details["headers"].get("sec-websocket-protocol", "")
            self._record(connection, "open" if connection.state == "open" else "error", params, details=details)

    def _request_headers(self, connection: SocketConnection, headers: object) -> dict[str, str]:
        """The headers that distinguish this handshake: origin, cookies, requested protocols."""
        safe = self._headers(connection, "request_header", headers or connection.asked_with)
        return {name: value for name, value in safe.items() if name not in _OF_ALL_HANDSHAKES}

    def _headers(self, connection: SocketConnection, kind: LocationKind, headers: object) -> dict[str, str]:
        with collect_masked() as masked:
            safe = safe_headers(mapping(headers))
        if masked:
            location = socket_location(kind, connection.kind, connection.url, connection.source)
            report_headers(self._telemetry, location, masked, connection.opened)
        return safe

    def frame_received(self, params: Params, browser_id: str = FIRST_BROWSER) -> None:
        """Network.webSocketFrameReceived."""
        self._frame(params, "incoming", browser_id)

    def frame_sent(self, params: Params, browser_id: str = FIRST_BROWSER) -> None:
        """Network.webSocketFrameSent."""
        self._frame(params, "outgoing", browser_id)

    def frame_error(self, params: Params, browser_id: str = FIRST_BROWSER) -> None:
        """Network.webSocketFrameError: for a refused handshake, Chrome sends nothing else."""
        if connection := self._find(params, browser_id):
            message = safe_text(params.get("errorMessage", ""), 500)
            details: dict[str, Any] = {"message": message}
            if connection.state == "connecting":
                connection.state = "refused"
                if status := _REFUSED.search(message):
                    details["status"] = connection.status = int(status[1])
                if asked := self._request_headers(connection, None):
                    details["request_headers"] = asked
                connection.asked_with = {}
            self._record(connection, "error", params, details=details)

    def closed(self, params: Params, browser_id: str = FIRST_BROWSER) -> None:
        """Network.webSocketClosed. Code and reason are not available without touching the page."""
        if connection := self._find(params, browser_id):
            self._close(connection, params, {})

    def event_source_message(self, params: Params, url: str, source: Source, owner: object, now: float) -> None:
        """Network.eventSourceMessageReceived: the stream itself is a request, and recorded as one."""
        if not self.enabled:
            return
        request_id = str(params.get("requestId", ""))
        connection = self._connections.get((source.browser_id, request_id))
        if connection is None:
            connection = self._open(request_id, "eventsource", url, source, owner, now)
            connection.state = "open"
            # There is no handshake to relate its clock, so the first message does.
            connection.clock = now - (_number(params.get("timestamp")) or 0.0)
        text = str(params.get("data", ""))
        details = {name: safe_text(params[key], 200) for name, key in _EVENT_FIELDS if params.get(key)}
        self._message(connection, params, "incoming", text, len(text.encode(errors="replace")), details)

    def request_ended(self, request_id: str, now: float, browser_id: str = FIRST_BROWSER) -> None:
        """The request of an event stream has ended, and so has the stream."""
        connection = self._connections.get((browser_id, request_id))
        if connection is not None and connection.kind == "eventsource" and connection.closed is None:
            self._close(connection, {}, {}, now)

    def owner_gone(self, owner: object, reason: str, now: float) -> None:
        """The page of these connections is gone."""
        for connection in self._connections.values():
            if owner is connection.owner and connection.closed is None:
                self._close(connection, {}, {"message": reason}, now)

    def browser_gone(self, browser_id: str, reason: str, now: float) -> None:
        """A browser is out of reach, with all its connections."""
        for (browser, _), connection in self._connections.items():
            if browser == browser_id and connection.closed is None:
                self._close(connection, {}, {"message": reason}, now)

    def _open(
        self, request_id: str, kind: str, url: object, source: Source, owner: object, now: float
    ) -> SocketConnection:
        self._count += 1
        with collect_masked() as masked:
            address = safe_url(url)
        connection = self._connections[source.browser_id, request_id] = SocketConnection(
            id=f"{'ws' if kind == 'websocket' else 'es'}{self._count}",
            kind=kind,
            url=address,
            source=source,
            opened=now,
            owner=owner,
        )
        if masked:
            location = socket_location("url", kind, address, source)
            self._telemetry.sightings.add_secrets(location, masked, now)
        while len(self._connections) > limits.SOCKETS_TRACKED:
            ended = next((key for key, other in self._connections.items() if other.closed is not None), None)
            self._connections.pop(ended if ended is not None else next(iter(self._connections)))
        return connection

    def _find(self, params: Params, browser_id: str) -> SocketConnection | None:
        return self._connections.get((browser_id, str(params.get("requestId", ""))))

    def _frame(self, params: Params, direction: Direction, browser_id: str) -> None:
        connection = self._find(params, browser_id)
        response = params.get("response")
        if connection is None or not isinstance(response, dict):
            return
        payload, opcode = str(response.get("payloadData", "")), response.get("opcode")
        if opcode == _TEXT:
            self._message(connection, params, direction, payload, len(payload.encode(errors="replace")), {})
        elif opcode == _BINARY:
            # Chrome sends binary in base64. It does not send control frames, and so no close code.
            size = len(payload) * 3 // 4 - payload[-2:].count("=")
            self._message(connection, params, direction, f"[Binary: {size} bytes]", size, {})

    def _message(
        self,
        connection: SocketConnection,
        params: Params,
        direction: Direction,
        text: str,
        size: int,
        details: dict[str, Any],
    ) -> None:
        connection.messages[direction] += 1
        connection.bytes[direction] += size
        with collect_masked() as masked:
            data, cut = safe_body(text, limits.SOCKET_MESSAGE_BYTES)
        record = self._record(
            connection, "message", params, direction=direction, data=data, size=size, truncated=cut, details=details
        )
        if masked:
            location = socket_location("websocket", connection.kind, connection.url, connection.source, direction)
            self._telemetry.sightings.add_secrets(location, masked, record.ts)
        connection.first_message = connection.first_message or record.ts
        connection.last_message = record.ts
        if direction == "incoming":
            self._report_build_errors(connection, text, record.ts)
            self._code_changes.on_message(
                connection.id,
                connection.url,
                connection.protocol,
                connection.source,
                text,
                record.ts,
                str(params.get("eventName", "")),
            )

    def _report_build_errors(self, connection: SocketConnection, text: str, ts: float) -> None:
        """Build errors of a development server belong among the errors: the page itself may log nothing."""
        for error in build_errors(text, connection.protocol):
            words = ParsedLog(
                ts=ts, kind="build", level="error", text=error.message, frames=(error.frame,) if error.frame else ()
            )
            self._telemetry.add(words.record(self._telemetry.next_seq(), connection.source))

    def _close(
        self, connection: SocketConnection, params: Params, details: dict[str, Any], now: float | None = None
    ) -> None:
        connection.state = "closed"
        record = self._record(connection, "close", params, details=details, now=now)
        connection.closed = record.ts

    def _record(
        self,
        connection: SocketConnection,
        event: SocketEvent,
        params: Params,
        *,
        direction: Direction | None = None,
        data: str = "",
        size: int = 0,
        truncated: bool = False,
        details: dict[str, Any] | None = None,
        now: float | None = None,
    ) -> SocketRecord:
        timestamp = _number(params.get("timestamp"))
        ts = now or connection.last_message or connection.opened
        if connection.clock and timestamp is not None:
            ts = connection.clock + timestamp
        record = SocketRecord(
            seq=self._telemetry.next_seq(),
            ts=ts,
            source=connection.source,
            connection_id=connection.id,
            url=connection.url,
            event=event,
            kind="websocket" if connection.kind == "websocket" else "eventsource",
            direction=direction,
            data=data,
            bytes=size,
            truncated=truncated,
            details=details or {},
        )
        self._telemetry.add(record)
        return record


_EVENT_FIELDS = (("event", "eventName"), ("id", "eventId"))


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and abs(value) < 2**53 else None
