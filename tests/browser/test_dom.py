"""Questions to the DOM of a real page."""

from typing import Any

import pytest
from attrs import evolve

from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.tools.registry import TOOLS
from tests.support import Watch

pytestmark = pytest.mark.requirement("F4-DOM")


@pytest.fixture
async def page(watch: Watch, site: str) -> Watch:
    await watch.open(f"{site}page/elements")
    return watch


async def _one(page: Watch, selector: str, **arguments: Any) -> dict[str, Any]:
    matches: list[dict[str, Any]] = (await page.call("query_dom", selector=selector, **arguments))["matches"]
    (match,) = matches
    return match


async def test_an_element_is_told_as_it_is(page: Watch, site: str) -> None:
    answer = await page.call("query_dom", selector="#list li")
    assert answer["url"] == f"{site}page/elements"
    assert answer["title"] == "Elements"
    assert answer["matchCount"] == answer["returnedCount"] == 3
    first = answer["matches"][0]
    assert first["selector"] == "#list > li:nth-of-type(1)"
    assert first["tag"] == "li"
    assert first["attributes"] == {"class": "item active", "data-id": "1"}
    assert first["text"] == "One"
    assert first["visible"] is True
    assert first["role"] == "listitem"
    box = await page.evaluate(
        "(({x, y, width, height}) => [x, y, width, height])(document.querySelector('li').getBoundingClientRect())"
    )
    assert list(first["boundingBox"].values()) == pytest.approx(box, abs=0.01)
    assert "styles" not in first
    assert "children" not in first


async def test_role_and_name_are_the_browsers(page: Watch) -> None:
    assert (await _one(page, "nav"))["name"] == "Main"
    button = await _one(page, "button")
    assert (button["role"], button["name"]) == ("button", "Elements")
    field = await _one(page, "#mail")
    assert (field["role"], field["name"]) == ("textbox", "E-mail")


async def test_every_selector_finds_its_element_alone(page: Watch) -> None:
    found = await page.call("query_dom", selector="*", pierce=True, limit=50)
    assert found["returnedCount"] == found["matchCount"] >= 35
    for match in found["matches"]:
        again = await page.call("query_dom", selector=match["selector"])
        assert again["matchCount"] == 1, match["selector"]
        assert again["matches"][0] == match
    plain = [match["selector"] for match in found["matches"] if ">>>" not in match["selector"]]
    for selector in plain:
        assert await page.evaluate(f"document.querySelectorAll({selector!r}).length") == 1


async def test_visible_is_what_the_browser_says(page: Watch) -> None:
    for name, visible in (("gone", False), ("unseen", False), ("clear", False), ("seen", True)):
        assert (await _one(page, f"p.{name}"))["visible"] is visible, name


async def test_shadow_roots_and_frames_are_looked_into_when_asked(page: Watch) -> None:
    assert (await page.call("query_dom", selector=".inner"))["matchCount"] == 0
    found = await page.call("query_dom", selector=".inner, em, i", pierce=True)
    assert [(match["selector"], match["text"]) for match in found["matches"]] == [
        ("#host >>> button", "Inside"),
        ("#host >>> #deep >>> em", "Deepest"),
        ("#frame >>> body > button", "Framed"),
        ("#frame >>> body > iframe >>> body > i", "Twice framed"),
    ]
    assert found["matches"][2]["name"] == "Framed"


