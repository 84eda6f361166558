"""`gasoline-cdp demo`: the first thing a newcomer sees."""

import json
import os
import re
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio

from gasoline_cdp.frontends.cli.demo_server import SITE
from tests.processes import browsers_with, open_command, run_command, run_on_terminal
from tests.support import PATIENCE

ESCAPE = "\x1b"
COUPON_LINE = next(
    number
    for number, line in enumerate((SITE / "app.js").read_text().splitlines(), 1)
    if "coupon.percent > cart.discount.percent" in line
)


@pytest.fixture(autouse=True)
def temporary_directory(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where the demo's throw-away profile goes, so that its browser can be told from others."""
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    # Not below pytest's own directory: Chrome puts a socket into it, and a socket's path must be short.
    with tempfile.TemporaryDirectory(prefix="gasoline-demo-") as directory:
        monkeypatch.setenv("TMPDIR", directory)
        yield Path(directory)


async def _demo(*arguments: str) -> str:
    ended = await run_command("demo", *arguments)
    assert ended.returncode == 0, ended.stderr.decode()
    assert ended.stderr == b""
    return ended.stdout.decode()


def _words(text: str) -> str:
    """The text without the panel's border and line breaks."""
    return " ".join(re.sub(r"[│╭╮╰╯─]", " ", text).split())


@pytest.mark.requirement("F1-DEMO")
async def test_the_demo_names_every_fault_and_leaves_nothing(temporary_directory: Path) -> None:
    said = await _demo("--once")
    live, _, panel = said.partition("╭")
    if os.geteuid() == 0:
        assert "Chrome runs without its sandbox" in live
    for told in (
        r"GET +404 +/img/hero-missing\.png",
        r"POST 500 +/api/checkout",
        rf'exception +"TypeError.* app\.js:{COUPON_LINE}',
        r'rejection +"Error: Reviews.* app\.js:\d+',
        r'warning +"startPumpDisplay',
        r"GET +200 +/api/recommendations 1\.\d+s",
    ):
        assert re.search(told, live), told
    words = _words(panel)
    for told in (
        r"5 errors, last \d+s ago\. tab 1, http://127\.0\.0\.1:\d+/ ",
        r"r\d+ 404 /img/hero-missing\.png image",
        r'POST 500 /api/checkout app\.js:\d+:\d+ checkout \| {"error":"inventory_unavailable"',
        rf"""exception "TypeError: Cannot read .* \(reading 'percent'\)" app\.js:{COUPON_LINE}:\d+ applyCoupon""",
        r'rejection "Error: Reviews are unavailable: PSP-104 has no review feed" app\.js:\d+:\d+ loadReviews',
        r"5 requests, last",
        r"/api/recommendations 1\.\d+s",
        r"2 tool calls, [\d.]+K?B",
    ):
        assert re.search(told, words), told
    assert browsers_with(str(temporary_directory)) == []
    assert [entry for entry in temporary_directory.iterdir() if entry.name.startswith("gasoline-cdp-")] == []


@pytest.mark.requirement("F1-DEMO")
async def test_without_a_window_the_demo_ends_by_itself() -> None:
    assert "stays open" not in await _demo("--headless")


@pytest.mark.requirement("F1-DEMO")
async def test_a_narrow_terminal_stays_readable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    said = await _demo("--once")
    # A path is not broken, so that it can be copied: the terminal breaks it.
    lines = [line for line in said.splitlines() if not line.lstrip().startswith(('"command"', "/"))]
    assert max(map(len, lines)) <= 60
    panel = [line for line in lines if line.startswith("│")]
    # Time, then tag, then text: a second line of text begins under its first.
    entries = [line for line in panel if re.match(r"│  (\d\d:\d\d:\d\d| {8})  ", line)]
    tags = {re.sub(r"^r\d+", "r#", line[13:24].strip()) for line in entries}
    assert tags == {"rejection", "exception", "error", "r# POST 500", "r# 404", "r#", ""}


@pytest.mark.requirement("F1-DEMO")
@pytest.mark.long
async def test_colour_is_for_terminals_that_want_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ESCAPE not in await _demo("--once")
    code, said = await run_on_terminal("demo", "--once")
    assert code == 0
    assert f"{ESCAPE}[31m" in said
    monkeypatch.setenv("NO_COLOR", "1")
    code, said = await run_on_terminal("demo", "--once")
    assert code == 0
    # Bold and dim stay; colours go.
    assert not re.search(rf"{ESCAPE}\[[0-9;]*3[0-7]m", said)
    assert "POST 500" in said


@pytest.mark.requirement("F1-DEMO")
async def test_the_next_steps_work_as_they_are_shown(tmp_path: Path) -> None:
    said = await _demo("--once")
    configuration = json.loads(said[said.index("\n   {") :].rpartition("}")[0] + "}")
    server = configuration["mcpServers"]["gasoline-cdp"]
    assert server["args"][-1] == "mcp"
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
    with trio.fail_after(PATIENCE):
        # An editor starts it wherever it happens to be, with an environment of its own.
        ended = await trio.run_process(
            [server["command"], *server["args"], "--headless", "--no-sandbox", "--temporary-profile"],
            cwd=tmp_path,
            env={"GASOLINE_RUNTIME_DIR": str(tmp_path / "runtime"), "PATH": "/usr/bin:/bin"},
            stdin=f"{line}\n".encode(),
            capture_stdout=True,
            capture_stderr=True,
        )
    assert json.loads(ended.stdout.splitlines()[0])["result"]["serverInfo"]["name"] == "gasoline-cdp"
    step = re.search(r"^   (\S.*) launch http://localhost:3000$", said, re.MULTILINE)
    assert step is not None
    with trio.fail_after(PATIENCE):
        shown = await trio.run_process(["sh", "-c", f"{step[1]} --version"], capture_stdout=True)
    assert shown.stdout.startswith(b"gasoline-cdp ")


@pytest.mark.requirement("F1-DEMO", "F1-END")
@pytest.mark.parametrize("moment", ["Starting ", "GET  200"])
async def test_the_demo_can_be_ended_at_any_time(moment: str, temporary_directory: Path) -> None:
    async with open_command("demo") as running:
        await running.said(moment)
        running.signal(signal.SIGINT)
        assert await running.ended() == 0
        assert "Traceback" not in running.stderr
    assert browsers_with(str(temporary_directory)) == []
