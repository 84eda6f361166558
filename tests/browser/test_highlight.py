"""highlight_element: what a person sees of it, where it is, and that nothing of it is left."""

from base64 import b64decode
from collections.abc import AsyncIterator
from typing import Any

import pytest
import trio

from gasoline_cdp.daemon import Config
from tests.support import PATIENCE, Watch

pytestmark = pytest.mark.requirement("F4-HIGHLIGHT")


@pytest.fixture
def attach_config(chromium: str) -> Config:
    return Config(mode="attach", ws_endpoint=chromium, url="about:blank", pilot=True, strict=True)


@pytest.fixture
async def page(watch: Watch, site: str) -> AsyncIterator[Watch]:
    await watch.open(f"{site}page/pilot")
    await watch.tab.session.send("Page.bringToFront")
    yield watch


async def highlight(watch: Watch, selector: str, **more: Any) -> dict[str, Any]:
    return await watch.call("highlight_element", selector=selector, **more)


async def picture(watch: Watch, x: float, y: float, width: float = 150, height: float = 80) -> bytes:
    """A part of the visible page as pixels, what the browser draws above it included."""
    clip = {"x": x, "y": y, "width": width, "height": height, "scale": 1}
    reply = await watch.tab.session.send("Page.captureScreenshot", {"format": "png", "clip": clip})
    return b64decode(reply["data"])


async def shows(watch: Watch, other_than: bytes, *place: float, same: bool = False) -> bytes:
    """Wait until a part of the page looks otherwise (or so again)."""
    with trio.fail_after(PATIENCE):
        while ((now := await picture(watch, *place)) == other_than) is not same:
            pass
    return now


@pytest.mark.requirement("F4-SEED")
async def test_highlight_lifecycle(page: Watch) -> None:
    plain = await picture(page, 20, 40)
    answer = await highlight(page, "#save", duration_ms=400)
    assert answer == {
        "success": True,
        "selector": "#save",
        "bounds": {"x": 40, "y": 60, "width": 120, "height": 32},
        "tab_id": page.tab.tab_id,
    }
    await shows(page, plain, 20, 40)
    # Gone after its time, with nobody asking.
    await shows(page, plain, 20, 40, same=True)


async def test_the_next_one_replaces_it(page: Watch) -> None:
    first, second = await picture(page, 20, 40), await picture(page, 200, 300)
    await highlight(page, "#save", duration_ms=60_000)
    await shows(page, first, 20, 40)
    await highlight(page, "#framed", duration_ms=60_000)
    await shows(page, second, 200, 300)
    await shows(page, first, 20, 40, same=True)


async def test_it_follows_scrolling_and_changes_of_layout(page: Watch) -> None:
    plain = await picture(page, 300, 40)
    await highlight(page, "#save", duration_ms=60_000)
    marked = await picture(page, 30, 55, 140, 40)
    # A clip goes by places of the page, so the mark has moved with the page if the picture is the same.
    await page.evaluate("scrollTo(0, 20)")
    await shows(page, marked, 30, 55, 140, 40, same=True)
    await page.evaluate("scrollTo(0, 0); document.getElementById('save').style.left = '320px'")
    await shows(page, plain, 300, 40)
    await shows(page, marked, 310, 55, 140, 40, same=True)


async def test_frames_and_shadow_roots_are_looked_into(page: Watch) -> None:
    assert (await highlight(page, ".shaded"))["success"] is True
    framed = await highlight(page, "#framed")
    assert framed["bounds"] == {"x": 200 + 5 + 10, "y": 300 + 5 + 20, "width": 80, "height": 30}
    # The first in document order.
    assert (await highlight(page, "button"))["bounds"]["x"] == 40


async def test_what_a_person_cannot_see_is_said(page: Watch) -> None:
    assert "outside the visible part" in (await highlight(page, "#far"))["note"]
    assert "not drawn" in (await highlight(page, "#hidden"))["note"]


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
    plain = await picture(page, 20, 40)
    await highlight(page, "#save", duration_ms=60_000)
    await shows(page, plain, 20, 40)
    page.context.pilot.switch(on=False, by="person")
    await shows(page, plain, 20, 40, same=True)


async def test_a_page_that_is_left_takes_its_mark_along(page: Watch, site: str) -> None:
    await highlight(page, "#save", duration_ms=60_000)
    await page.open(f"{site}page/blank")
    plain = await picture(page, 20, 40)
    await page.open(f"{site}page/blank?again")
    assert await picture(page, 20, 40) == plain
    assert (await highlight(page, "body"))["success"] is True


async def test_a_hung_page_is_named(page: Watch) -> None:
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
