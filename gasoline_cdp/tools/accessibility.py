"""`run_accessibility_audit`: what axe-core finds in a page and its frames, with what to change."""

from typing import Any

from attrs import field, frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.analysis.accessibility import selector_of, show_violation
from gasoline_cdp.probe.accessibility import AxeRequest
from gasoline_cdp.redact import safe_url
from gasoline_cdp.tools.audits import in_turn, run_axe, spread, steps_of
from gasoline_cdp.tools.paging import iso
from gasoline_cdp.tools.spec import Context, Tool
from gasoline_cdp.tools.wording import number_of

# Room for the fields around the lists, and a notice.
_AROUND = 900


@frozen(kw_only=True)
class AccessibilityArgs:
    """Arguments of run_accessibility_audit."""

    scope: str | None = wire.arg("only inside this selector", default=None)
    tags: list[str] | None = wire.arg("of rules: wcag2a, wcag2aa, best-practice, …", default=None)
    include_passes: bool = wire.arg("list them", default=False)
    force_refresh: bool = wire.arg("not from the last 30 s", default=False)
    tab_id: int | None = wire.arg("default: used last", default=None, minimum=0)
    max_bytes: int | None = wire.arg(
        "of the answer",
        default=None,
        minimum=limits.ANSWER_BYTES_MIN,
        maximum=limits.ANSWER_BYTES_MAX,
    )


@frozen(kw_only=True)
class AccessibilityAnswer:
    """Violations by rule, the worst first; `nodeCount` counts all elements, `nodes` are the first of them."""

    status: str
    url: str
    tab_id: int
    timestamp: str
    # Numbers of rules; not there when the audit did not get that far.
    summary: dict[str, int] | None
    violations: list[dict[str, Any]]
    # What a person has to look at.
    incomplete: list[dict[str, Any]] = field(factory=list)
    passes: list[dict[str, Any]] = field(factory=list)
    cached: bool = False
    frames: int = 1
    frames_unreached: int = 0
    warnings: list[str] = field(factory=list)
    left_out: dict[str, int] = field(factory=dict)
    message: str | None = None


async def run_accessibility_audit(args: AccessibilityArgs, context: Context) -> AccessibilityAnswer:
    """Audit the tab, in its turn."""
    tab = context.capture.tabs.pick(args.tab_id)
    request = AxeRequest(
        scope=steps_of(args.scope),
        # An empty list asks for nothing in particular.
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
        common: dict[str, Any] = {"tab_id": tab.tab_id, "timestamp": iso(run.audited_at), "warnings": run.warnings}
        if not run.result:
            message = "The page navigated while it was audited, so nothing can be said of it. Call again."
            return AccessibilityAnswer(
                status="partial", url=tab.source.url, summary=None, violations=[], message=message, **common
            )
        budget = (args.max_bytes or limits.ANSWER_BYTES) - _AROUND
        return AccessibilityAnswer(
            status="partial" if run.warnings else "success",
            url=safe_url(run.result["url"]),
            summary={
                **{name: len(run.result[name]) for name in ("violations", "passes", "incomplete")},
                "inapplicable": run.result["inapplicable"],
            },
            cached=cached,
            frames=run.frames,
            frames_unreached=run.frames_unreached,
            message=_missing(run.frames_unreached, run.warnings),
            **_fit(run.result, args, budget),
            **common,
        )

    return await in_turn(context, tab, limits.ACCESSIBILITY_TOOL_SECONDS, audit, narrow="Narrow the audit with scope")


def _missing(unreached: int, warnings: list[str]) -> str | None:
    if "timeout" in warnings:
        return "Not every frame answered in time: violations in those that did not are missing."
    if unreached:
        return f"{number_of(unreached, 'frame')} could not be checked: not loaded, hung, or no document for scripts."
    return None


def _fit(result: dict[str, Any], args: AccessibilityArgs, budget: int) -> dict[str, Any]:
    """Violations first, then what is for a person, then what passed; each as far as there is room."""
    order = ("critical", "serious", "moderate", "minor")
    worst_first = sorted(
        result["violations"], key=lambda rule: order.index(rule["impact"]) if rule["impact"] in order else len(order)
    )
    review = [
        {
            "id": rule["id"],
            "description": rule["help"],
            "nodeCount": rule["nodeCount"],
            "selectors": [selector_of(node["target"]) for node in rule["nodes"]],
        }
        for rule in result["incomplete"]
    ]
    reserved = min(len(wire.encode(review)), budget // 5)
    violations, without = spread([show_violation(rule) for rule in worst_first], "nodes", budget - reserved)
    budget -= len(wire.encode(violations))
    review, unseen = spread(review, "selectors", budget)
    budget -= len(wire.encode(review))
    passes = [{**rule, "nodes": []} for rule in result["passes"]] if args.include_passes else []
    passes, more = spread(passes, "nodes", budget)
    left_out = {"violations": without, "incomplete": unseen, "passes": more}
    return {
        "violations": violations,
        "incomplete": review,
        "passes": [{name: value for name, value in rule.items() if name != "nodes"} for rule in passes],
        "left_out": {name: count for name, count in left_out.items() if count},
    }


TOOLS = (
    Tool(
        name="run_accessibility_audit",
        title="Accessibility audit",
        description=("What axe-core finds wrong in the page and its frames, each element with its fix. Takes seconds."),
        args=AccessibilityArgs,
        answer=AccessibilityAnswer,
        run=run_accessibility_audit,
        deadline=limits.ACCESSIBILITY_TOOL_SECONDS + limits.AUDIT_RESERVE_SECONDS,
        slow=True,
    ),
)
