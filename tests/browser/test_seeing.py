"""Pictures of a page, and its accessibility tree."""

import json
import re
import struct
from base64 import b64encode
from typing import Any

import pytest

from gasoline_cdp import limits
from gasoline_cdp.frontends.mcp.library_server import tool_result
from gasoline_cdp.operations.answer import Answer
from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.tools.registry import TOOLS
from tests.pilot import record_traffic
from tests.support import HANG, Watch

pytestmark = pytest.mark.requirement("F4-SEEING")


@pytest.fixture
async def page(watch: Watch, site: str) -> Watch:
    await watch.open(f"{site}page/elements")
    return watch


async def _picture(page: Watch, **arguments: Any) -> Answer:
    answer = await call_tool(TOOLS, page.context, "observe", {"what": "screenshot", **arguments})
    assert not answer.is_error, answer.data
    (image,) = answer.images
    assert len(image.data) == answer.data["bytes"] <= limits.SCREENSHOT_BYTES
    return answer


def _jpeg_size(data: bytes) -> tuple[int, int]:
    assert data[:2] == b"\xff\xd8"
    place = 2
    while data[place + 1] not in {0xC0, 0xC2}:
        place += 2 + struct.unpack(">H", data[place + 2 : place + 4])[0]
    height, width = struct.unpack(">HH", data[place + 5 : place + 9])
    return width, height


async def test_a_picture_of_what_the_window_shows(page: Watch) -> None:
    answer = await _picture(page)
    width, height = await page.evaluate("[innerWidth, innerHeight]")
    size = _jpeg_size(answer.images[0].data)
    # Where there is a scroll bar it is left out.
    assert width - 20 <= size[0] <= width
    assert height - 20 <= size[1] <= height
    assert size == (answer.data["width"], answer.data["height"])


async def test_the_client_gets_an_image(page: Watch) -> None:
    answer = await _picture(page)
    text, image = tool_result(TOOLS["observe"], answer, "json")["content"]
    assert text["type"] == "text"
    assert (image["type"], image["mimeType"]) == ("image", "image/jpeg")
    assert len(image["data"]) > 1000


@pytest.mark.parametrize(
    ("kind", "magic"), [("png", b"\x89PNG\r\n\x1a\n"), ("jpeg", b"\xff\xd8\xff"), ("webp", b"RIFF")]
)
async def test_a_picture_has_the_format_that_was_asked_for(page: Watch, kind: str, magic: bytes) -> None:
    answer = await _picture(page, format=kind)
    assert answer.images[0].data.startswith(magic)
    assert answer.data["mime"] == answer.images[0].mime == f"image/{kind}"


async def test_a_picture_of_an_element(page: Watch) -> None:
    box = (await page.call("query_dom", selector="#top"))["matches"][0]["boundingBox"]
    answer = await _picture(page, selector="#top")
    width, height = _jpeg_size(answer.images[0].data)
    assert (width, height) == pytest.approx((box["width"], box["height"]), abs=1)
    inside = await _picture(page, selector="#host >>> button")
    assert inside.data["width"] < 200
    for nothing in ("#nowhere", "p.gone"):
        assert (await page.error("observe", what="screenshot", selector=nothing))["error"] == "invalid_selector"


async def test_a_whole_page_is_scaled_until_it_fits(page: Watch) -> None:
    await page.evaluate(
        "document.body.innerHTML = Array.from({length: 280}, (_, n) => `<p style='color:hsl(${n * 7},90%,40%)'>"
        "${Math.random()} ${'words '.repeat(20)}</p>`).join(''); scrollTo(0, 300); 0"
    )
    facts = (
        "JSON.stringify([scrollY, innerHeight, document.documentElement.clientWidth,"
        " document.documentElement.outerHTML.length, document.querySelector('p').innerText])"
    )
    before = await page.evaluate(facts)
    answer = await _picture(page, full_page=True)
    assert answer.data["scale"] < 1
    assert answer.data["area"]["height"] == await page.evaluate("document.documentElement.scrollHeight")
    assert max(answer.data["width"], answer.data["height"]) <= limits.SCREENSHOT_FULL_SIDE
    assert await page.evaluate(facts) == before


