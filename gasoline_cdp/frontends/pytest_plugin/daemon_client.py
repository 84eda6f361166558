"""Asks the daemon over HTTP, from the process of a test. Standard library only.

After it failed to answer once, nothing more is asked: `gone` says why, and the tests go on without it. `lost` says that
it was there, or should have been.
"""

import json
import os
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import urlencode, urlsplit

from gasoline_cdp.frontends.http.access import read_access

# Far above what an answer takes.
_QUICK_SECONDS = 10.0
_SLOW_SECONDS = 30.0
# Above the daemon's own limit for a heap snapshot.
_HEAP_SECONDS = 90.0


class DaemonError(Exception):
    """The daemon refused, or is not there (status 0)."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class DaemonClient:
    """One connection, which is opened again when the daemon has closed it."""

    def __init__(self, url: str, token: str | None) -> None:
        self.url = url
        self._token = token
        self._connection: HTTPConnection | None = None
        self.gone: str | None = None
        self.lost = False

    def check(self) -> None:
        """Raise DaemonError if nobody is there, or if it does not let us in."""
        self._ask("GET", "/health", seconds=_SLOW_SECONDS)
        try:
            self._ask("GET", "/browsers", seconds=_SLOW_SECONDS)
        except DaemonError as error:
            # An old one does not know this question, and says so when a browser is there.
            if error.status in {401, 403}:
                raise

    def add_browser(self, ws_endpoint: str) -> str:
        """Let the daemon watch a browser; its name. Nothing that is opened afterwards is missed."""
        answer = self._json("POST", "/browsers", {"ws_endpoint": ws_endpoint}, _SLOW_SECONDS)
        return str(answer["browser"])

    def mark_boundary(self, boundary: dict[str, Any]) -> None:
        """Mark the start of a test in a browser context, or its end."""
        self._ask("POST", "/test-boundary", boundary)

    def snapshot(self, selection: dict[str, Any]) -> str:
        """All records of a test, as JSON."""
        return self._ask("GET", f"/snapshot?{urlencode(selection)}", seconds=_SLOW_SECONDS)

    def summary(self, selection: dict[str, Any]) -> str:
        """What went wrong in a test, as lines for people."""
        return self._ask("GET", f"/snapshot?{urlencode({**selection, 'format': 'summary'})}", seconds=_SLOW_SECONDS)

    def har(self, selection: dict[str, Any]) -> str:
        """The requests of a test, as a HAR file."""
        return self._ask("GET", f"/artifact?{urlencode({**selection, 'format': 'har'})}", seconds=_SLOW_SECONDS)

    def verdict(self, question: dict[str, Any]) -> dict[str, Any]:
        """The daemon's judgement of a test by its gates."""
        return self._json("POST", "/verdict", question, _SLOW_SECONDS)

    def expect_no_leaks(self, question: dict[str, Any]) -> dict[str, Any]:
        """Take the baseline of a page's heap, or compare the page with it."""
        return self._json("POST", "/expect-no-leaks", question, _HEAP_SECONDS)

    def _json(self, method: str, target: str, body: dict[str, Any], seconds: float) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self._ask(method, target, body, seconds))
        return answer

    def _ask(
        self, method: str, target: str, body: dict[str, Any] | None = None, seconds: float = _QUICK_SECONDS
    ) -> str:
        if self.gone is not None:
            raise DaemonError(0, self.gone)
        data = None if body is None else json.dumps(body).encode()
        try:
            status, text = self._exchange(method, target, data, seconds)
        except (OSError, HTTPException) as error:
            reason = f"did not answer within {seconds:.0f} s" if isinstance(error, TimeoutError) else "is not there"
            self.gone = f"gasoline-cdp at {self.url} {reason}"
            self.lost = True
            raise DaemonError(0, self.gone) from error
        if status >= 400:
            raise DaemonError(status, _message_of(status, text))
        return text

    def _exchange(self, method: str, target: str, data: bytes | None, seconds: float) -> tuple[int, str]:
        kept = self._connection
        try:
            return self._exchange_over(kept or self._connect(seconds), method, target, data, seconds)
        except (ConnectionError, HTTPException):
            # A connection that the daemon closed while it was idle says nothing about the daemon.
            self.close()
            if kept is None:
                raise
            return self._exchange_over(self._connect(seconds), method, target, data, seconds)

    def _connect(self, seconds: float) -> HTTPConnection:
        self._connection = HTTPConnection(urlsplit(self.url).netloc, timeout=seconds)
        return self._connection

    def _exchange_over(
        self, connection: HTTPConnection, method: str, target: str, data: bytes | None, seconds: float
    ) -> tuple[int, str]:
        if connection.sock is not None:
            connection.sock.settimeout(seconds)
        headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        connection.request(method, target, data, headers)
        response = connection.getresponse()
        return response.status, response.read().decode()

    def close(self) -> None:
        """Close the connection; the next question opens another."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def find_daemon() -> DaemonClient | None:
    """The daemon of `gasoline-cdp ci`, or the one that is running."""
    if url := os.environ.get("GASOLINE_URL"):
        return DaemonClient(url, os.environ.get("GASOLINE_TOKEN"))
    access = read_access()
    return None if access is None else DaemonClient(access.url, access.token)


def _message_of(status: int, text: str) -> str:
    try:
        return str(json.loads(text)["message"])
    except (ValueError, KeyError, TypeError):
        return f"status {status}"
