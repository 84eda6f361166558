"""Finds every secret in a text: by its format, by the name before it, by its place in a URL.

What masks a text and what the audit reports both come from `find`. Masking takes all of it; a report only what is
`real`: plausible in itself, and no word of documentation. Each step is linear in the length of the text.
"""

import re
from collections.abc import Iterator

from attrs import evolve, frozen

from gasoline_cdp.detect.formats import FORMATS, Format
from gasoline_cdp.detect.names import STEMS, is_secret_name, is_weak_name, kind_of_name
from gasoline_cdp.detect.plausible import (
    entropy,
    github_checksum,
    is_code,
    is_key_material,
    is_placeholder,
    is_uuid,
    looks_chosen,
    looks_random,
)

REDACTED = "[REDACTED]"


@frozen(kw_only=True)
class Found:
    """A secret and where it stands: `start` to `end` is its value."""

    kind: str
    start: int
    end: int
    # Of the field or parameter that holds it.
    name: str = ""
    # Worth telling somebody, rather than only masking.
    real: bool = False
    test_mode: bool = False
    mild: bool = False
    # A checksum says that the value was altered or made up.
    doubtful: bool = False
    # The name stands in a query.
    in_query: bool = False
    # Masked to its ends rather than whole.
    partial: bool = False


# A value with a format is a long run of such characters, and most lines of text have no such run at all.
_RUN = re.compile(r"[A-Za-z0-9_-]{13,}")
_DASHES = re.compile(r"-{2,}")
# How many characters of a run belong to the escape before it.
_ESCAPED = {"n": 1, "r": 1, "t": 1, "b": 1, "f": 1, "u": 5, "x": 3}
_STRETCH = re.compile(r"[^\s\"'<>,;]{17}")
_BY_START: dict[str, list[Format]] = {}
for _form in FORMATS:
    if not _form.afield:
        for _start in {mark[:2] for mark in _form.marks}:
            _BY_START.setdefault(_start, []).append(_form)
_AFIELD = tuple((mark, form) for form in FORMATS if form.afield for mark in form.marks)
_NAME_CHARS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-[]"
_NAME_TAIL = re.compile(r"[\w.\[\]-]{1,80}")
# What joins a name to its value. The first are common; behind the others only a random value counts.
_JOINT = re.compile(r"""\\{0,3}["'`]?\s{0,3}(:{1,2}=|[?.+|]{1,2}=|=>|=|:|%3[Dd])\s{0,3}""")
_MAY_JOIN = frozenset("\"'`\\ \t\n=:%>,?.+|")
_LOOSE_JOINT = re.compile(
    r"""["']\s?,\s?|>\s{0,40}|\s(?:string|String|str)\s=\s|\s\|\|\s?|\s{1,2}(?=["']?[A-Za-z0-9+/_=-]{20})"""
)
_VALUE = re.compile(
    r"""(\\{1,3}")([^"\\]{1,4096})|(")((?:[^"\\]|\\.){1,4096})|(')((?:[^'\\]|\\.){1,4096})|(`)([^`]{1,4096})"""
    r"""|()((?:(?:bearer|basic|digest|token)\s{1,3})?[^\s"'`&,;{}()\[\]<>\\]{1,4096})""",
    re.IGNORECASE,
)
# Behind a weak name a rejected value is looked into again, so it must not run on over further names.
_PLAIN_VALUE = re.compile(r"""(\\{0,3}["'`])([^"'`\\\s]{6,512})|()([^\s"'`&,;{}()\[\]<>\\=:]{6,512}={0,2})""")
_NO_SECRET = {
    "null", "true", "false", "undefined", "string", "number", "required", "invalid", REDACTED.lower(),
}  # fmt: skip
_BEARER = re.compile(r"\b(Bearer|Basic|Digest)(\s{1,3}|%20|\+)([A-Za-z0-9._~+/-]{16,4096}={0,2})", re.IGNORECASE)
_USERINFO = re.compile(r"://([^\s/@:?#\"'<>]{0,128}):([^\s/?#\"'<>]{1,256})@")
_DATABASES = (
    "mongo", "postgres", "mysql", "mariadb", "redis", "amqp", "mssql", "sqlserver", "cockroach", "clickhouse",
    "oracle", "kafka", "nats",
)  # fmt: skip
_WEAK_PASSWORDS = {"password", "passwd", "mypassword", "secret", "admin", "root", "user", "username", "abc", "test"}
_PRIVATE_KEY = re.compile(
    r"-----BEGIN ([A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?)-----"
    r"((?:[A-Za-z0-9+/=\s:,.\\()@<>-]{0,16384}?-----END \1-----|[A-Za-z0-9+/=\s:,.\\-]{0,16384}))"
)
_AWS_VALUE = re.compile(r"(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")
_NEAR = 60


def find(text: str) -> list[Found]:
    """All secrets of a text, in order, none overlapping another."""
    found = list(_by_format(text))
    lowered = text.lower()
    # A name gives its value away only where something joins the two.
    if ":" in text or "=" in text or "%3" in text or ">" in text or "--" in text or '",' in text:
        found += _by_name(text, lowered)
    if "-----BEGIN " in text:
        for block in _PRIVATE_KEY.finditer(text):
            found.append(
                Found(kind="private_key", start=block.start(2), end=block.end(2), real=is_key_material(block[2]))
            )
    if "bearer" in lowered or "basic" in lowered or "digest" in lowered:
        for named in _BEARER.finditer(text):
            found.append(
                Found(
                    kind="bearer_token",
                    start=named.start(3),
                    end=named.end(3),
                    real=looks_random(named[3], 20) and not is_placeholder(named[3]),
                    partial=True,
                )
            )
    if "://" in text and "@" in text:
        found += _by_userinfo(text)
    if "aws" in lowered:
        found += _near_aws(text, lowered)
    return _apart(found) if len(found) > 1 else found


