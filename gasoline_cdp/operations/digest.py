"""Adds the events since a client's last call to its next answer: most assistants never see a notification."""

from typing import Any

from attrs import evolve

from gasoline_cdp import event_limits, limits
from gasoline_cdp.answers.lines import AnswerForm
from gasoline_cdp.operations.answer import Answer
from gasoline_cdp.streaming import Subscription

# `"events":` and the comma before it.
_NAME_BYTES = 12


def _whole(arguments: Any) -> int:
    """Maximum size of the whole answer, by the same rule as `budget_of`."""
    if getattr(arguments, "max_bytes", None) is not None:
        return int(arguments.max_bytes)
    limit = getattr(arguments, "limit", None)
    return limits.ANSWER_BYTES if limit is None or limit <= limits.ENTRIES_DEFAULT else limits.ANSWER_BYTES_MAX


def leave_room(arguments: Any, subscription: Subscription | None) -> Any:
    """Lower `max_bytes`, where the tool has it, so that answer and digest fit together."""
    whole = _whole(arguments)
    if subscription is None or not subscription.settings.enabled or not hasattr(arguments, "max_bytes"):
        return arguments
    reserved = min(event_limits.STREAM_DIGEST_BYTES, whole // 4)
    return evolve(arguments, max_bytes=max(limits.ANSWER_BYTES_MIN, whole - reserved))


def with_digest(answer: Answer, arguments: Any, subscription: Subscription | None, form: AnswerForm = "json") -> Answer:
    """The answer with the events since this client's last call, if there were any and streaming is on.

    `arguments` are those of the caller. Without room, the events wait for the next answer.
    """
    if subscription is None or not subscription.settings.enabled:
        return answer
    whole = _whole(arguments) if hasattr(arguments, "max_bytes") else limits.ANSWER_BYTES_MAX
    left = min(event_limits.STREAM_DIGEST_BYTES, whole - answer.size(form))
    digest = subscription.take_digest(left - _NAME_BYTES)
    return answer.with_events(digest) if digest else answer
