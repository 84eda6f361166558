"""`security_audit`: secrets and personal data in the captured traffic, and how well it is protected."""

from collections import Counter
from collections.abc import Collection, Iterator

from attrs import field, frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.analysis.normalise import endpoint_of, origin_of
from gasoline_cdp.analysis.security.audit import Traffic, audit
from gasoline_cdp.analysis.security.checks import CHECKS, Check
from gasoline_cdp.analysis.security.local_hosts import is_local
from gasoline_cdp.answers.finding_entries import SecurityFindingEntry, security_entry, security_lines, security_sizes
from gasoline_cdp.answers.lines import Line, note, rest_of
from gasoline_cdp.answers.paging import ListingArgs, budget_of, fitting, json_bytes, start_of
from gasoline_cdp.answers.quoting import word
from gasoline_cdp.answers.shared_facts import SharedFacts
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.audits.traffic import LOCAL_NOTE, body_notes, traffic_of, with_pages
from gasoline_cdp.findings import AlertLevel, Finding, alert_level, by_alert_level
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Tool
from gasoline_cdp.operations.record_filters import settle_bodies

_CALLS = {"XHR", "Fetch"}
_ENVELOPE = 1200


@frozen(kw_only=True)
class AuditArgs:
    """Arguments of security_audit."""

    checks: list[Check] | None = wire.arg("Checks to run (default: all).", default=None)
    severity_min: AlertLevel = wire.arg("Lowest severity to report.", default="warning")
    tab_id: int | None = wire.arg("Include only this tab.", default=None, minimum=0)
    url_filter: str | None = wire.arg("Include only URLs that contain this text.", default=None)
    limit: int | None = wire.arg("Maximum number of entries.", default=None, minimum=1, maximum=limits.ENTRIES_MAX)
    cursor: str | None = wire.arg("The `cursor` of an earlier answer: continue after it.", default=None)


@frozen(kw_only=True)
class Scanned:
    """What was scanned."""

    network_requests: int
    console_entries: int
    unique_endpoints: int
    websocket_events: int

    def sentence(self) -> str:
        """`Scanned: 60 requests to 27 endpoints, 5 console entries`."""
        parts = (
            f"{number_of(self.network_requests, 'request')} to {number_of(self.unique_endpoints, 'endpoint')}",
            f"{self.console_entries} console entries" if self.console_entries else "",
            number_of(self.websocket_events, "WebSocket event") if self.websocket_events else "",
        )
        return f"Scanned: {', '.join(part for part in parts if part)}."


@frozen(kw_only=True)
class AuditSummary:
    """Counts of all findings, including those not shown. `below_severity_min` were left out on request."""

    total: int
    critical: int
    warning: int
    info: int
    below_severity_min: int = 0
    scanned: Scanned

    def sentence(self) -> str:
        """`7 findings: 5 warning, 2 info`."""
        counts = (("critical", self.critical), ("warning", self.warning), ("info", self.info))
        severities = ", ".join(f"{count} {name}" for name, count in counts if count)
        return f"{number_of(self.total, 'finding')}: {severities}." if severities else "No findings."


@frozen(kw_only=True)
class AuditAnswer:
    """Findings, worst first, one per kind and endpoint, with a count. `cursor` fetches the rest."""

    summary: AuditSummary
    findings: list[SecurityFindingEntry]
    left_out: int = 0
    cursor: str | None = None
    by_category: dict[str, int] = field(factory=dict)
    # What could not be seen or was not checked.
    notes: list[str] = field(factory=list)

    def render(self) -> Iterator[Line]:
        """The counts, findings grouped by problem, what was not checked, and how to get the rest."""
        origins = Counter(origin for finding in self.findings if (origin := origin_of(finding.address)))
        pages = {str(finding.evidence.get("page_url", "")) for finding in self.findings}
        shared = SharedFacts(
            origin=origins.most_common(1)[0][0] if origins else "",
            page=pages.pop() if len(pages) == 1 else "",
        )
        words = (
            self.summary.sentence(),
            self.summary.scanned.sentence(),
            word(shared.origin) if shared.origin else "",
            f"on {word(shared.page)}" if shared.page else "",
        )
        yield Line(" ".join(filter(None, words)), tone="heading")
        yield from security_lines(self.findings, shared)
        yield from (note(text) for text in self.notes)
        yield from rest_of(self.left_out, self.cursor)


