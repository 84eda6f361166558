"""One format of secrets: what its values begin with, their shape, and what must be true of them to be reported."""

import re
from collections.abc import Callable
from typing import Literal

from attrs import frozen

from gasoline_cdp.detect.plausible import is_placeholder

# Where a value may begin: at a boundary, after an encoded or escaped character (%22, \n, \u0026), or after the dashes
# of an HTML comment or an option.
_B = (
    r"(?:(?<![A-Za-z0-9_-])|(?<=%[0-9A-Fa-f][0-9A-Fa-f])|(?<=\\[nrtbf])|(?<=\\u[0-9A-Fa-f]{4})|(?<=\\x[0-9A-Fa-f]{2})"
    r"|(?<=--)|(?<=[^A-Za-z0-9_-][_-])|(?<=\A[_-]))"
)
# How a format is recognised: by how a run of letters, digits, _ and - begins or ends, by what stands before such a run
# (`SG.`, `oauth:`), or, where there may be no such run, by looking for its mark.
By = Literal["start", "end", "dot", "colon", "mark"]
_STARTS_A_RUN = re.compile(r"[A-Za-z0-9_-]+\Z")
# Marks that are specific enough to count inside a word (`tokenghp_…`).
_TELLING = re.compile(r".{3,}[_-]\Z")
END = r"(?:(?![A-Za-z0-9_-])|(?=--))"


class Expression:
    """A regular expression that is compiled when it is first tried: most formats never are."""

    __slots__ = ("_source", "match", "search")
    match: Callable[..., re.Match[str] | None]
    search: Callable[..., re.Match[str] | None]

    def __init__(self, source: str) -> None:
        self._source = source

    def __getattr__(self, name: str) -> Callable[..., re.Match[str] | None]:
        if name not in ("match", "search"):
            raise AttributeError(name)
        compiled = re.compile(self._source)
        self.match, self.search = compiled.match, compiled.search
        return self.match if name == "match" else self.search


@frozen(eq=False)
class Format:
    """One kind of secret. What matches `shape` is masked; what also passes `check` is reported."""

    kind: str
    title: str
    marks: tuple[str, ...]
    shape: Expression
    # The shape without a boundary before it, if the marks are specific enough.
    glued: Expression | None
    # For reports, stricter than the shape: masking may take too much, a report must be right.
    strict: Expression | None
    check: Callable[[str], bool] | None
    # The marks are so common that a value which fails the check is not even masked.
    check_required: bool
    # The issuer marks such values as made for tests.
    test_mode: Expression | None
    # Made for browsers, or only half of a pair: a warning, not critical.
    low_risk: bool
    # A checksum ends it: with one character more or less it is no token.
    exact: bool
    # How far before its mark a value may begin; 0: the mark is its beginning.
    lead: int
    by: By
    # What must stand at the mark, if the mark alone is too common.
    anchor: Expression | None

    def reportable(self, value: str) -> bool:
        """Whether this value is worth a report."""
        mark = max((mark for mark in self.marks if value.startswith(mark)), key=len, default="")
        # The issuer's own words (AGE-SECRET-KEY-, access_token$) are no sign of a placeholder.
        if is_placeholder(value, len(mark)):
            return False
        return (self.strict is None or self.strict.match(value) is not None) and (
            self.check is None or self.check(value)
        )


def make(
    kind: str,
    title: str,
    marks: str,
    shape: str,
    *,
    strict: str | None = None,
    check: Callable[[str], bool] | None = None,
    check_required: bool = False,
    test_mode: str | None = None,
    low_risk: bool = False,
    exact: bool = False,
    boundary: bool = True,
    lead: int = 0,
    anchor: str | None = None,
    by: By | None = None,
    glue: bool | None = None,
) -> Format:
    """A format. `glue`: whether it counts inside a word; by default if its marks are specific enough."""
    starts = tuple(marks.split())
    if glue is None:
        glue = lead == 0 and boundary and all(_TELLING.match(mark) for mark in starts)
    return Format(
        kind=kind,
        title=title,
        marks=starts,
        shape=Expression((_B if boundary else "") + shape),
        glued=Expression(shape) if glue else None,
        strict=Expression(rf"(?:{strict})\Z") if strict else None,
        check=check,
        check_required=check_required,
        test_mode=Expression(test_mode) if test_mode else None,
        low_risk=low_risk,
        exact=exact,
        lead=lead,
        by=by or _recognised_by(starts, lead, boundary=boundary),
        anchor=Expression(anchor) if anchor else None,
    )


def _recognised_by(marks: tuple[str, ...], lead: int, *, boundary: bool) -> By:
    if not boundary or any("/" in mark for mark in marks):
        return "mark"
    if all("." in mark for mark in marks):
        return "dot"
    if lead == 0 and all(_STARTS_A_RUN.match(mark) for mark in marks):
        return "start"
    return "mark"
