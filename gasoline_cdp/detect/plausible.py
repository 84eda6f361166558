"""Whether a value that looks like a secret can be one: entropy, checksums, structure, and words of documentation."""

import base64
import binascii
import json
import math
import re
import zlib
from collections.abc import Callable
from typing import Any

from gasoline_cdp.detect import placeholders

_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

# Of a long value only the beginning is judged: placeholders show there.
_LOOKED_AT = 96
# Code that fetches a secret, and does not contain one.
_CODE = re.compile(
    r"^(?:process|import|window|this|self|config|env|os|secrets?|settings|props|state|req|data|self)[.\[]|[()\[\]{}]"
    r"|^(?:function|return|typeof|await|new|null|undefined|true|false)\b|=>|&&|\|\|",
)
# An expression of names: `core.crypto.createKey`, `base64.b64encode`.
_DOTTED = re.compile(r"(?:^|\.)[A-Za-z_$]{2,}\d{0,4}(?:\.|$)")
_NAMES = re.compile(r"[\w$.]{1,4096}")
_SHORT_NAME = 10
_CHUNK = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_LETTERS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
# What can be spoken: a vowel, and never five consonants on end.
_WORD = re.compile(r"(?=.{0,40}[aeiouyAEIOUY])(?!.{0,40}[^aeiouyAEIOUY]{5})(?:[A-Z]?[a-z]{2,}|[A-Z]{4,})\Z")
_PUBLIC = re.compile(
    r"pub[0-9a-f]{32}$|pk_(?:live|test)_[A-Za-z0-9]+$|pk\.eyJ[\w-]+\.[\w-]+$|phc_[A-Za-z0-9]+$|sb_publishable_[\w-]+$"
    # The name of a resource, not what opens it.
    r"|arn:aws[a-z-]{0,12}:"
)
# What Stripe hands to a browser to finish one payment.
_FOR_BROWSERS = re.compile(
    r"(?:pi|seti|cs|src|re|in|ek|as|fcsess|cuss|vs)_[A-Za-z0-9_]{6,100}_secret_[A-Za-z0-9_]{6,200}$"
)
_LABEL = re.compile(
    r"[A-Za-z][A-Za-z '/_.-]{0,80}[!?.:*]{0,3}\Z|[A-Za-z_-]{0,30}passw(?:or)?d[A-Za-z_-]{0,30}\d?\Z", re.IGNORECASE
)

WEAK_PASSWORDS = frozenset(
    {"password", "passwd", "mypassword", "secret", "admin", "root", "user", "username", "abc", "test"}
)
_ADDRESS = re.compile(r"^0x[0-9a-fA-F]{40}$")
_UUID = re.compile(r"^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")


# Verdicts on the values of the current text: each is needed several times.
_verdicts: list[dict[Any, bool]] = []


def forget() -> None:
    """Forget the verdicts, and with them the values of a text."""
    for verdicts in _verdicts:
        verdicts.clear()


def _once(judge: Callable[[str], bool]) -> Callable[[str], bool]:
    """Cache the verdicts of a function until `forget`."""
    verdicts: dict[str, bool] = {}
    _verdicts.append(verdicts)

    def judged(value: str) -> bool:
        verdict = verdicts.get(value)
        if verdict is None:
            verdict = verdicts[value] = judge(value)
        return verdict

    return judged


_placeholders: dict[tuple[str, int], bool] = {}
_verdicts.append(_placeholders)


def is_placeholder(value: str, after: int = 0) -> bool:
    """Whether this is a placeholder of documentation or a template, judged from `after` on."""
    asked = value[:_LOOKED_AT], after
    verdict = _placeholders.get(asked)
    if verdict is None:
        verdict = _placeholders[asked] = placeholders.reads_like_one(*asked)
    return verdict


@_once
def is_code(value: str) -> bool:
    """Whether a bare value is an expression of a program."""
    if _CODE.search(value) is not None:
        return True
    if "." not in value or _DOTTED.search(value) is None:
        return False
    return _NAMES.fullmatch(value) is None or all(map(_is_name, value.split(".")))


