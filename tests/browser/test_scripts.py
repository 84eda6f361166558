"""execute_javascript in real pages: results of every kind, errors, loops, dialogs, and pages that resist."""

from typing import Any

import pytest
import trio

from gasoline_cdp import limits, pilot_limits, wire
from gasoline_cdp.browser.attached import Attached
from gasoline_cdp.browser.launched import Launched
from gasoline_cdp.config import Config, ServeOptions
from gasoline_cdp.probe import evaluate
from tests.support import PATIENCE, Watch, open_watch

pytestmark = pytest.mark.requirement("F4-SCRIPTS")


@pytest.fixture
def attach_config(chromium: str) -> Config:
    return Config(
        browser=Attached(ws_endpoint=chromium), serve=ServeOptions(pilot=True), url="about:blank", strict=True
    )


@pytest.fixture
async def page(watch: Watch, site: str) -> Watch:
    """A harmless page, with a pilot."""
    await watch.open(f"{site}page/pilot")
    return watch


async def run(watch: Watch, script: str, **more: Any) -> dict[str, Any]:
    return await watch.call("execute_javascript", script=script, **more)


async def value(watch: Watch, script: str) -> Any:
    return (await run(watch, script))["result"]


async def usable(watch: Watch) -> bool:
    return bool(await value(watch, "document.title") == "Pilot")


async def test_what_a_script_causes_is_recorded(page: Watch) -> None:
    await page.evaluate("document.body.addEventListener('click', () => { throw new Error('the handler broke'); })")
    assert await value(page, "document.body.click(); return 'clicked'") == "clicked"
    await page.log("the handler broke")

    async def exceptions() -> list[str]:
        entries = (await page.call("observe", what="errors"))["entries"]
        return [entry["message"] for entry in entries if entry["kind"] == "exception"]

    assert await exceptions() == ["Uncaught Error: the handler broke"]
    # What the script throws itself is its result, and no error of the page.
    for script in ("throw new Error('mine')", "nothing.at.all", "await Promise.reject(new Error('later'))"):
        assert (await page.error("execute_javascript", script=script))["error"] == "script_error"
    assert len(await exceptions()) == 1


async def test_what_a_script_caused_is_not_called_resolved_by_a_mere_reload(page: Watch, site: str) -> None:
    handler = "document.body.addEventListener('click', () => { throw new Error('the handler broke'); })"
    click = "document.body.click(); return 'clicked'"
    await page.evaluate(handler)
    assert await value(page, click) == "clicked"
    await page.log("the handler broke")
    ran = [entry for entry in (await page.call("observe", what="actions"))["entries"] if entry["type"] == "script"]
    assert [(entry["source"], "click" in str(entry["fields"])) for entry in ran] == [("ai", False)]
    session = {"session_id": (await page.call("verify_fix", action="start"))["session_id"]}
    await page.call("verify_fix", action="watch", **session)
    await page.open(f"{site}page/pilot")

    async def changes() -> list[str]:
        result = (await page.call("verify_fix", action="compare", **session))["result"]
        assert (result["verdict"] == "fixed") == (result["changes"][0]["type"] == "resolved")
        return [change["type"] for change in result["changes"]]

    assert await changes() == ["not_retried"]
    assert await value(page, click) == "clicked"
    assert await changes() == ["resolved"]


@pytest.mark.requirement("F4-SEED")
async def test_execute_success(page: Watch) -> None:
    assert await run(page, "1 + 1") == {"success": True, "result": 2, "type": "number", "tab_id": page.tab.tab_id}


@pytest.mark.requirement("F4-SEED")
async def test_execute_timeout(page: Watch) -> None:
    with trio.fail_after(PATIENCE):
        error = await page.error("execute_javascript", script="while(true){}", timeout_ms=200)
    assert error["error"] == "execution_timeout"
    assert error["message"] == "The script did not finish in 200 ms and was ended. The page is usable."
    assert error["details"] == {"timeout_ms": 200}
    assert await usable(page)


