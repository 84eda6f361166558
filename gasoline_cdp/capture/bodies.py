"""Reads bodies from Chrome as requests finish, through the only queue between Chrome and the store."""

import base64
import binascii
import codecs
from collections import OrderedDict, deque
from typing import Literal

import trio
from attrs import evolve, frozen

from gasoline_cdp import limits
from gasoline_cdp.analysis.requests import is_browser_initiated
from gasoline_cdp.capture.flight import Body, Flight, is_binary
from gasoline_cdp.capture.inspection import Inspection
from gasoline_cdp.capture.partials import Partials
from gasoline_cdp.capture.request_bodies import content_type, describe_body
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Params, Session
from gasoline_cdp.cdp.response_body import response_body
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.records import BodyRecord, NetworkRecord
from gasoline_cdp.redact import noticing, safe_body
from gasoline_cdp.store.telemetry import Telemetry

BodyMode = Literal["off", "errors", "all"]

_WITHOUT_BODY = {204, 205, 304}


@frozen(eq=False)
class _Handle:
    """What it takes to ask Chrome for a body again."""

    session: Session
    request_id: str
    record: NetworkRecord
    post_data: Body | None
    has_post_data: bool
    # What had come of an answer that was long in coming, when it ended.
    partial: bytes | None
    # Read for the audits only, and dropped.
    glance: bool = False


@frozen
class _Answer:
    """The text of a response as far as it came, or why there is none."""

    text: str | None
    missing: str = ""
    broken_off: bool = False


class Bodies:
    """Decides which bodies are wanted, reads them, and can read one in full while Chrome has it."""

    def __init__(self, telemetry: Telemetry, mode: BodyMode) -> None:
        self.mode: BodyMode = mode
        self.skipped = 0
        self.partials = Partials()
        self.inspection = Inspection(telemetry)
        self._telemetry = telemetry
        self._handles: OrderedDict[str, _Handle] = OrderedDict()
        self._jobs, self._queue = trio.open_memory_channel[_Handle](limits.BODY_BACKLOG)
        self._glances: deque[_Handle] = deque()
        self._has_glances = trio.Event()
        self.unfinished = 0
        self._one_done = trio.Event()

    def network_options(self) -> Params:
        """What Chrome is to be told of bodies when it is told to watch the network.

        The network service then holds them, so that they outlive their document, their worker and their page. Those
        that never pass it (made up by a service worker, or in the page itself) the page goes on to hold. The command
        that is to replace this option (`Network.configureDurableMessages`) would take these away.
        """
        if self.mode == "off":
            return {}
        return {
            "enableDurableMessages": True,
            "maxTotalBufferSize": limits.DURABLE_BYTES,
            "maxResourceBufferSize": limits.DURABLE_RESOURCE_BYTES,
        }

    def responded(self, flight: Flight) -> None:
        """An answer has begun."""
        if self.mode != "off":
            self.partials.began(flight)

    def offer(self, flight: Flight, record: NetworkRecord) -> None:
        """A request has finished: read its bodies if they are wanted. Never blocks."""
        if self.mode == "off" or not isinstance(flight.owner, Session):
            return
        partial = self.partials.ended(flight)
        handle = _Handle(flight.owner, flight.request_id, record, flight.post_data, flight.has_post_data, partial)
        self._handles[record.id] = handle
        while len(self._handles) > limits.REQUEST_HANDLES:
            self._handles.popitem(last=False)
        if not self.wants(record):
            if self.inspection.wants(record):
                self._glance(handle)
            return
        try:
            self._jobs.send_nowait(handle)
            self.unfinished += 1
        except trio.WouldBlock:
            self.skipped += 1
            self._store(handle, None, _Answer(None, "too many bodies at once"))

    def _glance(self, handle: _Handle) -> None:
        if self.unfinished >= limits.GLANCE_BACKLOG:
            self.inspection.unread += 1
            return
        self._glances.append(evolve(handle, glance=True))
        self._has_glances.set()
        self.unfinished += 1

    def wants(self, record: NetworkRecord) -> bool:
        """Whether the bodies of this request are to be kept."""
        if self.mode == "off" or record.outcome == "redirect":
            return False
        if self.mode == "all":
            return True
        # One that its page did not wait for may have failed all the same.
        failed = (record.status or 0) >= 400 or record.outcome in {"failed", "cors_blocked"}
        return failed and not is_browser_initiated(record)

    async def wait_idle(self) -> None:
        """Wait until no body is on its way from Chrome."""
        while self.unfinished:
            await self._one_done.wait()

    async def run(self) -> None:
        """Read bodies until cancelled; several at a time, so that a hung page holds up only its own."""
        async with trio.open_nursery() as nursery:
            for _ in range(limits.BODY_READERS):
                nursery.start_soon(self._read_forever)
            nursery.start_soon(self._glance_forever)
            nursery.start_soon(self.partials.run, nursery)

    async def _glance_forever(self) -> None:
        """Hand what nobody waits for to the readers, many at a time."""
        while True:
            await self._has_glances.wait()
            self._has_glances = trio.Event()
            await trio.sleep(limits.GLANCE_GATHER_SECONDS)
            while self._glances:
                await self._jobs.send(self._glances.popleft())

    async def _read_forever(self) -> None:
        async for handle in self._queue.clone():
            with trio.move_on_after(limits.BODY_READ_SECONDS) as scope:
                with noticing() as in_request:
                    request = await _request_body(handle)
                self.inspection.sent_later(handle.record, in_request)
                self._store(handle, request, await self._response_body(handle))
            if scope.cancelled_caught and handle.glance:
                self.inspection.unread += 1
            elif scope.cancelled_caught:
                self.skipped += 1
                self._store(handle, handle.post_data, _Answer(None, "the page did not hand it out in time"))
            self.unfinished -= 1
            self._one_done.set()
            self._one_done = trio.Event()

    def _store(self, handle: _Handle, request: Body | None, response: _Answer) -> None:
        record = handle.record
        with noticing() as noticed:
            answer = _cut(response.text, limits.RESPONSE_BODY_BYTES)
        self.inspection.answered(record, request, response.text, noticed)
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
                response_truncated=bool(answer and (answer.truncated or response.broken_off)),
                missing=response.missing,
            )
        )

    async def read_in_full(self, record_id: str) -> tuple[NetworkRecord, Body | None, Body]:
        """Ask Chrome again for both bodies of a request, redacted; cut only where no answer could carry them."""
        handle = self._handle(record_id)
        request = await _request_body(handle)
        answer = await self._response_body(handle)
        if answer.text is None:
            raise GasolineError(
                Code.BODY_UNAVAILABLE,
                f"Chrome no longer has the body of request {record_id}: {answer.missing}. Reload the page and ask "
                "before it navigates; the first 16 KB of failed requests are kept (--bodies all keeps them for every "
                "request).",
            )
        response = Body(*safe_body(answer.text, limits.FULL_BODY_CHARS))
        return handle.record, request, Body(response.text, response.truncated or answer.broken_off)

    async def _response_body(self, handle: _Handle) -> _Answer:
        record = handle.record
        if is_binary(record.mime):
            return _Answer(f"[Binary: {record.decoded_bytes} bytes, {record.mime}]")
        if record.status in _WITHOUT_BODY or record.method == "HEAD":
            return _Answer("")
        try:
            reply = await response_body(handle.session, handle.request_id)
        except CdpClosed as error:
            return _partial(handle, error.reason)
        except CdpError:
            reason = "the browser has no body for this request" if record.failure else "the page has moved on"
            return _partial(handle, reason)
        text = _text(str(reply.get("body", "")), encoded=bool(reply.get("base64Encoded")))
        return _Answer(f"[Binary: {record.decoded_bytes} bytes, {record.mime}]" if text is None else text)

    async def read_sent(self, record_id: str, limit: int) -> tuple[NetworkRecord, Body | None]:
        """What a request sent, whole up to a limit while Chrome has it, else what was kept."""
        handle = self._handle(record_id)
        if handle.post_data is not None and not (handle.post_data.truncated and handle.has_post_data):
            return handle.record, handle.post_data
        asked = await _ask_for_post_data(handle, limit)
        return handle.record, asked or handle.post_data or self._kept(record_id)[0]

    async def read_received(self, record_id: str, limit: int) -> tuple[NetworkRecord, Body | None]:
        """What a request got, whole up to a limit while Chrome has it, else what was kept."""
        handle = self._handle(record_id)
        answer = await self._response_body(handle)
        return handle.record, _cut(answer.text, limit) or self._kept(record_id)[1]

    def _kept(self, record_id: str) -> tuple[Body | None, Body | None]:
        for kept in self._telemetry.bodies.newest():
            if kept.id == record_id:
                sent = None if kept.request_body is None else Body(kept.request_body, kept.request_truncated)
                got = None if kept.response_body is None else Body(kept.response_body, kept.response_truncated)
                return sent, got
        return None, None

    def _handle(self, record_id: str) -> _Handle:
        handle = self._handles.get(record_id)
        if handle is None:
            reason = "body capture is off (--bodies off)" if self.mode == "off" else "it is unknown or long gone"
            raise GasolineError(
                Code.NO_SUCH_REQUEST,
                f"No body can be read for request {record_id[:40]!r}: {reason}. observe(what='network') lists requests "
                "with their ids.",
            )
        return handle


