"""Memory of real pages: counters, heap snapshots in their own process, leaks, and everything that can go wrong."""

import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import trio
from attrs import evolve

from gasoline_cdp import limits, memory_limits
from gasoline_cdp.heap_worker.process import ChunkQueue
from gasoline_cdp.operations.running import call_tool, run_operation
from gasoline_cdp.probe.heap_capture import settle
from gasoline_cdp.tools.registry import TOOLS
from gasoline_cdp.unlisted.files import FILES
from gasoline_cdp.unlisted.heaps import EXPECT_NO_LEAKS
from tests.memory.corpus import PAGES, is_right, look_for_leaks, serve_pages
from tests.support import Watch, open_watch

pytestmark = pytest.mark.requirement("F10-MEMORY")

_SECRET = "ghp_" + "Zk3vT9qLw2XyB7nM4rJ8sD1fG6hK5pA0cE2u"
_DETACHED = """(() => {
  window.kept = [1, 2, 3].map(() => document.createElement("section"));
  for (const one of window.kept) one.innerHTML = "<form><input name=nodeType><input name=isConnected></form>";
  document.body.append(document.createElement("template"));
})()"""


@pytest.fixture
async def leaky() -> AsyncIterator[str]:
    async with serve_pages() as url:
        yield url


@pytest.fixture
async def page(watch: Watch, leaky: str) -> Watch:
    watch.context.pilot.switch(on=True, by="person")
    await watch.open(f"{leaky}window_listener")
    return watch


@pytest.mark.requirement("F10-COUNTERS")
async def test_counters_and_detached_elements_are_exact(page: Watch) -> None:
    before = await page.call("analyze", action="memory", scope="snapshot")
    assert before["snapshot"].get("detached_nodes") == 0
    await page.evaluate(_DETACHED)
    after = await page.call("analyze", action="memory", scope="snapshot")
    assert after["snapshot"]["detached_nodes"] == 3 * 4
    assert after["snapshot"]["detached_trees"] == 3
    assert after["snapshot"]["detached_tags"] == {"section": 3}
    assert 0 < after["snapshot"]["heap_used_mb"] <= after["snapshot"]["heap_total_mb"]
    assert after["snapshot"]["heap_limit_mb"] > 100
    seen = await page.call("observe", what="memory")
    assert seen["memory"]["dom_node_count"] > 12
    assert seen["trend"]["samples"] == 3


async def test_a_leak_is_found_with_its_holder_and_none_on_the_repaired_page(watch: Watch, leaky: str) -> None:
    name = "window_listener"
    watch.context.pilot.switch(on=True, by="person")
    answer = await look_for_leaks(watch, f"{leaky}{name}")
    first = answer["findings"][0]
    assert is_right(first, PAGES[name])
    assert first["per_round"] == 1.0
    assert first["location"].startswith(f"{name}.js:")
    assert first["detached_trees"] == 5
    # The ids stay valid: the object, and who holds it.
    shown = await watch.call("analyze", action="memory", scope="object", of=f"@{first['ids'][0]}")
    assert shown["object"]["id"] == first["ids"][0]
    held = await watch.call("analyze", action="memory", scope="retainers", of=f"@{first['ids'][0]}")
    assert len(held["rows"]) == 1
    repaired = await look_for_leaks(watch, f"{leaky}{name}?repaired")
    assert repaired.get("findings") == []


async def test_what_the_page_shows_at_the_end_is_no_leak(watch: Watch, leaky: str) -> None:
    watch.context.pilot.switch(on=True, by="person")
    [leak] = (await look_for_leaks(watch, f"{leaky}shown_panel"))["findings"]
    assert is_right(leak, PAGES["shown_panel"])
    repaired = await look_for_leaks(watch, f"{leaky}shown_panel?repaired", rounds=None)
    assert repaired.get("findings") == []


async def test_what_only_the_browser_or_a_proxy_holds_is_named(page: Watch) -> None:
    await page.evaluate(
        """window.state = new Proxy({followers: new Set()}, {});
        CSS.highlights.set("first search", new Highlight());"""
    )
    await page.call("analyze", action="memory", scope="snapshot", name="before")
    await page.evaluate(
        """(() => {
          const make = () => document.createElement("output");
          const hear = (box) => (new BroadcastChannel("news").onmessage = (event) => (box.textContent = event.data));
          const follow = (box) => state.followers.add(() => box.remove());
          const index = (box) => requestIdleCallback(() => index(box));
          for (let turn = 0; turn < 4; turn += 1) {
            hear(make());
            follow(make());
            index(make());
            CSS.highlights.set(`search ${turn}`, new Highlight());
          }
        })()"""
    )
    answer = await page.call("analyze", action="memory", scope="leaks", name="before", rounds=4, max_bytes=20_000)
    held = {
        (one["kind"], one["held_by"], one.get("detached_trees", 0)) for one in answer["findings"] if one["count"] == 4
    }
    assert held == {
        ("connection", "the browser, while it is open", 4),
        ("collection", "window.state.followers Set", 4),
        ("idle callback", "idle callback of window", 4),
        ("growth", "window → HighlightRegistry", 0),
    }


