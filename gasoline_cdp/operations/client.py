"""Who calls a tool: one connection of an editor, one shell, one caller over HTTP."""

from collections.abc import Callable
from typing import Literal

from attrs import Factory, define

from gasoline_cdp.store.shown_records import ShownRecords

# Told how far a call is (done, of how many or None, in our own words), where the client asked to be told.
Progress = Callable[[float, float | None, str], None]


def no_progress(_done: float, _total: float | None, _message: str) -> None:
    """For those who did not ask."""


@define(eq=False)
class Client:
    """Lives as long as the connection. What belongs to one client alone hangs on this object's identity."""

    kind: Literal["mcp", "http", "cli", "internal"] = "internal"
    # For whoever comes back under the same name this is the same.
    shown: ShownRecords = Factory(ShownRecords)