def _is_name(part: str) -> bool:
    """Whether this may be a name in a program: it begins with no digit, and if it is long it is made of words."""
    if part[:1].isdigit() or len(part) < _SHORT_NAME:
        return not part[:1].isdigit()
    chunks = _LETTERS.findall(part)
    words = sum(len(chunk) if _WORD.match(chunk) else len(chunk) / 2 if len(chunk) == 2 else 0 for chunk in chunks)
    # Chance leaves half of the letters in what could be spoken; a name that ends in a number is rare, too.
    spoken = words >= (0.9 if any(map(str.isdigit, part)) else 0.6) * sum(map(len, chunks))
    return spoken and not looks_random(part)


def is_uuid(value: str) -> bool:
    """Whether this is a UUID: more often an identifier than a secret."""
    return _UUID.match(value) is not None


def is_public(value: str) -> bool:
    """Whether the issuer calls this key public."""
    return _PUBLIC.match(value) is not None


def is_for_browsers(value: str) -> bool:
    """Whether the issuer makes this value for one browser and one purpose."""
    return _FOR_BROWSERS.match(value) is not None


def is_label(value: str) -> bool:
    """Whether this is what a form or a message calls a password: `Password*`, `new-password`, `password2`."""
    return _LABEL.match(value) is not None


def is_address(value: str) -> bool:
    """Whether this is the public address of an account on a block chain."""
    return _ADDRESS.match(value) is not None


# By how often a character occurs: how much that lowers the entropy.
_SHARES = [0.0, *(count * math.log2(count) for count in range(1, _LOOKED_AT + 1))]


def entropy(value: str) -> float:
    """Shannon's bits per character."""
    value = value[:_LOOKED_AT]
    total = len(value)
    shared = sum(map(_SHARES.__getitem__, map(value.count, set(value))))
    return math.log2(total) - shared / total if total else 0.0


def looks_random(value: str, shortest: int = 12) -> bool:
    """Whether a value was made by a random generator: it is no word, no sentence, no plain number."""
    value = value[:_LOOKED_AT]
    return len(value) >= shortest and _is_random(value)


# What the characters of ASCII are: letters, digits, space, and others.
_KINDS = bytes(
    ord("a" if sign.isalpha() else "0" if sign.isdigit() else " " if sign.isspace() else "-")
    for sign in map(chr, range(128))
).ljust(256, b"-")


@_once
def _is_random(value: str) -> bool:
    if not value.isascii():
        return False
    kinds = value.encode().translate(_KINDS)
    if b" " in kinds or b"a" not in kinds:
        return False
    if b"0" not in kinds:
        # Base64 of some length rarely lacks digits; words and camelCase always do, and change their case less.
        letters = kinds.count(b"a")
        if letters < 16:
            return False
        shuffled = _is_shuffled(value)
        return (shuffled or letters >= 32) and entropy(value) > (3.3 if shuffled else 4.2) and not _is_wordy(value)
    # `Ed25519PrivateKey`: a word with a number in it, where chance would change between letters and digits often.
    return _is_varied(value) and (kinds.count(b"a0") + kinds.count(b"0a") > 2 or not _is_wordy(value))


def _is_varied(value: str) -> bool:
    """Whether there are 2.7 bits of entropy per character. Tries a lower bound first: all but one occur once."""
    total = len(value)
    most = total - len(set(value)) + 1
    return math.log2(total) - _SHARES[most] / total >= 2.7 or entropy(value) >= 2.7


def _is_wordy(value: str) -> bool:
    """Whether half of its letters make words."""
    chunks = _LETTERS.findall(value)
    return 2 * sum(map(len, filter(_WORD.match, chunks))) >= sum(map(len, chunks))


def _is_shuffled(value: str) -> bool:
    """Whether capitals and small letters alternate as often as in random values."""
    chunks = _CHUNK.findall(value)
    return len(chunks) > 5 and sum(map(len, chunks)) < 2.4 * len(chunks) and value != value.upper()


_LETTER = re.compile(r"[A-Za-z]")
_DIGIT_OR_SIGN = re.compile(r"[0-9!@#$%^&*]")
_SPACE = re.compile(r"\s")