async def test_every_scope_answers_in_both_forms_within_its_size(page: Watch) -> None:
    # As two strings, so that they are listed as equal ones.
    await page.evaluate(f"window.copies = [1, 2, 3].map(() => decodeURIComponent('{_SECRET}%20' + 'x'.repeat(900)))")
    await page.evaluate("round()")
    await page.call("analyze", action="memory", scope="snapshot", name="before")
    await page.evaluate("round()")
    asked: list[dict[str, Any]] = [
        {"scope": "compare", "name": "before"},
        {"scope": "leaks", "name": "before"},
        *({"scope": scope} for scope in ("classes", "strings", "closures")),
        {"scope": "retainers", "of": "Panel"},
        {"scope": "object", "of": "Panel"},
    ]
    lines = evolve(page.context, form="lines")
    for arguments in asked:
        answer = await call_tool(TOOLS, lines, "analyze", {"action": "memory", **arguments})
        assert not answer.is_error, answer.text
        assert len(answer.text.encode()) < limits.ANSWER_BYTES
        assert len(answer.json) < limits.ANSWER_BYTES
        assert _SECRET not in answer.text
        assert _SECRET.encode() not in answer.json
        if arguments["scope"] == "strings":
            assert "window.copies" in answer.text
        if arguments["scope"] == "leaks":
            assert len(answer.text.encode()) < 2048
            assert "listener on window" in answer.text
        if arguments["scope"] == "compare":
            assert answer.data["delta"]["detached_nodes_delta"] == 5
            assert any(one["name"] == "Panel" and one["count_delta"] == 1 for one in answer.data["classes"])
        if arguments["scope"] == "retainers":
            assert "closure variable this of Panel (window_listener.js:3)" in answer.text


async def test_a_test_fails_with_what_leaks(page: Watch) -> None:
    await page.evaluate("round()")
    begun = await run_operation(EXPECT_NO_LEAKS, page.context, {"action": "begin"})
    assert begun.data["passed"]
    for _ in range(3):
        await page.evaluate("round()")
    checked = await run_operation(EXPECT_NO_LEAKS, page.context, {"action": "check", "rounds": 3})
    assert checked.data.get("passed", False) is False
    assert "held by | listener on window" in checked.data["message"]
    assert checked.data["leaks"]["findings"][0]["per_round"] == 1.0


async def test_a_snapshot_in_a_file_is_the_same_again(page: Watch, tmp_path: Path) -> None:
    file = tmp_path / "page.heapsnapshot"
    saved = await run_operation(FILES["save_heap"], page.context, {"path": str(file)})
    assert file.stat().st_size == saved.data["bytes"]
    assert file.read_bytes().startswith(b'{"snapshot"')
    now = await page.call("analyze", action="memory", scope="classes")
    loaded = await run_operation(FILES["load_heap"], page.context, {"path": str(file), "name": "file"})
    assert not loaded.is_error, loaded.data
    again = await page.call("analyze", action="memory", scope="classes", name="file")
    assert again["rows"] == now["rows"]
    file.write_bytes(file.read_bytes()[:-1000])
    cut = await run_operation(FILES["load_heap"], page.context, {"path": str(file), "name": "cut"})
    assert cut.data["error"] == "bad_snapshot_file"
    assert (await page.error("analyze", action="memory", scope="classes", name="cut"))["error"] == "no_such_snapshot"


async def test_a_worker_has_a_heap_of_its_own(page: Watch) -> None:
    await page.evaluate(
        """new Promise((done) => {
          const code = "class Job { list = new Array(9000).fill(this) } "
            + "self.jobs = [new Job(), new Job()]; postMessage(0)";
          window.worker = new Worker(URL.createObjectURL(new Blob([code], {type: "text/javascript"})));
          window.worker.onmessage = () => done();
        })"""
    )
    answer = await page.call("analyze", action="memory", scope="classes", of="blob:", max_bytes=50_000)
    assert {row["name"]: row["count"] for row in answer["rows"]}.get("Job") == 2
    wrong = await page.error("analyze", action="memory", scope="classes", of="nothing-like-this")
    assert wrong["error"] == "no_such_object"


