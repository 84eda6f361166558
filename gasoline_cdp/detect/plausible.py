"""Whether a value that looks like a secret can be one: entropy, checksums, structure, and words of documentation."""

import base64
import binascii
import json
import math
import re
import zlib
from collections import Counter
from typing import Any

_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

# What documentation and templates write where a secret would stand. `test` is none of them: providers have test modes.
_PLACEHOLDER = re.compile(
    r"example|sample|dummy|placeholder|change[_-]?me|replace[_-]?(?:me|this|with)|your[_-]?\w{0,20}(?:key|token|secret|pass)"
    r"|(?:^|[_.-])your[_-]|^my[_-]|insert[_-]|redacted|masked|not[_-]?a[_-]?real|notareal|a[_-]?fake|^fake|[_-]fake[_-]"
    r"|(?:^|[_-])(?:todo|none|null|undefined|unset|removed|hidden|foobar|lorem)(?:$|[_-])|(?:key|token|secret)[_-]?here"
    r"|(?:access|action|user|auth|api|secret|some|my)[_-]?(?:token|key)(?![A-Za-z])|&[lg]t;|\$[A-Z]?\d"
    r"|x{4}|\*{3}|\.{3}|…|\?{3}|-{6}|_{6}|0{12}|<[^>]{0,60}>|\$\{|\{\{|\{[A-Za-z_]\w{0,40}\}|^\$[A-Za-z_(]|^%|%\(|#\{",
    re.IGNORECASE,
)
_REPEATED = re.compile(r"^(.)\1*$", re.DOTALL)
# Code that fetches a secret rather than holding one.
_CODE = re.compile(
    r"^(?:process|import|window|this|self|config|env|os|secrets?|settings|props|state|req|data|self)[.\[]|[()\[\]{}]"
    r"|^(?:function|return|typeof|await|new|null|undefined|true|false)\b|=>|&&|\|\|",
)
# An expression of names: `core.crypto.createKey`, `base64.b64encode`.
_DOTTED = re.compile(r"(?:^|\.)[A-Za-z_$]{2,}\d{0,4}(?:\.|$)")
_CHUNK = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_CHANGE = re.compile(r"(?<=[A-Za-z])\d|(?<=\d)[A-Za-z]")
_UUID = re.compile(r"^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")


def is_placeholder(value: str) -> bool:
    """Whether documentation or a template wrote this, rather than somebody who has a secret."""
    return _PLACEHOLDER.search(value) is not None or _REPEATED.match(value) is not None


def is_code(value: str) -> bool:
    """Whether a bare value is an expression of a program."""
    return _CODE.search(value) is not None or ("." in value and _DOTTED.search(value) is not None)


def is_uuid(value: str) -> bool:
    """Whether this is a UUID, which names more often than it guards."""
    return _UUID.match(value) is not None


def entropy(value: str) -> float:
    """Shannon's bits per character."""
    total = len(value)
    return -sum(count / total * math.log2(count / total) for count in Counter(value).values()) if total else 0.0


def looks_random(value: str, shortest: int = 12) -> bool:
    """Whether a value without a format of its own was made by a machine: no word, no sentence, no plain number."""
    if len(value) < shortest or not value.isascii() or any(letter.isspace() for letter in value):
        return False
    digits = sum(letter.isdigit() for letter in value)
    letters = sum(letter.isalpha() for letter in value)
    if not digits or not letters:
        # Base64 and base62 of some length rarely lack digits; words and camelCase always do.
        return letters >= 32 and not digits and entropy(value) > 4.2
    return entropy(value) >= 2.7 and not _is_wordy(value)


def _is_wordy(value: str) -> bool:
    """`Ed25519PrivateKey`: words with a number in them, where chance would change between letters and digits often."""
    chunks = _CHUNK.findall(value)
    words = [chunk for chunk in chunks if not chunk.isdigit()]
    changes = len(_CHANGE.findall(value))
    return changes < 3 and sum(map(len, words)) >= 3 * len(words)


def looks_chosen(value: str) -> bool:
    """Whether a person may have chosen this as a password: no plain word, as labels and messages are."""
    if not 6 <= len(value) <= 128 or not value.isascii() or any(letter.isspace() for letter in value):
        return False
    if not any(letter.isalpha() for letter in value):
        return len(value) >= 8 and entropy(value) > 2
    return any(letter.isdigit() or letter in "!@#$%^&*" for letter in value)


def luhn(digits: str) -> bool:
    """The check digit of card numbers."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        number = int(digit) * (2 if place % 2 else 1)
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
    """ghp_ and its sisters: thirty characters of chance, six of checksum. Longer ones have another form."""
    body = value.partition("_")[2]
    return len(body) != 36 or crc_matches(body[:30], body[30:])


def is_jwt(value: str) -> bool:
    """Whether the parts are what they claim: a header that names an algorithm or type, then claims or a ciphertext."""
    parts = value.split(".")
    header = _decoded(parts[0])
    if not isinstance(header, dict) or not ({"alg", "typ", "enc"} & header.keys()):
        return False
    if len(parts) == 5 or "enc" in header:
        return True
    return isinstance(_decoded(parts[1]), dict)


def _decoded(part: str) -> Any:
    if len(part) % 4 == 1:
        return None
    try:
        return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (binascii.Error, ValueError, RecursionError):
        return None


def is_key_material(pem: str) -> bool:
    """Whether between the lines of a PEM block stands more than dots or a word."""
    body = re.sub(r"\\[nr]|-----[^-]{0,60}-----|[A-Za-z-]{1,40}: [^\n]{0,200}|\s", "", pem)
    return len(body) >= 48 and entropy(body[:400]) > 3.5 and not is_placeholder(body[:400])
