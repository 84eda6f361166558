"""Names that make their value secret: of fields, parameters, settings and cookies."""

import re
from functools import lru_cache

# Words that make a name's value secret wherever it stands: a query, a form, JSON, console text.
_NAME_WORDS = (
    "password", "passwd", "pwd", "passphrase", "secret", "token", "api_key", "api-key", "apikey", "access_key",
    "accesskey", "access-key", "private_key", "privatekey", "credential", "authorization", "session_id",
    "sessionid", "auth_key", "authkey", "signature", "jwt", "otp", "cvv", "cvc", "ssn",
)  # fmt: skip
# One of these stands in every such name, and in the weaker ones (`sl-key`, `db_pass`) whose value must look like it.
STEMS = (
    "pass", "pwd", "pw", "secret", "token", "key", "credential", "auth", "session", "signature", "jwt", "otp", "cvv",
    "cvc", "ssn",
)  # fmt: skip

# `token_type: Bearer` and `max_tokens: 4096` are about tokens, and are none.
_HARMLESS_NAME = re.compile(r"(?:[_-](?:type|count|limit|name|expires\w{0,8}|length|id|at|in)|tokens)$", re.IGNORECASE)
_SHORT_WORD = re.compile(r"(?<![a-z])(?:otp|cvv|cvc|ssn|jwt|pwd)(?![a-z])")
_WEAK_NAME = re.compile(
    r"(?:^|[_.\-])(?:key|pass|pw|auth|creds?)$|[a-z0-9](?:Key|Pass|Pw|Auth|Creds?)$|(?:[A-Z0-9_.\-]|^)(?:KEY|PASS|PW|AUTH|CREDS?)$|pwd$"
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# Names of settings and of headers that authenticate: there a UUID guards rather than names.
_HEADER = re.compile(r"server[_-]token$|^x[_-].{0,40}token$", re.IGNORECASE)
_SHOUTED = re.compile(r"^[A-Z][A-Z0-9_]{3,}$")

# Made to be seen, or to tell one thing from another; their values are masked with the rest, and not reported.
_NO_ALARM = re.compile(
    r"csrf|xsrf|nonce|captcha|public|publishable|site_?key|page_?token|next_?token|sync_?token|continuation|cursor"
    r"|idempoten|cache|sort_?key|primary|foreign|partition|object_?key|storage_?key|s3_?key|i18n|translation|locale"
    r"|signature|integrity|checksum|hash|fingerprint|expir|measurement|tracking|^ssn$|cvv|cvc|otp|_id$|key_?id$"
    r"|design_?token|color|theme|react|map_?key|hot_?key|short_?key|turn|token_?(?:uri|url|endpoint|kind)"
)
_AWS_SECRET = re.compile(r"aws|secret_?access_?key")


@lru_cache(maxsize=4096)
def is_secret_name(name: str) -> bool:
    """Whether a value that goes by this name (of a field, a parameter, a cookie) is to be kept from readers."""
    lowered = name.lower()
    if not any(word in lowered for word in _NAME_WORDS):
        return False
    if _HARMLESS_NAME.search(lowered) and not lowered.endswith(("session_id", "sessionid")):
        return False
    # Three-letter words inside longer ones ("scroll_top_id", "isolation") are accidents.
    return any(word in lowered for word in _NAME_WORDS if len(word) > 3) or bool(
        _SHORT_WORD.search(_CAMEL.sub("_", name).lower())
    )


@lru_cache(maxsize=4096)
def is_weak_name(name: str) -> bool:
    """Whether a name makes its value secret if the value looks like it."""
    return _WEAK_NAME.search(name) is not None and _NO_ALARM.search(name.lower().replace("-", "_")) is None


@lru_cache(maxsize=4096)
def kind_of_name(name: str) -> str:
    """Which kind of secret goes by a name; empty for those that nobody needs to be told of."""
    lowered = name.lower().replace("-", "_")
    if _NO_ALARM.search(lowered):
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
    """Whether a name is one of an environment variable, or of a header that authenticates."""
    return _SHOUTED.match(name) is not None or _HEADER.search(name) is not None
