"""What is learned about records after they were stored: deeper text, source locations, an element's role."""

from sys import getsizeof
from typing import Any, TypeVar

from attrs import evolve

from gasoline_cdp import limits
from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.records import Record

R = TypeVar("R", bound=Record)

# What an annotation takes besides its text. It shares frames with the source maps, and selectors with the record.
_OVERHEAD = 400


class Annotations:
    """Updated fields of records, by sequence number.

    A record itself never changes. Its annotation goes when the record goes, or when there are too many.
    """

    def __init__(self) -> None:
        self.bytes = 0
        # Each with its weight.
        self._fields: BoundedDict[int, tuple[dict[str, Any], int]] = BoundedDict(limits.ANNOTATIONS, self._evicted)

    def __len__(self) -> int:
        return len(self._fields)

    def add(self, seq: int, fields: dict[str, Any]) -> None:
        """These fields of the record with this number have better values. They are not copied."""
        known = self._fields.get(seq)
        if known is not None:
            self.bytes -= known[1]
            fields = {**known[0], **fields}
        weight = _OVERHEAD + getsizeof(fields.get("text"))
        self.bytes += weight
        self._fields[seq] = fields, weight
        while self.bytes > limits.ANNOTATION_BYTES and len(self._fields) > 1:
            self._fields.evict_oldest()

    def known(self, record: R) -> R:
        """A record with its updated fields. The same object if there are none."""
        annotation = self._fields.get(record.seq)
        return record if annotation is None else evolve(record, **annotation[0])

    def forget(self, record: Record) -> None:
        """A record was removed."""
        if self.bytes and (annotation := self._fields.pop(record.seq, None)) is not None:
            self.bytes -= annotation[1]

    def clear(self) -> None:
        """Forget all annotations."""
        self._fields.clear()
        self.bytes = 0

    def _evicted(self, _: int, annotation: tuple[dict[str, Any], int]) -> None:
        self.bytes -= annotation[1]
