"""act: each control works with true input, each trap is refused for its reason, and the answer says what came of it."""

import re
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from gasoline_cdp import limits
from gasoline_cdp.acting import doing
from gasoline_cdp.browser.attached import Attached
from gasoline_cdp.config import Config, ServeOptions
from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.probe.input import guard
from gasoline_cdp.records import ActionRecord, Record
from gasoline_cdp.tools.registry import TOOLS
from tests.hands import actions
from tests.support import HANG, Watch

pytestmark = pytest.mark.requirement("ACT-INPUT")

Step = dict[str, Any]


@pytest.fixture
def attach_config(chromium: str, tmp_path: Path) -> Config:
    uploads = tmp_path / "uploads"
    uploads.mkdir()
    (uploads / "one.txt").write_text("1")
    (uploads / "two.txt").write_text("2")
    (tmp_path / "outside.txt").write_text("3")
    (uploads / "link.txt").symlink_to(tmp_path / "outside.txt")
    return Config(
        browser=Attached(ws_endpoint=chromium),
        serve=ServeOptions(pilot=True, uploads=uploads),
        url="about:blank",
        strict=True,
    )


@pytest.fixture
async def page(watch: Watch, site: str) -> Watch:
    await watch.open(f"{site}page/act")
    await watch.evaluate("new Promise(done => setTimeout(done))")
    return watch


def step(do: str, target: str | None = None, value: str | None = None) -> Step:
    return {"do": do, "target": target, "value": value}


async def act(watch: Watch, *steps: Step, **more: Any) -> dict[str, Any]:
    return await watch.call("act", steps=list(steps), **more)


async def done(watch: Watch, *steps: Step, **more: Any) -> dict[str, Any]:
    answer = await act(watch, *steps, **more)
    assert answer["success"], [answer["summary"], answer["steps"]]
    return answer


async def hits(watch: Watch) -> list[str]:
    """What was clicked, by the page's own account. Every event was trusted."""
    found = await watch.evaluate("window.hits")
    assert all(trusted for _, _, trusted in found), found
    return [name for name, _, _ in found]


CLICKED = [
    ("#plain", "plain"),
    ('button "Twice"', "double"),
    ("#pierced", "pierced"),
    ("#half", "half"),
    ("#freed", "freed"),
    ("#arriving", "arriving"),
    (".one-seen", ""),
    ("#in-open", "in-open"),
    ("open-box >>> button", "in-open"),
    ('button "In the closed"', "closed-box"),
    ("#around-slot", "slotted"),
    ("#in-head", "in-head"),
    ("#in-scroller", "in-scroller"),
    ("#v3", "v3"),
    ("#far", "far"),
    ("#inline", "inline"),
    ("#shape", "shape"),
    ("#replaced", "replaced"),
    ('text "Hover me"', "menu"),
]


async def test_clicks_reach_their_element_alone(page: Watch) -> None:
    # A call has only so much time, and a busy machine needs more of it.
    for first in range(0, len(CLICKED), 5):
        await done(page, *(step("click", target) for target, _ in CLICKED[first : first + 5]))
    seen = await hits(page)
    wanted = [name for _, name in CLICKED if name]
    assert [name for name in dict.fromkeys(seen) if name in wanted] == list(dict.fromkeys(wanted))
    assert not {"veil", "glass", "half-veil", "fader", "off", "covered"} & set(seen)


async def test_kinds_of_click(page: Watch) -> None:
    await done(
        page,
        step("click", "#double", "double"),
        step("click", "#context", "right"),
        step("click", "#plain", "middle"),
        step("click", "#plain", "Shift at 5,5"),
        step("hover", "#menu"),
        step("click", "#in-menu"),
    )
    kinds = [(name, kind) for name, kind, _ in await page.evaluate("window.hits")]
    assert kinds == [
        ("double", "click"),
        ("double", "click"),
        ("double", "dblclick"),
        ("context", "contextmenu"),
        ("context", "auxclick"),
        ("plain", "auxclick"),
        ("plain", "click"),
        ("in-menu", "click"),
    ]


