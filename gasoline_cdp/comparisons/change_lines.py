"""Issues, endpoints and metrics before and after, as lines. `verify_fix` and `diff_sessions` share them."""

import re
from collections.abc import Iterable, Iterator

from attrs import evolve

from gasoline_cdp.analysis.compare.verification import ChangeType, VerifyChange
from gasoline_cdp.analysis.performance.regressions import unit_of
from gasoline_cdp.answers.amounts import duration, number, size
from gasoline_cdp.answers.lines import Line, Tone
from gasoline_cdp.answers.log_entries import repeated
from gasoline_cdp.answers.quoting import folded, quoted, word
from gasoline_cdp.limits import LINE_TEXT_CHARS

_METHOD_CHARS = 20
# Length of the evidence for a resolved issue, and of the steps to retry.
_STEPS_CHARS = 300
# Tag and tone of a change, in the same words as the counts above it.
_BECAME: dict[ChangeType, tuple[str, Tone]] = {
    "new": ("new", "error"),
    "unchanged": ("still there", "error"),
    "changed": ("still there", "error"),
    "not_retried": ("not retried", "warning"),
    "resolved": ("resolved", "good"),
}
# Unresolved issues come first.
_ORDER = ("new", "still there", "not retried", "resolved")
_RETRY = re.compile(r"(?: |^To )retry (\| .*)")
_TIMES = re.compile(r" \(x(\d+)\)\Z")


def joined(*words: str) -> str:
    """The words that are not empty, separated by spaces."""
    return " ".join(filter(None, words))


def steps_after(label: str, steps: str) -> str:
    """`retry | click button "Save"`. The steps contain names from the page, so they are behind the mark."""
    return f"{label} {folded(steps, _STEPS_CHARS)}" if steps else ""


def without_repeated_steps(lines: Iterable[Line]) -> Iterator[Line]:
    """Lines of which each says how to retry only if that is not what the last one that did says."""
    last = ""
    for line in lines:
        match = _RETRY.search(line.text)
        if match and match[1] == last:
            yield evolve(line, text=f"{line.text[: match.start()]} retry: as above")
        else:
            yield line
        last = match[1] if match else last


def issue_words(message: str, count: int = 1) -> str:
    """The message of a page or a check, and how often it came."""
    return joined(quoted(message, LINE_TEXT_CHARS), repeated(count, None))


def endpoint_words(method: str, url: str, *end: str) -> str:
    """`POST /api/order 500`."""
    return joined(word(method, _METHOD_CHARS), word(url), *end)


def end_of(status: int | None, failure: str = "") -> str:
    """The status of a response, or why there was none."""
    return str(status) if status else word(failure) if failure else "no answer"


def from_to(before: str, after: str) -> str:
    """`500 → 200`, or one value if both are equal."""
    return before if before == after else f"{before} → {after}"


def metric_words(metric: str, before: float, after: float, change: str) -> str:
    """`load 320ms → 1.2s +275%`."""
    return joined(metric, from_to(_measured(metric, before), _measured(metric, after)), change)


def percent(change: float | None) -> str:
    """`+181%`; empty if there was no value before."""
    return "" if change is None else f"{change:+.0f}%"


def _measured(metric: str, value: float) -> str:
    match unit_of(metric):
        case "ms":
            return duration(value)
        case "bytes":
            return size(value)
        case _:
            return number(value)


def change_lines(changes: Iterable[VerifyChange]) -> Iterator[Line]:
    """Issues before and after, one line each, unresolved ones first."""
    lines = (_change_line(change) for change in changes)
    return iter(sorted(lines, key=lambda line: _ORDER.index(line.tag)))


def _change_line(change: VerifyChange) -> Line:
    tag, tone = _BECAME[change.type]
    evidence = folded(change.evidence, _STEPS_CHARS) if change.evidence else ""
    words = joined(change.category, _both_sides(change), evidence or steps_after("retry", change.retry))
    return Line(words, tag=tag, tone=tone)


def _both_sides(change: VerifyChange) -> str:
    if change.type == "new":
        return _side(change.category, change.after)
    # `after` only says in brackets that it was not seen, called or opened. The tag says that, too.
    if change.type in {"resolved", "not_retried"} and change.after.startswith("("):
        return _side(change.category, change.before)
    (name, end), (same, now) = _parted(change.category, change.before), _parted(change.category, change.after)
    # An unchanged message may end in something like a count. Show a count only if it changed.
    if name == same and end != now:
        return joined(_name(change.category, name), from_to(word(end), word(now)))
    return from_to(_side(change.category, change.before), _side(change.category, change.after))


def _side(category: str, text: str) -> str:
    if category not in {"network", "websocket"}:
        return quoted(text, LINE_TEXT_CHARS)
    name, end = _parted(category, text)
    return joined(_name(category, name), word(end))


def _parted(category: str, text: str) -> tuple[str, str]:
    """The name of an issue, and its end: a request's status, a socket's state, or a count."""
    if category == "network":
        name, _, end = text.rpartition(" → ")
        return name, end
    if category == "websocket":
        name, _, end = text.partition(" ")
        return name, end
    times = _TIMES.search(text)
    return (text[: times.start()], f"×{times[1]}") if times else (text, "×1")


def _name(category: str, name: str) -> str:
    if category == "network":
        method, _, url = name.partition(" ")
        return endpoint_words(method, url)
    return word(name) if category == "websocket" else quoted(name, LINE_TEXT_CHARS)
