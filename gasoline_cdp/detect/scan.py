"""Finds every secret in a text: by its format, by the name before it, by its place in a URL.

What masks a text and what the audit reports both come from `find`. Masking takes all of it; a report only what is
`real`: plausible in itself, and no word of documentation. Each step is linear in the length of the text.
"""

import re
from collections.abc import Iterator

from attrs import evolve

from gasoline_cdp import limits
from gasoline_cdp.detect.by_format import ByFormat
from gasoline_cdp.detect.by_name import ByName, near_aws
from gasoline_cdp.detect.encodings import decoded
from gasoline_cdp.detect.found import REDACTED, Found
from gasoline_cdp.detect.known import Known
from gasoline_cdp.detect.plausible import (
    WEAK_PASSWORDS,
    forget,
    holds_login,
    is_key_material,
    is_placeholder,
    looks_chosen,
    looks_random,
)
from gasoline_cdp.detect.source_code import Code
from gasoline_cdp.detect.work import Work

__all__ = ["REDACTED", "Found", "find"]

# Shorter values are too common to be looked for elsewhere; and so many different ones of a text are.
_ECHOED = 8
_ECHOES = 64
_SCHEME = re.compile(r"\A[A-Za-z][\w-]{0,30}\s{1,3}(?=\S{8})")

_BEARER = re.compile(
    r"\b(Bearer|Basic|Digest|ApiKey|SSWS)(\s{1,3}|%20|\+)([A-Za-z0-9._~+/-]{16,4096}={0,2})", re.IGNORECASE
)
_OF_NAMES = {"password", "api_key", "secret", "token"}
# The slashes may be escaped, as PHP writes JSON: undone together with a %2F of the password, they would end it there.
_USERINFO = re.compile(r":\\?/\\?/([^\s/@:?#\"'<>]{0,128}):([^\s/?#\"'<>]{1,256})@")
_DATABASES = (
    "mongo", "postgres", "mysql", "mariadb", "redis", "amqp", "mssql", "sqlserver", "cockroach", "clickhouse",
    "oracle", "kafka", "nats",
)  # fmt: skip
_PRIVATE_KEY = re.compile(
    r"-----BEGIN[ +]([A-Z0-9 +]{0,30}PRIVATE[ +]KEY(?:[ +]BLOCK)?)-----"
    # Up to its end, but not past where another block begins: no character is read for two blocks.
    r"((?:(?:[A-Za-z0-9+/=\s:,.\\()@<>]|-(?!----(?:BEGIN|END)[ +])){0,16384}-----END[ +]\1-----"
    r"|[A-Za-z0-9+/=\s:,.\\-]{0,16384}))"
)
# The private part of a key in JSON, which has no name of its own.
_JWK = re.compile(r"""\\{0,3}"d\\{0,3}"\s{0,3}:\s{0,3}\\{0,3}"([A-Za-z0-9_-]{30,2048})""")
_CURL_USER = re.compile(r"""\s(?:-u|--user)[ =]{0,3}["']?([\w.@+-]{0,64}):["']?([^\s"'\\]{4,128})""")
_NETRC = re.compile(r"\b(?:login|account)\s{1,4}[^\s]{1,64}\s{1,8}password\s{1,4}([^\s\"']{4,128})")
_MNEMONIC = re.compile(
    r"(?:mnemonic|(?:seed|recovery|secret)[_ -]?phrase)[^a-z\n]{1,8}((?:[a-z]{3,8} ){11,23}[a-z]{3,8})", re.IGNORECASE
)


def find(text: str, known: Known | None = None, work: Work | None = None) -> list[Found]:
    """All secrets of a text, in order, none overlapping another.

    What is in `known` is found without any other sign. A text that takes too long ends in one finding of the kind
    `unsearched`, which covers whatever was not looked through.
    """
    code, work = Code(text), work or Work.for_text(text, limits.SEARCH_EXTRA_STEPS)
    found, searched = _search(text, code, known, work)
    for stretch in decoded(text):
        more, until = _search(stretch.text, code, known, work)
        found += [evolve(one, start=stretch.original(one.start), end=stretch.original(one.end)) for one in more]
        if until < len(stretch.text):
            searched = min(searched, stretch.original(until))
            break
    forget()
    if not found and searched == len(text):
        return found
    found += list(_echoes(text, found, searched))
    forget()
    apart = _apart(found)
    if searched < len(text):
        apart = [one for one in apart if one.start < searched]
        begin = max(searched, apart[-1].end if apart else 0)
        apart.append(Found(kind="unsearched", start=begin, end=len(text)))
    return apart


