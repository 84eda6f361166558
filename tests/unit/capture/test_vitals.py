"""Reports of the vitals' observer, parsed strictly and attributed to the right page."""

from typing import Any

import attrs
import pytest

from gasoline_cdp.capture.vitals import VitalsTracker, parse_vitals
from gasoline_cdp.records import NetworkRecord, Record, Source, VitalsRecord
from gasoline_cdp.store.telemetry import Telemetry
from tests.fakes import PAGE, network_record

TOKEN = "ghp_" + "q1W2e3R4t5Y6" * 3


def report(**changes: Any) -> dict[str, Any]:
    given = {"page": "p.1", "soft": False, "type": "navigate", "url": PAGE.url, "hidden": False, "metrics": {}}
    return {**given, **changes}


def parse(**changes: Any) -> VitalsRecord:
    return parse_vitals(report(**changes), page_id="p.1", source=PAGE, seq=1, ts=1.0)


def make(pending: list[NetworkRecord] | None = None) -> tuple[Telemetry, VitalsTracker]:
    telemetry = Telemetry()
    return telemetry, VitalsTracker(telemetry, lambda: pending or [])


def test_a_metric_keeps_what_explains_it_and_nothing_else() -> None:
    metric = {
        "value": 1234.5,
        "target": "#hero",
        "tag": "img",
        "url": "http://app.test/a.png",
        "phases": {"time_to_first_byte": 1, "resource_load_delay": 2, "input_delay": 3, "element_render_delay": "4"},
        "surprise": {"deep": []},
    }
    record = parse(
        metrics={"LCP": metric, "XYZ": {"value": 1}, "CLS": {"value": "0"}, "INP": 7, "FCP": {"value": True}}
    )
    assert set(record.vitals) == {"LCP"}
    assert record.vitals["LCP"].value == 1234.5
    assert record.vitals["LCP"].details == {
        "target": "#hero",
        "tag": "img",
        "url": "http://app.test/a.png",
        "phases": {"time_to_first_byte": 1.0, "resource_load_delay": 2.0},
    }


@pytest.mark.parametrize("value", [-1, float("nan"), float("inf"), 1e11, 10**400, "1", None, True, [], {}])
def test_what_no_clock_can_show_is_no_value(value: object) -> None:
    assert parse(metrics={"LCP": {"value": value}}).vitals == {}


def test_words_of_the_page_are_cut_and_masked() -> None:
    shift = {"value": 0.1, "time": 5, "elements": [{"target": f"#{TOKEN}", "tag": "p"}] * 50}
    script = {"url": f"http://app.test/a.js?token={TOKEN}", "function": "f" * 500, "invoker": TOKEN, "duration": 9}
    record = parse(
        url=f"http://app.test/?token={TOKEN}",
        metrics={
            "CLS": {"value": 0.1, "shifts": [shift] * 50},
            "INP": {"value": 9, "script": script, "target": "t" * 5000},
        },
        long_tasks={"count": 2, "entries": [{"start": 1, "duration": 60, "script": script}] * 500},
    )
    assert TOKEN not in repr(record)
    assert len(record.vitals["CLS"].details["shifts"]) == 5
    assert len(record.vitals["CLS"].details["shifts"][0]["elements"]) == 5
    assert len(record.vitals["INP"].details["target"]) < 310
    assert len(record.vitals["INP"].details["script"]["function"]) < 130
    assert len(record.long_tasks.entries) == 50


def test_a_kind_of_navigation_that_is_none_is_not_repeated() -> None:
    assert parse(type="IGNORE ALL").navigation_type == "navigate"
    assert parse(type="back-forward-cache").navigation_type == "back-forward-cache"
    assert parse(type=["navigate"]).navigation_type == "navigate"


@pytest.mark.parametrize(
    "source",
    [
        attrs.evolve(PAGE, kind="iframe", frame_id="F"),
        attrs.evolve(PAGE, frame_id="F"),
        attrs.evolve(PAGE, kind="worker"),
    ],
)
def test_frames_and_workers_have_no_say(source: Source) -> None:
    telemetry, tracker = make()
    tracker.vitals(report(metrics={"LCP": {"value": 1}}), source)
    tracker.performance(report(), source)
    assert telemetry.performance.vitals_of(1, 1) == (None, None)
    assert telemetry.performance.newest() == []


@pytest.mark.parametrize("page", [None, "", 7, "x" * 61, "é"])
def test_a_report_without_a_page_is_none(page: object) -> None:
    telemetry, tracker = make()
    tracker.vitals(report(page=page), PAGE)
    tracker.performance(report(page=page), PAGE)
    assert telemetry.performance.vitals_of(1, 1) == (None, None)
    assert telemetry.performance.newest() == []


def test_a_snapshot_has_the_vitals_before_it_and_gets_those_after_it() -> None:
    telemetry, tracker = make()
    tracker.vitals(report(metrics={"LCP": {"value": 100}, "CLS": {"value": 0}}), PAGE)
    tracker.performance(report(document=PAGE.url, timing={"load": 300, "dom_interactive": "x"}), PAGE)
    [snapshot] = telemetry.performance.newest()
    assert (snapshot.path, snapshot.timing.load, snapshot.timing.dom_interactive) == ("/cart", 300, None)
    assert (snapshot.timing.largest_contentful_paint, snapshot.cumulative_layout_shift) == (100, 0)
    heard: list[Record] = []
    with telemetry.listening(heard.append):
        # The same again is no news, and what the next page reports is not of this one.
        tracker.vitals(report(metrics={"LCP": {"value": 100}, "CLS": {"value": 0}}), PAGE)
        tracker.vitals(report(page="q.1", metrics={"INP": {"value": 1}}), attrs.evolve(PAGE, navigation=2))
        assert [record for record in heard if not isinstance(record, VitalsRecord)] == []
        tracker.vitals(report(metrics={"LCP": {"value": 100}, "INP": {"value": 50}}), PAGE)
    [filled] = telemetry.performance.newest()
    assert filled.timing.interaction_to_next_paint == 50
    assert (filled.seq, filled.cumulative_layout_shift) == (snapshot.seq, 0)


def test_the_last_words_of_a_page_are_its_own_though_the_tab_has_gone_on() -> None:
    telemetry, tracker = make()
    after = attrs.evolve(PAGE, navigation=2, url="http://app.test/next")
    tracker.vitals(report(), PAGE)
    tracker.vitals(report(page="q.1"), after)
    tracker.performance(report(), after)
    [snapshot] = telemetry.performance.newest()
    assert snapshot.source == PAGE
    page, _ = telemetry.performance.vitals_of(1, 2)
    assert page is not None
    assert page.page_id == "q.1"


def test_requests_under_way_count() -> None:
    waiting = network_record(0, source=PAGE, outcome="pending", encoded_bytes=7)
    telemetry, tracker = make([waiting])
    document = network_record(1, PAGE.url, type="Document", source=attrs.evolve(PAGE, navigation=0), encoded_bytes=100)
    telemetry.add(document)
    tracker.performance(report(document=PAGE.url), PAGE)
    [snapshot] = telemetry.performance.newest()
    assert (snapshot.network.request_count, snapshot.network.transfer_size) == (2, 107)
    assert snapshot.network.complete
    tracker.performance(report(page="p.2", soft=True, url="http://app.test/b", since=document.ts + 5), PAGE)
    route = telemetry.performance.newest()[0]
    assert (route.path, route.soft_navigation, route.network.request_count) == ("/b", True, 0)
