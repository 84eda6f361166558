"""The newest snapshot per path, within limits, and the vitals of what is shown."""

from typing import Any

import attrs

from gasoline_cdp import limits
from gasoline_cdp.records import Record, Vital, VitalsRecord
from gasoline_cdp.store.performance import PerformanceStore
from gasoline_cdp.store.telemetry import Telemetry
from tests.fakes import NO_TASKS, PAGE
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
