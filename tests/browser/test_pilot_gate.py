"""The gate, on a real browser: nothing switches the pilot on, and while it is off nothing leaves for a gated call."""

from typing import Any

import pytest

from gasoline_cdp import limits, pilot_limits
from gasoline_cdp.operations.running import call_tool, run_operation
from gasoline_cdp.tools.registry import TOOLS
from gasoline_cdp.unlisted.files import FILES
from tests.pilot import calls_of, record_traffic
from tests.support import Watch

GATED = [name for name, tool in TOOLS.items() if tool.every_call.pilot]


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
    assert [event.what for event in watch.context.pilot.events] == ["refused"] * min(
        len(calls), pilot_limits.PILOT_EVENTS
    )


@pytest.mark.requirement("S16")
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("diff_sessions", {"action": "capture", "name": "a", "include": ["accessibility", "security"]}),
        ("verify_fix", {"action": "start", "include": ["accessibility", "security"]}),
    ],
)
async def test_the_gate_is_on_what_a_call_does(
    watch: Watch, site: str, name: str, arguments: dict[str, Any], traffic: list[str]
) -> None:
    """A comparison that reads cookies and storage needs the pilot as `analyze` does; one of what is kept does not."""
    await watch.open(f"{site}page/pilot")
    traffic.clear()
    assert (await watch.error(name, **arguments))["error"] == "ai_web_pilot_disabled"
    assert traffic == []
    watch.context.pilot.switch(on=True, by="start")
    kept = await watch.call(name, **arguments)
    if name == "diff_sessions":
        await watch.call(name, **{**arguments, "name": "b"})
        later: dict[str, Any] = {"action": "compare", "compare_a": "a"}
    else:
        later = {"action": "compare", "session_id": kept["session_id"]}
        await watch.call(name, **{**later, "action": "watch"})
    watch.context.pilot.switch(on=False, by="person")
    traffic.clear()
    assert (await watch.error(name, **later))["error"] == "ai_web_pilot_disabled"
    assert traffic == []
    if name == "diff_sessions":
        assert (await watch.call(name, **later, compare_b="b"))["action"] == "compared"
    assert [event.what for event in watch.context.pilot.events if event.tool].count("refused") == 2


@pytest.mark.requirement("S16")
async def test_a_file_of_a_snapshot_is_no_way_round_the_gate(watch: Watch, site: str, traffic: list[str]) -> None:
    await watch.open(f"{site}page/pilot")
    traffic.clear()
    refused = await run_operation(FILES["snapshot"], watch.context, {"include": ["accessibility", "security"]})
    assert refused.data["error"] == "ai_web_pilot_disabled"
    assert "the pilot is off" in refused.data["message"]
    assert traffic == []


@pytest.mark.parametrize(("name", "action"), [("diff_sessions", "capture"), ("verify_fix", "start")])
async def test_a_comparison_that_audits_takes_its_time(
    watch: Watch, site: str, name: str, action: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await watch.open(f"{site}page/pilot")
    monkeypatch.setattr(limits, "PENDING_SECONDS", 0.0)
    arguments = {"action": action, "include": ["accessibility"], **({"name": "a"} if action == "capture" else {})}
    answer = (await call_tool(TOOLS, watch.context, name, arguments)).data
    assert answer["status"] == "pending"
    done = await watch.call("observe", what="analyze_result", correlation_id=answer["correlation_id"])
    while done.get("status") == "pending":
        done = await watch.call("observe", what="analyze_result", correlation_id=answer["correlation_id"])
    assert done.get("action") == "captured" or done["status"] == "baseline_captured"
    # What reads only what was captured answers at once.
    assert "correlation_id" not in (await call_tool(TOOLS, watch.context, "diff_sessions", {"action": "list"})).data


@pytest.mark.requirement("S16")
async def test_the_record_of_traffic_would_show_a_call(watch: Watch, site: str, traffic: list[str]) -> None:
    await watch.open(f"{site}page/pilot")
    watch.context.pilot.switch(on=True, by="start")
    traffic.clear()
    await watch.call("execute_javascript", script="1 + 1")
    assert "Runtime.evaluate" in traffic


@pytest.mark.requirement("S16")
def test_what_acts_is_gated() -> None:
    assert set(GATED) == {
        "act", "analyze", "debug", "highlight_element", "manage_state", "execute_javascript", "set_conditions",
    }  # fmt: skip