def _by_format(text: str) -> Iterator[Found]:
    for run in _RUN.finditer(text):
        for start in _beginnings(text, run):
            forms = _BY_START.get(text[start : start + 2])
            if forms is not None:
                yield from _tried(forms, text, start)
    if _STRETCH.search(text) is None:
        return
    for mark, form in _AFIELD:
        place = text.find(mark)
        while place >= 0:
            end = place + 1
            begin = max(0, place - form.lead)
            if form.anchor is None or form.anchor.match(text, place) is not None:
                for start in range(begin, place + 1):
                    match = form.shape.match(text, start)
                    if match is not None and match.end() > place:
                        yield _judged(form, text, start, match.end())
                        end = match.end()
                        break
            place = text.find(mark, end)


def _beginnings(text: str, run: re.Match[str]) -> Iterator[int]:
    """Where in a run a value may begin: where the run does, and after what was joined to it (`%22`, `<!--`)."""
    start = run.start()
    yield start
    before = text[start - 1 : start]
    if before == "%":
        yield start + 2
    elif before == "\\":
        yield start + _ESCAPED.get(text[start], 0)
    elif text[start] in "-_":
        yield start + 1
    if "--" in run[0]:
        yield from (start + dashes.end() for dashes in _DASHES.finditer(run[0]))


def _tried(forms: list[Format], text: str, start: int) -> Iterator[Found]:
    for form in forms:
        match = form.shape.match(text, start)
        if match is not None:
            yield _judged(form, text, start, match.end())
            return


def _judged(form: Format, text: str, start: int, end: int) -> Found:
    value = text[start:end]
    return Found(
        kind=form.kind,
        start=start,
        end=end,
        real=form.real(value) and not _in_slashes(text, start, end),
        test_mode=form.test_mode is not None and form.test_mode.search(value) is not None,
        mild=form.mild,
        doubtful=form.kind in ("github_token", "npm_token") and not github_checksum(value),
        partial=True,
    )


def _in_slashes(text: str, start: int, end: int) -> bool:
    """`"/…/"`: an expression that looks for the value, in some other tool's settings."""
    return text[start - 2 : start] in ('"/', "'/") and text[end : end + 2] in ('/"', "/'")


def _by_name(text: str, lowered: str) -> Iterator[Found]:
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
        if not sure and not is_weak_name(name):
            continue
        found = _value_of(text, name, begin, tail.end(), sure=sure)
        if found is not None:
            yield found
            done = found.end


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
        if joint is None or (joint[0].isspace() and text[max(0, begin - 2) : begin + 2].find("--") < 0):
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
    kind = kind_of_name(name)
    if loose and (is_code(secret) or not looks_random(secret, 16)):
        return None
    if not sure and not (
        looks_chosen(secret) if kind == "password" else looks_random(secret, 16) and not is_code(secret)
    ):
        return None
    in_query = text[begin - 1 : begin] in ("?", "&") and not quote
    return Found(
        kind=kind or "token",
        start=start,
        end=end,
        name=name[:64],
        real=bool(kind) and _plausible(kind, secret, bare=not quote, in_query=in_query),
        in_query=in_query,
    )


def _plausible(kind: str, value: str, *, bare: bool, in_query: bool) -> bool:
    """Whether a named value is a secret and no label, expression, placeholder or identifier."""
    if is_placeholder(value) or (bare and is_code(value)):
        return False
    if kind == "aws_secret_key":
        return _AWS_VALUE.fullmatch(value) is not None or re.fullmatch(r"[0-9a-f]{48}", value) is not None
    if kind == "password":
        return looks_chosen(value) and value.lower() not in _WEAK_PASSWORDS
    if is_uuid(value) and kind == "token" and not in_query:
        return False
    if value.lower().startswith(("bearer ", "basic ", "token ")):
        value = value.partition(" ")[2]
    if in_query:
        return len(value) >= 8 and (any(map(str.isdigit, value)) or len(value) >= 20) and entropy(value) > 2
    return looks_random(value, 12) and "://" not in value and not value.startswith(("/", "data:"))


def _by_userinfo(text: str) -> Iterator[Found]:
    for found in _USERINFO.finditer(text):
        user, password = found[1], found[2]
        scheme = text[max(0, found.start() - 20) : found.start()].lower()
        database = any(word in scheme for word in _DATABASES)
        weak = password.lower() in _WEAK_PASSWORDS or len(password) < (5 if database else 4) or user == password
        yield Found(
            kind="connection_string" if database else "url_credentials",
            start=found.start(1),
            end=found.end(2),
            real=not weak and not is_placeholder(password) and not is_placeholder(user),
        )


def _near_aws(text: str, lowered: str) -> Iterator[Found]:
    """Forty characters of base64 shortly after the name of the cloud that makes such keys."""
    for place in _all(lowered, "aws"):
        value = _AWS_VALUE.search(text, place, place + _NEAR + 40)
        if value is not None and _mixed(value[0]):
            real = not is_placeholder(value[0])
            yield Found(kind="aws_secret_key", start=value.start(), end=value.end(), real=real, partial=True)


def _mixed(value: str) -> bool:
    return any(map(str.isdigit, value)) and any(map(str.isupper, value)) and any(map(str.islower, value))


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


def _telling(found: Found) -> tuple[bool, bool]:
    return found.real, not found.name
