"""manage_state in a real browser: exact, all or nothing, and never shown."""

import time
from typing import Any

import attrs
import pytest

from gasoline_cdp import pilot_limits, wire
from gasoline_cdp.browser.attached import Attached
from gasoline_cdp.cdp.connection import CdpClosed, Session
from gasoline_cdp.cdp.world import World, open_world
from gasoline_cdp.config import Config, ServeOptions
from tests.support import HANG, Watch

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
    return Config(
        browser=Attached(ws_endpoint=chromium), serve=ServeOptions(pilot=True), url="about:blank", strict=True
    )


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


@pytest.mark.parametrize("name", [None, "", " x", "../x", "a/b", "x" * (pilot_limits.STATE_NAME_CHARS + 1), "a\nb"])
async def test_names_are_names(watch: Watch, name: str | None) -> None:
    error = await watch.error("manage_state", action="save", snapshot_name=name)
    assert error["error"] == "invalid_params"


@pytest.mark.parametrize("url", ["about:blank", "data:text/html,<p>x"])
async def test_pages_without_a_state(watch: Watch, url: str) -> None:
    if url != "about:blank":
        await watch.open(url)
    error = await watch.error("manage_state", action="save", snapshot_name="x")
    assert error["error"] == "state_not_saved"


ADD_FRAME = """new Promise((done) => {
  const frame = document.createElement('iframe');
  frame.src = %r;
  frame.onload = () => done();
  document.body.append(frame);
})"""
KEYS = "Object.keys(localStorage).concat(Object.keys(sessionStorage)).sort().join()"


async def add_frame(watch: Watch, url: str, session: Session | None = None) -> World:
    """A frame in the page, or in another frame; its main world is not needed, since storage is that of all."""
    session = session or watch.tab.session
    known = set(await frame_ids(watch))
    reply = await session.send("Runtime.evaluate", {"expression": ADD_FRAME % url, "awaitPromise": True})
    assert "exceptionDetails" not in reply, reply
    (added,) = set(await frame_ids(watch)) - known
    return await open_world(watch.tab.session.find(added) or session, added)


async def frame_ids(watch: Watch) -> list[str]:
    def below(tree: dict[str, Any]) -> list[str]:
        return [tree["frame"]["id"], *(found for child in tree.get("childFrames", []) for found in below(child))]

    async def all_of(session: Session) -> list[str]:
        try:
            found = below((await session.send("Page.getFrameTree"))["frameTree"])
        except CdpClosed:
            # A frame of the document before this one, on its way out.
            return []
        return [*found, *[frame for child in [*session.children.values()] for frame in await all_of(child)]]

    return await all_of(watch.tab.session)


async def add_frames(page: Watch, site: str) -> dict[str, World]:
    """Frames of other origins: another site's, one's own site's, and one's own inside another site's."""
    other = await add_frame(page, f"{site}page/blank")
    assert other.session is not page.tab.session, "it has no process of its own"
    sibling = await add_frame(page, f"{site}page/blank".replace("127.0.0.1", "api.shop.localhost"))
    inner = await add_frame(page, f"{site}page/blank".replace("127.0.0.1", "www.shop.localhost"), other.session)
    return {"other": other, "sibling": sibling, "inner": inner}


async def frames_keep(frames: dict[str, World]) -> dict[str, str]:
    return {name: await world.call(f"() => {KEYS}") for name, world in frames.items()}


async def fill_frames(frames: dict[str, World]) -> None:
    for name, world in frames.items():
        await world.call(
            "(name) => { localStorage.clear(); sessionStorage.clear();"
            " localStorage.setItem(`${name} local`, '1'); sessionStorage.setItem(`${name} session`, '2') }",
            name,
        )


FILLED = {name: f"{name} local,{name} session" for name in ("other", "sibling", "inner")}


@pytest.mark.parametrize("include_url", [True, False])
async def test_frames_of_other_origins_get_theirs_back(page: Watch, shop: str, site: str, include_url: bool) -> None:
    frames = await add_frames(page, site)
    await fill_frames(frames)
    own = await kept(page)
    saved = await save(page)
    origins = [site, site.replace("127.0.0.1", "api.shop.localhost"), shop]
    assert sorted(frame["origin"].rstrip("/") for frame in saved["frames"]) == sorted(o.rstrip("/") for o in origins)
    assert all((frame["localStorage"], frame["sessionStorage"]) == (1, 1) for frame in saved["frames"])
    for world in frames.values():
        await world.call("() => { localStorage.clear(); sessionStorage.clear(); localStorage.setItem('new', 1) }")
    requests = len(list(page.telemetry.network.newest()))
    loaded = await load(page, include_url=include_url)
    assert sorted(loaded["frames"], key=str) == sorted(saved["frames"], key=str)
    assert "frames_missed" not in loaded
    if include_url:
        # Only the page itself was asked for: none of the frames that the state was put back through.
        await page.until(lambda: len(list(page.telemetry.network.newest())) >= requests + 2)
        asked = list(page.telemetry.network.newest())[:-requests]
        assert {record.url for record in asked} == {f"{shop}page/blank"}
        await page.evaluate(
            "document.readyState === 'complete' || new Promise((r) => addEventListener('load', () => r()))"
        )
        assert await page.evaluate("frames.length") == 0
        frames = await add_frames(page, site)
    assert await frames_keep(frames) == FILLED
    assert await kept(page) == own


