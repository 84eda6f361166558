"""Pages that load, shift and respond in many ways: our vitals are those that web-vitals measures in the page itself.

Returns from the back/forward cache and tabs in the background are in test_vitals.py.
"""

from collections.abc import AsyncIterator

import pytest
import trio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from gasoline_cdp.analysis.performance.loads import values_of
from gasoline_cdp.frontends.http.loopback import serve_app
from tests.browser.test_vitals import agreed, click, snapshot_of, vitals_of
from tests.browser.test_vitals import values_of as values_of_page
from tests.processes import until
from tests.site.app import picture, script, vendored_script
from tests.support import Watch

pytestmark = pytest.mark.requirement("F2-VITALS")

_HEAD = """<!doctype html><html lang="en"><title>Vitals</title><link rel="icon" href="data:,">
<style>body { margin: 0 } nav { position: fixed; bottom: 0; right: 0 }</style>
<script src="/vendor/web-vitals.js"></script><script src="/script/vitals-reference.js"></script>
<script>
  const busy = (ms) => { const end = performance.now() + ms; while (performance.now() < end); };
  const frame = () => new Promise(requestAnimationFrame);
  // Two frames: what was changed has been painted by then.
  const done = async () => { await frame(); await frame(); document.documentElement.dataset.state = "done"; };
  const later = (ms, change) => setTimeout(() => { change(); done(); }, ms);
</script>"""
_WORDS = "<p style='font-size:30px'>" + "Some words to be painted. " * 20 + "</p>"
_LOADED = "<script>addEventListener('load', done)</script>"
_BUTTON = "<nav><button id='go'>Go</button></nav>"

PAGES = {
    "text": _WORDS + _LOADED,
    "late-image": f"<h1>Late</h1><img src='/picture?wait=200' width=600 height=400 alt=''>{_LOADED}",
    "late-text": f"<h1>Late</h1><main id=m></main><script>later(150, () => m.innerHTML = `{_WORDS}`)</script>",
    "banner": f"<div id=b></div>{_WORDS}<script>later(120, () => b.style.height = '200px')</script>",
    "many-shifts": f"""<div id=b></div>{_WORDS}<script>(async () => {{
      for (let n = 1; n < 7; n++) {{ await new Promise((r) => setTimeout(r, 60)); b.style.height = n * 20 + 'px'; }}
      done(); }})()</script>""",
    "unsized-image": f"<img src='/picture?wait=150' alt=''>{_WORDS}{_LOADED}",
    "background-image": f"<div style='width:700px;height:500px;background:url(/picture?wait=80)'></div>{_LOADED}",
    "poster": f"<video poster='/picture?wait=60' width=640 height=480></video><p>Words</p>{_LOADED}",
    "shadow": f"""<h1>Light</h1><div id=host></div><script>
      host.attachShadow({{mode: 'open'}}).innerHTML = `{_WORDS}`; addEventListener('load', done)</script>""",
    "busy-start": f"<script>busy(150)</script>{_WORDS}{_LOADED}",
    "slow-server": _WORDS + _LOADED,
    "slow-click": f"{_WORDS}{_BUTTON}<script>go.onclick = () => busy(120)</script>{_LOADED}",
    "slow-then-slower": f"{_WORDS}{_BUTTON}<script>let n = 60; go.onclick = () => busy(n += 50)</script>{_LOADED}",
    "slow-key": f"{_WORDS}<input id=field autofocus><script>field.onkeydown = () => busy(110)</script>{_LOADED}",
}
_CLICKS = {"slow-click": 1, "slow-then-slower": 2}
# Left while they are being used, or as soon as they have loaded. What the library says last, the next page remembers.
_REMEMBER = """<script>for (const name of ["FCP", "LCP", "CLS", "INP", "TTFB"]) {
  webVitals[`on${name}`](({value}) => sessionStorage.setItem(name, value), {reportAllChanges: true});
}
// How long a click took at least, for its handlers, and at most, until the page was left.
const since = (event) => performance.now() - event.timeStamp;
addEventListener("click", (event) => {
  sessionStorage.setItem("handled", since(event));
  addEventListener("pagehide", () => sessionStorage.setItem("left", since(event)));
});</script>"""
LEFT = {
    "busy-click": f"{_WORDS}{_BUTTON}<script>go.onclick = () => {{ busy(120); location = '/text' }}</script>",
    "link": f"{_WORDS}<nav><a id=go href=/text>Go</a></nav><script>go.onclick = () => busy(60)</script>",
    "later": f"{_WORDS}{_BUTTON}<script>go.onclick = () => setTimeout(() => location = '/text', 140)</script>",
    "form": f"{_WORDS}<form action=/text>{_BUTTON}</form><script>go.onclick = () => busy(80)</script>",
    "unused": f"{_WORDS}<script>addEventListener('load', () => setTimeout(() => location = '/text', 300))</script>",
}


