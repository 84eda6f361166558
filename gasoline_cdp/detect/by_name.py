"""Finds secrets by the names of what holds them, in every syntax that joins a name to its value."""

import re
from collections.abc import Iterator
from itertools import groupby

from gasoline_cdp.detect.encodings import AlreadyJudged, end_of_word
from gasoline_cdp.detect.named import Named
from gasoline_cdp.detect.names import STEMS, is_secret_name, is_weak_name
from gasoline_cdp.detect.secret_match import SecretMatch
from gasoline_cdp.detect.source_code import Code
from gasoline_cdp.detect.work import Work

_NAME_CHARS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-[]"
_NAME_TAIL = re.compile(r"[\w.\[\]-]{1,80}")
# What joins a name to its value: `=` and `:` and their kin, with the type that some languages put between
# (`: string =`); the other half of a pair (`"name": …, "value": …`), and of a property list.
_JOINT = re.compile(
    r"""\\{0,3}["'`]?\]?\s{0,3}(?:(?::\s?&?[A-Za-z][\w<>|?.\[\]]{0,30}|[sS]tring|str)\s?=(?=\s?["'`])"""
    r"""|:{1,2}=(?!=)|[?.+|]{1,2}=(?!=)|=>(?=\s?["'`])|=(?![=>])|:(?!:)|%3[Dd])(?:\s{0,80}(?=\\{0,3}["'])|\s{0,3})"""
    r"""|["']?\s{0,3},?\s{0,20}["']?[vV]alue["']?\s{0,3}[:=]\s{0,3}|</key>\s{0,20}<string>"""
)
_MAY_JOIN = frozenset("\"'`\\ \t\n=:%>,?.+|<]")
# After these separators, accept only values that look like a secret.
_LOOSE_JOINT = re.compile(
    r"""["']\]?\)?\s?,\s?|["'\])]{0,3}\s?(?:\|\||\?\?|or)\s?(?=["'`])|>\s{0,40}|\s{1,2}(?=["']?[^\s"']{6})"""
)
# A quoted value may hold its own quote, escaped once more than the ones around it.
_VALUE = re.compile(
    r"""(?P<quote>\\{1,3}["'])((?:(?!(?<!\\)(?P=quote))[^\r\n]){1,4096})|(")((?:[^"\\]|\\.){1,4096})"""
    r"""|(')((?:[^'\\]|\\.){1,4096})|(`)([^`]{1,4096})"""
    r"""|()((?:(?:bearer|basic|digest|token|apikey|ssws|oauth|bot)\s{1,3})?[^\s"'`&,;{}()\[\]<>\\]{1,4096})""",
    re.IGNORECASE,
)
# After a weak name a rejected value is searched for names again, so it must end before the next name.
_PLAIN_VALUE = re.compile(r"""(\\{0,3}["'`])([^"'`\\\s]{6,512})|()([^\s"'`&,;{}()\[\]<>\\=:]{6,512}={0,2})""")
# In a query or a form only these characters end a value.
_QUERY_VALUE = re.compile(r"""()([^\s"'`&;<>]{1,4096})""")
_FORM = 256
# The rest of an Authorization header: any scheme, then its credentials.
_CREDENTIALS = re.compile(r"()([A-Za-z][\w-]{0,30}[ +]{1,3}(?=[^\r\n\"'`\\]{0,256}[\d=])[^\r\n\"'`\\]{1,4096})")
_AUTHORIZATION = "authorization"
# `API Key: …`: words before "key" in prose that make it a secret.
_BEFORE_KEY = (
    "api ", "access ", "secret ", "private ", "auth ", "license ", "client ", "encryption ", "signing ", "master ",
)  # fmt: skip
# Finds where the stems of secret names stand. Takes the first letter only, so that one stem may begin in another.
_STEM = re.compile(
    "|".join(
        f"{first}(?={'|'.join(re.escape(stem[1:]) for stem in stems)})"
        for first, stems in groupby(sorted(STEMS), key=lambda stem: stem[0])
    )
)
# Judging a name of this length takes no more than a step.
_LONG_NAME = 8
# Characters of a value that are enough to judge it.
_JUDGED = 128
_ESCAPE = re.compile(r"\\{1,4}u([0-9A-Fa-f]{4})")


