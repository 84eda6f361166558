"""Server-sent events on a channel that the test holds the other end of."""

import json
import math
from collections.abc import AsyncIterator
from typing import Any

import pytest
import trio
import trio.testing
from trio.testing import MockClock

from gasoline_cdp.frontends.http.event_stream import framed, send_events


class Channel:
    """The ASGI channel of one client."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.gone = trio.Event()

    async def receive(self) -> dict[str, Any]:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: dict[str, Any]) -> None:
        await trio.lowlevel.checkpoint()
        self.sent.append(message)

    @property
    def text(self) -> str:
        return b"".join(message.get("body", b"") for message in self.sent).decode()


async def _three() -> AsyncIterator[dict[str, Any]]:
    for number in range(3):
        await trio.lowlevel.checkpoint()
        yield {"category": "errors", "message": f"number {number}"}


async def _never() -> AsyncIterator[dict[str, Any]]:
    while True:
        await trio.sleep(math.inf)
        yield {}


def _events(text: str) -> list[dict[str, str]]:
    """As an EventSource reads them: fields by line, an empty line ends an event."""
    events = []
    for block in text.split("\n\n"):
        fields = dict(line.partition(": ")[::2] for line in block.split("\n") if line and not line.startswith(":"))
        if fields:
            events.append(fields)
    return events


@pytest.mark.requirement("F3-STREAM")
async def test_notifications_become_numbered_events_and_the_stream_ends_with_its_source() -> None:
    channel = Channel()
    await send_events(channel.receive, channel.send, _three())
    assert channel.sent[0]["status"] == 200
    assert (b"content-type", b"text/event-stream") in channel.sent[0]["headers"]
    assert channel.text.startswith(": gasoline-cdp\n\n")
    events = _events(channel.text)
    assert [event["id"] for event in events] == ["1", "2", "3"]
    assert [json.loads(event["data"])["message"] for event in events] == ["number 0", "number 1", "number 2"]
    assert channel.sent[-1] == {"type": "http.response.body", "body": b""}


@pytest.mark.requirement("F3-STREAM", "S20")
@pytest.mark.parametrize("text", ["a\nb", "a\r\n\r\ndata: forged", "\u2028id: 7", "event: x\n\n", "\x85:", "\x00"])
def test_text_cannot_begin_another_event(text: str) -> None:
    (event,) = _events(framed(4, {"message": text}).decode())
    assert event["id"] == "4"
    assert json.loads(event["data"]) == {"message": text}
    assert framed(4, {"message": text}).count(b"\n") == 3


async def test_a_quiet_stream_is_kept_alive_by_comments(autojump_clock: MockClock) -> None:
    assert autojump_clock.autojump_threshold == 0
    channel = Channel()
    with trio.move_on_after(50):
        await send_events(channel.receive, channel.send, _never(), comment_seconds=15)
    assert channel.text == ": gasoline-cdp\n\n" + ":\n\n" * 3


async def test_the_client_going_away_ends_it() -> None:
    channel = Channel()
    with trio.fail_after(5):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(send_events, channel.receive, channel.send, _never())
            await trio.testing.wait_all_tasks_blocked()
            channel.gone.set()
