"""Names that make their value secret: of fields, headers, parameters, settings and cookies.

`is_secret_name` decides for everything that has a name and a value: form fields, headers, parameters, members of
objects, attributes of elements.
"""

import re
from functools import lru_cache

# Names are compared as words in lower case, joined by `_`: apiKey, API-KEY and api.key are all api_key.
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NO_WORD = re.compile(r"[^a-z0-9]+")

# Anywhere in a name, also inside a word (`mypassword`, `xsrftoken`).
_TELLING = re.compile(
    r"password|passwd|passphrase|passcode|secret(?!ar|s?_?manager)|token(?!iz|is)|credential|authorization|api_?key|access_?key"
    r"|private_?key|session_?id|auth_?key|signature|card_?num(?:ber)?|credit_?card|(?:^|_)cc_?num(?:ber)?"
)
# Only as whole words: inside others they mean nothing (`isolation`, `shipping`, `assignment`).
_WORDS = re.compile(
    r"(?:^|_|\d)(?:pwd|jwt|otp|totp|cvv2?|cvc2?|ssn|bearer|mnemonic|csrf|xsrf|skey"
    r"|(?:signing|encryption|master|account|shared|server|license|licence|service|admin|bot|webhook|hmac|cipher)_key"
    r"|(?:seed|recovery|backup)_(?:phrase|codes?)|security_(?:code|answer)|verification_code|card_no|social_security)"
    r"(?:$|_|\d)|[a-z]{2}pwd$"
)
# Only as the whole name: `pin` and `sig` are too short to mean anything inside another.
_WHOLE = frozenset({"pin", "pin_code", "user_pin", "card_pin", "sig", "sid", "pass", "x_auth", "authentication", "csc"})
# `token_type`, `credentialId`, `passwordHint` and `max_tokens` describe secrets, but are none.
_ABOUT = re.compile(
    r"(?:_(?:type|count|limit|names?|expires\w{0,8}|expir(?:y|ation)|length|ids?|at|in|hint|label|placeholder|title|text"
    r"|message|error|ur[il]|endpoint|policy|strength|required|visible|enabled|disabled|status|kind|format|method|mode"
    r"|icon|colou?r|byte_?code|link|field|version|algorithm|alg|class|path|usage|scope|issuer|provider|index|size|rules?|valid|protected|postfix"
    r"|regexp?|pattern|date|time|age|last_[a-z]{3,12}|(?:last_)?(?:used|changed|updated|modified|created|rotated|set))|tokens)$"
    r"|^(?:has|is|show|hide|toggle|forgot|no|require[sd]?)_"
    r"|^(?:public|publishable)_|_(?:public|publishable)_"
)
_SESSION = re.compile(r"session_?id$")
_SHOUTED = re.compile(r"^[A-Z][A-Z0-9_]{3,}$")

# Every secret name contains one of these; so do the weak names (`sl-key`, `db_pass`), whose value must look secret.
STEMS = (
    "pass", "pwd", "pw", "secret", "token", "key", "credential", "auth", "session", "signature", "jwt", "otp", "cvv",
    "cvc", "ssn", "bearer", "mnemonic", "card", "srf", "sig=", 'sig"', "pin=", 'pin"',
)  # fmt: skip
_WEAK_NAME = re.compile(
    r"(?:^|[_.\-])(?:key|pass|pw|auth|creds?|sig)\d?$|-(?:Key|Pass|Auth)$|[a-z0-9](?:Key|Pass|Pw|Auth|Creds?)\d?$"
    r"|(?:[A-Z0-9_.\-]|^)(?:KEY|PASS|PW|AUTH|CREDS?|SIG)\d?$|pwd$|^Key$"
)
_LAST_WORD = 8
# Headers that authenticate: there a UUID is a secret, not an identifier.
_HEADER = re.compile(r"server[_-]token$|^x[_-].{0,40}token$", re.IGNORECASE)

# Public values and identifiers: masked like the rest, but not reported.
_NO_ALARM = re.compile(
    r"vapid|csrf|xsrf|nonce|captcha|publishable|continuation|cursor|idempoten|signature|integrity|checksum|fingerprint"
    r"|correlation|instrumentation|analytics|telemetry|_id$|key_?id$"
    # The others only where a word begins: `browshot_key` is no `hot_key`, `returnly_token` has no `turn`.
    r"|(?:^|_)(?:x_amz_|sec_websocket|public|site_?key|pub_?key"
    # Positions in a list, an upload or a stream, and the last change that was seen.
    r"|(?:next|prev|list)?(?:page|paging|next|prev|previous|skip|start|sync|delta|resume|upload|scroll|change|watch|sequence|position|marker"
    r"|offset|lock|history|version|snapshot)_?token"
    # Sent so that nothing is done twice.
    r"|client_?(?:request_?)?token|request_?id|dedup"
    r"|cache|primary_?key$|sort_?key|foreign|partition|object_?key|storage_?key|s3_?key|i18n|translation|locale"
    # Identifiers, or counters of visits.
    r"|unique|composite|natural_?key|period|insights|(?:row|group|item|lookup"
    r"|event|record|image|file|media|asset|blob|document|node|entity|issue|project|message)_?key"
    r"|hash(?:_|$|ed)|sentry_?key$|expir|measurement|tracking|cvv|cvc|t?otp|design_?token|color|theme|react(?:_|$)|map_?key"
    r"|hot_?key|short(?:cut)?_?key|turn(?:_|$)|token_?(?:uri|url|endpoint|kind))"
    r"|^c_?token$|^token_?(?:next|prev)|^sig$|^ssn$"
)
_AWS_SECRET = re.compile(r"aws|secret_?access_?key")


# The functions below all need this, one soon after the other.
@lru_cache(maxsize=64)
def _joined(name: str) -> str:
    return _NO_WORD.sub("_", _CAMEL.sub("_", name).lower()).strip("_")


@lru_cache(maxsize=64)
def _is_harmless(name: str) -> bool:
    return _NO_ALARM.search(_joined(name)) is not None


@lru_cache(maxsize=4096)
def is_secret_name(name: str) -> bool:
    """Whether the value of a field, header, parameter, member or cookie with this name is secret."""
    words = _joined(name[:200])
    if words in _WHOLE:
        return True
    if _TELLING.search(words) is None and _WORDS.search(words) is None:
        return False
    return _ABOUT.search(words) is None or _SESSION.search(words) is not None


@lru_cache(maxsize=4096)
def is_weak_name(name: str) -> bool:
    """Whether a value with this name is secret if it looks like a secret."""
    # Only the last word counts; searching all of a long name would be slow.
    return _WEAK_NAME.search(name, max(0, len(name) - _LAST_WORD)) is not None and not _is_harmless(name)


@lru_cache(maxsize=4096)
def kind_of_name(name: str) -> str:
    """Which kind of secret a name stands for; empty if it is not to be reported."""
    lowered = name.lower().replace("-", "_")
    if _is_harmless(name):
        return ""
    if _AWS_SECRET.search(lowered) and "key" in lowered:
        return "aws_secret_key"
    if "passw" in lowered or "pwd" in lowered or "passphrase" in lowered or lowered.endswith(("pass", "pw")):
        return "password"
    if "key" in lowered:
        return "api_key"
    if "secret" in lowered or "credential" in lowered:
        return "secret"
    return "token"


def is_setting(name: str) -> bool:
    """Whether this is the name of an environment variable, or of a header that authenticates."""
    return _SHOUTED.match(name) is not None or _HEADER.search(name) is not None
