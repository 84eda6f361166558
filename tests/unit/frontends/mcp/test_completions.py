"""What a person types is completed from what there is."""

from types import SimpleNamespace
from typing import Any

import pytest

from gasoline_cdp.frontends import limits as frontend_limits
from gasoline_cdp.frontends.mcp.completions import complete
from gasoline_cdp.frontends.mcp.prompts import PROMPTS
from gasoline_cdp.frontends.mcp.resources import TEMPLATES
from gasoline_cdp.tools.registry import TOOLS
from tests.fakes import make_context, network_record

REQUEST_TEMPLATE = next(
    template.uri for template in TEMPLATES if "{request_id}" in template.uri or "{id}" in template.uri
)
REQUEST_ARGUMENT = REQUEST_TEMPLATE.partition("{")[2].partition("}")[0]
TOOL_TEMPLATE = next(template.uri for template in TEMPLATES if "{name}" in template.uri)


def resource(uri: str) -> Any:
    return SimpleNamespace(type="ref/resource", uri=uri)


def test_the_ids_of_requests_come_newest_first_and_each_once() -> None:
    context = make_context()
    for seq, name in enumerate(("r1", "r2", "r2", "x9"), 1):
        context.telemetry.add(network_record(seq, id=name))
    found = complete(context, resource(REQUEST_TEMPLATE), REQUEST_ARGUMENT, "r")
    assert found == {"values": ["r2", "r1"], "total": 2, "hasMore": False}


def test_more_than_the_protocol_allows_is_counted() -> None:
    context = make_context()
    number = frontend_limits.COMPLETIONS + 5
    for seq in range(number):
        context.telemetry.add(network_record(seq + 1))
    found = complete(context, resource(REQUEST_TEMPLATE), REQUEST_ARGUMENT, "")
    assert (len(found["values"]), found["total"], found["hasMore"]) == (frontend_limits.COMPLETIONS, number, True)


def test_tools_are_known_by_the_beginning_of_their_names() -> None:
    found = complete(make_context(), resource(TOOL_TEMPLATE), "name", "get_")
    assert found["values"] == [name for name in TOOLS if name.startswith("get_")]
    assert found["values"]


def test_the_choices_of_a_prompt() -> None:
    name, argument = next((name, one) for name, prompt in PROMPTS.items() for one in prompt.arguments if one.choices)
    prompt = SimpleNamespace(type="ref/prompt", name=name)
    assert complete(make_context(), prompt, argument.name, "")["values"] == list(argument.choices)
    assert complete(make_context(), prompt, "nothing", "")["values"] == []


@pytest.mark.parametrize("uri", ["gasoline://nothing/{name}", "x"])
def test_what_is_not_there_has_no_values(uri: str) -> None:
    assert complete(make_context(), resource(uri), "name", "")["values"] == []
    assert complete(make_context(), SimpleNamespace(type="ref/prompt", name="none"), "x", "")["values"] == []
