"""`run_accessibility_audit`: violations that axe-core finds in a page and its frames, with fixes."""

from collections.abc import Iterator
from typing import Any

from attrs import field, frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.answers.amounts import clock
from gasoline_cdp.answers.arguments import max_bytes_argument, tab_argument
from gasoline_cdp.answers.lines import AnswerForm, Line, note
from gasoline_cdp.answers.paging import iso
from gasoline_cdp.answers.quoting import word
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.audits.audit_pages import AuditPage, fill_audit_page
from gasoline_cdp.audits.axe_runs import in_turn, run_axe, steps_of
from gasoline_cdp.audits.rule_lines import passed_lines, rule_lines
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Needs, Tool
from gasoline_cdp.probe.accessibility import AxeRequest, AxeRun
from gasoline_cdp.redact import safe_url

# Room for the fields around the lists and a notice.
_AROUND = 900
# Labels of the lists of rules that are left out.
_KINDS = {"violations": "", "incomplete": "to be looked at: ", "passes": "passed: "}


@frozen(kw_only=True)
class AccessibilityArgs:
    """Arguments of run_accessibility_audit."""

    scope: str | None = wire.arg("a selector", default=None)
    tags: list[str] | None = wire.arg("wcag2a, wcag2aa, best-practice, …", default=None)
    include_passes: bool = wire.arg("Also list the rules that passed.", default=False)
    force_refresh: bool = wire.arg("Ignore the 30 s cache.", default=False)
    tab_id: int | None = tab_argument()
    cursor: str | None = wire.arg("The `cursor` of an earlier answer: continue after it.", default=None)
    max_bytes: int | None = max_bytes_argument()


@frozen(kw_only=True)
class AccessibilityAnswer:
    """Violations by rule, worst first. What all nodes of a rule share (`fix`, `failureSummary`) is given at the rule.

    A node with `same_as` has the same texts as the node with that selector. `nodeCount` counts all elements of a rule.
    `left_out` counts the elements still to come, by rule; `cursor` fetches them.
    """

    status: str
    url: str
    tab_id: int
    # When the page was audited. Earlier than now if `cached`.
    timestamp: str
    # Counts of rules, and of elements that fail. None if the audit did not finish.
    summary: dict[str, int] | None
    violations: list[dict[str, Any]]
    # Rules that a person has to check.
    incomplete: list[dict[str, Any]] = field(factory=list)
    passes: list[dict[str, Any]] = field(factory=list)
    cached: bool = False
    frames: int = 1
    frames_unreached: int = 0
    warnings: list[str] = field(factory=list)
    left_out: dict[str, dict[str, int]] = field(factory=dict)
    cursor: str | None = None
    message: str | None = None

    def render(self) -> Iterator[Line]:
        """Counts and the page, rules with their elements, what a person has to check, and what is missing."""
        yield Line(" ".join((self._numbers(), f"tab {self.tab_id}, {word(self.url)}")), tone="heading")
        if self.warnings:
            yield Line(f"Partial: {', '.join(self.warnings)}.", tone="warning")
        if self.message:
            yield note(self.message, "warning")
        for rule in self.violations:
            yield from rule_lines(rule)
        if self.incomplete:
            yield Line("To be looked at by a person:", tone="heading")
            for rule in self.incomplete:
                yield from rule_lines(rule)
        if self.passes:
            yield Line("Passed, with the number of elements:", tone="heading")
            yield from passed_lines(self.passes)
        if self.left_out:
            total = sum(sum(rules.values()) for rules in self.left_out.values())
            named = "; ".join(
                f"{_KINDS[kind]}{', '.join(f'{word(name)} {count}' for name, count in rules.items())}"
                for kind, rules in self.left_out.items()
            )
            yield note(f'{total} more: cursor="{self.cursor}" ({named})')

    def _numbers(self) -> str:
        """`13 violations, 131 elements; 2 to be looked at; 15 rules passed`."""
        if self.summary is None:
            return "Not audited."
        counts = self.summary
        broken = f"{number_of(counts['violations'], 'violation')}, {number_of(counts['elements'], 'element')}"
        parts = (
            broken if counts["violations"] else "No violations",
            f"{counts['incomplete']} to be looked at" if counts["incomplete"] else "",
            f"{number_of(counts['passes'], 'rule')} passed",
            f"{self.frames} frames" if self.frames > 1 else "",
            f"audited at {clock(self.timestamp)}" if self.cached else "",
        )
        return "; ".join(part for part in parts if part) + "."


