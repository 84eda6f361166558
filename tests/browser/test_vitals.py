"""Web vitals, long tasks and route changes of real pages, beside what web-vitals measures in the page itself."""

from typing import Any

import pytest

import gasoline_cdp.capture.page
from gasoline_cdp import limits
from gasoline_cdp.capture.observers import OBSERVERS
from gasoline_cdp.config import Config
from gasoline_cdp.records import PerformanceRecord, Record, VitalsRecord
from tests.processes import until
from tests.support import Watch, open_watch

pytestmark = pytest.mark.requirement("F2-VITALS")


@pytest.fixture(autouse=True)
def _settles_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PERFORMANCE_SETTLE_SECONDS", 0.05)


async def open_page(watch: Watch, url: str) -> None:
    """Open the slow page, and wait until all that it does by itself is done."""
    await watch.open(url)
    await watch.evaluate(
        "new Promise((done) => { const look = () => document.documentElement.dataset.state ? done() :"
        " requestAnimationFrame(look); look(); })"
    )


async def click(watch: Watch, element: str) -> None:
    x, y = await watch.evaluate(
        f"(() => {{ const {{x, y}} = document.getElementById('{element}').getBoundingClientRect();"
        " return [x + 5, y + 5]; })()"
    )
    for kind in ("mousePressed", "mouseReleased"):
        await watch.tab.session.send(
            "Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
        )


def vitals_of(watch: Watch) -> VitalsRecord | None:
    tab = watch.tab
    return watch.telemetry.performance.vitals_of(tab.tab_id, tab.source.navigation)[0]


def route_of(watch: Watch) -> VitalsRecord | None:
    tab = watch.tab
    return watch.telemetry.performance.vitals_of(tab.tab_id, tab.source.navigation)[1]


def values_of(record: VitalsRecord | None) -> dict[str, float]:
    return {name: vital.value for name, vital in record.vitals.items()} if record else {}


def snapshot_of(watch: Watch, path: str, *, soft: bool = False) -> PerformanceRecord | None:
    known = watch.telemetry.performance.newest()
    return next((record for record in known if record.path == path and record.soft_navigation == soft), None)


async def agreed(watch: Watch, *names: str, within: float = 1) -> VitalsRecord:
    """Wait until we know what the page itself measured, for exactly these metrics: 1 ms, or 0.001 for CLS."""
    seen: list[Any] = []

    async def agree() -> bool:
        measured, ours = await watch.evaluate("window.measured"), values_of(vitals_of(watch))
        seen[:] = [measured, ours]
        return measured.keys() == ours.keys() == set(names) and all(
            abs(measured[name] - ours[name]) <= (0.001 if name == "CLS" else within) for name in names
        )

    try:
        await until(agree)
    except BaseException as error:
        error.add_note(f"the page measured {seen[0]}, we have {seen[1]}")
        raise
    record = vitals_of(watch)
    assert record is not None
    return record


async def test_a_load_is_measured_as_web_vitals_does(watch: Watch, site: str) -> None:
    await open_page(watch, f"{site}page/vitals?wait=200")
    record = await agreed(watch, "FCP", "LCP", "CLS", "TTFB")
    assert record.url == f"{site}page/vitals?wait=200"
    assert (record.navigation_type, record.soft_navigation, record.hidden) == ("navigate", False, False)
    assert record.vitals["TTFB"].value >= 200
    lcp = record.vitals["LCP"]
    assert (lcp.details["target"], lcp.details["tag"]) == ("#hero", "img")
    assert lcp.details["url"] == f"{site}picture?wait=150"
    assert sum(lcp.details["phases"].values()) == pytest.approx(lcp.value, abs=1)
    assert lcp.details["phases"]["resource_load_duration"] >= 140
    cls = record.vitals["CLS"]
    assert cls.value > 0.05
    assert cls.details["target"] == "html > body > main"
    moved = [element for shift in cls.details["shifts"] for element in shift["elements"]]
    assert {"target": "html > body > main", "tag": "main"} in moved


