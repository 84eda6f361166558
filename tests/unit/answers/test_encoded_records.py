"""The JSON of records is kept, up to a size, and never older than what is known."""

import json

import pytest

from gasoline_cdp.answers import encoded_records
from gasoline_cdp.answers.encoded_records import EncodedRecords
from gasoline_cdp.store.telemetry import Telemetry
from tests.fakes import log_record


def test_a_record_is_encoded_once_and_anew_when_more_is_known_of_it() -> None:
    telemetry = Telemetry()
    record, encoded = log_record(1, "first"), EncodedRecords(telemetry)
    telemetry.add(record)
    assert json.loads(encoded.json(record))["message"] == "first"
    assert encoded.json(record) is encoded.json(record)
    telemetry.annotate(1, {"text": "better"})
    assert json.loads(encoded.json(record))["message"] == "better"


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoded_records, "_ENCODED_BYTES", 1000)
    encoded = EncodedRecords(Telemetry())
    for seq in range(100):
        encoded.json(log_record(seq, "x" * 100))
    assert 0 < encoded.bytes <= 1000
    assert 0 < len(encoded) < 10
    encoded.clear()
    assert (encoded.bytes, len(encoded)) == (0, 0)
