"""The formats, indexed by where their mark stands: one look-up gives the formats that a run of characters may have."""

from gasoline_cdp.detect.form import Format
from gasoline_cdp.detect.formats import FORMATS

BY_START: dict[str, list[Format]] = {}
BY_DOT: dict[str, list[tuple[str, Format]]] = {}
BY_END: list[tuple[str, Format]] = []
BY_COLON: list[tuple[str, Format]] = []
# Marks inside a run: by the end of the mark if that is a separator, else as a list.
GLUED: dict[str, list[tuple[str, Format]]] = {}
INSIDE: list[tuple[str, Format]] = []
# By a sign that most texts do not contain.
MARKED: dict[str, list[tuple[str, Format]]] = {}
_SIGNS = ("$", "~", "|", "=", "+", "hook", "://")


def _sort(form: Format) -> None:
    for mark in form.marks:
        if form.by == "start":
            forms = BY_START.setdefault(mark[:2], [])
            if form not in forms:
                forms.append(form)
            if form.glued is not None and mark[-1] in "_-":
                GLUED.setdefault(mark[-4:], []).append((mark, form))
            elif form.glued is not None:
                INSIDE.append((mark, form))
        elif form.by == "dot":
            head = mark[: mark.rindex(".") + 1]
            BY_DOT.setdefault(head[-3:], []).append((head, form))
        elif form.by == "end":
            BY_END.append((mark, form))
        elif form.by == "colon":
            BY_COLON.append((mark[: mark.index(":") + 1], form))
        else:
            MARKED.setdefault(next((sign for sign in _SIGNS if sign in mark), ""), []).append((mark, form))


for _form in FORMATS:
    _sort(_form)
