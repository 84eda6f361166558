"""`analyze`: findings about a page, each with its cause and fix. Each action is an entry in `ACTIONS`."""

import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Literal

from attrs import field, frozen

from gasoline_cdp import limits, memory_limits, wire
from gasoline_cdp.analysis.normalise import origin_of
from gasoline_cdp.answers.amounts import clock
from gasoline_cdp.answers.arguments import max_bytes_argument, tab_argument
from gasoline_cdp.answers.audit_finding_lines import affected_bytes, audit_finding_bytes, audit_finding_lines
from gasoline_cdp.answers.finding_entries import audit_entry
from gasoline_cdp.answers.lines import Line, note
from gasoline_cdp.answers.paging import iso
from gasoline_cdp.answers.quoting import word
from gasoline_cdp.answers.shared_facts import SharedFacts
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.audits.axe_runs import spread
from gasoline_cdp.audits.heap_questions import MemoryRequest
from gasoline_cdp.audits.memory import SCOPES, analyze_memory
from gasoline_cdp.audits.memory_answers import MemoryAnswer
from gasoline_cdp.audits.page_audit import run_audit
from gasoline_cdp.audits.page_security import PageSecurity, analyze_security
from gasoline_cdp.comparisons.regression import RegressionAnswer, analyze_regression
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.findings import SEVERITIES, by_severity
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Needs, Tool

# The keys of ACTIONS, and the scopes of all actions.
ActionName = Literal["audit", "memory", "security", "regression"]
Scope = Literal[
    "full", "accessibility", "performance", "headers", "cookies", "storage", "baseline", "compare",
    "snapshot", "leaks", "retainers", "classes", "strings", "closures", "object",
]  # fmt: skip

# Room for the fields around the findings and a notice.
_AROUND = 1000


@frozen(kw_only=True)
class AnalyzeArgs:
    """Arguments of analyze."""

    action: ActionName = wire.choice(
        "audit: quality of the page; memory: leaks; security; regression: compare with its baseline"
    )
    scope: Scope | None = wire.arg(
        "audit: full, accessibility, performance; security: full, headers, cookies, storage; regression: compare, "
        "baseline; memory: snapshot (name keeps the heap), compare, leaks, retainers, classes, strings, closures, "
        "object",
        default=None,
    )
    name: str | None = wire.arg("regression, memory: the baseline", default=None, only=("regression", "memory"))
    of: str | None = wire.arg("memory: class, @id; worker URL", default=None, only=("memory",))
    rounds: int | None = wire.arg(
        "leaks: repetitions since", default=None, minimum=1, maximum=memory_limits.HEAP_ROUNDS_MAX, only=("memory",)
    )
    selector: str | None = wire.arg("accessibility: audit only inside this element.", default=None, only=("audit",))
    force_refresh: bool = wire.arg("Ignore the 10 s cache.", default=False)
    tab_id: int | None = tab_argument()
    max_bytes: int | None = max_bytes_argument()


@frozen(kw_only=True)
class AnalyzeAnswer:
    """Findings, worst first. `count` is the total, `affected` has the first elements. `partial` has `warnings`."""

    status: str
    action: str
    scope: str
    tab_id: int
    url: str
    # When the page was audited. Earlier than now if `cached`.
    timestamp: str
    duration_ms: int
    cached: bool
    findings: list[dict[str, Any]]
    summary: dict[str, Any]
    warnings: list[str]
    left_out: int = 0
    notes: list[str] = field(factory=list)

    def render(self) -> Iterator[Line]:
        """Scores and counts, findings with fixes and affected elements, and what is missing."""
        yield Line(" ".join((self._numbers(), f"tab {self.tab_id}, {word(self.url)}")), tone="heading")
        if self.warnings:
            yield Line(f"Partial: {', '.join(self.warnings)}.", tone="warning")
        shared = SharedFacts(origin=origin_of(self.url))
        mixed = len({entry["category"] for entry in self.findings}) > 1
        for entry in self.findings:
            yield from audit_finding_lines(entry, shared, entry["category"] if mixed else "")
        yield from (note(text) for text in self.notes)
        if self.left_out:
            short = number_of(self.left_out, "finding")
            yield note(f"Only named, or missing: {short}. A larger max_bytes shows them whole.")

    def _numbers(self) -> str:
        """`20 findings: 5 critical, 4 high; 81 of 99 rules passed; scores: seo 80`."""
        if "total_rules" not in self.summary:
            return "Not audited."
        counts = {name: self.summary.get(name, 0) for name in SEVERITIES}
        severities = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
        scores = ", ".join(f"{name} {points}" for name, points in self.summary.get("scores", {}).items())
        parts = (
            f"{number_of(sum(counts.values()), 'finding')}: {severities}" if severities else "No findings",
            f"{self.summary['passed']} of {number_of(self.summary['total_rules'], 'rule')} passed",
            f"scores of 100: {scores}" if scores else "",
            f"audited at {clock(self.timestamp)}" if self.cached else "",
        )
        return "; ".join(part for part in parts if part) + "."