@pytest.mark.requirement("F4-SEED")
async def test_execute_error(page: Watch) -> None:
    error = await page.error("execute_javascript", script="throw new Error('test')")
    assert (error["status"], error["error"]) == ("error", "script_error")
    assert error["details"]["exception"] == "Error: test"
    assert error["details"]["stack"].startswith("at execute_javascript:1:7")
    # Nothing that a script says stands in our own words.
    assert "test" not in error["message"]


@pytest.mark.parametrize(
    ("script", "result", "kind"),
    [
        ("({a: 1, b: [true, null, 'x']})", {"a": 1, "b": [True, None, "x"]}, "object"),
        ("{a: 1}", {"a": 1}, "object"),
        ("const a = 20; return a + 1", 21, "number"),
        ("for (const a of [1, 2]) { if (a > 1) return a }", 2, "number"),
        ("await Promise.resolve(7)", 7, "number"),
        ("Promise.resolve([8])", [8], "array"),
        ("const r = await new Promise(r => setTimeout(r, 1, 'late')); return r", "late", "string"),
        ("1 + 1 // a comment", 2, "number"),
        ("'%s %d' + `${1}`", "%s %d1", "string"),
        ("undefined", None, "undefined"),
        ("NaN", "NaN", "number"),
        ("-0", "-0", "number"),
        ("[1/0, 10n]", ["Infinity", "10n"], "array"),
        ("new Date(0)", "1970-01-01T00:00:00.000Z", "date"),
        ("/a+/gi", "/a+/gi", "regexp"),
        ("new Map([['a', 1], [2, {b: 3}]])", {"[Map(2)]": [["a", 1], [2, {"b": 3}]]}, "map"),
        ("new Set([1, 'two'])", {"[Set(2)]": [1, "two"]}, "set"),
        ("const o = {n: 1}; o.self = o; return o", {"n": 1, "self": "[Circular]"}, "object"),
        ("const a = [1]; return {a, again: a}", {"a": [1], "again": [1]}, "object"),
        ("document.getElementById('save')", "<button#save.primary>", "node"),
        ("document.querySelectorAll('p')", ["<p#far>", "<p#hidden>"], "array"),
        ("[window, document, () => 1, Symbol('s'), new WeakMap()]",
         ["[Window]", "[Document]", "[Function]", "[Symbol]", "[WeakMap]"], "array"),
        ("new Uint8Array(4)", "[TypedArray]", "typedarray"),
        ("({length: 5_000_000, name: 'file'})", {"length": 5_000_000, "name": "file"}, "object"),
        ("Object.create(null, {x: {value: 1, enumerable: true}})", {"x": 1}, "object"),
    ],
)  # fmt: skip
async def test_results_of_every_kind(page: Watch, script: str, result: object, kind: str) -> None:
    answer = await run(page, script)
    assert answer["result"] == result
    assert answer["type"] == kind
    wire.encode(answer)


async def test_an_error_that_is_returned_is_told_by_its_words(page: Watch) -> None:
    assert (await value(page, "return new TypeError('not thrown')")).startswith("TypeError: not thrown")


async def test_a_script_runs_once_and_leaves_no_name_behind(page: Watch) -> None:
    await run(page, "window.runs = (window.runs || 0) + 1")
    await run(page, "const mine = 1; var yours = 2; window.runs += 1; function ours() {}")
    assert await page.evaluate("[window.runs, typeof mine, typeof yours, typeof ours]") == [
        2, "undefined", "undefined", "undefined",
    ]  # fmt: skip


async def test_it_runs_in_the_page_s_own_world(page: Watch) -> None:
    await page.evaluate("window.store = {getState: () => ({cart: [1, 2]})}")
    assert await value(page, "store.getState().cart.length") == 2


async def test_statements_without_return_say_so(page: Watch) -> None:
    answer = await run(page, "const a = 1; a + 1")
    assert answer["result"] is None
    assert answer["note"] == "The script returned nothing. A script of several statements needs `return`."


