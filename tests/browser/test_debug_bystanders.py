"""The debugger and what comes between: a killed daemon, a person's DevTools, a crash. No page stays paused."""

import os
import signal
from collections.abc import AsyncIterator
from typing import Any

import pytest
import trio

from gasoline_cdp import debug_limits
from gasoline_cdp.cdp.second_session import close_second_session, open_second_session
from gasoline_cdp.frontends.local import bridge
from tests.processes import open_command
from tests.support import PATIENCE, Watch


@pytest.fixture
async def page(watch: Watch, site: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Watch]:
    monkeypatch.setattr(debug_limits, "CATCH_SECONDS", 30.0)
    watch.context.pilot.switch(on=True, by="person")
    await watch.open(f"{site}page/thrown")
    yield watch
    watch.context.pilot.switch(on=False, by="person")


async def runs(page: Watch) -> bool:
    """Whether timers of the page fire: nothing does while it stands still."""
    with trio.fail_after(PATIENCE):
        return bool(await page.evaluate("new Promise((done) => setTimeout(() => done(true), 20))"))


async def test_a_daemon_that_is_killed_leaves_no_page_paused(page: Watch, chromium: str) -> None:
    """It is attached beside us, and its debugger stops the page all the time. We have none that could let it go on."""
    async with open_command("attach", "--ws-endpoint", chromium, "--pilot", "--port", "0") as running:
        await running.said("Watching")

        async def call(tool: str, **arguments: Any) -> dict[str, Any]:
            data, is_error = await trio.to_thread.run_sync(bridge.call, tool, arguments)
            assert not is_error, data
            return data

        expression = {"at": "thrown.js:8", "expression": "sum, item, this.items", "limit": 1000}
        await call("debug", action="catch", on="all")
        await call("debug", action="log", **expression)
        await page.evaluate("setInterval(() => { cart.apply({ percent: 1 }); often(3); }, 10); 0")
        while not (await call("debug", action="list"))["log_points"][0]["hits"]:
            await trio.lowlevel.checkpoint()
        os.kill(running.process.pid, signal.SIGKILL)
        await running.ended()
    assert await runs(page)


async def test_a_person_s_devtools_may_pause_meanwhile(page: Watch) -> None:
    """Pauses that are not ours end at once, whoever asked for them; ours are read."""
    await page.call("debug", action="catch")
    devtools = await open_second_session(page.tab.session)
    await devtools.send("Debugger.enable")
    await devtools.send("Debugger.setPauseOnExceptions", {"state": "all"})
    await page.evaluate("setTimeout(() => { debugger; often(3); checkout('WINTER'); })")
    await page.log("reading 'percent'")
    answer = await page.call("observe", what="errors")
    assert "coupon = undefined" in answer["entries"][0]["variables"][0]["values"]
    await devtools.send("Debugger.pause")
    assert await runs(page)
    close_second_session(devtools)


async def test_a_page_that_crashes_while_it_is_read_stops_nobody(page: Watch, site: str) -> None:
    await page.call("debug", action="catch", on="all")
    other = page.tab
    # It throws all the time, so it stands still when its process ends.
    await page.evaluate("setInterval(() => often(5), 1); 0")
    await page.until(lambda: page.daemon.capture.catcher.read)
    other.session.post("Page.crash")
    await page.until(lambda: other.state == "crashed")
    await page.call("debug", action="catch")
    assert page.daemon.root is not None
    created = await page.daemon.root.send("Target.createTarget", {"url": "about:blank"})
    await page.until(lambda: page.context.tabs.by_target(created["targetId"], other.source.browser_id))
    tab = page.context.tabs.by_target(created["targetId"], other.source.browser_id)
    await page.open(f"{site}page/thrown?again", tab)
    await page.evaluate("setTimeout(() => checkout('WINTER'))", tab)
    await page.log("reading 'percent'")
    assert "coupon = undefined" in str(await page.call("observe", what="errors"))
