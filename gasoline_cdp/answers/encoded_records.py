"""The JSON of records, kept for a while: what a test runner reads at the end of a test it often reads again."""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from itertools import groupby

from gasoline_cdp import wire
from gasoline_cdp.answers.record_entries import record_json
from gasoline_cdp.limits import MB
from gasoline_cdp.records import Record
from gasoline_cdp.store.telemetry import Telemetry

# Full buffers of messages of usual length. A test runner reads them twice.
_ENCODED_BYTES = 4 * MB
# Records are encoded in blocks of at most so many, by number: one by one takes eight times as long.
_BLOCK_BITS = 7


class EncodedRecords:
    """The JSON of the records read last, in blocks, up to a size.

    A record never changes. A block with one about which more was learned is encoded each time.
    """

    def __init__(self, telemetry: Telemetry) -> None:
        self.bytes = 0
        self._telemetry = telemetry
        # By the numbers of the newest and of the oldest record, and how many there are: in between, records can only
        # be removed.
        self._known: OrderedDict[tuple[int, int, int], bytes] = OrderedDict()

    def __len__(self) -> int:
        return len(self._known)

    def json(self, block: Sequence[Record], *, keep: bool) -> bytes:
        """The entries of a block with everything that is known about them, joined by commas.

        `keep`: they are probably read again.
        """
        known = [self._telemetry.known(record) for record in block]
        if not keep or any(now is not record for now, record in zip(known, block, strict=True)):
            return _encode(known)
        key = block[0].seq, block[-1].seq, len(block)
        encoded = self._known.get(key)
        if encoded is None:
            encoded = self._known[key] = _encode(known)
            self.bytes += len(encoded)
            while self.bytes > _ENCODED_BYTES:
                _, dropped = self._known.popitem(last=False)
                self.bytes -= len(dropped)
        return encoded

    def clear(self) -> None:
        """Forget all: the records were cleared."""
        self._known.clear()
        self.bytes = 0


def blocks_of(records: Sequence[Record]) -> Iterator[Sequence[Record]]:
    """Records in blocks that stay the same when newer ones arrive."""
    return (list(block) for _, block in groupby(records, lambda record: record.seq >> _BLOCK_BITS))


def _encode(records: Sequence[Record]) -> bytes:
    return wire.encode(list(map(record_json, records)))[1:-1]
