"""`validate_api`: whether the endpoints still answer in the shape that they had."""

from typing import Any, Literal

from attrs import field, frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.analysis.contracts import Contract, Violation
from gasoline_cdp.tools.paging import ListingArgs, budget_of, fitting, iso
from gasoline_cdp.tools.security import body_notes, settle_bodies
from gasoline_cdp.tools.spec import Context, Tool
from gasoline_cdp.tools.wording import number_of

_ENVELOPE = 800


@frozen(kw_only=True)
class ContractsArgs:
    """Arguments of validate_api."""

    action: Literal["analyze", "report", "clear"] = wire.arg(
        "analyze: what broke; report: the shapes learned; clear: forget them"
    )
    url_filter: str | None = wire.arg("only URLs with this", default=None)
    ignore_endpoints: list[str] | None = wire.arg("not URLs with one of these", default=None)
    limit: int | None = wire.arg("at most", default=None, minimum=1, maximum=limits.ENTRIES_MAX)


@frozen(kw_only=True)
class ContractsAnswer:
    """What was found. Shapes show three levels; a question mark means that a field may be absent."""

    action: str
    summary: str
    # Absent where the action does not tell of it; empty where there is nothing to tell.
    violations: list[dict[str, Any]] | None = None
    endpoints: list[dict[str, Any]] | None = None
    tracked_endpoints: int | None = None
    total_requests_analyzed: int | None = None
    clean_endpoints: int | None = None
    cleared_endpoints: int | None = None
    left_out: int = 0
    notes: list[str] = field(factory=list)


async def validate_api(args: ContractsArgs, context: Context) -> ContractsAnswer:
    """Answer from what was learned as the traffic came."""
    contracts = context.telemetry.contracts
    if args.action == "clear":
        cleared = contracts.clear()
        return ContractsAnswer(
            action="cleared", summary=f"Forgot {number_of(cleared, 'endpoint')}.", cleared_endpoints=cleared
        )
    await settle_bodies(context)
    chosen = [contract for contract in contracts.newest() if _wanted(contract, args)]
    notes = [*body_notes(context)]
    if contracts.evicted:
        notes.append(f"{contracts.evicted} endpoints called less recently were forgotten.")
    common: dict[str, Any] = {
        "tracked_endpoints": len(chosen),
        "total_requests_analyzed": sum(contract.calls for contract in chosen),
        "notes": notes,
    }
    return _report(args, chosen, common) if args.action == "report" else _analyze(args, chosen, common)


def _wanted(contract: Contract, args: ContractsArgs) -> bool:
    url = f"{contract.origin}{contract.endpoint.partition(' ')[2]}".lower()
    if args.url_filter and args.url_filter.lower() not in url:
        return False
    return not any(part.lower() in url for part in args.ignore_endpoints or ())


def _analyze(args: ContractsArgs, chosen: list[Contract], common: dict[str, Any]) -> ContractsAnswer:
    order = {"critical": 0, "warning": 1, "info": 2}
    violations = sorted(
        (violation for contract in chosen for violation in contract.violations()),
        key=lambda violation: order[violation.severity],
    )
    broken = {violation.endpoint for violation in violations}
    shown = _fit(args, [_show(violation) for violation in violations])
    learning = sum(contract.learned < 3 for contract in chosen)
    still = f"; {learning} still learning" if learning else ""
    return ContractsAnswer(
        action="analyzed",
        summary=f"{number_of(len(violations), 'violation')} on {len(broken)} of "
        f"{number_of(len(chosen), 'endpoint')}{still}.",
        violations=shown,
        clean_endpoints=len(chosen) - len(broken),
        left_out=len(violations) - len(shown),
        **common,
    )


def _show(violation: Violation) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "endpoint": violation.endpoint,
        "type": violation.type,
        "severity": violation.severity,
        "description": violation.description,
    }
    for name in ("field", "expected_type", "actual_type", "sample_value", "expected_shape", "actual_shape"):
        if value := getattr(violation, name):
            entry[name] = value
    for name in ("missing_fields", "new_fields", "status_history"):
        if value := getattr(violation, name):
            entry[name] = list(value)
    if violation.last_error:
        entry["last_error_body"] = violation.last_error
    entry["occurrences"] = {
        "expected_count": violation.expected_count,
        "violation_count": violation.violation_count,
        "first_seen": iso(violation.first_seen or violation.last_violation),
        "last_violation": iso(violation.last_violation),
    }
    return entry


def _report(args: ContractsArgs, chosen: list[Contract], common: dict[str, Any]) -> ContractsAnswer:
    entries = [
        {
            "endpoint": contract.endpoint,
            "method": contract.method,
            "origin": contract.origin,
            "call_count": contract.calls,
            "status_codes": {str(status): count for status, count in sorted(contract.statuses.items())},
            "established_shape": contract.established_shape(),
            "consistency": contract.consistency,
            "last_called": iso(contract.last_ts),
        }
        for contract in chosen
    ]
    shown = _fit(args, entries)
    return ContractsAnswer(
        action="report",
        summary=f"{number_of(len(chosen), 'endpoint')} tracked.",
        endpoints=shown,
        left_out=len(entries) - len(shown),
        **common,
    )


def _fit(args: ContractsArgs, entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    budget = budget_of(ListingArgs(limit=args.limit)) - _ENVELOPE
    return fitting(entries[: args.limit or len(entries)], budget)


TOOLS: tuple[Tool, ...] = (
    Tool(
        name="validate_api",
        title="API contracts",
        description=(
            "Whether API answers changed shape: fields missing, new, null or of another type; errors after success. "
            "Learned from traffic as it comes."
        ),
        args=ContractsArgs,
        answer=ContractsAnswer,
        run=validate_api,
        read_only=False,
    ),
)
