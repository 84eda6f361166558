"""Changes of resources: told once a second at most, none forgotten."""

import pytest
import trio
import trio.testing
from trio.testing import MockClock

from gasoline_cdp.frontends.mcp.resources import CHANGING
from gasoline_cdp.frontends.mcp.subscriptions import Changes, Subscriptions
from gasoline_cdp.store.telemetry import Telemetry
from tests.fakes import log_record, network_record

pytestmark = pytest.mark.requirement("F3-MCP")

LOGS, ERRORS, NETWORK = "gasoline://logs", "gasoline://errors", "gasoline://network"


async def test_changes_are_told_once_a_second(autojump_clock: MockClock) -> None:
    changes = Changes()
    changes.uris = {LOGS}
    told: list[float] = []
    start = autojump_clock.current_time()

    async def tell() -> None:
        while True:
            assert await changes.next() == LOGS
            told.append(trio.current_time() - start)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(tell)
        # A flood for 2.95 seconds, and then silence.
        for number in range(60):
            changes.hear(log_record(number))
            changes.hear(network_record(number))
            await trio.sleep(0.05)
        await trio.sleep(10)
        nursery.cancel_scope.cancel()
    assert told == pytest.approx([0, 1, 2, 3], abs=0.01)


@pytest.mark.parametrize(
    ("record", "changed"),
    [
        (log_record(1, level="info"), {LOGS}),
        (log_record(1, level="error"), {LOGS, ERRORS}),
        (network_record(1), {NETWORK}),
        (network_record(1, outcome="failed"), {NETWORK, ERRORS}),
    ],
)
async def test_a_record_changes_what_it_is_shown_in(record: object, changed: set[str]) -> None:
    changes = Changes()
    changes.uris = set(CHANGING)
    changes.hear(record)  # type: ignore[arg-type]
    assert {await changes.next() for _ in changed} == changed
    with trio.move_on_after(0) as scope:
        await changes.next()
    assert scope.cancelled_caught


class Session:
    """A client that only counts."""

    def __init__(self) -> None:
        self.updated: list[str] = []

    async def send_resource_updated(self, uri: str) -> None:
        await trio.lowlevel.checkpoint()
        self.updated.append(uri)


async def test_nothing_listens_before_the_first_subscription_and_none_is_told_after_the_last() -> None:
    telemetry, session = Telemetry(), Session()
    subscriptions = Subscriptions(telemetry)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(subscriptions.run)
        await trio.testing.wait_all_tasks_blocked()
        assert telemetry.listeners == 0
        subscriptions.add(LOGS, session)
        await trio.testing.wait_all_tasks_blocked()
        telemetry.add(log_record(1))
        await trio.testing.wait_all_tasks_blocked()
        assert session.updated == [LOGS]
        subscriptions.remove(LOGS)
        telemetry.add(log_record(2))
        await trio.testing.wait_all_tasks_blocked()
        assert session.updated == [LOGS]
        nursery.cancel_scope.cancel()
    assert telemetry.listeners == 0
