"""A person's data in a text: addresses, phone, card and social security numbers, and fields named after them.

Precision comes first: a number is a phone number only where it is written as one, and a card number only where its
check digit, its issuer and its surroundings agree.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from gasoline_cdp.detect.plausible import luhn

_EMAIL = re.compile(
    r"(?<![\w.+%/-])[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@((?:[A-Za-z0-9-]{1,63}\.){1,4}([A-Za-z]{2,24}))(?![\w@])"
)
# Of files (icon@2x.png), packages and code.
_NO_DOMAIN = {
    "png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "css", "js", "mjs", "ts", "tsx", "jsx", "json", "map", "html",
    "htm", "xml", "md", "txt", "local", "localhost", "internal", "invalid", "test", "example", "min", "woff", "ttf",
}  # fmt: skip
_NOBODY = (
    "git",
    "noreply",
    "no-reply",
    "donotreply",
    "npm",
    "root",
    "user",
    "username",
    "name",
    "you",
    "your",
    "email",
)
_MOCK = re.compile(r"example|test|mock|sample|dummy|fake|acme|foo|placeholder", re.IGNORECASE)
_PHONE = re.compile(
    # The first character stands before the look back: an expression that begins with a look back is tried everywhere.
    r"[+(2-9](?<![\w.+/=-].)(?:(?<=\+)[1-9](?:[ .\-]?\(?\d{1,4}\)?){2,6}|(?<=\()[2-9]\d{2}\)\s?[2-9]\d{2}-\d{4}"
    r"|(?<=\d)\d{2}([-.])[2-9]\d{2}\1\d{4})(?![\w+/=-]|\.\d)"
)
# None of the numbers below is written with fewer digits close together.
_NUMBERS = re.compile(r"\d[\d .()-]{6,}\d")
_SSN = re.compile(r"[0-8](?<![\d-].)\d{2}(?<!000)(?<!666)-(?!00)\d{2}-(?!0000)\d{4}(?![\d-])")
# Printed in advertisements, and never anybody's.
_NO_SSN = {"078-05-1120", "219-09-9999", "457-55-5462"}
_CARD = re.compile(
    r"\d(?<![\d.\w-].)(?:\d{3}([ -])\d{4}\1\d{4}\1\d{4}|(?<=3)[47]\d{2}([ -])\d{6}\2\d{5}|\d{12,18})(?![\d.\w-]|\.\d)"
)
_ISSUER = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|3[47]\d{13}|6(?:011|5\d\d|4[4-9]\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|62\d{14,17}"
)
_ABOUT_CARDS = re.compile(r"card|visa|mastercard|amex|\bpan\b|payment|cc_?num", re.IGNORECASE)
# What payment providers print in their documentation.
_TEST_CARDS = {
    "4242424242424242", "4111111111111111", "4000056655665556", "5555555555554444", "5105105105105100",
    "378282246310005", "371449635398431", "6011111111111117", "6011000990139424", "30569309025904", "3530111333300000",
    "4012888888881881", "4222222222222", "2223003122003222", "4000000000000002",
}  # fmt: skip

# The last words of a field's name → what it holds.
_FIELDS = {
    name: kind
    for kind, names in {
        "email": "email email_address",
        "phone": "phone phone_number mobile mobile_number telephone",
        "ssn": "ssn social_security social_security_number",
        "credit_card": "credit_card card_number credit_card_number",
        "password": "password passwd",
        "address": "address street_address home_address billing_address shipping_address postal_address address_line1",
        "date_of_birth": "date_of_birth dob birth_date birthdate birthday",
    }.items()
    for name in names.split()
}
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_STREET = re.compile(r"\d[\s\S]{0,200}[A-Za-z]{3}|[A-Za-z]{3}[\s\S]{0,200}\d")
_DEPTH = 5
# Values looked at in one body; a list of ten thousand users tells no more than its first thousand values.
_VALUES = 2000


def find_pii(text: str) -> Iterator[tuple[str, str, bool]]:
    """Each piece of personal data as its kind, the text itself, and whether it looks made up for a test."""
    if "@" in text:
        for found in _EMAIL.finditer(text):
            name = found[0].partition("@")[0].lower()
            if found[2].lower() not in _NO_DOMAIN and name not in _NOBODY:
                yield "email", found[0], _MOCK.search(found[0]) is not None
    if _NUMBERS.search(text) is None:
        return
    for found in _SSN.finditer(text):
        if found[0] not in _NO_SSN:
            yield "ssn", found[0], found[0] in ("123-45-6789", "111-11-1111")
    yield from _cards(text)
    for found in _PHONE.finditer(text):
        digits = re.sub(r"\D", "", found[0])
        # 555 is nobody's exchange, and few different digits somebody's placeholder.
        if found[0][0] != "+" or 10 <= len(digits) <= 15:
            yield "phone", found[0], digits[-7:-4] == "555" or len(set(digits)) < 4


def _cards(text: str) -> Iterator[tuple[str, str, bool]]:
    for found in _CARD.finditer(text):
        digits = found[0].replace(" ", "").replace("-", "")
        about = found[1] or found[2] or _ABOUT_CARDS.search(text, max(0, found.start() - 80), found.end() + 40)
        if about and len(set(digits)) > 1 and _ISSUER.fullmatch(digits) and luhn(digits):
            yield "credit_card", found[0], digits in _TEST_CARDS


def find_fields(value: Any) -> set[str]:
    """The kinds of personal data that the fields of a JSON value are named after, empty ones left out."""
    kinds: set[str] = set()
    todo: list[tuple[Any, int]] = [(value, 0)]
    looked = 0
    while todo and looked < _VALUES:
        current, depth = todo.pop()
        looked += 1
        if isinstance(current, list):
            todo += [(member, depth + 1) for member in current[:100] if isinstance(member, dict | list)]
        elif isinstance(current, dict) and depth <= _DEPTH:
            for key, member in current.items():
                if kind := _kind_of_field(key, member):
                    kinds.add(kind)
                if isinstance(member, dict | list):
                    todo.append((member, depth + 1))
    return kinds


@lru_cache(maxsize=4096)
def _kind_of_name(key: str) -> str:
    name = _CAMEL.sub("_", key).lower().replace("-", "_")
    return _FIELDS.get(name) or _FIELDS.get(name.removeprefix("user_").removeprefix("customer_"), "")


def _kind_of_field(key: str, value: Any) -> str:
    kind = _kind_of_name(key)
    if not kind or value in (None, "", [], {}) or isinstance(value, bool):
        return ""
    if kind == "address":
        # A wallet, a host and a memory cell have addresses as well.
        return kind if isinstance(value, dict) or (isinstance(value, str) and _is_street(value)) else ""
    if kind == "email":
        return kind if isinstance(value, str) and "@" in value else ""
    if isinstance(value, dict | list):
        return ""
    if kind in ("phone", "ssn", "credit_card"):
        return kind if sum(letter.isdigit() for letter in str(value)) >= 4 else ""
    return kind


def _is_street(text: str) -> bool:
    return len(text) < 300 and " " in text and "://" not in text and _STREET.search(text) is not None
