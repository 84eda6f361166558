"""Judges where secrets were seen: in an address, in a body, on the console, in a socket's message."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from gasoline_cdp.analysis.findings import SecurityFinding, Severity
from gasoline_cdp.analysis.header_credentials import is_readable, severity_in_header
from gasoline_cdp.analysis.normalise import origin_of
from gasoline_cdp.detect.formats import TITLES
from gasoline_cdp.redact import Noticed
from gasoline_cdp.sightings import Place, Sighting

# Where tokens and passwords are exchanged on purpose.
_LOGIN = re.compile(
    r"log-?in|sign-?in|sign-?up|register|auth|token|session|oauth|refresh|password|account", re.IGNORECASE
)
_NAMED = {"password", "token", "secret", "api_key"}
_SESSION_KINDS = {"jwt", "bearer_token", "token"}
# Words that begin a title and are no name of a service.
_NOUNS = {"Access", "Bearer", "Database", "Extended", "Password", "Payment", "Private", "Secret", "User"}
_SPOKEN_WITH_A_VOWEL = ("npm", "xAI", "NVIDIA")
_NAMES_SHOWN = 10
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
        "Whoever opens the page can read it there: let your server make the call.",
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


# What a login exchanges, which is as it should be.
_LOGIN_SENDS = "A login sends it like this. See that it goes over https, and that no server logs it."
_LOGIN_ANSWERS = (
    "A login answers like this. An HttpOnly cookie would keep the token from scripts; where the page needs it, keep it "
    "in memory, not in localStorage."
)
_SESSION_ANSWERED = "Leave it out of the answer, unless the page needs it: every script of the page can read it."


def judge_credentials(sightings: Iterable[Sighting], *, sessions_on_console: bool) -> Iterator[SecurityFinding]:
    """One finding for each kind of secret and endpoint. Sessions on the console may belong to another check."""
    grouped: dict[tuple[object, ...], list[tuple[Sighting, Noticed]]] = defaultdict(list)
    for sighting in sightings:
        noticed, place = sighting.noticed, sighting.place
        if noticed is not None and (sessions_on_console or not is_session_on_console(sighting)):
            where = place.kind, origin_of(place.url), place.endpoint, _where(place, noticed)[0]
            grouped[*where, sighting.kind, noticed.test_mode, noticed.doubtful, severity_of(sighting)].append(
                (sighting, noticed)
            )
    for seen in grouped.values():
        yield _finding(seen)


def is_session_on_console(sighting: Sighting) -> bool:
    """Told by the check for exposed data, and so not by that for credentials."""
    return sighting.place.kind == "console" and sighting.kind in ("jwt", "bearer_token")


def severity_of(sighting: Sighting) -> Severity:
    """How bad it is that a secret was seen there."""
    noticed, place = sighting.noticed, sighting.place
    if noticed is None:
        return "info"
    if place.kind in ("request_header", "response_header"):
        return severity_in_header(place, noticed) or "info"
    if noticed.test_mode:
        return "info"
    if place.kind == "url":
        return "warning" if noticed.mild or noticed.doubtful else "critical"
    if place.kind == "console":
        return "warning" if noticed.mild or noticed.doubtful or sighting.kind == "password" else "critical"
    logging_in = _is_login(place)
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


def _is_login(place: Place) -> bool:
    return _LOGIN.search(place.endpoint) is not None


def _finding(seen: list[tuple[Sighting, Noticed]]) -> SecurityFinding:
    sighting, noticed = seen[0]
    place = sighting.place
    where, cwe, _ = _where(place, noticed)
    name = TITLES.get(sighting.kind, "Secret")
    mode = " (test mode)" if noticed.test_mode else ""
    names = sorted({one.name for _, one in seen if one.name})
    named = f" as {', '.join(repr(name) for name in names[:3])}{' and others' if len(names) > 3 else ''}"
    description = f"{place.endpoint}: {with_article(name)}{mode}{named if names else ''}, {where}."
    values = {fingerprint for sighting, _ in seen for fingerprint in sighting.fingerprints}
    if len(values) > 1:
        description += f" {len(values)} different values were seen."
    if noticed.doubtful:
        description += " Its checksum does not match: it was altered, cut or made up."
    return SecurityFinding(
        severity=severity_of(sighting),
        category="credentials",
        title=f"{name}{mode} {where}",
        description=description,
        evidence=_evidence(sighting, noticed, names, len(values)),
        recommendation=_recommendation(sighting, noticed),
        cwe=cwe,
        count=sum(sighting.count for sighting, _ in seen),
    )


def _recommendation(sighting: Sighting, noticed: Noticed) -> str:
    place, kind = sighting.place, sighting.kind
    text = _where(place, noticed)[2]
    of_session = kind in _SESSION_KINDS
    if kind == "google_api_key":
        text = "Google API keys are often public: restrict this one by referrer and by API in the console."
    elif noticed.test_mode:
        text = "A test key guards no money; see that the live one does not follow it here."
    elif place.kind == "request_body" and (
        kind == "password" or (kind in _NAMED | _SESSION_KINDS and _is_login(place))
    ):
        text = _LOGIN_SENDS
    elif place.kind == "response_body" and of_session:
        text = _LOGIN_ANSWERS if _is_login(place) else _SESSION_ANSWERED
    elif kind == "password_hash":
        text += " Let their owners choose new passwords."
    elif noticed.doubtful:
        text += " If it is a real one, revoke it."
    elif not of_session and kind != "password":
        text += " Revoke the one that was seen, and issue another."
    if _STAGING.search(place.url):
        text += " (Seen on what looks like a development or staging host.)"
    return text


def _where(place: Place, noticed: Noticed) -> tuple[str, str, str]:
    if place.kind == "request_header" and noticed.name == "referer":
        return _REFERRER
    if place.kind == "request_header" and is_readable(place):
        return _READABLE
    return _WHERE[place.kind]


def _evidence(sighting: Sighting, noticed: Noticed, names: list[str], values: int) -> dict[str, object]:
    place = sighting.place
    evidence: dict[str, object] = {"place": place.kind, "pattern": sighting.kind, "url": place.url}
    if place.method:
        evidence["method"] = place.method
    if place.kind == "url":
        evidence["field"] = "query_param" if noticed.in_query else "url"
    if names:
        in_header = place.kind in ("request_header", "response_header")
        evidence["header" if in_header else "param_name" if noticed.in_query else "name"] = names[0]
    if len(names) > 1:
        evidence["names"] = names[:_NAMES_SHOWN]
    if values > 1:
        evidence["different_values"] = values
    if place.kind == "console":
        evidence |= {"type": "console", "level": place.level, "source": place.endpoint}
    return {**evidence, "redacted_value": noticed.evidence, "page_url": place.page_url}


def with_article(title: str) -> str:
    """`a password`, `an API key`, `a GitHub token`."""
    first = title.split(" ", maxsplit=1)[0]
    noun = title[0].lower() + title[1:] if first in _NOUNS else title
    vowel = first in _SPOKEN_WITH_A_VOWEL or noun[0] in "AEIOaeio"
    return f"{'an' if vowel else 'a'} {noun}"
