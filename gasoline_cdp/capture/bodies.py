"""Reads bodies from Chrome when requests finish, through the only queue between Chrome and the store."""

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Literal

import trio
from attrs import frozen

from gasoline_cdp import limits
from gasoline_cdp.analysis.normalise import endpoint_of, origin_of
from gasoline_cdp.analysis.requests import is_browser_initiated
from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.capture.answer_order import AnswerOrder, Turn
from gasoline_cdp.capture.backlog import Backlog
from gasoline_cdp.capture.body_reader import BodyHandle, ReadBody, masked_partial, read_request, read_response
from gasoline_cdp.capture.inspection import Inspection
from gasoline_cdp.capture.masking import safe_answer
from gasoline_cdp.capture.partials import Partials
from gasoline_cdp.capture.pending_request import Body, PendingRequest
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Params, Session
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.records import BodyRecord, NetworkRecord
from gasoline_cdp.redact import charge_to, collect_masked, safe_body
from gasoline_cdp.store.telemetry import Telemetry

BodyMode = Literal["off", "errors", "all"]


@frozen(eq=False)
class _Job:
    """A body to read, and its turn in the order of responses."""

    handle: BodyHandle
    turn: Turn
    # What a slow response had delivered when it ended. Unredacted, so it is dropped with the job.
    received: bytes | None = None
    # Read for the audits only, then dropped.
    inspect_only: bool = False


@frozen(eq=False)
class WholeBodies:
    """Both bodies of a request as far as Chrome has them. `content` is a response that is not text."""

    record: NetworkRecord
    request: Body | None
    response: Body
    content: bytes | None = None


