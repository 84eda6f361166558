"""What the engines read: a table of numbers, described by its fields, and the problems that its text can have."""

from typing import Protocol

import attrs
import numpy as np

from gasoline_cdp.analysis.heap.columns import Bytes, Ints, Longs, StringTable, Words
from gasoline_cdp.analysis.heap.header import HeapFormatError

SKIP, BYTE, WORD, QUOTIENT, LONG = range(5)
"""How a field is kept: not at all, in 8 or 32 bits, divided and in 32 bits, in 64 bits. As in kernel.c."""
DTYPES = {BYTE: np.uint8, WORD: np.uint32, QUOTIENT: np.uint32, LONG: np.int64}
LARGEST = 2**53 - 1
"""The largest number that JSON can be trusted with."""


@attrs.frozen
class Field:
    """A field of a table's rows."""

    name: str
    store: int
    most: int = LARGEST
    least: int = 0


@attrs.frozen
class Table:
    """An array of the file, a row after the other."""

    name: str
    fields: tuple[Field, ...]
    most_rows: int
    exactly: bool
    """Whether there must be so many rows; else there may be fewer."""
    divisor: int = 1
    """Of the fields kept as QUOTIENT: they are numbers of fields in the file, numbers of nodes for us."""

    def too_long(self) -> HeapFormatError:
        """There are more rows than there may be."""
        return HeapFormatError(
            f'"{self.name}" has more than {self.most_rows} rows: more than the header says or can be.'
        )

    def out_of_range(self, row: int, field: int, value: int) -> HeapFormatError:
        """A number is not what it can be."""
        return HeapFormatError(f'"{self.name}" has {value} as {self.fields[field].name} of row {row}, which cannot be.')

    def check_end(self, rows: int, field: int) -> None:
        """Once the array is closed, it must be whole."""
        if field:
            raise HeapFormatError(f'"{self.name}" ends within a row, after {rows} rows.')
        if self.exactly and rows != self.most_rows:
            raise HeapFormatError(f'"{self.name}" has {rows} rows, but the header says {self.most_rows}.')


class SyntaxAt(Exception):  # noqa: N818 - caught by the reader, which knows where in the file this is
    """There is something at this position of the text that does not belong there."""

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


class RowsParser(Protocol):
    """Reads one array of numbers, in pieces."""

    closed: bool

    def feed(self, text: bytes, start: int) -> int:
        """Read on from there; returns where it stopped. Raises HeapFormatError and SyntaxAt."""

    def finish(self) -> dict[str, Bytes | Words | Longs]:
        """The columns, by the names of the fields that are kept."""


class StringsParser(Protocol):
    """Reads the array of strings, in pieces."""

    closed: bool

    def feed(self, text: bytes, start: int) -> int:
        """Read on from there; returns where it stopped. Raises HeapFormatError and SyntaxAt."""

    def finish(self) -> StringTable:
        """All strings."""


@attrs.frozen(kw_only=True)
class DistanceRules:
    """Which edges a distance goes along, and what stands for none.

    An entry of a WeakMap is two edges. `pair`: for each string, the entry that it is half of, or -1. `met`: for each
    entry, whether one half was met; the second leads on.
    """

    weak: int
    internal: int
    pair: Ints
    met: Bytes
    blocked: Bytes | None
    none: int


class ClassedNodes(Protocol):
    """What is added up of nodes, by class."""

    root: int

    @property
    def self_size(self) -> Words:
        """Bytes of a node alone."""

    @property
    def distance(self) -> Ints:
        """From the roots."""

    @property
    def dominator(self) -> Words:
        """The node without which this one would be garbage."""

    @property
    def retained_size(self) -> Longs:
        """What would be freed with a node."""


@attrs.frozen(eq=False)
class ClassSums:
    """Of each class, by its number."""

    count: Longs
    self_size: Longs
    distance: Ints
    retained_size: Longs

    @classmethod
    def empty(cls, classes: int) -> "ClassSums":
        """Nothing was added yet."""
        far = np.full(classes, np.iinfo(np.int32).max, np.int32)
        return cls(np.zeros(classes, np.int64), np.zeros(classes, np.int64), far, np.zeros(classes, np.int64))