async def test_what_other_pages_do_meanwhile_is_captured(page: Watch, leaky: str) -> None:
    root = page.daemon.root
    assert root is not None
    busy = page.tab
    known = {tab.tab_id for tab in page.context.tabs.open()}
    await root.send("Target.createTarget", {"url": f"{leaky}interval", "background": True})
    other = await page.until(lambda: next((t for t in page.context.tabs.open() if t.tab_id not in known), None))
    await page.open(f"{leaky}interval", other)

    lines: list[str] = []
    fetched: list[str] = []
    async with trio.open_nursery() as nursery:

        async def snapshot() -> None:
            await page.call("analyze", action="memory", scope="snapshot", name="x", tab_id=busy.tab_id)
            nursery.cancel_scope.cancel()

        nursery.start_soon(snapshot)
        for number in range(100_000):
            url = f"{leaky}interval?turn={number}."
            await page.evaluate(f"console.log('line {number}'); fetch('{url}').then((got) => got.text())", other)
            lines.append(f"line {number}")
            fetched.append(url)
    assert len(lines) > 1
    logged = {record.text for record in page.telemetry.logs.newest() if record.source.tab_id == other.tab_id}
    assert set(lines[-500:]) <= logged
    await page.request(fetched[-1])
    assert set(fetched[-100:]) <= {record.url for record in page.telemetry.network.newest()}


async def test_failures_are_told_and_nothing_partial_is_kept(
    page: Watch, leaky: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = await page.error("analyze", action="memory", scope="compare", name="before")
    assert missing["error"] == "no_such_snapshot"
    with monkeypatch.context() as patch:
        patch.setattr(memory_limits, "HEAP_BYTES_MAX", 1000)
        assert (await page.error("analyze", action="memory", scope="classes"))["error"] == "heap_too_large"
    with monkeypatch.context() as patch:
        patch.setattr(memory_limits, "HEAP_TEXT_BYTES_MAX", 1000)
        assert (await page.error("analyze", action="memory", scope="classes"))["error"] == "heap_too_large"
    await page.call("analyze", action="memory", scope="snapshot", name="before")
    pid = page.context.heaps.worker.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    gone = await page.error("analyze", action="memory", scope="object", name="before", of="Window")
    assert gone["error"] in {"heap_analysis_failed", "no_such_snapshot"}
    # The next question has a process of its own.
    assert (await page.call("analyze", action="memory", scope="classes"))["rows"]
    await page.call("analyze", action="memory", scope="snapshot", name="before")
    await page.open(f"{leaky}interval")
    loaded = await page.error("analyze", action="memory", scope="leaks", name="before")
    assert loaded["error"] == "page_navigated"


@pytest.mark.parametrize("how", ["navigates", "crashes"])
async def test_a_page_that_leaves_during_its_snapshot(
    page: Watch, leaky: str, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    async def leave(*arguments: Any) -> Any:
        settled = await settle(*arguments)
        if how == "crashes":
            page.tab.session.post("Page.crash")
        else:
            page.tab.session.post("Page.navigate", {"url": f"{leaky}interval"})
        return settled

    monkeypatch.setattr("gasoline_cdp.probe.heap_capture.settle", leave)
    error = await page.error("analyze", action="memory", scope="snapshot", name="lost")
    assert error["error"] == ("page_hung" if how == "crashes" else "page_navigated")
    assert page.context.heaps.names() == []


async def test_the_process_that_reads_dies_during_a_snapshot(page: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    add = ChunkQueue.add

    def add_and_kill(queue: ChunkQueue, *arguments: Any) -> None:
        if (pid := page.context.heaps.worker.pid) is not None:
            os.kill(pid, signal.SIGKILL)
        add(queue, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(ChunkQueue, "add", add_and_kill)
        error = await page.error("analyze", action="memory", scope="snapshot", name="lost")
    assert error["error"] == "heap_analysis_failed"
    assert "take the baseline again" in error["message"]
    assert page.context.heaps.names() == []
    await page.call("analyze", action="memory", scope="snapshot", name="again")
    assert page.context.heaps.names() == ["again"]


async def test_without_the_pilot_nothing_is_taken(watch: Watch) -> None:
    error = await watch.error("analyze", action="memory", scope="snapshot", name="x")
    assert error["error"] == "ai_web_pilot_disabled"
    assert (await run_operation(EXPECT_NO_LEAKS, watch.context, {"action": "begin"})).data["error"] == error["error"]
    assert watch.context.heaps.worker.pid is None


async def test_the_process_ends_with_the_daemon_and_numpy_stays_out_of_it(attach_config: Any, leaky: str) -> None:
    async with open_watch(attach_config) as watch:
        watch.context.pilot.switch(on=True, by="person")
        await watch.open(f"{leaky}interval")
        await watch.call("analyze", action="memory", scope="classes")
        pid = watch.context.heaps.worker.pid
        assert pid is not None
        await watch.close_tabs()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    script = "import sys, gasoline_cdp.daemon, gasoline_cdp.frontends.serve; sys.exit('numpy' in sys.modules)"
    assert (await trio.run_process([sys.executable, "-c", script], check=False)).returncode == 0