async def test_what_is_no_javascript_is_not_run(page: Watch) -> None:
    error = await page.error("execute_javascript", script="window.ran = 1;\nreturn 1 +")
    assert error["error"] == "script_error"
    assert "SyntaxError" in error["details"]["exception"]
    assert await page.evaluate("typeof ran") == "undefined"
    for script in ("", " \n", "x" * (pilot_limits.SCRIPT_CHARS + 1)):
        assert (await page.error("execute_javascript", script=script))["error"] == "invalid_params"


async def test_places_in_a_stack_are_those_of_the_script(page: Watch) -> None:
    script = "const one = 1\nconst fail = () => {\n  throw new RangeError('third line')\n}\nfail()"
    error = await page.error("execute_javascript", script=script)
    assert error["details"]["stack"].splitlines()[0] == "at fail (execute_javascript:3:9)"
    assert error["details"]["stack"].splitlines()[1].startswith("at execute_javascript:5:1")
    # No line of ours behind the script's own.
    assert len(error["details"]["stack"].splitlines()) == 2
    error = await page.error("execute_javascript", script="missing.x")
    assert error["details"]["stack"] == "at execute_javascript:1:1"


async def test_anything_can_be_thrown(page: Watch) -> None:
    for thrown in ("'words'", "null", "undefined", "{a: 1}", "document.body", "12n"):
        error = await page.error("execute_javascript", script=f"throw {thrown}")
        assert error["error"] == "script_error"
        assert error["details"]["exception"]
    error = await page.error("execute_javascript", script="Promise.reject(new Error('later'))")
    assert error["details"]["exception"] == "Error: later"


async def test_secrets_are_masked(page: Watch) -> None:
    token = "ghp_" + "A1b2C3d4E5" * 4
    script = f"({{password: 'hunter2hunter2', list: ['{token}'], map: new Map([['api_key', 'abcdefgh12345678']])}})"
    shown = wire.encode(await run(page, script)).decode()
    error = wire.encode(await page.error("execute_javascript", script=f"throw new Error('{token}')")).decode()
    listed = wire.encode(await page.call("observe", what="logs", level="info")).decode()
    for text in (shown, error, listed):
        assert token not in text
        assert "hunter2" not in text
        assert "abcdefgh" not in text


@pytest.mark.parametrize(
    "script",
    [
        "await 0; while(true){}",
        "for (;;) await 0",
        "while(true) try { while(true){} } finally { continue }",
        "({get trap() { while(true){} }})",
        "new Proxy({}, {ownKeys() { while(true){} }})",
    ],
)
async def test_loops_of_every_kind_are_ended(page: Watch, script: str) -> None:
    with trio.fail_after(PATIENCE):
        error = await page.error("execute_javascript", script=script, timeout_ms=200)
    assert error["error"] == "execution_timeout"
    assert error["message"].endswith("The page is usable.")
    assert await usable(page)


async def test_a_loop_ends_when_its_caller_goes(page: Watch) -> None:
    with trio.move_on_after(1) as scope:
        await run(page, "await 0; while(true){}", timeout_ms=30_000)
    assert scope.cancelled_caught
    with trio.fail_after(PATIENCE):
        assert await usable(page)


