"""Verdicts on tests, and documents made from what was captured."""

from pathlib import Path
from typing import Any

import attrs
import pytest

from gasoline_cdp.analysis.gates.gate import Gate
from gasoline_cdp.findings import Finding
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.running import call_tool, run_operation
from gasoline_cdp.tools.registry import TOOLS
from gasoline_cdp.unlisted.verdicts import VERDICT
from tests.fakes import PAGE, log_record, make_context, network_record

pytestmark = pytest.mark.requirement("F11-GATES")


@pytest.fixture
def context(tmp_path: Path) -> Context:
    """Two tests at the same time, each in a browser context of its own, and both fail in the same words."""
    made = attrs.evolve(make_context(), directory=tmp_path, artifacts=tmp_path / "out")
    for number, name in enumerate(("pays", "browses")):
        made.boundaries.mark(name, "start", 1_790_000_000.0, context=("b1", f"C{number}"))
        source = attrs.evolve(PAGE, context_id=f"C{number}", target_id=f"T{number}")
        made.telemetry.add(log_record(10 + number, "boom", source=source))
        record = network_record(20 + number, f"http://app.test/{name}", source=source, outcome="http_error", status=500)
        made.telemetry.add(record)
    return made


async def verdict(context: Context, **arguments: Any) -> dict[str, Any]:
    answer = await run_operation(VERDICT, context, arguments)
    assert not answer.is_error, answer.data
    return answer.data


async def test_a_test_is_judged_by_what_its_own_pages_did(context: Context) -> None:
    found = await verdict(context, test_id="pays", fail_on=["console-errors", "network-errors"])
    assert found["verdict"] == "failed"
    assert found["summary"] == "1 console error, 1 network error"
    assert [(one["text"], one["test"]) for one in found["failures"]] == [
        ("boom", "pays"),
        ("GET http://app.test/pays → 500", "pays"),
    ]
    assert found["failures"][1]["status"] == 500
    assert len((await verdict(context, fail_on=["console-errors"]))["failures"]) == 2


async def test_a_test_brings_its_own_allowances_and_hears_of_those_it_does_not_need(context: Context) -> None:
    allow = [{"message": "boom"}, {"pattern": "(?i)BOOM"}, {"message": "bang"}]
    found = await verdict(context, test_id="pays", fail_on=["console-errors"], allow=allow)
    assert (found["verdict"], found["allowed"], found["unused"]) == ("passed", 1, ["message 'bang'"])


async def test_the_project_decides_what_the_test_does_not(context: Context, tmp_path: Path) -> None:
    (tmp_path / "gasoline.toml").write_text('[gates.default]\nfail_on = ["network-errors"]\n[[allow]]\nstatus = 500\n')
    assert (await verdict(context, test_id="pays"))["verdict"] == "passed"
    asked = attrs.evolve(context, fail_on=(Gate("console-errors"),))
    assert (await verdict(asked, test_id="pays"))["summary"] == "1 console error"
    assert (await verdict(asked, test_id="pays", fail_on=[]))["verdict"] == "passed"


async def test_what_cannot_be_used_is_named(context: Context) -> None:
    arguments = {"fail_on": ["a11y:bad"], "allow": [{"mesage": "x"}, 3]}
    answer = await run_operation(VERDICT, context, arguments)
    assert answer.data["error"] == "invalid_params"
    assert len(answer.data["details"]["problems"]) == 3
    assert (await run_operation(VERDICT, context, {"test_id": "nobody"})).data["error"] == "no_such_test"


async def test_what_cannot_be_checked_is_said(context: Context) -> None:
    found = await verdict(context, test_id="pays", fail_on=["leaks", "contract-violations"])
    assert [text.partition(":")[0] for text in found["not_checked"]] == ["contract-violations", "leaks"]


@pytest.mark.requirement("F11-HAR", "F11-SARIF", "F11-SUMMARY")
async def test_documents_are_generated_and_no_audit_is_no_clean_report(context: Context, tmp_path: Path) -> None:
    async def generate(**arguments: Any) -> dict[str, Any]:
        return (await call_tool(TOOLS, context, "generate", arguments)).data

    har = (await generate(format="har", test_id="pays"))["document"]
    assert [entry["request"]["url"] for entry in har["log"]["entries"]] == ["http://app.test/pays"]
    assert len((await generate(format="har", status_max=499))["document"]["log"]["entries"]) == 0
    assert "boom" in (await generate(format="pr_summary", test_id="pays"))["text"]
    written = await generate(format="har", output="run.har")
    assert (tmp_path / "out" / "run.har").stat().st_size == written["bytes"]
    assert (await generate(format="sarif"))["error"] == "no_audit"
    nothing = make_context()
    await call_tool(TOOLS, nothing, "security_audit", {})
    assert (await call_tool(TOOLS, nothing, "generate", {"format": "sarif"})).data["error"] == "no_audit"
    assert (await generate(format="sarif", method="GET"))["error"] == "invalid_params"
    finding = Finding(rule="image-alt", severity="critical", category="accessibility", title="No text")
    context.audit_findings.add_page(PAGE, (), (finding,))
    assert (await generate(format="sarif"))["document"]["runs"][0]["results"][0]["ruleId"] == "image-alt"
    # Audited again, and clean.
    context.audit_findings.add_page(PAGE, (), ())
    assert (await generate(format="sarif"))["document"]["runs"][0]["results"] == []
