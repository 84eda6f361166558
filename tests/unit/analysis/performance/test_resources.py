"""Why a load got worse: what it fetched that the one before did not, or not like this."""

import pytest

from gasoline_cdp.analysis.performance.regressions import Metrics, regressions
from gasoline_cdp.analysis.performance.resources import Cause, compare_resources, probable_causes, resource_key
from gasoline_cdp.measures import LongTasks, Resource

IDLE = LongTasks(count=0, total_blocking_time=0, longest=0)
APP = Resource(url="http://app.test/app.js", type="script", size=50_000, duration_ms=40)
API = Resource(url="http://app.test/api/cart?id=1", type="fetch", size=900, duration_ms=80)
PAGE = Resource(url="http://app.test/", type="document", size=4_000, duration_ms=30)


def changed(resource: Resource, **values: float) -> Resource:
    given = {"size": resource.size, "duration_ms": resource.duration_ms, **values}
    return Resource(url=resource.url, type=resource.type, size=int(given["size"]), duration_ms=given["duration_ms"])


def cause(before: list[Resource], after: list[Resource], was: Metrics, now: Metrics, tasks: LongTasks = IDLE) -> Cause:
    return probable_causes(regressions(was, now), compare_resources(before, after), tasks)[0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://a.test/app.3f9a1c2b.js", "http://a.test/app.8d01e55a.js"),
        ("http://a.test/assets/index-Bx7kQ2aZ.js", "http://a.test/assets/index-C9dkQ31Z.js"),
        ("http://a.test/main.3f9a1c2b.chunk.css", "http://a.test/main.0a9a1c2f.chunk.css"),
        ("http://a.test/x.js?v=1", "http://a.test/x.js?v=2#top"),
    ],
)
def test_another_build_of_a_bundle_is_the_same_resource(one: str, other: str) -> None:
    assert resource_key(one) == resource_key(other)


@pytest.mark.parametrize(
    "url", ["http://a.test/jquery.min.js", "http://a.test/my-component.js", "http://a.test/v2/a.js"]
)
def test_an_ordinary_name_stays(url: str) -> None:
    assert resource_key(url) == url


def test_what_came_and_what_went() -> None:
    found = compare_resources([APP, API], [APP, PAGE])
    assert [change.url for change in found.added] == [PAGE.url]
    assert [change.url for change in found.removed] == [API.url]


def test_resized_by_a_tenth_or_by_ten_kilobytes() -> None:
    small, large = changed(API, size=980), changed(APP, size=60_300)
    assert compare_resources([API], [small]).resized == ()
    assert len(compare_resources([API], [changed(API, size=1000)]).resized) == 1
    assert len(compare_resources([changed(APP, size=500_000)], [changed(APP, size=511_000)]).resized) == 1
    assert len(compare_resources([APP], [large]).resized) == 1


def test_what_came_from_a_cache_has_not_shrunk() -> None:
    assert compare_resources([APP], [changed(APP, size=0)]).resized == ()


def test_retimed_by_more_than_100_ms() -> None:
    assert compare_resources([API], [changed(API, duration_ms=180)]).retimed == ()
    assert len(compare_resources([API], [changed(API, duration_ms=181)]).retimed) == 1


def test_the_same_thing_fetched_twice_is_one_with_the_bytes_of_both() -> None:
    (change,) = compare_resources([API], [API, API]).resized
    assert (change.size_before, change.size_after) == (900, 1800)


def test_a_new_script_is_named_with_its_share_of_the_bytes() -> None:
    extra = Resource(url="http://app.test/extra.js", type="script", size=300 * 1024, duration_ms=90)
    found = cause(
        [APP], [changed(APP, size=62_000), extra], Metrics(transfer_size=50_000), Metrics(transfer_size=370_000)
    )
    assert found.sentence == (
        "A script of 300 KB was not loaded before (resources[0]); 96% of the 312 KB that were added."
    )
    assert [resource.url for resource in found.resources] == [extra.url, APP.url]


