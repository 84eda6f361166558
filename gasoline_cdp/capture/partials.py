"""Follows answers that are long in coming, so that what has come of them is known if they break off.

Chrome hands out a body only when it is complete. While one is still coming, it can be asked to send it along piece by
piece (`Network.streamResourceContent`): first all that has come by then, then each piece with its `dataReceived`.
That costs a command and the bytes, so it is done only for what takes longer than a moment.
"""

import base64
import binascii
from collections import OrderedDict

import trio
from attrs import define

from gasoline_cdp import limits
from gasoline_cdp.capture.pending_request import Params, PendingRequest, is_binary
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Session


@define(eq=False)
class _Coming:
    """An answer under way: when it is due to be followed, and what is known of it since."""

    pending: PendingRequest
    due: float
    before: bytes | None = None
    since: bytes = b""


class Partials:
    """The answers under way, and the beginnings of those that take long."""

    def __init__(self) -> None:
        # Of those that nobody follows so far the oldest is due first.
        self._waiting: OrderedDict[str, _Coming] = OrderedDict()
        self._followed: dict[str, _Coming] = {}
        self._has_waiting = trio.Event()

    @property
    def known(self) -> int:
        """How many answers under way have a beginning that is known."""
        return sum(coming.before is not None for coming in self._followed.values())

    def began(self, pending: PendingRequest) -> None:
        """An answer has its headers; now its body comes. What an EventSource gets is told as its messages."""
        mime = str(pending.response.get("mimeType", ""))
        if pending.type != "EventSource" and pending.method != "HEAD" and not is_binary(mime):
            due = trio.current_time() + limits.PARTIAL_AFTER_SECONDS
            self._waiting[pending.request_id] = _Coming(pending, due)
            self._has_waiting.set()

    def data(self, params: Params) -> None:
        """Network.dataReceived: has the piece itself where we asked for it."""
        coming = self._followed.get(str(params.get("requestId", "")))
        if coming is not None and len(coming.since) < limits.RESPONSE_BODY_BYTES:
            coming.since += _bytes(params.get("data"))

    def ended(self, pending: PendingRequest) -> bytes | None:
        """An answer is complete, or broken off: what came of it, if it was followed."""
        waiting = self._waiting.get(pending.request_id)
        if waiting is not None and waiting.pending is pending:
            del self._waiting[pending.request_id]
        coming = self._followed.get(pending.request_id)
        if coming is None or coming.pending is not pending:
            return None
        del self._followed[pending.request_id]
        return None if coming.before is None else coming.before + coming.since

    async def run(self, nursery: trio.Nursery) -> None:
        """Follow what takes long, until cancelled; each question waits in a task of its own in `nursery`."""
        while True:
            while not self._waiting:
                self._has_waiting = trio.Event()
                await self._has_waiting.wait()
            due = next(iter(self._waiting.values())).due
            await trio.sleep_until(due)
            while self._waiting and next(iter(self._waiting.values())).due <= trio.current_time():
                request_id, coming = self._waiting.popitem(last=False)
                if len(self._followed) < limits.PARTIALS_FOLLOWED:
                    self._followed[request_id] = coming
                    nursery.start_soon(self._follow, request_id, coming)

    async def _follow(self, request_id: str, coming: _Coming) -> None:
        session = coming.pending.owner
        if not isinstance(session, Session):
            return
        try:
            with trio.move_on_after(limits.BODY_READ_SECONDS):
                reply = await session.send("Network.streamResourceContent", {"requestId": request_id})
                coming.before = _bytes(reply.get("bufferedData"))[: limits.RESPONSE_BODY_BYTES]
        except (CdpError, CdpClosed):
            # It has ended meanwhile, or its page has: whoever reads bodies sees that for itself.
            pass


def _bytes(data: object) -> bytes:
    try:
        return base64.b64decode(data) if isinstance(data, str) else b""
    except binascii.Error:
        return b""
