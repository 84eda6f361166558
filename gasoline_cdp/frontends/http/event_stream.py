"""Server-sent events: one event per notification, and regular comments, until either side ends."""

from collections.abc import AsyncIterator, Mapping
from typing import Any

import trio

from gasoline_cdp import wire
from gasoline_cdp.frontends import limits as frontend_limits

_HEADERS = [(b"content-type", b"text/event-stream"), (b"x-accel-buffering", b"no")]


def framed(number: int, notification: Mapping[str, Any]) -> bytes:
    """One event. Our JSON contains no line breaks, so its text cannot start another field or event."""
    return b"id: %d\ndata: %b\n\n" % (number, wire.encode(notification))


async def send_events(
    receive: Any,
    send: Any,
    source: AsyncIterator[Mapping[str, Any]],
    *,
    comment_seconds: float = frontend_limits.EVENT_STREAM_COMMENT_SECONDS,
) -> None:
    """Send what the source yields on the ASGI channel, until the source ends or the client disconnects.

    The source holds back or drops what a slow client has not read yet. A client that reads nothing at all is
    disconnected by its stream (`frontend_limits.HTTP_STALLED_SECONDS`).
    """
    one_at_a_time = trio.Lock()

    async def send_bytes(data: bytes) -> None:
        async with one_at_a_time:
            await send({"type": "http.response.body", "body": data, "more_body": True})

    await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
    # Send this at once, so that the client knows that the stream is open before anything happens.
    await send_bytes(b": gasoline-cdp\n\n")
    async with trio.open_nursery() as nursery:

        async def end_with_client() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            nursery.cancel_scope.cancel()

        async def keep_alive() -> None:
            while True:
                await trio.sleep(comment_seconds)
                await send_bytes(b":\n\n")

        nursery.start_soon(end_with_client)
        nursery.start_soon(keep_alive)
        number = 0
        async for notification in source:
            number += 1
            await send_bytes(framed(number, notification))
        nursery.cancel_scope.cancel()
    await send({"type": "http.response.body", "body": b""})
