"""The gate, on a real browser: nothing switches the pilot on, and while it is off nothing leaves for a gated call."""

import pytest

from gasoline_cdp.tools.registry import TOOLS
from gasoline_cdp.tools.spec import call_tool
from tests.pilot import calls_of, record_traffic
from tests.support import Watch

GATED = [name for name, tool in TOOLS.items() if tool.pilot]


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
    calls = [{}, {"selector": "#save"}, {"script": "1 + 1"}, {"no_such": 1}, *calls_of(name)]
    for arguments in calls:
        answer = await call_tool(TOOLS, watch.context, name, arguments)
        assert answer.is_error
        assert answer.data == {
            "status": "error",
            "error": "ai_web_pilot_disabled",
            "message": f"{name} acts on the page, and the pilot is off. A person can start gasoline-cdp with --pilot.",
        }
    assert traffic == []
    assert [event.what for event in watch.context.pilot.events] == ["refused"] * len(calls)


@pytest.mark.requirement("S16")
async def test_the_record_of_traffic_would_show_a_call(watch: Watch, site: str, traffic: list[str]) -> None:
    await watch.open(f"{site}page/pilot")
    watch.context.pilot.switch(on=True, by="start")
    traffic.clear()
    await watch.call("execute_javascript", script="1 + 1")
    assert "Runtime.evaluate" in traffic


@pytest.mark.requirement("S16")
def test_what_acts_is_gated() -> None:
    assert set(GATED) == {"analyze", "highlight_element", "manage_state", "execute_javascript"}
