"""One connection to Chrome with many flat sessions. Matches replies to commands, and dispatches events at once."""

import logging
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import orjson
import trio

from gasoline_cdp.cdp.commands import PendingCommand, SentCommand
from gasoline_cdp.cdp.messages import decode
from gasoline_cdp.cdp.transport import Transport
from gasoline_cdp.nurseries import open_hidden_nursery
from gasoline_cdp.records import FIRST_BROWSER
from gasoline_cdp.redact import charge_to

log = logging.getLogger(__name__)

Params = dict[str, Any]
Handler = Callable[[Params], None]


class CdpError(Exception):
    """Chrome returned an error."""

    def __init__(self, method: str, code: int, message: str) -> None:
        super().__init__(f"{method}: {message}")
        self.method = method
        self.code = code
        self.message = message


class CdpClosed(Exception):  # noqa: N818 - a state of affairs, not a mistake
    """Chrome or the page is gone."""

    def __init__(self, reason: str, method: str = "") -> None:
        super().__init__(f"{method}: {reason}" if method else reason)
        self.reason = reason
        self.method = method


class Session:
    """A session with one target. The root session is the one with the browser itself."""

    def __init__(
        self, connection: "Connection", session_id: str, parent: "Session | None" = None, target_id: str = ""
    ) -> None:
        self.connection = connection
        self.session_id = session_id
        self.parent = parent
        # Whose budget this session's events are charged to: a page's, also for its frames and workers.
        self.account: str = parent.account if parent is not None and parent.session_id else session_id
        # A page's main frame, and a frame in a process of its own, have the id of their target.
        self.target_id = target_id
        self.children: dict[str, Session] = {}
        # Returns whether a request (Network.requestWillBeSent) is our own and not the page's.
        self.unrecorded: Callable[[Params], bool] | None = None
        self.stoppable = False  # its target may stop while the session stays open; see `response_body`
        self.device_metrics: Params = {}  # those of Emulation.setDeviceMetricsOverride, if it was sent
        self.held = False  # its target waits to begin until somebody lets it; see `LogPoints`
        self.closed_reason = ""
        self._handlers: dict[str, list[Handler]] = {}

    @property
    def browser_id(self) -> str:
        """The browser of this session."""
        return self.connection.browser_id

    @property
    def browser_gone(self) -> bool:
        """Whether the whole browser is gone, and not only this page."""
        return bool(self.connection.closed_reason)

    async def send(self, method: str, params: Params | None = None) -> Params:
        """Send a command, and wait for the reply. Raises `CdpError` or `CdpClosed`."""
        with self.sent(method, params) as command:
            return await command.reply()

    @contextmanager
    def sent(self, method: str, params: Params | None = None) -> Iterator[SentCommand]:
        """Send a command. Inside the block the reply can be awaited several times, for example after a time-out."""
        pending = self.connection.write(self, method, params, awaited=True)
        try:
            yield SentCommand(pending)
        finally:
            self.connection.forget(pending)

    async def send_many(self, method: str, many: Sequence[Params]) -> list[Params | None]:
        """Send the same command with many parameters at once. None where Chrome returned an error."""
        pending = [self.connection.write(self, method, params, awaited=True) for params in many]
        replies: list[Params | None] = []
        try:
            for one in pending:
                assert one.arrived is not None  # noqa: S101 - told to the type checker
                await one.arrived.wait()
                if isinstance(one.error, CdpClosed):
                    raise one.error
                replies.append(None if one.error is not None else one.result)
        finally:
            for one in pending:
                self.connection.forget(one)
        return replies

    def find(self, target_id: str) -> "Session | None":
        """The session of a frame in a process of its own, below this one."""
        if target_id in self.children:
            return self.children[target_id]
        return next((session for child in self.children.values() if (session := child.find(target_id))), None)

    def ancestry(self) -> Iterator["Session"]:
        """This session, and those above it."""
        session: Session | None = self
        while session is not None:
            yield session
            session = session.parent

    def below(self) -> Iterator["Session"]:
        """The sessions of all frames in processes of their own, below this one."""
        for child in self.children.values():
            yield child
            yield from child.below()

    def post(self, method: str, params: Params | None = None) -> None:
        """Send a command without waiting: for event handlers and pipelining. Errors are only logged.

        Does nothing if the session or Chrome is gone: handlers still run on what was in the pipe.
        """
        if not self.closed_reason and not self.connection.closed_reason:
            self.connection.write(self, method, params, awaited=False)

    def start(self, method: str, params: Params | None = None) -> SentCommand | None:
        """Send a command without waiting, as `post` does. It can be asked later whether Chrome has replied."""
        if self.closed_reason or self.connection.closed_reason:
            return None
        return SentCommand(self.connection.write(self, method, params, awaited=True))

    def stand_in(self) -> "Session | None":
        """Another open session, to ask in place of a closed one for what the browser itself holds."""
        return self.connection.newest_session()

    def on(self, event: str, handler: Handler) -> None:
        """Call `handler` with the parameters of each such event, at once and synchronously."""
        self._handlers.setdefault(event, []).append(handler)

    @contextmanager
    def listening(self, event: str, handler: Handler) -> Iterator[None]:
        """Like `on`, until the block ends."""
        self.on(event, handler)
        try:
            yield
        finally:
            if event in self._handlers:
                self._handlers[event].remove(handler)

    def dispatch(self, event: str, params: Params) -> None:
        """Pass an event to its handlers."""
        charge_to(self.account)
        for handler in self._handlers.get(event, ()):
            handler(params)

    def close(self, reason: str) -> None:
        """Fail everything pending here: a crashed or closed target never replies."""
        self.closed_reason = reason
        self.connection.fail_pending(reason, self)
        # Closed tabs are remembered with their session: not with all that listened to it.
        self._handlers.clear()


