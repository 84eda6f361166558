"""What a browser's session looked like at one moment, small enough to be kept and compared."""

from collections.abc import Callable, Iterable, Sequence
from statistics import median
from typing import Protocol, TypeVar

from attrs import evolve, field, frozen

from gasoline_cdp import limits
from gasoline_cdp.analysis.normalise import endpoint_of, normalise_message
from gasoline_cdp.analysis.performance import path_of
from gasoline_cdp.analysis.regressions import Metrics, metrics_of
from gasoline_cdp.records import WRONG, LogRecord, NetworkRecord, PerformanceRecord, Resource, Source

T = TypeVar("T")


class Sourced(Protocol):
    """A record that knows where it comes from."""

    @property
    def source(self) -> Source: ...  # noqa: D102


@frozen(kw_only=True)
class Issue:
    """Something that is wrong, by the key that tells it from others: what changes from run to run is not in it."""

    key: str
    message: str
    count: int = 1
    # Where it was seen: console, exception, rejection, browser; a rule of an audit; a kind of violation.
    type: str = "console"
    page: str = ""
    # What shows whether it is still there: a call of this endpoint, or any use of its page (BY_USE). Empty: a look now.
    shown_by: str = ""


BY_USE = "use"


@frozen(kw_only=True)
class Endpoint:
    """All calls of one endpoint: its last status, how often it was called and failed, and its usual time."""

    method: str
    url: str
    status: int | None
    calls: int
    failed: int = 0
    failed_status: int | None = None
    # What the browser said, where there was no answer.
    failure: str = ""
    duration_ms: float | None = None
    size: int = 0
    content_type: str = ""

    @property
    def name(self) -> str:
        """Method and path, by which endpoints are matched."""
        return f"{self.method} {self.url}"


@frozen(kw_only=True)
class Socket:
    """The WebSockets of one address: how many are open, and how they fared."""

    url: str
    state: str
    connections: int = 1
    failed: int = 0
    messages: int = 0
    message_rate: float | None = None


@frozen(kw_only=True)
class Performance:
    """What the newest load of a page cost."""

    path: str
    metrics: Metrics
    resources: tuple[Resource, ...] = ()


@frozen(kw_only=True)
class Snapshot:
    """One moment of a session. `captured_at` in seconds since the epoch."""

    captured_at: float
    page_url: str = ""
    url_filter: str = ""
    errors: tuple[Issue, ...] = ()
    warnings: tuple[Issue, ...] = ()
    network: tuple[Endpoint, ...] = ()
    websockets: tuple[Socket, ...] = ()
    performance: tuple[Performance, ...] = ()
    # What was asked for beside these, by category: accessibility, contracts, security.
    findings: dict[str, tuple[Issue, ...]] = field(factory=dict)
    # The paths of the pages on which anything was seen.
    pages: tuple[str, ...] = ()
    # How many there were beyond those that are kept: errors, warnings, endpoints.
    left_out: dict[str, int] = field(factory=dict)

    @property
    def failing(self) -> tuple[Endpoint, ...]:
        """The endpoints that failed at least once."""
        return tuple(endpoint for endpoint in self.network if endpoint.failed)

    @property
    def error_count(self) -> int:
        """Every occurrence of every error."""
        return sum(issue.count for issue in self.errors)


def take_snapshot(
    *,
    now: float,
    page_url: str,
    logs: Sequence[LogRecord],
    network: Sequence[NetworkRecord],
    sockets: Sequence[Socket],
    performance: Sequence[PerformanceRecord],
    url_filter: str = "",
    findings: dict[str, tuple[Issue, ...]] | None = None,
) -> Snapshot:
    """Sum up records, given newest first and already of the tab and of the addresses asked for."""
    snapshot = Snapshot(
        captured_at=now,
        page_url=page_url,
        url_filter=url_filter,
        errors=_issues(record for record in logs if record.level == "error" and record.kind != "event"),
        warnings=_issues(record for record in logs if record.level == "warning" and record.kind != "event"),
        network=_endpoints(network),
        websockets=_sockets(sockets),
        performance=tuple(
            Performance(path=record.path, metrics=metrics_of(record), resources=record.resources)
            for record in performance
            if not record.soft_navigation
        )[: limits.PERFORMANCE_PATHS],
        findings=findings or {},
        pages=tuple(dict.fromkeys(path for record in (*logs, *network) if (path := page_of(record)))),
    )
    return evolve(snapshot, left_out=_left_out(snapshot, logs, network))


