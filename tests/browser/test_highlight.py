"""highlight_element: what a person sees of it, where it is, and that nothing of it is left."""

import re
from base64 import b64encode
from typing import Any

import pytest
import trio

from gasoline_cdp.browser.attached import Attached
from gasoline_cdp.config import Config, ServeOptions
from gasoline_cdp.probe.elements import frames_of
from tests.pilot import looks, picture, signed, still
from tests.support import PATIENCE, Watch

pytestmark = pytest.mark.requirement("F4-HIGHLIGHT")


@pytest.fixture
def attach_config(chromium: str) -> Config:
    return Config(
        browser=Attached(ws_endpoint=chromium), serve=ServeOptions(pilot=True), url="about:blank", strict=True
    )


@pytest.fixture
async def page(watch: Watch, site: str) -> Watch:
    await watch.open(f"{site}page/pilot")
    await watch.tab.session.send("Page.bringToFront")
    await signed(watch, True)
    return watch


async def highlight(watch: Watch, selector: str, **more: Any) -> dict[str, Any]:
    return await watch.call("highlight_element", selector=selector, **more)


async def seen(watch: Watch) -> bytes:
    return await picture(watch.tab.session)


async def marked(watch: Watch, selector: str, plain: bytes) -> bytes:
    """Mark an element, and wait until that is seen."""
    await highlight(watch, selector, duration_ms=60_000)
    with trio.fail_after(PATIENCE):
        # A mark has several parts, which are not drawn all at once.
        while (now := await still(watch)) == plain:
            pass
    return now


@pytest.mark.requirement("F4-SEED")
async def test_highlight_lifecycle(page: Watch) -> None:
    plain = await still(page)
    answer = await highlight(page, "#save", duration_ms=1000)
    assert answer == {
        "success": True,
        "selector": "#save",
        "bounds": {"x": 40, "y": 60, "width": 120, "height": 32},
        "tab_id": page.tab.tab_id,
    }
    with trio.fail_after(PATIENCE):
        while await seen(page) == plain:
            pass
    # Gone after its time, with nobody asking.
    await looks(page, plain)


@pytest.mark.parametrize("style", ["border: 0", "border: 0; padding: 0", "border: 3px solid white"])
async def test_every_box_has_a_frame(page: Watch, style: str) -> None:
    await page.evaluate(
        f"document.getElementById('save').style.cssText += '; {style}; background: white; color: white'"
    )
    await marked(page, "#save", await still(page))
    # The browser's own picture, read pixel by pixel in another document.
    source = f"data:image/png;base64,{b64encode(await seen(page)).decode()}"
    x, y, width, height = 40, 60, 120, 32
    red = await page.evaluate(
        f"""
        (async () => {{
          const picture = new Image();
          picture.src = "{source}";
          await picture.decode();
          const paper = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
          paper.drawImage(picture, 0, 0);
          const isRed = (x, y) => {{
            const [red, green, blue] = paper.getImageData(x, y, 1, 1).data;
            return red > 180 && green < 110 && blue < 110;
          }};
          const across = [], down = [];
          for (let x = {x - 3}; x < {x + width + 3}; x++) if (isRed(x, {y + height // 2})) across.push(x);
          for (let y = {y - 3}; y < {y + height + 3}; y++) if (isRed({x + width // 2}, y)) down.push(y);
          return [across, down];
        }})()
        """
    )
    for start, size, line in ((x, width, red[0]), (y, height, red[1])):
        assert line, red
        assert min(line) < start + 10
        assert max(line) > start + size - 10


async def test_the_next_one_replaces_it(page: Watch) -> None:
    plain = await still(page)
    other = await marked(page, "#framed", plain)
    first = await marked(page, "#save", other)
    assert first not in {plain, other}
    await highlight(page, "#framed", duration_ms=60_000)
    await looks(page, other)