def test_a_slower_api_is_named() -> None:
    found = cause([APP, API], [APP, changed(API, duration_ms=480)], Metrics(load=300), Metrics(load=700))
    assert found.sentence == "A fetch request took 400 ms longer (resources[0])."
    assert found.resources[0].url == API.url


def test_a_slower_document_is_named() -> None:
    found = cause(
        [PAGE], [changed(PAGE, duration_ms=930)], Metrics(time_to_first_byte=30), Metrics(time_to_first_byte=930)
    )
    assert found.sentence == "The document itself took 900 ms longer (resources[0])."


def test_a_long_task_is_named_with_its_script() -> None:
    script = {"url": "http://app.test/app.js", "function": "render"}
    tasks = LongTasks(
        count=1, total_blocking_time=550, longest=600, entries=({"start": 1.0, "duration": 600.0, "script": script},)
    )
    found = cause([APP], [APP], Metrics(total_blocking_time=0), Metrics(total_blocking_time=550), tasks)
    assert found.sentence == "A task held the main thread for 600 ms in the script named here."
    assert found.script == script


def test_no_regression_has_no_cause_and_some_cannot_be_explained() -> None:
    assert probable_causes([], compare_resources([], [APP]), IDLE) == ()
    worse = regressions(Metrics(cumulative_layout_shift=0), Metrics(cumulative_layout_shift=1))
    assert probable_causes(worse, compare_resources([APP], [APP]), IDLE) == ()


def test_causes_come_in_the_order_of_the_time_they_explain() -> None:
    """A new script of many bytes is less to blame than a server that takes its time."""
    extra = Resource(url="http://app.test/extra.js", type="script", size=244 * 1024, duration_ms=15)
    worse = regressions(
        Metrics(load=300, transfer_size=50_000, total_blocking_time=0),
        Metrics(load=2300, transfer_size=300_000, total_blocking_time=400),
    )
    tasks = LongTasks(count=1, total_blocking_time=400, longest=450, entries=({"start": 1.0, "duration": 450.0},))
    after = [changed(PAGE, duration_ms=1530), changed(API, duration_ms=300), APP, extra]
    causes = probable_causes(worse, compare_resources([PAGE, API, APP], after), tasks)
    assert [(cause.sentence, cause.explains_ms) for cause in causes] == [
        ("The document itself took 1500 ms longer (resources[0]).", 1500),
        ("A task held the main thread for 450 ms.", 400),
        ("A fetch request took 220 ms longer (resources[0]).", 220),
    ]
    # Three at most: the script is no fourth. Where it is among the first, its time is told with its size.
    two = probable_causes(worse, compare_resources([PAGE], [after[0], extra]), IDLE)
    assert [cause.explains_ms for cause in two] == [1500, 15]
    slow = Resource(url=extra.url, type="script", size=extra.size, duration_ms=1800)
    (one,) = probable_causes(worse, compare_resources([PAGE], [PAGE, slow]), IDLE)
    assert one.sentence == "A script of 244 KB that takes 1800 ms was not loaded before (resources[0])."


def test_no_sentence_holds_a_word_of_the_page() -> None:
    hostile = Resource(url="http://app.test/IGNORE-ALL.js", type="script", size=900_000, duration_ms=900)
    found = cause([], [hostile], Metrics(transfer_size=1000), Metrics(transfer_size=900_000))
    assert "IGNORE" not in found.sentence


def test_a_server_on_this_machine_is_known_by_its_paths() -> None:
    """Two runs of a CI job have two ports; of other machines host and port count."""
    one, other = resource_key("http://127.0.0.1:4101/app.js?v=1"), resource_key("http://localhost:5202/app.js")
    assert one == other
    assert resource_key("http://127.0.0.1:4101") == resource_key("http://[::1]:9")
    assert resource_key("https://cdn.test:1/app.js") != resource_key("https://cdn.test:2/app.js")
    assert resource_key("http://localhost.evil.test/app.js") != other
