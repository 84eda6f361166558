"""The newest snapshot per path, within limits, and the vitals of what is shown."""

from typing import Any

import attrs

from gasoline_cdp import limits
from gasoline_cdp.measures import Vital
from gasoline_cdp.records import PerformanceRecord, Record, VitalsRecord
from gasoline_cdp.store.performance import PerformanceStore
from gasoline_cdp.store.telemetry import Telemetry
from tests.fakes import NO_TASKS, NO_TIMING, PAGE
from tests.fakes import performance_record as snapshot


def vitals(seq: int, page_id: str = "p.1", navigation: int = 1, tab_id: int = 1, **changes: Any) -> VitalsRecord:
    given: dict[str, Any] = {
        "ts": float(seq),
        "source": attrs.evolve(PAGE, navigation=navigation, tab_id=tab_id),
        "soft_navigation": False,
        "navigation_type": "navigate",
        "url": PAGE.url,
        "hidden": False,
        "vitals": {"LCP": Vital(value=seq)},
        "long_tasks": NO_TASKS,
    }
    return VitalsRecord(seq=seq, page_id=page_id, **{**given, **changes})


def test_the_newest_of_each_path_stays() -> None:
    store = PerformanceStore()
    for record in (snapshot(1, "/a"), snapshot(2, "/b"), snapshot(3, "/a")):
        store.add_snapshot(record)
    assert [(record.seq, record.path) for record in store.newest()] == [(3, "/a"), (2, "/b")]
    store.add_snapshot(snapshot(1, "/a"))
    assert [record.seq for record in store.newest()] == [3, 2]


def test_a_load_and_a_route_change_do_not_replace_each_other() -> None:
    store = PerformanceStore()
    store.add_snapshot(snapshot(1, "/a"))
    store.add_snapshot(snapshot(2, "/a", soft_navigation=True))
    assert [record.soft_navigation for record in store.newest()] == [True, False]


def test_of_too_many_paths_the_least_recently_used_goes() -> None:
    store = PerformanceStore()
    for number in range(limits.PERFORMANCE_PATHS):
        store.add_snapshot(snapshot(number, f"/{number}"))
    store.used(store.newest()[-1])
    store.add_snapshot(snapshot(100, "/more"))
    paths = [record.path for record in store.newest()]
    assert len(store) == len(paths) == limits.PERFORMANCE_PATHS
    assert "/0" in paths
    assert "/1" not in paths
    assert store.evicted == 1
    # To be looked at does not make a page the one captured last.
    assert paths[0] == "/more"


def test_what_is_filled_in_keeps_its_place() -> None:
    store = PerformanceStore()
    store.add_snapshot(snapshot(1, "/a"))
    store.add_snapshot(snapshot(2, "/b"))
    store.add_snapshot(snapshot(1, "/a", cumulative_layout_shift=0.5))
    assert [record.path for record in store.newest()] == ["/b", "/a"]
    found = store.snapshot_of_page("p.1")
    assert found is not None
    assert found.cumulative_layout_shift == 0.5


def test_vitals_are_those_of_the_page_that_is_shown() -> None:
    store = PerformanceStore()
    store.add_vitals(vitals(1))
    store.add_vitals(vitals(2, "p.2", soft_navigation=True))
    page, route = store.vitals_of(1, 1)
    assert page is not None
    assert route is not None
    assert (page.seq, route.seq) == (1, 2)
    # The tab has gone on, and its new page has not reported.
    assert store.vitals_of(1, 2) == (None, None)
    store.add_vitals(vitals(3, "q.1", navigation=2))
    page, route = store.vitals_of(1, 2)
    assert page is not None
    assert page.page_id == "q.1"
    assert route is None
    # The last word of the page before comes late.
    store.add_vitals(vitals(4, "p.1"))
    assert store.vitals_of(1, 2) == (page, None)
    assert store.vitals_of(9, 1) == (None, None)


def test_vitals_are_bounded() -> None:
    store = PerformanceStore()
    for tab_id in range(limits.PAGES_REPORTING + 5):
        store.add_vitals(vitals(tab_id, f"p.{tab_id}", tab_id=tab_id))
    assert store.vitals_of_page("p.4") is None
    assert store.vitals_of_page("p.5") is not None


def test_all_of_it_is_told_to_listeners_and_cleared() -> None:
    telemetry = Telemetry()
    heard: list[Record] = []
    with telemetry.listening(heard.append):
        telemetry.add(vitals(1))
        telemetry.add(snapshot(2, "/a"))
    assert [record.seq for record in heard] == [1, 2]
    assert telemetry.clear() == 1
    assert telemetry.performance.newest() == []
    # A page tells changes only: what is open now is still known.
    assert telemetry.performance.vitals_of(1, 1)[0] is not None


def loaded(seq: int, ms: float | None, **changes: Any) -> PerformanceRecord:
    return snapshot(seq, "/cart", timing=attrs.evolve(NO_TIMING, load=ms), **changes)


def baseline(store: PerformanceStore, record: PerformanceRecord) -> float | None:
    known = store.baseline_of(record)
    return known.values.get("load") if known else None


def test_a_load_is_compared_with_those_before_it() -> None:
    store = PerformanceStore()
    first, second, third = loaded(1, 100), loaded(2, 300), loaded(3, 900)
    store.add_snapshot(first)
    assert store.baseline_of(first) is None
    store.add_snapshot(second)
    assert baseline(store, second) == 100
    # What is filled in later replaces the sample, and does not count twice.
    store.add_snapshot(attrs.evolve(second, timing=attrs.evolve(second.timing, load=500)))
    assert baseline(store, second) == 100
    store.add_snapshot(third)
    assert baseline(store, third) == 300
    # A late report of an older load changes nothing.
    store.add_snapshot(second)
    assert baseline(store, third) == 300


def test_baselines_are_bounded_and_outlive_the_buffers() -> None:
    store = PerformanceStore()
    for seq in range(3):
        store.add_snapshot(loaded(seq, 100))
    assert baseline(store, loaded(9, 100)) == 100
    assert store.baseline_of(loaded(9, 100, soft_navigation=True)) is None
    # Between two tests the buffers are emptied, and the tests are compared.
    store.clear()
    assert baseline(store, loaded(10, 1)) == 100
    for number in range(2 * limits.PERFORMANCE_PATHS):
        store.add_snapshot(snapshot(20 + number, f"/{number // 2}"))
    assert store.baseline_of(loaded(100, 100)) is None