async def test_a_frame_s_own_scripts_change_nothing(page: Watch, shop: str, site: str) -> None:
    """Frames that the page brings along are silent until everything is in place."""
    await page.open(f"{shop}framed?src={site}page/state-busy")
    (child,) = page.tab.session.children.values()
    world = await open_world(child)
    await world.call(
        "() => { for (let id = 0; id < 1000; id++) clearInterval(id);"
        " localStorage.clear(); localStorage.setItem('saved', 1) }"
    )
    await save(page)
    await page.open(f"{shop}framed?src={site}page/state-busy")
    before = await busy_frames_loaded(page, 2)
    assert before == ["seen: left,saved", "seen: "]
    await load(page)
    # The third is that of the reload: in between, no frame ran, and no server was asked for one.
    assert (await busy_frames_loaded(page, 3))[0] == "seen: saved"
    await page.evaluate("document.readyState === 'complete' || new Promise((r) => addEventListener('load', () => r()))")
    assert sum("state-busy" in record.url.partition("?")[0] for record in page.telemetry.network.newest()) == 3


async def busy_frames_loaded(watch: Watch, number: int) -> list[str]:
    def seen() -> list[str]:
        return [record.text for record in watch.telemetry.logs.newest() if record.text.startswith("seen:")]

    await watch.until(lambda: len(seen()) >= number)
    return seen()


async def test_what_a_frame_cannot_be_given_back_is_told(page: Watch, site: str) -> None:
    await fill_frames(await add_frames(page, site))
    await save(page)
    state = page.context.states.get("cart_full")
    too_much = wire.encode({"local": [["big", "x" * 6_000_000]], "session": []}).decode()
    other = next(frame for frame in state.frames if "127.0.0.1" in frame.origin)
    gone = attrs.evolve(other, key="https://gone.test/^0http://elsewhere.test", origin="https://gone.test")
    tampered(page, frames=(attrs.evolve(other, storage=too_much), gone))
    loaded = await load(page)
    assert loaded["success"] is True
    assert "frames" not in loaded
    assert [(one["origin"], one["reason"]) for one in loaded["frames_missed"]] == [
        (other.origin, "the browser does not store it (QuotaExceededError)"),
        ("https://gone.test", "no such frame can be made now"),
    ]
    assert (await frames_keep(await add_frames(page, site)))["other"] == FILLED["other"]
    tampered(page, frames=(gone,))
    loaded = await load(page, include_url=False)
    assert loaded["frames_missed"][0]["reason"] == "no such frame answers in the page"


async def test_a_hung_frame_does_not_keep_a_page_from_being_saved(page: Watch, site: str) -> None:
    frames = await add_frames(page, site)
    await fill_frames(frames)
    hung = frames["other"].session
    hung.post("Runtime.evaluate", {"expression": HANG})
    saved = await save(page)
    assert "Left out, without an answer: 1 frame." in saved["note"]
    assert [frame["origin"] for frame in saved["frames"] if "127.0.0.1" in frame["origin"]] == []
    assert saved["saved"]["localStorage"] == 5


@pytest.mark.parametrize("name", ["pilot-strict", "pilot-sandbox"])
async def test_frames_under_a_strict_policy(watch: Watch, shop: str, site: str, name: str) -> None:
    """A page's policy forbids its own frames, not ours."""
    await watch.open(f"{shop}page/blank")
    await fill_frames(await add_frames(watch, site))
    await save(watch)
    tampered(watch, url=f"{shop}page/{name}")
    loaded = await load(watch)
    assert "frames_missed" not in loaded
    assert len(loaded["frames"]) == 3


async def test_odd_keys_survive_a_failed_load(page: Watch) -> None:
    """Keys that are names of a storage's own properties come back as well."""
    await save(page)
    tampered(page, storage=wire.encode({"local": [["big", "x" * 6_000_000]], "session": []}).decode())
    before = await kept(page)
    error = await page.error("manage_state", action="load", snapshot_name="cart_full", include_url=False)
    assert error["error"] == "state_not_restored"
    assert await kept(page) == before


async def test_a_hung_page_loses_nothing(page: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gasoline_cdp.limits.PAGE_ANSWER_SECONDS", 1.0)
    await save(page)
    before = await cookies(page)
    page.tab.session.post("Runtime.evaluate", {"expression": "for (const end = Date.now() + 7000; Date.now() < end;);"})
    error = await page.error("manage_state", action="save", snapshot_name="hung")
    assert error["error"] == "page_hung"
    assert await cookies(page) == before
    await page.tab.session.send("Runtime.terminateExecution")
