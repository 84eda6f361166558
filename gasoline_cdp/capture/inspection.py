"""Inspects requests and responses for the audits: masked secrets, personal data, the shape of JSON."""

from typing import Any

import orjson

from gasoline_cdp import limits
from gasoline_cdp.analysis.contracts.exchanges import ABSENT, Exchange, form_fields, media_type
from gasoline_cdp.analysis.contracts.operations import name_endpoint
from gasoline_cdp.analysis.contracts.shapes import fitting_shape
from gasoline_cdp.analysis.contracts.static_files import is_static_file
from gasoline_cdp.analysis.locations import page_url_of
from gasoline_cdp.analysis.normalise import endpoint_of
from gasoline_cdp.analysis.security.header_credentials import severity_in_header
from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.capture.masking import safe_answer
from gasoline_cdp.capture.pending_request import Body, PendingRequest
from gasoline_cdp.detect.pii import find_fields, find_pii
from gasoline_cdp.records import LogRecord, NetworkRecord, Source
from gasoline_cdp.redact import REDACTED, MaskedSecret
from gasoline_cdp.sightings import LocationKind, SightingLocation
from gasoline_cdp.store.telemetry import Telemetry

_CALLS = {"XHR", "Fetch"}
_READING = {"GET", "HEAD", "OPTIONS"}
_FORM = "application/x-www-form-urlencoded"
_ERROR_CHARS = 500


class Inspection:
    """Feeds `Telemetry.sightings` and `Telemetry.contracts`. It keeps no text itself."""

    def __init__(self, telemetry: Telemetry) -> None:
        self._telemetry = telemetry
        # Responses that were not inspected: too large, or too many at once.
        self.unread = 0
        # Request id → keys and types of its response, for the newest calls.
        self._shapes: BoundedDict[str, Any] = BoundedDict(limits.SHAPES_KEPT)

    def shape_of(self, record_id: str) -> Any:
        """The shape of a response that was read, or None."""
        return self._shapes.get(record_id)

    def wants(self, record: NetworkRecord) -> bool:
        """Whether a response that is not kept should be read once for inspection."""
        if record.outcome != "ok" or record.type not in _CALLS or not _is_text(record.mime):
            return False
        if record.decoded_bytes > limits.SHAPE_BYTES:
            self.unread += 1
            return False
        return True

    def sent(self, pending: PendingRequest, record: NetworkRecord, *, bodies: bool) -> None:
        """A request has ended: record the secrets in its address, its headers, and its body if bodies are captured."""
        if pending.masked_in_url:
            self._telemetry.sightings.add_secrets(_location("url", record), pending.masked_in_url, record.ts)
        if pending.masked_in_body and bodies:
            self._telemetry.sightings.add_secrets(_location("request_body", record), pending.masked_in_body, record.ts)
        if pending.masked_in_headers:
            report_headers(self._telemetry, _location("request_header", record), pending.masked_in_headers, record.ts)
        if pending.masked_in_answer and not record.mocked:
            report_headers(self._telemetry, _location("response_header", record), pending.masked_in_answer, record.ts)

    def sent_later(self, record: NetworkRecord, masked: list[MaskedSecret]) -> None:
        """The body of a request was read from Chrome later."""
        if masked:
            self._telemetry.sightings.add_secrets(_location("request_body", record), masked, record.ts)

    def answered(
        self, record: NetworkRecord, request: Body | None, text: str | None, masked: list[MaskedSecret]
    ) -> None:
        """A response was read. `masked` is what was masked in it. Called in the order in which requests ended."""
        if text is None or record.status is None or record.mocked:
            # A mock says nothing about the server.
            return
        if masked:
            self._telemetry.sightings.add_secrets(_location("response_body", record), masked, record.ts)
        value = _json(text, record.mime)
        if record.type in _CALLS:
            self._keep_shape(record, value)
            self._learn(record, request, text, value)
        # Pages show personal data such as addresses on purpose. In the JSON of an API it counts.
        if value is not ABSENT and _is_text(record.mime):
            self._personal(record, value, text)

    def _personal(self, record: NetworkRecord, value: Any, text: str) -> None:
        kinds = find_fields(value)
        for kind, _, mock in find_pii(text[: limits.PII_CHARS]):
            kinds[kind] = kinds.get(kind, True) and mock
        if kinds:
            self._telemetry.sightings.add_personal(_location("response_body", record), kinds.items(), record.ts)

    def _keep_shape(self, record: NetworkRecord, value: Any) -> None:
        if value is not ABSENT:
            self._shapes[record.id] = fitting_shape(value, limits.SHOWN_SHAPE_BYTES)

    def _learn(self, record: NetworkRecord, request: Body | None, text: str, value: Any) -> None:
        contracts = self._telemetry.contracts
        if is_static_file(record.method, record.url, record.response_headers):
            contracts.static_files += value is not ABSENT
            return
        endpoint = name_endpoint(record.method, record.url, request.text if request else None)
        exchange = _exchange(record, request)
        # It is an API call if it is JSON in either direction, or changes something and returns nothing.
        says_nothing = not text and record.method not in _READING
        known = says_nothing or contracts.knows(endpoint, record.url)
        if value is ABSENT and exchange.request is ABSENT and not known:
            return
        status = record.page_status or 0
        error = safe_answer(text, record.mime, _ERROR_CHARS)[0] if status >= 400 else ""
        contracts.observe(endpoint, record.url, status, value, record.ts, error, exchange)

    def logged(self, record: LogRecord, masked: list[MaskedSecret]) -> None:
        """Something was logged on the console."""
        if not masked:
            return
        frame = record.logging_frame
        location = SightingLocation(
            kind="console",
            endpoint=record.location,
            url=record.source.url,
            page_url=record.source.url,
            tab_id=record.source.tab_id,
            level=record.level,
            script_url=frame.url if frame else "",
            line=frame.line if frame else 0,
        )
        self._telemetry.sightings.add_secrets(location, masked, record.ts)


