"""Finds secrets by their format.

Most values with a format are long runs of letters, digits, _ and -, and most lines of text have no such run: so runs
are looked at, by how they begin and end and by what stands before them. Only a few formats are looked for by name.
"""

import re
from collections.abc import Iterable, Iterator

from attrs import evolve

from gasoline_cdp.detect.by_name import ByName
from gasoline_cdp.detect.encodings import text_in_base64
from gasoline_cdp.detect.form import Format
from gasoline_cdp.detect.formats import FORMATS
from gasoline_cdp.detect.found import Found
from gasoline_cdp.detect.known import HEAD, Known
from gasoline_cdp.detect.plausible import github_checksum, is_placeholder, looks_random
from gasoline_cdp.detect.source_code import Code
from gasoline_cdp.detect.work import Work

_RUN = re.compile(r"[A-Za-z0-9_-]{13,}")
_DASHES = re.compile(r"-{2,}")
_SEPARATOR = re.compile(r"[_-]")
# Without so many characters in a row there is nothing that begins before its run either.
_STRETCH = re.compile(r"[^\s\"'<>,;]{17}")
# How many characters of a run belong to the escape before it.
_ESCAPED = {"n": 1, "r": 1, "t": 1, "b": 1, "f": 1, "u": 5, "x": 3}
_CHECKSUMMED = ("github_token", "npm_token")
# Shorter runs have no room for a word and a secret, nor for a secret that is known by its end.
_LONG = 21
_REST = re.compile(r"[A-Za-z0-9_-]{20,1000}")
_DIGITS = re.compile(r"\d+")
# Marks so long tell enough, however they end.
_TELLING = 8
# As far as a shape looks before it fails.
_FAR = 4096
_LONGEST_BY_END = 120

_BY_START: dict[str, list[Format]] = {}
_BY_DOT: dict[str, list[tuple[str, Format]]] = {}
_BY_END: list[tuple[str, Format]] = []
_BY_COLON: list[tuple[str, Format]] = []
# In the middle of a run: by the end of the mark where that is a separator, else one by one.
_GLUED: dict[str, list[tuple[str, Format]]] = {}
_INSIDE: list[tuple[str, Format]] = []
# By a sign that most texts do not hold → what needs it.
_MARKED: dict[str, list[tuple[str, Format]]] = {}
_SIGNS = ("$", "~", "|", "=", "+", "hook", "://")


def _sort(form: Format) -> None:
    for mark in form.marks:
        if form.by == "start":
            forms = _BY_START.setdefault(mark[:2], [])
            if form not in forms:
                forms.append(form)
            if form.glued is not None and mark[-1] in "_-":
                _GLUED.setdefault(mark[-4:], []).append((mark, form))
            elif form.glued is not None:
                _INSIDE.append((mark, form))
        elif form.by == "dot":
            head = mark[: mark.rindex(".") + 1]
            _BY_DOT.setdefault(head[-3:], []).append((head, form))
        elif form.by == "end":
            _BY_END.append((mark, form))
        elif form.by == "colon":
            _BY_COLON.append((mark[: mark.index(":") + 1], form))
        else:
            _MARKED.setdefault(next((sign for sign in _SIGNS if sign in mark), ""), []).append((mark, form))


for _form in FORMATS:
    _sort(_form)