async def test_an_interaction_is_measured_with_its_target_phases_and_script(watch: Watch, site: str) -> None:
    await open_page(watch, f"{site}page/vitals")
    await click(watch, "slow")
    record = await agreed(watch, "FCP", "LCP", "CLS", "TTFB", "INP")

    async def blamed() -> bool:
        found = vitals_of(watch)
        return found is not None and "script" in found.vitals["INP"].details

    # The browser tells of the frame in which the script ran, and so of the script, in its own time.
    await until(blamed)
    inp = (vitals_of(watch) or record).vitals["INP"]
    assert inp.value >= 120
    assert (inp.details["target"], inp.details["tag"], inp.details["interaction"]) == ("#slow", "button", "pointer")
    assert inp.details["phases"]["processing_duration"] >= 110
    assert inp.details["script"]["url"] == f"{site}script/vitals.js"
    # What comes late is filled into the snapshot that was taken before.
    snapshot = await watch.until(lambda: snapshot_of(watch, "/page/vitals"))
    assert snapshot.timing.interaction_to_next_paint == inp.value
    assert snapshot.cumulative_layout_shift == record.vitals["CLS"].value


async def test_a_navigation_is_summed_up_once(watch: Watch, site: str) -> None:
    snapshots: list[PerformanceRecord] = []

    def hear(record: Record) -> None:
        if isinstance(record, PerformanceRecord):
            snapshots.append(record)

    with watch.telemetry.listening(hear):
        await open_page(watch, f"{site}page/vitals?wait=100#part")
        await watch.until(lambda: snapshots)
        await agreed(watch, "FCP", "LCP", "CLS", "TTFB")
    assert len({(record.seq, record.page_id) for record in snapshots}) == 1
    snapshot = snapshots[-1]
    assert (snapshot.path, snapshot.soft_navigation) == ("/page/vitals", False)
    timing = snapshot.timing
    entry = await watch.evaluate("performance.getEntriesByType('navigation')[0].toJSON()")
    assert timing.dom_interactive == pytest.approx(entry["domInteractive"], abs=0.1)
    assert timing.dom_content_loaded == pytest.approx(entry["domContentLoadedEventEnd"], abs=0.1)
    assert timing.load == pytest.approx(entry["loadEventEnd"], abs=0.1)
    assert timing.time_to_first_byte == pytest.approx(entry["responseStart"], abs=0.1)
    assert timing.interaction_to_next_paint is None
    network = snapshot.network
    assert network.complete
    # The document, three scripts, the picture, and the document of the frame. The icon is no request.
    counts = {name: totals.count for name, totals in network.by_type.items()}
    assert counts == {"script": 3, "style": 0, "image": 1, "font": 0, "fetch": 0, "other": 2}
    requests = [record for record in watch.telemetry.network.newest() if not record.url.startswith("data:")]
    assert network.request_count == len(requests) == 6
    assert network.transfer_size == sum(record.encoded_bytes for record in requests) > 20_000
    assert network.by_type["image"].size > 20_000
    slowest = sorted(requests, key=lambda record: -(record.duration_ms or 0))[:3]
    assert [request.id for request in network.slowest_requests] == [record.id for record in slowest]
    assert network.slowest_requests[0].duration_ms >= 150
    tasks = snapshot.long_tasks
    assert tasks.count >= 1
    assert tasks.longest >= 150
    assert tasks.total_blocking_time >= 100
    assert tasks.entries[0]["duration"] == tasks.longest
    ground = next(task for task in tasks.entries if task.get("script", {}).get("function") == "grind")
    assert ground["duration"] >= 150
    assert ground["script"]["url"] == f"{site}script/vitals.js"


