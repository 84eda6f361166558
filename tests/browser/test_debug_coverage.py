"""What ran: functions and lines of the page's own code, counted while somebody asks for it."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.tools.registry import TOOLS
from tests.support import Watch


@pytest.fixture
async def page(watch: Watch, site: str, tmp_path: Path) -> AsyncIterator[Watch]:
    watch.context.pilot.switch(on=True, by="person")
    watch.context = evolve(watch.context, artifacts=tmp_path)
    await watch.open(f"{site}page/thrown")
    yield watch
    watch.context.pilot.switch(on=False, by="person")


async def do(page: Watch, script: str) -> None:
    """Run it in a task of the page, and wait until it has run."""
    await page.evaluate(f"new Promise((done) => setTimeout(() => {{ {script}; done(); }}))")


async def ran(page: Watch, **more: Any) -> dict[str, dict[str, Any]]:
    """The functions of thrown.js that ran since the last time, by name."""
    answer = await page.call("debug", action="coverage", **more)
    files = [file for file in answer.get("ran", ()) if file["file"].endswith("thrown.js")]
    return {one["function"]: one for file in files for one in file["functions"]}


async def test_what_ran_in_between(page: Watch) -> None:
    assert await ran(page) == {}
    await do(page, "checkout('SPRING'); checkout('SPRING')")
    functions = await ran(page)
    assert {name: one["count"] for name, one in functions.items()} == {
        "apply": 2,
        "(anonymous)": 4,
        "window.checkout": 2,
    }
    assert functions["apply"]["lines"] == "7-10"
    assert await ran(page) == {}
    status = await call_tool(TOOLS, evolve(page.context, form="lines"), "observe", {"what": "status"})
    assert "counts what runs" in status.text
    assert (await page.call("debug", action="off"))["debugger"] == ""
    assert await page.evaluate("1 + 1") == 2


async def test_lines_that_did_not_run_and_files(page: Watch, site: str, tmp_path: Path) -> None:
    refused = await page.error("debug", action="coverage", output="early.json")
    assert "nothing was counted yet" in refused["message"]
    await ran(page, by_line=True)
    await page.open(f"{site}page/thrown?again")
    await do(page, "tried('{}')")
    functions = await ran(page)
    assert functions["(top level)"]["count"] == 1
    assert functions["window.tried"]["missed"] == ["46-47"]
    await page.call("debug", action="coverage", output="coverage.json")
    await page.call("debug", action="coverage", output="raw.v8.json")
    [istanbul] = json.loads((tmp_path / "coverage.json").read_text()).values()
    number = next(number for number, one in istanbul["fnMap"].items() if one["name"] == "window.tried")
    assert istanbul["f"][number] == 1
    line = next(number for number, one in istanbul["statementMap"].items() if one["start"]["line"] == 47)
    assert istanbul["s"][line] == 0
    [script] = json.loads((tmp_path / "raw.v8.json").read_text())["result"]
    assert {one["functionName"]: one["ranges"][0]["count"] for one in script["functions"]}["window.often"] == 0


async def test_two_tabs_of_one_process_are_told_apart(page: Watch) -> None:
    """They share V8's counter, which each reading sets back."""
    first, opened = page.tab, {"expression": "globalThis.other = open('?popup'); 0", "userGesture": True}
    await first.session.send("Runtime.evaluate", opened)
    await page.until(lambda: [tab for tab in page.context.tabs.open() if "popup" in tab.raw_url])
    await page.evaluate(
        "new Promise((done) => { const look = () => other.checkout ? done() : setTimeout(look); look() })", first
    )
    await ran(page)
    await page.evaluate("other.checkout('SPRING'); checkout('SPRING')", first)
    assert (await ran(page))["apply"]["count"] == 2


async def test_which_handlers_a_click_ran(page: Watch, site: str) -> None:
    await page.open(f"{site}page/thrown?button")
    await page.evaluate(
        "document.body.innerHTML = '<button>Pay</button>';"
        "document.querySelector('button').onclick = () => checkout('SPRING'); 0"
    )
    steps = [{"do": "click", "target": "button"}]
    assert not (await page.call("act", steps=steps)).get("ran")
    await ran(page)
    await do(page, "tried('{}')")
    answer = await page.call("act", steps=steps)
    assert sorted(line.partition(" ")[2] for line in answer["ran"]) == [
        "(anonymous) ×2",
        "apply ×1",
        "window.checkout ×1",
    ]


async def test_unused_code_is_known_only_of_a_page_that_was_counted_whole(page: Watch, site: str) -> None:
    audit = {"action": "audit", "scope": "performance", "force_refresh": True}
    assert "not known" in str(await page.call("analyze", **audit))
    await ran(page)
    assert "not known" in str(await page.call("analyze", **audit))
    await page.open(f"{site}page/thrown?whole")
    answer = await page.call("analyze", **audit)
    assert "not known" not in str(answer)
    unused = await page.daemon.capture.coverage.unused(page.tab.session)
    [script] = [one for one in unused or () if one.url.endswith("thrown.js")]
    assert 700 < script.unused < script.chars < 2000
