"""Actions, requests and errors of a real page, in the order of time."""

import json

import pytest

from tests.hands import Hand, by_id
from tests.support import Watch


@pytest.mark.requirement("F2-TIMELINE")
@pytest.mark.parametrize("attach_config", ["all"], indirect=True)
async def test_a_timeline_puts_it_all_in_order(watch: Watch, site: str) -> None:
    await watch.go(f"{site}page/actions-app")
    await watch.log("app ready")
    await Hand(watch).click(by_id("fail"))
    await watch.log("of no interest")
    await watch.bodies_read()
    answer = await watch.call("observe", what="timeline", last_n_actions=1)
    entries = answer["entries"][::-1]
    assert [entry["event"] for entry in entries] == ["action", "request", "error", "warning"]
    action, request, error, warning = entries
    assert (action["type"], action["element"]) == ("click", 'button "Fail"')
    assert (request["method"], request["status"]) == ("POST", 500)
    assert request["response_shape"] == {"method": "string", "body": "string"}
    assert "secret value" not in json.dumps(answer)
    assert (error["message"], warning["message"]) == ("it failed", "be warned")
    only = await watch.call("observe", what="timeline", include=["actions"])
    assert [entry["type"] for entry in only["entries"]] == ["click", "navigate"]


@pytest.mark.requirement("F2-TIMELINE")
async def test_calls_that_went_well_show_the_shape_of_their_answers(watch: Watch, site: str) -> None:
    """Their bodies are not kept, and need not be."""
    await watch.open(f"{site}page/blank")
    await watch.evaluate("fetch('/json?a=secret value').then(r => r.json())")
    await watch.bodies_read()
    answer = await watch.call("observe", what="timeline", include=["network"], url_filter="/json")
    assert answer["entries"][0]["response_shape"] == {"ok": "boolean", "query": {"a": "string"}}
    assert (await watch.call("get_network_bodies"))["entries"] == []