REFUSED = [
    ("click", "#off", "it is disabled"),
    ("click", "#aria-off", "it is disabled"),
    ("click", "#in-off", "it is disabled"),
    ("click", "#unseen", "it is hidden"),
    ("click", "#invisible", "it is hidden"),
    ("click", "#flat", "it is hidden"),
    ("click", "#in-menu", "it is hidden"),
    ("click", "#inert", "inert"),
    ("click", "#covered", '#veil ("A veil") covers it'),
    ("click", 'button "Inner veiled"', "#frame-veil covers it"),
    ("click", "#rolling", "it is moving"),
    ("click", ".same", "2 elements match"),
    ("click", 'button "Same"', "2 elements match"),
    ("click", "#no-such-thing", "nothing matches"),
    ("click", 'button "Nobody"', "nothing matches"),
    ("click", "@bcd99999", "not in this tab now"),
    ("click", "a[", "cannot read the selector"),
    ("fill", "#plain", "no field"),
    ("fill", "#read", "read-only"),
    ("fill", "#date", "it wants 2026-01-31"),
    ("select", "#plain", "no <select>"),
    ("select", "#list", 'there are: "Apple", "Pear"'),
    ("check", "#plain", "no checkbox"),
    ("check", "#stubborn", "still not checked"),
    ("uncheck", "#r1", "by checking another"),
    ("upload", "#plain", "no file field"),
    ("upload", "#file", "no file below the directory"),
    ("drag", "#covered", "covers it"),
    ("dialog", None, "no dialog is open"),
]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doing, "_ELEMENT_SECONDS", 0.1)


@pytest.mark.usefixtures("impatient")
async def test_traps_are_refused_for_their_reason(page: Watch) -> None:
    values = {"fill": "tomorrow", "select": "Plum", "upload": "one.txt", "drag": "#dropzone"}
    for do, target, reason in REFUSED:
        value = "link.txt" if target == "#file" else values.get(do)
        answer = await act(page, step(do, target, value), step("click", "#plain"))
        assert not answer["success"], (target, answer)
        assert [one["outcome"] for one in answer["steps"]] == ["failed", "skipped"]
        assert reason in answer["steps"][0]["detail"], (target, answer["steps"])
    assert set(await hits(page)) <= {"stubborn"}


async def test_fields_take_what_is_typed(page: Watch) -> None:
    answer = await done(
        page,
        step("fill", "#text", "new"),
        step("fill", "#area", "two\nlines"),
        step("fill", "#rich", "rich"),
        step("fill", "#upper", "loud"),
        step("fill", 'textbox "Password"', "Tr0ub4dor&3x"),
        step("fill", "#date", "2026-02-03"),
        step("fill", "#time", "23:59"),
        step("fill", "#range", "7"),
        step("fill", "#color", "#ff0000"),
        step("fill", "#number", "42"),
        step("type", "#code1", "123"),
        step("type", "#text", " and more"),
        step("press", "#keys", "Control+b Enter"),
        step("select", "#list", "Pear"),
        step("select", "#many", "One\nThree"),
        step("fill", "#foreign >>> #inner-text", "far"),
        step("fill", "#near >>> #inner-text", "near"),
        step("fill", "#area", ""),
        step("fill", "#rich-part", "part"),
    )
    assert answer["steps"][3]["detail"] == "the page changed what was filled in"
    shown = await page.evaluate(
        "['text', 'area', 'upper', 'secret', 'date', 'time', 'range', 'color', 'number', 'code1', 'code2', 'code3',"
        " 'list'].map((id) => document.getElementById(id).value)"
    )
    assert shown == [
        "new and more",
        "",
        "LOUD",
        "Tr0ub4dor&3x",
        "2026-02-03",
        "23:59",
        "7",
        "#ff0000",
        "42",
        *"123",
        "b",
    ]
    assert await page.evaluate("document.getElementById('rich').innerText") == "rich"
    assert await page.evaluate("document.getElementById('rich-parts').innerText.split(/\\n+/)") == ["First", "part"]
    assert await page.evaluate("document.getElementById('said').innerText") == "Control+b Enter"
    assert await page.evaluate("[...document.getElementById('many').selectedOptions].map((one) => one.text)") == [
        "One",
        "Three",
    ]
    assert (
        await page.evaluate("document.getElementById('near').contentDocument.getElementById('inner-text').value")
        == "near"
    )
    values = await page.evaluate("window.values")
    assert values["list"] == values["date"] == ["input", "change"]
    assert "Tr0ub4dor" not in str(answer)


