"""Fits records into an answer: newest first, repeats folded, within a byte budget, with a cursor."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

from attrs import define, evolve, field, frozen

from gasoline_cdp import limits, times, wire
from gasoline_cdp.answers.arguments import max_bytes_argument
from gasoline_cdp.answers.lines import AnswerForm
from gasoline_cdp.answers.shared_facts import SharedFacts
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.records import Source

# Room for the fields around the entries, for the two fields that folding may add, and for the lines around entries.
_ENVELOPE_BYTES = 700
_FOLDED_BYTES = 60
_HEADING_BYTES = 500
# A caller who asks for so few entries wants to read them in full.
_FEW_ENTRIES = 3
# Room for the count and first time that folding adds to a line.
_COUNT_BYTES = 25
# Text lengths to try until one entry fits.
_CUT_CHARS = (300, 100, 40)
URL_FILTER = "Include only entries whose URL or page URL contains this text."


@frozen(kw_only=True)
class ListingArgs:
    """Arguments that all listing tools share."""

    tab_id: int | None = wire.arg("Include only this tab (default: all tabs).", default=None, minimum=0)
    url_filter: str | None = wire.arg(URL_FILTER, default=None)
    limit: int | None = wire.arg("Maximum number of entries.", default=None, minimum=1, maximum=limits.ENTRIES_MAX)
    cursor: str | None = wire.arg("The `cursor` of an earlier answer: continue after it.", default=None)
    max_bytes: int | None = max_bytes_argument()


class Listed(Protocol):
    """What a listing needs of a record."""

    @property
    def seq(self) -> int: ...  # noqa: D102
    @property
    def ts(self) -> float: ...  # noqa: D102
    @property
    def source(self) -> Source: ...  # noqa: D102


R = TypeVar("R", bound=Listed)
E = TypeVar("E")

iso = times.iso


@define
class Page:
    """The entries of one answer: entry objects for lines, `wire.Encoded` for JSON."""

    entries: list[Any]
    total: int
    left_out: int
    cursor: str | None
    # Numbers of the records that the entries show.
    seqs: list[int] = field(factory=list)
    # How the measured lines were written: shared facts and text length.
    shared: SharedFacts | None = None
    text_chars: int = limits.LINE_TEXT_CHARS


def start_of(cursor: str | None) -> int | None:
    """The sequence number before which a listing continues."""
    if cursor is None:
        return None
    if not cursor.isascii() or not cursor.isdigit() or len(cursor) > 15:
        raise GasolineError(
            Code.INVALID_PARAMS,
            f"cursor must come from an earlier answer, not be {cursor[:40]!r}. Leave it out to start anew.",
            problems=["cursor is not one of ours"],
        )
    return int(cursor)


def in_time(records: Iterable[R], cursor: str | None) -> list[R]:
    """Records ordered by their time, newest first, continued after the cursor.

    For kinds that are not always recorded in the order of their times. All others use `Ring.newest`.
    """
    ordered = sorted(records, key=lambda record: (record.ts, record.seq), reverse=True)
    last_shown = start_of(cursor)
    if last_shown is None:
        return ordered
    index = next((index for index, record in enumerate(ordered) if record.seq == last_shown), None)
    # If the last record shown was dropped since, nearly all before it were dropped, too.
    return ordered[index + 1 :] if index is not None else [r for r in ordered if r.seq < last_shown]


def budget_of(filters: ListingArgs, default_limit: int = limits.ENTRIES_DEFAULT) -> int:
    """Maximum answer size in bytes: small by default, larger for a caller who asked for more."""
    if filters.max_bytes is not None:
        return min(filters.max_bytes, limits.ANSWER_BYTES_MAX)
    if filters.limit is not None and filters.limit > default_limit:
        return limits.ANSWER_BYTES_MAX
    return limits.ANSWER_BYTES


def text_chars(filters: ListingArgs) -> int:
    """Maximum length of a text in a line: longer for a caller who asked for few entries or more bytes."""
    generous = filters.max_bytes is not None or (filters.limit or _FEW_ENTRIES + 1) <= _FEW_ENTRIES
    return limits.LINE_TEXT_CHARS_MAX if generous else limits.LINE_TEXT_CHARS


def fill_page(
    records: Iterable[R],
    filters: ListingArgs,
    show: Callable[[R], Any],
    *,
    form: AnswerForm = "json",
    key: Callable[[R], Hashable] | None = None,
    default_limit: int = limits.ENTRIES_DEFAULT,
    reserved: int = 0,
) -> Page:
    """Show matching records (already newest first) up to the limit or the budget, and count the rest.

    Records with the same `key` become one entry with a `count` and the time of the first. The budget counts bytes in
    the form that the client reads: the same budget holds about three times as many entries in lines as in JSON.
    """
    if form == "lines":
        records = list(records)
        limit = filters.limit or max(default_limit, limits.ENTRIES_IN_LINES)
        room = budget_of(filters, default_limit) - _HEADING_BYTES
        entries = {record.seq: show(record) for record in _distinct(records, key, limit)}
        fitted = _that_fit(entries, room - min(reserved, room // 2), text_chars(filters))
        page = _collect(records, key, lambda record: fitted.entries.get(record.seq))
        return evolve(page, shared=fitted.shared, text_chars=fitted.text_chars)
    limit = filters.limit or default_limit
    # The other fields take at most half of the answer.
    whole = budget_of(filters, default_limit)
    budget = whole - _ENVELOPE_BYTES - min(reserved, whole // 2)
    number = 0

    def encode(record: R) -> wire.Encoded | None:
        nonlocal budget, number
        entry = show(record)
        encoded = wire.Encoded(wire.dump(entry), entry=entry)
        # Room for the two fields that folding may add.
        cost = len(encoded.json) + _FOLDED_BYTES
        if not number and cost > budget:
            encoded = wire.Encoded(shrink(encoded, budget - _FOLDED_BYTES), entry=entry)
            cost = len(encoded.json) + _FOLDED_BYTES
        if number >= limit or cost > budget:
            return None
        budget -= cost
        number += 1
        return encoded

    return _collect(records, key, encode)


def _collect(records: Iterable[R], key: Callable[[R], Hashable] | None, take: Callable[[R], Any]) -> Page:
    """Entries of the records, folded by key. After the first record that is not taken, the rest are left out."""
    entries: list[Any] = []
    # Key → position of its entry; position → records folded into that entry.
    positions: dict[Hashable, int] = {}
    folded: dict[int, list[R]] = {}
    seqs: list[int] = []
    total = left_out = 0
    cursor: int | None = None
    full = False
    for record in records:
        total += 1
        if full:
            left_out += 1
            continue
        same = positions.get(key(record)) if key else None
        if same is not None:
            folded.setdefault(same, []).append(record)
            seqs.append(record.seq)
            cursor = record.seq
            continue
        entry = take(record)
        if entry is None:
            full = True
            left_out += 1
            continue
        if key:
            positions[key(record)] = len(entries)
        entries.append(entry)
        seqs.append(record.seq)
        cursor = record.seq
    for position, others in folded.items():
        entry, more = entries[position], {"count": 1 + len(others), "first_ts": iso(others[-1].ts)}
        entries[position] = entry.extended(**more) if isinstance(entry, wire.Encoded) else evolve(entry, **more)
    return Page(entries, total, left_out, str(cursor) if left_out else None, seqs)


def _distinct(records: Sequence[R], key: Callable[[R], Hashable] | None, limit: int) -> list[R]:
    """The first records with different keys."""
    seen: set[Hashable] = set()
    chosen: list[R] = []
    for record in records:
        name = key(record) if key else record.seq
        if name not in seen:
            if len(chosen) == limit:
                break
            seen.add(name)
            chosen.append(record)
    return chosen


@frozen
class _Fitted:
    """The entries that fit, by record number, and how their lines are written."""

    entries: dict[int, Any]
    shared: SharedFacts
    text_chars: int


def _that_fit(entries: dict[int, Any], room: int, chars: int) -> _Fitted:
    """As many entries as fit into `room` bytes of lines. At least one: its texts are cut until it fits."""
    shared = SharedFacts.of(entries.values())
    for most in (chars, *(step for step in _CUT_CHARS if step < chars)):
        shared = evolve(shared, address_chars=min(most, shared.address_chars))
        left = room - sum(len(str(line).encode()) + 1 for line in shared.source_lines(entries.values()))
        shown: dict[int, Any] = {}
        for number, entry in entries.items():
            left -= sum(len(str(line).encode()) + 1 for line in entry.lines(shared, most)) + _COUNT_BYTES
            if left < 0:
                break
            shown[number] = entry
        if shown or not entries:
            return _Fitted(shown, shared, most)
    return _Fitted(dict([next(iter(entries.items()))]), shared, _CUT_CHARS[-1])


def shrink(entry: dict[str, Any], budget: int) -> dict[str, Any]:
    """Halve the longest texts of an entry until it fits, so that even the smallest answer has content.

    If only short fields are left, drop the last ones: the most important fields come first.
    """
    entry = dict(entry)
    # Size of each value in bytes. Only changed values are encoded again.
    sizes = {name: len(wire.encode(value)) for name, value in entry.items()}
    names = {name: len(wire.encode(name)) for name in (*entry, "shortened")}
    # Two braces, a comma between fields, and a colon after each name.
    while sum(sizes.values()) + sum(names[name] + 2 for name in sizes) + 1 > budget:
        name = max(sizes, key=sizes.__getitem__)
        value = entry[name]
        # Do not cut timestamps, which have 24 characters.
        if isinstance(value, str) and len(value) > 24:
            entry[name] = value[: len(value) // 2] + "…"
            sizes[name] = len(wire.encode(entry[name]))
        elif isinstance(value, list | dict) and value:
            del entry[name], sizes[name]
        elif rest := [name for name in entry if name != "shortened"]:
            del entry[rest[-1]], sizes[rest[-1]]
        else:
            break
        entry["shortened"] = True
        sizes["shortened"] = len(b"true")
    return entry


def json_bytes(entry: object) -> int:
    """Size of an entry in a JSON answer."""
    return len(wire.encode(wire.dump(entry))) + 1


def fitting(entries: Sequence[E], budget: int, size: Callable[[E], int] = json_bytes) -> list[E]:
    """As many of the first entries as fit into the budget."""
    shown: list[E] = []
    for entry in entries:
        budget -= size(entry)
        if budget < 0:
            break
        shown.append(entry)
    return shown


def part_of(entries: Sequence[E], cursor: str | None, budget: int) -> tuple[list[E], int, str | None]:
    """The part of a list that fits: its entries, how many follow, and the cursor to continue."""
    start = start_of(cursor) or 0
    # Show at least one entry: a caller who follows the cursor would never reach the end otherwise.
    shown = fitting(entries[start:], budget) or list(entries[start : start + 1])
    end = start + len(shown)
    left_out = max(0, len(entries) - end)
    return shown, left_out, str(end) if left_out else None


def matches(record: Listed, filters: ListingArgs, *urls: str) -> bool:
    """Whether a record matches the requested tab and URL."""
    if filters.tab_id and record.source.tab_id != filters.tab_id:
        return False
    if filters.url_filter:
        wanted = filters.url_filter.lower()
        return any(wanted in url.lower() for url in (*urls, record.source.url))
    return True
