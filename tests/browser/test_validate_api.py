"""Contracts learned from the traffic of a real page, and what breaks them."""

import json
from typing import Any

import jsonschema
import pytest

from tests.support import Watch

pytestmark = pytest.mark.requirement("F5-CONTRACTS")


async def answers(watch: Watch, path: str, *contents: Any, status: int = 200) -> None:
    for content in contents:
        await watch.evaluate(
            f"fetch('{path}?type=application/json&status={status}&content=' + "
            f"encodeURIComponent({json.dumps(json.dumps(content))})).then(r => r.text())"
        )
    await watch.bodies_read()


async def test_a_field_that_goes_missing_is_told_by_its_path(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/blank")
    for number in range(4):
        await answers(watch, f"/api/users/{number + 100}", {"id": number, "profile": {"name": "a", "avatar": "x"}})
    await answers(watch, "/api/users/7", {"id": 7, "profile": {"name": "a"}})
    answer = await watch.call("validate_api", action="analyze")
    assert [(one["endpoint"], one["type"], one["missing_fields"]) for one in answer["violations"]] == [
        ("GET /api/users/:id", "shape_change", ["profile.avatar"])
    ]
    assert answer["violations"][0]["expected_shape"]["profile"] == {"name": "string", "avatar": "string"}
    assert answer["tracked_endpoints"] == 1
    assert answer["total_requests_analyzed"] == 5
    report = await watch.call("validate_api", action="report")
    assert report["endpoints"][0]["consistency"] == "80%"
    assert (await watch.call("validate_api", action="clear"))["cleared_endpoints"] == 1
    assert (await watch.call("validate_api", action="report"))["summary"] == "0 endpoints tracked."


async def test_errors_after_success_are_a_spike(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/blank")
    await answers(watch, "/api/orders", {"id": 1}, {"id": 2}, {"id": 3})
    await answers(watch, "/api/orders", {"error": "database"}, {"error": "database"}, status=500)
    (spike,) = (await watch.call("validate_api", action="analyze"))["violations"]
    assert spike["type"] == "error_spike"
    assert spike["severity"] == "critical"
    assert spike["status_history"] == [200, 200, 200, 500, 500]
    assert "database" in spike["last_error_body"]


async def test_graphql_is_told_by_operation(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/blank")
    for name in ("Viewer", "Cart"):
        await watch.evaluate(
            f"""fetch('/api/graphql?type=application/json&content=' + encodeURIComponent('{{"data": {{"{name}": 1}}}}'),
            {{method: 'POST', body: JSON.stringify({{query: 'query {name} {{ {name} }}'}})}}).then(r => r.text())"""
        )
    await watch.bodies_read()
    report = await watch.call("validate_api", action="report")
    assert {one["endpoint"] for one in report["endpoints"]} == {"POST /api/graphql Viewer", "POST /api/graphql Cart"}


async def test_what_was_learned_becomes_openapi(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/blank")
    users = [{"id": number, "name": "x", "tags": ["a"], "boss": None} for number in range(3)]
    for user in users:
        await answers(watch, f"/api/users/{user['id']}", user)
    answer = await watch.call("generate", format="openapi")
    document = answer["document"]
    operation = document["paths"]["/api/users/{id}"]["get"]
    schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
    for user in users:
        jsonschema.validate(user, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"id": "1"}, schema)
