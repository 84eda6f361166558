"""manage_state in a real browser: exact, all or nothing, and never shown."""

import time
from typing import Any

import attrs
import pytest

from gasoline_cdp import limits, wire
from gasoline_cdp.daemon import Config
from tests.support import Watch

pytestmark = pytest.mark.requirement("F4-STATE")

# What must be as it was.
EXACT = (
    "name", "value", "domain", "path", "secure", "httpOnly", "sameSite", "priority", "session", "sourceScheme",
    "sourcePort", "partitionKey",
)  # fmt: skip
FILL = """
  localStorage.setItem('theme', 'dark'); localStorage.setItem('', 'empty name');
  localStorage.setItem('odd', '\\ud800 half');
  localStorage.setItem('length', '7'); localStorage.setItem('__proto__', 'not a prototype');
  sessionStorage.setItem('step', '3'); sessionStorage.setItem('漢', '字'.repeat(1000));
"""
CONTENTS = """[localStorage, sessionStorage].map((storage) => {
  const all = [];
  for (let place = 0; place < storage.length; place++) {
    all.push([storage.key(place), storage.getItem(storage.key(place))]);
  }
  return JSON.stringify(all.sort());
})"""


@pytest.fixture
def attach_config(chromium: str) -> Config:
    return Config(mode="attach", ws_endpoint=chromium, url="about:blank", pilot=True, strict=True)


@pytest.fixture
def shop(site: str) -> str:
    """The site under a name that has a registrable domain; Chrome itself knows where it is."""
    return site.replace("127.0.0.1", "www.shop.localhost")


@pytest.fixture
async def page(watch: Watch, shop: str) -> Watch:
    """A page whose site keeps something of every kind."""
    await watch.tab.session.send("Network.clearBrowserCookies")
    await watch.open(f"{shop}page/blank")
    for cookie in cookies_of_every_kind():
        assert (await watch.tab.session.send("Network.setCookie", cookie))["success"]
    await watch.evaluate(FILL)
    return watch


def cookies_of_every_kind() -> list[dict[str, Any]]:
    soon = time.time() + 86_400.5
    own, site = "www.shop.localhost", ".shop.localhost"
    secure = {"secure": True, "sourceScheme": "Secure", "sourcePort": 443}
    top = {"topLevelSite": "http://shop.localhost", "hasCrossSiteAncestor": False}
    return [
        {"name": "sid", "value": "secret-session", "domain": own, "path": "/", "httpOnly": True, "sameSite": "Lax"},
        {"name": "plain", "value": "", "domain": own, "path": "/"},
        {"name": "wide", "value": "a=b c", "domain": site, "path": "/", "sameSite": "Strict", "priority": "High"},
        {"name": "deep", "value": "x", "domain": own, "path": "/page/deeper", "expires": soon, "priority": "Low"},
        {"name": "deep", "value": "y", "domain": site, "path": "/page/deeper", "expires": soon},
        {"name": "third", "value": "z", "domain": site, "path": "/", "sameSite": "None", **secure},
        {"name": "chip", "value": "p", "domain": "cdn.example.test", "path": "/", "sameSite": "None", **secure,
         "partitionKey": {**top, "hasCrossSiteAncestor": True}},
    ]  # fmt: skip


async def cookies(watch: Watch) -> list[dict[str, Any]]:
    found = (await watch.tab.session.send("Storage.getCookies"))["cookies"]
    told = [{name: cookie.get(name) for name in EXACT} | {"expires": round(cookie["expires"], 2)} for cookie in found]
    return sorted(told, key=str)


async def kept(watch: Watch) -> tuple[Any, Any]:
    return await watch.evaluate(CONTENTS), await cookies(watch)


async def save(watch: Watch, name: str = "cart_full") -> dict[str, Any]:
    return await watch.call("manage_state", action="save", snapshot_name=name)


async def load(watch: Watch, name: str = "cart_full", **more: Any) -> dict[str, Any]:
    navigation = watch.tab.source.navigation
    answer = await watch.call("manage_state", action="load", snapshot_name=name, **more)
    if more.get("include_url", True):
        # Once without its scripts, and once with them.
        await watch.until(lambda: watch.tab.source.navigation >= navigation + 2)
    return answer


