"""Makes what a page says fit to be kept and read: secrets masked, unreadable characters removed, length capped.

Everything a page, a server or a file name can influence passes through one of the `safe_*` functions before it
enters the store, so nothing behind the store has to remember to. Every step is linear in the length of the text:
plain substring tests decide whether a pattern runs at all, and every repetition in a pattern is bounded or
unambiguous.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from urllib.parse import unquote

from gasoline_cdp import limits

REDACTED = "[REDACTED]"

# Below this length, six characters and three more would show most of the value.
_MASKABLE = 20

# Text beyond the part we keep is still looked at this far, so that a secret on the edge is not cut in half.
_EDGE = 512

_SENSITIVE_HEADERS = {
    "authorization",
    "proxy-authorization",
    "x-api-key",
    "x-auth",
    "x-csrf",
    "authentication",
}
_SENSITIVE_HEADER_WORDS = ("token", "secret", "key", "password")
_COOKIE_HEADERS = {"cookie", "set-cookie", "set-cookie2"}
_URL_HEADERS = {"location", "referer", "content-location", "refresh", "link", "origin"}
_AUTH_HEADERS = {"authorization", "cookie", "x-api-key", "proxy-authorization"}

# Words that make a name's value secret wherever it stands: a query, a form, JSON, console text.
_NAME_WORDS = (
    "password", "passwd", "pwd", "passphrase", "secret", "token", "api_key", "api-key", "apikey", "access_key",
    "accesskey", "access-key", "private_key", "privatekey", "credential", "authorization", "session_id",
    "sessionid", "auth_key", "authkey", "signature", "jwt", "otp", "cvv", "cvc", "ssn",
)  # fmt: skip
# `token_type: Bearer` and `max_tokens: 4096` are about tokens, and are none.
_HARMLESS_NAME = re.compile(r"(?:[_-](?:type|count|limit|name|expires\w{0,8}|length|id|at|in)|tokens)$", re.IGNORECASE)
_SHORT_WORD = re.compile(r"(?<![a-z])(?:otp|cvv|cvc|ssn|jwt|pwd)(?![a-z])")

# A name and what joins it to its value, then the value: quoted, quoted inside a string, or bare. Two patterns, so
# that a harmless name swallows no value in which another name may stand (JSON kept as a string inside JSON).
_NAME = re.compile(r"""(?<![\w.-])([A-Za-z_][\w.\[\]-]{1,63})\\{0,3}["']?\s{0,3}(:|=|%3[Dd])\s{0,3}""")
_VALUE = re.compile(
    r"""(\\{1,3}")([^"\\]{1,4096})|(")((?:[^"\\]|\\.){1,4096})|(')((?:[^'\\]|\\.){1,4096})"""
    r"""|()((?:(?:bearer|basic|digest|token)\s{1,3})?[^\s"'&,;{}()\[\]<>\\]{1,4096})""",
    re.IGNORECASE,
)
_NO_SECRET = {
    "null",
    "true",
    "false",
    "undefined",
    "string",
    "number",
    "required",
    "invalid",
    REDACTED.lower(),
}
_BEARER = re.compile(r"\b(Bearer|Basic|Digest)(\s{1,3}|%20|\+)([A-Za-z0-9._~+/-]{16,4096}={0,2})", re.IGNORECASE)
_PARAMETER_EDGE = re.compile(r"([\s&=?#\"'<>]+)")
_USERINFO = re.compile(r"(://)([^\s/@:?#\"']{0,128}):([^\s/@?#\"']{1,256})@")

