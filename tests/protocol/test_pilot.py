"""The pilot from outside: a person starts with it or without it, an assistant finds out."""

from pathlib import Path

import pytest
import trio
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.processes import AS_PROGRAM, COMMAND, HEADLESS, call, open_command, run_command, until
from tests.support import PATIENCE


def _parameters(tmp_path: Path, **environment: str) -> StdioServerParameters:
    directories = {"GASOLINE_RUNTIME_DIR": str(tmp_path / "runtime"), "XDG_DATA_HOME": str(tmp_path / "data")}
    return StdioServerParameters(
        command=COMMAND[0], args=[*COMMAND[1:], "mcp", *AS_PROGRAM], env={**directories, **environment}
    )


async def _loaded() -> bool:
    return bool((await call("observe", what="page"))["title"] == "Pilot")


@pytest.mark.requirement("F3-PILOT", "S17")
@pytest.mark.long
async def test_an_assistant_acts_with_the_pilot_and_not_after_a_restart(site: str, tmp_path: Path) -> None:
    launch = ["launch", *HEADLESS, "--profile", str(tmp_path / "profile"), f"{site}page/pilot"]
    async with open_command(*launch, "--pilot") as running:
        await running.said("Watching Chrome/")
        await until(_loaded)
        with trio.fail_after(PATIENCE):
            async with Client(stdio_client(_parameters(tmp_path))) as client:
                ran = await client.call_tool("execute_javascript", {"script": "document.title.length"})
                assert ran.structured_content is not None
                assert ran.structured_content["result"] == 5
                looped = await client.call_tool("execute_javascript", {"script": "while(true){}", "timeout_ms": 100})
                assert looped.is_error
                assert looped.structured_content is not None
                assert looped.structured_content["error"] == "execution_timeout"
                marked = await client.call_tool("highlight_element", {"selector": "#save", "duration_ms": 1})
                assert not marked.is_error
        status = await call("observe", what="status")
        assert status["pilot"] is True
        assert [(event["what"], event["by"]) for event in status["pilot_events"]] == [
            ("allowed", "mcp"),
            ("allowed", "mcp"),
            ("allowed", "mcp"),
            ("switched_on", "start"),
        ]
        assert "pilot on" in (await run_command("status")).stdout.decode()
    async with open_command(*launch) as running:
        await running.said("Watching Chrome/")
        await until(_loaded)
        # What an editor puts into its request's environment changes nothing.
        with trio.fail_after(PATIENCE):
            async with Client(stdio_client(_parameters(tmp_path, GASOLINE_PILOT="1", PILOT="1"))) as client:
                refused = await client.call_tool("execute_javascript", {"script": "1"})
        assert refused.is_error
        assert refused.structured_content == {
            "status": "error",
            "error": "ai_web_pilot_disabled",
            "message": (
                "execute_javascript acts on the page, and the pilot is off. "
                "A person can start gasoline-cdp with --pilot."
            ),
        }
        assert (await call("observe", what="status"))["pilot"] is False
