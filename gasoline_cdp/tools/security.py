"""`security_audit`: what the captured traffic gives away, and what protects it."""

from collections import Counter
from collections.abc import Collection

import trio
from attrs import evolve, field, frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.analysis.findings import CHECKS, Check, SecurityFinding, Severity, at_least
from gasoline_cdp.analysis.issues import is_local
from gasoline_cdp.analysis.normalise import endpoint_of
from gasoline_cdp.analysis.security import Traffic, audit
from gasoline_cdp.probe.kept import try_policies, try_storage_keys
from gasoline_cdp.tools.paging import ListingArgs, budget_of, fitting, matches, start_of
from gasoline_cdp.tools.spec import Context, Tool
from gasoline_cdp.tools.wording import number_of

LOCAL_NOTE = "localhost is treated as development: transport, HSTS and Secure cookies are not judged there."
_TABS_ASKED = 5
_CALLS = {"XHR", "Fetch"}
_ENVELOPE = 1200


@frozen(kw_only=True)
class AuditArgs:
    """Arguments of security_audit."""

    checks: list[Check] | None = wire.arg("default: all", default=None)
    severity_min: Severity = wire.arg("lowest severity to report", default="warning")
    tab_id: int | None = wire.arg("only this tab", default=None, minimum=0)
    url_filter: str | None = wire.arg("only URLs with this", default=None)
    limit: int | None = wire.arg("at most", default=None, minimum=1, maximum=limits.ENTRIES_MAX)
    cursor: str | None = wire.arg("from an earlier answer", default=None)


@frozen(kw_only=True)
class Scanned:
    """What was looked at."""

    network_requests: int
    console_entries: int
    unique_endpoints: int
    websocket_events: int


@frozen(kw_only=True)
class AuditSummary:
    """How many findings there are, those not shown included. `below_severity_min` were left out on request."""

    total: int
    critical: int
    warning: int
    info: int
    below_severity_min: int = 0
    scanned: Scanned


@frozen(kw_only=True)
class AuditAnswer:
    """Findings, the worst first; one for each kind and endpoint, with a count. `cursor` leads to the rest."""

    summary: AuditSummary
    findings: list[SecurityFinding]
    left_out: int = 0
    cursor: str | None = None
    by_category: dict[str, int] = field(factory=dict)
    # What could not be seen, or was not judged.
    notes: list[str] = field(factory=list)


async def security_audit(args: AuditArgs, context: Context) -> AuditAnswer:
    """Judge what was captured; open pages are asked for the names of their storage keys and their policies only."""
    await settle_bodies(context)
    filters = ListingArgs(tab_id=args.tab_id, url_filter=args.url_filter, limit=args.limit)
    checks = tuple(check for check in CHECKS if args.checks is None or check in args.checks)
    storage, policies = await _ask_pages(args, context, checks)
    traffic = evolve(traffic_of(filters, context), storage=storage, meta_policies=policies)
    found = list(audit(traffic, checks))
    chosen = at_least(found, args.severity_min)
    offset = start_of(args.cursor) or 0
    page = chosen[offset : offset + (args.limit or limits.ENTRIES_DEFAULT)]
    shown = fitting(page, budget_of(filters) - _ENVELOPE)
    after = offset + len(shown)
    counts = Counter(finding.severity for finding in chosen)
    return AuditAnswer(
        summary=AuditSummary(
            total=len(chosen),
            critical=counts["critical"],
            warning=counts["warning"],
            info=counts["info"],
            below_severity_min=len(found) - len(chosen),
            scanned=_scanned(traffic),
        ),
        findings=shown,
        left_out=len(chosen) - after,
        cursor=str(after) if shown and after < len(chosen) else None,
        by_category=dict(Counter(finding.category for finding in chosen)),
        notes=[*_hidden(found, chosen, args), *_notes(traffic, context, checks)],
    )


async def settle_bodies(context: Context) -> None:
    """Answers that have just come are still being read: wait for them, but not for long."""
    with trio.move_on_after(limits.GLANCE_SECONDS):
        await context.capture.bodies.wait_idle()


def traffic_of(
    args: ListingArgs,
    context: Context,
    *,
    since: float = 0.0,
) -> Traffic:
    """What was captured of the tab and the addresses asked for, from a moment on."""
    telemetry = context.telemetry
    return Traffic(
        network=[
            record for record in telemetry.network.newest() if record.ts >= since and matches(record, args, record.url)
        ],
        logs=[record for record in telemetry.logs.newest() if record.ts >= since and matches(record, args)],
        sockets=[
            record for record in telemetry.sockets.newest() if record.ts >= since and matches(record, args, record.url)
        ],
        sightings=[
            sighting
            for sighting in telemetry.sightings.newest()
            if sighting.last_ts >= since
            and args.tab_id in (None, sighting.place.tab_id)
            and _named(args, sighting.place.url, sighting.place.page_url)
        ],
    )


def _named(args: ListingArgs | AuditArgs, *urls: str) -> bool:
    return not args.url_filter or any(args.url_filter.lower() in url.lower() for url in urls)


async def _ask_pages(
    args: AuditArgs, context: Context, checks: Collection[Check]
) -> tuple[dict[str, tuple[list[str], list[str]]], dict[str, tuple[str, ...]]]:
    """Of open pages: the names of their storage keys by origin, and the policies in their text by loader."""
    storage: dict[str, tuple[list[str], list[str]]] = {}
    policies: dict[str, tuple[str, ...]] = {}
    tabs = [
        tab
        for tab in context.capture.tabs.open()
        if args.tab_id in (None, tab.tab_id) and tab.raw_url.startswith("http") and _named(args, tab.source.url)
    ]
    for tab in tabs[:_TABS_ASKED]:
        if "credentials" in checks and (keys := await try_storage_keys(tab)) is not None:
            storage[keys.origin] = keys.local, keys.session
        loader_id = tab.loader_id
        if "headers" in checks and loader_id and (found := await try_policies(tab)) is not None:
            policies[loader_id] = found
    return storage, policies


def _scanned(traffic: Traffic) -> Scanned:
    return Scanned(
        network_requests=len(traffic.network),
        console_entries=len(traffic.logs),
        unique_endpoints=len({endpoint_of(record.method, record.url) for record in traffic.network}),
        websocket_events=len(traffic.sockets),
    )


def _hidden(found: list[SecurityFinding], chosen: list[SecurityFinding], args: AuditArgs) -> list[str]:
    """What `severity_min` left out, by category."""
    less = Counter(finding.category for finding in found) - Counter(finding.category for finding in chosen)
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
    """What was not searched for secrets: pages and scripts unless all bodies are kept, and the rest of long answers."""
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


def body_notes(context: Context) -> list[str]:
    """Which answers nobody has looked into."""
    bodies = context.capture.bodies
    notes = []
    if bodies.mode == "off":
        notes.append("Bodies are not read (--bodies off): what they hold is not judged.")
    if unread := bodies.inspection.unread:
        notes.append(f"{unread} answers were too large or too many at once, and were not read.")
    return notes


TOOLS: tuple[Tool, ...] = (
    Tool(
        name="security_audit",
        title="Security audit",
        description=(
            "Exposed secrets and personal data, missing authentication, insecure transport, weak headers and cookies "
            "in the captured traffic, each with its fix. Cheap."
        ),
        args=AuditArgs,
        answer=AuditAnswer,
        run=security_audit,
    ),
)