# Where a value may begin: at a boundary, or after an encoded character such as %22.
_B = r"(?:(?<![A-Za-z0-9_-])|(?<=%[0-9A-Fa-f][0-9A-Fa-f]))"
# prefix that must be in the text → the shape of the value. Prefixes are tested first, as plain substrings.
_FORMATS: tuple[tuple[tuple[str, ...], re.Pattern[str]], ...] = (
    (("AKIA", "ASIA", "ABIA", "ACCA"), re.compile(_B + r"A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}(?![A-Za-z0-9])")),
    (("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), re.compile(_B + r"gh[pousr]_[A-Za-z0-9]{30,255}")),
    (("github_pat_",), re.compile(_B + r"github_pat_[A-Za-z0-9_]{22,255}")),
    (("glpat-", "gldt-", "glrt-"), re.compile(_B + r"gl(?:pat|dt|rt)-[A-Za-z0-9_.-]{20,255}")),
    (("sk_live_", "rk_live_", "sk_test_", "rk_test_"), re.compile(_B + r"[sr]k_(?:live|test)_[A-Za-z0-9]{10,255}")),
    (("whsec_",), re.compile(_B + r"whsec_[A-Za-z0-9+/=]{20,255}")),
    (("xox", "xapp-"), re.compile(_B + r"x(?:ox[abeoprs]|app)-[A-Za-z0-9-]{10,255}")),
    (("hooks.slack.com",), re.compile(r"hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,255}")),
    (("AIza",), re.compile(_B + r"AIza[A-Za-z0-9_-]{35}")),
    (("ya29.",), re.compile(_B + r"ya29\.[A-Za-z0-9_-]{20,1024}")),
    (("GOCSPX-",), re.compile(_B + r"GOCSPX-[A-Za-z0-9_-]{20,64}")),
    (("sk-",), re.compile(_B + r"sk-(?:[A-Za-z0-9]{1,16}-){0,3}[A-Za-z0-9_-]{20,255}")),
    (("npm_",), re.compile(_B + r"npm_[A-Za-z0-9]{36}")),
    (("pypi-",), re.compile(_B + r"pypi-[A-Za-z0-9_-]{50,512}")),
    (("SG.",), re.compile(_B + r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{30,64}")),
    (("shpat_", "shpss_", "shpca_", "shppa_"), re.compile(_B + r"shp(?:at|ss|ca|pa)_[A-Fa-f0-9]{32}")),
    (("dop_v1_", "doo_v1_"), re.compile(_B + r"do[opr]_v1_[a-f0-9]{64}")),
    (("hf_",), re.compile(_B + r"hf_[A-Za-z0-9]{30,64}")),
    (("eyJ",), re.compile(_B + r"eyJ[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{4,8192}(?:\.[A-Za-z0-9_-]{0,4096}){0,3}")),
)  # fmt: skip
# One look decides for nearly every text that there is nothing to do.
_ANY_PREFIX = re.compile("|".join(re.escape(prefix) for prefixes, _ in _FORMATS for prefix in prefixes))
_PRIVATE_KEY = re.compile(
    r"-----BEGIN ([A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?)-----"
    r"(?:[A-Za-z0-9+/=\s:,.\\-]{0,16384}?-----END \1-----|[A-Za-z0-9+/=\s:,.\\-]{0,16384})"
)

# Terminal sequences, control characters (newline and tab stay), bidirectional overrides, tags, variation
# selectors beyond emoji, and halves of surrogate pairs, which no UTF-8 can carry.
_UNREADABLE = re.compile(
    "\x1b\\[[0-9;?]{0,32}[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e01ef\ud800-\udfff]"
)


def mask(value: str) -> str:
    """Keep enough of a long secret to tell which one it is, and nothing of a short one."""
    if len(value) < _MASKABLE:
        return REDACTED
    return f"{value[:6]}…{value[-3:]}"


@lru_cache(maxsize=4096)
def is_secret_name(name: str) -> bool:
    """Whether a value that goes by this name (of a field, a parameter, a cookie) is to be kept from readers."""
    lowered = name.lower()
    if not any(word in lowered for word in _NAME_WORDS):
        return False
    if _HARMLESS_NAME.search(lowered) and not lowered.endswith(("session_id", "sessionid")):
        return False
    # Three-letter words inside longer ones ("scroll_top_id", "isolation") are accidents.
    return any(word in lowered for word in _NAME_WORDS if len(word) > 3) or bool(_SHORT_WORD.search(lowered))


def _mask_named(text: str) -> str:
    """Mask each value whose name says that it is secret."""
    pieces: list[str] = []
    done = 0
    for named in _NAME.finditer(text):
        if named.start() < done or not is_secret_name(named[1]):
            continue
        found = _VALUE.match(text, named.end())
        if found is None:
            continue
        quote, value = next(
            (quote, value) for quote, value in zip(found.groups()[::2], found.groups()[1::2], strict=True) if value
        )
        # Prose: "Unexpected token: x" and "password: required" give nothing away.
        in_prose = named[2] == ":" and not quote and len(value) < 6
        if in_prose or value.lower() in _NO_SECRET:
            continue
        pieces += text[done : named.end()], quote, REDACTED
        done = found.end()
    pieces.append(text[done:])
    return "".join(pieces)


def _mask_found(found: re.Match[str]) -> str:
    return mask(found[0])


def _mask_encoded(text: str) -> str:
    """JSON and pairs inside a URL parameter or a form field: judged decoded, and masked whole."""
    pieces = _PARAMETER_EDGE.split(text)
    for place, piece in enumerate(pieces):
        if "%" in piece:
            decoded = unquote(piece)
            if decoded != piece and _redact_plain(decoded) != decoded:
                pieces[place] = REDACTED
    return "".join(pieces)


def redact(text: str) -> str:
    """Mask every secret that a known format, a telling name or a position in a URL gives away."""
    lowered = text.lower()
    if "%22" in lowered or "%3d" in lowered or "%3a" in lowered:
        text = _mask_encoded(text)
    return _redact_plain(text)


def _holds_a_name(lowered: str) -> bool:
    for word in _NAME_WORDS:  # noqa: SIM110 - `any` takes three times as long, and this is asked of every text
        if word in lowered:
            return True
    return False


def _redact_plain(text: str) -> str:
    lowered = text.lower()
    # A name gives its value away only where something joins the two.
    if (":" in text or "=" in text or "%3" in text) and _holds_a_name(lowered):
        text = _mask_named(text)
    if _ANY_PREFIX.search(text):
        for prefixes, shape in _FORMATS:
            if any(prefix in text for prefix in prefixes):
                text = shape.sub(_mask_found, text)
    if "-----BEGIN " in text:
        text = _PRIVATE_KEY.sub(lambda found: f"-----BEGIN {found[1]}----- {REDACTED}", text)
    if "bearer" in lowered or "basic" in lowered or "digest" in lowered:
        text = _BEARER.sub(lambda found: f"{found[1]}{found[2]}{mask(found[3])}", text)
    if "://" in text and "@" in text:
        text = _USERINFO.sub(lambda found: f"{found[1]}{REDACTED}@", text)
    return text


def clean(text: str) -> str:
    """Remove what cannot be seen, or what makes a reader see something else."""
    if text.isascii() and text.isprintable():
        return text
    return _UNREADABLE.sub("", text)


def _prepare(text: str, limit: int, masking: Callable[[str], str]) -> tuple[str, bool]:
    whole = len(text) <= limit
    # Clean before masking: an invisible character inside a token must not hide it from the patterns.
    kept = masking(clean(text if whole else text[: limit + _EDGE]))
    if len(kept) > limit:
        return kept[:limit], True
    return kept, not whole


def safe_text(text: object, limit: int = limits.TEXT_CHARS) -> str:
    """Text of a page, ready for the store; longer than `limit` ends in an ellipsis."""
    kept, cut = _prepare(text if isinstance(text, str) else str(text), limit, redact)
    return kept + "…" if cut else kept


def safe_url(url: object, limit: int = limits.URL_CHARS) -> str:
    """A URL with the secrets in its user part, path, query and fragment masked; `data:` only by its head."""
    if not isinstance(url, str):
        return ""
    if url[:5].lower() == "data:":
        return safe_text(url[:60], 60) + ("…" if len(url) > 60 else "")
    return safe_text(url, limit)


def safe_body(text: str, limit_bytes: int) -> tuple[str, bool]:
    """A body with its secrets masked, cut to at most `limit_bytes` of UTF-8; and whether it was cut."""
    kept, cut = _prepare(text, limit_bytes, redact)
    encoded = kept.encode()
    if len(encoded) <= limit_bytes:
        return kept, cut
    return encoded[:limit_bytes].decode(errors="ignore"), True


def _safe_cookies(name: str, value: str) -> str:
    """Keep the cookies' names, and for Set-Cookie the attributes: the checks need them, nobody needs the values."""
    lines = []
    for line in value.split("\n"):
        parts = [part.strip() for part in line.split(";")]
        masked = []
        for place, part in enumerate(parts):
            cookie, equals, _ = part.partition("=")
            is_attribute = name.startswith("set-cookie") and place > 0
            masked.append(part if is_attribute or not equals else f"{cookie}={REDACTED}")
        lines.append("; ".join(masked))
    return "\n".join(lines)


def safe_headers(headers: Mapping[str, object]) -> dict[str, str]:
    """Headers with lower-case names, secret values gone, in a bounded number."""
    safe: dict[str, str] = {}
    for raw_name, raw_value in list(headers.items())[: limits.HEADERS_PER_MESSAGE]:
        name = clean(str(raw_name)).lower()[:100]
        value = str(raw_value)
        if name in _COOKIE_HEADERS:
            safe[name] = clean(_safe_cookies(name, value))[: limits.HEADER_CHARS]
        elif name in _SENSITIVE_HEADERS or any(word in name for word in _SENSITIVE_HEADER_WORDS):
            safe[name] = REDACTED
        elif name in _URL_HEADERS:
            safe[name] = safe_url(value, limits.HEADER_CHARS)
        else:
            safe[name] = safe_text(value, limits.HEADER_CHARS)
    return safe


def has_auth_header(names: Iterable[str]) -> bool:
    """Whether a request carried credentials, which is kept although their values are not."""
    return any(name.lower() in _AUTH_HEADERS for name in names)
