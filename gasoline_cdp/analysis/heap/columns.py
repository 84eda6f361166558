"""A heap snapshot as compact columns: what a reader makes, and a graph is made from."""

import json
from functools import cached_property
from typing import TYPE_CHECKING

import attrs
import numpy as np
import numpy.typing as npt

from gasoline_cdp.analysis.heap.header import Header

if TYPE_CHECKING:
    from gasoline_cdp.analysis.heap.engines import Engine

Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint32]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Codes = npt.NDArray[np.uint64]


class StringTable:
    """The strings of a snapshot: their bytes as they stand in the file, decoded when somebody reads one."""

    def __init__(self, text: Bytes, ends: Words) -> None:
        self.text = text
        self.ends = ends
        self._indices: dict[bytes, int | None] = {}

    def __len__(self) -> int:
        return len(self.ends)

    def raw(self, index: int) -> bytes:
        """As it stands in the file, without quotes."""
        begin = int(self.ends[index - 1]) if index else 0
        return self.text[begin : int(self.ends[index])].tobytes()

    def __getitem__(self, index: int) -> str:
        return decode(self.raw(index))

    def find(self, text: bytes) -> int | None:
        """The index of a string; text: as it stands in a file."""
        if text not in self._indices:
            matches = self._beginning(text, np.flatnonzero(self._lengths == len(text)))
            self._indices[text] = int(matches[0]) if len(matches) else None
        return self._indices[text]

    def find_beginning(self, text: bytes) -> list[int]:
        """The indices of the strings that begin with a text."""
        indices: list[int] = self._beginning(text, np.flatnonzero(self._lengths >= len(text))).tolist()
        return indices

    @cached_property
    def _lengths(self) -> Words:
        return np.diff(self.ends, prepend=np.uint32(0))

    def _beginning(self, text: bytes, candidates: Longs) -> Longs:
        begins = self.ends[candidates].astype(np.int64) - self._lengths[candidates]
        for offset, byte in enumerate(text):
            same = self.text[begins + offset] == byte
            candidates, begins = candidates[same], begins[same]
        return candidates


def decode(raw: bytes) -> str:
    """A string as it stands in the file, read."""
    text = raw.decode("utf-8", "replace")
    if "\\" in text:
        text = json.loads(f'"{text}"', strict=False)
    if text.isascii():
        return text
    # Half of a pair can stand alone in JavaScript's strings, but in no text that is to be written down.
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


@attrs.frozen(eq=False)
class Locations:
    """Where objects were constructed, by node."""

    node: Words
    script_id: Ints
    line: Ints
    column: Ints
    script_index: Words | None
    """Which field of the nodes the script begins at, in snapshots that say so."""


@attrs.frozen(eq=False)
class Columns:
    """The nodes in the order of the file, their edges one node after the other, the strings, and the other tables."""

    header: Header
    node_type: Bytes
    node_name: Words
    node_id: Words
    self_size: Words
    detachedness: Bytes | None
    """None in snapshots that do not say it."""
    first_edge: Words
    """Where the edges of each node begin; one more, where they end."""
    edge_type: Bytes
    edge_name: Words
    """An index into the strings, or the number of an element, by type."""
    edge_to: Words
    strings: StringTable
    locations: Locations
    scopes: dict[str, Longs]
    scope_variables: dict[str, Longs]
    scope_uses: dict[str, Longs]
    engine: "Engine"
    """What this was read with, and is to be analysed with."""