async def test_boxes_files_and_dragging(page: Watch) -> None:
    await done(
        page,
        step("check", "#fancy"),
        step("check", 'checkbox "Box"'),
        step("uncheck", "#set"),
        step("check", "#r2"),
        step("check", "#switch"),
        step("check", "#switch"),
    )
    await done(
        page,
        step("upload", "#file", "one.txt"),
        step("upload", "#file-label", "one.txt\ntwo.txt"),
        step("drag", "#drag", "#dropzone"),
        step("drag", "#knob", "#mousezone"),
    )
    await done(
        page,
        step("scroll", "#virtual", "0,2000"),
        step("click", 'button "Row 101"'),
    )
    states = await page.evaluate("['fancy', 'box', 'set', 'r1', 'r2'].map((id) => document.getElementById(id).checked)")
    assert states == [True, True, False, False, True]
    values = await page.evaluate("window.values")
    assert (values["file"], values["hidden-file"]) == (["one.txt"], ["one.txt", "two.txt"])
    assert await page.evaluate("document.getElementById('dropzone').textContent") == "Got cargo"
    assert await page.evaluate("document.getElementById('mousezone').textContent") == "Held"
    assert "v101" in await hits(page)


@pytest.mark.requirement("ACT-CAUSED")
async def test_the_answer_says_what_was_caused(page: Watch) -> None:
    failed = await done(page, step("click", "#fails"))
    (request,) = failed["failed_requests"]
    assert (request["method"], request["status"]) == ("POST", 500)
    assert "this is a 500" in request["body"]
    assert "nothing_happened" not in failed
    thrown = await done(page, step("click", "#throws"))
    assert ["It broke" in one["message"] for one in thrown["errors"]] == [True]
    saved = await done(page, step("click", "#saves"))
    assert [one["url"].rpartition("/")[2] for one in saved["requests"]] == ["echo"]
    assert any('button "Saved"' in line and line.startswith("~") for line in saved["tree"])
    slow = await done(page, step("click", "#slow"))
    assert any("Slow is done" in line for line in slow["tree"])
    late = await done(page, step("click", "#debounced"))
    assert any("Debounced at last" in line for line in late["tree"])
    idle = await done(page, step("click", "#nothing"))
    assert idle["nothing_happened"]
    assert "Nothing happened" in idle["summary"]
    busy = await done(page, step("click", "#busy"))
    assert busy["long_tasks"] >= 1
    loaded = await done(page, step("click", "#load"))
    assert any(event.startswith('Download "notes.txt"') for event in loaded["events"])
    lined = await call_tool(TOOLS, evolve(page.context, form="lines"), "act", {"steps": [step("click", "#fails")]})
    assert "POST 500" in lined.text
    assert len(lined.text.encode()) <= 2048