async def test_the_tree_says_what_is_there(page: Watch) -> None:
    tree = (await page.call("observe", what="accessibility_tree"))["tree"]
    lines = [re.sub(r" @[a-z]{3,}\d+$", "", line) for line in tree.split("\n")]
    assert lines[0] == 'document "Elements" focused' or lines[0] == 'document "Elements"'
    for expected in (
        ' h1 "Elements"',
        ' navigation "Main"',
        ' button "Elements": "Go"',
        ' textbox "E-mail" value="ada@example.org"',
        ' button "Inside"',
        "frame #frame",
        ' button "Framed"',
        "frame #frame >>> body > iframe",
    ):
        assert expected in lines, (expected, tree)
    assert "Not there" not in tree
    assert "hunter2" not in tree
    assert "•" not in tree


async def test_the_tree_leads_to_elements(page: Watch) -> None:
    tree = (await page.call("observe", what="accessibility_tree"))["tree"]
    for name, selector in (("E-mail", "#mail"), ("Framed", "#frame >>> body > button")):
        (ref,) = re.findall(rf'"{name}".* (@[a-z]+\d+)', tree)
        (match,) = (await page.call("query_dom", selector=f"ref={ref}"))["matches"]
        assert (match["selector"], match["name"]) == (selector, name)
        assert (await _picture(page, selector="#frame")).data["width"] > 0
        part = await page.call("observe", what="accessibility_tree", selector=f"ref={ref}")
        assert name in part["tree"].split("\n")[0]


async def test_a_large_tree_is_shown_in_parts(page: Watch) -> None:
    await page.evaluate("document.body.innerHTML = '<ul>' + '<li><a href=#>A link with a name</a></li>'.repeat(700); 0")
    first = await page.call("observe", what="accessibility_tree")
    assert len(first["tree"]) < 10 * 1024
    assert first["lines"] == 1402
    seen = first["tree"].split("\n")
    cursor = first["cursor"]
    while cursor:
        more = await page.call("observe", what="accessibility_tree", cursor=cursor, max_bytes=50 * 1024)
        seen += more["tree"].split("\n")
        cursor = more.get("cursor")
    assert len(seen) == 1402


