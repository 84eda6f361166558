"""What all browser tests have: commands and events checked by the published protocol, and time for retries."""

from typing import Any

import pytest

from gasoline_cdp import limits
from gasoline_cdp.cdp.connection import Connection, Session
from tests.published_protocol import Params, PublishedProtocol, read_protocol, told


@pytest.fixture(scope="session")
def protocol(chromium: str) -> PublishedProtocol:
    return read_protocol(chromium)


@pytest.fixture(autouse=True)
def _time_for_a_retry(monkeypatch: pytest.MonkeyPatch) -> None:
    """A retry gets as much time as the issue took before. On a busy machine that is more than a caller would wait."""
    monkeypatch.setattr(limits, "VERIFY_SETTLE_SECONDS", 30.0)


@pytest.fixture(autouse=True)
def _within_the_protocol(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests that attach to the run's Chromium."""
    if "chromium" not in request.fixturenames:
        return
    protocol: PublishedProtocol = request.getfixturevalue("protocol")
    write, dispatch = Connection.write, Session.dispatch

    def checked_write(
        connection: Connection, session: Session, method: str, params: Params | None, *, awaited: bool
    ) -> Any:
        problems = protocol.problems(method, params or {})
        assert problems == []
        return write(connection, session, method, params, awaited=awaited)

    def checked_dispatch(session: Session, event: str, params: Params) -> None:
        dispatch(session, event, told(protocol, event, params))

    monkeypatch.setattr(Connection, "write", checked_write)
    monkeypatch.setattr(Session, "dispatch", checked_dispatch)
