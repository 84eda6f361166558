"""The README's word: every command in it is run, and what it shows is what is shown."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import trio

from gasoline_cdp import limits
from gasoline_cdp.analysis.performance.budgets import read_budgets
from gasoline_cdp.frontends.mcp.prompts import PROMPTS
from gasoline_cdp.frontends.mcp.resources import RESOURCES
from gasoline_cdp.tools.registry import TOOLS
from tests.documents import blocks, shape
from tests.processes import Running, open_process, run_command
from tests.support import PATIENCE

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
TESTS_RUN_HERE = "npm test"

# The only commands that are not run, each with its reason.
EXEMPT = {
    "pip install .": "would change this environment; test_wheel.py installs the wheel into a new one",
    "pipx install .": "fetches the dependencies from a package index",
    "uv tool install .": "fetches the dependencies from a package index",
    "./launcher/run test": "is what runs this test",
    "./launcher/run lint": "is run by ./launcher/run test before this test",
    "./launcher/run docs": "writes into the checkout; test_docs.py runs the same generator elsewhere",
    "./launcher/run lock": "asks the network for versions, and writes into the checkout",
}
# Commands that stay until they are ended, with what they say when they are at work.
STAYING = {"launch": "Watching Chrome/", "attach": "Watching Chrome/", "watch": "Watching gasoline-cdp"}


def _blocks(language: str) -> list[str]:
    return blocks(README, language)


def _is_for_ci(block: str) -> bool:
    return TESTS_RUN_HERE in block


COMMAND_BLOCKS = [block for block in _blocks("sh") if not _is_for_ci(block) and "curl " not in block]
HTTP_BLOCKS = [block for block in _blocks("sh") if "curl " in block]
(CI_COMMAND,) = [block for block in _blocks("sh") if _is_for_ci(block)]


async def _run(*command: str) -> subprocess.CompletedProcess[bytes]:
    # A script is a dozen commands.
    with trio.fail_after(4 * PATIENCE):
        return await trio.run_process(command, capture_stdout=True, capture_stderr=True, check=False)


@pytest.mark.requirement("F1-DOCS")
@pytest.mark.parametrize("block", COMMAND_BLOCKS, ids=lambda block: block.splitlines()[0])
@pytest.mark.usefixtures("environment")
async def test_the_commands_work(block: str, site: str, chromium: str) -> None:
    browser = "http://" + chromium.removeprefix("ws://").split("/")[0]
    block = block.replace("http://localhost:3000", f"{site}page/console").replace("http://127.0.0.1:9222", browser)
    staying: list[Running] = []
    async with AsyncExitStack() as stack:
        for line in block.splitlines():
            if line in EXEMPT:
                continue
            words = shlex.split(line, comments=True)
            if ready := STAYING.get(words[1]):
                running = await stack.enter_async_context(open_process(words))
                await running.said(ready)
                staying.append(running)
            else:
                ended = await _run("sh", "-c", line)
                assert ended.returncode == 0, (ended.stdout + ended.stderr).decode()
        for running in reversed(staying):
            running.signal(signal.SIGINT)
            assert await running.ended() == 0, running.stderr
            assert "Traceback" not in running.stderr


@pytest.mark.requirement("F1-DOCS")
@pytest.mark.parametrize("block", HTTP_BLOCKS, ids=lambda block: block.splitlines()[0])
@pytest.mark.usefixtures("environment")
async def test_the_calls_over_http_are_answered(block: str, site: str, tmp_path: Path) -> None:
    async with open_process(["gasoline-cdp", "launch", "--port", "0", f"{site}page/console"]) as running:
        await running.said("Watching Chrome/")
        access = json.loads((Path(os.environ["GASOLINE_RUNTIME_DIR"]) / "http.json").read_text())
        ended = await _run("sh", "-eu", "-c", block.replace("http://127.0.0.1:7890", access["url"]))
        assert ended.returncode == 0, ended.stderr.decode()
        assert {"summary", "entries"} <= set(json.loads(ended.stdout))
        assert "stats" in json.loads((tmp_path / "snapshot.json").read_text())
        running.signal(signal.SIGINT)
        assert await running.ended() == 0, running.stderr


@pytest.mark.requirement("F1-DOCS")
@pytest.mark.parametrize(
    ("page", "tests_end_with", "exit_code"),
    [
        # Pages log errors, and the tests do not mind.
        ("page/console", 0, 3),
        # The tests fail, and pages log no error.
        ("page/blank", 7, 7),
    ],
)
@pytest.mark.usefixtures("environment")
async def test_the_command_for_ci_is_green_only_if_all_is_well(
    page: str, tests_end_with: int, exit_code: int, site: str, tmp_path: Path
) -> None:
    witness = f'{sys.executable} {ROOT / "tests" / "witness.py"} "${{GASOLINE_CDP_ENDPOINT##*:}}" {site}{page}'
    loaded = f"until gasoline-cdp observe network | grep -q '{page}'; do sleep 0.1; done"
    if page == "page/console":
        loaded += "; until gasoline-cdp observe errors | grep -q 'out of range'; do sleep 0.1; done"
    tests = f"sh -c {shlex.quote(f'{witness} >witness.txt; {loaded}; exit {tests_end_with}')}"
    ended = await _run("sh", "-e", "-c", CI_COMMAND.replace(TESTS_RUN_HERE, tests))
    assert ended.returncode == exit_code, ended.stderr.decode()
    evidence = tmp_path / "browser-evidence"
    listed = re.findall(r"^\| `([\w.]+)`", README.partition("## In CI")[2].partition("## ")[0], re.MULTILINE)
    assert sorted(listed) == sorted(path.name for path in evidence.iterdir())
    assert ("out of range" in (evidence / "summary.md").read_text()) is (page == "page/console")
    assert json.loads((evidence / "gasoline.har").read_text())["log"]["entries"]


@pytest.mark.requirement("F1-DOCS")
@pytest.mark.usefixtures("environment")
async def test_the_command_for_ci_does_not_wait_for_a_browser_that_never_comes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GASOLINE_BROWSER", "/nowhere")
    ended = await _run("sh", "-e", "-c", CI_COMMAND)
    assert ended.returncode == 1
    assert b"/nowhere" in ended.stderr


@pytest.mark.requirement("F1-DOCS")
def test_exemptions_are_all_needed() -> None:
    commands = {line for block in COMMAND_BLOCKS for line in block.splitlines()}
    assert set(EXEMPT) <= commands


@pytest.mark.requirement("F1-DOCS")
@pytest.mark.usefixtures("environment")
async def test_the_demo_shows_what_the_picture_shows() -> None:
    ended = await _run("gasoline-cdp", "demo", "--once")
    shown = {_squeezed(line) for line in ended.stdout.decode().splitlines()}
    (picture,) = re.findall(r"\]\((docs/pictures/\S+\.svg)\)", README)
    title, *lines = _lines_drawn(ROOT / picture)
    assert title == "gasoline-cdp demo"
    assert len(lines) > 20
    assert [line for line in lines if _squeezed(line) not in shown] == []
    # The panel breaks long lines, and a time that columns align stands in each: what is left of a line is all there.
    panel = "".join(_squeezed(line.strip("│ \n")) for line in ended.stdout.decode().splitlines())
    (answer,) = [block for block in _blocks("text") if block.startswith("5 errors")]
    parts = [part for line in answer.splitlines()[1:] for part in re.split(r"…|^[\d:]+ ", line) if part]
    assert len(parts) >= 6
    assert [part for part in parts if _squeezed(part) not in panel] == []


def _squeezed(line: str) -> str:
    """A line without spaces, of which a picture has none between its parts; and without a time, said if it changes."""
    return shape(line).replace(" ", "").replace("0:0:0", "")


def _lines_drawn(picture: Path) -> list[str]:
    """The text in a picture of a terminal, line by line."""
    lines: dict[str, str] = {}
    for drawn in ET.parse(picture).iter("{http://www.w3.org/2000/svg}text"):
        # Parts of one line stand at one height.
        height = drawn.get("y", "")
        lines[height] = lines.get(height, "") + (drawn.text or "").replace("\xa0", " ")
    return [line for line in lines.values() if line.strip()]


@pytest.mark.requirement("F1-DOCS")
@pytest.mark.usefixtures("environment")
async def test_the_editor_s_entry_starts_a_server() -> None:
    entries = [entry for block in _blocks("json") if "mcpServers" in (entry := json.loads(block))]
    assert entries
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
    for entry in entries:
        server = entry["mcpServers"]["gasoline-cdp"]
        with trio.fail_after(PATIENCE):
            ended = await trio.run_process(
                [server["command"], *server["args"]],
                stdin=f"{line}\n".encode(),
                capture_stdout=True,
                capture_stderr=True,
            )
        assert json.loads(ended.stdout.splitlines()[0])["result"]["serverInfo"]["name"] == "gasoline-cdp"


@pytest.mark.requirement("F1-DOCS")
def test_every_tool_is_named_and_those_that_need_the_pilot_are_marked() -> None:
    found = re.findall(r"\[(\w+)\]\(docs/tools/\1\.md\)( ✱)?", README)
    assert {name: bool(mark) for name, mark in found} == {name: tool.every_call.pilot for name, tool in TOOLS.items()}


@pytest.mark.requirement("F1-DOCS")
def test_resources_and_prompts_named_are_there() -> None:
    (told,) = re.findall(r"^\*\*Resources and prompts\.\*\* .*$", README, re.MULTILINE)
    assert set(re.findall(r"`(gasoline://\w+)`", told)) <= set(RESOURCES)
    assert re.findall(r"`(\w+)`", told.partition("The prompts")[2].partition(".")[0]) == list(PROMPTS)


@pytest.mark.requirement("F1-DOCS")
def test_the_budgets_shown_can_be_read() -> None:
    (shown,) = _blocks("toml")
    budgets = read_budgets(shown, name="pyproject.toml", section=("tool", "gasoline-cdp", "budgets"))
    assert budgets is not None
    assert budgets.for_path("/checkout/pay") == {
        "lcp_ms": (2500, "default"),
        "total_transfer_kb": (800, "default"),
        "load_ms": (1500, "/checkout"),
    }


@pytest.mark.requirement("F1-DOCS")
def test_the_paths_listed_are_those_of_http() -> None:
    table = README.partition("## Over HTTP")[2].partition("## ")[0]
    named = re.findall(r"`(?:GET |POST )?(/[a-z-]+(?:/\w+)?)`", table)
    served = (ROOT / "gasoline_cdp" / "frontends" / "http" / "app.py").read_text(encoding="utf-8")
    assert len(named) >= 11
    unserved = [
        path for path in named if f'"{path.replace("NAME", "")}' not in served and f'"{path[1:]}"' not in served
    ]
    assert unserved == ["/run/user"]


@pytest.mark.requirement("F1-DOCS")
async def test_the_commands_listed_are_those_that_exist() -> None:
    table = README.partition("## Commands")[2].partition("##")[0]
    listed = re.findall(r"^\| `(\w+)", table, re.MULTILINE)
    known = (await run_command("--help")).stdout.decode()
    assert listed == re.findall(r"^    ([a-z]+) ", known, re.MULTILINE)


@pytest.mark.requirement("F1-DOCS")
def test_the_limits_are_those_of_the_code() -> None:
    table = README.partition("## Limits")[2].partition("##")[0]
    mb, kb = limits.MB, limits.KB
    bodies = f"{limits.REQUEST_BODY_BYTES // kb} KB of a request, {limits.RESPONSE_BODY_BYTES // kb} KB of a response"
    for said in (
        f"console messages, exceptions, events | {limits.LOG_ENTRIES} entries, {limits.LOG_BYTES // mb} MB",
        f"requests, without bodies | {limits.NETWORK_ENTRIES} entries, {limits.NETWORK_BYTES // mb} MB",
        f"bodies | {limits.BODY_ENTRIES} entries, {limits.BODY_BYTES // mb} MB; {bodies}",
        f"EventSource events | {limits.SOCKET_ENTRIES} entries, {limits.SOCKET_BYTES // mb} MB",
        f"; {limits.SOCKET_MESSAGE_BYTES // kb} KB of a message",
        f"an answer | {limits.ANSWER_BYTES // kb} KB; {limits.ANSWER_BYTES_MAX // kb} KB",
        f"actions | {limits.ACTION_ENTRIES} entries",
        f"pages whose headings are kept | {limits.DOM_SNAPSHOTS}",
        f"a tool call | {limits.TOOL_SECONDS:.0f} s",
        f"| {limits.RESTARTS} in {limits.RESTART_WINDOW_SECONDS / 60:.0f} minutes",
    ):
        assert said in table
