"""The JSON of records is kept, up to a size, and never older than what is known."""

import json

import pytest

from gasoline_cdp.answers import encoded_records
from gasoline_cdp.answers.encoded_records import EncodedRecords, blocks_of
from gasoline_cdp.store.telemetry import Telemetry
from tests.fakes import log_record


def test_a_block_is_encoded_once_and_anew_when_more_is_known_of_a_record() -> None:
    telemetry = Telemetry()
    block, encoded = [log_record(2, "second"), log_record(1, "first")], EncodedRecords(telemetry)
    for record in block:
        telemetry.add(record)
    assert _messages(encoded.json(block, keep=True)) == ["second", "first"]
    assert encoded.json(block, keep=True) is encoded.json(block, keep=True)
    # One of them was removed.
    assert _messages(encoded.json(block[:1], keep=True)) == ["second"]
    telemetry.annotate(1, {"text": "better"})
    assert _messages(encoded.json(block, keep=True)) == ["second", "better"]


def test_what_is_read_once_is_not_kept() -> None:
    encoded = EncodedRecords(Telemetry())
    assert _messages(encoded.json([log_record(1, "once")], keep=False)) == ["once"]
    assert (encoded.bytes, len(encoded)) == (0, 0)


def test_blocks_stay_the_same_when_newer_records_arrive() -> None:
    records = [log_record(seq, "x") for seq in range(300, 0, -1)]
    before, after = list(blocks_of(records[1:])), list(blocks_of(records))
    assert [record for block in after for record in block] == records
    assert before[1:] == after[1:]
    assert len(after) == 3


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoded_records, "_ENCODED_BYTES", 1000)
    encoded = EncodedRecords(Telemetry())
    for seq in range(100):
        encoded.json([log_record(seq, "x" * 100)], keep=True)
    assert 0 < encoded.bytes <= 1000
    assert 0 < len(encoded) < 10
    encoded.clear()
    assert (encoded.bytes, len(encoded)) == (0, 0)


def _messages(block: bytes) -> list[str]:
    return [entry["message"] for entry in json.loads(b"[%b]" % block)]
