"""The pilot's switch in its own tab: who can move it, who can see it, and the badge on pages while it is on."""

from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import pytest
import trio

from gasoline_cdp import wire
from gasoline_cdp.browser.attached import Attached
from gasoline_cdp.cdp.connection import CdpError, Session
from gasoline_cdp.config import Config, ServeOptions
from gasoline_cdp.tools.registry import TOOLS
from tests.pilot import SIGNED, looks, record_traffic, signed, still
from tests.support import PATIENCE, Watch, open_watch

BUTTON = "document.querySelector('[role=switch]')"


@pytest.fixture
def attach_config(chromium: str) -> Config:
    return Config(
        browser=Attached(ws_endpoint=chromium), serve=ServeOptions(switch_tab=True), url="about:blank", strict=True
    )


@pytest.fixture
async def watch(attach_config: Config) -> AsyncIterator[Watch]:
    async with open_watch(attach_config) as watch:
        # Its tab may be closed or turned into another meanwhile; whatever it is then must go with its test.
        switches = {watch.daemon.switch.target_id}
        yield watch
        switches.add(watch.daemon.switch.target_id)
        await watch.close_tabs()
        root = watch.daemon.root
        assert root is not None
        with trio.fail_after(PATIENCE):
            # The next test's daemon would take one that is still closing for a page.
            while left := switches & {
                target["targetId"] for target in (await root.send("Target.getTargets"))["targetInfos"]
            }:
                for target in left:
                    with suppress(CdpError):
                        await root.send("Target.closeTarget", {"targetId": target})