async def test_the_tree_of_a_frame_of_another_process(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/blank")
    other = site.replace("127.0.0.1", "localhost")
    await watch.evaluate(
        "new Promise((done) => { const frame = document.createElement('iframe'); frame.onload = () => done();"
        f" frame.src = '{other}page/elements'; document.body.append(frame); }})"
    )
    tree = (await watch.call("observe", what="accessibility_tree"))["tree"]
    assert "frame body > iframe\n" in tree
    (ref,) = re.findall(r'navigation "Main" (@[a-z]+\d+)', tree)
    (match,) = (await watch.call("query_dom", selector=f"ref={ref}"))["matches"]
    assert match["tag"] == "nav"


@pytest.mark.parametrize("arguments", [{"full_page": True}, {"selector": "#long"}])
async def test_of_what_is_very_long_the_beginning_is_shown(watch: Watch, site: str, arguments: dict[str, Any]) -> None:
    await watch.open(f"{site}page/blank")
    await watch.evaluate(
        "document.body.innerHTML = '<div id=long style=\"height: 200000px; background: linear-gradient(red, blue)\">'"
    )
    answer = await _picture(watch, **arguments)
    assert answer.data["scale"] >= limits.SCREENSHOT_SCALE
    assert answer.data["area"]["height"] < 20_000
    assert answer.data["whole"]["height"] >= 200_000
    assert answer.data["summary"].startswith("The beginning of the ")
    assert answer.data["width"] > 100


async def test_a_tree_that_would_hang_the_page_is_not_asked_for(page: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "TREE_ELEMENTS", 100)
    await page.evaluate(
        "document.body.innerHTML = '<p id=few>few <b>words</b></p><ul id=many>' + '<li>x</li>'.repeat(200) + '</ul>'"
    )
    sent = record_traffic(monkeypatch)
    error = await page.error("observe", what="accessibility_tree")
    assert error["error"] == "invalid_params"
    assert "elements; a tree of more than 100 would keep it busy" in error["message"]
    assert "selector" in error["message"]
    assert (
        "This part of the page has 200 elements"
        in (await page.error("observe", what="accessibility_tree", selector="#many"))["message"]
    )
    part = await page.call("observe", what="accessibility_tree", selector="#few")
    assert "few" in part["tree"]
    assert "words" in part["tree"]
    # A part costs what the part costs.
    assert "Accessibility.getFullAXTree" not in sent
    assert "Accessibility.queryAXTree" in sent


@pytest.mark.long
async def test_a_hung_frame_keeps_nothing_else_from_being_seen(
    watch: Watch, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It never answers, however long it is waited for.
    monkeypatch.setattr(limits, "AUDIT_FRAME_SECONDS", 2.0)
    other = site.replace("127.0.0.1", "localhost")
    await watch.open(f"{site}framed?src={other}page/elements")
    (child,) = watch.tab.session.children.values()
    child.post("Runtime.evaluate", {"expression": HANG})
    tree = await watch.call("observe", what="accessibility_tree")
    assert (tree["lines"] > 0, tree["frames_unreached"]) == (True, 1)
    found = await watch.call("query_dom", selector="iframe, li", pierce=True)
    assert ([match["tag"] for match in found["matches"]], found["frames_unreached"]) == (["iframe"], 1)
    error = await watch.error("query_dom", selector="iframe >>> li")
    assert error["error"] == "page_hung"
    assert error["message"].startswith("That frame of the page does not answer")
    audit = await watch.call("run_accessibility_audit")
    assert audit["summary"]["violations"] > 0
    assert (audit["status"], audit["frames_unreached"]) == ("partial", 1)
    assert audit["message"] == "Not every frame answered in time: violations in those that did not are missing."
    watch.context.pilot.switch(on=True, by="person")
    error = await watch.error("highlight_element", selector="#list")
    assert error["error"] == "element_not_found"


async def _colour_at(page: Watch, answer: Answer, x: int, y: int) -> list[int]:
    """Red, green and blue of a pixel."""
    image = answer.images[0]
    found: list[int] = await page.evaluate(
        f"""(async () => {{
          const bytes = Uint8Array.from(atob("{b64encode(image.data).decode()}"), (one) => one.charCodeAt(0));
          const picture = await createImageBitmap(new Blob([bytes], {{ type: "{image.mime}" }}));
          const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
          context.drawImage(picture, 0, 0);
          return [...context.getImageData({x}, {y}, 1, 1).data].slice(0, 3);
        }})()"""
    )
    return found


@pytest.mark.parametrize("process", ["same", "other"])
async def test_a_picture_of_an_element_in_a_frame(watch: Watch, site: str, process: str) -> None:
    inside = site if process == "same" else site.replace("127.0.0.1", "localhost")
    await watch.open(f"{site}framed?src={inside}page/blank")
    body = "<p style=height:30px></p><div id=red style='width:60px;height:40px;background:#f00'></div>"
    await _in_frame(watch, f"document.body.innerHTML = {json.dumps(body)}")
    answer = await _picture(watch, selector="iframe >>> #red", format="png")
    assert (answer.data["width"], answer.data["height"]) == (60, 40)
    for x, y in ((1, 1), (58, 38)):
        assert await _colour_at(watch, answer, x, y) == [255, 0, 0]
    await _in_frame(watch, "document.body.style.paddingTop = '5000px'")
    refused = await watch.error("observe", what="screenshot", selector="iframe >>> #red")
    assert "scroll it into view" in refused["message"]


async def _in_frame(watch: Watch, script: str) -> None:
    children = list(watch.tab.session.children.values())
    if children:
        await children[0].send("Runtime.evaluate", {"expression": script})
    else:
        await watch.evaluate(f"frames[0].eval({json.dumps(script)})")


async def test_controls_are_marked_with_their_references(page: Watch) -> None:
    plain = await _picture(page, format="png")
    before = await page.evaluate("document.documentElement.outerHTML")
    marked = await _picture(page, format="png", mark=True)
    assert await page.evaluate("document.documentElement.outerHTML") == before
    assert marked.data["marked"] > 3
    assert "marked with their references" in marked.text
    # A frame is drawn around what the tree calls a control.
    x, y = await page.evaluate("(({ x, y }) => [x, y])(document.querySelector('#mail').getBoundingClientRect())")
    x, y = round(x), round(y) + 8
    assert await _colour_at(page, plain, x, y) != await _colour_at(page, marked, x, y)
    assert (marked.data["width"], marked.data["height"]) == (plain.data["width"], plain.data["height"])
