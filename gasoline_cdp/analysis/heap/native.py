"""The compiled kernel, called through ctypes. fallback.py has the same functions where there is none."""

import ctypes
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from gasoline_cdp.analysis.heap.columns import Bytes, Longs, StringTable, Words
from gasoline_cdp.analysis.heap.header import HeapFormatError
from gasoline_cdp.analysis.heap.tables import DTYPES, SKIP, SyntaxAt, Table

_HERE = Path(__file__).parent
# No name that Python would take for a module of its own.
KERNEL_NAME = "_kernel.native"
SOURCE = _HERE / "kernel.c"
_FIELDS = 16
_FULL, _SYNTAX, _RANGE, _TOO_LONG = range(1, 5)
_CLOSED = 5
_ENDED = 6
_FIRST_ROWS = 4096
_FIRST_TEXT = 1 << 20
_Long = ctypes.c_int64


class _Rows(ctypes.Structure):
    _fields_ = (
        *((name, _Long) for name in ("rows", "capacity", "fields", "field", "expects", "problem", "value")),
        ("negative", _Long),
        ("divisor", _Long),
        ("reciprocal", _Long),
        ("store", _Long * _FIELDS),
        ("least", _Long * _FIELDS),
        ("most", _Long * _FIELDS),
        ("column", ctypes.c_void_p * _FIELDS),
    )


class _Strings(ctypes.Structure):
    _fields_ = (
        *((name, _Long) for name in ("state", "problem", "hex", "bytes", "byte_capacity")),
        ("strings", _Long),
        ("string_capacity", _Long),
        ("text", ctypes.c_void_p),
        ("ends", ctypes.c_void_p),
    )


def source_hash() -> str:
    """What a kernel says that was compiled from the source beside this module."""
    source = SOURCE.read_bytes()
    return f"{zlib.crc32(source):08x}-{len(source)}"


def load_kernel() -> ctypes.CDLL | None:
    """The compiled kernel; None if there is none, or one that was made from another source."""
    try:
        library = ctypes.CDLL(str(_HERE / KERNEL_NAME))
        library.source_hash.restype = ctypes.c_char_p
        made_from = library.source_hash()
    except (OSError, AttributeError):
        return None
    if made_from != source_hash().encode():
        return None
    for name in ("parse_rows", "parse_strings", "check_edges", "find_weak_entries", "number_codes"):
        getattr(library, name).restype = _Long
    return library


class NativeRows:
    """Reads one array of numbers into columns, in pieces."""

    def __init__(self, kernel: ctypes.CDLL, table: Table) -> None:
        self._kernel = kernel
        self._table = table
        self._columns: dict[int, Any] = {}
        self.closed = False
        self._state = state = _Rows()
        state.fields = len(table.fields)
        state.divisor = table.divisor
        state.reciprocal = -(-(1 << 34) // table.divisor)
        for index, field in enumerate(table.fields):
            state.store[index] = field.store
            state.least[index] = field.least
            state.most[index] = field.most
        self._make_room(table.most_rows if table.exactly else min(table.most_rows, _FIRST_ROWS))

    def feed(self, text: bytes, start: int) -> int:
        """Read on from there; returns where it stopped."""
        state, table = self._state, self._table
        while True:
            start = self._kernel.parse_rows(ctypes.c_char_p(text), _Long(start), _Long(len(text)), ctypes.byref(state))
            if state.problem == _FULL:
                if state.capacity >= table.most_rows:
                    raise table.too_long()
                self._make_room(min(2 * state.capacity, table.most_rows))
                if self._kernel.resume_rows(ctypes.byref(state)):
                    continue
            if state.problem == _RANGE:
                raise table.out_of_range(state.rows, state.field, state.value)
            if state.problem == _TOO_LONG:
                raise HeapFormatError(f'"{table.name}" has a number that is too large, in row {state.rows}.')
            if state.problem == _SYNTAX:
                raise SyntaxAt(start)
            self.closed = state.expects == _CLOSED
            if self.closed:
                table.check_end(state.rows, state.field)
            return start

    def finish(self) -> dict[str, Bytes | Words | Longs]:
        """The columns, by the names of the fields that are kept."""
        rows = self._state.rows
        columns, self._columns = self._columns, {}
        return {self._table.fields[index].name: column[:rows] for index, column in columns.items()}

    def _make_room(self, capacity: int) -> None:
        for index, field in enumerate(self._table.fields):
            if field.store == SKIP:
                continue
            larger = np.empty(capacity, DTYPES[field.store])
            if index in self._columns:
                larger[: self._state.capacity] = self._columns[index]
            self._columns[index] = larger
            self._state.column[index] = larger.ctypes.data
        self._state.capacity = capacity


class NativeStrings:
    """Reads the array of strings, in pieces."""

    def __init__(self, kernel: ctypes.CDLL, most_strings: int) -> None:
        self._kernel = kernel
        self._most_strings = most_strings
        self._text = np.empty(_FIRST_TEXT, np.uint8)
        self._ends = np.empty(_FIRST_ROWS, np.uint32)
        self.closed = False
        self._state = _Strings()
        self._point()

    def feed(self, text: bytes, start: int) -> int:
        """Read on from there; returns where it stopped."""
        state = self._state
        while True:
            at = (ctypes.c_char_p(text), _Long(start), _Long(len(text)), ctypes.byref(state))
            start = self._kernel.parse_strings(*at)
            if state.problem == _SYNTAX:
                raise SyntaxAt(start)
            if state.problem != _FULL:
                self.closed = state.state == _ENDED
                return start
            self._grow(len(text) - start)

    def finish(self) -> StringTable:
        """All strings."""
        # What was reserved can be twice as much.
        self._text.resize(self._state.bytes, refcheck=False)
        self._ends.resize(self._state.strings, refcheck=False)
        return StringTable(self._text, self._ends)

    def _grow(self, more: int) -> None:
        state = self._state
        if state.strings >= self._most_strings or state.bytes + more >= 2**32:
            raise HeapFormatError(f'"strings" is too long: {state.strings} strings of {state.bytes} bytes.')
        if state.strings >= state.string_capacity:
            ends = np.empty(min(2 * state.string_capacity, self._most_strings), np.uint32)
            ends[: state.strings] = self._ends[: state.strings]
            self._ends = ends
        else:
            text = np.empty(min(max(state.byte_capacity * 3 // 2, state.bytes + more + 1), 2**32), np.uint8)
            text[: state.bytes] = self._text[: state.bytes]
            self._text = text
        self._point()

    def _point(self) -> None:
        state = self._state
        state.problem = 0
        state.byte_capacity = len(self._text)
        state.string_capacity = len(self._ends)
        state.text = self._text.ctypes.data
        state.ends = self._ends.ctypes.data