class Bodies:
    """Decides which bodies to keep, reads them, and can read one in full while Chrome has it."""

    def __init__(
        self, telemetry: Telemetry, mode: BodyMode, on_text: Callable[[NetworkRecord, str], None] | None = None
    ) -> None:
        self.mode: BodyMode = mode
        # Called with each whole text that is kept, before it is masked and cut.
        self._on_text = on_text
        self.backlog: Backlog[_Job] = Backlog(limits.BODY_BACKLOG)
        self._large = trio.CapacityLimiter(limits.LARGE_BODY_READERS)
        # Bodies that did not arrive in time.
        self._late = 0
        self.partials = Partials()
        self.inspection = Inspection(telemetry)
        self._telemetry = telemetry
        self._order = AnswerOrder()
        self._handles: BoundedDict[str, BodyHandle] = BoundedDict(limits.REQUEST_HANDLES)
        self._inspections: deque[_Job] = deque()
        self._has_inspections = trio.Event()

    @property
    def skipped(self) -> int:
        """Bodies that should have been read and were not."""
        return self.backlog.skipped + self._late

    def network_options(self) -> Params:
        """Parameters about bodies for `Network.enable`.

        With them the network service holds bodies, so that they outlive their document, worker and page. Bodies that
        never pass it (made by a service worker, or inside the page) stay in the page.
        `Network.configureDurableMessages`, the planned replacement of this option, would lose those.
        """
        if self.mode == "off":
            return {}
        return {
            "enableDurableMessages": True,
            "maxTotalBufferSize": limits.DURABLE_BYTES,
            "maxResourceBufferSize": limits.DURABLE_RESOURCE_BYTES,
        }

    def responded(self, pending: PendingRequest) -> None:
        """A response has begun."""
        if self.mode != "off":
            self.partials.began(pending)

    def offer(self, pending: PendingRequest, record: NetworkRecord) -> None:
        """A request has finished: read its bodies if they are wanted. Never blocks."""
        if self.mode == "off" or not isinstance(pending.owner, Session):
            return
        received = self.partials.ended(pending)
        handle = BodyHandle(
            pending.owner,
            pending.request_id,
            record,
            pending.post_data,
            pending.has_post_data,
            # For a complete response Chrome has everything.
            masked_partial(received, record) if received and record.outcome != "ok" else None,
        )
        self._handles[record.id] = handle
        if not self.wants(record):
            if self.inspection.wants(record):
                self._inspect_only(handle, received)
            return
        job = self._job(handle, received)
        if not self.backlog.offer(job):
            self._finish(job, None, ReadBody(None, "too many bodies at once"))

    def _inspect_only(self, handle: BodyHandle, received: bytes | None) -> None:
        if len(self.backlog) >= limits.INSPECT_BACKLOG:
            self.inspection.unread += 1
            return
        job = self._job(handle, received, inspect_only=True)
        self._inspections.append(job)
        self._has_inspections.set()
        self.backlog.announce(job)

    def _job(self, handle: BodyHandle, received: bytes | None, *, inspect_only: bool = False) -> _Job:
        record = handle.record
        turn = self._order.next_turn((endpoint_of(record.method, record.url), origin_of(record.url)))
        return _Job(handle, turn, received, inspect_only)

    def wants(self, record: NetworkRecord) -> bool:
        """Whether the bodies of this request are kept."""
        if self.mode == "off" or record.outcome == "redirect":
            return False
        if self.mode == "all":
            return True
        # A request that its page did not wait for may have failed, too.
        failed = (record.status or 0) >= 400 or record.outcome in {"failed", "cors_blocked"}
        return failed and not is_browser_initiated(record)

    async def run(self) -> None:
        """Read bodies until cancelled; several at a time, so that a hung page delays only its own."""
        async with trio.open_nursery() as nursery:
            for _ in range(limits.BODY_READERS):
                nursery.start_soon(self.backlog.serve, self._read)
            nursery.start_soon(self._send_inspections)
            nursery.start_soon(self.partials.run, nursery)

    async def _send_inspections(self) -> None:
        """Pass inspections, for which nobody waits, to the readers; many at a time."""
        while True:
            await self._has_inspections.wait()
            self._has_inspections = trio.Event()
            await trio.sleep(limits.INSPECT_GATHER_SECONDS)
            while self._inspections:
                await self.backlog.send(self._inspections.popleft())

    async def _read(self, job: _Job) -> None:
        if job.handle.record.encoded_bytes > limits.LARGE_BODY_BYTES:
            async with self._large:
                await self._read_now(job)
        else:
            await self._read_now(job)

    async def _read_now(self, job: _Job) -> None:
        handle = job.handle
        if await self._read_in_time(job) or (await _is_congested(handle.session) and await self._read_in_time(job)):
            return
        if job.inspect_only:
            self.inspection.unread += 1
            self._order.done(job.turn)
        else:
            self._late += 1
            self._finish(job, handle.post_data, ReadBody(None, "the page did not hand it out in time"))

    async def _read_in_time(self, job: _Job) -> bool:
        handle = job.handle
        charge_to(handle.session.account)
        with trio.move_on_after(limits.BODY_READ_SECONDS) as scope:
            with collect_masked() as in_request:
                request = await read_request(handle)
            self.inspection.sent_later(handle.record, in_request)
            self._finish(job, request, await read_response(handle, received=job.received))
        return not scope.cancelled_caught

    def _finish(self, job: _Job, request: Body | None, response: ReadBody) -> None:
        """Store a body when it is its turn."""
        self._order.done(job.turn, partial(self._store, job, request, response), len(response.text or ""))

    def _store(self, job: _Job, request: Body | None, response: ReadBody) -> None:
        record = job.handle.record
        with collect_masked() as masked:
            answer = _answer(response.text, record.mime, limits.RESPONSE_BODY_BYTES)
        self.inspection.answered(record, request, response.text, masked)
        if job.inspect_only:
            return
        if self._on_text and response.text is not None and not response.broken_off:
            self._on_text(record, response.text)
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
                mocked=record.mocked,
            )
        )

    async def read_in_full(self, record_id: str) -> WholeBodies:
        """Ask Chrome again for both bodies of a request, redacted."""
        handle = self._handle(record_id)
        request = await read_request(handle, limits.WHOLE_BODY_BYTES)
        read = await read_response(handle, whole=True)
        if read.text is None:
            raise GasolineError(
                Code.BODY_UNAVAILABLE,
                f"Chrome no longer has the body of request {record_id}: {read.missing}. Reload the page and ask "
                "before it navigates; the first 16 KB of failed requests are kept (--bodies all keeps them for every "
                "request).",
            )
        response = await _masked(read.text, handle.record.mime, limits.WHOLE_BODY_BYTES)
        return WholeBodies(
            handle.record, request, Body(response.text, response.truncated or read.broken_off), read.content
        )

    async def read_unmasked(self, record_id: str) -> tuple[NetworkRecord, bytes]:
        """A response as the page got it, for nobody but that page's own origin. Raises if Chrome has it no more."""
        handle = self._handle(record_id)
        read = await read_response(handle, whole=True)
        if read.text is None or read.broken_off:
            why = read.missing or "it broke off"
            raise GasolineError(Code.BODY_UNAVAILABLE, f"Chrome no longer has the body of {record_id}: {why}.")
        return handle.record, read.content if read.content is not None else read.text.encode(errors="surrogatepass")

    async def read_sent(self, record_id: str, limit: int) -> tuple[NetworkRecord, Body | None]:
        """The request body: up to a limit while Chrome has it, otherwise what was kept."""
        handle = self._handle(record_id)
        asked = await read_request(handle, limit)
        return handle.record, asked or self._kept(record_id)[0]

    async def read_received(self, record_id: str, limit: int) -> tuple[NetworkRecord, Body | None]:
        """The response body: up to a limit while Chrome has it, otherwise what was kept."""
        handle = self._handle(record_id)
        read = await read_response(handle)
        if read.text is None:
            return handle.record, self._kept(record_id)[1]
        body = await _masked(read.text, handle.record.mime, limit)
        return handle.record, Body(body.text, body.truncated or read.broken_off)

    def forget(self, unwanted: Callable[[NetworkRecord], bool]) -> None:
        """These requests were cleared: nobody will ask for their bodies."""
        for record_id in [key for key, handle in self._handles.items() if unwanted(handle.record)]:
            del self._handles[record_id]

    def _kept(self, record_id: str) -> tuple[Body | None, Body | None]:
        kept = self._telemetry.body_of(record_id)
        if kept is None:
            return None, None
        sent = None if kept.request_body is None else Body(kept.request_body, kept.request_truncated)
        got = None if kept.response_body is None else Body(kept.response_body, kept.response_truncated)
        return sent, got

    def _handle(self, record_id: str) -> BodyHandle:
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


def _answer(text: str | None, mime: str, limit: int) -> Body | None:
    return None if text is None else Body(*safe_answer(text, mime, limit))


async def _masked(text: str, mime: str, limit: int) -> Body:
    """A text with its secrets masked. Long texts are searched in a thread."""
    if min(len(text), limit) <= limits.SHAPE_BYTES:
        return Body(*safe_answer(text, mime, limit))
    return Body(*await trio.to_thread.run_sync(safe_answer, text, mime, limit))


async def _is_congested(session: Session) -> bool:
    """Whether the browser itself is late, too, and not only the page. Waits until it has caught up."""
    began = trio.current_time()
    with suppress(CdpClosed, CdpError), trio.move_on_after(limits.CONGESTION_SECONDS):
        await session.connection.root.send("Browser.getVersion")
    return trio.current_time() - began > limits.CONGESTED_AFTER_SECONDS
