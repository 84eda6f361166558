"""Finds every secret in a text: by its format, by its name, by its context.

Masking and the audit both use `find`. Masking covers all matches; the audit reports those that are `reportable`:
plausible, and no placeholder from documentation. Each part is linear in the length of the text.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator

from gasoline_cdp.detect.by_context import ByContext
from gasoline_cdp.detect.by_format import ByFormat
from gasoline_cdp.detect.by_name import ByName
from gasoline_cdp.detect.encodings import AlreadyJudged, is_encoded, stretches
from gasoline_cdp.detect.known import Known
from gasoline_cdp.detect.plausible import forget, looks_chosen, looks_random
from gasoline_cdp.detect.secret_match import REDACTED, ReportedSpans, SecretMatch
from gasoline_cdp.detect.source_code import Code
from gasoline_cdp.detect.work import Work, extra_steps

__all__ = ["REDACTED", "SecretMatch", "find"]

# Shorter values are too common to be searched for elsewhere in the text; at most so many values are.
_ECHOED = 8
_ECHOES = 64
_SCHEME = re.compile(r"\A[A-Za-z][\w-]{0,30}\s{1,3}(?=\S{8})")

# With fewer steps no value of a decoded part could be judged.
_LEAST = 5
_KINDS_BY_NAME = {"password", "api_key", "secret", "token"}


def find(text: str, known: Known | None = None, work: Work | None = None) -> list[SecretMatch]:
    """All secrets of a text, in order, none overlapping another.

    Values in `known` need no name and no format. If a text takes too many steps, matches of the kind `unsearched` cover
    the rest of it, between the secrets that were found there.
    """
    code, work = Code(text), work or Work.for_text(text, extra_steps(len(text)))
    found, searched = _search(text, code, known, work)
    if is_encoded(text):
        decoded, searched = _search_decoded(text, searched, ReportedSpans(found), code, known, work)
        found += decoded
    if not found and searched == len(text):
        forget()
        return found
    merged = _merge_overlaps(found)
    if echoes := list(_echoes(text, found, merged, searched)):
        merged = _merge_overlaps([*merged, *echoes])
    forget()
    return merged if searched == len(text) else [*_with_unsearched(merged, searched, len(text))]


def _search_decoded(
    text: str, until: int, reported: ReportedSpans, code: Code, known: Known | None, work: Work
) -> tuple[list[SecretMatch], int]:
    """The matches in the decoded parts of a text, and how far it was searched, at most `until`."""
    found: list[SecretMatch] = []
    for number, stretch in enumerate(stretches(text, until)):
        may_go_on = work.spend(len(stretch) >> 2)
        if may_go_on and reported and stretch.is_within(reported):
            continue
        # Each decoded part is one more text to search, which has a cost of its own.
        may_go_on = may_go_on and work.spend(4 + (0 if number else min(26, len(text) // 12)))
        if not may_go_on or work.left < _LEAST:
            return found, stretch.start
        decoded = stretch.decoded()
        more, searched = _search(decoded, code, known, work, AlreadyJudged(stretch, reported))
        found += [one.at(stretch.original(one.start), stretch.original(one.end)) for one in more]
        if searched < len(decoded):
            return found, min(until, stretch.original(searched))
    return found, until


def _with_unsearched(merged: list[SecretMatch], searched: int, end: int) -> Iterator[SecretMatch]:
    """The matches, and from `searched` on what lies between them. A match stays one, however it was found."""
    for one in merged:
        if searched < one.start:
            yield SecretMatch(kind="unsearched", start=searched, end=one.start)
        yield one
        searched = max(searched, one.end)
    if searched < end:
        yield SecretMatch(kind="unsearched", start=searched, end=end)


def _search(
    text: str, code: Code, known: Known | None, work: Work, already_judged: AlreadyJudged | None = None
) -> tuple[list[SecretMatch], int]:
    """The matches in a text without decoding it, and how far it was searched."""
    lowered = _lowered(text)
    # Names hold a quarter of the steps in reserve for formats; in most texts they need few.
    names = ByName(text, lowered, work, code, already_judged, reserve=work.left // 4)
    by_name = list(names)
    formats = ByFormat(text, work, code, known, by_name, already_judged)
    by_format = list(formats)
    if names.searched < len(text) and work.left > 0:
        by_name += names.go_on()
    context = ByContext(text, lowered, work, code, by_format)
    return [*by_name, *by_format, *context], min(formats.searched, names.searched, context.searched)


def _lowered(text: str) -> str:
    """In lower case, with the same length: a few letters, such as İ, become two characters otherwise."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def _echoes(text: str, found: list[SecretMatch], merged: list[SecretMatch], until: int) -> Iterator[SecretMatch]:
    """The same values elsewhere in the text, where nothing gives them away; `merged` is what will be masked anyway."""
    values: dict[str, SecretMatch] = {}
    for one in found:
        value = text[one.start : one.end]
        if not value.isalnum():
            value = _SCHEME.sub("", value, count=1)
        # A longer value does not fit into the text twice.
        if _ECHOED <= len(value) <= until // 2:
            values.setdefault(value, one)
    if len(values) > _ECHOES:
        values = {value: one for value, one in values.items() if _is_echoed(value)}
    starts = [one.start for one in merged]
    for value, one in sorted(values.items(), key=lambda item: -len(item[0]))[:_ECHOES]:
        position = text.find(value, 0, until)
        while position >= 0:
            end = position + len(value)
            around = merged[max(0, bisect_right(starts, position) - 1)]
            masked = around.start <= position and end <= around.end and (one.partial or not around.partial)
            # Judged only if it stands here again, which is rare.
            if not masked and _is_echoed(value):
                yield SecretMatch(kind=one.kind, start=position, end=end, name=one.name, partial=one.partial)
            position = text.find(value, end, until)


def _is_echoed(value: str) -> bool:
    return looks_random(value, _ECHOED) or looks_chosen(value)


def _merge_overlaps(found: list[SecretMatch]) -> list[SecretMatch]:
    """One for each stretch of text: the widest extent, the name, and the most specific kind of what overlaps."""
    merged: list[SecretMatch] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        last = merged[-1] if merged else None
        if last is None or one.start >= last.end:
            merged.append(one)
            continue
        specific = one if _specificity(one) > _specificity(last) else last
        merged[-1] = SecretMatch(
            kind=specific.kind,
            start=last.start,
            end=max(last.end, one.end),
            name=last.name or one.name,
            reportable=last.reportable or one.reportable,
            test_mode=specific.test_mode,
            low_risk=specific.low_risk,
            checksum_failed=specific.checksum_failed,
            in_query=last.in_query or one.in_query,
            partial=last.partial and one.partial,
        )
    return merged


def _specificity(found: SecretMatch) -> tuple[bool, int]:
    """A format is more specific than a scheme, and a scheme more than a name."""
    return found.reportable, 0 if found.kind in _KINDS_BY_NAME else 1 if found.kind == "bearer_token" else 2
