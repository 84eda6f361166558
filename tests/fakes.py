"""Fakes: a Chrome that says only what a test tells it to, and records as short as a test needs them."""

import json
import math
import time
from collections.abc import Sequence
from typing import Any

import attrs
import trio
import trio.testing

from gasoline_cdp.analysis.performance.loads import sum_up
from gasoline_cdp.browser.status import BrowserStatus
from gasoline_cdp.capture.bodies import BodyMode
from gasoline_cdp.capture.page import Capture
from gasoline_cdp.cdp.connection import Connection, Session
from gasoline_cdp.measures import LoadTiming, LongTasks
from gasoline_cdp.operations.context import Context
from gasoline_cdp.records import BodyRecord, LogRecord, NetworkRecord, PerformanceRecord, Source
from gasoline_cdp.store.pilot import Pilot
from gasoline_cdp.store.telemetry import Telemetry
from gasoline_cdp.streaming import Streaming

PAGE = Source(1, "page", "http://app.test/cart", 1, "T1")


class FakeTransport:
    """The other end of a connection. What we send is kept in `sent`; what Chrome says is written by the test."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.broken = False
        self._say, self._hear = trio.open_memory_channel[list[bytes]](math.inf)

    async def send(self, messages: Sequence[bytes]) -> None:
        await trio.lowlevel.checkpoint()
        if self.broken:
            raise trio.BrokenResourceError
        self.sent.extend(json.loads(message) for message in messages)

    async def receive(self) -> list[bytes]:
        try:
            return await self._hear.receive()
        except trio.EndOfChannel:
            return []

    def say(self, *messages: dict[str, Any] | bytes) -> None:
        """Chrome sends these in one go."""
        self._say.send_nowait(
            [message if isinstance(message, bytes) else json.dumps(message).encode() for message in messages]
        )

    def event(self, method: str, params: dict[str, Any] | None = None, session: str = "") -> None:
        """Chrome tells of something."""
        message: dict[str, Any] = {"method": method, "params": params or {}}
        self.say({**message, "sessionId": session} if session else message)

    def answer(self, command: dict[str, Any], result: dict[str, Any] | None = None) -> None:
        """Chrome does what it was told."""
        self.say({"id": command["id"], "result": result or {}, **_session_of(command)})

    def refuse(self, command: dict[str, Any], code: int, message: str) -> None:
        """Chrome says no."""
        self.say({"id": command["id"], "error": {"code": code, "message": message}, **_session_of(command)})

    def attach(
        self, session: str, target: str, kind: Any = "page", parent: str = "", *, waiting: bool = True, **more: Any
    ) -> None:
        """Chrome tells the parent's session of a target, and of the session with it."""
        info = {"targetId": target, "type": kind, "title": "", "url": "http://app.test/", "attached": True, **more}
        params = {"sessionId": session, "targetInfo": info, "waitingForDebugger": waiting}
        self.event("Target.attachedToTarget", params, parent)

    def detach(self, session: str, target: str, parent: str = "") -> None:
        """Chrome tells the parent's session that a session is over."""
        self.event("Target.detachedFromTarget", {"sessionId": session, "targetId": target}, parent)

    def hang_up(self) -> None:
        """Chrome closes its end."""
        self._say.close()

    def methods(self, session: str = "") -> list[str]:
        """The commands sent on a session so far, in order."""
        return [message["method"] for message in self.sent if message.get("sessionId", "") == session]

    def last(self, method: str) -> dict[str, Any]:
        """The newest command of this name."""
        return next(message for message in reversed(self.sent) if message["method"] == method)


def _session_of(command: dict[str, Any]) -> dict[str, Any]:
    return {"sessionId": command["sessionId"]} if "sessionId" in command else {}


async def settled() -> None:
    """Wait until everything that was said has been heard, and everything to be sent has been sent."""
    await trio.testing.wait_all_tasks_blocked()


def quiet_session() -> Session:
    """A conversation with a browser that never says anything."""
    return Connection(FakeTransport()).root


def make_context(*, bodies: BodyMode = "errors", pilot: bool = False, strict: bool = True, note: str = "") -> Context:
    """What tools get, with a browser that runs and nothing captured."""
    telemetry = Telemetry()
    return Context(
        telemetry=telemetry,
        capture=Capture(telemetry, bodies),
        browser=BrowserStatus(state="running", note=note, noted_at=time.monotonic()),
        pilot=Pilot(on=pilot),
        streaming=Streaming(telemetry),
        started_at=time.monotonic(),
        strict=strict,
    )


def log_record(seq: int, text: str = "said", **changes: Any) -> LogRecord:
    """A console line."""
    given: dict[str, Any] = {"ts": 1_790_000_000.0 + seq, "source": PAGE, "kind": "console", "level": "error"}
    return LogRecord(seq=seq, text=text, **{**given, **changes})


def network_record(seq: int, url: str = "http://app.test/api", **changes: Any) -> NetworkRecord:
    """A request that went well."""
    given: dict[str, Any] = {
        "id": f"r{seq}",
        "ts": 1_790_000_000.0 + seq,
        "source": PAGE,
        "method": "GET",
        "type": "Fetch",
        "outcome": "ok",
        "status": 200,
    }
    return NetworkRecord(seq=seq, url=url, **{**given, **changes})


def body_record(seq: int, **changes: Any) -> BodyRecord:
    """The bodies of a request that failed."""
    given: dict[str, Any] = {
        "id": f"r{seq}",
        "ts": 1_790_000_000.0 + seq,
        "source": PAGE,
        "method": "POST",
        "url": "http://app.test/api/orders",
        "status": 500,
        "content_type": "application/json",
        "duration_ms": 12.0,
        "request_body": '{"sent": 1}',
        "response_body": '{"got": 2}',
    }
    return BodyRecord(seq=seq, **{**given, **changes})


NO_TASKS = LongTasks(count=0, total_blocking_time=0, longest=0)
NO_TIMING = LoadTiming(**dict.fromkeys((field.name for field in attrs.fields(LoadTiming)), None))


def performance_record(seq: int, path: str, **changes: Any) -> PerformanceRecord:
    """A load of which nothing was measured."""
    given: dict[str, Any] = {
        "ts": float(seq),
        "source": PAGE,
        "page_id": f"p.{seq}",
        "url": f"http://app.test{path}",
        "soft_navigation": False,
        "timing": NO_TIMING,
        "network": sum_up([], complete=True),
        "long_tasks": NO_TASKS,
        "cumulative_layout_shift": None,
    }
    return PerformanceRecord(seq=seq, path=path, **{**given, **changes})