@pytest.mark.parametrize(
    "change",
    ["scrollTo(0, 20)", "document.getElementById('save').style.left = '320px'", "document.body.style.zoom = 1.5"],
)
async def test_it_follows_the_element(page: Watch, change: str) -> None:
    plain = await still(page)
    before = await marked(page, "#save", plain)
    await page.evaluate(change)
    with trio.fail_after(PATIENCE):
        while (after := await still(page)) == before:
            pass
    # As if it had been marked where it is now.
    await highlight(page, "#save", duration_ms=60_000)
    await looks(page, after)


async def test_it_follows_a_resize(page: Watch) -> None:
    await page.evaluate("document.getElementById('save').style.cssText = 'left: 50%; width: 10%'")
    size = {"width": 500, "height": 400, "deviceScaleFactor": 1, "mobile": False}
    before = await marked(page, "#save", await still(page))
    await page.tab.session.send("Emulation.setDeviceMetricsOverride", size)
    resized = await still(page)
    assert resized != before
    bounds = (await highlight(page, "#save", duration_ms=60_000))["bounds"]
    assert bounds["width"] < 60
    await looks(page, resized)


async def test_frames_and_shadow_roots_are_looked_into(page: Watch) -> None:
    assert (await highlight(page, ".shaded"))["success"] is True
    framed = await highlight(page, "#framed")
    assert framed["bounds"] == {"x": 200 + 5 + 10, "y": 300 + 5 + 20, "width": 80, "height": 30}
    # The first in document order.
    assert (await highlight(page, "button"))["bounds"]["x"] == 40


async def test_selectors_of_other_answers_are_taken(page: Watch) -> None:
    inside = await page.call("query_dom", selector="#framed", pierce=True)
    selector = inside["matches"][0]["selector"]
    assert ">>>" in selector
    assert (await highlight(page, selector))["bounds"]["x"] == 200 + 5 + 10
    tree = await page.call("observe", what="accessibility_tree")
    reference = re.search(r'button "Save" (@\w+)', tree["tree"])
    assert reference
    assert (await highlight(page, f"ref={reference[1]}"))["bounds"]["x"] == 40
    error = await page.error("highlight_element", selector="#inner >>> #nothing")
    assert error["error"] == "element_not_found"


FOREIGN = """new Promise((done) => {
  const frame = document.createElement('iframe');
  frame.id = 'foreign';
  frame.style = 'left: 400px; top: 40px; padding: 3px; width: 300px; height: 200px';
  frame.src = %r;
  frame.onload = () => done();
  document.body.append(frame);
})"""
INSIDE = """document.body.innerHTML = '<button class=pay '
  + 'style="position: absolute; left: 10px; top: 20px; width: 80px; height: 30px; margin: 0">Pay</button>'"""


@pytest.mark.parametrize(
    ("page_host", "frame_host"),
    [("127.0.0.1", "localhost"), ("www.shop.localhost", "api.shop.localhost")],
    ids=["other process", "same process"],
)
async def test_frames_of_other_origins(watch: Watch, site: str, page_host: str, frame_host: str) -> None:
    await watch.open(f"{site}page/pilot".replace("127.0.0.1", page_host))
    await watch.tab.session.send("Page.bringToFront")
    await signed(watch, True)
    await watch.evaluate(FOREIGN % f"{site}page/blank".replace("127.0.0.1", frame_host))
    (_, frame) = [place for place in await frames_of(watch.tab) if "inner" not in place.path]
    assert (frame.world.session is watch.tab.session) is (page_host != "127.0.0.1")
    await frame.world.call(f"() => {{ {INSIDE} }}")
    plain = await still(watch)
    before = await marked(watch, ".pay", plain)
    answer = await highlight(watch, ".pay", duration_ms=60_000)
    assert answer["bounds"] == {"x": 400 + 5 + 3 + 10, "y": 40 + 5 + 3 + 20, "width": 80, "height": 30}
    assert "note" not in answer
    await looks(watch, before)
    # It moves with what is around it, and the next one takes its place.
    await watch.evaluate("document.getElementById('foreign').style.top = '80px'")
    with trio.fail_after(PATIENCE):
        while await seen(watch) == before:
            pass
    assert (await highlight(watch, "#foreign >>> .pay"))["bounds"]["y"] == 80 + 5 + 3 + 20
    await watch.evaluate("document.getElementById('foreign').style.top = '40px'")
    await highlight(watch, ".pay", duration_ms=1)
    await looks(watch, plain)
    assert await frame.world.call("() => document.body.childElementCount") == 1


