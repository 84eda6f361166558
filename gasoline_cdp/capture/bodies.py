"""Reads bodies from Chrome as requests finish, through the only queue between Chrome and the store."""

import base64
import binascii
from collections import OrderedDict
from typing import Literal

import trio
from attrs import evolve, frozen

from gasoline_cdp import limits
from gasoline_cdp.capture.flight import Body, Flight
from gasoline_cdp.capture.inspection import Inspection
from gasoline_cdp.capture.request_bodies import content_type, describe_body
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Session
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.records import BodyRecord, NetworkRecord
from gasoline_cdp.redact import noticing, safe_body
from gasoline_cdp.store.telemetry import Telemetry

BodyMode = Literal["off", "errors", "all"]

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
    "application/octet-stream",
    "application/x-tar",
)
_WITHOUT_BODY = {204, 205, 304}


@frozen(eq=False)
class _Handle:
    """What it takes to ask Chrome for a body again."""

    session: Session
    request_id: str
    record: NetworkRecord
    post_data: Body | None
    has_post_data: bool
    # Read for the audits only, and dropped.
    glance: bool = False


class Bodies:
    """Decides which bodies are wanted, reads them, and can read one in full while Chrome has it."""

    def __init__(self, telemetry: Telemetry, mode: BodyMode) -> None:
        self.mode: BodyMode = mode
        self.skipped = 0
        self.inspection = Inspection(telemetry)
        self._telemetry = telemetry
        self._handles: OrderedDict[str, _Handle] = OrderedDict()
        self._jobs, self._queue = trio.open_memory_channel[_Handle](limits.BODY_BACKLOG)
        self.unfinished = 0
        self._one_done = trio.Event()

    def offer(self, flight: Flight, record: NetworkRecord) -> None:
        """A request has finished: read its bodies if they are wanted. Never blocks."""
        if self.mode == "off" or not isinstance(flight.owner, Session):
            return
        handle = _Handle(flight.owner, flight.request_id, record, flight.post_data, flight.has_post_data)
        self._handles[record.id] = handle
        while len(self._handles) > limits.REQUEST_HANDLES:
            self._handles.popitem(last=False)
        if not self._wanted(record):
            if self.inspection.wants(record):
                self._glance(handle)
            return
        try:
            self._jobs.send_nowait(handle)
            self.unfinished += 1
        except trio.WouldBlock:
            self.skipped += 1
            self._store(handle, None, None, missing="too many bodies at once")

    def _glance(self, handle: _Handle) -> None:
        if self.unfinished >= limits.GLANCE_BACKLOG:
            self.inspection.unread += 1
            return
        self._jobs.send_nowait(evolve(handle, glance=True))
        self.unfinished += 1

    def _wanted(self, record: NetworkRecord) -> bool:
        if record.outcome == "redirect":
            return False
        if self.mode == "all":
            return True
        return record.outcome in {"http_error", "failed", "cors_blocked"}

    async def wait_idle(self) -> None:
        """Wait until no body is on its way from Chrome."""
        while self.unfinished:
            await self._one_done.wait()

    async def run(self) -> None:
        """Read bodies until cancelled; several at a time, so that a hung page holds up only its own."""
        async with trio.open_nursery() as nursery:
            for _ in range(limits.BODY_READERS):
                nursery.start_soon(self._read_forever)

    async def _read_forever(self) -> None:
        async for handle in self._queue.clone():
            with trio.move_on_after(limits.BODY_READ_SECONDS) as scope:
                with noticing() as in_request:
                    request = await _request_body(handle)
                self.inspection.sent_later(handle.record, in_request)
                response, missing = await _response_body(handle)
                self._store(handle, request, response, missing)
            if scope.cancelled_caught and handle.glance:
                self.inspection.unread += 1
            elif scope.cancelled_caught:
                self.skipped += 1
                self._store(handle, handle.post_data, None, missing="the page did not hand it out in time")
            self.unfinished -= 1
            self._one_done.set()
            self._one_done = trio.Event()

    def _store(self, handle: _Handle, request: Body | None, response: str | None, missing: str = "") -> None:
        record = handle.record
        with noticing() as noticed:
            answer = _cut(response, limits.RESPONSE_BODY_BYTES)
        self.inspection.answered(record, request, response, noticed)
        if handle.glance:
            return
        self._telemetry.add(
            BodyRecord(
                seq=self._telemetry.next_seq(),
                id=record.id,
                ts=record.ts,
                source=record.source,
                method=record.method,
                url=record.url,
                status=record.status,
                content_type=record.mime,
                duration_ms=record.duration_ms,
                request_body=request.text if request else None,
                response_body=answer.text if answer else None,
                request_truncated=bool(request and request.truncated),
                response_truncated=bool(answer and answer.truncated),
                missing=missing,
            )
        )

    async def read_in_full(self, record_id: str) -> tuple[NetworkRecord, Body | None, Body]:
        """Ask Chrome again for both bodies of a request, redacted; cut only where no answer could carry them."""
        handle = self._handles.get(record_id)
        if handle is None:
            reason = "body capture is off (--bodies off)" if self.mode == "off" else "it is unknown or long gone"
            raise GasolineError(
                Code.NO_SUCH_REQUEST,
                f"No body can be read for request {record_id!r}: {reason}. observe(what='network') lists requests "
                "with their ids.",
            )
        try:
            request = await _request_body(handle)
            response, missing = await _response_body(handle)
        except CdpClosed as error:
            response, missing, request = None, error.reason, handle.post_data
        if response is None:
            raise GasolineError(
                Code.BODY_UNAVAILABLE,
                f"Chrome no longer has the body of request {record_id}: {missing}. Reload the page and ask before it "
                "navigates; the first 16 KB of failed requests are kept (--bodies all keeps them for every request).",
            )
        return handle.record, request, Body(*safe_body(response, limits.FULL_BODY_CHARS))


