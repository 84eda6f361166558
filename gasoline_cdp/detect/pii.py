"""A person's data in a text: addresses, phone, card, bank and social security numbers, and fields named after them.

Precision comes first: a number is a phone number only where it is written as one, and a card number only where its
check digit, its issuer and its surroundings agree.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from gasoline_cdp.detect.plausible import is_placeholder, looks_chosen, looks_random, luhn

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
_SSN = re.compile(r"[0-8](?<![\d-].)\d{2}(?<!000)(?<!666)([- ])(?!00)\d{2}\1(?!0000)\d{4}(?![\d-])")
# Written in one, or with a dash too few: only where the text says what it is.
_PLAIN_SSN = re.compile(r"[0-8](?<![\w.-].)\d{2}(?<!000)(?<!666)-?(?!00)\d{2}-?(?!0000)\d{4}(?![\w-]|\.\d)")
_ABOUT_SSN = re.compile(r"(?<![a-z])ssn(?![a-z])|social[ _-]?security", re.IGNORECASE)
# Printed in advertisements, and never anybody's.
_NO_SSN = {"078051120", "219099999", "457555462"}
_MOCK_SSN = {"123456789", "111111111"}
_CARD = re.compile(
    r"\d(?<![\d.\w-].)(?:\d{3}([ -])\d{4}\1\d{4}\1\d{4}|(?<=3)[47]\d{2}([ -])\d{6}\2\d{5}|\d{12,18})(?![\d.\w-]|\.\d)"
)
_IBAN = re.compile(
    r"[A-Z](?<![A-Za-z0-9].)[A-Z]\d{2}(?:[A-Z0-9]{11,30}|(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,4})?)(?![A-Za-z0-9])"
)
# Country → length, of those that publish one.
_IBAN_LENGTHS = {
    country: length
    for length, countries in {
        15: "NO", 16: "BE", 18: "DK FI FO GL NL", 19: "MK SI", 20: "AT BA EE KZ LT LU XK", 21: "CH HR LI LV",
        22: "BG BH CR DE GB GE IE ME RS", 23: "AE GI IL IQ OM TL", 24: "AD CZ ES MD PK RO SA SE SK TN VG",
        25: "LY PT ST", 26: "IS TR", 27: "BI DJ FR GR IT MC MR SM", 28: "AL AZ BY CY DO GT HU LB NI PL SV",
        29: "BR EG PS QA UA", 30: "JO KW MU YE", 31: "MT SC", 32: "LC", 33: "RU",
    }.items()
    for country in countries.split()
}  # fmt: skip
# What registries print in their documentation.
_MOCK_IBANS = {
    "DE89370400440532013000",
    "GB29NWBK60161331926819",
    "GB82WEST12345698765432",
    "FR1420041010050500013M02606",
}
_ISSUER = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|3[47]\d{13}|6(?:011|5\d\d|4[4-9]\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|62\d{14,17}"
)
# A quoted number behind one of these counts or names something else.
_NOT_A_CARD = re.compile(
    r"(?:id|ids|uid|uuid|key|seq|sequence|time|timestamp|ts|at|nonce|ref|reference|code|number_of|total|count|version|ean"
    r"|gtin|upc|isbn|sku|imei|iccid|serial|tracking|order|invoice|hash|offset|cursor|size|lsn|revision)\"\s{0,3}:\s{0,3}\"\Z",
    re.IGNORECASE,
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
        "iban": "iban",
        "password": "password passwd",
        "address": "address street_address home_address billing_address shipping_address postal_address address_line1",
        "date_of_birth": "date_of_birth dob birth_date birthdate birthday",
    }.items()
    for name in names.split()
}
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_ADDRESS_PART = re.compile(r"street|line_?[12]|city|town|zip|post(?:al|code)|suburb|house", re.IGNORECASE)
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
    accounts = list(_ibans(text))
    yield from (("iban", text[start:end], mock) for start, end, mock in accounts)
    # The digits of an account in groups of four are no card.
    ends = [0, *(end for _, end, _ in accounts)]
    starts = [*(start for start, _, _ in accounts), len(text)]
    text = " ; ".join(text[end:start] for end, start in zip(ends, starts, strict=True))
    yield from _social_security(text)
    yield from _cards(text)
    for found in _PHONE.finditer(text):
        digits = re.sub(r"\D", "", found[0])
        # 555 is nobody's exchange, and few different digits somebody's placeholder.
        if found[0][0] != "+" or 10 <= len(digits) <= 15:
            yield "phone", found[0], digits[-7:-4] == "555" or len(set(digits)) < 4


def _ibans(text: str) -> Iterator[tuple[int, int, bool]]:
    for found in _IBAN.finditer(text):
        value = found[0].replace(" ", "")
        length = _IBAN_LENGTHS.get(value[:2], 0)
        # In a sentence a word in capitals may follow, which is no part of it.
        value, end = value[:length], found.start() + _end_of(found[0], length)
        if (
            length
            and len(value) == length
            and int("".join(str(int(one, 36)) for one in value[4:] + value[:4])) % 97 == 1
        ):
            yield found.start(), end, value in _MOCK_IBANS


def _end_of(written: str, length: int) -> int:
    """How far so many characters reach, spaces aside."""
    for index, letter in enumerate(written):
        length -= letter != " "
        if not length:
            return index + 1
    return len(written)


def _social_security(text: str) -> Iterator[tuple[str, str, bool]]:
    patterns = (_SSN, _PLAIN_SSN) if _ABOUT_SSN.search(text) else (_SSN,)
    reported: set[int] = set()
    for pattern in patterns:
        for found in pattern.finditer(text):
            digits = re.sub(r"\D", "", found[0])
            about = _ABOUT_SSN.search(text, max(0, found.start() - 40), found.end() + 20)
            # With spaces it might be any three numbers.
            if (about or "-" in found[0]) and (pattern is _SSN or about) and digits not in _NO_SSN:
                if found.start() not in reported:
                    yield "ssn", found[0], digits in _MOCK_SSN
                reported.add(found.start())


def _cards(text: str) -> Iterator[tuple[str, str, bool]]:
    for found in _CARD.finditer(text):
        digits = found[0].replace(" ", "").replace("-", "")
        if len(set(digits)) > 1 and _ISSUER.fullmatch(digits) and luhn(digits) and _may_be_card(text, found):
            yield "credit_card", found[0], digits in _TEST_CARDS


def _may_be_card(text: str, found: re.Match[str]) -> bool:
    """In groups, beside a word about cards, or as a member of JSON that is no id: one number in ten passes Luhn."""
    if found[1] or found[2] or _ABOUT_CARDS.search(text, max(0, found.start() - 80), found.end() + 40):
        return True
    quoted = text[found.start() - 1 : found.start()] == '"' and text[found.end() : found.end() + 1] == '"'
    return quoted and _NOT_A_CARD.search(text, max(0, found.start() - 40), found.start()) is None


def find_fields(value: Any) -> dict[str, bool]:
    """The kinds of personal data that the fields of a JSON value are named after, and whether all look made up."""
    kinds: dict[str, bool] = {}
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
                    kinds[kind] = kinds.get(kind, True) and _is_mock(kind, member)
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
    return kind if _FITS[kind](value) else ""


def _is_mock(kind: str, value: Any) -> bool:
    if kind in ("email", "phone", "ssn", "credit_card"):
        # By the rules for numbers in a text, which has to say what they are.
        return any(mock for found, _, mock in find_pii(f"{kind.replace('_', ' ')} {value}") if found == kind)
    return kind == "address" and _MOCK.search(str(value)[:500]) is not None


def _has_digits(value: Any) -> bool:
    return not isinstance(value, dict | list) and sum(letter.isdigit() for letter in str(value)) >= 4


def _is_password(value: Any) -> bool:
    """No label (`"password": "Passwort"`) and no row of stars: somebody's password, or its hash."""
    return isinstance(value, str) and (looks_chosen(value) or looks_random(value)) and not is_placeholder(value)


def _is_address(value: Any) -> bool:
    """A wallet, a host and a memory cell have addresses as well."""
    if isinstance(value, dict):
        return any(
            isinstance(part, str | int) and part and _ADDRESS_PART.search(str(key)) for key, part in value.items()
        )
    return isinstance(value, str) and _is_street(value)


def _is_street(text: str) -> bool:
    return len(text) < 300 and " " in text and "://" not in text and _STREET.search(text) is not None


_FITS: dict[str, Callable[[Any], bool]] = {
    "email": lambda value: isinstance(value, str) and "@" in value,
    "phone": _has_digits,
    "ssn": _has_digits,
    "credit_card": _has_digits,
    "iban": _has_digits,
    "password": _is_password,
    "address": _is_address,
    "date_of_birth": _has_digits,
}
