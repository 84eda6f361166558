"""A client that gives up, or goes away, ends its own work in the browser, and nobody else's."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import attrs
import pytest
import trio

from gasoline_cdp import __version__, limits, wire
from gasoline_cdp.assets import page_script
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.frontends.local.bridge import PROTOCOL
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Needs, Tool
from gasoline_cdp.probe.dom import ask_page
from gasoline_cdp.probe.opening import open_tab
from gasoline_cdp.tools.registry import TOOLS
from tests.connected import ERAS, Connect, open_socket
from tests.http_client import open_http
from tests.support import PATIENCE, Watch

pytestmark = pytest.mark.requirement("S27", "F3-MCP")

SCRIPTS = {
    "loop": "(function () { for (;;); })",
    "later": "(function () { return new Promise(() => this.signal.addEventListener('abort', () => {"
    " document.documentElement.dataset.stopped = 'yes'; })); })",
}


@attrs.frozen(kw_only=True)
class Args:
    script: str = wire.arg("which")
    tab_id: int | None = wire.arg("the tab", default=None)


@attrs.frozen(kw_only=True)
class Nothing:
    """Nothing."""


async def _run(args: Args, context: Context) -> Nothing:
    await ask_page(context.tabs.pick(args.tab_id), args.script)
    return Nothing()


@pytest.fixture(autouse=True)
def scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tool whose page scripts do not end."""
    monkeypatch.setattr("gasoline_cdp.probe.dom.page_script", lambda name: SCRIPTS.get(name) or page_script(name))
    monkeypatch.setattr(limits, "PAGE_ANSWER_SECONDS", PATIENCE)
    tool = Tool(
        name="run", title="R", description="R.", args=Args, answer=Nothing, run=_run, needs=Needs(deadline=PATIENCE)
    )
    monkeypatch.setitem(TOOLS, "run", tool)


@pytest.fixture
async def connect(watch: Watch, tmp_path: Path) -> AsyncIterator[Connect]:
    async with open_socket(watch.context, tmp_path / "run") as connect:
        yield connect


def _began(tab: Tab, *, running: bool = True) -> trio.Event:
    """Set when a script of ours has begun (or returned) in this tab."""
    began = trio.Event()
    word = f'"running":{str(running).lower()}'
    tab.session.on("Runtime.bindingCalled", lambda params: began.set() if word in params["payload"] else None)
    return began


async def _answers(watch: Watch) -> None:
    """The page's thread is free again."""
    assert await watch.evaluate("1 + 1") == 2


@pytest.mark.parametrize("era", ERAS)
async def test_a_cancelled_call_is_ended_in_the_page(era: str, watch: Watch, site: str, connect: Connect) -> None:
    await watch.open(f"{site}page/blank")
    busy = watch.tab
    other = await open_tab(busy.session.connection.root, watch.daemon.context.tabs)
    began = _began(busy)
    with trio.fail_after(PATIENCE):
        async with connect(era) as client, connect(era) as neighbour, trio.open_nursery() as nursery:
            answers: dict[int, Any] = {}
            asked = trio.Event()

            async def ask(tab: Tab) -> None:
                result = await neighbour.call_tool("get_page_info", {"tab_id": tab.tab_id})
                answers[tab.tab_id] = result.structured_content
                if tab is busy:
                    asked.set()

            scope = trio.CancelScope()

            async def run() -> None:
                with scope:
                    await client.call_tool("run", {"script": "loop", "tab_id": busy.tab_id})

            nursery.start_soon(run)
            await began.wait()
            # Another tab answers meanwhile; on the same tab the neighbour's call waits its turn, and gets it.
            await ask(other)
            nursery.start_soon(ask, busy)
            scope.cancel()
            await _page_is_free(busy)
            await asked.wait()
            assert answers[other.tab_id]["tab_id"] == other.tab_id
            assert answers[busy.tab_id]["url"].endswith("/page/blank")
            # The client's own connection goes on.
            info = (await client.call_tool("get_page_info", {"tab_id": busy.tab_id})).structured_content
            assert info["tab_id"] == busy.tab_id


async def _page_is_free(tab: Tab) -> None:
    reply = await tab.session.send("Runtime.evaluate", {"expression": "1 + 1"})
    assert reply["result"]["value"] == 2