def looks_chosen(value: str) -> bool:
    """Whether a person may have chosen this as a password: no plain word, as labels and messages are."""
    if not 6 <= len(value) <= 128 or not value.isascii() or _SPACE.search(value) is not None:
        return False
    if _LETTER.search(value) is None:
        return len(value) >= 8 and entropy(value) > 2
    return _DIGIT_OR_SIGN.search(value) is not None


def luhn(digits: str) -> bool:
    """The check digit of card numbers."""
    total = 0
    for index, digit in enumerate(reversed(digits)):
        number = int(digit) * (2 if index % 2 else 1)
        total += number - 9 if number > 9 else number
    return total % 10 == 0


def crc_matches(body: str, checksum: str) -> bool:
    """Whether the last six characters of a token are the base62 CRC-32 of those before (GitHub, npm)."""
    number = zlib.crc32(body.encode())
    text = ""
    while number:
        number, rest = divmod(number, 62)
        text = _BASE62[rest] + text
    return text.rjust(6, "0") == checksum


def github_checksum(value: str) -> bool:
    """ghp_ and the like: thirty random characters, then six of checksum. Longer ones have another form."""
    body = value.partition("_")[2]
    return len(body) != 36 or crc_matches(body[:30], body[30:])


def is_jwt(value: str) -> bool:
    """Whether the parts are what they claim: a header that names an algorithm or type, then claims or a ciphertext."""
    parts = value.split(".")
    header = _decoded(parts[0])
    if not isinstance(header, dict) or not ({"alg", "typ", "enc"} & header.keys()):
        return False
    if len(parts) == 5 or "enc" in header or header.get("typ") == "TCV2":
        return True
    return isinstance(_decoded(parts[1]), dict)


def _decoded(part: str) -> Any:
    if len(part) % 4 == 1:
        return None
    try:
        return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (binascii.Error, ValueError, RecursionError):
        return None


def is_mixed(value: str) -> bool:
    """Whether it has capitals, small letters and digits, as random values have and slugs have not."""
    return any(map(str.isdigit, value)) and any(map(str.isupper, value)) and any(map(str.islower, value))


def _bytes_of(value: str, most: int) -> bytes:
    head = value[:most].rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(head[: len(head) // 4 * 4])
    except binascii.Error:
        return b""


def holds_private_key(value: str) -> bool:
    """Whether base64 holds the head of a private key, rather than of a certificate."""
    head = _bytes_of(value, 120)
    return head.startswith(b"-----BEGIN ") and b"PRIVATE KEY" in head


def is_nats_seed(value: str) -> bool:
    """Whether base32 of a NATS seed ends in its checksum."""
    data = base64.b32decode(value + "=" * (-len(value) % 8))
    return binascii.crc_hqx(data[:-2], 0) == int.from_bytes(data[-2:], "little")


def holds_jwt(value: str) -> bool:
    """Whether base64 holds a JSON Web Token."""
    token = _bytes_of(value, 12_000).decode("ascii", errors="replace")
    return token.count(".") >= 2 and is_jwt(token)


def holds_login(value: str) -> str:
    """The password of `user:password` in base64, as Basic authentication sends it; empty if it is none."""
    if len(value) < 8 or len(value) > 1000:
        return ""
    padded = value.rstrip("=")
    try:
        text = base64.b64decode(padded + "=" * (-len(padded) % 4)).decode()
    except (binascii.Error, ValueError):
        return ""
    user, colon, password = text.partition(":")
    return password if colon and user and text.isprintable() else ""


def is_text_in_base64(value: str) -> bool:
    """Whether base64 holds words, as encoded messages and settings do."""
    if len(value) % 4 or len(value) < 16:
        return False
    try:
        text = base64.b64decode(value, validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        return False
    return text.isprintable() and " " in text.strip()


def is_path(value: str) -> bool:
    """`/a/b` and `data:…`; base64 may begin with a slash, and ends in = then."""
    return value.startswith("data:") or (value[:1] == "/" and not value.endswith("="))


def is_key_material(pem: str) -> bool:
    """Whether between the lines of a PEM block stands more than dots or a word."""
    body = re.sub(r"\\[nr]|-----[^-]{0,60}-----|[A-Za-z-]{1,40}: [^\n]{0,200}|\s", "", pem)
    return len(body) >= 48 and entropy(body[:400]) > 3.5 and not is_placeholder(body[:400])