async def clear(watch: Watch) -> None:
    await watch.evaluate("localStorage.clear(); sessionStorage.clear(); localStorage.setItem('new', '1')")
    await watch.tab.session.send("Network.clearBrowserCookies")
    await watch.evaluate("document.cookie = 'fresh=1; path=/'")


@pytest.mark.requirement("F4-SEED")
@pytest.mark.parametrize("include_url", [True, False])
async def test_state_round_trip(page: Watch, include_url: bool) -> None:
    before = await kept(page)
    assert len(before[1]) == 7
    saved = await save(page)
    assert saved["success"] is True
    assert saved["saved"] == {"localStorage": 5, "sessionStorage": 2, "cookies": 7}
    assert saved["size_bytes"] > 1000
    await clear(page)
    assert await kept(page) != before
    loaded = await load(page, include_url=include_url)
    assert loaded["restored"] == {"localStorage": 5, "sessionStorage": 2, "cookies": 7}
    assert await kept(page) == before


async def test_it_goes_to_the_saved_address_from_anywhere(page: Watch, shop: str, site: str) -> None:
    await page.open(f"{shop}page/console?cart=1#top")
    before = await kept(page)
    await save(page)
    await clear(page)
    for elsewhere in ("data:text/html,<p>away", f"{site}page/pilot", f"{shop}page/console?cart=1"):
        await page.open(elsewhere)
        await load(page)
        assert page.tab.raw_url == f"{shop}page/console?cart=1#top"
        assert await kept(page) == before
    # And the page's own scripts run, in the restored state.
    assert await page.evaluate("document.readyState") in {"interactive", "complete", "loading"}
    assert (await page.call("execute_javascript", script="1 + 1"))["result"] == 2


async def test_an_application_that_saves_as_it_is_left_changes_nothing(page: Watch) -> None:
    before = await kept(page)
    await save(page)
    await page.evaluate(
        "addEventListener('pagehide', () => localStorage.setItem('left', '1'));"
        "addEventListener('beforeunload', () => document.cookie = 'left=1');"
        "setInterval(() => localStorage.setItem('busy', Math.random()), 1)"
    )
    await load(page)
    assert await kept(page) == before


async def test_other_sites_keep_theirs(page: Watch, site: str) -> None:
    await save(page)
    for domain in ("other.localhost", "notshop.localhost", "127.0.0.1"):
        await page.tab.session.send("Network.setCookie", {"name": "theirs", "value": "1", "domain": domain})
    await load(page)
    assert [cookie["domain"] for cookie in await cookies(page) if cookie["name"] == "theirs"] == [
        "127.0.0.1", "notshop.localhost", "other.localhost",
    ]  # fmt: skip
    await page.open(f"{site}page/blank")
    assert (await save(page, "other"))["saved"]["cookies"] == 1


async def test_without_the_address_the_site_must_be_there(page: Watch, site: str) -> None:
    await save(page)
    await page.open(f"{site}page/blank")
    before = await kept(page)
    error = await page.error("manage_state", action="load", snapshot_name="cart_full", include_url=False)
    assert error["error"] == "state_not_restored"
    assert "Nothing was changed" in error["message"]
    assert await kept(page) == before


def tampered(watch: Watch, **changes: Any) -> None:
    states = watch.context.states
    states.save(attrs.evolve(states.get("cart_full"), **changes))


