"""The security audit: every check over what was captured, from the worst finding to the mildest."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from attrs import field, frozen

from gasoline_cdp.analysis.cookies import Cookie, judge_cookies, parse_set_cookie
from gasoline_cdp.analysis.credentials import judge_credentials
from gasoline_cdp.analysis.exposure import judge_answers, judge_exposure
from gasoline_cdp.analysis.findings import Check, SecurityFinding, of_issue
from gasoline_cdp.analysis.headers import judge_cors, judge_document, judge_isolation
from gasoline_cdp.analysis.issues import Issue, is_local
from gasoline_cdp.analysis.normalise import endpoint_of, origin_of
from gasoline_cdp.analysis.page_security import judge_storage
from gasoline_cdp.records import LogRecord, NetworkRecord, SocketRecord
from gasoline_cdp.sightings import Sighting

# What is sent or run, by what to call it.
_ACTIVE = {
    "Script": "Script",
    "Stylesheet": "Style sheet",
    "Document": "Page",
    "XHR": "API call",
    "Fetch": "API call",
}


@frozen(kw_only=True)
class Traffic:
    """What was captured, newest first, and the names of the keys in the pages' storage."""

    network: Sequence[NetworkRecord] = ()
    logs: Sequence[LogRecord] = ()
    sockets: Sequence[SocketRecord] = ()
    sightings: Sequence[Sighting] = ()
    # Origin → names of keys in localStorage and sessionStorage.
    storage: dict[str, tuple[list[str], list[str]]] = field(factory=dict)
    # Of the documents that are open, by loader: the policies that their text declares.
    meta_policies: dict[str, tuple[str, ...]] = field(factory=dict)


def audit(traffic: Traffic, checks: Collection[Check]) -> Iterator[SecurityFinding]:
    """All findings of the chosen checks."""
    if "credentials" in checks:
        yield from judge_credentials(traffic.sightings, sessions_on_console="pii_exposure" not in checks)
        yield from _storage(traffic)
    if "auth_patterns" in checks:
        yield from judge_answers(traffic.sightings)
    if "pii_exposure" in checks:
        yield from judge_exposure(traffic.sightings, traffic.logs, traffic.network, others=checks)
    if "transport" in checks:
        yield from judge_transport(traffic.network, traffic.sockets)
    if "headers" in checks:
        yield from _headers(traffic)
    if "cookies" in checks:
        yield from _cookies(traffic.network)


def _storage(traffic: Traffic) -> Iterator[SecurityFinding]:
    for origin, (local, session) in traffic.storage.items():
        for issue in judge_storage(local, session):
            yield of_issue(issue, "credentials", origin, len(issue.affected))


def judge_transport(network: Sequence[NetworkRecord], sockets: Sequence[SocketRecord]) -> Iterator[SecurityFinding]:
    """Traffic that others on the way can read or change. On this machine there is nobody on the way."""
    plain: dict[tuple[str, str], list[NetworkRecord]] = defaultdict(list)
    for record in network:
        if record.url.startswith("http:") and not is_local(record.url) and record.outcome != "redirect":
            secure_page = record.source.url.startswith("https:")
            if secure_page and record.type != "Document":
                plain[
                    "mixed_script" if record.type == "Script" else "mixed", endpoint_of(record.method, record.url)
                ].append(record)
            elif record.type in _ACTIVE:
                plain["http", endpoint_of(record.method, record.url)].append(record)
    for (what, endpoint), seen in plain.items():
        yield _unencrypted(what, endpoint, seen)
    insecure: dict[str, list[SocketRecord]] = defaultdict(list)
    for socket in sockets:
        if socket.url.startswith("ws:") and not is_local(socket.url):
            insecure[endpoint_of("WS", socket.url)].append(socket)
    for endpoint, events in insecure.items():
        yield SecurityFinding(
            severity="warning",
            category="transport",
            title="WebSocket without encryption",
            description=f"{endpoint} uses ws://: everyone on the way can read and change its messages.",
            evidence={"url": events[0].url, "page_url": events[0].source.url, "resource_type": "websocket"},
            recommendation="Use wss://.",
            cwe="CWE-319",
            count=len({event.connection_id for event in events}),
        )


def page_url_of(record: NetworkRecord) -> str:
    """The page that a request belongs to: a document is its own, whatever the tab showed before."""
    return record.url if record.type == "Document" else record.source.url


def _unencrypted(what: str, endpoint: str, seen: list[NetworkRecord]) -> SecurityFinding:
    record = seen[0]
    evidence = {"page_url": page_url_of(record), "resource_url": record.url, "resource_type": record.type.lower()}
    if what == "http":
        return SecurityFinding(
            severity="warning",
            category="transport",
            title=f"{_ACTIVE[record.type]} over unencrypted HTTP",
            description=f"{endpoint} uses http://: everyone on the way can read and change it.",
            evidence=evidence,
            recommendation="Use https://, and redirect http to it.",
            cwe="CWE-319",
            count=len(seen),
        )
    return SecurityFinding(
        severity="critical" if what == "mixed_script" else "warning",
        category="transport",
        title="Mixed content: HTTPS page loading HTTP resource",
        description=f"A page at {origin_of(record.source.url)} loads a {record.type.lower()} over http.",
        evidence=evidence,
        recommendation="Use HTTPS for all resources: what comes over http can be replaced on the way.",
        cwe="CWE-319",
        count=len(seen),
    )


def newest_documents(network: Sequence[NetworkRecord]) -> Iterator[NetworkRecord]:
    """The newest answer of each page, errors and redirects left out."""
    seen: set[str] = set()
    for record in network:
        endpoint = origin_of(record.url) + endpoint_of(record.method, record.url)
        if (
            record.type == "Document"
            and record.outcome == "ok"
            and record.url.startswith("http")
            and endpoint not in seen
        ):
            seen.add(endpoint)
            yield record


def uses_shared_memory(logs: Sequence[LogRecord]) -> bool:
    """Whether a page was told that it may not have shared memory, or should not."""
    return any("SharedArrayBuffer" in record.text for record in logs)


def _headers(traffic: Traffic) -> Iterator[SecurityFinding]:
    shared = uses_shared_memory(traffic.logs)
    grouped: dict[tuple[Issue, str], list[str]] = defaultdict(list)
    for record in newest_documents(traffic.network):
        for issue in (
            *judge_document(
                record.response_headers, record.url, meta_policies=traffic.meta_policies.get(record.loader_id)
            ),
            *judge_isolation(record.response_headers, uses_shared_memory=shared),
        ):
            grouped[issue, origin_of(record.url)].append(record.url)
    for record in traffic.network:
        for issue in judge_cors(record.response_headers):
            grouped[issue, endpoint_of(record.method, record.url)].append(record.url)
    for (issue, where), urls in grouped.items():
        yield of_issue(issue, "headers", where, len(urls))


def _cookies(network: Sequence[NetworkRecord]) -> Iterator[SecurityFinding]:
    by_origin: dict[str, dict[str, Cookie]] = defaultdict(dict)
    for record in network:
        header = record.response_headers.get("set-cookie")
        if header:
            whole = len(header) < 1000
            for cookie in parse_set_cookie(header, record.ts, whole=whole):
                by_origin[origin_of(record.url)].setdefault(cookie.name, cookie)
    for origin, cookies in by_origin.items():
        for issue in judge_cookies(cookies.values(), local=is_local(origin)):
            yield of_issue(issue, "cookies", origin, len(issue.affected))
