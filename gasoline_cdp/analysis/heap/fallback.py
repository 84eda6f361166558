"""Reads the arrays of a snapshot without the compiled kernel: the same results as native.py, some times slower."""

import re
import warnings
from typing import Any

import numpy as np

from gasoline_cdp.analysis.heap.columns import Bytes, Longs, StringTable, Words
from gasoline_cdp.analysis.heap.header import HeapFormatError
from gasoline_cdp.analysis.heap.tables import DTYPES, LARGEST, QUOTIENT, SKIP, SyntaxAt, Table

# What may stand in an array of numbers, up to its end.
_NUMBERS = re.compile(rb"[0-9,\-\s]*")
# A number and what comes before it. The first of an array has no comma.
_MALFORMED = re.compile(rb"[0-9]\s+[0-9-]|-(?![0-9])|[0-9]-|,\s*,")
_TOO_LONG = re.compile(rb"[0-9]{17}")
_STRING = re.compile(rb'\s*"((?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*)"')
_NEXT = re.compile(rb"\s*([,\]])")
_BLANK = re.compile(rb"\s*")


class FallbackRows:
    """Reads one array of numbers into columns, in pieces."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._rest = b""
        self._before = b""
        self._rows = 0
        self._field = 0
        self._row: list[int] = []
        self._parts: dict[int, list[Any]] = {
            index: [] for index, field in enumerate(table.fields) if field.store != SKIP
        }
        self._any = False
        self.closed = False

    def feed(self, text: bytes, start: int) -> int:
        """Read on from there; returns where it stopped."""
        matched = _NUMBERS.match(text, start)
        assert matched is not None  # noqa: S101 - it matches nothing, too
        stop = matched.end()
        closes = text[stop : stop + 1] == b"]"
        if stop < len(text) and not closes:
            raise SyntaxAt(stop)
        piece = self._rest + matched[0]
        cut = len(piece) if closes else piece.rfind(b",") + 1
        piece, self._rest = piece[:cut], piece[cut:]
        if len(self._rest) > 1000 and self._rest.strip():
            raise SyntaxAt(stop)
        self._read(piece, start, closes=closes)
        if closes:
            self.closed = True
            self._table.check_end(self._rows, len(self._row))
            return stop + 1
        return stop

    def finish(self) -> dict[str, Bytes | Words | Longs]:
        """The columns, by the names of the fields that are kept."""
        columns = {}
        for index, parts in self._parts.items():
            field = self._table.fields[index]
            columns[field.name] = np.concatenate(parts) if parts else np.empty(0, DTYPES[field.store])
        self._parts = {}
        return columns

    def _read(self, piece: bytes, start: int, *, closes: bool) -> None:
        stripped = piece.strip()
        if not stripped:
            if closes and self._any:
                raise SyntaxAt(start)  # a comma, and nothing behind it
            return
        malformed = _MALFORMED.search(stripped)
        if malformed or stripped.startswith(b",") or (closes and stripped.endswith(b",")):
            raise SyntaxAt(start)
        if _TOO_LONG.search(stripped):
            raise HeapFormatError(f'"{self._table.name}" has a number that is too large, in row {self._rows}.')
        self._any = True
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)
            try:
                numbers = np.fromstring(stripped.rstrip(b","), np.int64, sep=",")
            except (DeprecationWarning, ValueError) as error:
                raise SyntaxAt(start) from error
        self._put(np.concatenate((np.array(self._row, np.int64), numbers)))

    def _put(self, numbers: Longs) -> None:
        table = self._table
        width = len(table.fields)
        whole = len(numbers) // width
        rows = numbers[: whole * width].reshape(whole, width)
        self._row = numbers[whole * width :].tolist()
        if self._rows + whole + bool(self._row) > table.most_rows:
            raise table.too_long()
        for index, field in enumerate(table.fields):
            values = rows[:, index]
            wrong = (values < field.least) | (values > field.most) | (np.abs(values) > LARGEST)
            if field.store == QUOTIENT:
                wrong |= values % table.divisor != 0
            if wrong.any():
                at = int(wrong.argmax())
                raise table.out_of_range(self._rows + at, index, int(values[at]))
            if field.store == QUOTIENT:
                values = values // table.divisor
            if index in self._parts:
                self._parts[index].append(values.astype(DTYPES[field.store]))
        self._rows += whole


class FallbackStrings:
    """Reads the array of strings, in pieces."""

    def __init__(self, most_strings: int) -> None:
        self._most_strings = most_strings
        self._rest = b""
        self._text = bytearray()
        self._ends: list[int] = []
        self._expects_string = False
        self.closed = False

    def feed(self, text: bytes, start: int) -> int:
        """Read on from there; returns where it stopped."""
        piece = self._rest + text[start:]
        before = len(self._rest) - start
        at = 0
        while True:
            if not self._ends or self._expects_string:
                string = _STRING.match(piece, at)
                if string:
                    self._text += string[1]
                    self._ends.append(len(self._text))
                    self._expects_string = False
                    if len(self._ends) > self._most_strings or len(self._text) >= 2**32:
                        raise HeapFormatError(f'"strings" is too long: {len(self._ends)} strings.')
                    at = string.end()
                    continue
                blank = _BLANK.match(piece, at).end()  # type: ignore[union-attr]
                if piece[blank : blank + 1] == b"]" and not self._expects_string:
                    self.closed = True
                    return blank + 1 - before
                self._check_begun(piece, blank, before)
                break
            mark = _NEXT.match(piece, at)
            if not mark:
                blank = _BLANK.match(piece, at).end()  # type: ignore[union-attr]
                if blank < len(piece):
                    raise SyntaxAt(blank - before)
                break
            at = mark.end()
            if mark[1] == b"]":
                self.closed = True
                return at - before
            self._expects_string = True
        self._rest = piece[at:]
        return len(text)

    def finish(self) -> StringTable:
        """All strings."""
        return StringTable(np.frombuffer(bytes(self._text), np.uint8), np.array(self._ends, np.uint32))

    @staticmethod
    def _check_begun(piece: bytes, at: int, before: int) -> None:
        """What is there may be the beginning of a string; what follows it is not here yet."""
        if at == len(piece):
            return
        begun = re.compile(rb'"(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*(?:\\(?:u[0-9a-fA-F]{0,3})?)?').match(
            piece, at
        )
        if not begun or begun.end() != len(piece):
            raise SyntaxAt((begun.end() if begun else at) - before)
