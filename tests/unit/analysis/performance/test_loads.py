"""Ratings, and which requests belong to a navigation."""

import attrs
import pytest

from gasoline_cdp.analysis.performance.loads import path_of, rate, requests_of, sum_up, values_of, with_vitals, worst
from gasoline_cdp.measures import LoadTiming, LongTasks, TypeTotals, Vital, VitalName
from gasoline_cdp.records import NetworkRecord, PerformanceRecord, Source
from tests.fakes import network_record

BEFORE = Source(1, "page", "http://app.test/", 1, "T1")
SHOP = Source(1, "page", "http://app.test/shop", 2, "T1")


def request(seq: int, path: str = "/api", source: Source = SHOP, **changes: object) -> NetworkRecord:
    return network_record(seq, f"http://app.test{path}", source=source, **changes)


def snapshot() -> PerformanceRecord:
    return PerformanceRecord(
        seq=1,
        ts=1.0,
        source=SHOP,
        page_id="p.1",
        url=SHOP.url,
        path="/shop",
        soft_navigation=False,
        timing=LoadTiming(
            time_to_first_byte=10,
            dom_interactive=20,
            dom_content_loaded=30,
            load=40,
            first_contentful_paint=50,
            largest_contentful_paint=60,
            interaction_to_next_paint=None,
        ),
        network=sum_up([], complete=True),
        long_tasks=LongTasks(count=0, total_blocking_time=0, longest=0),
        cumulative_layout_shift=0.01,
    )


@pytest.mark.parametrize(
    ("name", "value", "rating"),
    [
        ("FCP", 1800, "good"),
        ("FCP", 1800.1, "needs-improvement"),
        ("FCP", 3000, "needs-improvement"),
        ("FCP", 3000.1, "poor"),
        ("LCP", 2500, "good"),
        ("LCP", 4000, "needs-improvement"),
        ("LCP", 4001, "poor"),
        ("CLS", 0.1, "good"),
        ("CLS", 0.25, "needs-improvement"),
        ("CLS", 0.26, "poor"),
        ("INP", 200, "good"),
        ("INP", 500, "needs-improvement"),
        ("INP", 501, "poor"),
        ("TTFB", 800, "good"),
        ("TTFB", 1800, "needs-improvement"),
        ("TTFB", 1801, "poor"),
    ],
)
def test_a_value_is_good_at_the_first_threshold_and_poor_above_the_second(
    name: VitalName, value: float, rating: str
) -> None:
    assert rate(name, value) == rating


def test_the_whole_is_as_good_as_its_worst() -> None:
    assert worst({}) is None
    assert worst({"LCP": 1}) == "good"
    assert worst({"LCP": 1, "CLS": 0.2}) == "needs-improvement"
    assert worst({"LCP": 1, "CLS": 0.2, "INP": 900}) == "poor"


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("http://app.test/shop/1?q=2#part", "/shop/1"),
        ("http://app.test", "/"),
        ("http://app.test?q", "/"),
        ("http://[REDACTED]@app.test/a", "/a"),
        ("http://[::1]:8000/a/", "/a/"),
        ("file:///tmp/a.html", "/tmp/a.html"),
        ("not an address", "/"),
        ("", "/"),
    ],
)
def test_a_path_has_neither_query_nor_fragment(url: str, path: str) -> None:
    assert path_of(url) == path


def test_late_vitals_are_filled_in_and_unknown_ones_take_nothing_away() -> None:
    filled = with_vitals(snapshot(), {"INP": Vital(value=120), "CLS": Vital(value=0.2)})
    assert values_of(filled) == {"FCP": 50, "LCP": 60, "CLS": 0.2, "INP": 120, "TTFB": 10}
    assert with_vitals(filled, {}) == filled
    assert filled.timing.load == 40


