"""Makes text of a page safe to store: masks secrets, removes unreadable characters, limits the length.

Everything that a page, a server or a file name can influence passes through one of the `safe_*` functions before it
enters the store. Every step is linear in the length of the text: substring tests decide whether a pattern runs at
all, and every repetition in a pattern is bounded or unambiguous.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from hashlib import blake2b
from secrets import token_bytes
from typing import TypeVar

from attrs import evolve, frozen

from gasoline_cdp import limits
from gasoline_cdp.detect.allowance import Allowances, charge_to
from gasoline_cdp.detect.known import Known
from gasoline_cdp.detect.names import is_secret_name, is_weak_name
from gasoline_cdp.detect.scan import REDACTED, SecretMatch, find
from gasoline_cdp.detect.work import Work, extra_steps

__all__ = [
    "EDGE",
    "REDACTED",
    "MaskedSecret",
    "charge_to",
    "clean",
    "collect_masked",
    "has_auth_header",
    "is_secret_name",
    "mask",
    "mask_named",
    "redact",
    "safe_body",
    "safe_headers",
    "safe_text",
    "safe_url",
    "safe_word",
    "shows_mask",
]

_Text = TypeVar("_Text", str, tuple[str, str])

# The ends of these values would show too much, or nothing useful.
_WITHOUT_ENDS = {"private_key", "password", "url_credentials", "connection_string"}

# Below this length, six characters and three more would show most of the value.
_MASKABLE = 20

# A number with fewer digits is a count; a security code has three.
_SECRET_DIGITS = 3
_NO_VALUES = {"", "null", "undefined", "true", "false", "nan", REDACTED.lower()}

# The search goes so far beyond the part that is kept, so that a secret at its end is not cut in half.
EDGE = 512

# In the name of a header these words are enough, besides the secret names.
_SENSITIVE_HEADER_WORDS = ("token", "secret", "key", "password")
_COOKIE_HEADERS = {"cookie", "set-cookie", "set-cookie2"}
_URL_HEADERS = {"location", "referer", "content-location", "refresh", "link", "origin"}
# Have secret names, but are sent whether or not a user is logged in.
_NO_AUTH_HEADERS = re.compile(r"csrf|xsrf|^sec-|idempotency")

_SCHEME = re.compile(r"\A(?:bearer|basic|digest|token|apikey|ssws)\s+", re.IGNORECASE)

# Terminal sequences, control characters (newline and tab stay), bidirectional overrides, tags, variation
# selectors beyond emoji, and halves of surrogate pairs, which no UTF-8 can carry.
_UNREADABLE = re.compile(
    "\x1b\\[[0-9;?]{0,32}[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e01ef\ud800-\udfff]"
)


def mask(value: str) -> str:
    """Keep the ends of a long secret, so that one can tell which it is, and nothing of a short one."""
    if len(value) < _MASKABLE:
        return REDACTED
    return f"{value[:6]}…{value[-3:]}"


# What `mask` leaves of a long secret.
_MASKED = re.compile(r"(?<![\w-])[\w.-]{6}…[\w.=-]{3}(?![\w-])")
# The beginning of a JSON Web Token.
_JWT = "eyJ"


def shows_mask(text: str, *, by_name: bool) -> bool:
    """Whether something was masked in a safe text. `by_name`: also values found by name (`token=`), and JWTs.

    `collect_masked` gives fewer: only those to be reported.
    """
    if by_name and REDACTED in text:
        return True
    return "…" in text and any(by_name or not found[0].startswith(_JWT) for found in _MASKED.finditer(text))


@frozen(kw_only=True)
class MaskedSecret:
    """A secret that was masked, without its value. Equal secrets have equal fingerprints, in this run only."""

    kind: str
    evidence: str
    fingerprint: str
    name: str
    in_query: bool
    test_mode: bool
    low_risk: bool
    checksum_failed: bool


_collected: ContextVar[list[MaskedSecret] | None] = ContextVar("collected", default=None)
_FINGERPRINT_KEY = token_bytes(16)
_known = Known(limits.SECRETS_KNOWN)
_allowances = Allowances()
_CHARS_PER_STEP = 20


class _CollectMasked:
    """A class, because a generator would take twice the time for each of many console messages."""

    __slots__ = ("_token",)

    def __enter__(self) -> list[MaskedSecret]:
        collected: list[MaskedSecret] = []
        self._token = _collected.set(collected)
        return collected

    def __exit__(self, *_: object) -> None:
        _collected.reset(self._token)


def collect_masked() -> _CollectMasked:
    """Collect the secrets to be reported that the `safe_*` functions mask while the block runs."""
    return _CollectMasked()


def _collect(found: SecretMatch, value: str) -> None:
    collected = _collected.get()
    if collected is None or len(collected) >= limits.SECRETS_PER_TEXT:
        return
    # The same token has the same fingerprint, with or without a scheme before it.
    value = _SCHEME.sub("", value, count=1)
    fingerprint = blake2b(value.encode(errors="replace"), key=_FINGERPRINT_KEY, digest_size=8).hexdigest()
    collected.append(
        MaskedSecret(
            kind=found.kind,
            evidence=REDACTED if found.kind in _WITHOUT_ENDS else mask(value),
            fingerprint=fingerprint,
            name=clean(found.name),
            in_query=found.in_query,
            test_mode=found.test_mode,
            low_risk=found.low_risk,
            checksum_failed=found.checksum_failed,
        )
    )


def redact(text: str) -> str:
    """Mask every secret that has a known format, name or context, wherever it stands in the text."""
    found = _find(text)
    if not found:
        return text
    pieces: list[str] = []
    done = 0
    for one in found:
        value = text[one.start : one.end]
        if one.reportable:
            _collect(one, value)
            _known.add(value)
        if done == len(text):
            continue
        if one.kind == "unsearched":
            # Hides all that follows, also what was found there: it is of no use without the text around it.
            shown = f"[not searched for secrets, so not shown: {len(text) - one.start} characters]"
            end = len(text)
        else:
            shown, end = mask(value) if one.partial else REDACTED, one.end
        pieces += text[done : one.start], shown
        done = end
    pieces.append(text[done:])
    return "".join(pieces)


def _find(text: str) -> list[SecretMatch]:
    """As `find`, with the steps that the source of the text has left."""
    whole, extra = text, min(extra_steps(len(text)), _allowances.extra())
    work = Work.for_text(text, extra)
    if len(text) > limits.SEARCH_HEAD_CHARS + EDGE and _allowances.left() < work.left:
        # A little more than is shown: a secret at its end must not be cut in two.
        text = text[: limits.SEARCH_HEAD_CHARS + EDGE]
        work = Work.for_text(text)
        extra = 0
    allowed = work.left
    found = find(text, _known, work)
    # Reading a text costs something, too, even without names and runs.
    _allowances.spend(allowed - work.left + len(text) // _CHARS_PER_STEP, max(0, extra - max(0, work.left)))
    if len(text) < len(whole):
        found = [one for one in found if one.start < limits.SEARCH_HEAD_CHARS]
        begin = max(limits.SEARCH_HEAD_CHARS, found[-1].end if found else 0)
        found.append(SecretMatch(kind="unsearched", start=begin, end=len(whole)))
    return found


def mask_named(name: str, value: str) -> str:
    """Mask a value whose name stands elsewhere, such as in the head of a table, if the name makes it secret."""
    sure = is_secret_name(name)
    counted = value.isdigit() and len(value) < _SECRET_DIGITS
    if (not sure and not is_weak_name(name)) or counted or value.lower() in _NO_VALUES:
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    stated = f'"{name}": "{escaped}"'
    # Also if the answer is clear: `redact` collects what is to be reported.
    found = redact(stated) != stated
    return REDACTED if sure or found else value


def clean(text: str) -> str:
    """Remove invisible characters, and those that change what a reader sees."""
    if text.isascii() and text.isprintable():
        return text
    return _UNREADABLE.sub("", text)


def _prepare(text: str, limit: int, masking: Callable[[str], str]) -> tuple[str, bool]:
    whole = len(text) <= limit
    # Clean before masking: an invisible character inside a token must not hide it from the patterns.
    kept = masking(clean(text if whole else text[: limit + EDGE]))
    if len(kept) > limit:
        return kept[:limit], True
    return kept, not whole


def safe_text(text: object, limit: int = limits.TEXT_CHARS) -> str:
    """Text of a page, ready for the store; longer than `limit` ends in an ellipsis."""
    kept, cut = _prepare(text if isinstance(text, str) else str(text), limit, redact)
    return kept + "…" if cut else kept


def safe_word(word: object, limit: int) -> str:
    """As `safe_text`, for what has few different values, such as a method or a type."""
    if not isinstance(word, str):
        return safe_text(word, limit)
    if (shared := _harmless_words.get(word)) is not None and len(word) <= limit:
        return shared
    safe = safe_text(word, limit)
    if safe == word:
        _remember(_harmless_words, word, word, len(word))
    return safe


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
    """Keep the names of cookies, and the attributes of Set-Cookie, for the cookie checks; mask the values."""
    lines = []
    for line in value.split("\n"):
        parts = [part.strip() for part in line.split(";")]
        masked = []
        for index, part in enumerate(parts):
            cookie, equals, _ = part.partition("=")
            is_attribute = name.startswith("set-cookie") and index > 0
            masked.append(part if is_attribute or not equals else f"{cookie}={REDACTED}")
        lines.append("; ".join(masked))
    return "\n".join(lines)


def safe_headers(headers: Mapping[str, object]) -> dict[str, str]:
    """Headers with lower-case names and masked values, in a bounded number; secrets are collected by header name."""
    safe: dict[str, str] = {}
    collected = _collected.get()
    for raw_name, raw_value in list(headers.items())[: limits.HEADERS_PER_MESSAGE]:
        value = str(raw_value)
        if (shared := _harmless_headers.get((raw_name, value))) is not None:
            name, value = shared
            safe[name] = value
            continue
        name = clean(str(raw_name)).lower()[:100]
        known = len(collected) if collected is not None else 0
        if name in _COOKIE_HEADERS:
            safe[name] = clean(_safe_cookies(name, value))[: limits.HEADER_CHARS]
        elif is_secret_name(name) or any(word in name for word in _SENSITIVE_HEADER_WORDS):
            if collected is not None:
                redact(f"{name}: {clean(value[: limits.HEADER_CHARS])}")
            safe[name] = REDACTED
        elif name in _URL_HEADERS:
            safe[name] = safe_url(value, limits.HEADER_CHARS)
        else:
            safe[name] = safe_text(value, limits.HEADER_CHARS)
        if collected is not None:
            collected[known:] = [evolve(one, name=name) for one in collected[known:]]
        if safe[name] == value:
            _remember(_harmless_headers, (raw_name, value), (name, value), len(raw_name) + len(value))
    return safe


# Headers and words in which nothing was masked. Most requests of a page have the same: they are searched once, and all
# records share them.
_harmless_headers: dict[tuple[str, str], tuple[str, str]] = {}
_harmless_words: dict[str, str] = {}


def _remember(known: dict[_Text, _Text], text: _Text, safe: _Text, chars: int) -> None:
    if chars <= limits.SHARED_CHARS:
        if len(known) >= limits.TEXTS_SHARED:
            # The oldest; if a page still uses it, its next request brings it back.
            del known[next(iter(known))]
        known[text] = safe


def has_auth_header(names: Iterable[str]) -> bool:
    """Whether a request had a header with credentials."""
    return any(is_secret_name(name) and _NO_AUTH_HEADERS.search(name) is None for name in map(str.lower, names))
