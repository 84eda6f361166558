"""What is learned of records after they were stored: deeper text, source places, an element's role."""

from sys import getsizeof
from typing import Any, TypeVar

from attrs import evolve

from gasoline_cdp import limits
from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.records import Record

R = TypeVar("R", bound=Record)

# What an annotation takes beside a text. Frames are shared with those that read source maps, and selectors with the
# record.
_OVERHEAD = 400


class Annotations:
    """Fields of records as they are known by now, by the record's number.

    A record itself never changes. Its annotation goes when it goes, or when there are too many.
    """

    def __init__(self) -> None:
        self.bytes = 0
        # Each with its weight.
        self._fields: BoundedDict[int, tuple[dict[str, Any], int]] = BoundedDict(limits.ANNOTATIONS, self._evicted)

    def __len__(self) -> int:
        return len(self._fields)

    def add(self, seq: int, fields: dict[str, Any]) -> None:
        """Something was learned of the record with this number: these fields have better values. Not copied."""
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
        """A record as it is known by now; the same object if nothing was learned since."""
        annotation = self._fields.get(record.seq)
        return record if annotation is None else evolve(record, **annotation[0])

    def forget(self, record: Record) -> None:
        """A record is gone."""
        if self.bytes and (annotation := self._fields.pop(record.seq, None)) is not None:
            self.bytes -= annotation[1]

    def clear(self) -> None:
        """Forget all."""
        self._fields.clear()
        self.bytes = 0

    def _evicted(self, _: int, annotation: tuple[dict[str, Any], int]) -> None:
        self.bytes -= annotation[1]
