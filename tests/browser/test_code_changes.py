"""A change of the code is noticed in a real browser: by what Vite tells its page, and by what a load brings."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from gasoline_cdp import limits
from gasoline_cdp.frontends.http.loopback import serve_app
from tests.hands import Hand
from tests.planted import Desk, open_desk
from tests.support import Watch

pytestmark = pytest.mark.requirement("F9-CHANGE")


@pytest.fixture
def _quick_hands(monkeypatch: pytest.MonkeyPatch) -> None:
    # People take their time; those here need not.
    monkeypatch.setattr(limits, "LOAD_REST_SECONDS", 0.5)
    monkeypatch.setattr(limits, "ACTION_EFFECT_SECONDS", 0.4)


def changes(watch: Watch) -> list[str]:
    """Oldest first."""
    found = [record.text for record in watch.telemetry.logs.newest() if record.kind == "change"]
    return [text.removeprefix("Code changed: ") for text in reversed(found)]


def told(answer: dict[str, Any]) -> list[str]:
    return [entry.get("message", entry.get("url", "")) for entry in answer["entries"]]


async def _tried(desk: Desk, watch: Watch) -> None:
    """The page is loaded and its button clicked: all that is broken shows."""
    hand = Hand(watch)
    for step in ("load", "cart"):
        await desk.do(watch, hand, step, desk.urls[0])
    await watch.actions_told()


@pytest.mark.usefixtures("_quick_hands")
async def test_an_edit_under_vite(watch: Watch, tmp_path: Path) -> None:
    async with open_desk(tmp_path) as desk:
        others = frozenset(desk.bugs) - {"cart"}
        await desk.become(watch, others)
        await _tried(desk, watch)
        # React says the same error once more, on the console.
        before = await watch.call("observe", what="errors", since="last")
        assert any("reading 'amount'" in text for text in told(before))
        assert not any("before_change" in entry for entry in before["entries"])
        started = await watch.call("verify_fix", action="start")
        session = {"session_id": started["session_id"]}
        assert (await watch.error("verify_fix", action="compare", **session))["error"] == "not_watching"
        assert changes(watch) == []

        await desk.become(watch, desk.bugs)
        assert changes(watch) == ["Vite updated the page: /src/Cart.jsx"]
        assert (await watch.call("observe", what="errors", since="change"))["entries"] == []
        old = await watch.call("observe", what="errors")
        assert [entry["before_change"] for entry in old["entries"]] == [True] * len(before["entries"])

        await desk.do(watch, Hand(watch), "cart", desk.urls[0])
        await watch.evaluate("console.error('after the edit')")
        await watch.log("after the edit")
        assert told(await watch.call("observe", what="errors", since="last")) == ["after the edit"]
        assert told(await watch.call("observe", what="errors", since="change")) == ["after the edit"]
        await watch.actions_told()
        verdict = await watch.call("verify_fix", action="compare", **session)
        states = [(change["type"], change["before"]) for change in verdict["result"]["changes"]]
        assert states
        assert all(state == "resolved" and "reading 'amount'" in text for state, text in states), states
        assert verdict["watched_since"]
        assert "(told by Vite)" in verdict["message"]
        timeline = await watch.call("observe", what="timeline", include=["actions"])
        assert [entry["event"] for entry in timeline["entries"]][:2] == ["action", "change"]


class Site:
    """A page with a script and a style sheet, as a plain server has them, and a socket that says what a test wants."""

    def __init__(self) -> None:
        self.url = ""
        self.name = "app.js"
        self.script = "throw new Error('one')"
        self.style = "p { color: red }"
        self.headers: dict[str, str] = {}
        self.sockets: list[WebSocket] = []

    async def answer(self, request: Request) -> Response:
        path = request.url.path
        if path == f"/{self.name}":
            return Response(self.script, media_type="text/javascript", headers=self.headers)
        if path == "/app.css":
            return Response(self.style, media_type="text/css", headers={"Cache-Control": "no-store"})
        live = "<script>new WebSocket(`ws://${location.host}/live`).onmessage = () => location.reload()</script>"
        page = f'<!doctype html><link rel="icon" href="data:,"><link rel="stylesheet" href="/app.css">{live}'
        return Response(f'{page}<script src="/{self.name}"></script>', media_type="text/html")

    async def live(self, socket: WebSocket) -> None:
        await socket.accept()
        self.sockets.append(socket)
        async for _ in socket.iter_text():
            pass


@pytest.fixture
async def plain() -> AsyncIterator[Site]:
    site = Site()
    routes = [WebSocketRoute("/live", site.live), Route("/{path:path}", site.answer)]
    async with serve_app(Starlette(routes=routes)) as url:
        site.url = url
        yield site


async def _load(watch: Watch, site: Site) -> None:
    """Load the page, until all that it asked for has come and its socket is open."""
    before = len(site.sockets)
    await watch.open(site.url)
    await watch.until(lambda: not any(True for _ in watch.daemon.capture.network.in_flight()))
    await watch.until(lambda: len(site.sockets) > before)


async def test_a_load_that_brings_another_script(watch: Watch, plain: Site) -> None:
    await _load(watch, plain)
    await _load(watch, plain)
    assert changes(watch) == []
    plain.script = "throw new Error('three')"
    await _load(watch, plain)
    await watch.log("three")
    assert changes(watch) == ["/app.js came back with another size than before"]
    errors = await watch.call("observe", what="errors")
    marks = {entry["message"]: entry.get("before_change", False) for entry in errors["entries"]}
    # The script failed before anybody could see that it is another one; it is not older for that.
    assert marks == {"Uncaught Error: three": False, "Uncaught Error: one": True}
    assert told(await watch.call("observe", what="errors", since="change")) == ["Uncaught Error: three"]
    requests = await watch.call("observe", what="network", since="change", include_static=True)
    assert {entry["type"] for entry in requests["entries"]} == {"Document", "Script", "Stylesheet"}
    assert len(requests["entries"]) == 3


@pytest.mark.parametrize("header", ["ETag", "Last-Modified"])
async def test_content_of_the_same_size_is_told_apart_by_what_the_server_says(
    watch: Watch, plain: Site, header: str
) -> None:
    dates = ("Tue, 17 Nov 2026 10:00:00 GMT", "Tue, 17 Nov 2026 10:00:05 GMT")
    first, second = ('"1"', '"2"') if header == "ETag" else dates
    plain.headers = {header: first, "Cache-Control": "no-cache"}
    await _load(watch, plain)
    await _load(watch, plain)
    assert changes(watch) == []
    plain.script, plain.headers = "throw new Error('two')", {**plain.headers, header: second}
    await _load(watch, plain)
    named = {"ETag": "another ETag", "Last-Modified": "another time of its last change"}[header]
    assert changes(watch) == [f"/app.js came back with {named} than before"]


async def test_where_nothing_is_said_of_the_content_nothing_is_known(watch: Watch, plain: Site) -> None:
    await _load(watch, plain)
    plain.script = "throw new Error('two')"
    await _load(watch, plain)
    await watch.log("two")
    assert changes(watch) == []
    answer = await watch.call("observe", what="errors", since="change")
    assert "No change of the code was seen yet: this is since the start." in answer["summary"]
    assert answer["total"] == 2


@pytest.mark.parametrize("attach_config", ["all"], indirect=True)
async def test_kept_bodies_and_names_of_builds_tell_content_of_the_same_size_apart(watch: Watch, plain: Site) -> None:
    await _load(watch, plain)
    plain.script = "throw new Error('two')"
    await _load(watch, plain)
    # The style sheet is the same, and so is the document.
    await watch.until(lambda: changes(watch) == ["/app.js came back with another content than before"])
    plain.name = "app.3f2a9b1c.js"
    await _load(watch, plain)
    plain.name = "app.9b1c3f2a.js"
    await _load(watch, plain)
    assert changes(watch)[1:] == ["/app.9b1c3f2a.js is loaded, where the load before had /app.3f2a9b1c.js"]


async def test_a_style_sheet_that_changed(watch: Watch, plain: Site) -> None:
    await _load(watch, plain)
    plain.style += " a { color: blue }"
    await _load(watch, plain)
    assert changes(watch) == ["/app.css came back with another size than before"]


async def test_a_socket_that_has_the_page_load_itself_anew(watch: Watch, plain: Site) -> None:
    await _load(watch, plain)
    plain.script = "throw new Error('three')"
    before = watch.tab.source.navigation
    await plain.sockets[-1].send_text("reload")
    await watch.until(lambda: watch.tab.source.navigation > before)
    await watch.log("three")
    await watch.until(lambda: not any(True for _ in watch.daemon.capture.network.in_flight()))
    # The load brings what was told: one change, not two.
    assert changes(watch) == ["The development server has the page load itself anew"]
    assert told(await watch.call("observe", what="errors", since="change")) == ["Uncaught Error: three"]
