"""Answers that are long in coming: followed after a moment, in the right order, and only some at once."""

import base64
from typing import Any

import pytest
import trio
import trio.testing

from gasoline_cdp import limits
from gasoline_cdp.capture.partials import Partials
from gasoline_cdp.capture.pending_request import PendingRequest
from gasoline_cdp.cdp.connection import Connection, Session, open_connection
from tests.fakes import PAGE, FakeTransport, settled

pytestmark = pytest.mark.requirement("F1-BODIES")


def pending(session: Session, request_id: str = "1.1", kind: str = "Fetch", mime: str = "text/plain") -> PendingRequest:
    return PendingRequest(
        id="r1",
        request_id=request_id,
        source=PAGE,
        owner=session,
        ts=0.0,
        started=0.0,
        method="GET",
        url="http://app.test/slow",
        type=kind,
        response={"mimeType": mime},
    )


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


class Stage:
    """Partials at work beside a Chrome that says what the test tells it to."""

    def __init__(self, transport: FakeTransport, connection: Connection) -> None:
        self.transport = transport
        self.session = connection.open_session("S", connection.root)
        self.partials = Partials()

    async def follows(self, *requests: str) -> None:
        """Wait until these are asked about."""
        with trio.fail_after(60):
            while self.asked() != list(requests):  # noqa: ASYNC110 - nothing tells when a fake was asked
                await trio.sleep(limits.PARTIAL_AFTER_SECONDS)

    def asked(self) -> list[str]:
        return [m["params"]["requestId"] for m in self.transport.sent if m["method"] == "Network.streamResourceContent"]


@pytest.fixture
async def stage(nursery: trio.Nursery, autojump_clock: trio.testing.MockClock) -> Any:  # noqa: ARG001 - the clock of the test
    transport = FakeTransport()
    async with open_connection(transport) as connection:
        stage = Stage(transport, connection)
        nursery.start_soon(stage.partials.run, nursery)
        yield stage


async def test_a_quick_answer_is_not_followed(stage: Stage) -> None:
    quick = pending(stage.session)
    stage.partials.began(quick)
    await trio.sleep(limits.PARTIAL_AFTER_SECONDS / 2)
    assert stage.partials.ended(quick) is None
    await trio.sleep(limits.PARTIAL_AFTER_SECONDS * 2)
    assert stage.asked() == []


async def test_pieces_come_in_their_order_even_before_the_reply_is_heard(stage: Stage) -> None:
    slow = pending(stage.session)
    stage.partials.began(slow)
    await stage.follows("1.1")
    stage.partials.data("b1", {"requestId": "1.1", "data": encoded("second ")})
    command = stage.transport.last("Network.streamResourceContent")
    stage.transport.answer(command, {"bufferedData": encoded("first ")})
    await settled()
    assert stage.partials.known == 1
    stage.partials.data("b1", {"requestId": "1.1", "data": encoded("third")})
    stage.partials.data("b1", {"requestId": "1.1", "data": "not base64!"})
    assert stage.partials.ended(slow) == b"first second third"
    assert stage.partials.known == 0


@pytest.mark.parametrize(("kind", "mime"), [("EventSource", "text/event-stream"), ("Fetch", "video/mp4")])
async def test_streams_with_messages_and_binaries_are_left_alone(stage: Stage, kind: str, mime: str) -> None:
    stage.partials.began(pending(stage.session, kind=kind, mime=mime))
    await trio.sleep(limits.PARTIAL_AFTER_SECONDS * 2)
    assert stage.asked() == []


async def test_a_refusal_leaves_nothing(stage: Stage) -> None:
    slow = pending(stage.session)
    stage.partials.began(slow)
    await stage.follows("1.1")
    stage.transport.refuse(stage.transport.last("Network.streamResourceContent"), -32000, "Request already finished")
    await settled()
    assert stage.partials.ended(slow) is None


async def test_only_so_many_are_followed_at_once_and_so_much_of_each(stage: Stage) -> None:
    pending_requests = [
        pending(stage.session, request_id=f"1.{number}") for number in range(limits.PARTIALS_FOLLOWED + 5)
    ]
    for one in pending_requests:
        stage.partials.began(one)
    await trio.sleep(limits.PARTIAL_AFTER_SECONDS * 2)
    assert len(stage.asked()) == limits.PARTIALS_FOLLOWED
    stage.transport.answer(stage.transport.sent[-1], {"bufferedData": encoded("x" * limits.RESPONSE_BODY_BYTES * 3)})
    await settled()
    followed = next(
        one for one in pending_requests if one.request_id == stage.transport.sent[-1]["params"]["requestId"]
    )
    assert len(stage.partials.ended(followed) or b"") == limits.RESPONSE_BODY_BYTES