class ByName:
    """The values of one text whose names say that they are secret."""

    def __init__(
        self,
        text: str,
        lowered: str,
        work: Work,
        code: Code,
        already_judged: AlreadyJudged | None = None,
        *,
        reserve: int = 0,
    ) -> None:
        self._text = text
        self._lowered = lowered
        self._work = work
        self._is_code = code
        self._already_judged = already_judged
        # Stop at the next name when fewer steps are left.
        self._reserve = reserve
        # How far the text was searched, and where names may stand.
        self.searched = 0
        self._stem_positions = [stem.start() for stem in _STEM.finditer(lowered)]

    def go_on(self) -> Iterator[SecretMatch]:
        """Search the rest, with the steps that were held in reserve."""
        self._reserve = 0
        return iter(self)

    def __iter__(self) -> Iterator[SecretMatch]:
        text, work = self._text, self._work
        done, self.searched = self.searched, len(text)
        for position in self._stem_positions:
            if position < done:
                continue
            if work.left < self._reserve or not work.spend(1):
                self.searched = position
                return
            tail = _NAME_TAIL.match(text, position)
            if tail is None:
                continue
            done = tail.end()
            if text[done : done + 1] not in _MAY_JOIN:
                continue
            before = text[max(0, position - 64) : position]
            begin = position - len(before) + len(before.rstrip(_NAME_CHARS))
            name = text[begin : tail.end()].lstrip("-.[]0123456789")
            named = self._named(name, begin, tail.end())
            if named is not None and (end := self._end_if_judged(named)):
                done = max(done, end)
                continue
            found = self._judge(named) if named is not None else None
            if work.left < 0:
                self.searched = position
                return
            if found is not None:
                yield found
                done = found.end

    def _named(self, name: str, begin: int, after: int) -> Named | None:
        """A name with its value; None if it has none, or the name does not make a value secret."""
        text = self._text
        # First, because it is cheaper than judging a name for the first time.
        joint = _JOINT.match(text, after) or _LOOSE_JOINT.match(text, after)
        if joint is None or self._is_reported(joint.end()):
            return None
        if not self._work.spend(1 + (max(0, len(name) - _LONG_NAME) >> 2)):
            return None
        sure = is_secret_name(name)
        if not sure and not is_weak_name(name) and not _is_key_in_prose(name, self._lowered, begin):
            return None
        value = self._match(name, begin, joint, sure=sure)
        self._work.spend(2)
        if value is None:
            return None
        group = value.lastindex or 0
        quote, secret = value[group - 1], value[group]
        if "\\u" in secret:
            secret = _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), secret)
        return Named(
            text=text,
            name=name,
            sure=sure,
            begin=begin,
            start=value.start(group),
            end=value.end(group),
            value=secret[:_JUDGED],
            joint=joint[0],
            loose=joint.re is _LOOSE_JOINT,
            delimited=bool(quote) or value.re is _CREDENTIALS or value.re is _QUERY_VALUE,
            in_query=not quote and text[begin - 1 : begin] in ("?", "&", "#"),
        )

    def _is_reported(self, start: int) -> bool:
        """Whether this is a decoded part of a text, and the bare value at `start` will be reported anyway."""
        judged = self._already_judged
        return judged is not None and judged.is_reported(start, end_of_word(self._text, start))

    def _end_if_judged(self, named: Named) -> int:
        """Where to continue if the search of the undecoded text has judged this value; else 0."""
        if self._already_judged is None:
            return 0
        if self._already_judged.is_reported(named.start, named.end):
            return named.end
        return named.start if self._already_judged.is_same(named.begin, named.end) else 0

    def _judge(self, named: Named) -> SecretMatch | None:
        """Spends steps before each part: if none are left, the rest of the text is masked unread."""
        work = self._work
        if not work.spend(self._price(named)) or not named.is_secret(in_code=bool(self._is_code)):
            return None
        if not work.spend(4 + (len(named.value) >> 4)):
            return None
        return SecretMatch(
            kind=named.kind or "token",
            start=named.start,
            end=named.end,
            name=named.name[:64],
            reportable=named.is_reportable(),
            in_query=named.in_query,
        )

    def _price(self, named: Named) -> int:
        length = named.end - named.start
        price = 3 + (length >> 5)
        # Judging a value by its characters takes more steps, and so does telling it from an expression.
        if not named.sure or named.loose or self._is_code:
            price += 2 + (min(length, _JUDGED) >> 4)
        return price + (2 if not named.delimited and "." in named.value else 0)

    def _match(self, name: str, begin: int, joint: re.Match[str], *, sure: bool) -> re.Match[str] | None:
        """The value after a joint."""
        text, position = self._text, joint.end()
        if name[-len(_AUTHORIZATION) :].lower() == _AUTHORIZATION:
            self._work.spend(2)
            quoted = text[position : position + 1] in ('"', "'", "`")
            if (credentials := _CREDENTIALS.match(text, position + quoted)) is not None:
                return credentials
        in_form = text[begin - 1] in "?&" if begin else "&" in text[position : position + _FORM]
        if sure and joint[0] == "=" and in_form and not self._is_code:
            return _QUERY_VALUE.match(text, position) or _VALUE.match(text, position)
        return (_VALUE if sure else _PLAIN_VALUE).match(text, position)


def _is_key_in_prose(name: str, lowered: str, begin: int) -> bool:
    return name.lower() == "key" and lowered[max(0, begin - 12) : begin].endswith(_BEFORE_KEY)
