"""What got slower or heavier between two loads, and why, as lines."""

from collections.abc import Iterator

from gasoline_cdp.analysis.performance.regressions import Change, written
from gasoline_cdp.analysis.performance.resources import Cause, ResourceChange
from gasoline_cdp.answers.amounts import duration, size
from gasoline_cdp.answers.lines import Line, Tone
from gasoline_cdp.answers.quoting import word, written_fields
from gasoline_cdp.answers.shared_facts import SharedFacts


def change_line(change: Change, tag: str, tone: Tone) -> Line:
    """`worse: load 1000 ms → 1800 ms, +80%`."""
    percent = "" if change.change_percent is None else f", {change.change_percent:+.0f}%"
    values = f"{written(change.metric, change.baseline)} → {written(change.metric, change.current)}"
    return Line(f"{change.metric} {values}{percent}", tag=tag, tone=tone)


def cause_lines(cause: Cause, shared: SharedFacts, tag: str = "cause:", depth: int = 0) -> Iterator[Line]:
    """The cause as a sentence, and the resources that it refers to by index."""
    explains = f"explains {duration(cause.explains_ms)}" if cause.explains_ms else ""
    yield Line(" ".join(filter(None, (cause.sentence, explains))), tag=tag, depth=depth)
    for index, resource in enumerate(cause.resources):
        yield Line(_resource_words(resource, shared), tag=f"resources[{index}]", depth=depth + 1)
    if cause.script:
        yield Line(written_fields(cause.script), tag="script", depth=depth + 1)


def _resource_words(change: ResourceChange, shared: SharedFacts) -> str:
    before, after = change.size_before, change.size_after
    sizes = " → ".join(size(value) for value in (before, after) if value is not None)
    times = " → ".join(
        duration(value) for value in (change.duration_before, change.duration_after) if value is not None
    )
    came = "new" if before is None else "gone" if after is None else ""
    return " ".join(filter(None, (shared.url(change.url), word(change.type), came, sizes, times)))