async def test_a_route_change_is_a_navigation_of_its_own(watch: Watch, site: str) -> None:
    await open_page(watch, f"{site}page/vitals")
    await watch.until(lambda: snapshot_of(watch, "/page/vitals"))
    before = await agreed(watch, "FCP", "LCP", "CLS", "TTFB")
    await click(watch, "route")
    snapshot = await watch.until(lambda: snapshot_of(watch, "/page/vitals-route", soft=True))
    assert snapshot.soft_navigation
    assert "abcdefgh1234" not in repr(snapshot)
    assert snapshot.timing.load is None
    assert snapshot.timing.time_to_first_byte is None
    assert snapshot.cumulative_layout_shift == 0
    await watch.request("from-route")
    # The browser recognises a route change that follows a click, and measures its paints.
    route = await watch.until(lambda: (record := route_of(watch)) and "LCP" in record.vitals and record)
    assert route.vitals["LCP"].details["target"] == "#there"
    assert 0 < route.vitals["FCP"].value <= route.vitals["LCP"].value < 1000
    await click(watch, "slow")
    route = await watch.until(lambda: (record := route_of(watch)) and "INP" in record.vitals and record)
    assert route.vitals["INP"].value >= 120
    assert route.vitals["INP"].details["target"] == "#slow"
    # The document's own vitals go on as web-vitals has them.
    after = await agreed(watch, "FCP", "LCP", "CLS", "TTFB", "INP")
    assert after.page_id == before.page_id != route.page_id
    filled = snapshot_of(watch, "/page/vitals-route", soft=True)
    assert filled is not None
    assert filled.timing.interaction_to_next_paint == route.vitals["INP"].value
    assert filled.network.request_count == 1
    assert filled.network.by_type["fetch"].count == 1
    # Back within the document: a route change as well, without a click in the page.
    await watch.evaluate("history.back()")
    back = await watch.until(lambda: snapshot_of(watch, "/page/vitals", soft=True))
    assert back.network.request_count == 0
    assert snapshot_of(watch, "/page/vitals") is not None


async def test_a_route_change_without_a_click_has_its_shifts_and_says_what_is_not_known(
    watch: Watch, site: str
) -> None:
    await open_page(watch, f"{site}page/vitals")
    await agreed(watch, "FCP", "LCP", "CLS", "TTFB")
    await watch.evaluate("history.pushState(null, '', '/page/elsewhere#part'); history.pushState(null, '', '#other')")
    await watch.until(lambda: snapshot_of(watch, "/page/elsewhere", soft=True))
    await watch.evaluate(
        "new Promise((done) => requestAnimationFrame(() => { banner.style.height = '240px';"
        " requestAnimationFrame(done); }))"
    )
    route = await watch.until(lambda: (found := route_of(watch)) and found.vitals["CLS"].value > 0 and found)
    assert route.vitals["CLS"].value == pytest.approx(route.vitals["CLS"].details["shifts"][0]["value"])
    assert {"target": "html > body > main", "tag": "main"} in route.vitals["CLS"].details["shifts"][0]["elements"]
    answer = await watch.call("observe", what="vitals")
    metrics = answer["soft_navigation"]["metrics"]
    assert metrics["LCP"]["reason"] == "the browser measured no paint for this route change"
    assert metrics["TTFB"]["reason"] == "no document was requested"
    assert metrics["INP"]["reason"] == "no interaction slower than 40 ms yet"
    # One chapter: a new fragment is no new route.
    assert answer["soft_navigation"]["url"] == f"{site}page/elsewhere"


async def test_a_load_that_is_left_for_a_route_is_summed_up_at_once(
    attach_config: Config, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "PERFORMANCE_SETTLE_SECONDS", 600)
    async with open_watch(attach_config) as watch:
        await open_page(watch, f"{site}page/vitals")
        await agreed(watch, "FCP", "LCP", "CLS", "TTFB")
        assert watch.telemetry.performance.newest() == []
        await click(watch, "route")
        snapshot = await watch.until(lambda: snapshot_of(watch, "/page/vitals"))
        # What the route asks for is not of the load.
        assert (snapshot.network.request_count, snapshot.network.by_type["fetch"].count) == (6, 0)
        await watch.evaluate("history.pushState(null, '', '/page/further')")
        await watch.until(lambda: (found := route_of(watch)) and found.url.endswith("/further"))
        # A route that has not settled is not summed up.
        assert len(watch.telemetry.performance.newest()) == 1
        await watch.close(watch.tab)


