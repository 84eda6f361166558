"""The edges of WeakMap entries. V8 writes two for each value: one from the table, one from the key.

It names both alike: "9 / part of key (User @1) -> value (Object @3) pair in WeakMap (table @5)". The value lives as
long as key and table do, which no single edge can say. So dominators count the key's edge only, and a distance goes on
from the second of the two that is met.
"""

import re

import numpy as np

from gasoline_cdp.analysis.heap.columns import Ints, StringTable, Words

_MARK = re.compile(rb" pair in WeakMap \(table @")
# As DevTools does, over the text as it stands in the file: there, line breaks are escaped.
_ENTRY = re.compile(
    rb"[0-9]+( / part of key \(.*? @[0-9]+\) -> value \(.*? @[0-9]+\) pair in WeakMap \(table @([0-9]+)\))", re.DOTALL
)
_LINE_BREAK = re.compile(rb"(?<!\\)(?:\\\\)*\\(?:[nr]|u202[89])|\xe2\x80[\xa8\xa9]")


def find_entries(strings: StringTable) -> tuple[Ints, Words, int]:
    """For each string, the number of the entry that it is half of, or -1; the id of its table, or 0; all entries."""
    pair = np.full(len(strings), -1, np.int32)
    table = np.zeros(len(strings), np.uint32)
    numbers: dict[bytes, int] = {}
    positions = [found.start() for found in _MARK.finditer(memoryview(strings.text))]
    for index in dict.fromkeys(np.searchsorted(strings.ends, positions, side="right").tolist()):
        raw = strings.raw(index)
        entry = _ENTRY.fullmatch(raw)
        if entry and not _LINE_BREAK.search(raw):
            pair[index] = numbers.setdefault(entry[1], len(numbers))
            table_id = int(entry[2])
            table[index] = table_id if table_id < 2**32 else 0
    return pair, table, len(numbers)
