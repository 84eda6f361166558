"""Cuts a flow down to what leads to one error: from the load of its document to the action that it followed."""

from collections.abc import Iterable, Sequence

from attrs import evolve, frozen

from gasoline_cdp.analysis.flows.flow import Flow, Step
from gasoline_cdp.records import LogRecord

# An error is often logged a moment before its action is: the action is reported when it has been handled.
_CLOCK_SECONDS = 0.05


@frozen(kw_only=True)
class FoundError:
    """The error to reproduce: its first line, and when it came."""

    text: str
    ts: float


def find_error(logs: Iterable[LogRecord], message: str = "") -> FoundError | None:
    """The newest error that contains the message, or the newest of all."""
    wanted = message.lower()
    errors = [
        record
        for record in logs
        if record.level == "error"
        and record.kind in {"exception", "rejection", "console"}
        and wanted in record.text.lower()
    ]
    if not errors:
        return None
    newest = max(errors, key=lambda record: record.ts)
    return FoundError(text=_first_line(newest.text), ts=newest.during or newest.ts)


def _first_line(text: str) -> str:
    """What every engine says of it: without the words that only the console adds."""
    line = text.partition("\n")[0].strip()
    return line.removeprefix("Uncaught (in promise) ").removeprefix("Uncaught ")


def leading_to(flow: Flow, error: FoundError) -> Flow:
    """The steps that lead to the error. Begins with the last document that was loaded before it."""
    before = _until(flow, error.ts)
    start = max((index for index, step in enumerate(before) if index and _loads(step)), default=0)
    kept = before[start:]
    warnings = list(flow.warnings)
    if start:
        kept = [_opening(before[start]), *kept[1:]]
        warnings.append(
            f"Begins at the page that was open after {start} earlier steps. If it needs what they did (a login), save "
            "that state with manage_state and load it first."
        )
    return evolve(flow, steps=tuple(_without_checks(kept)), warnings=tuple(warnings), errors=(error.text,))


def scenario(flow: Flow, first: float, last: float) -> tuple[Step, ...]:
    """The steps from the load of the document in which something happened at `first`, to what was done at `last`."""
    steps = _until(flow, last)
    loads = [index for index, step in enumerate(steps) if _loads(step) and step.ts <= first + _CLOCK_SECONDS]
    start = loads[-1] if loads else 0
    return (_opening(steps[start]), *steps[start + 1 :]) if loads else tuple(steps)


def _until(flow: Flow, ts: float) -> list[Step]:
    return [step for step in flow.steps if step.ts <= ts + _CLOCK_SECONDS] or list(flow.steps[:1])


def _loads(step: Step) -> bool:
    """Whether a new document came with it."""
    return step.kind in {"open", "reload"} or step.loads


def _opening(step: Step) -> Step:
    """Opens the page that a step led to."""
    address = step.value if step.kind == "open" else step.url_after
    return Step(kind="open", ts=step.ts, page=0, value=address)


def _without_checks(steps: Sequence[Step]) -> list[Step]:
    """A reproduction waits for what was there, and checks the error only: the page may be broken in other ways, too."""
    return [
        evolve(step, calls=(), shows=(), outline=None, opened_shows=(), messages=(), page=0, opens=None)
        for step in steps
    ]
