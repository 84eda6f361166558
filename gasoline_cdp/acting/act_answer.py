"""The answer of `act`: what became of each step, then what they caused, in few bytes."""

from collections.abc import Iterator, Sequence

from attrs import evolve, field, frozen

from gasoline_cdp import debug_limits, wire
from gasoline_cdp.acting.consequences import Consequences
from gasoline_cdp.acting.page_tree import PageChange
from gasoline_cdp.acting.run import ActRun, PlannedStep, StepResult
from gasoline_cdp.analysis.requests import STATIC
from gasoline_cdp.answers.amounts import duration
from gasoline_cdp.answers.lines import AnswerForm, Line, Tone, note
from gasoline_cdp.answers.log_entries import LogEntry, show_log
from gasoline_cdp.answers.network_entries import NetworkEntry, show_network
from gasoline_cdp.answers.quoting import quoted, word
from gasoline_cdp.answers.shared_facts import SharedFacts
from gasoline_cdp.answers.text import write_lines
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.operations.context import Context
from gasoline_cdp.records import NetworkRecord
from gasoline_cdp.redact import REDACTED, safe_text

ACT_BYTES = 2048
_TEXT_CHARS = 200
_TARGET_CHARS = 80
_FAILED = 5
_ERRORS = 5
_REQUESTS = 8
_EVENTS = 6
# Lines of the tree that stay while requests give way.
_TREE_LINES = 10
# How the record of a navigation begins.
_NAVIGATED = "Navigated to "
_TONES: dict[str, Tone] = {"done": "good", "failed": "error", "skipped": "dim"}


@frozen(kw_only=True)
class StepOutcome:
    """A step, and what became of it: done, failed or skipped. `detail` says why, or what else to know."""

    do: str
    target: str = ""
    outcome: str
    detail: str = ""


@frozen(kw_only=True)
class ActAnswer:
    """The steps, then what they caused. `tree` has the lines that changed, or the controls of another document.

    `left_out` counts what did not fit: requests, errors and lines of the tree. `nothing_happened`: no request, message,
    event or change on the page until it was at rest. `tree_unread`: the page did not answer, so what changed on it is
    not known. `ran`: functions of the page's code, while `debug` counts them.
    """

    success: bool
    summary: str
    tab_id: int
    url: str
    steps: list[StepOutcome]
    failed_requests: list[NetworkEntry] = wire.entries_of(NetworkEntry)
    errors: list[LogEntry] = wire.entries_of(LogEntry)
    events: list[str]
    requests: list[NetworkEntry] = wire.entries_of(NetworkEntry)
    static: int = 0
    still_pending: list[str] = wire.arg("Requests that did not end in time.", default=None)
    layout_shift: float = 0.0
    long_tasks: int = 0
    busy_ms: float = 0.0
    nothing_happened: bool = False
    ran: list[str] = field(factory=list)
    ran_more: int = 0
    tree: list[str]
    tree_is: str = ""
    tree_unread: bool = False
    left_out: int = 0

    def render(self) -> Iterator[Line]:
        """The steps, the failures first, and the page last."""
        arrived = self._arrival()
        where = f", {word(self.url)}" if arrived is None else f" navigated to {word(self.url)}"
        yield Line(f"{self.summary} Tab {self.tab_id}{where}", tone="heading")
        for number, step in enumerate(self.steps, 1):
            if step.outcome != "done" or step.detail:
                said_of = (step.do, word(step.target, _TARGET_CHARS) if step.target else "", step.outcome)
                said = f": {step.detail}" if step.detail else ""
                yield Line(f"{number} {' '.join(filter(None, said_of))}{said}", tone=_TONES[step.outcome])
        shared = SharedFacts.of([*self.failed_requests, *self.requests, *self.errors])
        for request in self.failed_requests:
            yield from _untimed(request.lines(shared, _TEXT_CHARS))
        for error in self.errors:
            yield from _untimed(error.lines(shared, _TEXT_CHARS))
        yield from (Line(event, tone="action") for number, event in enumerate(self.events) if number != arrived)
        for request in self.requests:
            yield from _untimed(request.lines(shared, _TEXT_CHARS))
        if words := ", ".join(self._numbers()):
            yield note(words)
        yield from self._ran()
        if self.tree:
            yield Line(f"{self.tree_is}:", tone="heading")
            yield from map(Line, self.tree)
        if self.tree_unread:
            yield note("what changed on the page is not known: it did not answer in time", "warning")
        if self.left_out:
            yield note(f"{self.left_out} more did not fit: observe(what='network'), 'errors' or 'accessibility_tree'")

    def _arrival(self) -> int | None:
        """Which event is the navigation to where the tab is now: the heading says it."""
        moves = [number for number, event in enumerate(self.events) if event.startswith(_NAVIGATED)]
        return moves[-1] if moves and self.events[moves[-1]] == f"{_NAVIGATED}{self.url}" else None

    def _ran(self) -> Iterator[Line]:
        if self.ran:
            more = f", {self.ran_more} more" if self.ran_more else ""
            yield Line(f"{', '.join(self.ran)}{more}", tag="ran")

    def _numbers(self) -> Iterator[str]:
        if self.static:
            yield f"+{self.static} static"
        for request in self.still_pending or ():
            yield f"still pending: {request}"
        if self.layout_shift:
            yield f"layout shift {self.layout_shift:.2f}"
        if self.long_tasks:
            yield f"{number_of(self.long_tasks, 'long task')} ({duration(self.busy_ms)})"


