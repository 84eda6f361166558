"""An attached browser that falls silent, and one that comes back."""

import pytest
import trio
import trio.testing

from gasoline_cdp.browser.liveness import QUIET_SECONDS, check_alive
from gasoline_cdp.browser.status import BrowserStatus
from gasoline_cdp.cdp.connection import Connection, open_connection
from tests.fakes import FakeTransport, settled

pytestmark = pytest.mark.requirement("F2-ATTACH")


def fall_silent(connection: Connection, seconds: float) -> None:
    connection._last_received -= seconds


async def test_a_browser_that_does_not_answer_is_not_told_as_running(autojump_clock: trio.testing.MockClock) -> None:
    transport, notes = FakeTransport(), list[str]()
    browser = BrowserStatus(state="running", mode="attached")
    async with open_connection(transport) as connection:
        await check_alive(connection, browser, notes.append)
        assert transport.sent == []
        fall_silent(connection, QUIET_SECONDS + 50)
        await check_alive(connection, browser, notes.append)
        assert (browser.state, len(notes)) == ("silent", 1)
        assert "has not answered for 6" in notes[0]
        started = autojump_clock.current_time()
        await check_alive(connection, browser, notes.append)
        assert autojump_clock.current_time() == started
        assert len(notes) == 1
        await settled()
        transport.answer(transport.last("Browser.getVersion"))
        await settled()
        await check_alive(connection, browser, notes.append)
    assert (browser.state, len(notes)) == ("running", 1)
    assert "answers again" in browser.note


async def test_a_quiet_browser_is_asked_and_answers() -> None:
    transport, notes = FakeTransport(), list[str]()
    browser = BrowserStatus(state="running", mode="attached")
    async with open_connection(transport) as connection, trio.open_nursery() as nursery:
        fall_silent(connection, QUIET_SECONDS + 1)
        nursery.start_soon(check_alive, connection, browser, notes.append)
        await settled()
        transport.answer(transport.last("Browser.getVersion"))
    assert (browser.state, notes) == ("running", [])
