"""Finds secrets by their format.

Most values with a format are long runs of letters, digits, _ and -, and most lines of text have no such run. So the
search takes the runs of a text, and looks up how each begins and ends and what stands before it. Only a few formats
need a search of their own.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain

from attrs import evolve

from gasoline_cdp.detect.by_name import ByName
from gasoline_cdp.detect.encodings import AlreadyJudged, start_of_word, text_in_base64
from gasoline_cdp.detect.families import issued_token
from gasoline_cdp.detect.form import Format
from gasoline_cdp.detect.format_context import beginnings, in_slashes, is_presigned, mark_is_enough
from gasoline_cdp.detect.format_index import BY_COLON, BY_DOT, BY_END, BY_START, GLUED, INSIDE, MARKED
from gasoline_cdp.detect.known import HEAD, Known
from gasoline_cdp.detect.plausible import github_checksum, is_placeholder, is_public, looks_random
from gasoline_cdp.detect.secret_match import ReportedSpans, SecretMatch
from gasoline_cdp.detect.source_code import Code
from gasoline_cdp.detect.work import Work

_RUN = re.compile(r"[A-Za-z0-9_-]{13,}")
_SEPARATOR = re.compile(r"[_-]")
# A value that begins before its run has at least so many characters in a row.
_STRETCH = re.compile(r"[^\s\"'<>,;]{17}")
_CHECKSUMMED = ("github_token", "npm_token")
# Shorter runs have no room for a prefix and a secret, nor for a secret that is recognised by its end.
_LONG = 21
_REST = re.compile(r"[A-Za-z0-9_-]{20,1000}")
_DIGITS = re.compile(r"\d+")
# Characters that an expression reads at most before it fails.
_FAR = 4096
_LONGEST_BY_END = 120


class ByFormat:
    """The secrets of one text that have a format of their own. Not sorted; one secret may match as two kinds."""

    def __init__(
        self,
        text: str,
        work: Work,
        code: Code,
        known: Known | None = None,
        named: Sequence[SecretMatch] = (),
        already_judged: AlreadyJudged | None = None,
    ) -> None:
        self._text = text
        self._is_code = code
        self._work = work
        self._recognised = known
        self._already_judged = already_judged
        self._known = known.beginnings if known is not None else {}
        # Where values begin that were found by name: no need to look whether they are known.
        self._named = {one.start for one in named}
        self._by_name = named
        # Several marks may lead to the same value.
        self._seen: set[tuple[str, int, int]] = set()
        # How far the text was looked through.
        self.searched = len(text)

    @cached_property
    def _reported_by_name(self) -> ReportedSpans:
        return ReportedSpans(self._by_name)

    def __iter__(self) -> Iterator[SecretMatch]:
        text, work = self._text, self._work
        long = False
        done = 0
        for run in _RUN.finditer(text):
            start, end = run.span()
            # Values do not overlap.
            if start < done or self._is_judged(start, end):
                continue
            if not work.spend(1):
                # The value of a format may begin before its run.
                self.searched = start_of_word(text, start)
                return
            # A line of dashes, in a comment or around a PEM block.
            if not run[0].strip("-_"):
                continue
            for found in self._in_run(run):
                yield found
                if found.start == start:
                    done = max(done, found.end)
            if work.left < 0:
                self.searched = start_of_word(text, start)
                return
            long = long or end - start >= _LONG
        yield from self._outside_runs(long=long)

    def _is_judged(self, start: int, end: int) -> bool:
        """Whether this is a decoded part of a text, and the text itself was judged by this run."""
        return self._already_judged is not None and self._already_judged.run_is_judged(self._text, start, end)

    def _outside_runs(self, *, long: bool) -> Iterator[SecretMatch]:
        text = self._text
        if long:
            yield from self._by_marks(INSIDE)
        stretch = _STRETCH.search(text)
        if stretch is not None:
            if not self._work.spend(1):
                self.searched = min(self.searched, stretch.start())
                return
            signs = [marked for sign, marked in MARKED.items() if sign in text]
            yield from self._by_marks(chain.from_iterable(signs))

    def _in_run(self, run: re.Match[str]) -> Iterator[SecretMatch]:
        text = self._text
        start, end = run.span()
        before = text[start - 1] if start else ""
        whole = False
        for number, position in enumerate(beginnings(text, run, before)):
            # Two beginnings take about a step.
            if not self._work.spend(number & 1):
                return
            found = []
            if (forms := BY_START.get(text[position : position + 2])) is not None:
                found = list(self._match_formats(forms, position, end))
                yield from found
                whole = whole or any(one.reportable and one.end >= end for one in found)
            if (
                not found
                and self._known
                and text[position : position + HEAD] in self._known
                and position not in self._named
            ):
                yield from self._known_value(position)
            if not found and end - position >= _LONG:
                yield from self._by_prefix_habit(position)
        if before in (".", ":"):
            yield from self._after_dot_or_colon(start, end, before)
        # A run that is a secret need not hold one.
        if not whole and end - start >= _LONG and self._work.spend(5):
            yield from self._match_by_end(run, before)
            yield from self._match_inside_run(run)
            if not self._reported_by_name.cover(start, end):
                yield from self._in_base64(run)

    def _known_value(self, position: int) -> Iterator[SecretMatch]:
        """A value that was recognised in another message, without its name here."""
        self._work.spend(2)
        if self._recognised is not None and (end := self._recognised.end_of(self._text, position)):
            yield SecretMatch(kind="token", start=position, end=end, partial=True)

    def _by_prefix_habit(self, position: int) -> Iterator[SecretMatch]:
        token = issued_token(self._text, position, self._work)
        if token is not None:
            yield SecretMatch(
                kind="secret_key",
                start=position,
                end=token.end,
                reportable=True,
                test_mode=token.test_mode,
                partial=True,
            )

    def _match_formats(self, forms: Iterable[Format], start: int, end: int) -> Iterator[SecretMatch]:
        for form in forms:
            if not self._work.spend(1 + (min(end - start, _FAR) >> 7)):
                return
            match = form.shape.match(self._text, start)
            if match is not None:
                yield from self._judge(form, start, match.end())
                return
        yield from self._match_mark_only(forms, start)

    def _match_mark_only(self, forms: Iterable[Format], start: int) -> Iterator[SecretMatch]:
        """A random value with an issuer's mark, but of no documented length: issuers change lengths, not marks."""
        text = self._text
        for form in forms:
            if form.check is not None or form.lead or not text.startswith(form.marks, start):
                continue
            mark = max((mark for mark in form.marks if text.startswith(mark, start)), key=len)
            rest = _REST.match(text, start + len(mark))
            if rest is None or not mark_is_enough(mark, form, rest[0]) or is_public(text[start : rest.end()]):
                continue
            if not self._work.spend(6):
                return
            if looks_random(rest[0]) and len(_DIGITS.findall(rest[0])) > 1 and not is_placeholder(rest[0]):
                reportable = not form.exact and not in_slashes(text, start, rest.end())
                test_mode = form.test_mode is not None and form.test_mode.search(text[start : rest.end()]) is not None
                yield SecretMatch(
                    kind=form.kind,
                    start=start,
                    end=rest.end(),
                    reportable=reportable,
                    low_risk=form.low_risk,
                    test_mode=test_mode,
                    partial=True,
                )
                return

    def _after_dot_or_colon(self, start: int, end: int, sign: str) -> Iterator[SecretMatch]:
        """Values whose last part is the run at `start`, behind a dot or a colon."""
        self._work.spend(1)
        text = self._text
        if sign == ".":
            forms: Iterable[tuple[str, Format]] = (*BY_DOT.get(text[max(0, start - 3) : start], ()), *BY_DOT["."])
        else:
            forms = BY_COLON
        for head, form in forms:
            if text.endswith(head, 0, start):
                yield from self._match_around(form, start - len(head), end)

    def _by_marks(self, marked: Iterable[tuple[str, Format]]) -> Iterator[SecretMatch]:
        text = self._text
        tried = 0
        for mark, form in [one for one in marked if one[0] in text]:
            position = text.find(mark)
            while position >= 0:
                tried += 1
                # Four marks take about a step.
                if not self._work.spend(tried % 4 == 0):
                    # Marks are searched one by one: after this position some may be missing.
                    self.searched = min(self.searched, start_of_word(text, position))
                    return
                end = position + 1
                for found in self._match_around(form, position, position + len(mark)):
                    yield found
                    end = max(end, found.end)
                if self._work.left < 0:
                    self.searched = min(self.searched, start_of_word(text, position))
                    return
                position = text.find(mark, end)

    def _match_around(self, form: Format, position: int, end: int) -> Iterator[SecretMatch]:
        """The value of a format around its mark at `position`."""
        text = self._text
        if position < 0 or (form.anchor is not None and form.anchor.match(text, position) is None):
            return
        if not self._work.spend(1 + (form.lead >> 2) + (min(end - position, _FAR) >> 7)):
            return
        shape = form.glued or form.shape
        for start in range(max(0, position - form.lead), position + 1):
            match = shape.match(text, start)
            if match is not None and match.end() > position:
                yield from self._judge(form, start, match.end())
                return

    def _match_by_end(self, run: re.Match[str], before: str) -> Iterator[SecretMatch]:
        """Values of formats that are recognised by their end."""
        text = self._text
        tail = text[run.end() - 10 : run.end()]
        for mark, form in BY_END:
            if mark in tail:
                for start in beginnings(text, run, before):
                    if run.end() - start <= _LONGEST_BY_END:
                        yield from self._match_formats((form,), start, run.end())

    def _match_inside_run(self, run: re.Match[str]) -> Iterator[SecretMatch]:
        """Values that begin in the middle of a run: `x-ghp_…`, `prefix_sk_live_…`."""
        text = self._text
        done = run.start()
        for number, separator in enumerate(_SEPARATOR.finditer(text, run.start() + 3, run.end())):
            if not self._work.spend(number % 4 == 3):
                return
            after = separator.end()
            for mark, form in GLUED.get(text[after - 4 : after], ()) or GLUED.get(text[after - 3 : after], ()):
                start = after - len(mark)
                if start > done and form.glued is not None and text.startswith(mark, start):
                    if not self._work.spend(2 + (min(run.end() - start, _FAR) >> 7)):
                        return
                    match = form.glued.match(text, start)
                    if match is not None:
                        yield from self._judge(form, start, match.end())
                        done = match.end()
                        break

    def _in_base64(self, run: re.Match[str]) -> Iterator[SecretMatch]:
        """Base64 of a text that holds a secret: of JSON, of a header, of settings."""
        if run.end() - run.start() < _LONG or not (held := text_in_base64(run[0])):
            return
        if not self._work.spend(5 + (len(held) >> 5)):
            return
        inner = Code(held)
        found = [*ByFormat(held, self._work, inner), *ByName(held, held.lower(), self._work, inner)]
        strongest = max(found, key=lambda one: one.reportable, default=None)
        # Programs contain other programs in base64.
        if strongest is not None and (strongest.reportable or not self._is_code):
            yield evolve(strongest, start=run.start(), end=run.end(), partial=True)

    def _judge(self, form: Format, start: int, end: int) -> Iterator[SecretMatch]:
        judged = (form.kind, start, end)
        if judged in self._seen:
            return
        self._seen.add(judged)
        length = min(end - start, _FAR)
        # Most checks look at the beginning, some decode all of it.
        if not self._work.spend(6 + (min(length, 96) >> 4) + (length >> 7)):
            # No steps left to judge it: masked, not reported.
            yield SecretMatch(kind=form.kind, start=start, end=end, partial=True)
            return
        text = self._text
        value = text[start:end]
        passes = form.reportable(value)
        if (form.check_required and not passes) or (form.kind == "jwt" and text[max(0, start - 3) : start] == "pk."):
            # The mark alone says too little, or this is half of a public token.
            return
        checksummed = form.kind in _CHECKSUMMED
        wrong = checksummed and not github_checksum(value)
        reportable = passes and not in_slashes(text, start, end) and not is_presigned(text, start)
        if (
            reportable
            and start
            and form.lead == 0
            and text[start - 1].isalpha()
            and form.shape.match(text, start) is None
        ):
            # `xgsk_…` inside a word: masked, but reported only with a valid checksum.
            reportable = checksummed and not wrong
        yield SecretMatch(
            kind=form.kind,
            start=start,
            end=end,
            reportable=reportable,
            test_mode=form.test_mode is not None and form.test_mode.search(value) is not None,
            low_risk=form.low_risk,
            checksum_failed=wrong,
            partial=True,
        )