def _cut(text: str | None, limit: int) -> Body | None:
    return None if text is None else Body(*safe_body(text, limit))


async def _request_body(handle: _Handle) -> Body | None:
    if handle.post_data is not None or not handle.has_post_data:
        return handle.post_data
    try:
        reply = await handle.session.send("Network.getRequestPostData", {"requestId": handle.request_id})
    except (CdpError, CdpClosed):
        # Blobs and streams: Chrome says that there was data, and has none to show.
        return Body("[unavailable: not kept by the browser]")
    raw = str(reply.get("postData", ""))
    data = base64.b64decode(raw) if reply.get("base64Encoded") else raw.encode(errors="replace")
    return _cut(describe_body(data, content_type(dict(handle.record.request_headers))), limits.REQUEST_BODY_BYTES)


async def _response_body(handle: _Handle) -> tuple[str | None, str]:
    """The text of a response, or why there is none."""
    record = handle.record
    if record.mime.startswith(_BINARY) or record.mime in _ARCHIVES:
        return f"[Binary: {record.decoded_bytes} bytes, {record.mime}]", ""
    if record.status in _WITHOUT_BODY or record.method == "HEAD":
        return "", ""
    try:
        reply = await handle.session.send("Network.getResponseBody", {"requestId": handle.request_id})
    except CdpClosed as error:
        return None, error.reason
    except CdpError:
        if record.from_service_worker:
            return None, "a service worker answered, and the browser holds no such bodies"
        return None, "the browser has no body for this request" if record.failure else "the page has moved on"
    text = _text(str(reply.get("body", "")), encoded=bool(reply.get("base64Encoded")))
    return (text, "") if text is not None else (f"[Binary: {record.decoded_bytes} bytes, {record.mime}]", "")


def _text(body: str, *, encoded: bool) -> str | None:
    """Chrome encodes what it takes for binary; what turns out to be text is shown as text."""
    if not encoded:
        return body
    try:
        return base64.b64decode(body).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
