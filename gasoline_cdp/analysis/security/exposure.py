"""Judges exposed personal data and sessions: on the console, in addresses, and in unauthenticated responses."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence

from gasoline_cdp import limits
from gasoline_cdp.analysis.locations import of_log, of_request, of_sighting, page_url_of
from gasoline_cdp.analysis.normalise import endpoint_of, origin_of
from gasoline_cdp.analysis.security.checks import Check
from gasoline_cdp.analysis.security.credentials import is_session_on_console, rule_of, severity_of, with_article
from gasoline_cdp.analysis.security.local_hosts import is_local
from gasoline_cdp.detect.formats import TITLES
from gasoline_cdp.detect.pii import find_pii
from gasoline_cdp.findings import Finding, Severity
from gasoline_cdp.records import LogRecord, NetworkRecord
from gasoline_cdp.redact import REDACTED
from gasoline_cdp.sightings import Sighting

_NOUNS = {
    "email": "e-mail address", "phone": "phone number", "ssn": "social security number", "credit_card": "card number",
    "iban": "bank account number", "password": "password", "address": "postal address",
    "date_of_birth": "date of birth",
}  # fmt: skip
_MADE_UP = " The values look made up."
_GRAVE = {"ssn", "credit_card", "iban"}


def judge_answers(sightings: Iterable[Sighting]) -> Iterator[Finding]:
    """`auth_patterns`: endpoints that return personal data to requests without credentials, at least to some."""
    for endpoint, seen in _by_endpoint(sightings):
        open_to_all = [one for one in seen if not one.location.authenticated and (one.location.status or 0) < 300]
        real = [one for one in open_to_all if not one.mock]
        if not open_to_all:
            continue
        reported = real or open_to_all
        kinds = sorted({one.kind for one in reported})
        location = reported[0].location
        yield Finding(
            rule="personal_data_without_authentication",
            severity="medium" if real else "info",
            category="auth_patterns",
            title="Endpoint returns personal data without authentication",
            description=f"{endpoint} answered with {_list(kinds)}, and the request carried neither an Authorization "
            f"header nor a cookie.{'' if real else _MADE_UP}",
            evidence={
                "method": location.method,
                "url": location.url,
                "status": location.status,
                "auth_header_present": False,
                "response_contains_pii": True,
                "pii_fields": kinds,
            },
            location=of_sighting(location),
            fix="Require authentication here; if the endpoint is public by design, leave these fields out.",
            reference={"cwe": "CWE-306"},
            count=max(one.count for one in reported),
        )


def judge_exposure(
    sightings: Sequence[Sighting],
    logs: Iterable[LogRecord],
    network: Iterable[NetworkRecord],
    *,
    others: Collection[Check],
) -> Iterator[Finding]:
    """`pii_exposure`: personal data where it does not belong, whoever is logged in.

    `others` are the other checks of this run. What they report is not reported again.
    """
    reported_elsewhere = "auth_patterns" in others
    for sighting in sightings:
        on_console = sighting.location.kind == "console" and not sighting.personal
        if is_session_on_console(sighting) or (on_console and "credentials" not in others):
            yield _secret_logged(sighting)
    yield from _in_answers(sightings, reported_elsewhere=reported_elsewhere)
    yield from _on_console(logs)
    yield from _in_addresses(network)


def _by_endpoint(sightings: Iterable[Sighting]) -> Iterator[tuple[str, list[Sighting]]]:
    grouped: dict[tuple[str, str], list[Sighting]] = defaultdict(list)
    for sighting in sightings:
        if sighting.personal:
            grouped[origin_of(sighting.location.url), sighting.location.endpoint].append(sighting)
    return ((endpoint, seen) for (_, endpoint), seen in grouped.items())


def _secret_logged(sighting: Sighting) -> Finding:
    masked, location = sighting.masked, sighting.location
    name = TITLES[sighting.kind]
    return Finding(
        rule=rule_of(sighting),
        severity=severity_of(sighting),
        category="pii_exposure",
        title=f"{name} logged to the console",
        description=f"console.{location.level} at {location.endpoint} prints {with_article(name)}.",
        evidence={
            "type": "console",
            "level": location.level,
            "pattern": sighting.kind,
            "redacted_value": masked.evidence if masked else REDACTED,
            "source": location.endpoint,
            "page_url": location.page_url,
        },
        location=of_sighting(location),
        fix="Remove the log statement, or log that there is a value and not which.",
        reference={"cwe": "CWE-532"},
        count=sighting.count,
    )


def _in_answers(sightings: Iterable[Sighting], *, reported_elsewhere: bool) -> Iterator[Finding]:
    for endpoint, seen in _by_endpoint(sightings):
        kinds = sorted({sighting.kind for sighting in seen})
        # Report the request with the fewest rights.
        location = next((one.location for one in seen if not one.location.authenticated), seen[0].location)
        mock = all(sighting.mock for sighting in seen)
        severity: Severity = "info" if location.authenticated or mock or reported_elsewhere else "medium"
        if "password" in kinds:
            severity = "critical"
        elif _GRAVE & set(kinds) and not mock:
            severity = "medium"
        yield Finding(
            rule="password_in_response" if "password" in kinds else "personal_data_in_response",
            severity=severity,
            category="pii_exposure",
            title="Password in a response" if "password" in kinds else "Personal data in a response",
            description=f"{endpoint} answers with {_list(kinds)}"
            + (", to a request with credentials." if location.authenticated else ", to a request without credentials.")
            + (_MADE_UP if mock else ""),
            evidence={
                "method": location.method,
                "url": location.url,
                "status": location.status,
                "pii_fields": kinds,
                "authenticated": location.authenticated,
            },
            location=of_sighting(location),
            fix="Never send a password to a browser, not even its hash."
            if "password" in kinds
            else "Send only the fields that the page shows, and mask numbers to their last digits.",
            reference={"cwe": "CWE-359" if "password" not in kinds else "CWE-200"},
            count=max(sighting.count for sighting in seen),
        )


def _on_console(logs: Iterable[LogRecord]) -> Iterator[Finding]:
    grouped: dict[tuple[str, str], list[tuple[LogRecord, bool]]] = defaultdict(list)
    for record in logs:
        if record.kind != "console":
            continue
        for kind, mock in {(kind, mock) for kind, _, mock in find_pii(record.text[: limits.PII_CHARS])}:
            grouped[record.location, kind].append((record, mock))
    for (where, kind), seen in grouped.items():
        mock = all(made_up for _, made_up in seen)
        yield Finding(
            rule=f"{kind}_on_console",
            severity="medium" if kind in _GRAVE and not mock else "info",
            category="pii_exposure",
            title=f"{_NOUNS[kind][0].upper()}{_NOUNS[kind][1:]} logged to the console",
            description=f"console.{seen[0][0].level} at {where} prints {_list([kind])}."
            + (" It looks made up." if mock else ""),
            evidence={"type": "console", "level": seen[0][0].level, "pattern": kind, "source": where},
            location=of_log(seen[0][0]),
            fix="Log an id instead of personal data.",
            reference={"cwe": "CWE-532"},
            count=len(seen),
        )


def _in_addresses(network: Iterable[NetworkRecord]) -> Iterator[Finding]:
    grouped: dict[tuple[str, str], list[NetworkRecord]] = defaultdict(list)
    for record in network:
        query = record.url.partition("?")[2]
        if not query or is_local(record.url):
            continue
        decoded = query.replace("%40", "@").replace("%2B", "+").replace("=", " ").replace("&", " ")
        for kind in {kind for kind, _, mock in find_pii(decoded) if not mock}:
            grouped[endpoint_of(record.method, record.url), kind].append(record)
    for (endpoint, kind), seen in grouped.items():
        yield Finding(
            rule=f"{kind}_in_url",
            severity="medium",
            category="pii_exposure",
            title=f"{_NOUNS[kind][0].upper()}{_NOUNS[kind][1:]} in a URL",
            description=f"{endpoint} carries {_list([kind])} in its query: addresses are logged and kept.",
            evidence={"method": seen[0].method, "url": seen[0].url.partition("?")[0], "pattern": kind},
            location=of_request(seen[0].method, seen[0].url.partition("?")[0], page_url_of(seen[0])),
            fix="Send it in a request body.",
            reference={"cwe": "CWE-598"},
            count=len(seen),
        )


def _list(kinds: Sequence[str]) -> str:
    nouns = [f"{'an' if _NOUNS[kind][0] in 'aeiou' else 'a'} {_NOUNS[kind]}" for kind in kinds]
    return nouns[0] if len(nouns) == 1 else f"{', '.join(nouns[:-1])} and {nouns[-1]}"
