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


async def test_answers_from_the_cache_are_learned(watch: Watch, site: str) -> None:
    """Servers that tag their answers say 304 to nearly every call: the page still gets the cached answer."""
    await watch.open(f"{site}page/blank")
    for _ in range(6):
        await watch.evaluate("fetch('/etag?v=1').then(r => r.json())")
    await watch.until(lambda: sum(r.status == 304 for r in watch.telemetry.network.newest()) == 5)
    await watch.bodies_read()
    report = await watch.call("validate_api", action="report")
    assert report["endpoints"][0]["status_codes"] == {"200": 6}
    assert (await watch.call("validate_api", action="analyze"))["violations"] == []
    await watch.evaluate("fetch('/etag?v=2').then(r => r.json())")
    await watch.bodies_read()
    told = (await watch.call("validate_api", action="analyze"))["violations"]
    assert {one["type"]: one.get("missing_fields") or one["new_fields"] for one in told} == {
        "shape_change": ["name"],
        "new_field": ["full_name"],
    }


async def test_answers_are_learned_in_the_order_in_which_requests_ended(watch: Watch, site: str) -> None:
    """Bodies of errors are read at once, the others are gathered first; several are read at a time."""
    await watch.open(f"{site}page/blank")
    expected = [200, 200, 200, 500, 500, 200, 404, 404, 200, 500]
    await watch.evaluate(
        f"""(async () => {{
            for (const status of {expected})
                await fetch('/api/orders?type=application/json&content={{"a":1}}&status=' + status).then(r => r.text());
        }})()"""
    )
    await watch.until(lambda: sum("/api/orders" in r.url for r in watch.telemetry.network.newest()) == len(expected))
    await watch.bodies_read()
    (contract,) = watch.telemetry.contracts.newest()
    assert [status for status, _ in contract.history] == expected


async def test_static_files_and_changes_without_an_answer(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/blank")
    await watch.evaluate(
        """Promise.all([
            fetch('/api/main.1b5afdab099ad48dd567.hot-update.json?type=application/json&content={}'),
            fetch('/api/things/7?status=204', {method: 'DELETE'}),
        ])"""
    )
    await watch.until(lambda: sum("/api/" in r.url for r in watch.telemetry.network.newest()) == 2)
    await watch.bodies_read()
    report = await watch.call("validate_api", action="report")
    assert [one["endpoint"] for one in report["endpoints"]] == ["DELETE /api/things/:id"]
    assert report["notes"] == ["1 static JSON file fetched: not endpoints."]


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
    await watch.evaluate(
        """fetch('/api/users?type=application/json&status=422&content={"detail":"no"}&page=2',
            {method: 'POST', headers: {'content-type': 'application/json'}, body: JSON.stringify({name: 'ada'})})
            .then((reply) => reply.text())"""
    )
    await watch.bodies_read()
    post = (await watch.call("generate", format="openapi"))["document"]["paths"]["/api/users"]["post"]
    assert post["requestBody"]["content"]["application/json"]["schema"]["properties"] == {"name": {"type": "string"}}
    assert {"name": "page", "in": "query", "required": True, "schema": {"type": "integer"}} in post["parameters"]
    failed = post["responses"]["422"]["content"]["application/json"]["schema"]
    assert failed["properties"] == {"detail": {"type": "string"}}
