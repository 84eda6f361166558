"""Answers the requests that mocks match. A request that Chrome holds for us is always let go."""

from base64 import b64encode
from collections.abc import Callable
from functools import partial
from typing import Any

import trio
from attrs import define, field

from gasoline_cdp import pilot_limits
from gasoline_cdp.analysis.conditions.mocks import Mock
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Params, Session
from gasoline_cdp.nurseries import open_hidden_nursery

_WITHOUT_BODY = frozenset({204, 205, 304})


@define(eq=False)
class _Waiting:
    """A request that waits for the delay of its mock."""

    session: Session
    request_id: str
    mock: Mock
    released: trio.Event = field(factory=trio.Event)


class Mocking:
    """The mocks in force. `mocked` is told of each answer: the session, Chrome's id of the request, its address."""

    def __init__(self) -> None:
        self.mocks: tuple[Mock, ...] = ()
        self.mocked: Callable[[Session, str, str], None] = lambda *_: None
        # How many requests were answered since these mocks are in force.
        self.answered = 0
        self._waiting: list[_Waiting] = []
        self._nursery: trio.Nursery | None = None

    async def run(self) -> None:
        """Answer until cancelled."""
        async with open_hidden_nursery() as nursery:
            self._nursery = nursery
            await trio.sleep_forever()

    def listen(self, session: Session) -> None:
        """Hear of the requests that Chrome holds."""
        session.on("Fetch.requestPaused", partial(self._paused, session))

    def use(self, mocks: tuple[Mock, ...]) -> None:
        """Other mocks, or none. Requests that wait for one that is gone are sent as they are."""
        if mocks != self.mocks:
            self.mocks, self.answered = mocks, 0
        for one in [one for one in self._waiting if one.mock not in mocks]:
            one.session.post("Fetch.continueRequest", {"requestId": one.request_id})
            self._waiting.remove(one)
            one.released.set()

    def _paused(self, session: Session, params: Params) -> None:
        request = params.get("request")
        request_id = str(params.get("requestId", ""))
        given: Params = request if isinstance(request, dict) else {}
        headers = {str(name).lower(): str(value) for name, value in (given.get("headers") or {}).items()}
        method, url = str(given.get("method", "")), str(given.get("url", ""))
        asked = headers.get("access-control-request-method", "")
        mock = next((one for one in self.mocks if one.answers(asked or method, url)), None)
        if mock is None or self._nursery is None:
            session.post("Fetch.continueRequest", {"requestId": request_id})
            return
        reply = _preflight(headers) if asked else _reply(mock, method, headers)
        told = partial(self.mocked, session, str(params.get("networkId", "")), url)
        self._nursery.start_soon(self._answer, session, request_id, mock, reply, told)

    async def _answer(
        self, session: Session, request_id: str, mock: Mock, reply: tuple[str, Params], told: Callable[[], None]
    ) -> None:
        if mock.delay_ms and len(self._waiting) < pilot_limits.MOCKS_WAITING:
            waiting = _Waiting(session, request_id, mock)
            self._waiting.append(waiting)
            with trio.move_on_after(mock.delay_ms / 1000):
                await waiting.released.wait()
            if waiting.released.is_set():
                return
            self._waiting.remove(waiting)
        told()
        self.answered += 1
        method, params = reply
        try:
            await session.send(method, {"requestId": request_id, **params})
        except CdpError:
            # Gone with its page; or Chrome does not take the answer, and must not hold the request.
            session.post("Fetch.failRequest", {"requestId": request_id, "errorReason": "Failed"})
        except CdpClosed:
            return


def _reply(mock: Mock, method: str, asked: dict[str, str]) -> tuple[str, Params]:
    if mock.failure:
        return "Fetch.failRequest", {"errorReason": mock.failure}
    headers = [*mock.headers]
    if not any(name.lower() == "access-control-allow-origin" for name, _ in headers):
        # The other site is not asked, so it cannot allow it.
        headers += _allowing(asked)
    body = b"" if method == "HEAD" or mock.status in _WITHOUT_BODY else mock.body
    return "Fetch.fulfillRequest", _answer_of(mock.status, headers, body)


def _preflight(asked: dict[str, str]) -> tuple[str, Params]:
    """The question whether a request to another site is allowed: it is."""
    headers = [
        *_allowing(asked),
        ("access-control-allow-methods", asked["access-control-request-method"]),
        ("access-control-allow-headers", asked.get("access-control-request-headers", "")),
    ]
    return "Fetch.fulfillRequest", _answer_of(204, headers, b"")


def _allowing(asked: dict[str, str]) -> list[tuple[str, str]]:
    if "origin" not in asked:
        return []
    return [("access-control-allow-origin", asked["origin"]), ("access-control-allow-credentials", "true")]


def _answer_of(status: int, headers: list[tuple[str, str]], body: bytes) -> dict[str, Any]:
    return {
        "responseCode": status,
        "responseHeaders": [{"name": name, "value": value} for name, value in headers if value],
        "body": b64encode(body).decode(),
    }