async def security_audit(args: AuditArgs, context: Context) -> AuditAnswer:
    """Check what was captured. Open pages are asked only for storage key names and policies."""
    await settle_bodies(context)
    filters = ListingArgs(tab_id=args.tab_id, url_filter=args.url_filter, limit=args.limit)
    checks = tuple(check for check in CHECKS if args.checks is None or check in args.checks)
    traffic = await with_pages(traffic_of(filters, context), filters, context, checks)
    findings = list(audit(traffic, checks))
    if traffic.seen:
        # Without any traffic nothing was audited, and a report must not look clean.
        context.audit_findings.add_traffic(
            (checks, args.tab_id, args.url_filter), tuple(findings), whole=is_whole(args)
        )
    chosen = by_alert_level(findings, args.severity_min)
    offset = start_of(args.cursor) or 0
    most = limits.ENTRIES_IN_LINES if context.form == "lines" else limits.ENTRIES_DEFAULT
    page = chosen[offset : offset + (args.limit or most)]
    size = security_sizes() if context.form == "lines" else json_bytes
    shown = fitting([security_entry(finding) for finding in page], budget_of(filters) - _ENVELOPE, size)
    after = offset + len(shown)
    counts = Counter(alert_level(finding.severity) for finding in chosen)
    return AuditAnswer(
        summary=AuditSummary(
            total=len(chosen),
            critical=counts["critical"],
            warning=counts["warning"],
            info=counts["info"],
            below_severity_min=len(findings) - len(chosen),
            scanned=_scanned(traffic),
        ),
        findings=shown,
        left_out=len(chosen) - after,
        cursor=str(after) if shown and after < len(chosen) else None,
        by_category=dict(Counter(finding.category for finding in chosen)),
        notes=[*_hidden(findings, chosen, args), *_notes(traffic, context, checks)],
    )


def is_whole(args: AuditArgs) -> bool:
    """Whether all checks run on everything that was captured."""
    return not args.url_filter and args.tab_id is None and set(args.checks or CHECKS) == set(CHECKS)


def _scanned(traffic: Traffic) -> Scanned:
    return Scanned(
        network_requests=len(traffic.network),
        console_entries=len(traffic.logs),
        unique_endpoints=len({endpoint_of(record.method, record.url) for record in traffic.network}),
        websocket_events=len(traffic.sockets),
    )


def _hidden(findings: list[Finding], chosen: list[Finding], args: AuditArgs) -> list[str]:
    """What `severity_min` left out, by category."""
    less = Counter(finding.category for finding in findings) - Counter(finding.category for finding in chosen)
    if not less:
        return []
    listed = ", ".join(f"{count} {category}" for category, count in less.items())
    return [f"Below severity_min={args.severity_min}, not shown: {listed}. severity_min=info shows all."]


def _notes(traffic: Traffic, context: Context, checks: Collection[Check]) -> list[str]:
    notes = [*body_notes(context)]
    if "credentials" in checks:
        notes += _unsearched(traffic, context)
    if any(is_local(record.url) for record in traffic.network):
        notes.append(LOCAL_NOTE)
    if dropped := context.telemetry.sightings.dropped:
        notes.append(f"{dropped} older sightings of secrets or personal data were dropped.")
    return notes


def _unsearched(traffic: Traffic, context: Context) -> list[str]:
    """What was not searched for secrets: pages and scripts unless all bodies are kept, the end of long responses."""
    mode = context.capture.bodies.mode
    counts = Counter(record.type for record in traffic.network if record.outcome == "ok")
    named = (("Document", "page"), ("Script", "script"), ("Stylesheet", "style sheet"))
    notes = []
    left_out = ", ".join(number_of(counts[kind], noun) for kind, noun in named if counts[kind])
    if left_out and mode == "errors":
        notes.append(f"Not searched for secrets: {left_out}. Start with --bodies all to search the beginning of each.")
    kept = {kind for kind, _ in named} | _CALLS if mode == "all" else _CALLS
    long = sum(record.type in kept and record.decoded_bytes > limits.RESPONSE_BODY_BYTES for record in traffic.network)
    if long and mode != "off":
        size = f"{limits.RESPONSE_BODY_BYTES // limits.KB} KB"
        notes.append(f"Longer than {size}, so only their first {size} were searched: {number_of(long, 'answer')}.")
    return notes


TOOLS: tuple[Tool, ...] = (
    Tool(
        name="security_audit",
        title="Security audit",
        description="Security problems of the captured traffic, each with its fix. Cheap.",
        args=AuditArgs,
        answer=AuditAnswer,
        run=security_audit,
    ),
)
