"""The gate, on a real browser: nothing switches the pilot on, and while it is off nothing leaves for a gated call."""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from gasoline_cdp import wire
from gasoline_cdp.tools.registry import TOOLS
from gasoline_cdp.tools.spec import call_tool
from tests.pilot import record_traffic
from tests.support import Watch

GATED = [name for name, tool in TOOLS.items() if tool.pilot]

_PLAIN: dict[str, Any] = {"string": "pilot", "integer": 1, "number": 1, "boolean": True, "array": [], "object": {}}


def calls_of(name: str) -> Iterator[dict[str, Any]]:
    """Every combination of a tool's choices, with and without all that may be left out."""
    schema = wire.schema_of(TOOLS[name].args)
    properties = schema["properties"]
    choices = {key: part["enum"] for key, part in properties.items() if "enum" in part}
    rest = {key: _PLAIN.get(part.get("type", ""), 1) for key, part in properties.items() if key not in choices}
    required = {key: value for key, value in rest.items() if key in schema.get("required", [])}
    for chosen in itertools.product(*choices.values()):
        picked = dict(zip(choices, chosen, strict=True))
        yield {**required, **picked}
        yield {**rest, **picked, "tab_id": None}
    yield {**required, "pilot": True, "on": True, "enabled": True}


@pytest.mark.requirement("S15")
@pytest.mark.parametrize("name", list(TOOLS))
async def test_no_tool_switches_the_pilot_on(
    watch: Watch, site: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await watch.open(f"{site}page/pilot")
    for variable in ("GASOLINE_PILOT", "GASOLINE_CDP_PILOT", "AI_WEB_PILOT"):
        monkeypatch.setenv(variable, "1")
    calls = list(calls_of(name))
    assert calls
    for arguments in calls:
        await call_tool(TOOLS, watch.context, name, arguments)
        assert not watch.context.pilot.on
    assert not any(event.what == "switched_on" for event in watch.context.pilot.events)


@pytest.fixture
def traffic(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    return record_traffic(monkeypatch)


@pytest.mark.requirement("S16", "F4-SEED")
@pytest.mark.parametrize("name", GATED)
async def test_opt_in_enforcement(watch: Watch, site: str, name: str, traffic: list[str]) -> None:
    await watch.open(f"{site}page/pilot")
    await watch.tab.session.send("Runtime.evaluate", {"expression": "1"})
    assert traffic
    traffic.clear()
    for arguments in ({}, {"selector": "#save"}, {"script": "1 + 1"}, {"action": "save", "snapshot_name": "x"}):
        answer = await call_tool(TOOLS, watch.context, name, arguments)
        assert answer.is_error
        assert answer.data == {
            "status": "error",
            "error": "ai_web_pilot_disabled",
            "message": f"{name} acts on the page, and the pilot is off. A person can start gasoline-cdp with --pilot.",
        }
    assert traffic == []
    assert [event.what for event in watch.context.pilot.events] == ["refused"] * 4


@pytest.mark.requirement("S16")
async def test_the_record_of_traffic_would_show_a_call(watch: Watch, site: str, traffic: list[str]) -> None:
    await watch.open(f"{site}page/pilot")
    watch.context.pilot.switch(on=True, by="start")
    traffic.clear()
    await watch.call("execute_javascript", script="1 + 1")
    assert "Runtime.evaluate" in traffic


def test_what_acts_is_gated() -> None:
    assert set(GATED) >= {"highlight_element", "manage_state", "execute_javascript"}
