"""`--otlp-endpoint` as a person uses it: the real program, a real browser, and a backend that comes and goes."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest
import trio

from tests.otlp import Collector, open_collector
from tests.ports import free_port
from tests.processes import HEADLESS, call, open_command, run_command, until

_READY = "Watching Chrome/"
_SECRET = "Bearer sk_live_4eC39HqLyjWDarjtT1zdp7dc"


async def exported() -> dict[str, Any]:
    status: dict[str, Any] = (await call("observe", what="status"))["export"]
    return status


async def test_a_header_reaches_the_backend_and_nobody_else(site: str, tmp_path: Path) -> None:
    options = ["--otlp-header", f"Authorization: {_SECRET}", "--verbose"]
    async with open_collector() as collector:
        given = ["--otlp-endpoint", collector.url, *options]
        async with open_command("launch", *HEADLESS, "--temporary-profile", *given, f"{site}page/form") as running:
            await running.said(_READY)
            await collector.until(lambda: collector.span("load /page/form"))
            status = await run_command("status", "--json")
            lines = await run_command("status")
            assert b"export to " + collector.url.encode() in b" ".join(lines.stdout.split())
            said = status.stdout + lines.stdout + (running.stdout + running.stderr).encode()
            assert "failure" not in await exported()
        said += (running.stdout + running.stderr).encode()
        files = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert {headers["authorization"] for headers in collector.headers} == {_SECRET}
    assert b"sk_live" not in said + files


async def test_secrets_of_a_page_do_not_reach_the_backend(site: str) -> None:
    async with open_collector() as collector:
        given = ["--otlp-endpoint", collector.url]
        url = f"{site}page/form?api_key=sk_live_4eC39HqLyjWDarjtT1zdp7dc"
        async with open_command("launch", *HEADLESS, "--temporary-profile", *given, url) as running:
            await running.said(_READY)
            await collector.until(lambda: collector.span("load /page/form"))
    assert collector.spans
    everything = repr((collector.spans, collector.logs, collector.metrics))
    assert "api_key" in everything
    assert "4eC39HqLyjWDarjtT1zdp7dc" not in everything


async def test_a_backend_that_is_gone_costs_the_capture_nothing(site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "0.5")
    endpoint = f"http://127.0.0.1:{free_port()}"
    given = ["--otlp-endpoint", endpoint]
    async with open_command("launch", *HEADLESS, "--temporary-profile", *given, f"{site}page/console") as running:
        await running.said(_READY)

        async def dropped() -> bool:
            return bool((await exported())["dropped"])

        await until(dropped)
        status = await call("observe", what="status")
        assert "traces: no answer" in status["export"]["failure"]
        assert status["buffers"]["network"]["dropped"] == status["buffers"]["logs"]["dropped"] == 0
        assert (await call("observe", what="errors"))["entries"]
    assert "Traceback" not in running.stderr
    assert "opentelemetry" not in running.stderr


async def test_a_job_sends_what_it_has_before_it_ends(
    site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_SHA", "1" * 40)
    monkeypatch.setenv("CI", "true")
    script = tmp_path / "test.py"
    script.write_text(
        "import os, pychrome\n"
        "tab = pychrome.Browser(os.environ['GASOLINE_CDP_ENDPOINT']).new_tab()\n"
        "loaded = []\n"
        "tab.Page.loadEventFired = lambda **_: loaded.append(True)\n"
        "tab.start()\n"
        "tab.Page.enable()\n"
        f"tab.Page.navigate(url='{site}page/form')\n"
        "while not loaded:\n"
        "    tab.wait(0.1)\n"
        "tab.stop()\n"
    )
    async with open_collector() as collector:
        done = await run_command(
            "ci", "--port", "0", "--otlp-endpoint", collector.url, "--", sys.executable, str(script)
        )
        assert done.returncode == 0, done.stderr
    assert _request(collector, "/page/form")
    resource, _ = collector.spans[0]
    assert resource["vcs.ref.head.revision"] == "1" * 40
    assert resource["gasoline.browser.id"] == "b1"
    assert re.fullmatch(r"\d+\.\d+\.\d+\.\d+", resource["user_agent.version"])


def _request(collector: Collector, path: str) -> Any:
    return collector.span(f"GET {path}")


async def test_a_wrong_endpoint_ends_the_command_at_once() -> None:
    with trio.fail_after(60):
        done = await run_command("launch", "--otlp-endpoint", f"http://user:{_SECRET.split()[1]}@localhost:4318")
    assert done.returncode == 2
    assert b"credentials go into --otlp-header" in done.stderr
    assert b"sk_live" not in done.stderr