def report_headers(telemetry: Telemetry, location: SightingLocation, masked: list[MaskedSecret], ts: float) -> None:
    """Every call carries its token, so only those worth reporting become sightings."""
    reportable = [one for one in masked if severity_in_header(location, one) is not None]
    if reportable:
        telemetry.sightings.add_secrets(location, reportable, ts)


def socket_location(kind: LocationKind, socket: str, url: str, source: Source, direction: str = "") -> SightingLocation:
    """Where a socket's message was seen, or its address."""
    return SightingLocation(
        kind=kind,
        endpoint=endpoint_of("WS" if socket == "websocket" else "SSE", url),
        url=url,
        page_url=source.url,
        tab_id=source.tab_id,
        method=direction,
    )


def _location(kind: LocationKind, record: NetworkRecord) -> SightingLocation:
    return SightingLocation(
        kind=kind,
        endpoint=endpoint_of(record.method, record.url),
        url=record.url,
        page_url=page_url_of(record),
        tab_id=record.source.tab_id,
        method=record.method,
        status=record.status,
        # A token in the address is poor authentication, but it is authentication.
        authenticated=record.has_auth_header or "cookie" in record.request_headers or REDACTED in record.url,
    )


def _exchange(record: NetworkRecord, request: Body | None) -> Exchange:
    """What a call sent, as far as it is kept. Of a body that was cut only the type is known."""
    kind = media_type(record.request_headers.get("content-type", "")) if request else ""
    sent: Any = ABSENT
    if request is not None and not request.truncated:
        sent = form_fields(request.text) if kind == _FORM else _json(request.text, kind)
    return Exchange(
        query=record.url.partition("#")[0].partition("?")[2],
        request_type=kind,
        request=sent,
        response_type=record.mime,
    )


def _is_text(mime: str) -> bool:
    return "json" in mime or mime.startswith("text/") or mime in ("application/xml", "application/javascript", "")


def _json(text: str, mime: str) -> Any:
    if len(text) > limits.SHAPE_BYTES or ("json" not in mime and text[:1] not in ("{", "[")):
        return ABSENT
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return ABSENT
