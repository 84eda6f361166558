"""`generate` and `validate_api` on what was learned."""

import json
from pathlib import Path
from typing import Any

import attrs
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.tools.generate import GenerateAnswer
from gasoline_cdp.tools.registry import TOOLS
from tests.fakes import make_context
from tests.reading import HOSTILE, assert_ours, lines_of

pytestmark = pytest.mark.requirement("F5-OPENAPI", "F5-CONTRACTS")


@pytest.fixture
def context(tmp_path: Path) -> Context:
    made = attrs.evolve(make_context(), artifacts=tmp_path)
    for number in range(5):
        made.telemetry.contracts.observe("GET /users/:id", "https://a/users/1", 200, {"id": number}, 1.0)
        made.telemetry.contracts.observe("GET /health", "https://a/health", 200, {"ok": True}, 1.0)
    made.telemetry.contracts.observe("GET /users/:id", "https://a/users/1", 200, {"id": "x"}, 2.0)
    return made


async def call(context: Context, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = await call_tool(TOOLS, context, tool, arguments)
    assert not answer.is_error, answer.data
    return answer.data


async def test_the_document_is_in_the_answer_or_in_a_file(context: Context, tmp_path: Path) -> None:
    answer = await call(context, "generate", format="openapi")
    OpenAPIV31SpecValidator(answer["document"]).validate()
    assert set(answer["document"]["paths"]) == {"/users/{id}", "/health"}
    written = await call(context, "generate", format="openapi", output="api/openapi.json")
    assert "document" not in written
    assert json.loads((tmp_path / "api" / "openapi.json").read_text()) == answer["document"]
    narrow = await call(context, "generate", format="openapi", url_filter="users")
    assert set(narrow["document"]["paths"]) == {"/users/{id}"}


@pytest.mark.requirement("S21")
async def test_a_path_that_leads_out_is_refused_in_words(context: Context) -> None:
    answer = await call_tool(TOOLS, context, "generate", {"format": "openapi", "output": "../x.json"})
    assert answer.data["error"] == "output_refused"
    assert "artifacts" in answer.data["message"]


async def test_endpoints_can_be_chosen_and_left_out(context: Context) -> None:
    answer = await call(context, "validate_api", action="analyze")
    assert answer["summary"] == "1 violation on 1 of 2 endpoints."
    assert answer["clean_endpoints"] == 1
    assert (await call(context, "validate_api", action="analyze", ignore_endpoints=["/users"]))["violations"] == []
    only = await call(context, "validate_api", action="report", url_filter="health")
    assert [one["endpoint"] for one in only["endpoints"]] == ["GET /health"]


async def test_answers_stay_small_and_count_the_rest(context: Context) -> None:
    wide = {f"field_number_{number}": {"a": 1, "b": {"c": 1}} for number in range(200)}
    for number in range(29):
        context.telemetry.contracts.observe(f"GET /wide{number}", "https://a/w", 200, wide, 3.0)
    answer = await call(context, "validate_api", action="report")
    assert len(json.dumps(answer)) < 9000
    assert answer["left_out"] + len(answer.get("endpoints", [])) == 30


async def test_every_violation_is_reached_by_cursor(context: Context) -> None:
    wide = {f"f{number}": number for number in range(20)}
    for value in (*[wide] * 4, {key: str(value) for key, value in wide.items()}):
        context.telemetry.contracts.observe("GET /wide", "https://a/wide", 200, value, 3.0)
    fields, more = set[tuple[str, str]](), dict[str, Any]()
    while True:
        answer = await call(context, "validate_api", action="analyze", limit=8, **more)
        assert answer["summary"] == "21 violations on 2 of 3 endpoints."
        fields |= {(one["endpoint"], one["field"]) for one in answer["violations"]}
        if "cursor" not in answer:
            break
        assert answer["left_out"] > 0
        more = {"cursor": answer["cursor"]}
    assert len(fields) == 21
    first = (await call(context, "validate_api", action="analyze", limit=2))["violations"]
    assert {one["endpoint"] for one in first} == {"GET /wide", "GET /users/:id"}


async def test_clear_forgets_what_was_forgotten(context: Context) -> None:
    for number in range(40):
        context.telemetry.contracts.observe(f"GET /e{number}", f"https://a/e{number}", 200, {"ok": True}, 4.0)
    assert "forgotten" in (await call(context, "validate_api", action="report"))["notes"][0]
    await call(context, "validate_api", action="clear")
    assert "notes" not in await call(context, "validate_api", action="report")


async def test_a_document_that_is_too_large_shows_fewer_levels(context: Context) -> None:
    for number in range(28):
        tangled = {
            f"part{a}": {f"field{b}of{a}": {"leaf": b, "text": "x"} if b % 2 else b for b in range(6)} if a % 2 else "x"
            for a in range(30)
        }
        context.telemetry.contracts.observe(f"GET /e{number}", f"https://a/e{number}", 200, tangled, 4.0)
    answer = await call(context, "generate", format="openapi")
    OpenAPIV31SpecValidator(answer["document"]).validate()
    assert "fewer levels" in answer["summary"]
    assert len(answer["document"]["paths"]) == 30
    assert len(json.dumps(answer)) < 51_200
    written = await call(context, "generate", format="openapi", output="api.json")
    assert written["bytes"] > answer["bytes"]


async def test_lines_hold_the_document_or_where_it_is(context: Context) -> None:
    answer = await call_tool(TOOLS, context, "generate", {"format": "openapi"})
    heading, *rest = lines_of(answer.record)
    assert heading.startswith("openapi: OpenAPI 3.1 with 2 operations. ")
    assert json.loads("".join(line.removeprefix("| ") for line in rest)) == answer.data["document"]
    assert len(answer.text.encode()) < 1.1 * len(answer.json)
    written = await call_tool(TOOLS, context, "generate", {"format": "openapi", "output": "api.json"})
    (line,) = lines_of(written.record)
    assert line.endswith(f" to {written.data['output']}")


def test_lines_keep_a_page_s_words_the_page_s() -> None:
    document = {"paths": {HOSTILE: {HOSTILE: HOSTILE}}}
    assert_ours(lines_of(GenerateAnswer(format="openapi", summary="Made.", document=document)))
    assert_ours(lines_of(GenerateAnswer(format="openapi", summary="Made.", output=HOSTILE)))