class Connection:
    """Reads and writes for all sessions. Created by `open_connection`, which owns the tasks."""

    def __init__(self, transport: Transport, *, browser_id: str = FIRST_BROWSER, strict: bool = False) -> None:
        self.browser_id = browser_id
        self._transport = transport
        self._strict = strict
        self._last_id = 0
        self._pending: dict[int, PendingCommand] = {}
        self.sessions: dict[str, Session] = {}
        self._outgoing: deque[bytes] = deque()
        self._has_outgoing = trio.Event()
        self._closed = trio.Event()
        self.closed_reason = ""
        self.handler_errors = 0
        self.messages_received = 0
        # Processor time that its messages took us.
        self.busy_seconds = 0.0
        self._last_received = time.monotonic()
        self.root = Session(self, "")
        self.sessions[""] = self.root
        # Second sessions with a target, while they are requested; see `open_second_session`.
        self.requested: dict[str, list[Session]] = {}
        # Called with a target that we opened ourselves.
        self.opened: Callable[[str], None] = lambda _: None
        # See `leaving_undecoded`.
        self.decode: Callable[[bytes], Params | None] = decode

    def write(self, session: Session, method: str, params: Params | None, *, awaited: bool) -> PendingCommand:
        """Queue a command. Only our own code writes, a few commands per event, so the queue stays short."""
        if self.closed_reason or session.closed_reason:
            raise CdpClosed(session.closed_reason or self.closed_reason, method)
        self._last_id += 1
        message: Params = {"id": self._last_id, "method": method, "params": params or {}}
        if session.session_id:
            message["sessionId"] = session.session_id
        self._outgoing.append(orjson.dumps(message))
        pending = self._pending[self._last_id] = PendingCommand(self._last_id, session, method, awaited=awaited)
        self._has_outgoing.set()
        return pending

    def forget(self, pending: PendingCommand) -> None:
        """Nobody waits for this reply any more (its waiter was cancelled): drop the entry."""
        self._pending.pop(pending.message_id, None)

    def open_session(self, session_id: str, parent: Session, target_id: str = "") -> Session:
        """Open a session that Chrome has just announced."""
        session = self.sessions[session_id] = Session(self, session_id, parent, target_id)
        return session

    def close_session(self, session_id: str, reason: str) -> Session | None:
        """Close a session. What is pending on it fails."""
        session = self.sessions.pop(session_id, None)
        if session is not None:
            if session.parent is not None and session.parent.children.get(session.target_id) is session:
                del session.parent.children[session.target_id]
            session.close(reason)
        return session

    def newest_session(self) -> Session | None:
        """The newest session whose target lives as long as the session."""
        sessions = reversed(self.sessions.items())
        return next((session for key, session in sessions if key and not session.stoppable), None)

    def fail_pending(self, reason: str, session: Session | None = None) -> None:
        """Tell every waiter (of one session, or all) that no reply will come."""
        for message_id, pending in list(self._pending.items()):
            if session is None or pending.session is session:
                del self._pending[message_id]
                pending.finish({}, CdpClosed(reason, pending.method))

    def quiet_seconds(self) -> float:
        """Seconds since Chrome last sent anything."""
        return time.monotonic() - self._last_received

    async def wait_closed(self) -> str:
        """Wait until Chrome is gone; return why."""
        await self._closed.wait()
        return self.closed_reason

    def closed(self, reason: str) -> None:
        """Chrome is gone: fail what is pending, refuse new commands."""
        if not self.closed_reason:
            self.closed_reason = reason
            self.fail_pending(reason)
            self._closed.set()

    async def read_forever(self) -> None:
        """Receive until Chrome closes. Never awaits Chrome, since only this task can deliver its replies."""
        while messages := await self._transport.receive():
            self._last_received = time.monotonic()
            began = time.thread_time()
            for message in messages:
                self.messages_received += 1
                self._receive(message)
            self.busy_seconds += time.thread_time() - began
        self.closed("the browser closed the connection")

    async def write_forever(self) -> None:
        """Send what is queued, all of it in one write."""
        while True:
            await self._has_outgoing.wait()
            self._has_outgoing = trio.Event()
            messages = list(self._outgoing)
            self._outgoing.clear()
            try:
                await self._transport.send(messages)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                self.closed("the browser closed the connection")
                return

    def _receive(self, raw: bytes) -> None:
        message = self.decode(raw)
        if message is None:
            return
        if isinstance(message_id := message.get("id"), int):
            self._reply(message_id, message)
            return
        session = self.sessions.get(message.get("sessionId", ""))
        if session is None:
            # Events of a session that was just closed may still be in the pipe.
            return
        method = message.get("method", "")
        try:
            session.dispatch(method, message.get("params") or {})
        except Exception:
            # A page can make Chrome send something unforeseen. That must not end the capture.
            self.handler_errors += 1
            if self._strict:
                raise
            log.exception("an event handler failed on %s", method)

    def _reply(self, message_id: int, message: Params) -> None:
        pending = self._pending.pop(message_id, None)
        if pending is None:
            return
        error = message.get("error")
        if error is None:
            pending.finish(message.get("result") or {})
            return
        failure = CdpError(pending.method, error.get("code", 0), str(error.get("message", "")))
        if pending.arrived is None:
            log.debug("Chrome refused %s: %s", pending.method, failure.message)
        pending.finish({}, failure)


@asynccontextmanager
async def open_connection(
    transport: Transport, *, browser_id: str = FIRST_BROWSER, strict: bool = False
) -> AsyncIterator[Connection]:
    """Read and write until the block ends. The caller closes the transport."""
    connection = Connection(transport, browser_id=browser_id, strict=strict)
    async with open_hidden_nursery() as nursery:
        nursery.start_soon(connection.read_forever)
        nursery.start_soon(connection.write_forever)
        try:
            yield connection
        finally:
            connection.closed("the connection was closed")
            nursery.cancel_scope.cancel()
