"""The debugger as a witness: variables where exceptions are thrown, on pages, in workers and in frames."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from gasoline_cdp import debug_limits
from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.tools.registry import TOOLS
from tests.hands import Hand
from tests.planted import open_desk
from tests.support import Watch


@pytest.fixture
async def page(watch: Watch, site: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Watch]:
    """A page whose exceptions are caught. A busy machine needs longer than a page may stand still."""
    monkeypatch.setattr(debug_limits, "CATCH_SECONDS", 30.0)
    monkeypatch.setattr(debug_limits, "LOG_POINT_BIND_SECONDS", 30.0)
    watch.context.pilot.switch(on=True, by="person")
    await watch.open(f"{site}page/thrown")
    await watch.call("debug", action="catch")
    yield watch
    watch.context.pilot.switch(on=False, by="person")


async def happened(page: Watch, script: str, text: str) -> dict[str, Any]:
    """Let it happen in a task of its own, and get the error that tells of it."""
    await page.evaluate(f"setTimeout(() => {{ {script} }}), 0")
    await page.log(text)
    answer = await page.call("observe", what="errors")
    found: dict[str, Any] = next(entry for entry in answer["entries"] if text in entry["message"])
    return found


async def test_an_exception_shows_the_variables_of_its_frames(page: Watch) -> None:
    error = await happened(page, "checkout('WINTER')", "reading 'percent'")
    inner, outer = error["variables"][:2]
    assert inner["function"].endswith("apply")
    assert "thrown.js:9:" in inner["at"]
    assert inner["values"].startswith("coupon = undefined, total = 84, this = Cart {items: [")
    assert "code = 'WINTER'" in outer["values"]
    assert "coupons = {SPRING: {percent: 10}}" in outer["values"]
    # What is secret by its name is masked.
    assert "hunter2" not in str(error)
    assert "apiKey = '[REDACTED]'" in outer["values"]


async def test_what_the_failing_line_names_is_shown_also_of_the_whole_page(page: Watch) -> None:
    error = await happened(page, "priceOf(3)", "reading 'gross'")
    # Neither what other lines name, nor what is not set yet.
    assert error["variables"][0]["values"] == "stock = {pear: {gross: 120}}, amount = 3"
    secret = await happened(page, "leak()", "reading 'password'")
    assert secret["variables"][0]["values"] == "session = {user: 'ann', password: '[REDACTED]'}"


@pytest.mark.parametrize("kind", ["module", ""])
async def test_what_the_failing_line_names_comes_first(page: Watch, kind: str) -> None:
    """Also in a script inside a document, of a scope with more variables than are read."""
    filler = " ".join(f"const filler{number} = {number};" for number in range(60))
    code = f"{filler}\nconst shelf = new Proxy({{ pear: 120 }}, {{ get: (on, name) => {{ globalThis.last = name }} }});"
    if kind == "module":
        code = f"{filler}\nconst shelf = {{ pear: 120 }};"
    code += "\nglobalThis.ask = () => shelf.apple.gross + filler50;"
    uses = " ".join(f"filler{number};" for number in range(60))
    code += f"\nglobalThis.uses = () => {{ {uses} }};"
    await page.evaluate(
        f"const script = document.createElement('script'); script.type = {kind!r}; script.text = {code!r};"
        "document.body.append(script); 0"
    )
    error = await happened(page, "ask()", "reading 'gross'")
    values = error["variables"][0]["values"]
    assert values.startswith("shelf = ")
    assert "{pear: 120}" in values
    assert "filler50 = 50" in values


async def test_variables_behind_a_proxy_are_shown_without_its_traps(page: Watch) -> None:
    """As reactive frameworks have them: a trap that has an effect would end the preview of all around it."""
    trap = "ownKeys: (one) => { globalThis.trapped = true; return Reflect.ownKeys(one); }"
    script = f"const state = new Proxy({{ cart: 3 }}, {{ {trap} }}); const plain = 5; null.percent + state + plain;"
    error = await happened(page, f"(function reactive() {{ {script} }})()", "reading 'percent'")
    values = error["variables"][0]["values"]
    assert "plain = 5" in values
    assert "{cart: 3}" in values
    assert await page.evaluate("globalThis.trapped ?? false") is False


async def test_a_rejection_shows_its_variables(page: Watch) -> None:
    error = await happened(page, "loadOrder(17)", "No order 17")
    assert error["kind"] == "rejection"
    assert "id = 17" in error["variables"][0]["values"]
    assert "answer = {status: 'gone', id: 17}" in error["variables"][0]["values"]


@pytest.mark.parametrize("how", ["handled", "logged"])
async def test_what_a_framework_caught_and_reported_shows_its_variables(page: Watch, how: str) -> None:
    error = await happened(page, f"{how}('AUTUMN')", "reading 'percent'")
    assert "coupon = undefined" in error["variables"][0]["values"]


async def test_a_page_that_catches_is_told_only_if_asked(page: Watch) -> None:
    await page.evaluate("tried('{') === null")
    assert not any(record.kind == "exception" for record in page.telemetry.logs.newest())
    await page.call("debug", action="catch", on="all")
    await page.evaluate("setTimeout(() => tried('{oops'))")
    record = await page.log("SyntaxError")
    assert record.level == "info"
    assert "text = '{oops'" in record.values[0].variables
    assert (await page.call("observe", what="errors"))["total"] == 0


async def test_a_page_that_throws_without_end_goes_on(page: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    # A busy machine does not get as far as the true limit within a second.
    monkeypatch.setattr(debug_limits, "CATCH_PER_SECOND", 2)
    await page.evaluate("often(300)")
    assert await page.evaluate("last") == 299
    assert page.daemon.capture.catcher.skipped > 0
    # Others are still read: each target has its own room.
    assert "variables at exceptions" in (await page.call("observe", what="status"))["debugger"]


async def test_a_worker_shows_its_variables(page: Watch) -> None:
    code = "onmessage = ({ data }) => { const parts = data.split('-'); parts[3].trim(); }"
    error = await happened(
        page,
        f"new Worker(URL.createObjectURL(new Blob([{code!r}]))).postMessage('a-b-c')",
        "reading 'trim'",
    )
    assert error["worker"]
    assert "parts = ['a', 'b', 'c']" in error["variables"][0]["values"]


async def test_a_debugger_statement_does_not_stop_the_page(page: Watch) -> None:
    assert await page.evaluate("(() => { debugger; return 5; })()") == 5


async def test_a_log_point_shows_values_when_its_line_runs(page: Watch) -> None:
    answer = await page.call("debug", action="log", at="thrown.js:9", expression="total, coupon, this.items.length")
    [point] = answer["log_points"]
    assert point["bound"] == 1
    await page.evaluate("setTimeout(() => checkout('SPRING'))")
    record = await page.log("total = 84")
    assert record.kind == "logpoint"
    assert record.text == "total = 84, coupon = {percent: 10}, this.items.length = 2"
    assert (record.frames[0].line, record.frames[0].function) == (9, "apply")
    # It is there after a reload, before the page's first script.
    await page.open(f"{page.tab.raw_url}?again")
    await page.evaluate("setTimeout(() => checkout('SPRING'))")
    await page.until(lambda: sum(record.kind == "logpoint" for record in page.telemetry.logs.newest()) == 2)
    # A thing that throws is told; something with an effect is not run.
    await page.call("debug", action="log", at=line_of("const apiKey"), expression="coupon.nothing.more")
    await page.evaluate("setTimeout(() => { try { checkout('WINTER') } catch {} })")
    assert "threw TypeError" in (await page.log("coupon.nothing.more")).text


async def test_a_log_point_ends_after_its_hits(page: Watch) -> None:
    await page.call(
        "debug",
        action="log",
        at=line_of("window.last = index"),
        expression="index",
        condition="index % 2 === 1",
        limit=3,
    )
    await page.evaluate("often(1000)")
    points = (await page.call("debug", action="list"))["log_points"]
    assert (points[-1]["hits"], points[-1]["over"]) == (3, "it was hit often enough")
    texts = [record.text for record in page.telemetry.logs.newest() if record.kind == "logpoint"]
    assert texts == ["index = 5", "index = 3", "index = 1"]


async def test_a_log_point_that_cannot_be_is_refused_or_waits(page: Watch) -> None:
    refused = await page.error("debug", action="log", at="thrown.js:9", expression="total +")
    assert "SyntaxError" in refused["message"]
    assert "FILE:LINE" in (await page.error("debug", action="log", at="thrown.js", expression="total"))["message"]
    answer = await page.call("debug", action="log", at="elsewhere.js:3", expression="1")
    assert answer["log_points"][-1]["bound"] == 0
    said = await call_tool(TOOLS, evolve(page.context, form="lines"), "debug", {"action": "list"})
    assert "not bound yet" in said.text


async def test_off_means_off(page: Watch) -> None:
    answer = await page.call("debug", action="off")
    assert answer["debugger"] == ""
    # Chrome may still be busy with switching it off.
    answer = await page.call("debug", action="log", at="thrown.js:9", expression="total")
    assert answer["log_points"][0]["bound"] == 1
    await page.call("debug", action="off")
    error = await happened(page, "checkout('WINTER')", "reading 'percent'")
    assert "variables" not in error
    await page.call("debug", action="catch")
    page.context.pilot.switch(on=False, by="person")
    assert page.daemon.capture.catcher.mode == "off"
    refused = await page.error("debug", action="catch")
    assert refused["error"] == "ai_web_pilot_disabled"


async def test_a_busy_page_gets_its_log_points_right_after_off(page: Watch) -> None:
    """Chrome carries out commands about breakpoints between those that it got before, while code runs."""
    await page.evaluate("setInterval(() => { const end = Date.now() + 30; while (Date.now() < end); }, 35)")
    for _ in range(8):
        await page.call("debug", action="off")
        answer = await page.call("debug", action="log", at="thrown.js:9", expression="total")
        assert answer["log_points"][-1]["bound"] == 1
        await page.evaluate("setTimeout(() => checkout('SPRING'))")
        await page.until(lambda: page.daemon.capture.log_points.points[-1].hits)


async def test_asynchronous_stacks_only_while_asked_for(page: Watch) -> None:
    begin = "function save() { setTimeout(function send() { checkout('WINTER') }) }; save()"
    error = await happened(page, begin, "reading 'percent'")
    assert "save" not in str(error.get("stack"))
    page.telemetry.clear()
    await page.call("debug", action="catch", async_stacks=True)
    assert "asynchronous stacks" in (await page.call("observe", what="status"))["debugger"]
    error = await happened(page, begin, "reading 'percent'")
    assert "async save" in str(error["stack"])
    page.telemetry.clear()
    await page.call("debug", action="catch")
    error = await happened(page, begin, "reading 'percent'")
    assert "save" not in str(error.get("stack"))


async def test_a_line_that_runs_without_end_leaves_the_page_usable(page: Watch) -> None:
    await page.call("debug", action="log", at=line_of("window.counted = index"), expression="index", limit=100)
    await page.evaluate("counting(100000)")
    assert await page.evaluate("counted") == 99_999
    hits = [record for record in page.telemetry.logs.newest() if record.kind == "logpoint"]
    assert len(hits) == 100
    points = (await page.call("debug", action="list"))["log_points"]
    assert (points[-1]["hits"], points[-1]["over"]) == (100, "it was hit often enough")


async def test_a_page_cannot_see_a_log_point(page: Watch) -> None:
    """Nothing but time: no global, no console call, no error, no property."""
    watching = "[Object.getOwnPropertyNames(globalThis).sort().join(), String(checkout), new Error('x').stack.length]"
    await page.evaluate("globalThis.said = 0; console.log = () => { said += 1 }; onerror = () => { said += 1 }; 0")
    before = await page.evaluate(watching)
    await page.call("debug", action="log", at="thrown.js:9", expression="total, coupon, nothing.there")
    await page.call("debug", action="log", at="thrown.js:8", expression="this.items.length")
    await page.evaluate("setTimeout(() => checkout('SPRING'))")
    await page.log("this.items.length = 2")
    await page.until(lambda: page.daemon.capture.log_points.points[0].hits)
    assert await page.evaluate(watching) == before
    assert await page.evaluate("said") == 0


async def test_a_page_that_leaves_while_it_stands_still_is_not_lost(page: Watch, site: str) -> None:
    """Its last exception is thrown while the next document is on its way."""
    await page.evaluate(
        "addEventListener('pagehide', () => { often(15) });"
        f"setTimeout(() => {{ location.href = '{site}page/thrown?next'; often(15); }})"
    )
    await page.until(lambda: page.tab.raw_url.endswith("?next"))
    error = await happened(page, "checkout('WINTER')", "reading 'percent'")
    assert error["variables"]


def line_of(code: str) -> str:
    """Where the page's script has this."""
    lines = (Path(__file__).parents[1] / "site" / "thrown.js").read_text().splitlines()
    return f"thrown.js:{next(number for number, line in enumerate(lines, 1) if code in line)}"