def test_a_load_begins_with_its_document_which_was_asked_for_while_another_was_shown() -> None:
    document = request(2, "/shop?a#b", BEFORE, type="Document")
    records = [
        request(1, "/beacon", BEFORE),
        document,
        request(3),
        request(4, "/frame", attrs.evolve(SHOP, kind="iframe", frame_id="F"), type="Document"),
        network_record(5, "data:image/png;base64,xyz", source=SHOP, type="Image"),
        request(6, source=attrs.evolve(SHOP, tab_id=9)),
    ]
    found, complete = requests_of(records, SHOP, document="http://app.test/shop?a")
    assert sorted(record.seq for record in found) == [2, 3, 4]
    assert complete
    found, complete = requests_of(records, SHOP, document="http://app.test/elsewhere")
    assert sorted(record.seq for record in found) == [3, 4]
    assert not complete


def test_a_load_counts_the_redirects_that_led_to_it_and_no_earlier_visit() -> None:
    records = [
        request(1, "/old", BEFORE, type="Document", redirect_to="http://app.test/shop", outcome="redirect"),
        request(2, "/shop", BEFORE, type="Document", redirected_from="http://app.test/old"),
        request(3, "/start", BEFORE, type="Document", redirect_to="http://app.test/old", outcome="redirect"),
        request(
            4,
            "/old",
            BEFORE,
            type="Document",
            redirected_from="http://app.test/start",
            redirect_to="http://app.test/shop",
            outcome="redirect",
        ),
        request(5, "/shop", BEFORE, type="Document", redirected_from="http://app.test/old"),
    ]
    found, complete = requests_of(records[::-1], SHOP, document=SHOP.url)
    assert [record.seq for record in found] == [5, 4, 3]
    assert complete


def test_a_load_that_the_page_itself_remembers_is_not_complete() -> None:
    records = [request(1, "/shop", SHOP, type="Document", before_attach=True), request(2, before_attach=True)]
    found, complete = requests_of(records, SHOP, document=SHOP.url)
    assert sorted(record.seq for record in found) == [1, 2]
    assert not complete


def test_a_page_that_frames_itself_is_not_taken_for_its_frame() -> None:
    records = [request(1, "/shop", BEFORE, type="Document"), request(2, "/shop", SHOP, type="Document")]
    found, _ = requests_of(records, SHOP, document=SHOP.url)
    assert sorted(record.seq for record in found) == [1, 2]


def test_a_route_change_has_the_requests_of_its_time() -> None:
    records = [request(1, ts=10.0), request(2, ts=11.0), request(3, ts=12.0)]
    found, complete = requests_of(records, SHOP, since=11.0, until=12.0)
    assert [record.seq for record in found] == [2]
    assert complete


def test_requests_are_summed_up_by_type() -> None:
    records = [
        request(1, type="Document", encoded_bytes=100, decoded_bytes=200, duration_ms=5.0),
        request(2, type="Script", encoded_bytes=10, decoded_bytes=20, duration_ms=50.0),
        request(3, type="Script", encoded_bytes=1, decoded_bytes=2, duration_ms=40.0),
        request(4, type="XHR", encoded_bytes=7, duration_ms=60.0),
        request(5, "/" + "long" * 40, type="Fetch", encoded_bytes=8, duration_ms=70.0),
        request(6, type="Stylesheet", outcome="pending", duration_ms=None),
    ]
    totals = sum_up(records, complete=True)
    assert (totals.request_count, totals.transfer_size, totals.decoded_size) == (6, 126, 222)
    assert totals.by_type == {
        "script": TypeTotals(count=2, size=11),
        "style": TypeTotals(count=1, size=0),
        "image": TypeTotals(count=0, size=0),
        "font": TypeTotals(count=0, size=0),
        "fetch": TypeTotals(count=2, size=15),
        "other": TypeTotals(count=1, size=100),
    }
    assert [slow.id for slow in totals.slowest_requests] == ["r5", "r4", "r2"]
    assert len(totals.slowest_requests[0].url) == 80