async def run_accessibility_audit(args: AccessibilityArgs, context: Context) -> AccessibilityAnswer:
    """Audit the tab when it is its turn, or continue the list of an earlier audit."""
    if args.cursor is not None:
        run, start = _resume(args.cursor, context)
        return _answer(run, start, args, context.form, cached=True)
    tab = context.tabs.pick(args.tab_id)
    request = AxeRequest(
        scope=steps_of(args.scope),
        # An empty list means the default.
        tags=tuple(args.tags) if args.tags else None,
        passes=args.include_passes,
    )

    async def audit() -> AccessibilityAnswer:
        run, cached = await run_axe(
            context,
            tab,
            request,
            fresh=limits.ACCESSIBILITY_FRESH_SECONDS,
            force_refresh=args.force_refresh,
        )
        if run.result:
            return _answer(run, 0, args, context.form, cached=cached)
        message = "The page navigated while it was audited, so nothing can be said of it. Call again."
        return AccessibilityAnswer(
            status="partial",
            url=tab.source.url,
            tab_id=tab.tab_id,
            timestamp=iso(run.taken_at),
            summary=None,
            violations=[],
            warnings=run.warnings,
            message=message,
        )

    return await in_turn(context, tab, limits.ACCESSIBILITY_TOOL_SECONDS, audit, narrow="Narrow the audit with scope")


def _resume(cursor: str, context: Context) -> tuple[AxeRun, int]:
    """The audit that a cursor belongs to, and where to continue."""
    number, _, start = cursor.partition("-")
    if not all(part.isascii() and part.isdigit() and len(part) <= 15 for part in (number, start)):
        raise GasolineError(
            Code.INVALID_PARAMS,
            f"cursor must come from an earlier answer, not be {cursor[:40]!r}. Leave it out to audit the page.",
            problems=["cursor is not one of ours"],
        )
    for run in context.audits.kept():
        if isinstance(run, AxeRun) and run.number == int(number):
            return run, int(start)
    raise GasolineError(
        Code.INVALID_PARAMS,
        "The audit of this cursor is no longer kept. Leave cursor out to audit the page again.",
        problems=["cursor is of an audit that is no longer kept"],
    )


def _answer(run: AxeRun, start: int, args: AccessibilityArgs, form: AnswerForm, *, cached: bool) -> AccessibilityAnswer:
    page = fill_audit_page(run, start, (args.max_bytes or limits.ANSWER_BYTES) - _AROUND, form)
    return AccessibilityAnswer(
        status="partial" if run.warnings else "success",
        url=safe_url(run.result["url"]),
        tab_id=run.tab_id,
        timestamp=iso(run.taken_at),
        summary={
            "violations": len(run.result["violations"]),
            "elements": sum(rule["nodeCount"] for rule in run.result["violations"]),
            **{name: len(run.result[name]) for name in ("passes", "incomplete")},
            "inapplicable": run.result["inapplicable"],
        },
        violations=page.violations,
        incomplete=page.incomplete,
        passes=page.passes,
        cached=cached,
        frames=run.frames,
        frames_unreached=run.frames_unreached,
        warnings=run.warnings,
        left_out=page.left_out,
        cursor=f"{run.number}-{page.end}" if page.left_out else None,
        message=_missing(run, page),
    )


def _missing(run: AxeRun, page: AuditPage) -> str | None:
    unreached, sentences = run.frames_unreached, []
    if "timeout" in run.warnings:
        sentences.append("Not every frame answered in time: violations in those that did not are missing.")
    elif unreached:
        sentences.append(
            f"{number_of(unreached, 'frame')} could not be checked: not loaded, hung, or no document for scripts."
        )
    if page.beyond:
        sentences.append(
            f"{number_of(page.beyond, 'element')} beyond the {limits.AUDIT_ELEMENTS} that one audit lists: "
            "narrow it with scope to see them."
        )
    return " ".join(sentences) or None


TOOLS = (
    Tool(
        name="run_accessibility_audit",
        title="Accessibility audit",
        description=(
            "Run axe-core in the page and its frames: violations by element, each with its fix. Takes seconds."
        ),
        args=AccessibilityArgs,
        answer=AccessibilityAnswer,
        run=run_accessibility_audit,
        needs=Needs(slow=True, deadline=limits.ACCESSIBILITY_TOOL_SECONDS + limits.AUDIT_RESERVE_SECONDS, tab="pinned"),
    ),
)