def desk_source(directory: Path) -> str:
    return next(directory.rglob("src/Cart.jsx")).read_text()


async def test_a_react_component_under_vite_shows_its_variables(
    watch: Watch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(debug_limits, "CATCH_SECONDS", 30.0)
    monkeypatch.setattr(debug_limits, "LOG_POINT_BIND_SECONDS", 30.0)
    watch.context.pilot.switch(on=True, by="person")
    async with open_desk(tmp_path) as desk:
        await watch.call("debug", action="catch")
        await desk.become(watch, frozenset(desk.bugs) - {"cart"})
        for step in ("load", "cart"):
            await desk.do(watch, Hand(watch), step, desk.urls[0])
        await watch.log("reading 'amount'")
        answer = await watch.call("observe", what="errors")
        [first, *_] = [entry for entry in answer["entries"] if entry.get("variables")]
        assert "Cart.jsx:" in first["variables"][0]["at"]
        assert first["variables"][0]["values"] == "item = {}"
        # In the source as it was written: Vite serves other lines.
        line = next(n for n, text in enumerate((desk_source(tmp_path)).splitlines(), 1) if "onClick" in text)
        await watch.call("debug", action="log", at=f"src/Cart.jsx:{line}", expression="item")
        await desk.do(watch, Hand(watch), "load", desk.urls[0])
        record = await watch.log("item = {}")
        assert (record.kind, record.frames[0].line) == ("logpoint", line)
    watch.context.pilot.switch(on=False, by="person")
