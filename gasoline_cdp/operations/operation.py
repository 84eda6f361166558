"""A question as a value: what is asked for, what comes back, and what a call needs. A tool is one that is listed."""

from collections.abc import Awaitable, Callable
from typing import Any, Literal

from attrs import frozen

from gasoline_cdp import limits
from gasoline_cdp.operations.context import Context


@frozen(kw_only=True)
class Needs:
    """What one call needs beyond what was captured, known before anything is sent to the browser."""

    # It does what only the pilot allows, whatever the operation is called.
    pilot: bool = False
    # It may take longer than a caller wants to wait: beyond `PENDING_SECONDS` it answers "pending" and goes on.
    slow: bool = False
    # The whole time it may take; where it is slow, its wait for the tab included.
    deadline: float = limits.TOOL_SECONDS
    # It tells of the browser: it waits until that has started, and fails where it never will.
    browser: bool = True
    # Whether slow work keeps other slow work out of a tab: of `tab_id`, or of the one used last. "pinned" also writes
    # that tab into the arguments, since another may be the one used last when the work's turn comes.
    tab: Literal["none", "occupied", "pinned"] = "none"
    tab_id: int | None = None


@frozen(kw_only=True)
class NoArgs:
    """For an operation that takes no arguments."""


@frozen(kw_only=True)
class Operation:
    """One question: the class of its arguments and of its answer, its function, and what its calls need."""

    name: str
    args: type
    answer: type
    run: Callable[[Any, Context], Awaitable[object]]
    # What every call needs, or a function of the arguments where calls differ.
    needs: Needs | Callable[[Any, Context], Needs] = Needs()
    # The answer carries text that a page wrote.
    page_content: bool = True
    # The largest answer in bytes. None: whole documents, for programs.
    max_bytes: int | None = None
    # Slow work answers "pending" after a while. False: the caller waits to the end.
    may_be_pending: bool = False

    @property
    def called(self) -> str:
        """What an error calls it."""
        return self.name

    @property
    def every_call(self) -> Needs:
        """What is known of all calls without their arguments."""
        return self.needs if isinstance(self.needs, Needs) else Needs()

    @property
    def may_be_slow(self) -> bool:
        """Whether some call may be slow."""
        return not isinstance(self.needs, Needs) or self.needs.slow


@frozen(kw_only=True)
class Tool(Operation):
    """An operation that is listed to assistants, with its words for them."""

    title: str
    description: str
    read_only: bool = True
    # Hints for clients that ask a person before a call. Unless told otherwise, what needs the pilot may destroy.
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool = False
    max_bytes: int | None = limits.ANSWER_BYTES_MAX
    may_be_pending: bool = True

    @property
    def called(self) -> str:
        """What an error calls it."""
        return "this tool"