async def test_dialogs_tabs_and_addresses(page: Watch, site: str) -> None:
    await done(page, step("click", "#confirm"), step("dialog", value="accept"))
    await done(page, step("click", "#prompt"), step("dialog", value="accept: Ada"))
    assert await page.evaluate("[window.values.confirm, window.values.prompt]") == [True, "Ada"]
    left = await done(page, step("click", "#alert"))
    assert "dialog is open now" in left["steps"][0]["detail"]
    held = await act(page, step("click", "#plain"))
    assert "an alert dialog is open" in held["steps"][0]["detail"]
    await done(page, step("dialog", value="dismiss"))
    tab = page.tab
    opened = await done(page, step("click", "#blank"), tab_id=tab.tab_id)
    assert any(event.startswith("Opened tab") for event in opened["events"]), opened
    moved = await done(page, step("click", "#away"), tab_id=tab.tab_id)
    assert moved["url"].endswith("/page/form")
    assert any(line.strip().startswith('button "Go"') for line in moved["tree"])
    await done(page, step("back"), tab_id=tab.tab_id)
    assert tab.source.url.endswith("/page/act")
    await done(page, step("forward"), step("reload"), tab_id=tab.tab_id)
    assert tab.source.url.endswith("/page/form")
    new = await done(page, step("new_tab", value=f"{site}page/form"), step("close_tab"), tab_id=tab.tab_id)
    assert [one["outcome"] for one in new["steps"]] == ["done", "done"]
    refused = await act(page, step("open", value="http://127.0.0.1:1/"), tab_id=tab.tab_id)
    assert "did not load" in refused["steps"][0]["detail"]
    for address in ("file:///etc/passwd", "javascript:alert(1)", "chrome://settings"):
        assert "only http and https" in (await page.error("act", steps=[step("open", value=address)]))["message"]


async def test_a_page_may_ask_before_it_is_left(page: Watch, site: str) -> None:
    # Chrome asks only where somebody has done something.
    await done(page, step("click", "#plain"))
    await page.evaluate("window.unsaved = true")
    stayed = await done(page, step("open", value=f"{site}page/form"), step("dialog", value="dismiss"))
    assert stayed["url"].endswith("/page/act")
    await done(page, step("open", value=f"{site}page/form"), step("dialog", value="accept"), wait_for="element:button")
    assert page.tab.source.url.endswith("/page/form")


