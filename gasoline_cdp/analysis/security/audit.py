"""The security audit: runs every check over what was captured, and sorts findings from worst to mildest."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from attrs import evolve, field, frozen

from gasoline_cdp.analysis.locations import of_request, page_url_of
from gasoline_cdp.analysis.normalise import endpoint_of, origin_of
from gasoline_cdp.analysis.security.checks import Check
from gasoline_cdp.analysis.security.cookies import Cookie, judge_cookies, parse_set_cookie
from gasoline_cdp.analysis.security.credentials import judge_credentials
from gasoline_cdp.analysis.security.exposure import judge_answers, judge_exposure
from gasoline_cdp.analysis.security.headers import judge_cors, judge_document, judge_isolation
from gasoline_cdp.analysis.security.local_hosts import is_local
from gasoline_cdp.analysis.security.page import judge_storage
from gasoline_cdp.findings import Finding, Location
from gasoline_cdp.records import LogRecord, NetworkRecord, SocketRecord
from gasoline_cdp.sightings import Sighting

_AFFECTED = 20
# Request type → how a finding names it.
_ACTIVE = {
    "Script": "Script",
    "Stylesheet": "Style sheet",
    "Document": "Page",
    "XHR": "API call",
    "Fetch": "API call",
}


@frozen(kw_only=True)
class Traffic:
    """What was captured, newest first, and the names of keys in the pages' storage."""

    network: Sequence[NetworkRecord] = ()
    logs: Sequence[LogRecord] = ()
    sockets: Sequence[SocketRecord] = ()
    sightings: Sequence[Sighting] = ()
    # Origin → names of keys in localStorage and in sessionStorage.
    storage: dict[str, tuple[list[str], list[str]]] = field(factory=dict)
    # Loader id of an open document → the policies in its <meta> elements.
    meta_policies: dict[str, tuple[str, ...]] = field(factory=dict)

    @property
    def seen(self) -> bool:
        """Whether there is anything to judge."""
        return bool(self.network or self.logs or self.sockets)


def audit(traffic: Traffic, checks: Collection[Check]) -> Iterator[Finding]:
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


def _storage(traffic: Traffic) -> Iterator[Finding]:
    for origin, (local, session) in traffic.storage.items():
        for finding in judge_storage(local, session):
            yield _at(origin, evolve(finding, category="credentials"), Location(url=origin, name=finding.location.name))


def judge_transport(network: Sequence[NetworkRecord], sockets: Sequence[SocketRecord]) -> Iterator[Finding]:
    """Unencrypted traffic that others on the network can read or change. Local traffic is exempt."""
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
        yield Finding(
            rule="unencrypted_websocket",
            severity="medium",
            category="transport",
            title="WebSocket without encryption",
            description=f"{endpoint} uses ws://: everyone on the way can read and change its messages.",
            evidence={"url": events[0].url, "page_url": events[0].source.url, "resource_type": "websocket"},
            location=of_request("", events[0].url, events[0].source.url),
            fix="Use wss://.",
            reference={"cwe": "CWE-319"},
            count=len({event.connection_id for event in events}),
        )


def _unencrypted(what: str, endpoint: str, seen: list[NetworkRecord]) -> Finding:
    record = seen[0]
    location = of_request("", record.url, page_url_of(record))
    evidence = {"page_url": page_url_of(record), "resource_url": record.url, "resource_type": record.type.lower()}
    if what == "http":
        return Finding(
            rule="unencrypted_request",
            severity="medium",
            category="transport",
            title=f"{_ACTIVE[record.type]} over unencrypted HTTP",
            description=f"{endpoint} uses http://: everyone on the way can read and change it.",
            evidence=evidence,
            location=location,
            fix="Use https://, and redirect http to it.",
            reference={"cwe": "CWE-319"},
            count=len(seen),
        )
    return Finding(
        rule="mixed_active_content" if what == "mixed_script" else "mixed_content",
        severity="critical" if what == "mixed_script" else "medium",
        category="transport",
        title="Mixed content: HTTPS page loading HTTP resource",
        description=f"A page at {origin_of(record.source.url)} loads a {record.type.lower()} over http.",
        evidence=evidence,
        location=location,
        fix="Use HTTPS for all resources: what comes over http can be replaced on the way.",
        reference={"cwe": "CWE-319"},
        count=len(seen),
    )


def newest_documents(network: Sequence[NetworkRecord]) -> Iterator[NetworkRecord]:
    """The newest response of each page, without errors and redirects."""
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
    """Whether the browser warned a page about its use of shared memory."""
    return any("SharedArrayBuffer" in record.text for record in logs)


def _headers(traffic: Traffic) -> Iterator[Finding]:
    shared = uses_shared_memory(traffic.logs)
    grouped: dict[tuple[str, str, str], list[Finding]] = defaultdict(list)
    for record in newest_documents(traffic.network):
        for finding in (
            *judge_document(
                record.response_headers, record.url, meta_policies=traffic.meta_policies.get(record.loader_id)
            ),
            *judge_isolation(record.response_headers, uses_shared_memory=shared),
        ):
            where = origin_of(record.url)
            located = _at(where, finding, Location(url=where, page=record.url))
            grouped[finding.rule, finding.title, where].append(located)
    for record in traffic.network:
        for finding in judge_cors(record.response_headers):
            where = endpoint_of(record.method, record.url)
            located = _at(where, finding, of_request(record.method, record.url, record.source.url))
            grouped[finding.rule, finding.title, where].append(located)
    for same in grouped.values():
        yield evolve(same[0], count=len(same))


def _cookies(network: Sequence[NetworkRecord]) -> Iterator[Finding]:
    by_origin: dict[str, dict[str, Cookie]] = defaultdict(dict)
    for record in network:
        header = record.response_headers.get("set-cookie")
        if header:
            whole = len(header) < 1000
            for cookie in parse_set_cookie(header, record.ts, whole=whole):
                by_origin[origin_of(record.url)].setdefault(cookie.name, cookie)
    for origin, cookies in by_origin.items():
        for finding in judge_cookies(cookies.values(), local=is_local(origin)):
            yield _at(origin, finding, Location(url=origin))


def _at(where: str, finding: Finding, location: Location) -> Finding:
    """A finding about headers, cookies or storage, located by origin or endpoint as the traffic shows it."""
    evidence: dict[str, Any] = {"issue": finding.rule, "url": where}
    if finding.affected:
        evidence["affected"] = [one["name"] for one in finding.affected[:_AFFECTED]]
    return evolve(finding, description=f"{finding.title} at {where}.", evidence=evidence, location=location)
