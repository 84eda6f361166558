"""Judges where secrets were seen: in an address, a body, a console message, a socket message."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from attrs import frozen

from gasoline_cdp.analysis.locations import of_sighting
from gasoline_cdp.analysis.normalise import origin_of
from gasoline_cdp.analysis.security.header_credentials import is_readable, severity_in_header
from gasoline_cdp.detect.formats import TITLES
from gasoline_cdp.findings import Finding, Severity
from gasoline_cdp.redact import MaskedSecret
from gasoline_cdp.sightings import Sighting, SightingLocation

# Addresses where tokens and passwords are exchanged on purpose.
_LOGIN = re.compile(
    r"log-?in|sign-?in|sign-?up|register|auth|token|session|oauth|refresh|password|account", re.IGNORECASE
)
_NAMED = {"password", "token", "secret", "api_key"}
_SESSION_KINDS = {"jwt", "bearer_token", "token"}
# First words of a title that are not the name of a service.
_NOUNS = {"Access", "Bearer", "Database", "Extended", "Password", "Payment", "Private", "Secret", "User"}
_SPOKEN_WITH_A_VOWEL = ("npm", "xAI", "NVIDIA")
_NAMES_SHOWN = 10
_STAGING = re.compile(r"staging|[./-]dev[./:-]", re.IGNORECASE)


@frozen
class _Where:
    """A location where secrets do not belong: its wording, the end of the rule's name, and the fix."""

    words: str
    suffix: str
    cwe: str
    fix: str


_WHERE = {
    "url": _Where(
        "in a URL",
        "in_url",
        "CWE-598",
        "Send it in a header or a request body instead: addresses are logged and kept.",
    ),
    "console": _Where(
        "on the console",
        "on_console",
        "CWE-532",
        "Remove the log statement, or log that there is a value and not which.",
    ),
    "websocket": _Where(
        "in a WebSocket message",
        "in_websocket_message",
        "CWE-522",
        "Keep it on the server; give the browser a short-lived token of few rights.",
    ),
    "request_body": _Where(
        "in a request body",
        "in_request_body",
        "CWE-522",
        "Whoever opens the page can read it there: let your server make the call.",
    ),
    "response_body": _Where(
        "in a response body",
        "in_response_body",
        "CWE-200",
        "Take it out of the answer: whoever can call this endpoint has the secret.",
    ),
    "request_header": _Where(
        "in a request header",
        "in_request_header",
        "CWE-522",
        "Whoever opens the page can read it there: let your server make the call.",
    ),
    "response_header": _Where(
        "in a response header",
        "in_response_header",
        "CWE-200",
        "Take the header out of the answer: whoever can call this endpoint has the secret.",
    ),
}
_READABLE = _Where(
    "in a request header over unencrypted HTTP",
    "in_unencrypted_header",
    "CWE-319",
    "Use https:// or wss://: everyone on the way can read the header.",
)
_REFERRER = _Where(
    "in the referrer sent to another site",
    "in_referrer",
    "CWE-598",
    "Keep it out of the page's address, and set Referrer-Policy: strict-origin-when-cross-origin.",
)


# A login exchanges secrets legitimately.
_LOGIN_SENDS = "A login sends it like this. See that it goes over https, and that no server logs it."
_LOGIN_ANSWERS = (
    "A login answers like this. An HttpOnly cookie would keep the token from scripts; where the page needs it, keep it "
    "in memory, not in localStorage."
)
_SESSION_ANSWERED = "Leave it out of the answer, unless the page needs it: every script of the page can read it."


def judge_credentials(sightings: Iterable[Sighting], *, sessions_on_console: bool) -> Iterator[Finding]:
    """One finding for each kind of secret and endpoint. Session tokens on the console may belong to another check."""
    grouped: dict[tuple[object, ...], list[tuple[Sighting, MaskedSecret]]] = defaultdict(list)
    for sighting in sightings:
        masked, location = sighting.masked, sighting.location
        if masked is not None and (sessions_on_console or not is_session_on_console(sighting)):
            where = location.kind, origin_of(location.url), location.endpoint, _where(location, masked).suffix
            grouped[*where, sighting.kind, masked.test_mode, masked.checksum_failed, severity_of(sighting)].append(
                (sighting, masked)
            )
    for seen in grouped.values():
        yield _finding(seen)


def is_session_on_console(sighting: Sighting) -> bool:
    """Reported by the check for exposed data, so not by the one for credentials."""
    return sighting.location.kind == "console" and sighting.kind in ("jwt", "bearer_token")


