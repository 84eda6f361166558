"""References of the accessibility tree: the element that they were given for, or a refusal; never another."""

import json
import re
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import trio
from attrs import define, field
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from gasoline_cdp.browser.attached import Attached
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.config import Config, ServeOptions
from gasoline_cdp.frontends.http.loopback import serve_app
from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.tools.registry import TOOLS
from tests.node_tools import NODE, install_packages
from tests.support import PATIENCE, Watch

pytestmark = pytest.mark.requirement("F4-SEEING")

APP = Path(__file__).parents[1] / "site" / "marked.jsx"
BUILD = "process.stdout.write(require('esbuild').buildSync(JSON.parse(process.argv[1])).outputFiles[0].contents)"
ITEMS = 64
# In each of the two frames.
FRAMED = 8
# Each document has one more, in a shadow tree.
ALL = ITEMS + 1 + 2 * (FRAMED + 1)
AT_ONCE = 8
# After each step one in so many references is used; at the end all are.
SAMPLE = 10


@pytest.fixture(scope="module")
def script(node_modules: Path) -> bytes:
    """React with the application, in one script."""
    packages = install_packages(Path(__file__).parents[1] / "vite")
    given = {
        "stdin": {"contents": APP.read_text(), "resolveDir": str(packages.parent), "loader": "jsx"},
        "bundle": True,
        "write": False,
        "define": {"process.env.NODE_ENV": '"production"'},
    }
    done = subprocess.run(
        [str(NODE), "-e", BUILD, json.dumps(given)],
        cwd=node_modules.parent,
        check=True,
        capture_output=True,
        timeout=PATIENCE,
    )
    return done.stdout


@pytest.fixture
async def app(script: bytes) -> AsyncIterator[str]:
    """The application: `?count=` items, and with `frames` itself twice more, of this site and of another one."""

    async def page(request: Request) -> Response:
        host, port = request.url.hostname, request.url.port
        other = f"http://{'localhost' if host == '127.0.0.1' else '127.0.0.1'}:{port}"
        frames = "".join(
            f'<iframe id="{name}" src="{origin}/?count={FRAMED}"></iframe>'
            for name, origin in (("near", ""), ("far", other))
        )
        shown = frames if "frames" in request.query_params else ""
        html = f'<!doctype html><link rel="icon" href="data:,"><title>Marked</title><div id="root"></div>{shown}'
        return HTMLResponse(f'{html}<script src="/app.js"></script>')

    async def app_js(_: Request) -> Response:
        return Response(script, media_type="text/javascript")

    async with serve_app(Starlette(routes=[Route("/", page), Route("/app.js", app_js)])) as url:
        yield url


@define
class Session:
    """The references that were given so far, each with the mark of its element."""

    watch: Watch
    tabs: tuple[Tab, Tab]
    known: dict[tuple[str, str], Tab] = field(factory=dict)
    turn: int = 0
    found: set[tuple[str, str]] = field(factory=set)
    refused: set[tuple[str, str]] = field(factory=set)

    async def read(self, tab: Tab) -> None:
        answer = await self.watch.call("observe", what="accessibility_tree", tab_id=tab.tab_id, max_bytes=50 * 1024)
        assert "cursor" not in answer
        for mark, ref in re.findall(r'"([0-9a-f-]{36})".* (@\S+)', answer["tree"]):
            self.known[mark, ref] = tab

    async def check(self, of: int = SAMPLE) -> None:
        """Use one in so many references: those of elements that are in their tab now find them, the others nothing."""
        present = {*(await self.marks(self.tabs[0])), *(await self.marks(self.tabs[1]))}
        limit = trio.CapacityLimiter(AT_ONCE)

        async def use(mark: str, ref: str, tab: Tab) -> None:
            async with limit:
                data = await self.use("query_dom", ref, tab)
            if mark in present:
                assert "matches" in data, data
                assert data["matches"][0]["attributes"]["data-mark"] == mark
                self.found.add((mark, ref))
            else:
                assert data["error"] == "element_not_found", (ref, data)
                self.refused.add((mark, ref))

        async with trio.open_nursery() as nursery:
            # Another part of them each time.
            self.turn += 1
            for (mark, ref), tab in list(self.known.items())[self.turn % of :: of]:
                nursery.start_soon(use, mark, ref, tab)

    async def use(self, tool: str, ref: str, tab: Tab) -> dict[str, Any]:
        answer = await call_tool(TOOLS, self.watch.context, tool, {"selector": f"ref={ref}", "tab_id": tab.tab_id})
        return answer.data

    async def marks(self, tab: Tab) -> set[str]:
        """The marks of the elements in a tab now, by the pages' own word."""
        near = "[...marks(), ...(document.querySelector('#near')?.contentWindow.marks?.() ?? [])]"
        found = set(await self.watch.evaluate(near, tab))
        for frame in [one for one in tab.session.children.values() if one.target_id]:
            reply = await frame.send("Runtime.evaluate", {"expression": "marks()", "returnByValue": True})
            found |= set(reply["result"]["value"])
        return found


