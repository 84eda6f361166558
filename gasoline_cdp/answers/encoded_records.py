"""The JSON of records, kept for a while: what a test runner reads at the end of a test it often reads again."""

from collections import OrderedDict

from gasoline_cdp import wire
from gasoline_cdp.answers.record_entries import show_record
from gasoline_cdp.limits import MB
from gasoline_cdp.records import Record
from gasoline_cdp.store.telemetry import Telemetry

# Full buffers of messages of usual length. A test runner reads them twice.
_ENCODED_BYTES = 4 * MB


class EncodedRecords:
    """The JSON of the records read last, by their number, up to a size.

    A record never changes. One about which more was learned is encoded each time.
    """

    def __init__(self, telemetry: Telemetry) -> None:
        self.bytes = 0
        self._telemetry = telemetry
        self._known: OrderedDict[int, bytes] = OrderedDict()

    def __len__(self) -> int:
        return len(self._known)

    def json_once(self, record: Record) -> bytes:
        """The entry of a record that is hardly read again, with everything that is known about it."""
        return _encode(self._telemetry.known(record))

    def json(self, record: Record) -> bytes:
        """The entry of a record, with everything that is known about it."""
        known = self._telemetry.known(record)
        if known is not record:
            return _encode(known)
        encoded = self._known.get(record.seq)
        if encoded is None:
            encoded = self._known[record.seq] = _encode(record)
            self.bytes += len(encoded)
            while self.bytes > _ENCODED_BYTES:
                _, dropped = self._known.popitem(last=False)
                self.bytes -= len(dropped)
        return encoded

    def clear(self) -> None:
        """Forget all: the records were cleared."""
        self._known.clear()
        self.bytes = 0


def _encode(record: Record) -> bytes:
    return wire.encode(wire.dump(show_record(record)))
