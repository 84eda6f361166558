"""What happened in a test, as lines for people: in a test report, in the message of a failure, in the log of a job."""

from collections.abc import Iterator

from attrs import evolve, field, frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.answers.lines import Line, note
from gasoline_cdp.answers.network_entries import NetworkEntry, show_network
from gasoline_cdp.answers.quoting import quoted
from gasoline_cdp.answers.shared_facts import SharedFacts
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.operations.client import Client
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Needs, Operation
from gasoline_cdp.operations.record_filters import FilterArgs, flush, record_filter
from gasoline_cdp.views.console import list_errors
from gasoline_cdp.views.listing import Listing, ObserveArgs, requested_window
from gasoline_cdp.views.timeline import list_timeline

_PENDING_SHOWN = 5
# Where no error explains why a test failed: what its pages did last.
_LAST_SHOWN = 6
# The errors in it: it stands in test reports, for people.
_SUMMARY_BYTES = 16 * limits.KB


@frozen(kw_only=True)
class SummaryArgs(FilterArgs):
    """Arguments of /snapshot?format=summary."""

    since: str | None = wire.arg("ISO time, an age such as 30s, 5m, or change (of the code)", default=None)
    format: str | None = wire.arg("summary", default=None)


@frozen(kw_only=True)
class TestSummary:
    """What failed, in the lines of `observe(what="errors")`; then what was not answered, and what is not sure."""

    heading: str
    errors: Listing
    # Of a test without errors: what was done, and what the page asked for.
    last: Listing | None = None
    pending: list[NetworkEntry] = field(factory=list)
    pending_left_out: int = 0
    notes: list[str] = field(factory=list)

    def render(self) -> Iterator[Line]:
        """The decisive lines first."""
        if self.heading:
            yield Line(self.heading, tone="heading")
        yield from self.errors.render()
        if self.last is not None and self.last.entries:
            yield Line("What happened last, newest first:", tone="heading")
            yield from self.last.render()
        if self.pending:
            shared = SharedFacts.of(self.pending)
            more = f" ({self.pending_left_out} more)" if self.pending_left_out else ""
            yield Line(f"Requests without an answer{more}:", tone="heading")
            for one in self.pending:
                yield from one.lines(shared, limits.LINE_TEXT_CHARS)
        yield from map(note, self.notes)


async def summarise_test(args: SummaryArgs, context: Context) -> TestSummary:
    """What failed in a test, and what it still waited for."""
    wanted = record_filter(args)
    await flush(wanted, context)
    await context.capture.wait_known(elements=False)
    # A client of its own: what others were shown does not change.
    context = evolve(context, client=Client("http"), form="lines")
    window = requested_window(args.since, wanted, context)
    asked = ObserveArgs(
        what="errors",
        since=args.since,
        test_id=args.test_id,
        retry=args.retry,
        worker=args.worker,
        browser_context_id=args.browser_context_id,
        browser=args.browser,
        max_bytes=_SUMMARY_BYTES,
    )
    errors = list_errors(asked, context)
    last = None if errors.entries else list_timeline(evolve(asked, what="timeline", limit=_LAST_SHOWN), context)
    pending = [
        record for record in context.capture.pending_requests() if record.outcome == "pending" and record in window
    ]
    telemetry = context.telemetry
    warnings = sum(record.level == "warning" and record in window for record in telemetry.logs.newest())
    requests = sum(record in window for record in telemetry.network.newest())
    return TestSummary(
        heading=_heading(args),
        errors=errors,
        last=last,
        pending=[show_network(record) for record in pending[:_PENDING_SHOWN]],
        pending_left_out=max(0, len(pending) - _PENDING_SHOWN),
        notes=[
            f"Besides: {number_of(warnings, 'warning')}, {number_of(requests, 'request')}.",
            *_doubts(args, context),
        ],
    )


def _heading(args: SummaryArgs) -> str:
    if args.test_id is None:
        return ""
    retry = f", retry {args.retry}" if args.retry else ""
    return f"Test {quoted(args.test_id, limits.TEST_ID_CHARS)}{retry}"


def _doubts(args: SummaryArgs, context: Context) -> Iterator[str]:
    """Why some of it may belong to others."""
    if args.test_id is None:
        return
    runs = context.boundaries.runs_of(args.test_id, args.retry, args.worker)
    if by_time := [run for run in runs if not run.contexts]:
        others = max(map(context.boundaries.overlapping, by_time))
        yield "Assigned by time: this test named no browser context." + (
            f" {number_of(others, 'other test')} ran at the same time, and their records may be among these."
            if others
            else ""
        )


SUMMARY = Operation(
    name="/snapshot?format=summary",
    args=SummaryArgs,
    answer=TestSummary,
    run=summarise_test,
    needs=Needs(browser=False),
)
