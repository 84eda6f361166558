"""Passes responses on in the order in which their requests ended.

Several bodies are read at a time, and those that are kept before those that are only inspected, so they arrive in any
order. What is learned about an endpoint depends on the order: an error after three successes is a deviation, an error
before them is not. Endpoints do not wait for each other.
"""

from collections import deque
from collections.abc import Callable, Hashable

from attrs import define

from gasoline_cdp import limits

Action = Callable[[], None]


@define(eq=False)
class Turn:
    """The position of one response in the order of its endpoint."""

    key: Hashable
    over: bool = False
    action: Action | None = None
    size: int = 0


class AnswerOrder:
    """The turns of all endpoints with responses still to be read."""

    def __init__(self) -> None:
        self._turns: dict[Hashable, deque[Turn]] = {}
        self._held = 0

    def next_turn(self, key: Hashable) -> Turn:
        """A request has ended, and its response is going to be read."""
        turn = Turn(key)
        self._turns.setdefault(key, deque()).append(turn)
        return turn

    def done(self, turn: Turn, action: Action | None = None, size: int = 0) -> None:
        """A response was read or given up: run this after everything before it."""
        turn.over, turn.action, turn.size = True, action, size
        self._held += size
        waiting = self._turns.get(turn.key, deque())
        while waiting and waiting[0].over:
            self._act(waiting.popleft())
        if not waiting:
            self._turns.pop(turn.key, None)
        elif self._held > limits.ANSWERS_HELD_BYTES:
            # Out of order is better than unbounded: one page that hangs delays everything after it.
            for late in waiting:
                self._act(late)

    def _act(self, turn: Turn) -> None:
        self._held -= turn.size
        action, turn.action, turn.size = turn.action, None, 0
        if action is not None:
            action()