AnyAnswer = AnalyzeAnswer | PageSecurity | RegressionAnswer | MemoryAnswer


@frozen(kw_only=True)
class Action:
    """One action: its scopes, of which the first is the default, and its function."""

    scopes: tuple[str, ...]
    run: Callable[[AnalyzeArgs, str, Context], Awaitable[AnyAnswer]]


async def audit(args: AnalyzeArgs, scope: str, context: Context) -> AnalyzeAnswer:
    """Audit the page."""
    start = time.perf_counter()
    tab = context.tabs.pick(args.tab_id)
    url = tab.source.url
    audited, cached = await run_audit(context, tab, scope, args.selector, force=args.force_refresh)
    entries = [audit_entry(finding) for finding in by_severity(audited.findings)]
    room = (args.max_bytes or limits.ANSWER_BYTES) - _AROUND
    sizes = (audit_finding_bytes, affected_bytes) if context.form == "lines" else ()
    findings, left_out = spread(entries, "affected", room, *sizes)
    return AnalyzeAnswer(
        status="partial" if audited.warnings else "success",
        action="audit",
        scope=scope,
        tab_id=tab.tab_id,
        url=url,
        timestamp=iso(audited.audited_at),
        duration_ms=round((time.perf_counter() - start) * 1000),
        cached=cached,
        findings=findings,
        summary=audited.summary,
        warnings=audited.warnings,
        left_out=left_out,
        notes=audited.notes,
    )


async def security(args: AnalyzeArgs, scope: str, context: Context) -> PageSecurity:
    """Check the security of the page."""
    room = (args.max_bytes or limits.ANSWER_BYTES) - _AROUND
    return await analyze_security(args.tab_id, scope, room, context)


async def memory(args: AnalyzeArgs, scope: str, context: Context) -> MemoryAnswer:
    """Measure the memory of the page, and find who holds too much of it."""
    request = MemoryRequest(
        scope=scope,
        tab_id=args.tab_id,
        name=args.name,
        of=args.of,
        rounds=args.rounds,
        fresh=args.force_refresh,
        max_bytes=args.max_bytes or limits.ANSWER_BYTES,
    )
    return await analyze_memory(request, context)


async def regression(args: AnalyzeArgs, scope: str, context: Context) -> RegressionAnswer:
    """Compare the page with its baseline."""
    return await analyze_regression(args.name, args.tab_id, scope, args.max_bytes, context)


ACTIONS: dict[ActionName, Action] = {
    "audit": Action(scopes=("full", "accessibility", "performance"), run=audit),
    "memory": Action(scopes=SCOPES, run=memory),
    "security": Action(scopes=("full", "headers", "cookies", "storage"), run=security),
    "regression": Action(scopes=("compare", "baseline"), run=regression),
}


async def analyze(args: AnalyzeArgs, context: Context) -> AnyAnswer:
    """Run the action."""
    action = ACTIONS[args.action]
    scope = args.scope or action.scopes[0]
    if scope not in action.scopes:
        raise GasolineError(
            Code.INVALID_PARAMS,
            f"{args.action} has no scope {scope!r}. Scopes of {args.action}: {', '.join(action.scopes)}.",
            problems=[f"scope is not one of {args.action}"],
        )
    return await action.run(args, scope, context)


TOOLS = (
    Tool(
        name="analyze",
        title="Analyse a page",
        description=(
            "Needs the pilot. Audit the page (scores, findings with cause and fix), compare it with its baseline, find "
            "who holds leaked memory. Takes seconds."
        ),
        args=AnalyzeArgs,
        answer=AnalyzeAnswer,
        run=analyze,
        needs=Needs(pilot=True, slow=True, deadline=memory_limits.HEAP_SECONDS, tab="pinned"),
    ),
)
