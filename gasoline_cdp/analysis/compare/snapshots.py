"""A session snapshot: what a browser session looked like at one time, small enough to keep and compare."""

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Literal, Protocol, TypeVar

from attrs import evolve, field, frozen

from gasoline_cdp import limits
from gasoline_cdp.analysis.compare.causes import Causes
from gasoline_cdp.analysis.compare.occurrences import Opened, Records, socket_name
from gasoline_cdp.analysis.compare.triggers import Retries, Trigger, Try, tries_needed
from gasoline_cdp.analysis.normalise import endpoint_of, normalise_message
from gasoline_cdp.analysis.performance.loads import path_of
from gasoline_cdp.analysis.performance.regressions import Metrics, metrics_of
from gasoline_cdp.analysis.requests import STATIC, is_browser_initiated, went_wrong
from gasoline_cdp.findings import Finding
from gasoline_cdp.measures import Resource
from gasoline_cdp.records import LogRecord, NetworkRecord, PerformanceRecord, Source

T = TypeVar("T")

# Types of issues that an audit finds. All others are reported by the page or the browser.
FindingKind = Literal["accessibility", "contract", "security"]


class Sourced(Protocol):
    """A record that has a source."""

    @property
    def source(self) -> Source: ...  # noqa: D102


@frozen(kw_only=True)
class SessionIssue:
    """One problem in a session, how often it occurred, and what to try again to see whether it is resolved.

    The key of an error or a warning is its text; a `Finding` brings its own key. Neither contains what changes from run
    to run.
    """

    key: str
    message: str
    count: int = 1
    # Where it was seen: console, exception, rejection, browser; the rule of an audit; the kind of a contract violation.
    type: str = "console"
    page: str = ""
    # What shows whether it is still there: a call of this endpoint, or any use of its page (BY_USE). Empty: a check
    # now.
    shown_by: str = ""
    # What led to it. All of it has to happen again before the issue counts as resolved.
    triggers: tuple[Trigger, ...] = ()


BY_USE = "use"


def issue_of(finding: Finding, kind: FindingKind, *, shown_by: str = "") -> SessionIssue:
    """A finding as an issue of a snapshot."""
    return SessionIssue(
        key=finding.key,
        message=finding.description or finding.title,
        count=finding.count,
        type=kind,
        page=finding.location.path,
        shown_by=shown_by,
    )


@frozen(kw_only=True)
class Endpoint:
    """All finished calls of one endpoint: its last status, how often it failed, and its usual duration.

    A 304 counts as the 200 that the browser has cached.
    """

    method: str
    url: str
    status: int | None
    calls: int
    failed: int = 0
    failed_status: int | None = None
    # The browser's error, if there was no response.
    failure: str = ""
    duration_ms: float | None = None
    size: int = 0
    content_type: str = ""
    # Whether it is an asset. A page may stop requesting an asset; an API that is not called proves nothing.
    static: bool = False
    # Whether the newest response came from the browser's cache.
    cached: bool = False
    # What led to its failing calls, or to its newest call if none failed.
    triggers: tuple[Trigger, ...] = ()
    # How often it has to succeed before it counts as resolved.
    tries: int = 1
    # When the newest call that ended was made, and when it ended.
    answered: tuple[float, float] = (0.0, 0.0)

    @property
    def name(self) -> str:
        """Method and path. Endpoints are matched by it."""
        return f"{self.method} {self.url}"


@frozen(kw_only=True)
class Socket:
    """The WebSockets of one address: how many are open, and in what state they are."""

    url: str
    state: str
    connections: int = 1
    failed: int = 0
    messages: int = 0
    message_rate: float | None = None
    # The page that opened it.
    page_url: str = ""
    triggers: tuple[Trigger, ...] = ()

    @property
    def name(self) -> str:
        """Sockets are matched by it."""
        return socket_name(self.url, self.page_url)


@frozen(kw_only=True)
class Performance:
    """What the newest load of a page cost."""

    path: str
    metrics: Metrics
    resources: tuple[Resource, ...] = ()
    # Whether a part came from the browser's cache.
    cached: bool = False