@pytest.fixture
def attach_config(chromium: str) -> Config:
    return Config(
        browser=Attached(ws_endpoint=chromium), serve=ServeOptions(pilot=True), url="about:blank", strict=True
    )


@pytest.mark.long
async def test_that_element_or_none(watch: Watch, app: str) -> None:
    here = f"{app}?count={ITEMS}&frames"
    there = here.replace("127.0.0.1", "localhost")
    first = watch.tab
    await watch.open(here, first)
    assert watch.daemon.root is not None
    await watch.daemon.root.send("Target.createTarget", {"url": here})
    second = await watch.until(lambda: watch.tab if watch.tab is not first else None)
    session = Session(watch, (first, second))

    async def go(tab: Tab, method: str, **params: Any) -> None:
        navigation = tab.source.navigation
        await tab.session.send(method, params)
        await watch.until(lambda: tab.source.navigation > navigation)
        await loaded(tab)

    async def loaded(tab: Tab) -> None:
        await watch.evaluate(
            "document.readyState === 'complete' || new Promise((r) => addEventListener('load', () => r()))", tab
        )

    async def check_new(tab: Tab, count: int) -> None:
        """What was there is gone, and what is there now is found."""
        before = len(session.known)
        await session.read(tab)
        assert len(session.known) == before + count
        await session.check()

    await loaded(second)
    await session.read(first)
    await session.read(second)
    assert len(session.known) == 2 * ALL
    await session.check()
    assert session.refused == set()

    # One tab's references name nothing in the other.
    for (_, ref), tab in list(session.known.items())[:: ALL // 8]:
        other = second if tab is first else first
        assert (await session.use("query_dom", ref, other))["error"] == "element_not_found"

    # Rendered anew: in another order; some left out, and back; other items in the same elements; under new keys.
    by_place = "(item, place) => `place-${place}`"
    for script, made in (
        ("show(items.toReversed())", 0),
        ("show(items.filter((item) => item % 4))", 0),
        ("show(items)", ITEMS // 4),
        (f"show(items, {by_place})", ITEMS),
        (f"show(items.toReversed(), {by_place})", 0),
        ("show(items, (item) => `other-${item}`)", ITEMS),
        ("document.querySelector('#near').contentWindow.show([1, 2], (item) => `new-${item}`)", 2),
    ):
        before = len(session.known)
        await watch.evaluate(script, first)
        await session.check()
        await session.read(first)
        assert len(session.known) == before + made, script

    # Another document in a frame; then the page itself: reload, another site, back from the cache, the same site.
    await watch.evaluate(
        "new Promise((done) => { const f = document.querySelector('#near'); f.onload = () => done();"
        " f.contentWindow.location.reload(); })",
        first,
    )
    await session.check()
    # Pages with frames are not kept in the cache in every version; this one has none.
    await watch.evaluate("document.querySelectorAll('iframe').forEach((one) => one.remove())", first)
    await session.read(first)
    kept = await session.marks(first)
    stale = next(ref for (mark, ref) in session.known if mark in kept)
    await go(first, "Page.navigate", url=there)
    await check_new(first, ALL)
    history = await first.session.send("Page.getNavigationHistory")
    await go(first, "Page.navigateToHistoryEntry", entryId=history["entries"][history["currentIndex"] - 1]["id"])
    # Whether the page comes back from the cache, the browser decides; its references then hold again.
    returned = await session.marks(first)
    assert returned == kept or returned.isdisjoint(kept)
    await session.check()
    await go(first, "Page.reload")
    await check_new(first, ALL)
    await go(second, "Page.navigate", url=there)
    await check_new(second, ALL)
    await go(first, "Page.navigate", url=f"{app}?count={ITEMS}")
    await check_new(first, ITEMS + 1)
    await session.check(of=1)
    assert len(session.known) >= 500
    assert {*session.known} == session.found | session.refused
    assert len(session.refused) >= 300

    # The tools that act refuse alike.
    for tool in ("highlight_element", "query_dom"):
        data = await session.use(tool, stale, first)
        assert data["error"] == "element_not_found"
        assert "accessibility_tree" in data["message"]
    for what in ("accessibility_tree", "screenshot"):
        error = await watch.error("observe", what=what, selector=f"ref={stale}", tab_id=first.tab_id)
        assert error["error"] == "element_not_found"
