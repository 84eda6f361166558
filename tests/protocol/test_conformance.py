"""The MCP project's own conformance suite against our /mcp, in both eras.

The suite asks for tools, resources and prompts that only its example server has. What it then finds missing stands
below with the reason; every other check must pass, and a check that stands below must still fail, so that the list
never hides anything.
"""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
import trio

from gasoline_cdp.frontends.http.access import read_access
from tests.node_tools import NODE, NpmError, install_packages
from tests.processes import HEADLESS, open_command
from tests.support import PATIENCE

pytestmark = pytest.mark.long

_PROJECT = Path(__file__).parents[1] / "conformance"
_MAIN = ("@modelcontextprotocol", "conformance", "dist", "index.js")

_TIME = re.compile(r"-\d{4}-\d\d-\d\dT[\d-]+Z$")

_FIXTURE = "asks for a tool, resource or prompt of the suite's example server (test_…), which a product has not"
_NO_LOGGING = "we do not offer the optional logging capability: what pages log is what observe tells"
_NO_ASKING = "no tool of ours asks the client for input (elicitation, sampling, roots); optional"
_NO_TASKS = "the tasks extension is optional; slow work answers `pending` with a correlation_id instead"
_NO_RESUMING = "streams are not resumable: optional, and every answer is small enough to ask for again"
_NO_PARAM_HEADERS = "no tool of ours maps arguments to HTTP headers; the suite then calls it not testable"

# Scenario → reason; or scenario and check, where the scenario's other checks must pass.
LEFT_OUT: dict[str, str] = {
    "resources-read-text": _FIXTURE,
    "resources-read-binary": _FIXTURE,
    "resources-templates-read": _FIXTURE,
    "resources-subscribe": _FIXTURE,
    "resources-unsubscribe": _FIXTURE,
    "prompts-get-simple": _FIXTURE,
    "prompts-get-with-args": _FIXTURE,
    "prompts-get-embedded-resource": _FIXTURE,
    "prompts-get-with-image": _FIXTURE,
    "input-required-result-non-tool-request": _NO_ASKING,
    "logging-set-level": _NO_LOGGING,
    "tools-call-with-logging": _NO_LOGGING,
    "tools-call-image": _FIXTURE,
    "tools-call-audio": _FIXTURE,
    "tools-call-embedded-resource": _FIXTURE,
    "tools-call-mixed-content": _FIXTURE,
    "tools-call-with-progress": _FIXTURE,
    "json-schema-2020-12": _FIXTURE,
    "server-stateless/sep-2575-server-rejects-undeclared-capability": _FIXTURE,
    "server-stateless/sep-2575-missing-capability-http-400": _FIXTURE,
    "tools-call-sampling": _NO_ASKING,
    "tools-call-elicitation": _NO_ASKING,
    "elicitation-sep1034-defaults": _NO_ASKING,
    "elicitation-sep1330-enums": _NO_ASKING,
    "input-required-result-basic-elicitation": _NO_ASKING,
    "input-required-result-basic-sampling": _NO_ASKING,
    "input-required-result-basic-list-roots": _NO_ASKING,
    "input-required-result-request-state": _NO_ASKING,
    "input-required-result-multiple-input-requests": _NO_ASKING,
    "input-required-result-multi-round": _NO_ASKING,
    "input-required-result-result-type": _NO_ASKING,
    "input-required-result-tampered-state": _NO_ASKING,
    "input-required-result-capability-check": _NO_ASKING,
    "server-sse-polling": _NO_RESUMING,
    "http-custom-header-server-validation": _NO_PARAM_HEADERS,
    "tasks-lifecycle": _NO_TASKS,
    "tasks-capability-negotiation": _NO_TASKS,
    "tasks-wire-fields": _NO_TASKS,
    "tasks-request-state-removal": _NO_TASKS,
    "tasks-mrtr-input": _NO_TASKS,
    "tasks-request-headers": _NO_TASKS,
    "tasks-dispatch-and-envelope": _NO_TASKS,
    "tasks-required-task-error": _NO_TASKS,
    "tasks-mrtr-composition": _NO_TASKS,
}

# What must have been run and passed, so that an empty run does not count; more is welcome.
MUST_PASS = {
    "2025-11-25": {
        "server-initialize", "ping", "tools-list", "tools-call-simple-text", "tools-call-error",
        "server-sse-multiple-streams", "dns-rebinding-protection", "server-session-lifecycle",
        "completion-complete", "resources-list", "prompts-list",
    },
    "2026-07-28": {
        "tools-list", "tools-call-simple-text", "tools-call-error", "server-sse-multiple-streams",
        "completion-complete", "resources-list", "prompts-list", "caching",
        "sep-2164-resource-not-found", "dns-rebinding-protection", "http-header-validation",
        "input-required-result-unsupported-methods", "input-required-result-ignore-extra-params",
        "input-required-result-validate-input", "input-required-result-missing-input-response",
    },
}  # fmt: skip


@pytest.fixture(scope="session")
def suite() -> Path:
    try:
        return install_packages(_PROJECT).joinpath(*_MAIN)
    except NpmError as error:
        pytest.fail(str(error), pytrace=False)


async def _run(suite: Path, version: str, url: str, results: Path) -> subprocess.CompletedProcess[bytes]:
    with trio.fail_after(10 * PATIENCE):
        return await trio.run_process(
            [str(NODE), str(suite), "server", "--requirements", version, "--url", f"{url}/mcp", "-o", str(results)],
            env={**os.environ, "NO_COLOR": "1"},
            stdin=b"",
            capture_stdout=True,
            capture_stderr=True,
            check=False,
        )


def _checks(results: Path) -> dict[str, dict[str, str]]:
    """Scenario → check → how it went; a scenario's directory ends in the time of its run."""
    found: dict[str, dict[str, str]] = {}
    for file in sorted(results.glob("server-*/checks.json")):
        scenario = _TIME.sub("", file.parent.name.removeprefix("server-"))
        for check in json.loads(file.read_text(encoding="utf-8")):
            found.setdefault(scenario, {})[check["id"]] = check["status"]
    return found


@pytest.mark.requirement("F3-CONFORMANCE")
@pytest.mark.parametrize("version", MUST_PASS)
async def test_every_applicable_scenario_passes(version: str, suite: Path, tmp_path: Path) -> None:
    command = ["launch", *HEADLESS, "--temporary-profile", "--port", "0", "--no-token"]
    async with open_command(*command) as running:
        await running.said("Watching Chrome/")
        access = read_access()
        assert access is not None
        done = await _run(suite, version, access.url, tmp_path / "results")
    checks = _checks(tmp_path / "results")
    failed = {
        scenario: [check for check, status in went.items() if status == "FAILURE"] for scenario, went in checks.items()
    }
    unexpected = [
        f"{scenario}/{check}"
        for scenario, names in failed.items()
        for check in names
        if scenario not in LEFT_OUT and f"{scenario}/{check}" not in LEFT_OUT
    ]
    assert unexpected == [], done.stdout.decode()[-3000:]
    assert {scenario for scenario in MUST_PASS[version] if checks.get(scenario) and not failed[scenario]} == (
        MUST_PASS[version]
    )
    passing = [
        name
        for name in LEFT_OUT
        if (scenario := name.partition("/")[0]) in checks
        and (not failed[scenario] or ("/" in name and name.partition("/")[2] not in failed[scenario]))
    ]
    assert passing == [], "these pass now: take them off the list"


def test_every_scenario_left_out_has_its_reason() -> None:
    assert all(len(reason) > 20 for reason in LEFT_OUT.values())
    assert not set().union(*MUST_PASS.values()) & set(LEFT_OUT)