@frozen(kw_only=True)
class SessionSnapshot:
    """A session at one time. `captured_at` is in seconds since the epoch."""

    captured_at: float
    page_url: str = ""
    url_filter: str = ""
    errors: tuple[SessionIssue, ...] = ()
    warnings: tuple[SessionIssue, ...] = ()
    network: tuple[Endpoint, ...] = ()
    websockets: tuple[Socket, ...] = ()
    performance: tuple[Performance, ...] = ()
    # Findings of the requested audits, by category: accessibility, contracts, security.
    findings: dict[str, tuple[SessionIssue, ...]] = field(factory=dict)
    # Paths of the pages on which anything was recorded.
    pages: tuple[str, ...] = ()
    # The loads and actions, newest first.
    tried: tuple[Try, ...] = ()
    # Endpoints that had not responded yet.
    pending: tuple[str, ...] = ()
    # The conditions in force meanwhile, and the endpoints that mocks answered: those calls are left out.
    conditions: tuple[str, ...] = ()
    mocked: tuple[str, ...] = ()
    # How many errors, warnings and endpoints did not fit.
    left_out: dict[str, int] = field(factory=dict)

    @property
    def retries(self) -> Retries:
        """What was tried, to answer what was tried again."""
        reached = {endpoint.name for endpoint in self.network if endpoint.calls}
        sockets = {socket.name for socket in self.websockets if socket.state != "connecting"}
        answered = {endpoint.name: endpoint.answered for endpoint in self.network}
        return Retries(self.tried, self.captured_at, frozenset(reached | sockets), frozenset(self.pending), answered)

    @property
    def failing(self) -> tuple[Endpoint, ...]:
        """Endpoints that failed at least once."""
        return tuple(endpoint for endpoint in self.network if endpoint.failed)

    @property
    def error_count(self) -> int:
        """Number of all occurrences of all errors."""
        return sum(issue.count for issue in self.errors)


def take_snapshot(
    *,
    now: float,
    page_url: str,
    logs: Sequence[LogRecord],
    network: Sequence[NetworkRecord],
    sockets: Sequence[tuple[Socket, Opened]],
    performance: Sequence[PerformanceRecord],
    url_filter: str = "",
    findings: dict[str, tuple[SessionIssue, ...]] | None = None,
    pending: Iterable[NetworkRecord] = (),
    around: Records | None = None,
    tried_since: float = 0.0,
    known: Callable[[LogRecord], LogRecord] = lambda record: record,
    conditions: tuple[str, ...] = (),
) -> SessionSnapshot:
    """Summarise records. They come newest first, and only those of the requested tab and addresses.

    `around` holds all records; causes are found in them. Tries count from `tried_since` on. `known` returns a record
    with what was learned about it later.
    """
    mocked = dict.fromkeys(endpoint_of(one.method, one.url) for one in network if one.mocked and _is_call(one))
    network = [record for record in network if not record.mocked] if mocked else network
    causes = Causes.among(around or Records(logs=logs, network=network), now)
    tried = (one for one in causes.tries if one.ts >= tried_since)
    snapshot = SessionSnapshot(
        captured_at=now,
        page_url=page_url,
        url_filter=url_filter,
        errors=_issues((one for one in logs if one.level == "error" and one.kind != "event"), causes, known),
        warnings=_issues((one for one in logs if one.level == "warning" and one.kind != "event"), causes, known),
        network=_endpoints(network, causes),
        websockets=_sockets(sockets, causes),
        performance=tuple(
            Performance(
                path=record.path,
                metrics=metrics_of(record),
                resources=record.resources,
                cached=any(_is_part(request, record) and _is_cached(request) for request in network),
            )
            for record in performance
            if not record.soft_navigation
        )[: limits.PERFORMANCE_PATHS],
        findings=findings or {},
        pages=tuple(dict.fromkeys(path for record in (*logs, *network) if (path := page_of(record)))),
        tried=tuple(islice(tried, limits.SNAPSHOT_TRIES)),
        conditions=conditions,
        mocked=tuple(mocked)[: limits.SNAPSHOT_ENDPOINTS],
        pending=tuple(dict.fromkeys(endpoint_of(one.method, one.url) for one in pending))[: limits.SNAPSHOT_ENDPOINTS],
    )
    return evolve(snapshot, left_out=_left_out(snapshot, logs, network))


def _left_out(snapshot: SessionSnapshot, logs: Sequence[LogRecord], network: Sequence[NetworkRecord]) -> dict[str, int]:
    """How many distinct errors, warnings and endpoints did not fit. Lists that are not full are left out."""
    kept = {"errors": len(snapshot.errors), "warnings": len(snapshot.warnings), "endpoints": len(snapshot.network)}
    distinct: dict[str, set[str]] = {}
    for name, level in (("errors", "error"), ("warnings", "warning")):
        if kept[name] >= limits.SNAPSHOT_ERRORS:
            chosen = (record for record in logs if record.level == level and record.kind != "event")
            distinct[name] = {normalise_message(record.text) for record in chosen}
    if kept["endpoints"] >= limits.SNAPSHOT_ENDPOINTS:
        requests = (record for record in network if _is_call(record))
        distinct["endpoints"] = {endpoint_of(record.method, record.url) for record in requests}
    return {name: len(keys) - kept[name] for name, keys in distinct.items() if len(keys) > kept[name]}