@pytest.fixture
async def pages() -> AsyncIterator[str]:
    async def page(request: Request) -> Response:
        name = request.path_params["name"]
        await trio.sleep(0.3 if name == "slow-server" else 0)
        return HTMLResponse(_HEAD + (PAGES[name] if name in PAGES else _REMEMBER + LEFT[name] + _LOADED))

    routes = [
        Route("/{name}", page),
        Route("/picture", picture),
        Route("/vendor/{name}.js", vendored_script),
        Route("/script/{name}.js", script),
    ]
    async with serve_app(Starlette(routes=[routes[1], *routes[2:], routes[0]])) as url:
        yield url


@pytest.mark.parametrize("name", PAGES)
async def test_vitals_are_those_of_web_vitals(name: str, watch: Watch, pages: str) -> None:
    await watch.open(f"{pages}{name}")
    await watch.evaluate(
        "new Promise((done) => { const look = () => document.documentElement.dataset.state ? done() :"
        " requestAnimationFrame(look); look(); })"
    )
    metrics = ["FCP", "LCP", "CLS", "TTFB"]
    # The largest paint is final with the first interaction: both must have seen it by then.
    await agreed(watch, *metrics)
    for _ in range(_CLICKS.get(name, 0)):
        await click(watch, "go")
    if name == "slow-key":
        for kind in ("keyDown", "keyUp"):
            await watch.tab.session.send("Input.dispatchKeyEvent", {"type": kind, "key": "a", "text": "a"})
    if name.startswith("slow-") and name != "slow-server":
        metrics.append("INP")

        async def slow_one_is_measured() -> bool:
            # Pressing counts too, and is told first: both may agree on that for a moment.
            return bool((await watch.evaluate("window.measured")).get("INP", 0) >= 100)

        await until(slow_one_is_measured)
    record = await agreed(watch, *metrics)
    if name == "slow-server":
        assert record.vitals["TTFB"].value >= 300
    if name in {"banner", "many-shifts", "unsized-image"}:
        assert record.vitals["CLS"].value > 0
    if "INP" in metrics:
        assert record.vitals["INP"].value >= 100


@pytest.mark.parametrize("name", LEFT)
async def test_a_page_that_is_left_at_once_is_measured_to_its_end(name: str, watch: Watch, pages: str) -> None:
    await watch.open(f"{pages}{name}")
    navigation = watch.tab.source.navigation
    if name != "unused":
        await agreed(watch, "FCP", "LCP", "CLS", "TTFB")
        await click(watch, "go")
    await watch.until(lambda: watch.tab.source.navigation > navigation)
    kept = await watch.evaluate("({...sessionStorage})")
    expected = {metric: float(value) for metric, value in kept.items()}
    handled, left = expected.pop("handled", 0.0), expected.pop("left", 0.0)
    assert ("INP" in expected) == (name != "unused")

    def measured() -> dict[str, float]:
        snapshot = snapshot_of(watch, f"/{name}")
        assert snapshot is None or snapshot.left_early
        return {str(metric): value for metric, value in values_of(snapshot).items()} if snapshot else {}

    await watch.until(lambda: measured().keys() == expected.keys())
    # The last interaction has no next frame. When it ended, the browser, web-vitals and we each say a moment after the
    # other, on a busy machine a long one; in steps of 8 ms.
    if "INP" in expected:
        assert handled - 8 <= expected.pop("INP") <= left + 8
        assert handled - 8 <= measured()["INP"] <= left + 8
    for metric, value in expected.items():
        assert measured()[metric] == pytest.approx(value, abs=0.001 if metric == "CLS" else 1), metric


async def test_a_page_left_by_the_browser_itself_is_summed_up(watch: Watch, pages: str) -> None:
    """By the address bar or a reload: the page is not told of it beforehand."""
    await watch.open(f"{pages}banner")
    await agreed(watch, "FCP", "LCP", "CLS", "TTFB")
    first = values_of_page(vitals_of(watch))
    await watch.open(f"{pages}text")
    snapshot = snapshot_of(watch, "/banner")
    assert snapshot is not None
    assert snapshot.left_early
    assert values_of(snapshot) == first
    assert snapshot.timing.load is not None
    answer = await watch.call("check_performance", url="/banner")
    assert "left before it settled" in answer["snapshot"]["note"]
