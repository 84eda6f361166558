"""Addresses of resources, and what stands in them."""

import pytest

from gasoline_cdp.frontends.mcp.resources import RESOURCES, TEMPLATES, read, resource_of
from gasoline_cdp.tools.registry import TOOLS
from tests.fakes import body_record, make_context, network_record

pytestmark = pytest.mark.requirement("F3-MCP")


def test_addresses_lead_to_one_resource() -> None:
    for uri, listed in RESOURCES.items():
        assert resource_of(uri) == (listed, "")
    for template in TEMPLATES:
        variable = "{id}" if "{id}" in template.uri else "{name}"
        assert resource_of(template.uri.replace(variable, "r1.2")) == (template, "r1.2")


@pytest.mark.parametrize(
    "uri",
    [
        "", "gasoline://", "gasoline://network/", "gasoline://network//request-body", "gasoline://network/a/b",
        "gasoline://network/../logs", "gasoline://tools/x/output-schema/y", "GASOLINE://logs", "gasoline://logs/",
        "file:///etc/passwd", "gasoline://network/request-body/x",
    ],
)  # fmt: skip
def test_other_addresses_lead_nowhere(uri: str) -> None:
    assert resource_of(uri) is None


async def test_schemas_say_nothing_of_pages_and_requests_do() -> None:
    context = make_context()
    context.telemetry.add(network_record(1))
    context.telemetry.add(body_record(1))
    (schema,) = (await read(context, f"gasoline://tools/{next(iter(TOOLS))}/output-schema"))["contents"]
    assert "_meta" not in schema
    (request,) = (await read(context, "gasoline://network/r1"))["contents"]
    assert request["_meta"] == {"gasoline-cdp/page_content": True}
    assert request["mimeType"] == "application/json"
