"""What happened since a client's last call, inside its next answer: most assistants never see a notification."""

from typing import Any

from attrs import evolve

from gasoline_cdp import limits, wire
from gasoline_cdp.streaming import Subscription

# `"events":` and the comma before it.
_NAME_BYTES = 12


def leave_room(arguments: Any, subscription: Subscription | None) -> Any:
    """The arguments of a tool that can be told to be brief, so that its answer and the digest fit the budget together.

    A caller who asked for more entries than usual gets an answer of up to 50 KB; there the digest takes what is left.
    """
    if subscription is None or not subscription.settings.enabled or not hasattr(arguments, "max_bytes"):
        return arguments
    given = arguments.max_bytes
    if given is None:
        return arguments if arguments.limit else evolve(arguments, max_bytes=limits.ANSWER_BYTES - _reserved(None))
    return evolve(arguments, max_bytes=max(limits.ANSWER_BYTES_MIN, given - _reserved(given)))


def _reserved(budget: int | None) -> int:
    return min(limits.STREAM_DIGEST_BYTES, (budget or limits.ANSWER_BYTES) // 4)


def with_digest(answer: dict[str, Any], subscription: Subscription | None) -> dict[str, Any]:
    """The answer with the events since this client's last call, if there were any and streaming is on."""
    if subscription is None or not subscription.settings.enabled:
        return answer
    left = limits.ANSWER_BYTES_MAX - len(wire.encode(answer)) - _NAME_BYTES
    if left < limits.STREAM_DIGEST_BYTES // 4:
        # They wait for an answer that has room.
        return answer
    digest = subscription.take_digest(min(limits.STREAM_DIGEST_BYTES, left) - _NAME_BYTES)
    return {**answer, "events": digest} if digest else answer