def _search(text: str, code: Code, known: Known | None, work: Work) -> tuple[list[Found], int]:
    """What gives itself away in the text as it stands, and how far the text was looked through."""
    # Names leave a third for formats, and in most texts nearly all.
    share = Work(work.left * 2 // 3)
    work.left -= share.left
    lowered = text.lower()
    names = ByName(text, lowered, share, code)
    found = list(names)
    work.left += share.left
    formats = ByFormat(text, work, code, known)
    found += formats
    if names.searched < len(text) and work.left > 0:
        names = ByName(text, lowered, work, code, names.searched)
        found += names
    searched = min(formats.searched, names.searched)
    for one in _by_place(text, lowered, code):
        if not work.spend(8 + ((one.end - one.start) >> 5)):
            return found, min(searched, one.start)
        found.append(one)
    return found, searched


def _by_place(text: str, lowered: str, code: Code) -> Iterator[Found]:
    """What is known as a secret by where it stands: behind a scheme, in a URL, in the file of a tool."""
    if "-----BEGIN" in text:
        yield from _by_armour(text)
    # One after the other, not in a loop: every line that a page logs passes here.
    if "bearer" in lowered or "basic" in lowered or "digest" in lowered or "apikey " in lowered or "ssws" in lowered:
        yield from _by_scheme(text, code)
    if "@" in text and ("://" in text or ":\\/\\/" in text):
        yield from _by_userinfo(text, code)
    if "aws" in lowered:
        yield from near_aws(text, lowered)
    if "kty" in text or "curl" in lowered or "password " in lowered or "mnemonic" in lowered or "phrase" in lowered:
        yield from _by_custom(text, lowered)


def _by_armour(text: str) -> Iterator[Found]:
    for block in _PRIVATE_KEY.finditer(text):
        if block[2].strip():
            yield Found(kind="private_key", start=block.start(2), end=block.end(2), real=is_key_material(block[2]))


def _echoes(text: str, found: list[Found], until: int) -> Iterator[Found]:
    """The same values elsewhere in the text, where nothing gives them away."""
    if until < _ECHOED:
        return
    values: dict[str, Found] = {}
    for one in found:
        value = _SCHEME.sub("", text[one.start : one.end], count=1)
        if len(value) >= _ECHOED and (looks_random(value, _ECHOED) or looks_chosen(value)):
            values.setdefault(value, one)
    covered = {one.start for one in found}
    for value, one in sorted(values.items(), key=lambda item: -len(item[0]))[:_ECHOES]:
        place = text.find(value, 0, until)
        while place >= 0:
            if place not in covered:
                yield Found(kind=one.kind, start=place, end=place + len(value), name=one.name, partial=one.partial)
            place = text.find(value, place + len(value), until)


def _by_scheme(text: str, code: Code) -> Iterator[Found]:
    for named in _BEARER.finditer(text):
        value = named[3]
        random = looks_random(value, 16)
        if not random and (code or (named[1].lower() != "bearer" and not holds_login(value))):
            # "Basic configuration-settings": words.
            continue
        if named[1].lower() == "basic" and (password := holds_login(value)):
            real = looks_chosen(password) and password.lower() not in WEAK_PASSWORDS and not is_placeholder(password)
        else:
            real = looks_random(value, 20) and not is_placeholder(value)
        yield Found(kind="bearer_token", start=named.start(3), end=named.end(3), real=real, partial=True)


def _by_custom(text: str, lowered: str) -> Iterator[Found]:
    """What is known as a secret by the tool or the file that holds it."""
    if "kty" in text:
        for key in _JWK.finditer(text):
            yield Found(kind="private_key", start=key.start(1), end=key.end(1), real=looks_random(key[1], 30))
    if "curl" in lowered:
        for user in _CURL_USER.finditer(text):
            yield _password(user, 2)
    if "password " in lowered and ("login" in lowered or "account" in lowered):
        for line in _NETRC.finditer(text):
            yield _password(line, 1)
    if "mnemonic" in lowered or "phrase" in lowered:
        for words in _MNEMONIC.finditer(text):
            yield Found(kind="private_key", start=words.start(1), end=words.end(1), real=True)


def _password(match: re.Match[str], group: int) -> Found:
    value = match[group]
    real = looks_chosen(value) and value.lower() not in WEAK_PASSWORDS and not is_placeholder(value)
    return Found(kind="password", start=match.start(group), end=match.end(group), real=real)


def _by_userinfo(text: str, code: Code) -> Iterator[Found]:
    for found in _USERINFO.finditer(text):
        user, password = found[1], found[2]
        scheme = text[max(0, found.start() - 20) : found.start()].lower()
        database = any(word in scheme for word in _DATABASES)
        weak = password.lower() in WEAK_PASSWORDS or len(password) < (5 if database else 4) or user == password
        real = not weak and not is_placeholder(password) and not is_placeholder(user)
        if real or not code:
            kind = "connection_string" if database else "url_credentials"
            yield Found(kind=kind, start=found.start(1), end=found.end(2), real=real)


def _apart(found: list[Found]) -> list[Found]:
    """One for each stretch of text: the widest extent, the name, and the most telling kind of what overlaps."""
    apart: list[Found] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        last = apart[-1] if apart else None
        if last is None or one.start >= last.end:
            apart.append(one)
            continue
        telling = one if _telling(one) > _telling(last) else last
        apart[-1] = evolve(
            telling,
            start=last.start,
            end=max(last.end, one.end),
            name=last.name or one.name,
            in_query=last.in_query or one.in_query,
            real=last.real or one.real,
            partial=last.partial and one.partial,
        )
    return apart


def _telling(found: Found) -> tuple[bool, int]:
    """A format tells more than the word before it, and that more than a name."""
    return found.real, 0 if found.kind in _OF_NAMES else 1 if found.kind == "bearer_token" else 2
