"""Finds every secret in a text: by its format, by the name before it, by its place in a URL.

What masks a text and what the audit reports both come from `find`. Masking takes all of it; a report only what is
`real`: plausible in itself, and no word of documentation. Each step is linear in the length of the text.
"""

import re
from collections.abc import Iterator

from attrs import evolve

from gasoline_cdp.detect.by_format import by_format
from gasoline_cdp.detect.by_name import WEAK_PASSWORDS, by_name, near_aws
from gasoline_cdp.detect.found import REDACTED, Found
from gasoline_cdp.detect.plausible import holds_login, is_key_material, is_placeholder, looks_chosen, looks_random

__all__ = ["REDACTED", "Found", "find"]

_BEARER = re.compile(
    r"\b(Bearer|Basic|Digest|ApiKey|SSWS)(\s{1,3}|%20|\+)([A-Za-z0-9._~+/-]{16,4096}={0,2})", re.IGNORECASE
)
_OF_NAMES = {"password", "api_key", "secret", "token"}
_USERINFO = re.compile(r"://([^\s/@:?#\"'<>]{0,128}):([^\s/?#\"'<>]{1,256})@")
_DATABASES = (
    "mongo", "postgres", "mysql", "mariadb", "redis", "amqp", "mssql", "sqlserver", "cockroach", "clickhouse",
    "oracle", "kafka", "nats",
)  # fmt: skip
_PRIVATE_KEY = re.compile(
    r"-----BEGIN ([A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?)-----"
    r"((?:[A-Za-z0-9+/=\s:,.\\()@<>-]{0,16384}?-----END \1-----|[A-Za-z0-9+/=\s:,.\\-]{0,16384}))"
)
# The private part of a key in JSON, which has no name of its own.
_JWK = re.compile(r"""\\{0,3}"d\\{0,3}"\s{0,3}:\s{0,3}\\{0,3}"([A-Za-z0-9_-]{30,2048})""")
_CURL_USER = re.compile(r"""\s(?:-u|--user)[ =]{0,3}["']?([\w.@+-]{1,64}):([^\s"'\\]{4,128})""")
_NETRC = re.compile(r"\b(?:login|account)\s{1,4}[^\s]{1,64}\s{1,8}password\s{1,4}([^\s\"']{4,128})")
_MNEMONIC = re.compile(
    r"(?:mnemonic|(?:seed|recovery|secret)[_ -]?phrase)[^a-z\n]{1,8}((?:[a-z]{3,8} ){11,23}[a-z]{3,8})", re.IGNORECASE
)


def find(text: str) -> list[Found]:
    """All secrets of a text, in order, none overlapping another."""
    found = list(by_format(text))
    lowered = text.lower()
    found += by_name(text, lowered)
    if "-----BEGIN " in text:
        for block in _PRIVATE_KEY.finditer(text):
            found.append(
                Found(kind="private_key", start=block.start(2), end=block.end(2), real=is_key_material(block[2]))
            )
    # One after the other, not in a loop: every line that a page logs passes here.
    if "bearer" in lowered or "basic" in lowered or "digest" in lowered or "apikey " in lowered or "ssws" in lowered:
        found += _by_scheme(text)
    if "://" in text and "@" in text:
        found += _by_userinfo(text)
    if "aws" in lowered:
        found += near_aws(text, lowered)
    if "kty" in text or "curl" in lowered or "password " in lowered or "mnemonic" in lowered or "phrase" in lowered:
        found += _by_custom(text, lowered)
    return _apart(found) if len(found) > 1 else found


def _by_scheme(text: str) -> Iterator[Found]:
    for named in _BEARER.finditer(text):
        value = named[3]
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


def _by_userinfo(text: str) -> Iterator[Found]:
    for found in _USERINFO.finditer(text):
        user, password = found[1], found[2]
        scheme = text[max(0, found.start() - 20) : found.start()].lower()
        database = any(word in scheme for word in _DATABASES)
        weak = password.lower() in WEAK_PASSWORDS or len(password) < (5 if database else 4) or user == password
        yield Found(
            kind="connection_string" if database else "url_credentials",
            start=found.start(1),
            end=found.end(2),
            real=not weak and not is_placeholder(password) and not is_placeholder(user),
        )


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