async def test_a_page_that_is_busy_with_its_own_code_is_left_alone(
    page: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the page runs is not ended for a script that never began."""
    monkeypatch.setattr(limits, "PAGE_ANSWER_SECONDS", 0.2)
    await page.evaluate(
        "setTimeout(() => { console.log('busy'); for (const end = performance.now() + 1500; performance.now() < end;);"
        " window.finished = true; })"
    )
    await page.log("busy")
    error = await page.error("execute_javascript", script="window.ran = true", timeout_ms=100)
    assert error["error"] == "page_hung"
    assert "The script was not run, and nothing was ended" in error["message"]
    assert await page.evaluate("[window.finished, window.ran]") == [True, None]


async def test_a_loop_that_ends_late_is_told_as_one(page: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    """Chrome may end it after we have stopped waiting: then it did not wait for anything."""
    evaluation = evaluate._evaluation
    monkeypatch.setattr(evaluate, "_evaluation", lambda program, seconds: evaluation(program, seconds + 0.4))
    error = await page.error("execute_javascript", script="while(true){}", timeout_ms=100)
    assert error["message"] == "The script did not finish in 100 ms and was ended. The page is usable."


async def test_what_was_ended_after_an_await_may_be_the_page_s_own(page: Watch) -> None:
    script = "await new Promise(r => setTimeout(r, 20)); while(true){}"
    error = await page.error("execute_javascript", script=script, timeout_ms=200)
    assert "or with code of the page's own; what ran there was ended" in error["message"]
    assert await usable(page)


async def test_what_only_waits_is_left_alone(page: Watch) -> None:
    await page.evaluate("window.ticks = 0; setInterval(() => ticks += 1, 1)")
    error = await page.error("execute_javascript", script="await new Promise(() => {})", timeout_ms=100)
    assert error["error"] == "execution_timeout"
    assert "may go on in the page" in error["message"]
    # Nothing of the page's own was ended in its place.
    before = await value(page, "ticks")
    assert await value(page, f"await new Promise(r => setInterval(() => ticks > {before} && r(true), 1))")


async def test_a_dialog_of_the_script_s_own_is_dismissed(page: Watch) -> None:
    error = await page.error("execute_javascript", script="alert('hello'); return 1", timeout_ms=300)
    assert error["error"] == "execution_timeout"
    assert "a dialog (alert), which was dismissed" in error["message"]
    assert "hello" not in error["message"]
    assert await usable(page)


async def test_while_a_dialog_is_open_nothing_is_run(page: Watch) -> None:
    page.tab.session.post("Runtime.evaluate", {"expression": "setTimeout(() => confirm('sure?'))"})
    await page.until(lambda: page.tab.dialog)
    error = await page.error("execute_javascript", script="window.ran = 1")
    assert error["error"] == "page_hung"
    assert "A dialog (confirm) is open" in error["message"]
    await page.tab.session.send("Page.handleJavaScriptDialog", {"accept": True})
    assert await usable(page)
    assert await value(page, "typeof ran") == "undefined"


async def test_a_page_that_leaves(page: Watch, site: str) -> None:
    script = f"location.href = '{site}page/blank'; return new Promise(() => {{}})"
    error = await page.error("execute_javascript", script=script)
    assert error["error"] == "page_navigated"


async def test_a_tab_that_closes(page: Watch) -> None:
    tab = page.tab
    async with trio.open_nursery() as nursery:
        nursery.start_soon(page.close, tab)
        error = await page.error("execute_javascript", script="new Promise(() => {})", tab_id=tab.tab_id)
    assert error["error"] == "no_such_tab"


async def test_results_too_large_are_cut_with_their_true_size(page: Watch) -> None:
    answer = await run(page, "Array.from({length: 3000}, (_, n) => n)")
    assert answer["truncated"] is True
    assert answer["size_bytes"] == len(wire.encode(list(range(3000))))
    assert answer["result"] == list(range(len(answer["result"])))
    assert len(wire.encode(answer)) <= limits.ANSWER_BYTES
    more = await run(page, "Array.from({length: 3000}, (_, n) => n)", max_bytes=limits.ANSWER_BYTES_MAX)
    assert more["result"] == list(range(3000))
    text = await run(page, "'x'.repeat(5_000_000)")
    assert (text["type"], text["size_bytes"], text["truncated"]) == ("string", 5_000_000, True)
    assert len(wire.encode(text)) <= limits.ANSWER_BYTES
    named = await run(page, "Object.fromEntries(Array.from({length: 50}, (_, n) => [`n${n}`, 'y'.repeat(400)]))")
    assert named["truncated"] is True
    assert named["result"]


@pytest.mark.parametrize(
    "script",
    [
        "new Array(10_000_000).fill(0)",
        "new Map(Array.from({length: 500_000}, (_, n) => [n, n]))",
        "const all = {}; for (let n = 0; n < 500_000; n++) all[n] = {n}; return all",
        "[{deep: new Array(10_000_000).fill('x')}]",
        "const holes = []; holes[4_000_000_000] = 1; return holes",
        "const web = []; for (let n = 0; n < 40; n++) web.push({n, web}); return web.map(w => ({...w, more: web}))",
    ],
)
async def test_no_result_fills_memory(page: Watch, script: str) -> None:
    answer = await run(page, script, timeout_ms=20_000)
    assert answer["success"] is True
    assert len(wire.encode(answer)) <= limits.ANSWER_BYTES


async def test_one_script_at_a_time_in_a_tab(page: Watch) -> None:
    order: list[str] = []

    async def slow() -> None:
        await run(page, "await new Promise(r => setTimeout(r, 300)); return 1")
        order.append("slow")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(slow)
        await page.log("An assistant ran a script of")
        assert await value(page, "2") == 2
        order.append("quick")
    assert order == ["slow", "quick"]


async def test_the_log_says_that_a_script_was_run(page: Watch) -> None:
    await run(page, "document.title")
    record = await page.log("An assistant ran a script of 14 characters.")
    assert (record.kind, record.source.tab_id) == ("event", page.tab.tab_id)


async def test_pages_that_eval_is_forbidden_in_stay_so(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/pilot-strict")
    assert await value(watch, "document.title") == "Strict"
    error = await watch.error("execute_javascript", script="eval('1')")
    assert error["details"]["exception"].startswith("EvalError")


async def test_a_page_with_broken_built_ins(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/pilot-hostile")
    answer = await run(watch, "({a: [1, {b: 'x'}], m: new Map([[1, 2]]), n: document.body})")
    assert answer["result"] == {"a": [1, {"b": "x"}], "m": {"[Map(1)]": [[1, 2]]}, "n": "<body>"}
    assert await watch.evaluate("used.length") == 0


async def test_a_launched_headless_browser_answers_dialogs_itself(site: str) -> None:
    config = Config(
        browser=Launched(headless=True, temporary_profile=True, no_sandbox=True),
        serve=ServeOptions(pilot=True),
        url="about:blank",
        strict=True,
    )
    async with open_watch(config) as watch:
        await watch.open(f"{site}page/pilot")
        assert await value(watch, "[confirm('sure?'), prompt('who?')]") == [False, None]
        # Where nobody could click there is no switch.
        assert watch.context.pilot.switch_tab == "none"


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("throw null", "null"),
        ("throw undefined", "undefined"),
        ("Promise.reject()", "undefined"),
        ("throw 0", "0"),
        ("throw {code: 404, why: ['gone']}", '{"code":404,"why":["gone"]}'),
        ("throw 'words'", "words"),
    ],
)
async def test_what_is_thrown_in_place_of_an_error_is_told(page: Watch, script: str, told: str) -> None:
    error = await page.error("execute_javascript", script=script)
    assert (error["error"], error["details"]) == ("script_error", {"exception": told})
    assert "stack" not in error["message"]


async def test_a_result_that_throws_when_read_is_no_navigation(page: Watch) -> None:
    answer = await page.call("execute_javascript", script="({get x() { throw new Error('no') }, y: 1})")
    assert answer["result"] == "[Object, which throws when it is read]"


async def test_a_blank_script_is_called_blank(page: Watch) -> None:
    assert "not be blank" in (await page.error("execute_javascript", script="  "))["message"]
    assert (await page.error("execute_javascript", script="1 +"))["details"]["line"] == 1


async def test_pages_of_the_browser_itself_are_refused(watch: Watch) -> None:
    await watch.go("chrome://version")
    with trio.fail_after(PATIENCE):
        while not watch.tab.raw_url.startswith("chrome:"):
            await watch.evaluate("1")
    error = await watch.error("execute_javascript", script="document.title")
    assert error["error"] == "invalid_params"
    assert "chrome://version" in error["details"]["problems"][0]
    assert watch.context.pilot.on