def page_of(record: Sourced) -> str:
    """The path of the page that a record is about.

    A request for a document belongs to that document, although the tab still shows the previous one.
    """
    if isinstance(record, NetworkRecord) and record.type == "Document":
        return path_of(record.url)
    return path_of(record.source.url) if record.source.url else ""


def _grouped(items: Iterable[T], key: Callable[[T], str], limit: int) -> dict[str, list[T]]:
    """Items by key, newest keys first, at most `limit` keys."""
    groups: dict[str, list[T]] = {}
    for item in items:
        name = key(item)
        if name in groups:
            groups[name].append(item)
        elif len(groups) < limit:
            groups[name] = [item]
    return groups


def _issues(
    records: Iterable[LogRecord], causes: Causes, known: Callable[[LogRecord], LogRecord]
) -> tuple[SessionIssue, ...]:
    # Grouped by the first text: the deeper preview of the same error may be missing next time.
    groups = _grouped(records, lambda record: normalise_message(record.text), limits.SNAPSHOT_ERRORS)
    return tuple(
        SessionIssue(
            key=key,
            message=known(same[0]).text[: limits.SNAPSHOT_MESSAGE_CHARS],
            count=len(same),
            type=same[0].kind,
            page=path_of(same[0].source.url),
            triggers=causes.of_logs(same),
        )
        for key, same in groups.items()
    )


def _endpoints(records: Iterable[NetworkRecord], causes: Causes) -> tuple[Endpoint, ...]:
    chosen = filter(_is_call, records)
    groups = _grouped(chosen, lambda record: endpoint_of(record.method, record.url), limits.SNAPSHOT_ENDPOINTS)
    return tuple(_endpoint(name, same, causes) for name, same in groups.items())


def _endpoint(name: str, records: list[NetworkRecord], causes: Causes) -> Endpoint:
    from statistics import median  # noqa: PLC0415 - takes half a megabyte, and few daemons compare anything

    method, _, url = name.partition(" ")
    ended = [record for record in records if record.outcome == "ok" or went_wrong(record)]
    newest = ended[0] if ended else records[0]
    wrong = [record for record in ended if went_wrong(record)]
    durations = [record.duration_ms for record in ended if record.duration_ms is not None]
    static = newest.type in STATIC
    since_wrong = sum(record.ts >= wrong[-1].ts for record in ended) if wrong else 0
    return Endpoint(
        method=method,
        url=url,
        status=_status(newest),
        calls=len(ended),
        failed=len(wrong),
        failed_status=wrong[0].status if wrong else None,
        failure=wrong[0].failure if wrong else "",
        duration_ms=round(median(durations), 1) if durations else None,
        size=newest.encoded_bytes,
        content_type=newest.mime,
        static=static,
        cached=_is_cached(newest),
        triggers=causes.of_requests(wrong or records[:1]) if wrong or not static else (),
        tries=tries_needed(len(wrong), since_wrong),
        answered=(newest.ts, newest.ts + (newest.duration_ms or 0.0) / 1000) if ended else (0.0, 0.0),
    )


def _is_call(record: NetworkRecord) -> bool:
    return record.outcome != "redirect" and not record.preflight_for and not is_browser_initiated(record)


def _status(record: NetworkRecord) -> int | None:
    return 200 if record.page_status == 304 else record.page_status


def _is_cached(record: NetworkRecord) -> bool:
    return record.from_cache or record.status == 304


def _is_part(request: NetworkRecord, load: PerformanceRecord) -> bool:
    """Whether a load made this request. The document's own request was made while the tab showed another one."""
    source = load.source
    return (request.source.tab_id, request.source.navigation) == (source.tab_id, source.navigation)


def _sockets(sockets: Iterable[tuple[Socket, Opened]], causes: Causes) -> tuple[Socket, ...]:
    groups = _grouped(sockets, lambda socket: socket[0].name, limits.SNAPSHOT_SOCKETS)
    return tuple(
        evolve(
            same[0][0],
            connections=sum(socket.connections for socket, _ in same),
            failed=sum(socket.failed for socket, _ in same),
            messages=sum(socket.messages for socket, _ in same),
            triggers=causes.of_sockets([opened for socket, opened in same if socket.failed]),
        )
        for same in groups.values()
    )