def _untimed(lines: Iterator[Line]) -> Iterator[Line]:
    """All of it happened just now."""
    for line in lines:
        yield evolve(line, time="")


def make_answer(
    context: Context,
    run: ActRun,
    steps: Sequence[PlannedStep],
    caused: Consequences,
    shown: PageChange,
    pending: Sequence[NetworkRecord],
    *,
    ran: Sequence[str] = (),
    wait_note: str = "",
) -> ActAnswer:
    """The answer, cut to its size."""
    failed = _folded_requests([show_network(record, body=_body(context, record)) for record in caused.failed])
    errors, events = _folded([show_log(record) for record in caused.errors]), _events(caused)
    nothing = not (caused.any() or shown.lines or shown.unread or pending)
    answer = ActAnswer(
        success=not run.failed and not wait_note,
        summary=_summary(run, len(steps), nothing=nothing, wait_note=wait_note),
        tab_id=run.tab.tab_id,
        url=run.tab.source.url,
        steps=[_outcome(step, outcome) for step, outcome in zip(steps, run.outcomes, strict=True)],
        failed_requests=failed[:_FAILED],
        errors=errors[:_ERRORS],
        events=events[:_EVENTS],
        requests=[show_network(record) for record in caused.requests][:_REQUESTS],
        static=caused.static,
        still_pending=[f"{record.method} {word(record.url, 100)}" for record in pending][:3] or None,  # type: ignore[arg-type]
        layout_shift=round(caused.layout_shift, 3),
        long_tasks=caused.long_tasks,
        busy_ms=round(caused.busy_ms),
        nothing_happened=nothing,
        ran=list(ran[: debug_limits.COVERAGE_OF_ACT]),
        ran_more=max(0, len(ran) - debug_limits.COVERAGE_OF_ACT),
        tree=list(shown.lines),
        tree_is=_tree_words(shown),
        tree_unread=shown.unread,
        left_out=sum(
            max(0, len(listed) - most)
            for listed, most in ((failed, _FAILED), (errors, _ERRORS), (events, _EVENTS), (caused.requests, _REQUESTS))
        ),
    )
    return fit(answer, context.form, ACT_BYTES)


def fit(answer: ActAnswer, form: AnswerForm, most: int) -> ActAnswer:
    """Leave out lines of the tree, then requests that worked, then more of the tree, then the last errors."""
    for name, least in (
        ("tree", _TREE_LINES), ("ran", 3), ("requests", 0),
        ("ran", 0), ("tree", 0), ("errors", 1), ("failed_requests", 1), ("events", 0),
    ):  # fmt: skip
        while size(answer, form) > most and len(listed := getattr(answer, name)) > least:
            # Of a long tree, some lines at a time.
            fewer = min(len(listed) - least, max(1, len(listed) // 12))
            answer = evolve(answer, left_out=answer.left_out + fewer, **{name: listed[:-fewer]})
    return answer


def size(answer: ActAnswer, form: AnswerForm) -> int:
    """Its size in bytes, in the form that the client reads."""
    if form == "json":
        return len(wire.encode(wire.dump(answer)))
    return len(write_lines(list(answer.render())).encode())


def _outcome(step: PlannedStep, outcome: StepResult) -> StepOutcome:
    target = safe_text(step.target or "", _TARGET_CHARS)
    return StepOutcome(do=step.do, target=target, outcome=outcome.outcome, detail=outcome.note)


def _summary(run: ActRun, planned: int, *, nothing: bool, wait_note: str) -> str:
    done = sum(outcome.outcome == "done" for outcome in run.outcomes)
    words = [f"{done} of {number_of(planned, 'step')} done." if run.failed else f"{number_of(planned, 'step')} done."]
    if run.ended:
        words.append(run.ended)
    elif nothing and done:
        words.append("Nothing happened: no request, message, navigation or change on the page until it was at rest.")
    if wait_note:
        words.append(f"wait_for: {wait_note}.")
    return " ".join(words)


def _tree_words(shown: PageChange) -> str:
    if not shown.lines:
        return ""
    return "Controls on the page" if shown.whole else "Changed on the page (+ came, - went, ~ changed, > moved)"


def _folded(entries: list[LogEntry]) -> list[LogEntry]:
    """The same message once, with its count."""
    folded: dict[tuple[str, str | None], LogEntry] = {}
    for entry in entries:
        key = entry.message, entry.at
        folded[key] = evolve(folded[key], count=folded[key].count + 1) if key in folded else entry
    return list(folded.values())


def _folded_requests(entries: list[NetworkEntry]) -> list[NetworkEntry]:
    """The same failure once, with its count: the newest one."""
    folded: dict[tuple[str, str, int | None, str | None], NetworkEntry] = {}
    for entry in entries:
        key = entry.method, entry.url, entry.status, entry.failure
        folded[key] = evolve(entry, count=folded[key].count + 1) if key in folded else entry
    return list(folded.values())


def _body(context: Context, record: NetworkRecord) -> str | None:
    """What a call of the page got, or a document. The error page in place of a picture says nothing."""
    kept = None if record.type in STATIC else context.telemetry.body_of(record.id)
    return kept.response_body if kept else None


def _events(caused: Consequences) -> list[str]:
    downloads = [f"Download {quoted(name, 80) if name else REDACTED}" for name in caused.downloads]
    tabs = [f"Opened tab {tab.tab_id}, {word(tab.source.url, 100)}" for tab in caused.new_tabs]
    return [*(safe_text(record.text, _TEXT_CHARS) for record in caused.events), *downloads, *tabs]
