"""An operation as a value: its arguments, its answer, and what a call needs. Tools are the listed operations."""

from collections.abc import Awaitable, Callable
from typing import Any, Literal

from attrs import frozen

from gasoline_cdp import limits
from gasoline_cdp.operations.context import Context


@frozen(kw_only=True)
class Needs:
    """What one call needs beyond captured data. It is known before anything is sent to the browser."""

    # It does something that only the pilot allows.
    pilot: bool = False
    # It may take longer than a caller wants to wait: beyond `PENDING_SECONDS` it answers "pending" and goes on.
    slow: bool = False
    # Time limit in seconds. For slow work it includes the wait for the tab.
    deadline: float = limits.TOOL_SECONDS
    # It needs the browser: it waits until that has started, and fails if it cannot start.
    browser: bool = True
    # Whether slow work blocks other slow work in a tab: in `tab_id`, or in the tab used last. "pinned" also writes
    # that tab into the arguments, since the tab used last may be another one by the time the work starts.
    tab: Literal["none", "occupied", "pinned"] = "none"
    tab_id: int | None = None


@frozen(kw_only=True)
class NoArgs:
    """For an operation that takes no arguments."""


@frozen(kw_only=True)
class Operation:
    """The class of its arguments and of its answer, its function, and what its calls need."""

    name: str
    args: type
    answer: type
    run: Callable[[Any, Context], Awaitable[object]]
    # What every call needs, or a function of the arguments if calls differ.
    needs: Needs | Callable[[Any, Context], Needs] = Needs()
    # The answer contains text that a page wrote.
    page_content: bool = True
    # Maximum answer size in bytes. None: whole documents, for programs.
    max_bytes: int | None = None
    # Slow work answers "pending" after a while. If False, the caller waits for the result.
    may_be_pending: bool = False

    @property
    def called(self) -> str:
        """What an error calls it."""
        return self.name

    @property
    def every_call(self) -> Needs:
        """What all calls need, whatever their arguments."""
        return self.needs if isinstance(self.needs, Needs) else Needs()

    @property
    def may_be_slow(self) -> bool:
        """Whether any call may be slow."""
        return not isinstance(self.needs, Needs) or self.needs.slow


@frozen(kw_only=True)
class Tool(Operation):
    """An operation that assistants can list, with its title and description."""

    title: str
    description: str
    read_only: bool = True
    # Hints for clients that ask a person before a call. None: destructive if it needs the pilot.
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool = False
    max_bytes: int | None = limits.ANSWER_BYTES_MAX
    may_be_pending: bool = True

    @property
    def called(self) -> str:
        """What an error calls it."""
        return "this tool"
