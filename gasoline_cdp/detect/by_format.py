"""Finds secrets by their format.

Most values with a format are long runs of letters, digits, _ and -, and most lines of text have no such run: so runs
are looked at, by how they begin and end and by what stands before them. Only a few formats are looked for by name.
"""

import re
from collections.abc import Iterable, Iterator

from gasoline_cdp.detect.form import Format
from gasoline_cdp.detect.formats import FORMATS
from gasoline_cdp.detect.found import Found
from gasoline_cdp.detect.plausible import github_checksum

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


def by_format(text: str) -> Iterator[Found]:
    """Secrets with a format of their own, in no order, and some of them twice."""
    long = False
    for run in _RUN.finditer(text):
        start, end = run.span()
        before = text[start - 1] if start else ""
        for place in _beginnings(text, run, before):
            forms = _BY_START.get(text[place : place + 2])
            if forms is not None:
                yield from _tried(forms, text, place)
        if before in (".", ":"):
            yield from _behind(text, start, before)
        if end - start >= _LONG:
            long = True
            yield from _late(text, run, before)
            yield from _glued(text, run)
    if long:
        yield from _by_marks(_INSIDE, text)
    if _STRETCH.search(text) is not None:
        for sign, marked in _MARKED.items():
            if sign in text:
                yield from _by_marks(marked, text)


def _behind(text: str, start: int, sign: str) -> Iterator[Found]:
    """Values whose last part is the run at `start`, behind a dot or a colon."""
    if sign == ".":
        forms: Iterable[tuple[str, Format]] = (*_BY_DOT.get(text[max(0, start - 3) : start], ()), *_BY_DOT["."])
    else:
        forms = _BY_COLON
    for head, form in forms:
        yield from _at(form, text, start - len(head))


def _by_marks(marked: Iterable[tuple[str, Format]], text: str) -> Iterator[Found]:
    for mark, form in marked:
        place = text.find(mark)
        while place >= 0:
            end = place + 1
            for found in _at(form, text, place):
                yield found
                end = max(end, found.end)
            place = text.find(mark, end)


def _at(form: Format, text: str, place: int) -> Iterator[Found]:
    """What a format has around its mark, which stands at `place`."""
    if place < 0 or (form.anchor is not None and form.anchor.match(text, place) is None):
        return
    for start in range(max(0, place - form.lead), place + 1):
        match = (form.glued or form.shape).match(text, start)
        if match is not None and match.end() > place:
            yield _judged(form, text, start, match.end())
            return


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


def _tried(forms: Iterable[Format], text: str, start: int) -> Iterator[Found]:
    for form in forms:
        match = form.shape.match(text, start)
        if match is not None:
            yield _judged(form, text, start, match.end())
            return


def _late(text: str, run: re.Match[str], before: str) -> Iterator[Found]:
    """Values that are known by their end."""
    tail = text[run.end() - 10 : run.end()]
    for mark, form in _BY_END:
        if mark in tail:
            for start in _beginnings(text, run, before):
                yield from _tried((form,), text, start)


def _glued(text: str, run: re.Match[str]) -> Iterator[Found]:
    """Values that begin in the middle of a run: `x-ghp_…`, `prefix_sk_live_…`."""
    done = run.start()
    for separator in _SEPARATOR.finditer(text, run.start() + 3, run.end()):
        after = separator.end()
        for mark, form in _GLUED.get(text[after - 4 : after], ()):
            start = after - len(mark)
            if start > done and form.glued is not None and text.startswith(mark, start):
                match = form.glued.match(text, start)
                if match is not None:
                    yield _judged(form, text, start, match.end())
                    done = match.end()
                    break


def _judged(form: Format, text: str, start: int, end: int) -> Found:
    value = text[start:end]
    checksummed = form.kind in _CHECKSUMMED
    wrong = checksummed and not github_checksum(value)
    real = form.real(value) and not _in_slashes(text, start, end)
    if real and start and form.lead == 0 and text[start - 1].isalpha() and form.shape.match(text, start) is None:
        # `xgsk_…`: masked, but to be told of, a word's end needs more than looks.
        real = checksummed and not wrong
    return Found(
        kind=form.kind,
        start=start,
        end=end,
        real=real,
        test_mode=form.test_mode is not None and form.test_mode.search(value) is not None,
        mild=form.mild,
        doubtful=wrong,
        partial=True,
    )


def _in_slashes(text: str, start: int, end: int) -> bool:
    """`"/…/"`: an expression that looks for the value, in some other tool's settings."""
    return text[start - 2 : start] in ('"/', "'/") and text[end : end + 2] in ('/"', "/'")
