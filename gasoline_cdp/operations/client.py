"""Who calls a tool: one connection of an editor, one shell, one caller over HTTP."""

from collections.abc import Callable
from typing import Literal

from attrs import Factory, define

from gasoline_cdp.store.shown_records import ShownRecords

# Reports progress to a client that asked for it: done, total (or None), message.
Progress = Callable[[float, float | None, str], None]


def no_progress(_done: float, _total: float | None, _message: str) -> None:
    """Do nothing: the client did not ask for progress."""


@define(eq=False)
class Client:
    """Lives as long as the connection. State of one client is keyed by the identity of this object."""

    kind: Literal["mcp", "http", "cli", "internal"] = "internal"
    # A client that reconnects under the same name gets the same object.
    shown: ShownRecords = Factory(ShownRecords)