def severity_of(sighting: Sighting) -> Severity:
    """The severity of a secret at this location."""
    masked, location = sighting.masked, sighting.location
    if masked is None:
        return "info"
    if location.kind in ("request_header", "response_header"):
        return severity_in_header(location, masked) or "info"
    if masked.test_mode:
        return "info"
    if location.kind == "url":
        return "medium" if masked.low_risk or masked.checksum_failed else "critical"
    if location.kind == "console":
        return "medium" if masked.low_risk or masked.checksum_failed or sighting.kind == "password" else "critical"
    logging_in = _is_login(location)
    if sighting.kind in _SESSION_KINDS:
        if location.kind == "response_body":
            # Normal for a login. Elsewhere a token does not belong into a response.
            return "info" if logging_in else "medium"
        return "info" if logging_in or location.kind == "websocket" else "medium"
    if sighting.kind == "password" and location.kind in ("request_body", "websocket"):
        # Normal for a login.
        return "info" if location.kind == "request_body" else "medium"
    if sighting.kind in _NAMED and location.kind == "request_body":
        return "info" if logging_in else "medium"
    return "medium" if masked.low_risk or masked.checksum_failed else "critical"


def _is_login(location: SightingLocation) -> bool:
    return _LOGIN.search(location.endpoint) is not None


def _finding(seen: list[tuple[Sighting, MaskedSecret]]) -> Finding:
    sighting, masked = seen[0]
    location = sighting.location
    where = _where(location, masked)
    name = TITLES.get(sighting.kind, "Secret")
    mode = " (test mode)" if masked.test_mode else ""
    names = sorted({one.name for _, one in seen if one.name})
    named = f" as {', '.join(repr(name) for name in names[:3])}{' and others' if len(names) > 3 else ''}"
    description = f"{location.endpoint}: {with_article(name)}{mode}{named if names else ''}, {where.words}."
    values = {fingerprint for sighting, _ in seen for fingerprint in sighting.fingerprints}
    if len(values) > 1:
        description += f" {len(values)} different values were seen."
    if masked.checksum_failed:
        description += " Its checksum does not match: it was altered, cut or made up."
    return Finding(
        rule=rule_of(sighting),
        severity=severity_of(sighting),
        category="credentials",
        title=f"{name}{mode} {where.words}",
        description=description,
        evidence=_evidence(sighting, masked, names, len(values)),
        location=of_sighting(location, names[0] if names else ""),
        fix=_fix(sighting, masked),
        reference={"cwe": where.cwe},
        count=sum(sighting.count for sighting, _ in seen),
    )


def _fix(sighting: Sighting, masked: MaskedSecret) -> str:
    location, kind = sighting.location, sighting.kind
    text = _where(location, masked).fix
    of_session = kind in _SESSION_KINDS
    if kind == "google_api_key":
        text = "Google API keys are often public: restrict this one by referrer and by API in the console."
    elif masked.test_mode:
        text = "A test key guards no money; see that the live one does not follow it here."
    elif location.kind == "request_body" and (
        kind == "password" or (kind in _NAMED | _SESSION_KINDS and _is_login(location))
    ):
        text = _LOGIN_SENDS
    elif location.kind == "response_body" and of_session:
        text = _LOGIN_ANSWERS if _is_login(location) else _SESSION_ANSWERED
    elif kind == "password_hash":
        text += " Let their owners choose new passwords."
    elif masked.checksum_failed:
        text += " If it is a real one, revoke it."
    elif not of_session and kind != "password":
        text += " Revoke the one that was seen, and issue another."
    if _STAGING.search(location.url):
        text += " (Seen on what looks like a development or staging host.)"
    return text


def rule_of(sighting: Sighting) -> str:
    """`stripe_key_in_url`, `test_stripe_key_on_console`."""
    masked = sighting.masked
    if masked is None:
        return f"{sighting.kind}_{_WHERE[sighting.location.kind].suffix}"
    return f"{'test_' if masked.test_mode else ''}{sighting.kind}_{_where(sighting.location, masked).suffix}"


def _where(location: SightingLocation, masked: MaskedSecret) -> _Where:
    if location.kind == "request_header" and masked.name == "referer":
        return _REFERRER
    if location.kind == "request_header" and is_readable(location):
        return _READABLE
    return _WHERE[location.kind]


def _evidence(sighting: Sighting, masked: MaskedSecret, names: list[str], values: int) -> dict[str, object]:
    location = sighting.location
    evidence: dict[str, object] = {"place": location.kind, "pattern": sighting.kind, "url": location.url}
    if location.method:
        evidence["method"] = location.method
    if location.kind == "url":
        evidence["field"] = "query_param" if masked.in_query else "url"
    if names:
        in_header = location.kind in ("request_header", "response_header")
        evidence["header" if in_header else "param_name" if masked.in_query else "name"] = names[0]
    if len(names) > 1:
        evidence["names"] = names[:_NAMES_SHOWN]
    if values > 1:
        evidence["different_values"] = values
    if location.kind == "console":
        evidence |= {"type": "console", "level": location.level, "source": location.endpoint}
    return {**evidence, "redacted_value": masked.evidence, "page_url": location.page_url}


def with_article(title: str) -> str:
    """`a password`, `an API key`, `a GitHub token`."""
    first = title.split(" ", maxsplit=1)[0]
    noun = title[0].lower() + title[1:] if first in _NOUNS else title
    vowel = first in _SPOKEN_WITH_A_VOWEL or noun[0] in "AEIOaeio"
    return f"{'an' if vowel else 'a'} {noun}"
