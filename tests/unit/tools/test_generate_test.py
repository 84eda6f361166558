"""generate_test and generate(format="reproduction"): from what is stored to a script."""

from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.tools.registry import TOOLS
from tests.fakes import body_record, log_record, make_context
from tests.recorded import BEGIN, SITE, acted, called, showed, went

pytestmark = pytest.mark.requirement("F6-TESTS")


def recorded(*more: Any) -> Context:
    context = make_context()
    call = called(5.1, "/api/items", "POST", 201, id="r1")
    for record in (went(0), acted(5), call, showed(5, {"text": "Saved"}), *more):
        context.telemetry.add(record)
    return context


async def call(context: Context, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = await call_tool(TOOLS, context, tool, arguments)
    return answer.data


async def test_a_test_of_what_was_done() -> None:
    answer = await call(recorded(), "generate_test", test_name="saves")
    assert (answer["action_count"], answer["test_name"]) == (1, "saves")
    assert "answerTo(page, 'POST', '/api/items')" in answer["test_script"]
    assert answer["assertion_count"] == answer["test_script"].count("// confidence:")


async def test_nothing_done_says_what_to_do() -> None:
    error = await call(make_context(), "generate_test")
    assert error["error"] == "no_actions_captured"
    context = make_context()
    context.telemetry.add(went(0))
    context.telemetry.add(acted(1, "scroll", scroll_x=0, scroll_y=5))
    error = await call(context, "generate_test")
    assert "Only scroll was captured" in error["message"]


async def test_a_flow_over_three_origins_says_so() -> None:
    context = make_context()
    for record in (went(0), acted(1), went(4), acted(5), went(8), acted(9)):
        number = 1 + int(record.ts - BEGIN) // 4
        fields = {name: str(value).replace("app.test", f"app{number}.test") for name, value in record.fields.items()}
        context.telemetry.add(evolve(record, fields={**record.fields, **fields} if fields else record.fields))
    answer = await call(context, "generate_test")
    assert answer["action_count"] == 3
    (warning,) = [warning for warning in answer["warnings"] if "origins" in warning]
    assert warning.startswith("Goes over 3 origins (http://app1.test, http://app2.test, http://app3.test)")


async def test_the_test_of_a_page_that_is_gone_is_written_from_what_was_captured() -> None:
    # No tab is open in this context: the flow is made from records alone, and a frame is told as unreachable.
    framed = acted(8, name="Pay")
    framed = evolve(framed, source=evolve(framed.source, kind="iframe", frame_id="F1"))
    answer = await call(recorded(framed), "generate_test")
    assert "name: 'Save'" in answer["test_script"]
    assert any("no selector was unique" in warning for warning in answer["warnings"])


async def test_only_the_last_actions() -> None:
    context = recorded(acted(20, name="Later"))
    script = (await call(context, "generate_test", last_n_actions=1))["test_script"]
    assert "Later" in script
    assert "'Save'" not in script


async def test_recorded_answers_serve_a_variant_without_a_server(tmp_path: Path) -> None:
    body = body_record(
        77, id="r1", method="POST", url=f"{SITE}/api/items", status=201, response_body='{"id": 1}', ts=BEGIN + 5.2
    )
    context = recorded(body)
    answer = await call(context, "generate_test", fixtures=True)
    assert '"id": 1' in answer["fixture_file"]
    assert "await serveFixtures(page);" in answer["mocked_script"]
    written = await call(evolve(context, artifacts=tmp_path), "generate_test", fixtures=True, output="items.spec.ts")
    assert Path(written["output"]).name == "items.spec.ts"
    assert {path.name for path in tmp_path.iterdir()} == {"items.spec.ts", "items.fixtures.ts", "items.mocked.spec.ts"}


async def test_without_kept_answers_there_are_no_fixtures_and_that_is_said() -> None:
    answer = await call(recorded(), "generate_test", fixtures=True)
    assert "fixture_file" not in answer
    assert "--bodies all" in answer["warnings"][0]


@pytest.mark.requirement("F6-REPRODUCTION")
async def test_a_reproduction_ends_with_its_error() -> None:
    context = recorded(
        log_record(900, "Uncaught TypeError: a is null", level="error", kind="exception", ts=BEGIN + 5.2)
    )
    answer = await call(context, "generate", format="reproduction")
    assert "error.includes('a is null')" in answer["text"]
    steps = await call(context, "generate", format="reproduction", language="steps")
    assert steps["text"].splitlines()[-1] == "# Error: TypeError: a is null"
    error = await call(context, "generate", format="reproduction", error_message="other")
    assert error["error"] == "no_actions_captured"


@pytest.mark.requirement("F6-REPRODUCTION")
async def test_a_page_that_fails_when_it_is_opened_is_reproduced_by_opening_it() -> None:
    context = make_context()
    context.telemetry.add(went(0))
    context.telemetry.add(log_record(900, "TypeError: a is null", level="error", kind="exception", ts=BEGIN + 0.3))
    answer = await call(context, "generate", format="reproduction")
    first = next(line for line in answer["text"].splitlines() if "await " in line)
    assert first.endswith("page.goto('http://app.test/');")
    assert "error.includes('a is null')" in answer["text"]
    # A test that only opens a page would be no test of what was done.
    assert (await call(context, "generate_test"))["error"] == "no_actions_captured"
