"""Finds secrets by the names of what holds them, in every syntax that joins a name to its value."""

import re
from collections.abc import Iterator

from gasoline_cdp.detect.found import REDACTED, Found
from gasoline_cdp.detect.names import STEMS, is_secret_name, is_setting, is_weak_name, kind_of_name
from gasoline_cdp.detect.plausible import (
    entropy,
    is_address,
    is_code,
    is_mixed,
    is_path,
    is_placeholder,
    is_public,
    is_text_in_base64,
    is_uuid,
    looks_chosen,
    looks_random,
)

_NAME_CHARS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-[]"
_NAME_TAIL = re.compile(r"[\w.\[\]-]{1,80}")
# What joins a name to its value: `=` and `:` and their kin, with the type that some languages put between
# (`: string =`); the other half of a pair (`"name": …, "value": …`), and of a property list.
_JOINT = re.compile(
    r"""\\{0,3}["'`]?\]?\s{0,3}(?:(?::\s?&?[A-Za-z][\w<>|?.\[\]]{0,30}|[sS]tring|str)\s?=(?=\s?["'`])"""
    r"""|:{1,2}=|[?.+|]{1,2}=|=>|=|:|%3[Dd])\s{0,3}"""
    r"""|["']?\s{0,3},?\s{0,20}["']?[vV]alue["']?\s{0,3}[:=]\s{0,3}|</key>\s{0,20}<string>"""
)
_MAY_JOIN = frozenset("\"'`\\ \t\n=:%>,?.+|<]")
# Behind these only a value that looks like it counts.
_LOOSE_JOINT = re.compile(
    r"""["']\]?\)?\s?,\s?|["'\])]{0,3}\s?(?:\|\||\?\?|or)\s?(?=["'`])|>\s{0,40}|\s{1,2}(?=["']?[A-Za-z0-9+/_=-]{16})"""
)
_VALUE = re.compile(
    r"""(\\{1,3}")([^"\\]{1,4096})|(")((?:[^"\\]|\\.){1,4096})|(')((?:[^'\\]|\\.){1,4096})|(`)([^`]{1,4096})"""
    r"""|()((?:(?:bearer|basic|digest|token|apikey|ssws)\s{1,3})?[^\s"'`&,;{}()\[\]<>\\]{1,4096})""",
    re.IGNORECASE,
)
# Behind a weak name a rejected value is looked into again, so it must not run on over further names.
_PLAIN_VALUE = re.compile(r"""(\\{0,3}["'`])([^"'`\\\s]{6,512})|()([^\s"'`&,;{}()\[\]<>\\=:]{6,512}={0,2})""")
_NO_SECRET = {
    "null", "true", "false", "undefined", "string", "number", "required", "invalid", REDACTED.lower(),
}  # fmt: skip
_SCHEMES = ("bearer ", "basic ", "token ", "apikey ", "ssws ", "digest ")
# `API Key: …`: what makes a key of prose one of those that are meant here.
_OF_KEYS = (
    "api ", "access ", "secret ", "private ", "auth ", "license ", "client ", "encryption ", "signing ", "master ",
)  # fmt: skip
# Elements whose value a page shows or sends back on purpose.
_FORM_TAGS = ("<input", "<meta", "<option", "<button", "<param")
_AWS_VALUE = re.compile(r"(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")
_NEAR = 60
_ESCAPE = re.compile(r"\\{1,4}u([0-9A-Fa-f]{4})")

WEAK_PASSWORDS = frozenset(
    {"password", "passwd", "mypassword", "secret", "admin", "root", "user", "username", "abc", "test"}
)


def by_name(text: str, lowered: str) -> Iterator[Found]:
    """Values whose names say that they are secret."""
    places = [place for stem in STEMS if stem in lowered for place in _all(lowered, stem)]
    done = 0
    for place in sorted(set(places)):
        if place < done:
            continue
        tail = _NAME_TAIL.match(text, place)
        if tail is None:
            continue
        done = tail.end()
        if text[done : done + 1] not in _MAY_JOIN:
            continue
        before = text[max(0, place - 64) : place]
        begin = place - len(before) + len(before.rstrip(_NAME_CHARS))
        name = text[begin : tail.end()].lstrip("-.[]0123456789")
        sure = is_secret_name(name)
        if not sure and not is_weak_name(name) and not _is_key_of_prose(name, lowered, begin):
            continue
        found = _value_of(text, name, begin, tail.end(), sure=sure)
        if found is not None:
            yield found
            done = found.end


def _is_key_of_prose(name: str, lowered: str, begin: int) -> bool:
    return name.lower() == "key" and lowered[max(0, begin - 12) : begin].endswith(_OF_KEYS)


