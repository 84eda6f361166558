"""What is learned of a record later is told with it, and goes with it."""

import pytest

from gasoline_cdp import limits
from gasoline_cdp.records import StackFrame
from gasoline_cdp.store.telemetry import Telemetry
from tests.fakes import body_record, log_record, network_record

WRITTEN = (StackFrame("f", "src/cart.ts", 1, 1),)


def test_a_record_is_told_with_all_that_was_learned_of_it() -> None:
    telemetry = Telemetry()
    record = log_record(1, "{a: {…}}")
    telemetry.add(record)
    assert telemetry.known(record) is record
    telemetry.annotate(1, {"text": "{a: {b: 1}}"})
    telemetry.annotate(1, {"frames": WRITTEN})
    known = telemetry.known(record)
    assert (known.text, known.frames, known.seq) == ("{a: {b: 1}}", WRITTEN, 1)
    assert record.text == "{a: {…}}", "the record itself stays as it was stored"


def test_an_annotation_goes_with_its_record(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LOG_ENTRIES", 2)
    telemetry = Telemetry()
    for seq in range(1, 6):
        telemetry.add(log_record(seq))
        telemetry.annotate(seq, {"text": "better"})
    assert [telemetry.known(log_record(seq)).text for seq in range(1, 6)] == ["said"] * 3 + ["better"] * 2
    telemetry.clear()
    assert telemetry.known(log_record(5)).text == "said"


def test_annotations_are_bounded_in_number_and_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ANNOTATIONS", 3)
    telemetry = Telemetry()
    for seq in range(1, 6):
        telemetry.annotate(seq, {"text": "better"})
    assert [telemetry.known(log_record(seq)).text for seq in range(1, 6)] == ["said"] * 2 + ["better"] * 3
    monkeypatch.setattr(limits, "ANNOTATION_BYTES", 3000)
    telemetry.annotate(6, {"text": "x" * 2500})
    assert [telemetry.known(log_record(seq)).text[0] for seq in range(3, 7)] == ["s", "s", "s", "x"]
    # The count of bytes comes back to where it was, or nothing would fit any more.
    for _ in range(100):
        telemetry.annotate(6, {"text": "y"})
    telemetry.annotate(7, {"text": "z"})
    assert [telemetry.known(log_record(seq)).text for seq in (6, 7)] == ["y", "z"]


def test_the_bodies_of_a_request_are_found_by_its_id_while_they_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "BODY_ENTRIES", 2)
    telemetry = Telemetry()
    for seq in range(1, 4):
        telemetry.add(body_record(seq, id=f"r{seq}", response_body=str(seq)))
    found = [telemetry.body_of(f"r{seq}") for seq in range(1, 4)]
    assert [body and body.response_body for body in found] == [None, "2", "3"]
    telemetry.clear()
    assert telemetry.body_of("r3") is None


def test_a_request_is_told_with_the_code_that_made_it() -> None:
    telemetry = Telemetry()
    record = network_record(1)
    telemetry.add(record)
    telemetry.annotate(1, {"initiator_frames": WRITTEN})
    assert telemetry.known(record).initiator_frames == WRITTEN
