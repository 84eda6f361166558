"""What leads to an issue: the load of a page, or a user's action on an element. And whether it happened again."""

import math
from collections.abc import Iterable, Mapping
from typing import Literal

from attrs import evolve, field, frozen

from gasoline_cdp import limits
from gasoline_cdp.analysis.elements import element_of
from gasoline_cdp.analysis.normalise import is_id, without_ids
from gasoline_cdp.analysis.performance.loads import path_of
from gasoline_cdp.records import ActionRecord

# Deliberate actions of a person or a script. Scrolling tries nothing.
ACTIONS = frozenset({"click", "input", "select", "keypress", "submit", "script"})
# The page handled an event that led to it, and the event is not among ACTIONS.
UNKNOWN_ACTION = "repeat what was done"
# Ways to recognise an element, the most reliable first. The first one that both sides have decides.
_NAMES = ("test_id", "id", "role", "label", "text", "css")
# Tolerance for timers: an effect of an action takes about as long the second time, plus some slack.
_SLACK_SHARE, _SLACK_SECONDS = 1.25, 0.2
_SOON_SECONDS = 0.1
# The page's clock and Chrome's differ by less than this.
CLOCK_SECONDS = 0.01
# Accept a chance of one in twenty that an intermittent issue stayed away by luck.
_LUCK = 0.05


@frozen(kw_only=True)
class Cause:
    """Something that can happen again: a load of this path, an action on this element, a running worker."""

    kind: Literal["load", "action", "worker"]
    path: str
    action: str = ""
    # One name=value for each way to find the element.
    element: tuple[str, ...] = ()
    # The element's name for a reader.
    shown: str = ""
    value: str = ""


@frozen(kw_only=True)
class Try:
    """One occurrence. Times are in seconds since the epoch."""

    cause: Cause
    ts: float
    # When the load was complete.
    loaded: float | None = None
    # When its document was left.
    until: float | None = None


@frozen(kw_only=True)
class Trigger:
    """What has to happen again before an issue counts as resolved."""

    cause: Cause
    # Seconds until the issue appeared: after the action, or after the load was complete. 0: during it.
    seconds: float = 0.0
    # How often to try: more than once for an issue that does not always appear.
    tries: int = 1
    # The request or socket in between.
    via: str = ""


def load_of(path: str) -> Cause:
    """The load of a page."""
    return Cause(kind="load", path=without_ids(path))


def action_of(record: ActionRecord) -> Cause:
    """An action, identified by its element and by what was typed or chosen."""
    selectors, fields = record.selectors, record.fields
    names = []
    for name in _NAMES:
        value = selectors.get(name)
        if isinstance(value, dict):
            value = " ".join(map(str, value.values()))
        # Frameworks generate ids such as these, different in each load.
        if value and not (name == "id" and (":" in value or "«" in value or is_id(value))):
            names.append(f"{name}={value}")
    value = fields.get("value") or fields.get("selected_value") or fields.get("key") or fields.get("script") or ""
    return Cause(
        kind="action",
        path=without_ids(path_of(record.source.url)),
        action=record.type,
        element=tuple(names),
        shown=_cut(element_of(selectors) or ""),
        value=_cut(", ".join(value) if isinstance(value, list) else str(value)),
    )


def is_same(one: Cause, other: Cause) -> bool:
    """Whether it is the same: the same action with the same value on the same element of the same page."""
    if (one.kind, one.path, one.action, one.value) != (other.kind, other.path, other.action, other.value):
        return False
    names, others = (dict(name.partition("=")[::2] for name in cause.element) for cause in (one, other))
    deciding = next((name for name in _NAMES if name in names and name in others), None)
    return names[deciding] == others[deciding] if deciding else names == others


def tries_needed(seen: int, tried: int) -> int:
    """How often to retry an issue that appeared `seen` of `tried` times."""
    if seen >= tried:
        return 1
    return min(limits.TRIES_NEEDED, math.ceil(math.log(_LUCK) / math.log(1 - seen / tried)))


def to_retry(triggers: Iterable[Trigger]) -> str:
    """What to do to see whether an issue appears again, as a sentence."""
    return ", ".join(dict.fromkeys(map(_words, triggers)))