def _all(text: str, word: str) -> Iterator[int]:
    place = text.find(word)
    while place >= 0:
        yield place
        place = text.find(word, place + len(word))


def _value_of(text: str, name: str, begin: int, after: int, *, sure: bool) -> Found | None:
    joint = _JOINT.match(text, after)
    loose = joint is None
    if joint is None:
        joint = _LOOSE_JOINT.match(text, after)
        if joint is None or (joint[0].isspace() and not _is_argument(text, begin)):
            return None
    value = (_VALUE if sure else _PLAIN_VALUE).match(text, joint.end())
    if value is None:
        return None
    group = next(number for number in range(2, value.re.groups + 1, 2) if value[number])
    quote, secret, start, end = value[group - 1], value[group], value.start(group), value.end(group)
    # Prose: "Unexpected token: x" and "password: required" give nothing away.
    in_prose = joint[0].strip() == ":" and not quote and len(secret) < 6
    if in_prose or secret.lower() in _NO_SECRET:
        return None
    if "\\u" in secret:
        secret = _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), secret)
    kind = kind_of_name(name)
    if loose and not _is_telling(text, kind, secret, begin, end, joint[0], quoted=bool(quote)):
        return None
    if not sure and not (
        looks_chosen(secret) if kind == "password" else looks_random(secret, 16) and not is_code(secret)
    ):
        return None
    if "alue" in joint[0] and text[text.rfind("<", max(0, begin - 200), begin) :].startswith(_FORM_TAGS):
        kind = ""
    # `//registry.shop.test/:_authToken=…`
    registry = name == "_authToken" and text[begin - 2 : begin] == "/:" and text[begin - 3 : begin - 2].isalnum()
    in_query = text[begin - 1 : begin] in ("?", "&", "#") and not quote
    return Found(
        kind=kind or "token",
        start=start,
        end=end,
        name=name[:64],
        real=bool(kind) and _plausible(name, kind, secret, bare=not quote, in_query=in_query, registry=registry),
        in_query=in_query,
    )


def _is_argument(text: str, begin: int) -> bool:
    """`--token …` and `ENV TOKEN …`: where a space is enough to join."""
    return "--" in text[max(0, begin - 2) : begin + 2] or text[max(0, begin - 4) : begin] in ("ENV ", "ARG ")


def _is_telling(text: str, kind: str, secret: str, begin: int, end: int, joint: str, *, quoted: bool) -> bool:
    """Whether a value that stands close to a name belongs to it, by its looks or as the content of an element."""
    if is_code(secret):
        return False
    if looks_random(secret, 16):
        return True
    if joint[0] == ">" and text[begin - 1 : begin] == "<" and text.startswith("</", end):
        return looks_chosen(secret)
    # A list of names has neighbours like that, too; few names have capitals or signs beside their digits.
    return kind == "password" and quoted and looks_chosen(secret) and _is_strong(secret)


def _is_strong(password: str) -> bool:
    return any(map(str.isdigit, password)) and (len(password) > 11 or not password.isalnum() or is_mixed(password))


def _plausible(name: str, kind: str, value: str, *, bare: bool, in_query: bool, registry: bool) -> bool:
    """Whether a named value is a secret and no label, expression, placeholder or identifier."""
    if is_placeholder(value) or is_public(value) or (bare and is_code(value)):
        return False
    if kind == "aws_secret_key":
        return _AWS_VALUE.fullmatch(value) is not None or re.fullmatch(r"[0-9a-f]{48}", value) is not None
    if kind == "password":
        return looks_chosen(value) and value.lower() not in WEAK_PASSWORDS
    if is_address(value) or (is_uuid(value) and not in_query and not registry and _names(name, kind)):
        return False
    if value.lower().startswith(_SCHEMES):
        value = value.partition(" ")[2].lstrip()
    if in_query:
        return len(value) >= 8 and (any(map(str.isdigit, value)) or len(value) >= 20) and entropy(value) > 2
    return looks_random(value, 12) and "://" not in value and not is_text_in_base64(value) and not is_path(value)


def _names(name: str, kind: str) -> bool:
    """Whether a UUID by this name rather tells one thing from another than guarding it: `key`, `token`."""
    return (kind == "token" or not is_secret_name(name)) and not is_setting(name)


def near_aws(text: str, lowered: str) -> Iterator[Found]:
    """Forty characters of base64 shortly after the name of the cloud that makes such keys."""
    for place in _all(lowered, "aws"):
        value = _AWS_VALUE.search(text, place, place + _NEAR + 40)
        if value is not None and is_mixed(value[0]):
            real = not is_placeholder(value[0])
            yield Found(kind="aws_secret_key", start=value.start(), end=value.end(), real=real, partial=True)