def _left_out(snapshot: Snapshot, logs: Sequence[LogRecord], network: Sequence[NetworkRecord]) -> dict[str, int]:
    """How many different errors, warnings and endpoints did not fit; nothing where a list is not full."""
    kept = {"errors": len(snapshot.errors), "warnings": len(snapshot.warnings), "endpoints": len(snapshot.network)}
    found: dict[str, set[str]] = {}
    for name, level in (("errors", "error"), ("warnings", "warning")):
        if kept[name] >= limits.SNAPSHOT_ERRORS:
            chosen = (record for record in logs if record.level == level and record.kind != "event")
            found[name] = {normalise_message(record.text) for record in chosen}
    if kept["endpoints"] >= limits.SNAPSHOT_ENDPOINTS:
        requests = (record for record in network if record.outcome != "redirect" and not record.preflight_for)
        found["endpoints"] = {endpoint_of(record.method, record.url) for record in requests}
    return {name: len(keys) - kept[name] for name, keys in found.items() if len(keys) > kept[name]}


def page_of(record: Sourced) -> str:
    """The path of the page that a record tells of.

    The request for a document is the first sign of that document, although the tab still shows another one.
    """
    if isinstance(record, NetworkRecord) and record.type == "Document":
        return path_of(record.url)
    return path_of(record.source.url) if record.source.url else ""


def _grouped(items: Iterable[T], key: Callable[[T], str], limit: int) -> dict[str, list[T]]:
    """Items by key, the newest keys first, no more of them than `limit`."""
    groups: dict[str, list[T]] = {}
    for item in items:
        name = key(item)
        if name in groups:
            groups[name].append(item)
        elif len(groups) < limit:
            groups[name] = [item]
    return groups


def _issues(records: Iterable[LogRecord]) -> tuple[Issue, ...]:
    groups = _grouped(records, lambda record: normalise_message(record.text), limits.SNAPSHOT_ERRORS)
    return tuple(
        Issue(
            key=key,
            message=same[0].text[: limits.SNAPSHOT_MESSAGE_CHARS],
            count=len(same),
            type=same[0].kind,
            page=path_of(same[0].source.url),
        )
        for key, same in groups.items()
    )


def _endpoints(records: Iterable[NetworkRecord]) -> tuple[Endpoint, ...]:
    chosen = (record for record in records if record.outcome != "redirect" and not record.preflight_for)
    groups = _grouped(chosen, lambda record: endpoint_of(record.method, record.url), limits.SNAPSHOT_ENDPOINTS)
    return tuple(_endpoint(name, same) for name, same in groups.items())


def _endpoint(name: str, records: list[NetworkRecord]) -> Endpoint:
    method, _, url = name.partition(" ")
    newest = records[0]
    wrong = [record for record in records if record.outcome in WRONG]
    durations = [record.duration_ms for record in records if record.duration_ms is not None]
    return Endpoint(
        method=method,
        url=url,
        status=newest.page_status,
        calls=len(records),
        failed=len(wrong),
        failed_status=wrong[0].status if wrong else None,
        failure=wrong[0].failure if wrong else "",
        duration_ms=round(median(durations), 1) if durations else None,
        size=newest.encoded_bytes,
        content_type=newest.mime,
    )


def _sockets(sockets: Iterable[Socket]) -> tuple[Socket, ...]:
    groups = _grouped(sockets, lambda socket: path_of(socket.url), limits.SNAPSHOT_SOCKETS)
    return tuple(
        Socket(
            url=same[0].url,
            state=same[0].state,
            connections=sum(socket.connections for socket in same),
            failed=sum(socket.failed for socket in same),
            messages=sum(socket.messages for socket in same),
            message_rate=same[0].message_rate,
        )
        for same in groups.values()
    )
