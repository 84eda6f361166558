"""`validate_api`: whether API responses still have the shape that they had."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Literal

from attrs import field, frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.analysis.contracts.contract import Contract
from gasoline_cdp.answers.contract_lines import contract_entry_bytes, contract_lines, violation_lines
from gasoline_cdp.answers.finding_entries import violation_entry
from gasoline_cdp.answers.lines import AnswerForm, Line, note, rest_of, without_repeats
from gasoline_cdp.answers.paging import ListingArgs, budget_of, fitting, iso, json_bytes, shrink, start_of
from gasoline_cdp.answers.quoting import word
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.audits.traffic import body_notes
from gasoline_cdp.findings import ALERT_LEVELS, alert_level
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Tool
from gasoline_cdp.operations.record_filters import settle_bodies

_ENVELOPE = 800
# The actions that take filters. `clear` forgets everything.
_LISTING = ("analyze", "report")


@frozen(kw_only=True)
class ContractsArgs:
    """Arguments of validate_api."""

    action: Literal["analyze", "report", "clear"] = wire.choice("report: the learned shapes; clear: forget them")
    url_filter: str | None = wire.arg("Include only URLs that contain this text.", default=None, only=_LISTING)
    ignore_endpoints: list[str] | None = wire.arg(
        "Leave out URLs that contain one of these texts.", default=None, only=_LISTING
    )
    limit: int | None = wire.arg("Maximum number of entries.", default=None, minimum=1, maximum=limits.ENTRIES_MAX)
    cursor: str | None = wire.arg("The `cursor` of an earlier answer: continue after it.", default=None)


@frozen(kw_only=True)
class ContractsAnswer:
    """The result. Shapes show three levels; a question mark means that a field may be absent."""

    action: str
    summary: str
    # None if the action does not list them; empty if there are none.
    violations: list[dict[str, Any]] | None = None
    endpoints: list[dict[str, Any]] | None = None
    tracked_endpoints: int | None = None
    total_requests_analyzed: int | None = None
    clean_endpoints: int | None = None
    cleared_endpoints: int | None = None
    left_out: int = 0
    cursor: str | None = None
    notes: list[str] = field(factory=list)

    def render(self) -> Iterator[Line]:
        """The summary, violations or endpoints with their shapes, and how to get the rest."""
        origins = Counter(origin for entry in self.endpoints or () if (origin := entry.get("origin")))
        origin = origins.most_common(1)[0][0] if origins else ""
        calls = self.total_requests_analyzed
        answers = f"{number_of(calls, 'call')} analysed." if calls is not None else ""
        yield Line(
            " ".join(filter(None, (self.summary, answers, word(origin) if origin else ""))),
            tone="heading",
        )
        shown_shapes: dict[str, Any] = {}
        yield from without_repeats(line for one in self.violations or () for line in violation_lines(one, shown_shapes))
        yield from without_repeats(line for one in self.endpoints or () for line in contract_lines(one, origin))
        yield from (note(text) for text in self.notes)
        yield from rest_of(self.left_out, self.cursor)


async def validate_api(args: ContractsArgs, context: Context) -> ContractsAnswer:
    """Answer from what was learned from the traffic."""
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
        notes.append(f"{number_of(contracts.evicted, 'endpoint')} called less recently: forgotten.")
    if contracts.static_files:
        notes.append(f"{number_of(contracts.static_files, 'static JSON file')} fetched: not endpoints.")
    if full := [contract.endpoint for contract in chosen if contract.deviations_full]:
        most = limits.DEVIATIONS_PER_ENDPOINT
        notes.append(f"{number_of(len(full), 'endpoint')} with more than {most} differences: the first are kept.")
    common: dict[str, Any] = {
        "tracked_endpoints": len(chosen),
        "total_requests_analyzed": sum(contract.calls for contract in chosen),
        "notes": notes,
    }
    answer = _report if args.action == "report" else _analyze
    return answer(args, chosen, common, context.form)


def _wanted(contract: Contract, args: ContractsArgs) -> bool:
    url = f"{contract.origin}{contract.endpoint.partition(' ')[2]}".lower()
    if args.url_filter and args.url_filter.lower() not in url:
        return False
    return not any(part.lower() in url for part in args.ignore_endpoints or ())


def _analyze(args: ContractsArgs, chosen: list[Contract], common: dict[str, Any], form: AnswerForm) -> ContractsAnswer:
    # Worst first. Within a level, the first of each endpoint: one that changed completely does not hide the others.
    ranked = [
        (ALERT_LEVELS.index(alert_level(violation.severity)), index, violation)
        for contract in chosen
        for index, violation in enumerate(contract.violations())
    ]
    ranked.sort(key=lambda one: one[:2])
    violations = [violation for _, _, violation in ranked]
    broken = {violation.location.endpoint for violation in violations}
    shown, left_out, cursor = _fit(args, [violation_entry(violation) for violation in violations], form)
    learning = sum(contract.learned < 3 for contract in chosen)
    still = f"; {learning} still learning" if learning else ""
    return ContractsAnswer(
        action="analyzed",
        summary=f"{number_of(len(violations), 'violation')} on {len(broken)} of "
        f"{number_of(len(chosen), 'endpoint')}{still}.",
        violations=shown,
        clean_endpoints=len(chosen) - len(broken),
        left_out=left_out,
        cursor=cursor,
        **common,
    )


def _report(args: ContractsArgs, chosen: list[Contract], common: dict[str, Any], form: AnswerForm) -> ContractsAnswer:
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
    shown, left_out, cursor = _fit(args, entries, form)
    return ContractsAnswer(
        action="report",
        summary=f"{number_of(len(chosen), 'endpoint')} tracked.",
        endpoints=shown,
        left_out=left_out,
        cursor=cursor,
        **common,
    )


def _fit(
    args: ContractsArgs, entries: list[dict[str, Any]], form: AnswerForm
) -> tuple[list[dict[str, Any]], int, str | None]:
    """The entries after the cursor that fit, how many follow, and the cursor to continue."""
    start = start_of(args.cursor) or 0
    budget = budget_of(ListingArgs(limit=args.limit)) - _ENVELOPE
    rest = entries[start:]
    size = contract_entry_bytes if form == "lines" else json_bytes
    shown = fitting(rest[: args.limit or len(rest)], budget, size)
    if rest and not shown:
        # Too large for any answer: shorten it, so that a reader can continue with the next.
        shown = [shrink(rest[0], budget)]
    left_out = len(rest) - len(shown)
    return shown, left_out, str(start + len(shown)) if left_out else None


TOOLS: tuple[Tool, ...] = (
    Tool(
        name="validate_api",
        title="API contracts",
        description=("API responses that changed shape: fields missing, new, null or of another type; new errors."),
        args=ContractsArgs,
        answer=ContractsAnswer,
        run=validate_api,
        read_only=False,
    ),
)
