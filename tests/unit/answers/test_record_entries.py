"""The registry of record kinds is complete: each kind is kept, named and shown."""

import json
from collections.abc import Hashable
from typing import get_args

import attrs
import pytest

from gasoline_cdp import wire
from gasoline_cdp.answers.record_entries import SHOW, named_entry, record_json, show_record
from gasoline_cdp.measures import FrameValues, LongTasks
from gasoline_cdp.records import (
    ActionRecord,
    DomSnapshotRecord,
    Record,
    SocketRecord,
    StackFrame,
    VitalsRecord,
)
from gasoline_cdp.store.record_kinds import KINDS
from gasoline_cdp.store.ring import Ring
from gasoline_cdp.store.telemetry import Telemetry
from gasoline_cdp.unlisted.captured import Captured
from tests.fakes import PAGE, body_record, log_record, network_record, performance_record

ONE_OF_EACH: tuple[Record, ...] = (
    log_record(1),
    network_record(2),
    body_record(3),
    SocketRecord(seq=4, ts=1.0, source=PAGE, connection_id="ws1", url="ws://app.test/", event="open"),
    ActionRecord(seq=5, ts=1.0, source=PAGE, type="click", selectors={}, fields={}),
    DomSnapshotRecord(seq=6, ts=1.0, source=PAGE, trigger="load", elements=()),
    VitalsRecord(
        seq=7,
        ts=1.0,
        source=PAGE,
        page_id="p",
        soft_navigation=False,
        navigation_type="navigate",
        url="http://app.test/",
        hidden=False,
        vitals={},
        long_tasks=LongTasks(count=0, total_blocking_time=0.0, longest=0.0),
    ),
    performance_record(8, "/"),
)


def test_every_kind_of_record_is_in_the_registry() -> None:
    kinds = set(get_args(Record))
    assert set(KINDS) == set(SHOW) == kinds == {type(record) for record in ONE_OF_EACH}


@pytest.mark.parametrize("record", ONE_OF_EACH, ids=lambda record: type(record).__name__)
def test_each_kind_is_kept_named_and_shown(record: Record) -> None:
    telemetry, heard = Telemetry(), list[Record]()
    with telemetry.listening(heard.append):
        telemetry.add(record)
    assert heard == [record]
    kind = KINDS[type(record)]
    if kind.ring:
        ring = getattr(telemetry, kind.ring)
        assert isinstance(ring, Ring)
        assert list(ring.newest()) == [record]
        assert telemetry.rings()[kind.buffer] is ring
    else:
        performance = telemetry.performance
        assert [*performance.newest(), *performance.reporting()] == [record]
    entry = named_entry(record)
    assert entry["record"] == kind.name
    assert wire.encode(entry)


_FRAME = StackFrame("buy", "http://app.test/shop.js", 3, 7)
# With everything that an entry can say.
FULL: tuple[Record, ...] = (
    log_record(
        9,
        "y" * 5000,
        level="error",
        source=attrs.evolve(PAGE, kind="iframe"),
        frames=(_FRAME, _FRAME),
        logged=_FRAME,
        depth=2,
        values=(FrameValues(index=0, function="buy", url="", line=3, column=7, variables="a = 1"),),
    ),
    body_record(10, request_body="", response_body="{}", content_type="text/html", duration_ms=1.5),
    body_record(11, missing="gone", mocked=True, request_truncated=True, source=attrs.evolve(PAGE, ingested_from="http://app.test")),
    SocketRecord(
        seq=12, ts=1.0, source=attrs.evolve(PAGE, kind="worker"), connection_id="ws1", url="ws://app.test/",
        event="message", direction="incoming", data="x", bytes=9, truncated=True, details={"code": 1006},
    ),
)  # fmt: skip


@pytest.mark.parametrize("record", ONE_OF_EACH + FULL, ids=lambda record: f"{type(record).__name__}-{record.seq}")
def test_the_json_of_a_record_is_that_of_its_entry(record: Record) -> None:
    assert json.loads(wire.encode(record_json(record))) == wire.dump(show_record(record))


def test_names_are_told_apart() -> None:
    def unique(names: list[Hashable]) -> bool:
        return len(names) == len(set(names))

    kinds = KINDS.values()
    assert unique([kind.name for kind in kinds])
    assert unique([kind.ring for kind in kinds if kind.ring])
    assert unique([kind.buffer for kind in kinds if kind.buffer])
    assert unique([kind.snapshot_list for kind in kinds if kind.snapshot_list])
    assert all(bool(kind.ring) == bool(kind.buffer) for kind in kinds)


def test_a_snapshot_of_all_has_the_lists_that_the_registry_names() -> None:
    lists = {kind.snapshot_list for kind in KINDS.values() if kind.snapshot_list}
    assert lists == {name for name, one in attrs.fields_dict(Captured).items() if "items" in one.metadata}
