"""Commands to Chrome that are on their way, and those that were sent and may be asked about."""

from typing import TYPE_CHECKING, Any

import trio

if TYPE_CHECKING:
    from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Session

Params = dict[str, Any]


class PendingCommand:
    """A command without a reply so far."""

    __slots__ = ("arrived", "error", "message_id", "method", "result", "session")

    def __init__(self, message_id: int, session: "Session", method: str, *, awaited: bool) -> None:
        self.message_id = message_id
        self.session = session
        self.method = method
        self.arrived = trio.Event() if awaited else None
        self.result: Params = {}
        self.error: CdpError | CdpClosed | None = None

    def finish(self, result: Params, error: "CdpError | CdpClosed | None" = None) -> None:
        """The reply has come, or will never come."""
        self.result = result
        self.error = error
        if self.arrived is not None:
            self.arrived.set()


class SentCommand:
    """A command that was sent, as its sender sees it."""

    def __init__(self, pending: PendingCommand) -> None:
        self._pending = pending

    @property
    def replied(self) -> bool:
        """Whether Chrome has replied."""
        return self._pending.arrived is not None and self._pending.arrived.is_set()

    async def reply(self) -> Params:
        """Wait for the reply. Raises `CdpError` or `CdpClosed`."""
        assert self._pending.arrived is not None  # noqa: S101 - told to the type checker
        await self._pending.arrived.wait()
        if self._pending.error is not None:
            raise self._pending.error
        return self._pending.result