class ByFormat:
    """The secrets of one text that have a format of their own, in no order, and some of them twice."""

    def __init__(self, text: str, work: Work, code: Code, known: Known | None = None) -> None:
        self._text = text
        self._is_code = code
        self._work = work
        self._recognised = known
        self._known = known.beginnings if known is not None else {}
        # How far the text was looked through.
        self.searched = len(text)

    def __iter__(self) -> Iterator[Found]:
        text, work = self._text, self._work
        long = False
        done = 0
        for run in _RUN.finditer(text):
            start, end = run.span()
            # What lies within a value is no other value.
            if start < done:
                continue
            if not work.spend(1):
                self.searched = start
                return
            for found in self._in_run(run):
                yield found
                if found.start == start:
                    done = max(done, found.end)
            if work.left < 0:
                self.searched = start
                return
            long = long or end - start >= _LONG
        yield from self._outside_runs(long=long)

    def _outside_runs(self, *, long: bool) -> Iterator[Found]:
        text = self._text
        if long:
            yield from self._by_marks(_INSIDE)
        if _STRETCH.search(text) is not None:
            for sign, marked in _MARKED.items():
                if sign in text:
                    yield from self._by_marks(marked)

    def _in_run(self, run: re.Match[str]) -> Iterator[Found]:
        text = self._text
        start, end = run.span()
        before = text[start - 1] if start else ""
        for place in _beginnings(text, run, before):
            if self._work.left < 0:
                return
            found = list(self._tried(_BY_START.get(text[place : place + 2], ()), place, end))
            yield from found
            if not found and self._known and text[place : place + HEAD] in self._known:
                yield from self._again(place)
        if before in (".", ":"):
            yield from self._behind(start, end, before)
        if end - start >= _LONG:
            self._work.spend(2)
            yield from self._late(run, before)
            yield from self._glued(run)
            yield from self._encoded(run)

    def _again(self, place: int) -> Iterator[Found]:
        """What was recognised in another message, where nothing else gives it away."""
        self._work.spend(4)
        if self._recognised is not None and (end := self._recognised.end_of(self._text, place)):
            yield Found(kind="token", start=place, end=end, partial=True)

    def _tried(self, forms: Iterable[Format], start: int, end: int) -> Iterator[Found]:
        for form in forms:
            self._work.spend(1 + (min(end - start, _FAR) >> 7))
            match = form.shape.match(self._text, start)
            if match is not None:
                yield from self._judged(form, start, match.end())
                return
        yield from self._of_other_length(forms, start)

    def _of_other_length(self, forms: Iterable[Format], start: int) -> Iterator[Found]:
        """What has an issuer's mark, is random, and is of no documented shape: issuers change those, but no marks."""
        text = self._text
        for form in forms:
            if form.check is not None or form.lead or not text.startswith(form.marks, start):
                continue
            mark = max((mark for mark in form.marks if text.startswith(mark, start)), key=len)
            rest = _REST.match(text, start + len(mark))
            if rest is None or (len(mark) < _TELLING and (form.glued is None or mark[-1] not in "_-")):
                continue
            self._work.spend(6)
            if looks_random(rest[0]) and len(_DIGITS.findall(rest[0])) > 1 and not is_placeholder(rest[0]):
                real = not _in_slashes(text, start, rest.end())
                test_mode = form.test_mode is not None and form.test_mode.search(text[start : rest.end()]) is not None
                yield Found(
                    kind=form.kind,
                    start=start,
                    end=rest.end(),
                    real=real,
                    mild=form.mild,
                    test_mode=test_mode,
                    partial=True,
                )
                return

    def _behind(self, start: int, end: int, sign: str) -> Iterator[Found]:
        """Values whose last part is the run at `start`, behind a dot or a colon."""
        text = self._text
        if sign == ".":
            forms: Iterable[tuple[str, Format]] = (*_BY_DOT.get(text[max(0, start - 3) : start], ()), *_BY_DOT["."])
        else:
            forms = _BY_COLON
        for head, form in forms:
            yield from self._at(form, start - len(head), end)

    def _by_marks(self, marked: Iterable[tuple[str, Format]]) -> Iterator[Found]:
        text = self._text
        tried = 0
        for mark, form in marked:
            place = text.find(mark)
            while place >= 0:
                tried += 1
                # Most marks are seen through at once.
                if not self._work.spend(tried % 4 == 0):
                    # Marks are looked for one after the other: behind the first that is left nothing is sure.
                    self.searched = min(self.searched, place)
                    return
                end = place + 1
                for found in self._at(form, place, place + len(mark)):
                    yield found
                    end = max(end, found.end)
                place = text.find(mark, end)

    def _at(self, form: Format, place: int, end: int) -> Iterator[Found]:
        """What a format has around its mark, which stands at `place`."""
        text = self._text
        if place < 0 or (form.anchor is not None and form.anchor.match(text, place) is None):
            return
        self._work.spend(1 + (form.lead >> 2) + (min(end - place, _FAR) >> 7))
        shape = form.glued or form.shape
        for start in range(max(0, place - form.lead), place + 1):
            match = shape.match(text, start)
            if match is not None and match.end() > place:
                yield from self._judged(form, start, match.end())
                return

    def _late(self, run: re.Match[str], before: str) -> Iterator[Found]:
        """Values that are known by their end."""
        text = self._text
        tail = text[run.end() - 10 : run.end()]
        for mark, form in _BY_END:
            if mark in tail:
                for start in _beginnings(text, run, before):
                    if run.end() - start <= _LONGEST_BY_END:
                        yield from self._tried((form,), start, run.end())

    def _glued(self, run: re.Match[str]) -> Iterator[Found]:
        """Values that begin in the middle of a run: `x-ghp_…`, `prefix_sk_live_…`."""
        text = self._text
        done = run.start()
        self._work.spend((run[0].count("_") + run[0].count("-")) >> 3)
        for separator in _SEPARATOR.finditer(text, run.start() + 3, run.end()):
            if self._work.left < 0:
                return
            after = separator.end()
            for mark, form in _GLUED.get(text[after - 4 : after], ()) or _GLUED.get(text[after - 3 : after], ()):
                start = after - len(mark)
                if start > done and form.glued is not None and text.startswith(mark, start):
                    self._work.spend(2 + (min(run.end() - start, _FAR) >> 7))
                    match = form.glued.match(text, start)
                    if match is not None:
                        yield from self._judged(form, start, match.end())
                        done = match.end()
                        break

    def _encoded(self, run: re.Match[str]) -> Iterator[Found]:
        """Base64 of a text that holds a secret: of JSON, of a header, of settings."""
        if run.end() - run.start() < _LONG or not (held := text_in_base64(run[0])):
            return
        self._work.spend(2 + (len(held) >> 5))
        inner = Code(held)
        found = [*ByFormat(held, self._work, inner), *ByName(held, held.lower(), self._work, inner)]
        told = max(found, key=lambda one: one.real, default=None)
        # Programs carry other programs.
        if told is not None and (told.real or not self._is_code):
            yield evolve(told, start=run.start(), end=run.end(), partial=True)

    def _judged(self, form: Format, start: int, end: int) -> Iterator[Found]:
        length = min(end - start, _FAR)
        # Most checks look at the beginning, some decode all of it.
        self._work.spend(6 + (min(length, 96) >> 4) + (length >> 7))
        text = self._text
        value = text[start:end]
        if (form.doubted and not form.real(value)) or (form.kind == "jwt" and text[max(0, start - 3) : start] == "pk."):
            # Too little to go by, or half of a token that is made to be seen.
            return
        checksummed = form.kind in _CHECKSUMMED
        wrong = checksummed and not github_checksum(value)
        real = form.real(value) and not _in_slashes(text, start, end) and not _is_presigned(text, start)
        if real and start and form.lead == 0 and text[start - 1].isalpha() and form.shape.match(text, start) is None:
            # `xgsk_…`: masked, but to be told of, a word's end needs more than looks.
            real = checksummed and not wrong
        yield Found(
            kind=form.kind,
            start=start,
            end=end,
            real=real,
            test_mode=form.test_mode is not None and form.test_mode.search(value) is not None,
            mild=form.mild,
            doubtful=wrong,
            partial=True,
        )


def _beginnings(text: str, run: re.Match[str], before: str) -> Iterator[int]:
    """Where in a run a value may begin: where the run does, and after what was joined to it (`%22`, `<!--`)."""
    start = run.start()
    yield start
    if before == "%":
        yield start + 2
    elif before == "\\":
        yield start + _ESCAPED.get(text[start], 0)
    elif text[start] in "-_":
        yield start + 1
    if "--" in run[0]:
        yield from (start + dashes.end() for dashes in _DASHES.finditer(run[0]))


def _in_slashes(text: str, start: int, end: int) -> bool:
    """`"/…/"`: an expression that looks for the value, in some other tool's settings."""
    return text[start - 2 : start] in ('"/', "'/") and text[end : end + 2] in ('/"', "/'")


def _is_presigned(text: str, start: int) -> bool:
    """Whether this key id stands in a signed URL, made to be handed out, or signs with the keys of a session."""
    before = text[max(0, start - 21) : start].lower()
    return before.endswith(("x-amz-credential=", "awsaccesskeyid=", "x-amz-security-token=")) or (
        before.endswith("credential=") and text.startswith("ASIA", start)
    )