class OwnTab:
    """The switch's tab, as a person's hand and another client's scripts reach it."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        session = watch.daemon.switch._session
        assert isinstance(session, Session)
        self.session = session

    async def evaluate(self, script: str) -> Any:
        reply = await self.session.send(
            "Runtime.evaluate", {"expression": script, "awaitPromise": True, "returnByValue": True}
        )
        assert "exceptionDetails" not in reply, reply
        return reply["result"].get("value")

    async def shown(self, checked: bool) -> None:
        """Wait until the switch stands so."""
        with trio.fail_after(PATIENCE):
            while not await self.evaluate(
                f"!!{BUTTON} && {BUTTON}.getAttribute('aria-checked') === '{str(checked).lower()}'"
            ):
                pass

    async def click(self) -> None:
        """As the browser itself would tell a page of a mouse."""
        await self.session.send("Page.bringToFront")
        x, y = await self.evaluate(
            f"(({{x, y, width, height}}) => [x + width / 2, y + height / 2])({BUTTON}.getBoundingClientRect())"
        )
        for kind in ("mousePressed", "mouseReleased"):
            await self.session.send(
                "Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
            )


@pytest.fixture
async def own(watch: Watch) -> OwnTab:
    own = OwnTab(watch)
    await own.shown(False)
    return own


def events(watch: Watch) -> list[tuple[str, str]]:
    return [(event.what, event.by) for event in watch.context.pilot.events]


@pytest.mark.requirement("F3-PILOT")
async def test_a_true_click_moves_it_and_is_on_record(watch: Watch, own: OwnTab) -> None:
    assert watch.context.pilot.on is False
    await own.click()
    await own.shown(True)
    assert (await watch.call("execute_javascript", script="1 + 1"))["result"] == 2
    await own.click()
    await own.shown(False)
    assert not watch.context.pilot.on
    assert events(watch) == [("switched_on", "person"), ("allowed", "internal"), ("switched_off", "person")]
    status = await watch.call("observe", what="status")
    assert [event["what"] for event in status["pilot_events"]] == ["switched_off", "allowed", "switched_on"]
    assert await own.evaluate("document.querySelectorAll('li').length") == 3


@pytest.mark.requirement("F3-PILOT")
async def test_a_key_moves_it_too(watch: Watch, own: OwnTab) -> None:
    await own.session.send("Page.bringToFront")
    for key, code, text in (("Tab", 9, ""), (" ", 32, " ")):
        down = {"key": key, "code": "Space" if text else key, "windowsVirtualKeyCode": code}
        await own.session.send(
            "Input.dispatchKeyEvent",
            {"type": "keyDown" if text else "rawKeyDown", **down, **({"text": text} if text else {})},
        )
        await own.session.send("Input.dispatchKeyEvent", {"type": "keyUp", **down})
    await own.shown(True)
    assert watch.context.pilot.on


@pytest.mark.requirement("S17")
async def test_a_synthetic_click_does_not_flip_it(watch: Watch, own: OwnTab) -> None:
    tried = f"""
      const button = {BUTTON};
      button.click();
      button.dispatchEvent(new MouseEvent("click", {{bubbles: true, composed: true}}));
      button.dispatchEvent(new PointerEvent("pointerup"));
      button.dispatchEvent(new KeyboardEvent("keydown", {{key: " "}}));
      button.setAttribute("aria-checked", "true");
      const forged = new MouseEvent("click");
      try {{ Object.defineProperty(forged, "isTrusted", {{get: () => true}}) }} catch {{}}
      button.dispatchEvent(forged);
      typeof gasolineSwitch"""
    # The binding is not there for the page's own world, wherever it is looked for.
    assert await own.evaluate(tried) == "undefined"
    assert await own.evaluate("1") == 1
    assert not watch.context.pilot.on
    assert events(watch) == []


@pytest.mark.requirement("S17")
async def test_no_other_tab_has_the_binding(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/pilot")
    for world in ("gasoline", "other"):
        made = await watch.tab.session.send(
            "Page.createIsolatedWorld", {"frameId": watch.tab.target_id, "worldName": world}
        )
        reply = await watch.tab.session.send(
            "Runtime.evaluate",
            {"expression": "typeof gasolineSwitch", "contextId": made["executionContextId"], "returnByValue": True},
        )
        assert reply["result"]["value"] == "undefined"
    # And what the page says through the binding that is there changes nothing.
    await watch.tab.session.send("Runtime.addBinding", {"name": "gasolineSwitch"})
    await watch.evaluate("gasolineSwitch('true')")
    assert not watch.context.pilot.on


@pytest.mark.requirement("S18")
@pytest.mark.parametrize(
    "tool",
    [
        name
        for name, tool in TOOLS.items()
        if tool.every_call.pilot and "tab_id" in wire.schema_of(tool.args)["properties"]
    ],
)
async def test_gated_tools_never_reach_the_switch(watch: Watch, tool: str) -> None:
    watch.context.pilot.switch(on=True, by="person")
    every: dict[str, dict[str, Any]] = {
        "execute_javascript": {"script": "document.title"},
        "highlight_element": {"selector": "button"},
        "manage_state": {"action": "save", "snapshot_name": "own"},
        "analyze": {"action": "audit"},
        "act": {"steps": [{"do": "reload"}]},
    }
    arguments = every[tool]
    listed = await watch.call("observe", what="tabs")
    assert [tab["tab_id"] for tab in listed["tabs"]] == [tab.tab_id for tab in watch.daemon.context.tabs.open()]
    assert "Gasoline CDP" not in str(listed)
    known = {tab.tab_id for tab in watch.daemon.context.tabs.open()}
    assert all(tab.target_id != watch.daemon.switch.target_id for tab in watch.daemon.context.tabs.open())
    for tab_id in range(1, 30):
        if tab_id not in known:
            assert (await watch.error(tool, **arguments, tab_id=tab_id))["error"] == "no_such_tab"


@pytest.mark.requirement("S16")
async def test_a_refused_call_tells_not_even_the_switch(
    watch: Watch, own: OwnTab, monkeypatch: pytest.MonkeyPatch
) -> None:
    traffic = record_traffic(monkeypatch)
    error = await watch.error("execute_javascript", script="1")
    assert error["error"] == "ai_web_pilot_disabled"
    assert "click the switch in the browser's tab 'Gasoline CDP'" in error["message"]
    assert traffic == []
    # It is on record, and shown with whatever comes next.
    await own.click()
    await own.shown(True)
    assert "was refused" in await own.evaluate("document.querySelector('ol').textContent")


@pytest.mark.requirement("S18")
async def test_a_page_s_script_cannot_reach_the_switch(watch: Watch, site: str) -> None:
    watch.context.pilot.switch(on=True, by="person")
    await watch.open(f"{site}page/pilot")
    assert (await watch.call("execute_javascript", script="[opener, parent === window]"))["result"] == [None, True]


@pytest.mark.requirement("F3-PILOT")
async def test_nothing_of_the_own_tab_is_recorded(watch: Watch, own: OwnTab) -> None:
    await own.evaluate("console.error('of the own tab'); fetch('data:,x').then(() => 1)")
    await own.click()
    await own.shown(True)
    await watch.evaluate("console.error('of a page')")
    await watch.log("of a page")
    texts = [record.text for record in watch.telemetry.logs.newest()]
    assert not any("own tab" in text for text in texts)
    assert not any("data:" in record.url for record in watch.telemetry.network.newest())
    assert list(watch.telemetry.actions.newest()) == []


@pytest.mark.requirement("F3-PILOT")
async def test_it_survives_a_reload(own: OwnTab) -> None:
    await own.session.send("Page.reload")
    await own.shown(False)
    await own.click()
    await own.shown(True)
    await own.session.send("Page.reload")
    await own.shown(True)


@pytest.mark.requirement("F3-PILOT")
async def test_closing_it_takes_back_what_was_switched_on_there(watch: Watch, own: OwnTab) -> None:
    await own.click()
    await own.shown(True)
    assert watch.daemon.root is not None
    target = watch.daemon.switch.target_id
    await watch.daemon.root.send("Target.closeTarget", {"targetId": target})
    with trio.fail_after(PATIENCE):
        while watch.context.pilot.switch_tab == "open":
            await watch.daemon.root.send("Target.getTargets")
    assert not watch.context.pilot.on
    status = await watch.call("observe", what="status")
    assert status["pilot_switch"].startswith("closed")
    assert (status["pilot_events"][0]["what"], status["pilot_events"][0]["by"]) == ("switched_off", "switch_closed")
    error = await watch.error("execute_javascript", script="1")
    assert "start it again and use the switch" in error["message"]


@pytest.mark.requirement("F3-PILOT")
async def test_a_person_who_goes_elsewhere_in_it_has_a_tab_like_any_other(watch: Watch, own: OwnTab, site: str) -> None:
    await own.session.send("Page.navigate", {"url": f"{site}page/console"})
    await watch.log("out of range")
    assert watch.context.pilot.switch_tab == "closed"
    listed = await watch.call("observe", what="tabs")
    assert any(tab["url"].endswith("page/console") for tab in listed["tabs"])
    # Back on the empty page there is no switch any more.
    await own.session.send("Page.navigate", {"url": "about:blank"})
    await own.evaluate("1")
    assert not await own.evaluate(f"!!{BUTTON}")


@pytest.mark.requirement("F3-PILOT")
async def test_the_switch_is_named_for_everyone(own: OwnTab) -> None:
    tree = await own.session.send("Accessibility.getFullAXTree")
    (switch,) = [node for node in tree["nodes"] if node["role"].get("value") == "switch"]
    assert switch["name"]["value"].startswith("AI pilot")
    assert "run scripts" in switch["description"]["value"]


@pytest.mark.requirement("S17")
async def test_a_new_daemon_starts_with_the_pilot_off(attach_config: Config, own: OwnTab) -> None:
    await own.click()
    await own.shown(True)
    async with open_watch(attach_config) as other:
        assert not other.context.pilot.on
        assert other.daemon.root is not None
        await other.daemon.root.send("Target.closeTarget", {"targetId": other.daemon.switch.target_id})
        await other.close(other.tab)


# The badge.


REMEMBER = """
  window.changes = 0;
  new MutationObserver((records) => changes += records.length).observe(document,
    {subtree: true, childList: true, attributes: true, characterData: true});
  window.before = [document.documentElement.outerHTML, Object.getOwnPropertyNames(window).sort().join(),
    document.styleSheets.length, document.adoptedStyleSheets.length];
