"""Where a person or an assistant would not know how to go on: each is told what happened and what to do next."""

import os
import signal
import socket
from pathlib import Path
from typing import Any

import pytest
import trio

from gasoline_cdp.browser.launched import Launched
from gasoline_cdp.config import Config, ServeOptions
from gasoline_cdp.errors import GasolineError
from gasoline_cdp.frontends.local import bridge
from gasoline_cdp.frontends.serve import serve_daemon
from tests.editor import open_editor
from tests.processes import HEADLESS, browsers_with, call, open_command, run_command, until
from tests.support import PATIENCE

READY = "Watching Chrome/"


def _launch(tmp_path: Path, *options: str) -> list[str]:
    return ["launch", *HEADLESS, "--port", "0", "--profile", str(tmp_path / "profile"), *options]


@pytest.mark.requirement("F1-CLI", "F3-MCP")
async def test_an_assistant_is_told_that_nothing_was_loaded_and_what_to_ask_for() -> None:
    async with open_editor("--standalone", "--temporary-profile") as editor:
        await editor.greet()
        for what in ("errors", "logs", "network", "actions"):
            answer = await editor.call("observe", what=what)
            assert answer["summary"] == "Nothing is known: no page has been loaded yet."
            for words in ("no window", "ask the person", "gasoline-cdp launch URL", "behind `mcp`", "--pilot"):
                assert words in answer["notice"]
        assert "No page has been loaded" in (await editor.call("query_dom", selector="body"))["notice"]


@pytest.mark.requirement("F1-CLI", "F3-MCP")
async def test_an_assistant_that_may_act_is_told_how_to_open_a_page(site: str) -> None:
    async with open_editor("--standalone", "--temporary-profile", "--pilot", "--viewport", "390x844") as editor:
        await editor.greet()
        told = (await editor.call("observe", what="errors"))["notice"]
        assert "execute_javascript with location.href = " in told
        await editor.call("execute_javascript", script=f"location.href = '{site}page/blank'")

        async def loaded() -> dict[str, Any] | None:
            answer = await editor.call("observe", what="errors")
            return None if "notice" in answer else answer

        assert (await until(loaded))["summary"] == "No errors."
        # The size that was asked for, though no window is as narrow.
        assert (await editor.call("get_page_info"))["viewport"] == {"width": 390, "height": 844}
        assert (await editor.call("observe", what="status"))["browser"]["viewport"] == "390x844"


@pytest.mark.requirement("F1-CLI")
async def test_an_address_where_nothing_answers_is_told(tmp_path: Path) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}/"
        async with open_command(*_launch(tmp_path, url)) as running:
            await running.said(f"{url} did not load (net::ERR_CONNECTION_REFUSED). Is its server running?")
            assert "did not load" in (await call("observe", what="errors"))["notice"]
            # Without a window pages have a size that people use.
            assert (await call("observe", what="status"))["browser"]["viewport"] == "1280x800"
            assert "viewport 1280x800" in " ".join((await run_command("status")).stdout.decode().split())
            nobody.listen()
            nobody.setblocking(False)
            with trio.fail_after(PATIENCE):
                # Chrome tries again by itself.
                client, _ = await trio.socket.from_stdlib_socket(nobody).accept()
            async with trio.SocketStream(client) as stream:
                await stream.send_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi")
                await running.said(f"{url} has loaded now.")
            assert "notice" not in await call("observe", what="errors")


@pytest.mark.requirement("F1-CLI")
async def test_a_debugging_port_that_is_taken_is_told(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ended = await run_command(*_launch(tmp_path, "--debug-port", str(port)))
    assert ended.returncode == 1
    assert f"cannot listen on debugging port {port}" in ended.stderr.decode()
    assert browsers_with(str(tmp_path / "profile")) == []


@pytest.mark.requirement("F1-CLI")
async def test_a_closed_window_does_not_take_what_was_captured_with_it(tmp_path: Path, site: str) -> None:
    async with open_command(*_launch(tmp_path, f"{site}page/console", "--viewport", "900x600")) as running:
        await running.said(READY)

        async def captured() -> bool:
            return "out of range" in str(await call("observe", what="errors"))

        await until(captured)
        assert (await call("get_page_info"))["viewport"] == {"width": 900, "height": 600}
        # As a person's click on the window's cross: Chrome ends by itself, with code 0.
        os.kill((await call("observe", what="status"))["browser"]["pid"], signal.SIGTERM)
        await running.said("The browser was closed. What was captured can still be read until Ctrl-C")
        assert await captured()
        assert "start it again" in (await call("observe", what="errors"))["notice"]
        assert (await run_command("stop")).returncode == 0
        assert await running.ended() == 0


@pytest.mark.requirement("F1-CLI")
async def test_without_a_browser_and_without_anybody_who_asks_it_ends() -> None:
    config = Config(
        browser=Launched(headless=True, no_sandbox=True, temporary_profile=True), serve=ServeOptions(port=0)
    )
    said: list[str] = []
    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(serve_daemon, config, said.append, None, 0.0)

            async def running() -> int | None:
                return await trio.to_thread.run_sync(_browser_pid)

            os.kill(await until(running), signal.SIGTERM)
    assert said[-1].startswith("The browser was closed. What was captured can still be read")


def _browser_pid() -> int | None:
    try:
        data, _ = bridge.call("observe", {"what": "status"})
    except GasolineError:
        return None
    return data["browser"].get("pid") if data["browser"]["state"] == "running" else None