async def test_waits_are_for_conditions(page: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = await done(page, step("click", "#late"), wait_for="text:newcomer")
    assert any("Newcomer" in line for line in answer["tree"])
    await done(
        page,
        step("click", "#saves"),
        step("wait", value="request:/echo"),
        step("wait", "#newcomer"),
        step("wait", value="idle"),
    )
    monkeypatch.setattr("gasoline_cdp.acting.waiting._WAIT_SECONDS", 0.3)
    missed = await act(page, step("click", "#plain"), wait_for="text:Never said")
    assert not missed["success"]
    assert "did not appear" in missed["summary"]


@pytest.mark.requirement("ACT-RECORDED")
async def test_actions_are_those_of_an_assistant(page: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    # A busy machine may need longer than people's pages are asked for.
    monkeypatch.setattr(limits, "ROLE_SECONDS", 30.0)
    monkeypatch.setattr(guard, "_DESCRIBE_SECONDS", 30.0)
    monkeypatch.setattr(guard, "_NAME_SECONDS", 30.0)
    await done(page, step("fill", "#text", "new"), step("select", "#list", "Pear"), step("click", "#saves"))
    await page.actions_told()
    told = actions(page)
    assert [(one.type, one.by) for one in told] == [("input", "ai"), ("select", "ai"), ("click", "ai")]
    assert told[2].selectors["role"] == {"role": "button", "name": "Saves"}
    test = await page.call("generate_test")
    assert 'getByRole("button", { name: "Saves"' in test["test_script"].replace("'", '"')


@pytest.mark.requirement("ACT-PILOT")
async def test_the_pilot_switched_off_ends_it(page: Watch) -> None:
    def clicked(record: Record) -> None:
        if isinstance(record, ActionRecord):
            page.context.pilot.switch(on=False, by="person")

    with page.telemetry.listening(clicked):
        answer = await act(page, step("click", "#fails"), step("click", "#plain"), step("click", "#double"))
    assert "switched off" in answer["summary"]
    assert answer["steps"][-1]["outcome"] == "skipped"
    assert await hits(page) == ["fails"]
    refused = await page.error("act", steps=[step("click", "#plain")])
    assert refused["error"] == "ai_web_pilot_disabled"


@pytest.mark.usefixtures("impatient")
async def test_a_page_that_hangs_is_reported(watch: Watch, site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gasoline_cdp.acting.acting.ACT_SECONDS", 5.0)
    await watch.open(f"{site}page/form")
    other = watch.tab
    # Another site, and so another process.
    elsewhere = site.replace("127.0.0.1", "localhost")
    tab_id = (await done(watch, step("new_tab", value=f"{elsewhere}page/blank")))["tab_id"]
    await watch.evaluate(
        "document.body.innerHTML = '<button id=hangs>Hangs</button>';"
        f"document.getElementById('hangs').onclick = () => {{ {HANG} }}"
    )
    hung = await act(watch, step("click", "#hangs"), step("click", "#hangs"), tab_id=tab_id)
    assert not hung["success"]
    assert "did not answer" in str(hung["steps"]), hung
    # The rest goes on.
    await done(watch, step("fill", "input[type=text], input:not([type])", "still here"), tab_id=other.tab_id)


async def test_a_tab_that_crashes_is_reported(page: Watch, site: str) -> None:
    tab = page.tab
    tab.session.post("Page.crash")
    await page.until(lambda: tab.state == "crashed")
    gone = await act(page, step("click", "#plain"))
    assert "crashed" in gone["steps"][0]["detail"]
    await done(page, step("open", value=f"{site}page/act"), step("click", "#plain"))


async def test_a_step_may_crash_its_tab(page: Watch, site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # A busy machine needs longer to look at an element.
    monkeypatch.setattr(doing, "_ELEMENT_SECONDS", 15.0)
    tab = page.tab
    other = await done(page, step("new_tab"))

    def clicked(record: Record) -> None:
        if isinstance(record, ActionRecord) and record.type == "click":
            tab.session.post("Page.crash")

    with page.telemetry.listening(clicked):
        gone = await act(page, step("click", "#plain"), step("click", "#double"), tab_id=tab.tab_id)
    assert not gone["success"]
    assert "crashed: reload it" in str(gone["steps"]), gone
    assert "tab_id" in await done(page, step("open", value=f"{site}page/blank"), tab_id=other["tab_id"])
    await done(page, step("reload"), step("click", "#plain"), tab_id=tab.tab_id)


async def test_frames_windows_and_what_moves(page: Watch) -> None:
    await done(page, step("click", "#foreign >>> #inner"), step("click", "#foreign >>> #inner-far"))
    await done(page, step("click", "#near >>> #inner-far"), step("click", 'button "Inner same"'))
    near = "document.getElementById('near').contentWindow.hits.map((hit) => hit[0])"
    assert await page.evaluate(near) == ["inner-far", "inner"]
    foreign = [
        (await session.send("Runtime.evaluate", {"expression": "String(self.hits)"}))["result"]["value"]
        for session in page.tab.session.below()
    ]
    assert foreign == ["inner,click,true,inner-far,click,true"]
    # Chrome would keep what is in view where it is.
    await page.evaluate("document.documentElement.style.overflowAnchor = 'none'; 1")
    moved = await done(page, step("click", "#shifts"), wait_for="text:Shifted")
    assert moved["layout_shift"] > 0
    inside = await done(page, step("click", "#hash"))
    assert inside["url"].endswith("#there")
    opened = await done(page, step("click", "#popup"))
    assert any(re.fullmatch(r"Opened tab \d+, http.*/page/blank", event) for event in opened["events"]), opened


async def test_steps_are_checked_before_the_first_is_done(page: Watch) -> None:
    wrong = await page.error("act", steps=[step("click", "#plain"), {"do": "klick"}, {"do": "fill", "target": "#text"}])
    assert "did you mean 'click'" in wrong["message"]
    assert "steps[2]: fill needs a value" not in wrong["message"] or "steps[1]" in wrong["message"]
    assert "fill needs a value" in (await page.error("act", steps=[step("fill", "#text")]))["message"]
    assert await hits(page) == []
