"""Follows slow responses, so that we have what arrived if they break off.

Chrome returns a body only when it is complete. For a body that is still arriving, it can send the pieces
(`Network.streamResourceContent`): first everything so far, then each piece with its `dataReceived`. That costs a
command and the bytes, so we do it only for responses that take longer than a moment.
"""

import base64
import binascii
from collections import OrderedDict

import trio
from attrs import define

from gasoline_cdp import limits
from gasoline_cdp.capture.pending_request import Params, PendingRequest, is_binary
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Session

# A browser and the id of a request in it.
_Key = tuple[str, str]


@define(eq=False)
class _Pending:
    """A pending response: when to follow it, and what has arrived since."""

    pending: PendingRequest
    due: float
    before: bytes | None = None
    since: bytes = b""


class Partials:
    """The pending responses, and the beginnings of the slow ones."""

    def __init__(self) -> None:
        # Responses that are not followed yet, the one due first in front.
        self._waiting: OrderedDict[_Key, _Pending] = OrderedDict()
        self._followed: dict[_Key, _Pending] = {}
        self._has_waiting = trio.Event()

    @property
    def known(self) -> int:
        """How many pending responses have a known beginning."""
        return sum(response.before is not None for response in self._followed.values())

    def began(self, pending: PendingRequest) -> None:
        """A response has its headers, and its body follows. EventSource streams are recorded as messages instead."""
        mime = str(pending.response.get("mimeType", ""))
        if pending.type != "EventSource" and pending.method != "HEAD" and not is_binary(mime):
            due = trio.current_time() + limits.PARTIAL_AFTER_SECONDS
            self._waiting[_key(pending)] = _Pending(pending, due)
            self._has_waiting.set()

    def data(self, browser_id: str, params: Params) -> None:
        """Network.dataReceived: contains the data itself if we asked for it."""
        response = self._followed.get((browser_id, str(params.get("requestId", ""))))
        if response is not None and len(response.since) < limits.RESPONSE_BODY_BYTES:
            response.since += _bytes(params.get("data"))

    def ended(self, pending: PendingRequest) -> bytes | None:
        """A response is complete or broken off. Returns what arrived, if it was followed."""
        key = _key(pending)
        waiting = self._waiting.get(key)
        if waiting is not None and waiting.pending is pending:
            del self._waiting[key]
        response = self._followed.get(key)
        if response is None or response.pending is not pending:
            return None
        del self._followed[key]
        return None if response.before is None else response.before + response.since

    async def run(self, nursery: trio.Nursery) -> None:
        """Follow slow responses until cancelled. Each command waits in a task of its own in `nursery`."""
        while True:
            while not self._waiting:
                self._has_waiting = trio.Event()
                await self._has_waiting.wait()
            due = next(iter(self._waiting.values())).due
            await trio.sleep_until(due)
            while self._waiting and next(iter(self._waiting.values())).due <= trio.current_time():
                key, response = self._waiting.popitem(last=False)
                if len(self._followed) < limits.PARTIALS_FOLLOWED:
                    self._followed[key] = response
                    nursery.start_soon(self._follow, response)

    async def _follow(self, response: _Pending) -> None:
        session, request_id = response.pending.owner, response.pending.request_id
        if not isinstance(session, Session):
            return
        try:
            with trio.move_on_after(limits.BODY_READ_SECONDS):
                reply = await session.send("Network.streamResourceContent", {"requestId": request_id})
                response.before = _bytes(reply.get("bufferedData"))[: limits.RESPONSE_BODY_BYTES]
        except (CdpError, CdpClosed):
            # The response or its page is gone. The reader of bodies notices that itself.
            pass


def _key(pending: PendingRequest) -> _Key:
    return pending.source.browser_id, pending.request_id


def _bytes(data: object) -> bytes:
    try:
        return base64.b64decode(data) if isinstance(data, str) else b""
    except binascii.Error:
        return b""
