"""Whatever a test makes us say to the browser, or read of what it says, is in the protocol that it publishes."""

from typing import Any

import pytest

from gasoline_cdp.cdp.connection import Connection, Session
from tests.published_protocol import Params, PublishedProtocol, read_protocol, told


@pytest.fixture(scope="session")
def protocol(chromium: str) -> PublishedProtocol:
    return read_protocol(chromium)


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
