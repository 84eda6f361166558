"""Which credentials in a header are worth telling.

Headers are where credentials belong, so most are none: the session's token over https, the key of a service that is
made for browsers. Told are those that a browser should not have at all, those that everyone on the way can read, and
those that an answer gives away.
"""

from urllib.parse import urlsplit

from gasoline_cdp.analysis.findings import Severity
from gasoline_cdp.analysis.issues import is_local
from gasoline_cdp.detect.names import is_secret_name
from gasoline_cdp.redact import Noticed
from gasoline_cdp.sightings import Place

# Known by the name of what holds them only.
_NAMED = {"api_key", "secret", "password", "token"}
# Of one person and one session, as browsers carry them.
_OF_SESSIONS = {
    "jwt", "bearer_token", "token", "google_oauth_token", "facebook_token", "instagram_token", "twitch_token",
    "dropbox_token", "salesforce_token", "aws_session_token", "gitlab_session", "vk_token",
}  # fmt: skip
# Of a person who logged in at GitHub, and of a session at AWS.
_OF_SESSIONS_BEGIN = ("gho_", "ghu_", "ASIA")
# Keys for searching and for showing maps, which their services hand out for browsers.
_FOR_BROWSERS = {
    "x-algolia-api-key", "x-typesense-api-key", "x-meili-api-key", "x-goog-api-key", "apikey", "dd-api-key",
    "x-parse-javascript-key", "x-sentry-auth", "x-firebase-appcheck", "x-client-key",
}  # fmt: skip
# Told as part of the address that they hold.
_OF_ADDRESSES = {"location", "content-location", "link", "refresh"}
_SHORT_SUFFIX = 3


def severity_in_header(place: Place, noticed: Noticed) -> Severity | None:
    """How bad it is that this was in a header of this request or answer; None if it is as it should be."""
    if noticed.name == "referer":
        return "warning" if is_elsewhere(place) else None
    named = noticed.kind in _NAMED
    if noticed.name in _OF_ADDRESSES or (named and not is_secret_name(noticed.name)):
        return None
    of_session = noticed.kind in _OF_SESSIONS or noticed.evidence.startswith(_OF_SESSIONS_BEGIN)
    if place.kind == "request_header":
        if is_readable(place):
            return "warning" if noticed.mild or noticed.test_mode else "critical"
        if named and not of_session:
            return "warning" if is_elsewhere(place) and noticed.name not in _FOR_BROWSERS else None
    elif named and not of_session:
        return "warning"
    if of_session or noticed.mild:
        return None
    if noticed.test_mode:
        return "info"
    return "warning" if noticed.doubtful else "critical"


def is_readable(place: Place) -> bool:
    """Whether everyone on the way can read it."""
    return place.url.startswith(("http:", "ws:")) and not is_local(place.url)


def is_elsewhere(place: Place) -> bool:
    """Whether a request went to another site than its page is of."""
    return not is_local(place.url) and _site(place.url) != _site(place.page_url)


def _site(url: str) -> str:
    """The registered part of a host, near enough without the list of suffixes: shop.io, shop.co.uk."""
    try:
        labels = (urlsplit(url).hostname or "").split(".")
    except ValueError:
        return ""
    if labels[-1].isdigit():
        return ".".join(labels)
    short = len(labels) > 2 and len(labels[-1]) == 2 and len(labels[-2]) <= _SHORT_SUFFIX
    return ".".join(labels[-3 if short else -2 :])