async def test_what_a_person_cannot_see_is_said(page: Watch) -> None:
    assert "outside the visible part" in (await highlight(page, "#far"))["note"]
    assert "hidden or has no size" in (await highlight(page, "#hidden"))["note"]


@pytest.mark.parametrize(
    ("selector", "code"),
    [
        ("#nothing", "element_not_found"),
        ("#", "invalid_selector"),
        ("", "invalid_selector"),
        ("a:unknown", "invalid_selector"),
        ("'); alert(1); ('", "invalid_selector"),
    ],
)
async def test_selectors_that_find_nothing(page: Watch, selector: str, code: str) -> None:
    error = await page.error("highlight_element", selector=selector)
    assert error["error"] == code
    assert error["details"]["selector"] == selector


async def test_arguments_are_bounded(page: Watch) -> None:
    assert (await page.error("highlight_element", selector="a", duration_ms=60_001))["error"] == "invalid_params"
    assert (await page.error("highlight_element", selector="a", duration_ms=0))["error"] == "invalid_params"


async def test_switched_off_no_mark_stays(page: Watch) -> None:
    marks = await marked(page, "#save", await still(page))
    page.context.pilot.switch(on=False, by="person")
    await signed(page, False)
    plain = await still(page)
    assert plain != marks
    # Nothing is left that a reload would remove.
    await page.tab.session.send("Page.reload")
    await page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    await looks(page, plain)


async def test_a_page_that_is_left_takes_its_mark_along(page: Watch, site: str) -> None:
    await highlight(page, "#save", duration_ms=60_000)
    await page.open(f"{site}page/blank")
    await signed(page, True)
    plain = await still(page)
    await page.open(f"{site}page/blank?again")
    await signed(page, True)
    await looks(page, plain)
    assert (await highlight(page, "body"))["success"] is True


async def test_a_hung_page_is_named(page: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gasoline_cdp.limits.PAGE_ANSWER_SECONDS", 1.0)
    page.tab.session.post("Runtime.evaluate", {"expression": "while(true){}"})
    error = await page.error("highlight_element", selector="#save")
    assert error["error"] == "page_hung"
    await page.tab.session.send("Runtime.terminateExecution")


@pytest.mark.requirement("F4-RESISTS")
@pytest.mark.parametrize("name", ["pilot-strict", "pilot-sandbox", "pilot-hostile"])
async def test_pages_that_resist(watch: Watch, site: str, name: str) -> None:
    """Every tool of the pilot works, and console, globals and document are as before."""
    url = f"{site}page/{name}"
    remember = """(() => {
      window.changes = [];
      new MutationObserver((records) => { changes[changes.length] = records.length })
        .observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
      window.told = () => { let names = ''; for (const name in window) names += name + ','; return names; };
      window.beforeNames = '';
      window.before = document.documentElement.outerHTML;
      window.beforeNames = told();
    })()"""
    await watch.open(url)
    await watch.evaluate(remember)
    said = [record.text for record in watch.telemetry.logs.newest() if record.kind != "event"]
    assert (await highlight(watch, "#save", duration_ms=1))["bounds"]["width"] > 0
    assert (await watch.call("execute_javascript", script="[document.title]"))["result"]
    assert (await watch.call("manage_state", action="save", snapshot_name="here"))["success"] is True
    loaded = await watch.call("manage_state", action="load", snapshot_name="here", include_url=False)
    assert loaded["success"] is True
    assert await watch.evaluate("changes.length") == 0
    assert await watch.evaluate("before === document.documentElement.outerHTML")
    assert await watch.evaluate("beforeNames === told()")
    if name == "pilot-hostile":
        assert await watch.evaluate("used.length") == 0
    assert [record.text for record in watch.telemetry.logs.newest() if record.kind != "event"] == said
    await watch.call("manage_state", action="load", snapshot_name="here")
