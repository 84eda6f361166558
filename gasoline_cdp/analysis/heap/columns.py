"""A heap snapshot as compact columns: what a reader makes, and a graph is made from."""

import json
import re
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


class StringTable:
    """The strings of a snapshot: their bytes as they stand in the file, decoded when somebody reads one."""

    def __init__(self, text: Bytes, ends: Words) -> None:
        self.text = text
        self.ends = ends

    def __len__(self) -> int:
        return len(self.ends)

    def raw(self, index: int) -> bytes:
        """As it stands in the file, without quotes."""
        begin = int(self.ends[index - 1]) if index else 0
        return self.text[begin : int(self.ends[index])].tobytes()

    def __getitem__(self, index: int) -> str:
        raw = self.raw(index)
        if b"\\" not in raw:
            return raw.decode("utf-8", "replace")
        text: str = json.loads(b'"%b"' % raw, strict=False)
        # Half of a pair can stand alone in JavaScript's strings, but in no text that is to be written down.
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def find(self, text: bytes) -> int | None:
        """The index of a string; text: as it stands in a file."""
        for found in re.finditer(re.escape(text), memoryview(self.text)):
            at = found.start()
            index = int(np.searchsorted(self.ends, at, side="right"))
            # Empty strings end where the next one begins.
            begin = int(self.ends[index - 1]) if index else 0
            if begin == at and int(self.ends[index]) == at + len(text):
                return index
        return None

    def find_beginning(self, text: bytes) -> list[int]:
        """The indices of the strings that begin with a text."""
        positions = [found.start() for found in re.finditer(re.escape(text), memoryview(self.text))]
        indices = np.searchsorted(self.ends, positions, side="right")
        begins = np.where(indices > 0, self.ends[indices - 1], 0)
        found: list[int] = indices[begins == positions].tolist()
        return found


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