@pytest.mark.parametrize(
    ("fault", "include_url"),
    [("quota", True), ("quota", False), ("cookie", True), ("cookie", False), ("address", True), ("redirect", True)],
)
async def test_a_failed_load_leaves_the_old_state(page: Watch, site: str, fault: str, include_url: bool) -> None:
    await save(page)
    state = page.context.states.get("cart_full")
    refused = {
        "name": "__Host-x",
        "value": "1",
        "domain": ".shop.localhost",
        "path": "/",
        "session": True,
        "expires": -1,
    }
    changes: dict[str, dict[str, Any]] = {
        "quota": {"storage": wire.encode({"local": [["big", "x" * 6_000_000]], "session": []}).decode()},
        "cookie": {"cookies": (*state.cookies, refused)},
        "address": {"url": "http://www.shop.localhost:1/"},
        "redirect": {"url": f"{site}page/blank"},
    }
    tampered(page, **changes[fault])
    await clear(page)
    before, address = await kept(page), page.tab.raw_url
    error = await page.error("manage_state", action="load", snapshot_name="cart_full", include_url=include_url)
    assert error["error"] == "state_not_restored"
    assert error["message"].endswith("The old state was put back.")
    await page.evaluate("document.readyState === 'complete' || new Promise((r) => addEventListener('load', () => r()))")
    assert await kept(page) == before
    assert page.tab.raw_url == address
    # Its scripts run.
    assert await page.evaluate("new Promise(done => setTimeout(() => done(7)))") == 7


async def test_cookies_that_expired_meanwhile_are_counted(page: Watch) -> None:
    await save(page)
    state = page.context.states.get("cart_full")
    tampered(page, cookies=tuple({**c, "expires": 1.0} if c["name"] == "deep" else c for c in state.cookies))
    answer = await load(page)
    assert (answer["restored"]["cookies"], answer["expired_cookies"]) == (5, 2)


async def test_databases_are_listed_and_not_kept(page: Watch) -> None:
    await page.evaluate(
        "new Promise(done => { const open = indexedDB.open('orders', 1);"
        " open.onsuccess = () => { open.result.close(); done() } })"
    )
    answer = await save(page)
    assert answer["indexed_db"] == ["orders"]
    assert answer["note"] == "IndexedDB is listed, not saved."
    await page.evaluate("new Promise(done => { indexedDB.deleteDatabase('orders').onsuccess = () => done() })")
    await load(page)
    assert await page.evaluate("indexedDB.databases()") == []


async def test_list_and_delete(page: Watch, shop: str) -> None:
    await save(page, "one")
    await page.open(f"{shop}page/blank?token=abcdefgh12345678")
    await save(page, "two")
    listed = await page.call("manage_state", action="list")
    assert [entry["name"] for entry in listed["snapshots"]] == ["two", "one"]
    assert set(listed["snapshots"][0]) == {"name", "url", "timestamp", "size_bytes"}
    # Nothing of what is kept is ever told.
    shown = wire.encode(listed).decode() + wire.encode(await save(page, "two")).decode()
    for secret in ("secret-session", "dark", "abcdefgh"):
        assert secret not in shown
    assert "secret-session" not in repr(page.context.states.get("one"))
    await page.call("manage_state", action="delete", snapshot_name="one")
    error = await page.error("manage_state", action="load", snapshot_name="one")
    assert (error["error"], error["details"]) == ("no_such_state", {"saved": ["two"]})
    assert (await page.error("manage_state", action="delete", snapshot_name="one"))["error"] == "no_such_state"


@pytest.mark.parametrize("name", [None, "", " x", "../x", "a/b", "x" * (limits.STATE_NAME_CHARS + 1), "a\nb"])
async def test_names_are_names(watch: Watch, name: str | None) -> None:
    error = await watch.error("manage_state", action="save", snapshot_name=name)
    assert error["error"] == "invalid_params"


@pytest.mark.parametrize("url", ["about:blank", "data:text/html,<p>x"])
async def test_pages_without_a_state(watch: Watch, url: str) -> None:
    if url != "about:blank":
        await watch.open(url)
    error = await watch.error("manage_state", action="save", snapshot_name="x")
    assert error["error"] == "state_not_saved"


async def test_a_hung_page_loses_nothing(page: Watch) -> None:
    await save(page)
    before = await cookies(page)
    page.tab.session.post("Runtime.evaluate", {"expression": "for (const end = Date.now() + 7000; Date.now() < end;);"})
    error = await page.error("manage_state", action="save", snapshot_name="hung")
    assert error["error"] == "page_hung"
    assert await cookies(page) == before
    await page.tab.session.send("Runtime.terminateExecution")
