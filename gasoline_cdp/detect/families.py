"""Tokens of unknown issuers, recognised by a habit that most issuers share.

A token begins with the issuer's name and the kind of token, then a random part: `acme_pat_…`, `acme_sk_live_…`,
`acme-api-key-…`. Identifiers look similar (`user_2NiW…`, `evt_1MqL…`), but have no word for a credential.
"""

import re

from attrs import frozen

from gasoline_cdp.detect.plausible import is_mixed, is_placeholder, looks_random
from gasoline_cdp.detect.work import Work

_TOKEN = re.compile(
    r"(?P<issuer>(?:[A-Za-z][A-Za-z0-9]{1,11}[_-]){0,2}?)"
    r"(?P<word>e?secret|sk|pat|api[_-]?key|access[_-]?key|secret[_-]?key|(?:access|api)[_-]?token|api|live|prod(?:uction)?"
    r"|test|sandbox)[_-]"
    # A version or a region: `_v1_`, `_eu_`.
    r"(?:[A-Za-z0-9]{1,4}[_-])?(?P<random>[A-Za-z0-9_-]{24,255}+)(?![A-Za-z0-9_-])"
)
# These always mean a credential; the others stand in ordinary identifiers, too.
_TELLING = frozenset({"secret", "esecret", "sk", "pat", "apikey", "accesskey", "secretkey", "accesstoken", "apitoken"})
# Keys for browsers, and Stripe's checkout sessions (`cs_live_…`), which stand in the address of a page.
_PUBLIC = frozenset(
    {"pk", "pub", "public", "publishable", "anon", "client", "site", "cs", "csrf", "xsrf", "cache", "id"}
)
_TEST_MODES = frozenset({"test", "sandbox"})
_SEPARATORS = re.compile(r"[_-]+")
_HEX = re.compile(r"[0-9a-f]{32,128}\Z")
_DIGITS = re.compile(r"\d+")
# Groups of digits: 24 random characters have so many, a name with a date or a version hardly ever.
_DIGIT_GROUPS = 3
# The longest stretch without separators; slugs are made of shorter words.
_UNBROKEN = 14


@frozen
class IssuedToken:
    """The end of such a token, and whether it is for tests."""

    end: int
    test_mode: bool


def issued_token(text: str, start: int, work: Work) -> IssuedToken | None:
    """The token at `start`, if it has an issuer's prefix and a random part."""
    match = _TOKEN.match(text, start)
    if match is None or not work.spend(2):
        return None
    issuer = [part.lower() for part in _SEPARATORS.split(match["issuer"]) if part]
    word = _SEPARATORS.sub("", match["word"].lower())
    # `sk_…` alone is a format of its own, and of the same look as the numbers of Stripe's articles.
    if not issuer and word == "sk":
        return None
    if not _PUBLIC.isdisjoint(issuer) or _is_slug(match["random"]) or not work.spend(4):
        return None
    if not _is_issued(match["random"], telling=bool(issuer) and word in _TELLING):
        return None
    return IssuedToken(match.end(), word in _TEST_MODES)


def _is_slug(random: str) -> bool:
    """Whether a part has four or more lower-case letters: frequent in file names and slugs, rare in random values."""
    return any(len(part) > 3 and part.isalpha() and part.islower() for part in _SEPARATORS.split(random))


def _is_issued(random: str, *, telling: bool) -> bool:
    if max(map(len, _SEPARATORS.split(random))) < _UNBROKEN or is_placeholder(random) or not looks_random(random):
        return False
    if len(_DIGITS.findall(random)) < _DIGIT_GROUPS:
        return False
    return is_mixed(random) or (telling and (_HEX.match(random) is not None or random.isalnum()))
