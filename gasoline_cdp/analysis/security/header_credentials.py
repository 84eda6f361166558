"""Decides which credentials in headers are worth reporting.

Headers are where credentials belong, so most are fine: a session token over https, the key of a service made for
browsers. Reported are credentials that a browser should not have at all, those that anyone on the network can read, and
those that a response gives away.
"""

from gasoline_cdp.analysis.security.local_hosts import is_local
from gasoline_cdp.analysis.security.sites import site_of
from gasoline_cdp.detect.names import is_secret_name
from gasoline_cdp.findings import Severity
from gasoline_cdp.redact import MaskedSecret
from gasoline_cdp.sightings import SightingLocation

# Kinds recognised by field name alone.
_NAMED = {"api_key", "secret", "password", "token"}
# Credentials of one person and one session, which browsers normally carry.
_OF_SESSIONS = {
    "jwt", "bearer_token", "token", "google_oauth_token", "facebook_token", "instagram_token", "twitch_token",
    "dropbox_token", "salesforce_token", "aws_session_token", "gitlab_session", "vk_token",
}  # fmt: skip
# Prefixes of a GitHub login of a person, and of an AWS session.
_OF_SESSIONS_BEGIN = ("gho_", "ghu_", "ASIA")
# Keys for search and maps, which their services issue for browsers.
_FOR_BROWSERS = {
    "x-algolia-api-key", "x-typesense-api-key", "x-meili-api-key", "x-goog-api-key", "apikey", "dd-api-key",
    "x-parse-javascript-key", "x-sentry-auth", "x-firebase-appcheck", "x-client-key",
}  # fmt: skip
# Headers that hold an address. Their secrets are reported with the address.
_OF_ADDRESSES = {"location", "content-location", "link", "refresh"}


def severity_in_header(location: SightingLocation, masked: MaskedSecret) -> Severity | None:
    """The severity of a credential in this header; None if it is fine."""
    if masked.name == "referer":
        return "medium" if is_elsewhere(location) else None
    named = masked.kind in _NAMED
    if masked.name in _OF_ADDRESSES or (named and not is_secret_name(masked.name)):
        return None
    of_session = masked.kind in _OF_SESSIONS or masked.evidence.startswith(_OF_SESSIONS_BEGIN)
    if location.kind == "request_header":
        if is_readable(location):
            return "medium" if masked.low_risk or masked.test_mode else "critical"
        if named and not of_session:
            return "medium" if is_elsewhere(location) and masked.name not in _FOR_BROWSERS else None
    elif named and not of_session:
        return "medium"
    if of_session or masked.low_risk:
        return None
    if masked.test_mode:
        return "info"
    return "medium" if masked.checksum_failed else "critical"


def is_readable(location: SightingLocation) -> bool:
    """Whether anyone on the network can read it."""
    return location.url.startswith(("http:", "ws:")) and not is_local(location.url)


def is_elsewhere(location: SightingLocation) -> bool:
    """Whether a request went to another site than its page's."""
    return not is_local(location.url) and site_of(location.url) != site_of(location.page_url)
