"""The views of vitals and performance: values with ratings, reasons where there are none, and within their size."""

from typing import Any

import attrs
import pytest

from gasoline_cdp import wire
from gasoline_cdp.cdp.targets import Target
from gasoline_cdp.operations.context import Context
from gasoline_cdp.records import Source
from gasoline_cdp.views.listing import ObserveArgs
from gasoline_cdp.views.performance import show_performance, show_vitals
from tests.fakes import make_context, quiet_session

URL = "http://app.test/cart"


@pytest.fixture
def context() -> Context:
    context = make_context()
    target = Target(target_id="T", kind="page", url=URL, title="", opener_id="", browser_context_id="")
    context.tabs.opened(quiet_session(), target, seen_from_start=True)
    return context


def source_of(context: Context) -> Source:
    return context.tabs.pick(None).source


def say(context: Context, metrics: dict[str, Any], **more: Any) -> None:
    report = {"page": "p.1", "url": URL, "type": "navigate", "metrics": metrics, **more}
    context.capture.vitals.vitals(report, source_of(context))


def sum_up(context: Context, path: str, **more: Any) -> None:
    report = {"page": f"p{path}", "url": f"http://app.test{path}", "document": URL, "timing": {"load": 700.04}, **more}
    context.capture.vitals.performance(report, source_of(context))


def test_before_the_first_report_nothing_is_known(context: Context) -> None:
    answer = show_vitals(ObserveArgs(what="vitals"), context)
    assert answer.page is None
    assert "Nothing is measured yet" in answer.summary


def test_each_metric_has_a_value_and_a_rating_or_a_reason(context: Context) -> None:
    say(context, {"LCP": {"value": 2600.04, "target": "#hero", "phases": {"time_to_first_byte": 9.99}}})
    answer = show_vitals(ObserveArgs(what="vitals"), context)
    assert answer.page is not None
    metrics = wire.dump(answer.page.metrics)
    assert metrics["LCP"] == {
        "value": 2600.0,
        "rating": "needs-improvement",
        "provisional": "the page has not settled: something larger may still be painted",
        "target": "#hero",
        "phases": {"time_to_first_byte": 10.0},
    }
    assert metrics["INP"] == {"value": None, "rating": None, "reason": "no interaction yet"}
    assert metrics["TTFB"]["reason"] == "the page has not finished loading"
    assert metrics["CLS"]["reason"] == "nothing has been painted yet"
    assert answer.page.overall == "needs-improvement"
    assert answer.summary == (
        "Overall needs-improvement: LCP 2600 ms so far (needs-improvement). Not known: FCP, CLS, INP, TTFB."
    )


def test_a_page_that_has_settled_says_nothing_of_what_may_come(context: Context) -> None:
    say(context, {"LCP": {"value": 2600.04}})
    assert "so far" in show_vitals(ObserveArgs(what="vitals"), context).summary
    page = context.telemetry.performance.vitals_of(1, source_of(context).navigation)[0]
    assert page is not None
    source = source_of(context)
    context.capture.vitals.performance({"page": page.page_id, "url": source.url}, source)
    shown = show_vitals(ObserveArgs(what="vitals"), context)
    assert shown.page is not None
    assert shown.page.metrics["LCP"].provisional is None
    assert "so far" not in shown.summary


def test_an_older_load_says_that_it_is_one(context: Context) -> None:
    sum_up(context, "/cart")
    say(context, {"LCP": {"value": 1}}, page="another")
    answer = show_performance(ObserveArgs(what="performance"), context)
    assert "That is the load before the one that is shown now" in answer.summary


def test_a_page_that_was_left_early_says_so(context: Context) -> None:
    sum_up(context, "/a", left=True)
    snapshot = show_performance(ObserveArgs(what="performance"), context).snapshot
    assert snapshot is not None
    assert "left before it settled" in (snapshot.note or "")
    assert snapshot.unknown["INP"] == "no interaction"


def test_what_the_tab_showed_before_is_not_told_of_the_next_page(context: Context) -> None:
    say(context, {"LCP": {"value": 1}})
    context.tabs.pick(None).moved("http://app.test/next", navigated=True)
    assert show_vitals(ObserveArgs(what="vitals"), context).page is None


def test_details_go_when_the_answer_is_small(context: Context) -> None:
    shift = {"value": 0.1, "time": 1, "elements": [{"target": "t" * 300, "tag": "p"}] * 5}
    say(context, {"CLS": {"value": 0.5, "shifts": [shift] * 5}})
    args = ObserveArgs(what="vitals", max_bytes=2048)
    small = show_vitals(args, context)
    assert len(wire.encode(wire.dump(small))) <= 2048
    assert small.page is not None
    assert (small.page.metrics["CLS"].value, small.page.metrics["CLS"].shifts) == (0.5, None)
    whole = show_vitals(attrs.evolve(args, max_bytes=None), context)
    assert whole.page is not None
    assert len(whole.page.metrics["CLS"].shifts or ()) == 3


def test_the_page_captured_last_is_shown_or_the_one_that_is_named(context: Context) -> None:
    for path in ("/a", "/a/b", "/c"):
        sum_up(context, path)
    newest = show_performance(ObserveArgs(what="performance"), context)
    assert newest.snapshot is not None
    assert newest.snapshot.path == "/c"
    assert newest.snapshot.timing.load == 700.0
    assert [entry.path for entry in newest.paths] == ["/c", "/a/b", "/a"]
    exact = show_performance(ObserveArgs(what="performance", url_filter="/a"), context)
    assert exact.snapshot is not None
    assert exact.snapshot.path == "/a"
    part = show_performance(ObserveArgs(what="performance", url_filter="a/"), context)
    assert part.snapshot is not None
    assert part.snapshot.path == "/a/b"
    other = show_performance(ObserveArgs(what="performance", tab_id=9), context)
    assert other.snapshot is None
    assert other.summary.startswith("No such path; 3 paths known.")


def test_what_is_not_complete_says_so(context: Context) -> None:
    sum_up(context, "/a")
    snapshot = show_performance(ObserveArgs(what="performance"), context).snapshot
    assert snapshot is not None
    assert not snapshot.network["complete"]
    assert snapshot.note is not None
    assert snapshot.unknown["INP"] == "no interaction yet"
    sum_up(context, "/b", soft=True, since=1.0)
    route = show_performance(ObserveArgs(what="performance"), context).snapshot
    assert route is not None
    assert (route.soft_navigation, route.note) == (True, None)
