"""The lines of `validate_api`, of contracts that were really learned."""

import re
from typing import Any

from attrs import evolve

from gasoline_cdp.operations.answer import Answer
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.tools.registry import TOOLS
from tests.fakes import make_context

SHAPE = {f"a_field_with_a_name_{number}": {"id": 1, "tags": ["x"], "names": {"first": "a"}} for number in range(12)}


def learn(context: Context, path: str, *values: Any) -> None:
    for number, value in enumerate(values):
        ts = 1_790_000_000.0 + number
        context.telemetry.contracts.observe(f"GET {path}", f"http://app.test{path}", 200, value, ts)


async def ask(context: Context, **arguments: Any) -> Answer:
    answer = await call_tool(TOOLS, context, "validate_api", arguments)
    assert not answer.is_error
    return answer


async def test_every_violation_is_in_the_lines() -> None:
    context = evolve(make_context(), form="lines")
    good = {"id": 1, "name": "a", "tags": ["x"]}
    learn(context, "/api/cart", good, good, good, {"id": "1", "tags": None, "extra": 1})
    learn(context, "/api/users", good, good, good, good)
    answer = await ask(context, action="analyze")
    heading, *lines = answer.text.split("\n")
    assert heading == "4 violations on 1 of 2 endpoints. 8 calls analysed."
    told = [line for line in lines if " GET /api/cart" in line]
    assert len(told) == len(answer.data["violations"]) == 4
    for one in answer.data["violations"]:
        assert any(f"{one['severity']} {one['type']} GET /api/cart | {one['description']}" in line for line in told)
    assert "/api/users" not in answer.text
    assert "  was | {id: number, name: string, tags: [string]}" in lines
    # All are of the same time: it is said once.
    assert sum(bool(re.match(r"\d\d:\d\d:\d\d ", line)) for line in lines) == 1


async def test_every_endpoint_is_reached_in_lines_and_more_of_them_at_once() -> None:
    context = make_context()
    for number in range(30):
        learn(context, f"/api/{chr(97 + number % 26)}x{chr(97 + number // 26)}", SHAPE)
    readers = evolve(context, form="lines")
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        answer = await ask(readers, action="report", **cursor)
        text = answer.text
        assert len(text.encode()) <= 8192
        assert text.startswith("30 endpoints tracked. 30 calls analysed. http://app.test\n")
        seen += re.findall(r"GET (/api/\w+)", text)
        if "cursor" not in answer.data:
            break
        assert text.endswith(f'{30 - len(seen)} more: cursor="{answer.data["cursor"]}"')
        cursor = {"cursor": answer.data["cursor"]}
    assert len(set(seen)) == len(seen) == 30
    in_json = await ask(context, action="report")
    in_lines = await ask(readers, action="report")
    assert len(in_lines.data["endpoints"]) > len(in_json.data["endpoints"])


async def test_what_was_forgotten_is_one_line() -> None:
    context = make_context()
    learn(context, "/api/cart", {"id": 1})
    assert (await ask(context, action="clear")).text == "Forgot 1 endpoint."
    assert (await ask(context, action="report")).text == "0 endpoints tracked. 0 calls analysed."