def _cut(text: str | None, limit: int) -> Body | None:
    return None if text is None else Body(*safe_body(text, limit))


async def _request_body(handle: _Handle) -> Body | None:
    if handle.post_data is not None or not handle.has_post_data:
        return handle.post_data
    # Blobs and streams: Chrome says that there was data, and has none to show.
    asked = await _ask_for_post_data(handle, limits.REQUEST_BODY_BYTES)
    return asked or Body("[unavailable: not kept by the browser]")


async def _ask_for_post_data(handle: _Handle, limit: int) -> Body | None:
    try:
        reply = await handle.session.send("Network.getRequestPostData", {"requestId": handle.request_id})
    except (CdpError, CdpClosed):
        return None
    raw = str(reply.get("postData", ""))
    data = base64.b64decode(raw) if reply.get("base64Encoded") else raw.encode(errors="replace")
    return _cut(describe_body(data, content_type(dict(handle.record.request_headers))), limit)


def _partial(handle: _Handle, missing: str) -> _Answer:
    """What came before an answer broke off, else why there is none."""
    if not handle.partial:
        return _Answer(None, missing)
    try:
        # The last character may have been cut in two.
        return _Answer(codecs.getincrementaldecoder("utf-8")().decode(handle.partial), broken_off=True)
    except UnicodeDecodeError:
        return _Answer(f"[Binary: {handle.record.decoded_bytes} bytes, {handle.record.mime}]", broken_off=True)


def _text(body: str, *, encoded: bool) -> str | None:
    """Chrome encodes what it takes for binary; what turns out to be text is shown as text."""
    if not encoded:
        return body
    try:
        return base64.b64decode(body).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