async def test_sending_the_visitor_on_is_part_of_the_load(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/vitals-redirect")
    snapshot = await watch.until(lambda: snapshot_of(watch, "/page/home"))
    assert not snapshot.soft_navigation
    assert [record.path for record in watch.telemetry.performance.newest()] == ["/page/home"]
    assert snapshot.network.complete


async def test_a_page_from_the_back_forward_cache_is_measured_anew(watch: Watch, site: str) -> None:
    await open_page(watch, f"{site}page/vitals")
    first = await agreed(watch, "FCP", "LCP", "CLS", "TTFB")
    await watch.until(lambda: snapshot_of(watch, "/page/vitals"))
    await watch.open(f"{site}page/blank")
    await watch.until(lambda: "LCP" in values_of(vitals_of(watch)))
    navigation = watch.tab.source.navigation
    await watch.evaluate("history.back()")
    await watch.until(lambda: watch.tab.source.navigation > navigation)
    # Each copy of web-vitals reads the clock for itself here, one after the other in the same frame.
    record = await agreed(watch, "FCP", "LCP", "CLS", "TTFB", within=50)
    assert record.navigation_type == "back-forward-cache"
    assert record.source.navigation == watch.tab.source.navigation
    assert record.page_id != first.page_id
    assert record.vitals["TTFB"].value == 0
    # Nothing was loaded: the snapshot is still that of the first visit.
    snapshot = snapshot_of(watch, "/page/vitals")
    assert snapshot is not None
    assert snapshot.page_id == first.page_id


async def test_a_page_in_the_background_says_why_it_has_no_paint(watch: Watch, site: str) -> None:
    tab = watch.tab
    assert watch.daemon.root is not None
    front = (await watch.daemon.root.send("Target.createTarget", {"url": "about:blank"}))["targetId"]
    await watch.until(lambda: watch.daemon.context.tabs.by_target(front))
    await tab.session.send("Page.navigate", {"url": f"{site}page/blank"})
    store = watch.telemetry.performance
    record = await watch.until(
        lambda: (found := store.vitals_of(tab.tab_id, tab.source.navigation)[0]) and "TTFB" in found.vitals and found
    )
    assert record.hidden
    assert set(record.vitals) == {"TTFB"}
    answer = await watch.call("observe", what="vitals", tab_id=tab.tab_id)
    reasons = {name: metric.get("reason") for name, metric in answer["page"]["metrics"].items()}
    background = "the page was in the background when it loaded"
    assert reasons == {
        "FCP": background,
        "LCP": background,
        "CLS": background,
        "INP": "no interaction yet",
        "TTFB": None,
    }


async def test_only_the_page_itself_reports_not_its_frames(watch: Watch, site: str) -> None:
    heard: list[Record] = []
    with watch.telemetry.listening(heard.append):
        await open_page(watch, f"{site}page/vitals")
        await agreed(watch, "FCP", "LCP", "CLS", "TTFB")
    ours = [record for record in heard if isinstance(record, VitalsRecord | PerformanceRecord)]
    assert len({record.page_id for record in ours}) == 1
    assert {record.source.url for record in ours} == {f"{site}page/vitals"}


async def test_a_strict_page_is_measured_and_sees_nothing_of_it(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/vitals-strict")
    record = await watch.until(
        lambda: (found := vitals_of(watch)) and {"LCP", "CLS", "TTFB"} <= found.vitals.keys() and found
    )
    assert record.vitals["LCP"].details["target"] == "html > body > form > h1"
    assert await watch.until(lambda: snapshot_of(watch, "/page/vitals-strict"))
    own = [log for log in watch.telemetry.logs.newest() if log.source.tab_id == watch.tab.tab_id]
    assert [log.text for log in own if log.kind != "event"] == []


async def test_the_globals_of_the_page_are_its_own(
    attach_config: Config, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    for observers in (OBSERVERS, ()):
        monkeypatch.setattr(gasoline_cdp.capture.page, "OBSERVERS", observers)
        async with open_watch(attach_config) as watch:
            await watch.open(f"{site}page/blank")
            if observers:
                await watch.until(lambda: vitals_of(watch))
            seen.append(
                await watch.evaluate(
                    "[Object.getOwnPropertyNames(window), String(requestIdleCallback), String(PerformanceObserver),"
                    " Object.getOwnPropertyNames(performance), typeof webVitals]"
                )
            )
            await watch.close(watch.tab)
    assert seen[0] == seen[1]


async def test_a_page_opened_before_we_came_is_measured_too(watch: Watch, attach_config: Config, site: str) -> None:
    await open_page(watch, f"{site}page/vitals")
    record = await agreed(watch, "FCP", "LCP", "CLS", "TTFB")
    async with open_watch(attach_config) as second:
        url = f"{site}page/vitals"
        tab = await second.until(
            lambda: next((tab for tab in second.daemon.context.tabs.open() if tab.source.url == url), None)
        )
        late = await second.until(
            lambda: (
                (found := second.telemetry.performance.vitals_of(tab.tab_id, 0)[0])
                and {"FCP", "LCP", "CLS", "TTFB"} <= found.vitals.keys()
                and found
            )
        )
        assert values_of(late) == pytest.approx(values_of(record), abs=0.001)
        snapshot = await second.until(lambda: snapshot_of(second, "/page/vitals"))
        assert not snapshot.network.complete
        answer = await second.call("observe", what="performance", url_filter="/page/vitals")
        assert "may be missing" in answer["snapshot"]["note"]
        await second.close(second.tab)


async def test_the_views_tell_values_ratings_and_causes(watch: Watch, site: str) -> None:
    assert (await watch.call("observe", what="vitals"))["page"] is None
    empty = await watch.call("observe", what="performance")
    assert (empty["snapshot"], empty["paths"]) == (None, [])
    await open_page(watch, f"{site}page/vitals")
    await agreed(watch, "FCP", "LCP", "CLS", "TTFB")
    answer = await watch.call("observe", what="vitals")
    metrics = answer["page"]["metrics"]
    assert metrics["LCP"]["rating"] == "good"
    assert metrics["LCP"]["target"] == "#hero"
    assert metrics["CLS"]["rating"] == "needs-improvement" or metrics["CLS"]["value"] <= 0.1
    assert metrics["INP"] == {"value": None, "rating": None, "reason": "no interaction yet"}
    assert answer["page"]["long_tasks"]["count"] >= 1
    await watch.open(f"{site}page/blank?quiet")
    await watch.until(lambda: snapshot_of(watch, "/page/blank"))
    last = await watch.call("observe", what="performance")
    assert last["snapshot"]["path"] == "/page/blank"
    assert [entry["path"] for entry in last["paths"]] == ["/page/blank", "/page/vitals"]
    named = await watch.call("observe", what="performance", url_filter="/page/vitals")
    assert named["snapshot"]["ratings"]["LCP"] == "good"
    assert named["snapshot"]["unknown"] == {"INP": "no interaction yet"}
    assert set(named["snapshot"]["network"]["by_type"]) == {"script", "style", "image", "font", "fetch", "other"}
    missing = await watch.call("observe", what="performance", url_filter="/nowhere")
    assert missing["snapshot"] is None
    small = await watch.call("observe", what="performance", url_filter="/page/vitals", max_bytes=2048)
    assert small["snapshot"]["path"] == "/page/vitals"


async def test_a_page_s_own_timers_are_numbered_as_if_nobody_watched(watch: Watch, site: str) -> None:
    """Nor can a page that clears every timer there could be silence the observers."""
    await watch.go(f"{site}page/blank")
    await watch.log("page/blank")
    numbers = "[setTimeout(() => {}), requestIdleCallback(() => {})]"
    assert (
        await watch.evaluate("for (let id = 1; id < 1000; id++) { clearTimeout(id); cancelIdleCallback(id); }") is None
    )
    await watch.until(lambda: snapshot_of(watch, "/page/blank"))
    assert await watch.evaluate(numbers) == [1, 1]
    await watch.evaluate("history.pushState(null, '', '/page/elsewhere')")
    await watch.until(lambda: snapshot_of(watch, "/page/elsewhere", soft=True))
    assert await watch.evaluate(numbers) == [2, 2]
