"""Accessibility audits in a real Chromium: what is found where, what the page notices (nothing), and what is told."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import trio

from gasoline_cdp import wire
from gasoline_cdp.cdp.connection import Session
from gasoline_cdp.frontends.http.loopback import serve_app
from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.probe import accessibility as probe
from gasoline_cdp.tools.registry import TOOLS
from tests.accessibility.site import accessibility_app
from tests.support import HANG, PATIENCE, Watch

pytestmark = pytest.mark.requirement("F4-AUDIT")


@pytest.fixture
async def pages() -> AsyncIterator[str]:
    async with serve_app(accessibility_app()) as url:
        yield f"{url}pages/"


def _rules(answer: dict[str, Any]) -> dict[str, int]:
    return {rule["id"]: rule["nodeCount"] for rule in answer["violations"]}


async def test_a_page_under_the_strictest_policy_is_audited(watch: Watch, pages: str) -> None:
    await watch.open(f"{pages}strict.html")
    before = await watch.evaluate("document.documentElement.outerHTML + Object.keys(window).join()")
    answer = await watch.call("run_accessibility_audit")
    assert {"button-name": 1, "image-alt": 1, "label": 1}.items() <= _rules(answer).items()
    assert answer["frames"] == 2
    assert await watch.evaluate("document.documentElement.outerHTML + Object.keys(window).join()") == before
    assert [record.text for record in watch.telemetry.logs.newest() if record.kind != "event"] == []


async def test_frames_without_scripts_are_audited(watch: Watch, pages: str) -> None:
    await watch.open(f"{pages}sandboxed-silent.html")
    answer = await watch.call("run_accessibility_audit", max_bytes=50_000)
    assert answer["frames"] == 3
    assert "frames_unreached" not in answer
    selectors = [node["selector"] for rule in answer["violations"] for node in rule["nodes"]]
    assert 'iframe[title="No scripts"] >>> img' in selectors
    assert 'iframe[title="Inline"] >>> img' in selectors


async def test_a_page_that_overrides_everything_notices_nothing(watch: Watch, pages: str) -> None:
    await watch.open(f"{pages}hostile.html")
    facts = "`${axe} ${messages} ${mutations} ${document.documentElement.outerHTML.length}`"
    before = await watch.evaluate(facts)
    answer = await watch.call("run_accessibility_audit")
    assert {"button-name", "color-contrast", "image-alt", "label"} <= _rules(answer).keys()
    found = await watch.call("query_dom", selector="form, form *", include_styles=True, include_children=True)
    assert found["matchCount"] == 3
    assert found["matches"][0]["selector"] == "#f"
    assert (await watch.call("query_dom", selector="img", pierce=True))["matchCount"] == 1
    assert (await watch.call("get_page_info"))["title"] == "Hostile"
    assert "Pale" in (await watch.call("observe", what="accessibility_tree"))["tree"]
    assert (await watch.call("observe", what="screenshot"))["bytes"] > 0
    watch.context.pilot.switch(on=True, by="person")
    assert (await watch.call("analyze", action="audit"))["summary"]["scores"]["performance"] > 0
    assert await watch.evaluate(facts) == before
    assert [record.text for record in watch.telemetry.logs.newest() if record.kind != "event"] == []


async def test_contrast_comes_with_a_colour_that_passes(watch: Watch, pages: str) -> None:
    await watch.open(f"{pages}contrast.html")
    answer = await watch.call("run_accessibility_audit", tags=["wcag2aa"], max_bytes=50_000)
    (contrast,) = [rule for rule in answer["violations"] if rule["id"] == "color-contrast"]
    node = next(node for node in contrast["nodes"] if node["selector"] == ".a:nth-child(2)")
    fix = node.get("fix", contrast["fix"])
    assert fix.startswith("Set color: #767676 (4.54:1 on #ffffff)")
    assert contrast["wcag"] == ["wcag2aa", "1.4.3"]
    assert contrast["level"] == "AA"
    # Take the advice, and the element passes.
    colour = fix.split(": ")[1].split()[0]
    await watch.evaluate(f"document.querySelector('{node['selector']}').style.color = '{colour}'")
    again = await watch.call("run_accessibility_audit", scope=node["selector"], tags=["wcag2aa"], force_refresh=True)
    assert _rules(again) == {}


async def _open_large(watch: Watch, pages: str) -> None:
    """A page of thousands of elements, hundreds of which fail."""
    await watch.open(f"{pages}large.html")
    assert int(await watch.evaluate("document.documentElement.dataset.nodes")) >= 5000
    await watch.evaluate(
        "document.body.insertAdjacentHTML('beforeend', '<img src=\"data:,\">'.repeat(90) +"
        " '<p style=\"color:#999\">Pale</p>'.repeat(135)); 0"
    )


async def test_every_element_is_reached_by_cursor(watch: Watch, pages: str) -> None:
    await _open_large(watch, pages)
    first = await watch.call("run_accessibility_audit", include_passes=True, max_bytes=2048)
    told = [first]
    while "cursor" in told[-1]:
        told.append(await watch.call("run_accessibility_audit", cursor=told[-1]["cursor"], max_bytes=8192))
    assert len(told) > 3
    assert all(len(wire.encode(answer)) <= 8192 for answer in told)
    assert {answer["timestamp"] for answer in told} == {first["timestamp"]}
    counts: dict[str, int] = {}
    listed: dict[str, list[str]] = {}
    for answer in told:
        for rule in answer["violations"]:
            counts[rule["id"]] = rule["nodeCount"]
            listed.setdefault(rule["id"], []).extend(node["selector"] for node in rule["nodes"])
    assert counts.items() >= {"link-name": 17, "image-alt": 90, "color-contrast": 135}.items()
    assert {name: len(set(selectors)) for name, selectors in listed.items()} == counts
    assert sum(counts.values()) == first["summary"]["elements"]
    assert sum(len(answer.get("passes", ())) for answer in told) == first["summary"]["passes"]
    # The first page has named everything that was still to come.
    named = first["left_out"]["violations"]
    assert {**dict.fromkeys(named), **{rule["id"]: None for rule in first["violations"]}}.keys() == counts.keys()


async def test_a_cursor_outlives_the_page_and_only_its_own_audit(watch: Watch, pages: str) -> None:
    await _open_large(watch, pages)
    cursor = (await watch.call("run_accessibility_audit", max_bytes=2048))["cursor"]
    await watch.open(f"{pages}leaf.html")
    assert (await watch.call("run_accessibility_audit", cursor=cursor))["url"].endswith("large.html")
    for wrong in ("5", "x-1", "999-0", "-", "1-" + "9" * 40):
        refused = await watch.error("run_accessibility_audit", cursor=wrong)
        assert refused["error"] == "invalid_params", wrong
        assert "cursor" in refused["message"]


async def test_beyond_what_one_audit_lists_the_scope_helps(
    watch: Watch, pages: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(probe._MOST, "elements", 40)
    await _open_large(watch, pages)
    answer = await watch.call("run_accessibility_audit", max_bytes=50_000)
    kept = sum(len(rule["nodes"]) for rule in answer["violations"])
    assert kept <= 40 < answer["summary"]["elements"]
    assert "narrow it with scope" in answer["message"]


async def test_related_elements_are_told(watch: Watch, pages: str) -> None:
    await watch.open(f"{pages}leaf.html")
    await watch.evaluate(
        "document.body.innerHTML = '<div aria-hidden=true><a href=#x id=inner>x</a></div>"
        '<div id=ground style="background:#888"><p style="color:#777">Grey</p></div>\'; 0'
    )
    answer = await watch.call("run_accessibility_audit", force_refresh=True)
    (pale,) = [rule for rule in answer["violations"] if rule["id"] == "color-contrast"]
    assert pale["related"] == ["#ground"]
    (hidden,) = [rule for rule in answer["violations"] if rule["id"] == "aria-hidden-focus"]
    # Named in the advice, and so not again.
    assert "related" not in hidden
    assert hidden["fix"] == 'Set tabindex="-1" on `#inner`, or remove aria-hidden'


async def test_facts_for_fixes_come_from_frames_too(watch: Watch, pages: str) -> None:
    """Results of several frames are joined by axe, which keeps what a fix is computed from."""
    await watch.open(f"{pages}leaf.html")
    await watch.evaluate(
        "document.body.innerHTML = '<iframe title=f></iframe>';"
        "frames[0].document.body.innerHTML = '<h1>a</h1><h4>b</h4><p style=\"color:#777;opacity:.7\">Words</p>'; 0"
    )
    answer = await watch.call("run_accessibility_audit", force_refresh=True, max_bytes=50_000)
    assert answer["frames"] == 2
    fixes = {rule["id"]: rule["fix"] for rule in answer["violations"]}
    assert fixes["heading-order"] == "Change it to <h2>; the heading before it has level 1"
    assert "opacity: 1" in fixes["color-contrast"]


async def test_a_remembered_audit_has_the_time_of_the_audit(watch: Watch, pages: str) -> None:
    await watch.open(f"{pages}leaf.html")
    first = await watch.call("run_accessibility_audit")
    again = await watch.call("run_accessibility_audit")
    assert again["cached"] is True
    assert again["timestamp"] == first["timestamp"]


async def test_an_error_page_of_the_browser_is_not_audited(watch: Watch, pages: str) -> None:
    nowhere = "http://127.0.0.1:1/nowhere"
    await watch.go(nowhere)
    await watch.until(lambda: watch.tab.unreachable)
    watch.context.pilot.switch(on=True, by="person")
    questions: list[tuple[str, dict[str, Any]]] = [
        ("run_accessibility_audit", {}),
        ("analyze", {"action": "audit"}),
        ("analyze", {"action": "audit", "scope": "performance"}),
        ("analyze", {"action": "security"}),
        ("analyze", {"action": "regression", "scope": "baseline"}),
        ("query_dom", {"selector": "body"}),
        ("get_page_info", {}),
        ("observe", {"what": "accessibility_tree"}),
    ]
    for tool, arguments in questions:
        refused = await watch.error(tool, **arguments)
        assert refused["error"] == "page_not_loaded", (tool, arguments)
        assert nowhere in refused["message"]
    # Chrome is asked where we came too late to hear of it.
    watch.tab.unreachable = None
    assert (await watch.error("run_accessibility_audit"))["error"] == "page_not_loaded"
    await watch.open(f"{pages}leaf.html")
    assert (await watch.call("run_accessibility_audit"))["status"] == "success"


async def test_long_markup_is_cut_and_passwords_are_not_told(watch: Watch, pages: str) -> None:
    await watch.open(f"{pages}leaf.html")
    await watch.evaluate(
        "document.body.innerHTML = `<input type=password value=hunter2hunter2><input name=card value=4111222233334444>"
        "<img class='${'x'.repeat(250)}' src='data:,'>`; 0"
    )
    answer = await watch.call("run_accessibility_audit", force_refresh=True, max_bytes=50_000)
    html = [node["html"] for rule in answer["violations"] for node in rule["nodes"]]
    assert max(map(len, html)) == 200
    assert "hunter2" not in str(answer)
    assert "4111222233334444" not in str(answer)
    assert '<input type="password" value="[REDACTED]">' in html


async def test_scope_tags_and_passes(watch: Watch, pages: str) -> None:
    await watch.open(f"{pages}forms.html")
    inside = await watch.call("run_accessibility_audit", scope="header")
    assert "label" not in _rules(inside)
    tagged = await watch.call("run_accessibility_audit", tags=["best-practice"], max_bytes=50_000)
    assert tagged["violations"]
    assert all("wcag2a" not in rule["wcag"] for rule in tagged["violations"])
    assert "passes" not in tagged
    passed = await watch.call("run_accessibility_audit", include_passes=True, max_bytes=50_000)
    assert len(passed["passes"]) == passed["summary"]["passes"]
    refused = await watch.error("run_accessibility_audit", tags=["wcag9"])
    assert refused["error"] == "invalid_params"
    assert "'wcag9'" in refused["message"]


@pytest.mark.parametrize(
    ("page", "scope", "rule"),
    [
        ("shadow.html", "#open >>> #inner >>> img", "image-alt"),
        ("nested-frames.html", "iframe[src='middle.html'] >>> iframe >>> input", "label"),
    ],
)
async def test_scope_goes_into_shadow_roots_and_frames(
    watch: Watch, pages: str, page: str, scope: str, rule: str
) -> None:
    await watch.open(pages + page)
    answer = await watch.call("run_accessibility_audit", scope=scope, tags=["wcag2a"])
    assert _rules(answer) == {rule: 1}


async def test_an_audit_is_remembered_for_the_document_it_was_of(watch: Watch, pages: str) -> None:
    await watch.open(f"{pages}leaf.html")
    assert "cached" not in await watch.call("run_accessibility_audit")
    assert (await watch.call("run_accessibility_audit"))["cached"] is True
    assert "cached" not in await watch.call("run_accessibility_audit", force_refresh=True)
    assert "cached" not in await watch.call("run_accessibility_audit", tags=["wcag2a"])
    await watch.open(f"{pages}leaf.html?again")
    assert "cached" not in await watch.call("run_accessibility_audit")


async def test_axe_is_loaded_once_per_document(watch: Watch, pages: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    send = Session.send

    async def heard(self: Session, method: str, params: Any = None) -> Any:
        sent.append(method)
        return await send(self, method, params)

    await watch.open(f"{pages}leaf.html")
    monkeypatch.setattr(Session, "send", heard)
    for _ in range(3):
        await watch.call("run_accessibility_audit", force_refresh=True)
    assert sent.count("Runtime.evaluate") == 1


# --- the codes ---------------------------------------------------------------------------------------


async def test_invalid_selector(watch: Watch, pages: str) -> None:
    await watch.open(f"{pages}leaf.html")
    unreadable = await watch.error("run_accessibility_audit", scope="p[")
    assert unreadable["error"] == "invalid_selector"
    assert "'p[' is not a valid selector" in unreadable["message"]
    nothing = await watch.error("run_accessibility_audit", scope="#nowhere")
    assert nothing["error"] == "invalid_selector"
    assert "matches nothing" in nothing["message"]


async def test_axe_injection_failed(watch: Watch, pages: str, monkeypatch: pytest.MonkeyPatch) -> None:
    await watch.open(f"{pages}leaf.html")
    monkeypatch.setattr(probe, "vendored", lambda _: "throw new Error('not this time')")
    error = await watch.error("run_accessibility_audit")
    assert error["error"] == "axe_injection_failed"
    assert "not this time" in error["details"]["said"]


async def test_axe_csp_blocked_devtools_open(watch: Watch, pages: str) -> None:
    """Neither a policy nor another debugger on the page keeps the engine out, so this code is never sent."""
    await watch.open(f"{pages}strict.html")
    assert watch.daemon.root is not None
    target = {"targetId": watch.tab.target_id, "flatten": True}
    other = (await watch.daemon.root.send("Target.attachToTarget", target))["sessionId"]
    assert (await watch.call("run_accessibility_audit"))["status"] == "success"
    assert other


async def test_analysis_timeout(watch: Watch, pages: str, monkeypatch: pytest.MonkeyPatch) -> None:
    await watch.open(f"{pages}leaf.html")
    monkeypatch.setattr("gasoline_cdp.limits.ACCESSIBILITY_TOOL_SECONDS", 0.5)
    watch.tab.session.post(
        "Runtime.evaluate", {"expression": "for (const end = Date.now() + 3000; Date.now() < end;);"}
    )
    error = await watch.error("run_accessibility_audit")
    assert error["error"] == "analysis_timeout"
    monkeypatch.undo()
    # What is still running there does not get in the way of the next audit.
    assert _rules(await watch.call("run_accessibility_audit"))["image-alt"] == 1


async def test_concurrent_analysis(watch: Watch, pages: str, monkeypatch: pytest.MonkeyPatch) -> None:
    await watch.open(f"{pages}leaf.html")
    monkeypatch.setattr("gasoline_cdp.limits.ACCESSIBILITY_TOOL_SECONDS", 0.2)

    async def hold(task_status: trio.TaskStatus[None]) -> None:
        async with watch.context.audits.turn(watch.tab.tab_id):
            task_status.started()
            await trio.sleep_forever()

    async with trio.open_nursery() as nursery:
        await nursery.start(hold)
        error = await watch.error("run_accessibility_audit")
        nursery.cancel_scope.cancel()
    assert error["error"] == "concurrent_analysis"


async def test_a_page_that_leads_axe_in_circles_is_let_go(
    watch: Watch, pages: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await watch.open(f"{pages}clobbered.html")
    monkeypatch.setattr("gasoline_cdp.limits.ACCESSIBILITY_TOOL_SECONDS", 3.0)
    error = await watch.error("run_accessibility_audit")
    assert error["error"] == "analysis_timeout"
    with trio.fail_after(PATIENCE):
        assert await watch.evaluate("1 + 1") == 2


async def test_two_audits_of_a_tab_take_their_turns(watch: Watch, pages: str) -> None:
    await watch.open(f"{pages}leaf.html")
    answers = []

    async def audit(**arguments: Any) -> None:
        answers.append(await watch.call("run_accessibility_audit", **arguments))

    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(audit)
            nursery.start_soon(lambda: audit(force_refresh=True))
    assert _rules(answers[0]) == _rules(answers[1]) != {}


async def test_page_navigated(watch: Watch, pages: str) -> None:
    """The page goes away under the audit: nothing is claimed of it."""
    await watch.open(f"{pages}large.html")
    sending = trio.Event()
    watch.tab.session.on("Runtime.executionContextCreated", lambda _: sending.set())

    async def leave() -> None:
        await sending.wait()
        watch.tab.session.post("Page.navigate", {"url": f"{pages}leaf.html"})

    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(leave)
            answer = await call_tool(TOOLS, watch.context, "run_accessibility_audit", {})
    assert answer.data["status"] == "partial"
    assert answer.data["warnings"] == ["page_navigated"]
    assert answer.data["summary"] is None
    assert answer.data["violations"] == []


async def test_a_hung_frame_is_left_out_and_named(watch: Watch, pages: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A frame with a process of its own hangs: the page itself is still told of, as far as time allows."""
    monkeypatch.setattr("gasoline_cdp.limits.ACCESSIBILITY_TOOL_SECONDS", 6.0)
    other = pages.replace("127.0.0.1", "localhost").removesuffix("pages/")
    await watch.open(f"{pages}other-origin.html?other={other}")
    (frame,) = watch.tab.session.children.values()
    frame.post("Runtime.evaluate", {"expression": HANG})
    answer = await watch.call("run_accessibility_audit")
    assert answer["status"] == "partial"
    assert answer["warnings"] == ["timeout"]
    assert "select-name" in _rules(answer)
    assert "missing" in answer["message"]
