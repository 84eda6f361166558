"""Judges where secrets were seen: in an address, in a body, on the console, in a socket's message."""

import re
from collections.abc import Iterable, Iterator

from gasoline_cdp.analysis.findings import SecurityFinding, Severity
from gasoline_cdp.analysis.header_credentials import is_readable, severity_in_header
from gasoline_cdp.detect.formats import FORMATS, TITLES
from gasoline_cdp.redact import Noticed
from gasoline_cdp.sightings import Place, Sighting

# Where tokens and passwords are exchanged on purpose.
_LOGIN = re.compile(
    r"log-?in|sign-?in|sign-?up|register|auth|token|session|oauth|refresh|password|account", re.IGNORECASE
)
_NAMED = {"password", "token", "secret", "api_key"}
_SESSION_KINDS = {"jwt", "bearer_token", "token"}
# Words that begin a title without being a name.
_BRANDS = {form.title.split(" ", maxsplit=1)[0] for form in FORMATS}
_STAGING = re.compile(r"staging|[./-]dev[./:-]", re.IGNORECASE)

_WHERE = {
    "url": ("in a URL", "CWE-598", "Send it in a header or a request body instead: addresses are logged and kept."),
    "console": ("on the console", "CWE-532", "Remove the log statement, or log that there is a value and not which."),
    "websocket": (
        "in a WebSocket message",
        "CWE-522",
        "Keep it on the server; give the browser a short-lived token of few rights.",
    ),
    "request_body": (
        "in a request body",
        "CWE-522",
        "A browser must not know this secret: let your server make the call.",
    ),
    "response_body": (
        "in a response body",
        "CWE-200",
        "Take it out of the answer: whoever can call this endpoint has the secret.",
    ),
    "request_header": (
        "in a request header",
        "CWE-522",
        "Whoever opens the page can read it there: let your server make the call.",
    ),
    "response_header": (
        "in a response header",
        "CWE-200",
        "Take the header out of the answer: whoever can call this endpoint has the secret.",
    ),
}
_READABLE = (
    "in a request header over unencrypted HTTP",
    "CWE-319",
    "Use https:// or wss://: everyone on the way can read the header.",
)
_REFERRER = (
    "in the referrer sent to another site",
    "CWE-598",
    "Keep it out of the page's address, and set Referrer-Policy: strict-origin-when-cross-origin.",
)


def judge_credentials(sightings: Iterable[Sighting], *, sessions_on_console: bool) -> Iterator[SecurityFinding]:
    """One finding for each secret and endpoint. Sessions on the console belong to another check, if it is made."""
    for sighting in sightings:
        if sighting.noticed is not None and (sessions_on_console or not is_session_on_console(sighting)):
            yield _finding(sighting, sighting.noticed)


def is_session_on_console(sighting: Sighting) -> bool:
    """Told by the check for exposed data, and so not by that for credentials."""
    return sighting.place.kind == "console" and sighting.kind in ("jwt", "bearer_token")


def _severity(sighting: Sighting, noticed: Noticed) -> Severity:
    place = sighting.place
    if place.kind in ("request_header", "response_header"):
        return severity_in_header(place, noticed) or "info"
    if noticed.test_mode:
        return "info"
    if place.kind == "url":
        return "warning" if noticed.mild or noticed.doubtful else "critical"
    if place.kind == "console":
        return "warning" if noticed.mild or noticed.doubtful or sighting.kind == "password" else "critical"
    logging_in = _LOGIN.search(place.endpoint) is not None
    if sighting.kind in _SESSION_KINDS:
        if place.kind == "response_body":
            # How a login answers; anywhere else a token has no business in an answer.
            return "info" if logging_in else "warning"
        return "info" if logging_in or place.kind == "websocket" else "warning"
    if sighting.kind == "password" and place.kind in ("request_body", "websocket"):
        # What a login sends.
        return "info" if place.kind == "request_body" else "warning"
    if sighting.kind in _NAMED and place.kind == "request_body":
        return "info" if logging_in else "warning"
    return "warning" if noticed.mild or noticed.doubtful else "critical"


def _finding(sighting: Sighting, noticed: Noticed) -> SecurityFinding:
    place = sighting.place
    where, cwe, _ = _where(place, noticed)
    name = TITLES.get(sighting.kind, "Secret")
    mode = " (test mode)" if noticed.test_mode else ""
    named = f" as '{noticed.name}'" if noticed.name else ""
    description = f"{place.endpoint}: {_article(name)} {_lower(name)}{mode}{named}, {where}."
    if noticed.doubtful:
        description += " Its checksum does not match: it was altered, cut or made up."
    return SecurityFinding(
        severity=_severity(sighting, noticed),
        category="credentials",
        title=f"{name}{mode} {where}",
        description=description,
        evidence=_evidence(sighting, noticed),
        recommendation=_recommendation(sighting, noticed),
        cwe=cwe,
        count=sighting.count,
    )


def _recommendation(sighting: Sighting, noticed: Noticed) -> str:
    text = _where(sighting.place, noticed)[2]
    if sighting.kind == "google_api_key":
        text = "Google API keys are often public: restrict this one by referrer and by API in the console."
    elif noticed.test_mode:
        text = "A test key guards no money; see that the live one does not follow it here."
    elif sighting.kind == "password_hash":
        text += " Let their owners choose new passwords."
    elif sighting.kind not in _SESSION_KINDS | {"password"}:
        text += " Revoke the one that was seen, and issue another."
    if _STAGING.search(sighting.place.url):
        text += " (Seen on what looks like a development or staging host.)"
    return text


def _where(place: Place, noticed: Noticed) -> tuple[str, str, str]:
    if place.kind == "request_header" and noticed.name == "referer":
        return _REFERRER
    if place.kind == "request_header" and is_readable(place):
        return _READABLE
    return _WHERE[place.kind]


def _evidence(sighting: Sighting, noticed: Noticed) -> dict[str, object]:
    place = sighting.place
    evidence: dict[str, object] = {"place": place.kind, "pattern": sighting.kind, "url": place.url}
    if place.method:
        evidence["method"] = place.method
    if place.kind == "url":
        evidence["field"] = "query_param" if noticed.in_query else "url"
    if noticed.name:
        in_header = place.kind in ("request_header", "response_header")
        evidence["header" if in_header else "param_name" if noticed.in_query else "name"] = noticed.name
    if place.kind == "console":
        evidence |= {"type": "console", "level": place.level, "source": place.endpoint}
    return {**evidence, "redacted_value": noticed.evidence, "page_url": place.page_url}


def _lower(noun: str) -> str:
    """`password`, but `AWS key` and `GitHub token`."""
    first = noun.split(" ", maxsplit=1)[0]
    return noun if any(letter.isupper() for letter in first[1:]) or first in _BRANDS else noun[0].lower() + noun[1:]


def _article(noun: str) -> str:
    return "an" if noun[0] in "AEIOaeio" else "a"