"""
CHANGED = """[changes, before.map((old, place) => old === [document.documentElement.outerHTML,
  Object.getOwnPropertyNames(window).filter((name) => name !== 'before' && name !== 'changes').concat(['changes'])
    .sort().join(), document.styleSheets.length, document.adoptedStyleSheets.length][place])]"""


@pytest.mark.requirement("F3-PILOT")
@pytest.mark.parametrize("name", ["pilot", "pilot-strict", "pilot-sandbox"])
async def test_the_badge_is_seen_and_not_found(watch: Watch, site: str, name: str) -> None:
    await watch.open(f"{site}page/{name}")
    session = watch.tab.session
    await session.send("Page.bringToFront")
    without = await still(watch)
    said = watch.telemetry.logs.received
    await watch.evaluate(REMEMBER)
    watch.context.pilot.switch(on=True, by="person")
    await signed(watch, True)
    assert await still(watch) != without
    tree = await session.send("Accessibility.getFullAXTree")
    assert "AI pilot" not in str(tree)
    assert await watch.evaluate(CHANGED) == [0, [True, True, True, True]]
    # It is in nobody's way.
    assert await watch.evaluate("document.elementFromPoint(innerWidth - 40, innerHeight - 18).tagName") in {
        "HTML",
        "BODY",
    }
    watch.context.pilot.switch(on=False, by="person")
    await signed(watch, False)
    await looks(watch, without)
    assert await watch.evaluate(CHANGED) == [0, [True, True, True, True]]
    assert watch.telemetry.logs.received == said


@pytest.mark.requirement("F3-PILOT")
async def test_every_page_gets_the_badge(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/pilot")
    watch.context.pilot.switch(on=True, by="person")
    await signed(watch, True)
    await watch.open(f"{site}page/blank")
    await signed(watch, True)
    await watch.tab.session.send("Page.reload")
    await signed(watch, True)
    await watch.evaluate("document.open(); document.write('<p>anew'); document.close()")
    await signed(watch, True)
    # A new tab, while another one hangs.
    watch.tab.session.post(
        "Runtime.evaluate", {"expression": "for (const end = Date.now() + 1500; Date.now() < end;);"}
    )
    assert watch.daemon.root is not None
    hung = watch.tab
    await watch.daemon.root.send("Target.createTarget", {"url": f"{site}page/pilot"})
    await watch.until(lambda: watch.tab is not hung and watch.tab.raw_url.endswith("pilot"))
    await signed(watch, True)
    watch.context.pilot.switch(on=False, by="person")
    await signed(watch, False)
    with trio.fail_after(PATIENCE):
        while "pilot" in (await hung.session.send("Runtime.evaluate", {"expression": SIGNED}))["result"]["value"]:
            pass


@pytest.mark.requirement("F3-PILOT")
async def test_with_the_start_flag_the_first_page_has_it(chromium: str, site: str) -> None:
    config = Config(
        browser=Attached(ws_endpoint=chromium), serve=ServeOptions(pilot=True), url=f"{site}page/pilot", strict=True
    )
    async with open_watch(config) as watch:
        assert watch.daemon.switch.target_id == ""
        await watch.until(lambda: watch.tab.raw_url.endswith("pilot"))
        await signed(watch, True)
        await watch.close(watch.tab)
