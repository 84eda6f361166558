"""Error messages, failed requests and broken budgets as findings."""

from collections.abc import Iterator

from attrs import evolve

from gasoline_cdp.analysis.gates.allowances import GateFinding
from gasoline_cdp.analysis.locations import of_log, of_request, page_url_of
from gasoline_cdp.analysis.performance.budgets import Budgets, broken_budgets
from gasoline_cdp.analysis.performance.loads import path_of
from gasoline_cdp.analysis.requests import went_wrong
from gasoline_cdp.findings import Finding, Location, SourceLocation
from gasoline_cdp.records import OWN_WORDS, LogRecord, NetworkOutcome, NetworkRecord, PerformanceRecord, StackFrame

_LOG_RULES = {"exception": "uncaught_exception", "rejection": "unhandled_rejection", "build": "build_error"}
_REQUEST_RULES: dict[NetworkOutcome, str] = {
    "http_error": "http_error",
    "failed": "request_failed",
    "blocked": "request_blocked",
    "cors_blocked": "request_blocked_by_cors",
}
_TEXT_CHARS = 1000


def is_failure(record: object) -> bool:
    """Whether a record is an error message of a page, or a request that went wrong. The browser's own never are."""
    if isinstance(record, LogRecord):
        return record.level == "error" and record.kind not in OWN_WORDS
    return isinstance(record, NetworkRecord) and went_wrong(record) and not record.mocked


def log_finding(record: LogRecord, count: int = 1, test: str = "") -> GateFinding:
    """An error message or an exception."""
    finding = Finding(
        rule=_LOG_RULES.get(record.kind, "console_error"),
        severity="high",
        category="console",
        title=record.text[:_TEXT_CHARS],
        location=of_log(record),
        count=count,
    )
    return GateFinding(gate="console-errors", finding=finding, test=test)


def request_finding(record: NetworkRecord, count: int = 1, test: str = "") -> GateFinding:
    """A request that failed, or that was answered with an error."""
    status = record.page_status
    ending = f"{status} {record.status_text}".strip() if record.outcome == "http_error" else record.failure or "failed"
    location = of_request(record.method, record.url, page_url_of(record))
    finding = Finding(
        rule=_REQUEST_RULES.get(record.outcome, "request_failed"),
        severity="high",
        category="network",
        title=f"{record.method} {record.url} → {ending}"[:_TEXT_CHARS],
        location=location if not record.initiator_frames else _from_code(location, record.initiator_frames[0]),
        count=count,
    )
    return GateFinding(gate="network-errors", finding=finding, test=test, status=status)


def _from_code(location: Location, frame: StackFrame) -> Location:
    return evolve(location, source=SourceLocation(url=frame.url, line=frame.line, column=frame.column))


def budget_findings(budgets: Budgets, load: PerformanceRecord, test: str = "") -> Iterator[GateFinding]:
    """The budgets that a load exceeded."""
    for broken in broken_budgets(budgets, load):
        finding = Finding(
            rule=f"over_{broken.key}",
            severity="high",
            category="performance",
            title=f"{broken.key} {broken.actual:g} is over the budget of {broken.limit:g} ({broken.route})",
            location=Location(page=load.url, path=path_of(load.url), name=broken.key),
        )
        yield GateFinding(gate="budgets", finding=finding, test=test)
