"""A tab that was open before us: what it had loaded is told, marked as such, and from then on it is complete."""

import pytest
import trio

from gasoline_cdp.browser.attached import Attached
from gasoline_cdp.cdp.connection import open_connection
from gasoline_cdp.cdp.websocket import open_websocket
from gasoline_cdp.config import Config
from tests.support import PATIENCE, Watch, open_watch

pytestmark = pytest.mark.requirement("F2-ATTACH")


async def test_a_tab_that_was_open_tells_what_it_had_loaded(watch: Watch, site: str, chromium: str) -> None:
    await watch.open(f"{site}page/targets?other_frame")
    await watch.log("done in other_frame")
    await watch.evaluate(
        """Promise.all([
            fetch('/json?before').then(r => r.text()), fetch('/status/500?before').then(r => r.text()),
            new Promise((done) => document.body.append(
                Object.assign(new Image(), {src: 'http://localhost:1/no.png', onerror: done}))),
        ])"""
    )
    async with open_watch(Config(browser=Attached(ws_endpoint=chromium), strict=True)) as late:
        tab = next(tab for tab in late.daemon.context.tabs.open() if "other_frame" in tab.raw_url)
        assert not tab.seen_from_start
        await late.until(lambda: not late.daemon.capture.backfill.backlog)
        await tab.session.send(
            "Runtime.evaluate", {"expression": "fetch('/json?after').then(r => r.text())", "awaitPromise": True}
        )
        await late.request("?after")
        answer = await late.call("observe", what="network", tab_id=tab.tab_id, include_static=True, limit=100)
        told = {entry["url"].rsplit("/", 1)[1]: entry for entry in answer["entries"]}
        before = {name for name, entry in told.items() if entry.get("before_attach")}
        assert {"json?before", "500?before", "targets?other_frame"} <= before
        assert "json?after" not in before
        assert (told["500?before"]["outcome"], told["500?before"]["status"]) == ("http_error", 500)
        assert (told["targets?other_frame"]["type"], told["targets?other_frame"]["status"]) == ("Document", 200)
        assert told["json?before"]["type"] == "Fetch"
        assert told["json?after"]["method"] == "GET"
        # The console's past is replayed by Chrome itself.
        await late.log("targets ready")
        tabs = (await late.call("observe", what="tabs"))["tabs"]
        assert next(entry for entry in tabs if entry["tab_id"] == tab.tab_id)["complete_from"] == "attach"


async def test_a_tab_that_was_open_tells_what_a_person_does_in_it(site: str, chromium: str) -> None:
    """Nobody else watches it: the document has no world of ours before we come."""
    async with open_websocket(chromium) as transport, open_connection(transport) as other:
        reply = await other.root.send("Target.createTarget", {"url": "about:blank"})
        attached = await other.root.send("Target.attachToTarget", {**reply, "flatten": True})
        page = other.open_session(attached["sessionId"], other.root, reply["targetId"])
        loaded = trio.Event()
        page.on("Page.loadEventFired", lambda _: loaded.set())
        await page.send("Page.enable")
        await page.send("Page.navigate", {"url": f"{site}page/actions"})
        with trio.fail_after(PATIENCE):
            await loaded.wait()
        async with open_watch(Config(browser=Attached(ws_endpoint=chromium), strict=True)) as late:
            tab = late.daemon.context.tabs.by_target(reply["targetId"])
            assert tab is not None
            await late.until(lambda: not late.daemon.capture.backfill.backlog)
            for kind in ("mousePressed", "mouseReleased"):
                click = {"type": kind, "x": 5, "y": 5, "button": "left", "clickCount": 1}
                await tab.session.send("Input.dispatchMouseEvent", click)
            await late.until(lambda: any(action.type == "click" for action in late.telemetry.actions.newest()))
        await other.root.send("Target.closeTarget", reply)


async def test_a_tab_of_our_own_has_nothing_to_fill_in(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/blank")
    await watch.request("page/blank")
    assert not any(record.before_attach for record in watch.telemetry.network.newest())


async def test_a_tab_that_another_client_opens_with_an_address_was_joined_late(watch: Watch, site: str) -> None:
    """Chrome does not hold such a tab: its document is never told, nor is what it asked for at once."""
    assert watch.daemon.root is not None
    for number in range(20):
        address = f"{site}page/targets?unheld={number}"
        reply = await watch.daemon.root.send("Target.createTarget", {"url": address})
        document = await watch.request(f"targets?unheld={number}")
        if document.before_attach:
            break
        # A busy browser may begin so late that we are there in time: then there is nothing to be told.
        seen = watch.daemon.context.tabs.by_target(reply["targetId"])
        assert seen is not None
        await watch.close(seen)
    else:
        pytest.fail("no tab was joined late")
    await watch.log("loaded before it could be watched")
    tab = watch.daemon.context.tabs.by_target(reply["targetId"])
    assert tab is not None
    records = [record for record in watch.telemetry.network.newest() if record.source.tab_id == tab.tab_id]
    document = next(record for record in records if "page/targets?unheld" in record.url)
    assert (document.type, document.status) == ("Document", 200)
    assert len({record.url for record in records}) == len(records)
    tabs = (await watch.call("observe", what="tabs"))["tabs"]
    assert next(entry for entry in tabs if entry["tab_id"] == tab.tab_id)["complete_from"] == "attach"
    status = await watch.call("observe", what="status")
    assert status["tabs_joined_late"] == 1
    assert "1 tab joined late" in status["summary"]
    answer = await watch.call("observe", what="network", tab_id=tab.tab_id)
    assert "before the tab was watched" in answer["summary"]
    await watch.close(tab)


async def test_no_navigation_of_a_watched_tab_is_taken_for_a_late_one(watch: Watch, site: str) -> None:
    """Going back, being sent on, posting a form, loading anew, pages of a service worker and of another process."""
    await watch.open(f"{site}page/blank?first")
    await watch.go(f"{site}redirect/2")
    await watch.request("end=redirect")
    await watch.evaluate("setTimeout(() => history.back())")
    await watch.until(lambda: watch.tab.raw_url.endswith("?first"))
    form = "<form method=post action=/echo?posted><input name=a></form>"
    await watch.evaluate(f"document.body.innerHTML = '{form}'; setTimeout(() => document.forms[0].submit())")
    await watch.until(lambda: "?posted" in watch.tab.raw_url)
    await watch.go(f"{site}page/targets?service_worker")
    await watch.log("worker active")
    await watch.tab.session.send("Page.reload")
    await watch.go(site.replace("127.0.0.1", "localhost") + "page/blank?other")
    await watch.request("?other")
    assert watch.daemon.capture.navigation.joined_late == 0
    assert watch.tab.seen_from_start
