"""What a page can throw at us: floods, hangs, crashes. Capture goes on, and says what it could not keep."""

import gc

import pytest
import trio

from gasoline_cdp.views.status import memory_mb
from tests.support import PATIENCE, Watch


@pytest.fixture
async def page(watch: Watch, site: str) -> Watch:
    await watch.open(f"{site}page/blank")
    return watch


@pytest.mark.requirement("F1-FLOOD")
async def test_fifty_thousand_lines_leave_the_newest_thousand(page: Watch, site: str) -> None:
    answers = 0

    async def keep_asking() -> None:
        nonlocal answers
        while True:
            await page.call("observe", what="logs")
            answers += 1
            await trio.lowlevel.checkpoint()

    gc.collect()
    before = memory_mb() or 0.0
    async with trio.open_nursery() as nursery:
        nursery.start_soon(keep_asking)
        await page.go(f"{site}page/flood")
        await page.log("flood line 49999 ")
        nursery.cancel_scope.cancel()
    assert answers > 1
    lines = [record.text for record in page.telemetry.logs.newest()]
    assert len(lines) == 1000
    assert lines[0].startswith("flood line 49999 ")
    status = await page.call("observe", what="status")
    ring = status["buffers"]["logs"]
    # Beside the flood a few lines of ours: navigations, the closed tab of a test before.
    assert 49_000 <= ring["dropped"] <= 49_010
    assert ring["received"] == ring["dropped"] + ring["kept"]
    gc.collect()
    # 50,000 kept lines would take over 30 MB.
    assert (memory_mb() or 0.0) - before < 15


@pytest.mark.requirement("F1-HANG")
async def test_a_hung_page_answers_page_hung_and_keeps_its_past(page: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gasoline_cdp.limits.PAGE_ANSWER_SECONDS", 0.5)
    await page.evaluate("console.error('before the loop')")
    await page.log("before the loop")
    page.tab.session.post("Runtime.evaluate", {"expression": "console.error('in the loop'); while (true) {}"})
    await page.log("in the loop")
    failure = await page.error("get_page_info")
    assert failure["error"] == "page_hung"
    answer = await page.call("observe", what="errors")
    assert {"before the loop", "in the loop"} <= {entry["message"] for entry in answer["entries"]}
    await page.tab.session.send("Runtime.terminateExecution")
    assert (await page.call("get_page_info"))["title"] == "Blank"


@pytest.mark.requirement("F1-TAB-CRASH")
async def test_a_crashed_tab_is_noticed_and_mended_by_a_reload(page: Watch) -> None:
    tab = page.tab
    tab.session.post("Page.crash")
    record = await page.log("The tab crashed")
    assert record.level == "error"
    assert (await page.call("observe", what="tabs"))["tabs"][0]["state"] == "crashed"
    failure = await page.error("get_page_info")
    assert failure["error"] == "page_hung"
    assert "crashed" in failure["message"]
    tab.session.post("Page.reload")
    with trio.fail_after(PATIENCE):
        await page.until(lambda: tab.state == "open")
    await page.evaluate("console.log('alive again')")
    await page.log("alive again")


async def test_a_dialog_is_told_and_does_not_hold_up_a_headless_page(page: Watch) -> None:
    page.daemon.capture.headless = {"b1"}
    await page.evaluate("alert('stop here'); console.log('went on')")
    await page.log("went on")
    record = await page.log("Dialog (alert): stop here")
    assert record.level == "warning"


async def test_page_info_says_what_the_page_is_about(watch: Watch, site: str) -> None:
    await watch.go(f"{site}page/form")
    await watch.request("/page/form")
    await watch.evaluate("new Promise(r => document.readyState === 'complete' ? r() : addEventListener('load', r))")
    info = await watch.call("get_page_info")
    assert info["title"] == "A form & more"
    assert info["headings"] == ["Sign in", "Help"]
    assert info["forms"] == [{"id": "login", "action": "/session?api_key=[REDACTED]", "fields": ["email", "password"]}]
    assert (info["links"], info["images"], info["interactiveElements"]) == (1, 1, 4)
    assert info["viewport"]["width"] > 0
    assert (await watch.call("observe", what="page")) == info


async def test_page_info_is_not_fooled_by_the_page(watch: Watch, site: str) -> None:
    await watch.go(f"{site}page/hostile")
    await watch.log("hostile page ready")
    info = await watch.call("get_page_info")
    assert info["title"] == "Hostile"
    assert info["headings"] == ["Real heading"]
