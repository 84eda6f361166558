"""The view `memory`: counters as lines, and the trend of their samples."""

from typing import cast

from gasoline_cdp.answers.memory_entries import leak_entry, show_counters, show_trend
from gasoline_cdp.cdp.connection import Session
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.limits import MB
from gasoline_cdp.probe.memory import MemorySample
from gasoline_cdp.probe.memory_trend import MemoryTrend
from gasoline_cdp.records import Source
from gasoline_cdp.views.memory import MemoryView


def _sample(ts: float, used: int, nodes: int = 10) -> MemorySample:
    return MemorySample(ts=ts, used=used, total=8 * MB, nodes=nodes, listeners=3, documents=1)


def test_counters_read_as_one_line() -> None:
    view = MemoryView(
        tab_id=1, url="http://a.test/", memory=show_counters(_sample(0, 4 * MB), 16 * MB), heap_snapshots=["before"]
    )
    lines = [str(line) for line in view.render()]
    assert lines == [
        "Memory of tab 1, http://a.test/",
        "heap 4 MB used of 8 MB, limit 16 MB; 10 DOM nodes; 3 listeners; 1 document.",
        "Heap snapshots: before.",
    ]


def test_only_steady_growth_is_called_growth() -> None:
    growing = show_trend([_sample(at, (2 + 2 * at) * MB, nodes=10 + at) for at in range(5)])
    assert growing is not None
    assert growing.verdict == "heap and nodes grew throughout"
    sawtooth = show_trend([_sample(0, 2 * MB), _sample(1, 9 * MB), _sample(2, 3 * MB)])
    assert sawtooth is not None
    assert sawtooth.verdict == "no steady growth"
    assert show_trend([_sample(0, 1), _sample(1, 2)]) is None


def test_a_new_document_begins_a_new_trend() -> None:
    trend = MemoryTrend()
    tab = Tab(1, "T", cast("Session", None), "http://a.test/", "", True, Source(1, "page", "http://a.test/", 0))
    trend.add(tab, _sample(0, 1))
    assert len(trend.of(tab)) == 1
    tab.moved("http://b.test/", navigated=True)
    assert trend.of(tab) == []
    trend.add(tab, _sample(1, 1))
    assert len(trend.of(tab)) == 1


def test_a_leak_says_how_many_per_round() -> None:
    entry = leak_entry({
        "kind": "listener", "what": "onResize (a.js:7)", "count": 14, "per_round": 2.0, "bytes": 2048,
        "detached_elements": 28, "detached_trees": 14, "held_by": "listener on window", "keeps": "",
        "location": "a.js:7", "fix": "Remove it.", "ids": [5, 5],
    })  # fmt: skip
    lines = [str(line) for line in entry.lines()]
    assert lines == [
        "high listener | 14 × onResize (a.js:7) more, 2 per round, 2KB, 14 detached trees of 28 elements @5",
        "  held by | listener on window",
        "  fix | Remove it.",
    ]
