"""Fits records into an answer: newest first, repeated ones folded, within a budget of bytes, with a cursor."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

from attrs import define, evolve, field, frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.answers.lines import AnswerForm
from gasoline_cdp.answers.shared_facts import SharedFacts
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.records import Source

# Room for the fields around the entries; for the two that folding may add; and for the lines around entries.
_ENVELOPE_BYTES = 700
_FOLDED_BYTES = 60
_HEADING_BYTES = 500
# Whoever asks for so few entries wants to read them whole.
_FEW_ENTRIES = 3
# How often an entry was seen, and since when, as folding adds it to its line.
_COUNT_BYTES = 25
# Lengths of texts to try until one entry fits.
_CUT_CHARS = (300, 100, 40)
URL_FILTER = "Include only entries whose URL or page URL contains this text."


@frozen(kw_only=True)
class ListingArgs:
    """The arguments that every listing tool has."""

    tab_id: int | None = wire.arg("Include only this tab (default: all tabs).", default=None, minimum=0)
    url_filter: str | None = wire.arg(URL_FILTER, default=None)
    limit: int | None = wire.arg("Maximum number of entries.", default=None, minimum=1, maximum=limits.ENTRIES_MAX)
    cursor: str | None = wire.arg("The `cursor` of an earlier answer: continue after it.", default=None)
    max_bytes: int | None = wire.arg(
        "Maximum answer size in bytes (default 8192).",
        default=None,
        minimum=limits.ANSWER_BYTES_MIN,
        maximum=limits.ANSWER_BYTES_MAX,
    )


class Listed(Protocol):
    """What a listing shows."""

    @property
    def seq(self) -> int: ...  # noqa: D102
    @property
    def ts(self) -> float: ...  # noqa: D102
    @property
    def source(self) -> Source: ...  # noqa: D102


R = TypeVar("R", bound=Listed)
E = TypeVar("E")

iso = wire.iso


@define
class Page:
    """One answer's worth of entries: as they are for lines, `wire.Encoded` for JSON."""

    entries: list[Any]
    total: int
    left_out: int
    cursor: str | None
    # The records that its entries tell of.
    seqs: list[int] = field(factory=list)
    # How the lines are written that were measured: what they share, and how long their texts are.
    shared: SharedFacts | None = None
    text_chars: int = limits.LINE_TEXT_CHARS


def start_of(cursor: str | None) -> int | None:
    """The sequence number before which a listing goes on."""
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
    """Records by the time of what they tell, the newest first, from where an earlier answer ended.

    For what is not always recorded in the order in which it happened; `Ring.newest` does for all else.
    """
    ordered = sorted(records, key=lambda record: (record.ts, record.seq), reverse=True)
    last_shown = start_of(cursor)
    if last_shown is None:
        return ordered
    place = next((place for place, record in enumerate(ordered) if record.seq == last_shown), None)
    # Where the last one shown has been dropped since, so has nearly all before it.
    return ordered[place + 1 :] if place is not None else [r for r in ordered if r.seq < last_shown]


def budget_of(filters: ListingArgs, default_limit: int = limits.ENTRIES_DEFAULT) -> int:
    """Bytes an answer may have: few by default, more for a caller who asked for more."""
    if filters.max_bytes is not None:
        return min(filters.max_bytes, limits.ANSWER_BYTES_MAX)
    if filters.limit is not None and filters.limit > default_limit:
        return limits.ANSWER_BYTES_MAX
    return limits.ANSWER_BYTES


def text_chars(filters: ListingArgs) -> int:
    """Characters of one text in a line: few in a list, more for a caller who asked for few entries or more bytes."""
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
    """Show matching records (already newest first) until the limit or the budget is reached; count the rest.

    Records with the same `key` become one entry with a `count` and the time of the first of them. The budget is
    counted in the form that the client reads: the same bytes hold three times as many lines as JSON.
    """
    if form == "lines":
        records = list(records)
        limit = filters.limit or max(default_limit, limits.ENTRIES_IN_LINES)
        room = budget_of(filters, default_limit) - _HEADING_BYTES
        fitted = _that_fit(_distinct(records, key, limit), show, room - min(reserved, room // 2), text_chars(filters))
        page = _collect(records, key, lambda record: fitted.entries.get(record.seq))
        return evolve(page, shared=fitted.shared, text_chars=fitted.text_chars)
    limit = filters.limit or default_limit
    # What else the answer holds takes at most half of it.
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
    """Entries of the records, folded by their key, until one is not taken; all after it are left out."""
    entries: list[Any] = []
    # Where the entry of a key stands, and the records that are folded into an entry, by where it stands.
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
    """The first records that get an entry of their own."""
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
    """The entries that fit, by the number of their record, and how their lines are written."""

    entries: dict[int, Any]
    shared: SharedFacts
    text_chars: int


def _that_fit(records: Sequence[R], show: Callable[[R], Any], room: int, chars: int) -> _Fitted:
    """As many entries as so many bytes of lines hold. One at least: its texts are cut until it fits."""
    entries = {record.seq: show(record) for record in records}
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
    """Halve the longest texts of an entry until it fits, so that even the smallest answer says something.

    When only short fields are left, those at the end go: entries begin with what matters most.
    """
    entry = dict(entry)
    # Of each field's value, in bytes: only what changes is encoded again.
    sizes = {name: len(wire.encode(value)) for name, value in entry.items()}
    names = {name: len(wire.encode(name)) for name in (*entry, "shortened")}
    # An object has a brace at each end, and for each field but the last a comma; each name is followed by a colon.
    while sum(sizes.values()) + sum(names[name] + 2 for name in sizes) + 1 > budget:
        name = max(sizes, key=sizes.__getitem__)
        value = entry[name]
        # No shorter than a time, which would be none any more.
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
    """What an entry takes of an answer in JSON."""
    return len(wire.encode(wire.dump(entry))) + 1


def fitting(entries: Sequence[E], budget: int, size: Callable[[E], int] = json_bytes) -> list[E]:
    """The first of these entries, as many as so many bytes can hold."""
    shown: list[E] = []
    for entry in entries:
        budget -= size(entry)
        if budget < 0:
            break
        shown.append(entry)
    return shown


def part_of(entries: Sequence[E], cursor: str | None, budget: int) -> tuple[list[E], int, str | None]:
    """A part of a list that fits: the entries, how many come after them, and the cursor with which to go on."""
    start = start_of(cursor) or 0
    # One entry is shown however small the budget: an empty part would never end.
    shown = fitting(entries[start:], budget) or list(entries[start : start + 1])
    end = start + len(shown)
    left_out = max(0, len(entries) - end)
    return shown, left_out, str(end) if left_out else None


def matches(record: Listed, filters: ListingArgs, *urls: str) -> bool:
    """Whether a record is of the tab and of the URL that were asked for."""
    if filters.tab_id and record.source.tab_id != filters.tab_id:
        return False
    if filters.url_filter:
        wanted = filters.url_filter.lower()
        return any(wanted in url.lower() for url in (*urls, record.source.url))
    return True