def merged(triggers: Iterable[Trigger]) -> tuple[Trigger, ...]:
    """Each step once, with the longest wait and the most tries that any issue needs.

    Loads first: they undo the rest.
    """
    steps: list[Trigger] = []
    for trigger in triggers:
        index = next((n for n, same in enumerate(steps) if is_same(same.cause, trigger.cause)), None)
        if index is None:
            steps.append(evolve(trigger, via=""))
            continue
        same = steps[index]
        steps[index] = evolve(same, seconds=max(same.seconds, trigger.seconds), tries=max(same.tries, trigger.tries))
    return tuple(sorted(steps, key=lambda trigger: trigger.cause.kind != "load"))


def _words(trigger: Trigger) -> str:
    cause = trigger.cause
    element = cause.shown or "the same element"
    value = f'"{cause.value}"'
    words = {
        "input": f"type {value} into {element}",
        "select": f"choose {value} in {element}",
        "keypress": f"press {cause.value} in {element}" if cause.shown else f"press {cause.value}",
        "script": f"run the same script again (execute_javascript, {cause.value})",
        UNKNOWN_ACTION: f"{UNKNOWN_ACTION} on {cause.path}",
    }.get(cause.action, f"{cause.action} {element}")
    if cause.kind == "load":
        words = f"load {cause.path}"
    elif cause.kind == "worker":
        words = f"have the worker {cause.path} do it again"
    if trigger.tries > 1:
        words += f" {trigger.tries} times"
    if trigger.seconds >= 1:
        words += f" and wait {trigger.seconds * _SLACK_SHARE + _SLACK_SECONDS:.0f} s"
    if trigger.via and cause.kind != "load":
        words += f" so that {trigger.via} is called"
    return words


@frozen
class Retries:
    """What was tried within a time span that ends now, and which requests and sockets ended in it or are still open."""

    tried: tuple[Try, ...]
    now: float
    reached: frozenset[str] = frozenset()
    pending: frozenset[str] = frozenset()
    # When the newest call that ended was made, and when it ended, by endpoint.
    answered: Mapping[str, tuple[float, float]] = field(factory=dict)

    def missing(self, triggers: Iterable[Trigger]) -> tuple[Trigger, ...]:
        """Triggers that did not happen again, not often enough, or too recently to show anything."""
        return tuple(trigger for trigger in triggers if not self._is_retried(trigger))

    def seconds_short(self, triggers: Iterable[Trigger]) -> float | None:
        """Seconds until a trigger that did happen again has had enough time; None if all have."""
        waits = [
            # Nobody knows when a load will be complete. Usually it is soon.
            min(wait, _SOON_SECONDS) if one.cause.kind == "load" and one.loaded is None else wait
            for trigger in triggers
            for one in self.tried
            if is_same(one.cause, trigger.cause) and one.until is None and (wait := self._wait(one, trigger)) > 0
        ]
        return min(waits, default=None)

    def _is_retried(self, trigger: Trigger) -> bool:
        # A load makes many requests. One of them may end at the same time by chance, so only the load itself has to
        # end.
        needs_via = trigger.via and trigger.cause.kind != "load"
        if needs_via and trigger.via not in self.reached:
            return False
        done = sum(is_same(one.cause, trigger.cause) and self._wait(one, trigger) <= 0 for one in self.tried)
        return done >= trigger.tries

    def _wait(self, one: Try, trigger: Trigger) -> float:
        """How much longer to wait before the absence of the issue means anything."""
        if trigger.via in self.pending and not self._was_answered(one, trigger.via):
            return _SOON_SECONDS
        needed = trigger.seconds * _SLACK_SHARE + _SLACK_SECONDS if trigger.seconds else 0.0
        begun = one.ts
        if one.cause.kind == "load":
            if one.loaded is None:
                # Some pages never finish loading.
                needed += limits.LOAD_PATIENCE_SECONDS
            else:
                begun = one.loaded
        end = self.now if one.until is None else one.until
        return needed - (end - begun)

    def _was_answered(self, one: Try, via: str) -> bool:
        """Whether a call that this try led to has ended, though another one is pending: a page that polls asks again.

        No call outlives its document. So after a load it is enough that one ended.
        """
        made, ended = self.answered.get(via, (0.0, 0.0))
        return (ended if one.cause.kind == "load" else made + CLOCK_SECONDS) >= one.ts


def _cut(text: str) -> str:
    return text if len(text) <= limits.TRIGGER_CHARS else f"{text[: limits.TRIGGER_CHARS - 1]}…"