@pytest.mark.parametrize("era", ERAS)
async def test_a_client_that_goes_away_ends_its_work(era: str, watch: Watch, site: str, connect: Connect) -> None:
    await watch.open(f"{site}page/blank")
    began = _began(watch.tab)
    with trio.fail_after(PATIENCE):
        async with connect(era) as client, trio.open_nursery() as nursery:
            nursery.start_soon(client.call_tool, "run", {"script": "loop"})
            await began.wait()
            # The library's client sends no word when its transport is torn down under a call.
            nursery.cancel_scope.cancel()
        await _answers(watch)


@pytest.mark.parametrize("want", ["mcp", "call"])
async def test_a_process_that_is_killed_ends_its_work(want: str, watch: Watch, site: str, tmp_path: Path) -> None:
    """An editor's bridge, or a shell: nothing is announced, the socket just ends."""
    await watch.open(f"{site}page/blank")
    began = _began(watch.tab)
    async with open_socket(watch.context, tmp_path / "run") as _:
        with trio.fail_after(PATIENCE):
            stream = await trio.open_unix_socket(str(tmp_path / "run" / "daemon.sock"))
            await stream.send_all(_SAID[want])
            await began.wait()
            await stream.aclose()
            await _answers(watch)


_INITIALIZE = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
    b'"clientInfo":{"name":"t","version":"1"}}}'
)
_INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
_CALL = b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run","arguments":{"script":"loop"}}}'


_HELLO = json.dumps({"want": "mcp", "protocol": PROTOCOL, "version": __version__}).encode()
_SAID = {
    "mcp": b"\n".join([_HELLO, _INITIALIZE, _INITIALIZED, _CALL, b""]),
    "call": b'{"want":"call","tool":"run","arguments":{"script":"loop"}}\n',
}


async def test_what_a_page_itself_does_is_not_ended(watch: Watch, site: str) -> None:
    """Our script waits behind the page's own: giving up ends neither."""
    await watch.open(f"{site}page/blank")
    tab = watch.tab
    script = "setTimeout(() => { const end = Date.now() + 500; while (Date.now() < end); window.finished = true; })"
    with trio.fail_after(PATIENCE):
        tree = await tab.session.send("Page.getFrameTree")
        await tab.session.send("Page.createIsolatedWorld", {"frameId": tree["frameTree"]["frame"]["id"]})
        await watch.evaluate(f"{script}; 0")
        with trio.move_on_after(0.1) as scope:
            await ask_page(tab, "loop")
        assert scope.cancelled_caught
        await tab.session.send("Runtime.evaluate", {"expression": "1"})
        assert await watch.evaluate("window.finished === true")


async def test_what_waits_in_the_page_is_asked_to_stop(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/blank")
    returned = _began(watch.tab, running=False)
    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask_page, watch.tab, "later")
            await returned.wait()
            nursery.cancel_scope.cancel()
        assert await watch.evaluate("document.documentElement.dataset.stopped") == "yes"


async def test_a_script_that_takes_too_long_is_ended(watch: Watch, site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PAGE_ANSWER_SECONDS", 0.5)
    await watch.open(f"{site}page/blank")
    with trio.fail_after(PATIENCE):
        assert (await watch.error("run", script="loop"))["error"] == "page_hung"
        await _answers(watch)


async def test_one_client_s_clear_leaves_another_s_call_and_handles(watch: Watch, site: str) -> None:
    """What was captured is gone for all; what somebody is doing, or has kept, is not."""
    await watch.open(f"{site}page/blank")
    watch.context.pilot.switch(on=True, by="start")
    kept = (await watch.call("verify_fix", action="start"))["session_id"]
    answers: list[dict[str, Any]] = []

    async def run() -> None:
        script = "console.log('begun'); return new Promise((resolve) => { window.finish = () => resolve('whole') })"
        answers.append(await watch.call("execute_javascript", script=script))

    with trio.fail_after(PATIENCE):
        async with open_http(watch.context) as http, trio.open_nursery() as nursery:
            nursery.start_soon(run)
            await watch.log("begun")
            cleared = (await http.ask("POST", "/clear")).json
            assert cleared["entries_removed"] > 0
            assert list(watch.telemetry.logs.newest()) == []
            await watch.evaluate("window.finish()")
    assert [answer["result"] for answer in answers] == ["whole"]
    assert (await watch.call("verify_fix", action="status", session_id=kept))["session_id"] == kept
