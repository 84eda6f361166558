"""Finds every secret in a text: by its format, by the name before it, by its place in a URL.

What masks a text and what the audit reports both come from `find`. Masking takes all of it; a report only what is
`reportable`: plausible in itself, and no word of documentation. Each step is linear in the length of the text.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator

from gasoline_cdp.detect.by_format import ByFormat
from gasoline_cdp.detect.by_name import ByName
from gasoline_cdp.detect.by_place import ByPlace
from gasoline_cdp.detect.encodings import AlreadyJudged, stretches
from gasoline_cdp.detect.found import REDACTED, Found, ReportedSpans
from gasoline_cdp.detect.known import Known
from gasoline_cdp.detect.plausible import forget, looks_chosen, looks_random
from gasoline_cdp.detect.source_code import Code
from gasoline_cdp.detect.work import Work, extra_steps

__all__ = ["REDACTED", "Found", "find"]

# Shorter values are too common to be looked for elsewhere; and so many different ones of a text are.
_ECHOED = 8
_ECHOES = 64
_SCHEME = re.compile(r"\A[A-Za-z][\w-]{0,30}\s{1,3}(?=\S{8})")

_OF_NAMES = {"password", "api_key", "secret", "token"}


def find(text: str, known: Known | None = None, work: Work | None = None) -> list[Found]:
    """All secrets of a text, in order, none overlapping another.

    What is in `known` is found without any other sign. A text that takes too long ends in one finding of the kind
    `unsearched`, which covers whatever was not looked through.
    """
    code, work = Code(text), work or Work.for_text(text, extra_steps(len(text)))
    found, searched = _search(text, code, known, work)
    reported = ReportedSpans(found)
    for number, stretch in enumerate(stretches(text, searched)):
        may_go_on = work.spend(len(stretch) >> 2)
        if may_go_on and reported and stretch.is_within(reported):
            continue
        # Another text to go over, though most of it was seen: of a short one that takes more than what it holds.
        if not may_go_on or not work.spend(4 + (0 if number else min(16, len(text) >> 5))):
            searched = stretch.start
            break
        decoded = stretch.decoded()
        more, until = _search(decoded, code, known, work, AlreadyJudged(stretch, reported))
        found += [one.at(stretch.original(one.start), stretch.original(one.end)) for one in more]
        if until < len(decoded):
            searched = min(searched, stretch.original(until))
            break
    if not found and searched == len(text):
        forget()
        return found
    apart = _apart(found)
    if echoes := list(_echoes(text, found, apart, searched)):
        apart = _apart([*apart, *echoes])
    forget()
    if searched < len(text):
        apart = [one for one in apart if one.start < searched]
        begin = max(searched, apart[-1].end if apart else 0)
        if begin < len(text):
            apart.append(Found(kind="unsearched", start=begin, end=len(text)))
    return apart


def _search(
    text: str, code: Code, known: Known | None, work: Work, already_judged: AlreadyJudged | None = None
) -> tuple[list[Found], int]:
    """What gives itself away in the text as it stands, and how far the text was looked through."""
    lowered = _lowered(text)
    # Names leave a quarter of the steps for formats, and in most texts nearly all.
    names = ByName(text, lowered, work, code, already_judged, reserve=work.left // 4)
    found = list(names)
    formats = ByFormat(text, work, code, known, found, already_judged)
    found += formats
    if names.searched < len(text) and work.left > 0:
        found += names.go_on()
    places = ByPlace(text, lowered, work, code)
    found += places
    return found, min(formats.searched, names.searched, places.searched)


def _lowered(text: str) -> str:
    """In small letters, each where it stood: of a few letters, such as İ, the small ones are two characters."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def _echoes(text: str, found: list[Found], apart: list[Found], until: int) -> Iterator[Found]:
    """The same values elsewhere in the text, where nothing gives them away; `apart` is what will be masked anyway."""
    values: dict[str, Found] = {}
    for one in found:
        value = text[one.start : one.end]
        if not value.isalnum():
            value = _SCHEME.sub("", value, count=1)
        # Of a longer one there is no room for a second.
        if _ECHOED <= len(value) <= until // 2:
            values.setdefault(value, one)
    if len(values) > _ECHOES:
        values = {value: one for value, one in values.items() if _is_echoed(value)}
    starts = [one.start for one in apart]
    for value, one in sorted(values.items(), key=lambda item: -len(item[0]))[:_ECHOES]:
        place = text.find(value, 0, until)
        while place >= 0:
            end = place + len(value)
            around = apart[max(0, bisect_right(starts, place) - 1)]
            masked = around.start <= place and end <= around.end and (one.partial or not around.partial)
            # Judged where it stands again, which is rare.
            if not masked and _is_echoed(value):
                yield Found(kind=one.kind, start=place, end=end, name=one.name, partial=one.partial)
            place = text.find(value, end, until)


def _is_echoed(value: str) -> bool:
    return looks_random(value, _ECHOED) or looks_chosen(value)


def _apart(found: list[Found]) -> list[Found]:
    """One for each stretch of text: the widest extent, the name, and the most telling kind of what overlaps."""
    apart: list[Found] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        last = apart[-1] if apart else None
        if last is None or one.start >= last.end:
            apart.append(one)
            continue
        telling = one if _telling(one) > _telling(last) else last
        apart[-1] = Found(
            kind=telling.kind,
            start=last.start,
            end=max(last.end, one.end),
            name=last.name or one.name,
            reportable=last.reportable or one.reportable,
            test_mode=telling.test_mode,
            low_risk=telling.low_risk,
            checksum_failed=telling.checksum_failed,
            in_query=last.in_query or one.in_query,
            partial=last.partial and one.partial,
        )
    return apart


def _telling(found: Found) -> tuple[bool, int]:
    """A format tells more than the word before it, and that more than a name."""
    return found.reportable, 0 if found.kind in _OF_NAMES else 1 if found.kind == "bearer_token" else 2
