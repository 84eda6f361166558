"""What is judged slow or heavy, and what is said of it."""

from typing import Any, cast

import pytest

from gasoline_cdp.analysis.performance.audit import PERFORMANCE_RULES, judge_performance, unjudged
from gasoline_cdp.findings import Finding
from gasoline_cdp.measures import LongTasks, UnusedCode, Vital, VitalName
from gasoline_cdp.records import NetworkRecord, Source, VitalsRecord

SOURCE = Source(1, "page", "http://shop.test/", 1)
NO_TASKS = LongTasks(count=0, total_blocking_time=0, longest=0)
FACTS: dict[str, Any] = {
    "paint": 500.0,
    "blocking": [],
    "elements": 100,
    "deepest": 5,
    "oversized": {"count": 0, "first": []},
    "unsized": {"count": 0, "first": []},
    "lazyInView": {"count": 0, "first": []},
}


def vitals(**values: tuple[float, dict[str, Any]]) -> VitalsRecord:
    names = {cast("VitalName", name): Vital(value=value, details=details) for name, (value, details) in values.items()}
    return VitalsRecord(
        seq=1, ts=0, source=SOURCE, page_id="p", soft_navigation=False, navigation_type="navigate",
        url="http://shop.test/", hidden=False, vitals=names, long_tasks=NO_TASKS,
    )  # fmt: skip


def request(name: str = "a.js", **more: Any) -> NetworkRecord:
    values: dict[str, Any] = {
        "seq": 1, "id": "r1", "ts": 0.0, "source": SOURCE, "method": "GET", "url": f"http://shop.test/{name}",
        "type": "Script", "outcome": "ok", "status": 200, "mime": "text/javascript",
        "response_headers": {"cache-control": "max-age=31536000", "content-encoding": "br"},
    }  # fmt: skip
    return NetworkRecord(**{**values, **more})


def judge(**given: Any) -> dict[str, Finding]:
    found = judge_performance(
        given.get("vitals"),
        given.get("tasks"),
        given.get("requests", []),
        {**FACTS, **given.get("facts", {})},
        given.get("unused"),
    )
    assert {finding.rule for finding in found} <= set(PERFORMANCE_RULES)
    return {finding.rule: finding for finding in found}


def test_a_good_page_has_no_findings() -> None:
    good = vitals(LCP=(1200, {}), CLS=(0.01, {}), FCP=(500, {}))
    assert judge(vitals=good, tasks=NO_TASKS, requests=[request(encoded_bytes=9000, decoded_bytes=30_000)]) == {}


def test_the_largest_paint_is_blamed_on_its_longest_phase() -> None:
    details = {
        "target": "img.hero",
        "url": "http://shop.test/hero.png",
        "phases": {"time_to_first_byte": 100.0, "resource_load_duration": 3900.0},
    }
    found = judge(vitals=vitals(LCP=(4200.0, details)))["largest_contentful_paint_slow"]
    assert found.severity == "high"
    assert found.affected[0]["selector"] == "img.hero"
    assert found.fix is not None
    assert found.fix.startswith("resource load duration takes 3900 ms")


def test_shifts_name_the_elements() -> None:
    shifts = [{"value": 0.2, "time": 1.0, "elements": [{"target": "#ad"}]}]
    assert judge(vitals=vitals(CLS=(0.2, {"shifts": shifts})))["layout_shifts"].affected == [
        {"selector": "#ad", "shift": 0.2}
    ]


def test_long_tasks_name_script_and_function() -> None:
    entry = {
        "start": 10.0,
        "duration": 1200.0,
        "script": {"url": "http://shop.test/a.js", "function": "sum", "duration": 1190.0},
    }
    tasks = LongTasks(count=1, total_blocking_time=1150, longest=1200, entries=(entry,))
    found = judge(tasks=tasks)["main_thread_blocked"]
    assert found.severity == "high"
    assert found.affected[0]["script"] == {"url": "http://shop.test/a.js", "function": "sum", "duration_ms": 1190}


@pytest.mark.parametrize(
    ("record", "finding"),
    [
        (request(encoded_bytes=400_000, decoded_bytes=400_000), "resources_oversized"),
        (request(decoded_bytes=60_000, response_headers={"cache-control": "max-age=31536000"}), "compression_missing"),
        (request(response_headers={"content-encoding": "br"}), "caching_missing"),
        (request(response_headers={"content-encoding": "br", "cache-control": "max-age=60"}), "caching_missing"),
        (request(type="Fetch", duration_ms=3500.0), "api_slow"),
        (request(encoded_bytes=4_000_000, type="Media"), "page_heavy"),
    ],
)
def test_a_resource_and_its_fault(record: NetworkRecord, finding: str) -> None:
    found = judge(requests=[record])
    assert set(found) == {finding}
    assert found[finding].affected[0]["url"] == record.url
    assert found[finding].fix


def test_what_no_server_sent_is_not_blamed_on_one() -> None:
    assert judge(requests=[request(url="data:text/css,x", decoded_bytes=60_000, response_headers={})]) == {}
    assert judge(requests=[request(from_cache=True, decoded_bytes=60_000, response_headers={})]) == {}


def test_what_blocks_the_first_paint() -> None:
    entry = {"url": "http://shop.test/a.css", "type": "link", "duration": 400.0, "end": 450.0, "size": 10}
    assert judge(facts={"blocking": [entry]})["render_blocking_resources"].affected[0]["duration_ms"] == 400
    assert judge(facts={"blocking": [{**entry, "duration": 20.0}]}) == {}
    assert judge(facts={"blocking": [{**entry, "end": 900.0}]}) == {}


def test_an_image_is_named_by_selector() -> None:
    image = {"selector": "#hero > img", "url": "http://shop.test/a.png", "natural": [2000, 1000], "shown": [200, 100]}
    found = judge(facts={"oversized": {"count": 7, "first": [image]}})["images_larger_than_shown"]
    assert (found.count, found.affected[0]["selector"]) == (7, "#hero > img")


def test_code_that_was_never_used() -> None:
    files = [
        UnusedCode("http://shop.test/small.js", 30_000, 9_000),
        UnusedCode("http://shop.test/a.css", 300_000, 200_000),
    ]
    found = judge(unused=files)["code_unused"]
    assert (found.severity, found.count) == ("medium", 1)
    assert found.affected == [{"url": "http://shop.test/a.css", "unused_kilobytes": 195, "of_kilobytes": 292}]
    assert judge(unused=files[:1]) == {}
    assert "code_unused" not in unjudged(None, None, [])


def test_what_was_not_measured_has_neither_passed_nor_failed() -> None:
    assert len(unjudged(None, None)) == 7
    assert unjudged(vitals(LCP=(1.0, {}), CLS=(0.0, {}), FCP=(1.0, {}), TTFB=(1.0, {})), NO_TASKS) == {
        "interactions_slow",
        "code_unused",
    }
