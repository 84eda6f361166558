"""The Inspector of the MCP project, on its command line: a client that knows nothing of us, in every era it speaks."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import trio

from gasoline_cdp.frontends.mcp.tool_list import tool_list
from tests.node_tools import NODE
from tests.processes import AS_PROGRAM, COMMAND, HEADLESS, call, open_command, until
from tests.support import PATIENCE

pytestmark = pytest.mark.long

ERAS = ["legacy", "modern", "auto"]
_OURS = ("GASOLINE_", "CHROME_PATH", "XDG_DATA_HOME")


class Inspector:
    """Runs the Inspector on one method of a server of ours."""

    def __init__(self, node_modules: Path, home: Path) -> None:
        self._script = (
            node_modules / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js"
        )
        # It keeps a catalogue of servers in the home directory.
        self._environment = {**os.environ, "HOME": str(home)}

    async def run(self, era: str, *options: str, server: list[str]) -> subprocess.CompletedProcess[bytes]:
        environment = [
            part for name, value in os.environ.items() if name.startswith(_OURS) for part in ("-e", f"{name}={value}")
        ]
        # Its own patience ends sooner than ours, on a busy machine too soon.
        patience = str(int(PATIENCE * 1000))
        inspect = ["--cli", "--protocol-era", era, "--connect-timeout", patience, "--format", "json"]
        with trio.fail_after(PATIENCE):
            return await trio.run_process(
                [str(NODE), str(self._script), *inspect, *options, *environment, "--", *COMMAND, *server],
                env=self._environment,
                stdin=b"",
                capture_stdout=True,
                capture_stderr=True,
                check=False,
            )


def _on(chromium: str) -> list[str]:
    """A server of its own, on the browser of the run."""
    return ["mcp", *AS_PROGRAM, "--standalone", "--ws-endpoint", chromium]


@pytest.fixture
def inspector(node_modules: Path, tmp_path: Path) -> Inspector:
    home = tmp_path / "home"
    home.mkdir()
    return Inspector(node_modules, home)


def _said(done: subprocess.CompletedProcess[bytes]) -> dict[str, Any]:
    assert done.returncode == 0, (done.stdout, done.stderr)
    said = json.loads(done.stdout)
    assert isinstance(said, dict)
    return said


@pytest.mark.requirement("F1-MCP")
@pytest.mark.parametrize("era", ERAS)
async def test_the_inspector_lists_our_tools_and_finds_no_fault_in_their_schemas(
    era: str, inspector: Inspector, chromium: str
) -> None:
    server = _on(chromium)
    said = _said(await inspector.run(era, "--method", "tools/list", "--strict", server=server))
    assert said["result"]["tools"] == tool_list()
    # What --strict objects to, be it only a warning, stands beside the result.
    assert not said.get("schemaFindings")


@pytest.mark.requirement("F1-MCP")
async def test_the_inspector_is_told_of_a_page_loaded_before_it_connected(
    inspector: Inspector, site: str, tmp_path: Path
) -> None:
    profile = str(tmp_path / "profile")
    async with open_command("launch", *HEADLESS, "--profile", profile, f"{site}page/console") as running:
        await running.said("Watching Chrome/")
        await until(_console_page_is_done)
        for era in ERAS:
            options = ["--method", "tools/call", "--tool-name", "observe", "--tool-arg", "what=errors"]
            result = _said(await inspector.run(era, *options, server=["mcp", *AS_PROGRAM]))["result"]
            assert not result.get("isError"), (era, result)
            messages = [entry.get("message", "") for entry in result["structuredContent"]["entries"]]
            assert any("out of range: 11" in message for message in messages), (era, messages)


async def _console_page_is_done() -> bool:
    logs = await call("observe", what="logs", limit=100)
    return any(entry["message"] == "console page done" for entry in logs["entries"])


@pytest.mark.requirement("F3-MCP")
@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_the_inspector_reads_resources_and_gets_prompts(era: str, inspector: Inspector, chromium: str) -> None:
    server = _on(chromium)
    read = _said(await inspector.run(era, "--method", "resources/read", "--uri", "gasoline://status", server=server))
    (content,) = read["result"]["contents"]
    assert json.loads(content["text"])["version"]
    got = _said(await inspector.run(era, "--method", "prompts/get", "--prompt-name", "debug_page", server=server))
    assert "observe" in got["result"]["messages"][0]["content"]["text"]
