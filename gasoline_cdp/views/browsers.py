"""A browser as an entry, in `status` and over HTTP."""

from collections.abc import Iterator

from attrs import field, frozen

from gasoline_cdp.answers.lines import Line, Tone
from gasoline_cdp.answers.paging import iso
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.browser.status import BrowserStatus
from gasoline_cdp.operations.context import Context

_GAPS_SHOWN = 3


@frozen(kw_only=True)
class GapEntry:
    """A time during which nothing of a browser was seen, since its connection was lost."""

    since: str
    until: str
    reason: str


@frozen(kw_only=True)
class BrowserEntry:
    """A browser: its name in records and filters, and its state."""

    browser: str
    state: str
    mode: str
    version: str
    tabs: int
    note: str | None = None
    # The last times at which nothing of it was seen, and how many there were.
    gaps: list[GapEntry] = field(factory=list)
    gaps_total: int = 0
    # What it costs: requests and messages of it that are kept, their bytes, and seconds of processor time so far.
    records: int = 0
    record_bytes: int = 0
    cpu_seconds: float = 0.0

    def line(self) -> Line:
        """Its version and state, what it costs, and what happened to it."""
        words = (
            self.version,
            self.mode,
            self.state if self.state != "running" else "",
            number_of(self.tabs, "tab"),
            cost_of(self.records, self.record_bytes, self.cpu_seconds),
        )
        note = f". {self.note}" if self.note else ""
        tone: Tone = "plain" if self.state == "running" else "warning"
        return Line(", ".join(filter(None, words)) + note, tag=f"browser {self.browser}", tone=tone)


def show_gaps(status: BrowserStatus) -> list[GapEntry]:
    """The last gaps of a browser, oldest first."""
    gaps = list(status.gaps)[-_GAPS_SHOWN:]
    return [GapEntry(since=iso(gap.since), until=iso(gap.until), reason=gap.reason) for gap in gaps]


def gap_lines(gaps: list[GapEntry], total: int, tag: str) -> Iterator[Line]:
    """One line for each gap, and how many are not listed."""
    for gap in gaps:
        yield Line(f"nothing seen from {gap.since} to {gap.until}: {gap.reason}", tag=tag, tone="warning")
    if total > len(gaps):
        yield Line(f"{total - len(gaps)} earlier gaps", tag=tag, tone="warning")


def cost_of(records: int, record_bytes: int, cpu_seconds: float) -> str:
    """What a browser costs the daemon, in words."""
    return f"{number_of(records, 'record')} of {record_bytes / 2**20:.1f} MB, {cpu_seconds:.1f} s of processor time"


def show_browser(status: BrowserStatus, context: Context) -> BrowserEntry:
    """A browser as an entry."""
    records, record_bytes = context.telemetry.kept_of(status.browser_id)
    return BrowserEntry(
        browser=status.browser_id,
        state=status.state,
        mode=status.mode,
        version=status.version,
        tabs=sum(1 for _ in context.tabs.open(status.browser_id)),
        note=status.note or None,
        gaps=show_gaps(status),
        gaps_total=status.gaps_total,
        records=records,
        record_bytes=record_bytes,
        cpu_seconds=round(status.busy_seconds, 2),
    )