async def test_a_frame_of_another_process_is_asked_through_its_own_session(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/blank")
    other = site.replace("127.0.0.1", "localhost")
    await watch.evaluate(
        "new Promise((done) => { const frame = document.createElement('iframe'); frame.onload = () => done();"
        f" frame.src = '{other}page/elements'; document.body.append(frame); }})"
    )
    found = await watch.call("query_dom", selector="#top, i", pierce=True)
    assert [match["selector"] for match in found["matches"]] == [
        "body > iframe >>> #top",
        "body > iframe >>> #frame >>> body > iframe >>> body > i",
    ]
    assert (await _one(watch, "iframe >>> #frame >>> button"))["name"] == "Framed"
    assert watch.tab.session.children


async def test_styles_cost_only_what_was_asked(page: Watch) -> None:
    some = await _one(page, "#top", properties=["color", "--none", "display"])
    assert some["styles"] == {"color": "rgb(0, 0, 0)", "display": "block"}
    layout = (await _one(page, "#top", include_styles=True))["styles"]
    assert set(layout) == {
        "display", "position", "width", "height", "margin", "padding", "flex", "grid", "visibility", "opacity",
        "overflow", "z-index", "color", "background-color", "font-size",
    }  # fmt: skip


async def test_children_go_as_deep_as_was_asked_and_no_deeper_than_five(page: Watch) -> None:
    def depth(entry: dict[str, Any]) -> int:
        return 1 + max(map(depth, entry.get("children", [])), default=0)

    assert depth(await _one(page, "#tree", include_children=True, max_depth=1)) == 2
    assert depth(await _one(page, "#tree", include_children=True)) == 4
    deepest = await page.call("query_dom", selector="#tree", include_children=True, max_depth=99)
    assert depth(deepest["matches"][0]) == 6
    assert deepest["notes"]
    shallow = await _one(page, "#tree", include_children=True, max_depth=1)
    assert shallow["children"] == [{"tag": "section", "text": "Bold", "more": 1}]


async def test_secrets_are_not_told(page: Watch) -> None:
    answer = await page.call("query_dom", selector="input, a, #keyed", include_children=True)
    told = str(answer)
    for secret in ("hunter2", "tok_1234567890abcdef", "abcdef0123456789abcdef", "abcdefghijklmnop1234"):
        assert secret not in told
    fields = {match["attributes"].get("id"): match["attributes"].get("value") for match in answer["matches"]}
    assert fields["mail"] == "ada@example.org"
    assert fields["pw"] == "[REDACTED]"


async def test_answers_are_bounded_and_the_rest_is_counted(page: Watch) -> None:
    await page.evaluate(
        "document.body.innerHTML = '<p>' + 'x'.repeat(900) + '</p>' + '<s title=\"t\">item</s>'.repeat(120); 0"
    )
    first = await page.call("query_dom", selector="s")
    assert first["matchCount"] == 120
    assert 0 < first["returnedCount"] <= 50
    seen = first["returnedCount"]
    cursor = first["cursor"]
    while cursor:
        more = await page.call("query_dom", selector="s", cursor=cursor)
        assert more["matches"][0]["selector"] == f"body > s:nth-of-type({seen + 1})"
        seen += more["returnedCount"]
        cursor = more.get("cursor")
    assert seen == 120
    assert (await page.call("query_dom", selector="s", limit=50))["returnedCount"] == 50
    assert len((await _one(page, "p"))["text"]) == 501


async def test_invalid_selector(page: Watch) -> None:
    error = await page.error("query_dom", selector="li[")
    assert error["error"] == "invalid_selector"
    assert "'li[' is not a valid selector" in error["message"]
    assert (await page.error("query_dom", selector=" "))["error"] == "invalid_selector"
    assert (await page.error("query_dom", selector="ref=x"))["error"] == "invalid_selector"
    assert (await page.error("query_dom", selector="ref=99999"))["error"] == "invalid_selector"
    assert (await page.error("query_dom", selector="ref=@bbb99999"))["error"] == "element_not_found"
    assert (await page.error("query_dom", selector="#frame >>> li["))["error"] == "invalid_selector"


async def test_a_selector_cannot_run_anything(page: Watch) -> None:
    error = await page.error("query_dom", selector="'); window.hacked = 1; ('")
    assert error["error"] == "invalid_selector"
    assert await page.evaluate("typeof hacked") == "undefined"


async def test_clobbered_names_do_not_mislead(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/blank")
    await watch.evaluate(
        "document.body.innerHTML = '<form id=f><input name=id><input name=attributes><input name=parentNode>"
        "<input name=localName></form><img name=title><img name=querySelectorAll><img name=body>'; 0"
    )
    found = await watch.call("query_dom", selector="form, form *", include_children=True)
    assert [match["selector"] for match in found["matches"]] == [
        "#f",
        *(f"#f > input:nth-of-type({place})" for place in range(1, 5)),
    ]
    assert found["matches"][0]["tag"] == "form"


async def test_page_info_says_what_the_page_is(page: Watch) -> None:
    info = await page.call("get_page_info")
    assert info["title"] == "Elements"
    assert info["headings"] == ["Elements"]
    assert info["links"] == 1


@pytest.mark.parametrize(
    ("selector", "why"),
    [
        ("#list >>> li", "The way ends at '#list', which has no open shadow root and is no frame."),
        ("#nothing >>> li", "The way ends at '#nothing', which matches nothing."),
    ],
)
async def test_a_way_that_leads_nowhere_says_where_it_ends(page: Watch, selector: str, why: str) -> None:
    answer = await page.call("query_dom", selector=selector)
    assert (answer["matchCount"], answer["notes"]) == (0, [why])


@pytest.mark.parametrize("selector", ["#list >>> ", "#list >>> //li", "//li", "text=One"])
async def test_what_is_no_css_says_what_to_do(page: Watch, selector: str) -> None:
    error = await page.error("query_dom", selector=selector)
    assert error["error"] == "invalid_selector"
    assert error["message"].endswith("to find elements by their text, ask observe(what='accessibility_tree').")


async def test_rules_and_listeners_of_an_element(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/blank")
    await watch.evaluate(
        """(() => {
          document.body.innerHTML = `<style>
  .big { color: red; margin: 4px }
  @media (width > 10px) { #one { color: blue } }
</style><div id=root><button id=one class=big style="padding: 3px">One</button></div>`;
          document.getElementById("one").addEventListener("click", () => {}, { once: true });
          document.getElementById("root").addEventListener("keydown", () => {}, true);
        })()
        //# sourceURL=http://app.test/listeners.js"""
    )
    answer = await watch.call("query_dom", selector="#one", include=["css", "listeners"])
    (match,) = answer["matches"]
    style, strong, weak = match["css"]
    assert (style["selector"], style["declarations"]) == ("style", ["padding: 3px"])
    assert (strong["selector"], strong["declarations"]) == ("#one", ["color: blue"])
    assert strong["within"] == "@media (width > 10px)"
    assert (weak["declarations"], weak["overridden"]) == (["margin: 4px"], ["color: red"])
    click, key = match["listeners"]
    assert (click["event"], click["flags"], "on" in click) == ("click", ["once"], False)
    assert (key["event"], key["flags"], key["on"]) == ("keydown", ["capture"], "div#root")
    assert "listeners.js:6:" in click["at"]
    question = {"selector": "#one", "include": ["css"]}
    lines = (await call_tool(TOOLS, evolve(watch.context, form="lines"), "query_dom", question)).text
    assert 'css: "#one" "color: blue"' in lines or 'css "#one" "color: blue"' in lines
    # The debugger is off again.
    assert not any(target.is_on for target in watch.daemon.capture.debugger.targets())
