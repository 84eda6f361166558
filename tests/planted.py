"""Two applications with planted bugs, and runs of verify_fix over them whose outcome is known beforehand."""

import os
import re
import shutil
import subprocess
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, ClassVar, Protocol

import trio
from attrs import define, field, frozen
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from gasoline_cdp import limits
from gasoline_cdp.frontends.http.loopback import serve_app
from gasoline_cdp.records import ActionRecord
from tests.hands import Hand
from tests.node_tools import NODE, install_packages
from tests.support import PATIENCE, Watch

VITE = Path(__file__).parent / "vite"
POLL = "/poll"
_PLANTED = re.compile(r"/\* broken \*/ (.*?) /\* fixed: (.*?) \*/")


# Which version of each source the page runs.
_STATES = """(() => {
  const names = ["boot", "cart", "save", "prices", "banner", "feed", "logo", "reports"];
  return Object.fromEntries(names.map((name) => [name, document.querySelector(`[data-${name}]`)?.dataset[name]]));
})()"""


@frozen
class Bug:
    """What a bug leaves behind, in which of the issues' words, and the step of the scenario that shows it."""

    step: str
    words: str
    file: str = ""


class App(Protocol):
    """An application that can be mended bug by bug, and the steps of the scenario that shows all of them."""

    bugs: ClassVar[dict[str, Bug]]
    steps: ClassVar[tuple[str, ...]]
    urls: list[str]

    async def become(self, watch: Watch, fixed: Iterable[str]) -> None: ...

    async def do(self, watch: Watch, hand: Hand, step: str, url: str) -> None: ...


@frozen(kw_only=True)
class Run:
    """One run: what is mended, and which steps are tried afterwards, on which server."""

    fixed: frozenset[str]
    steps: tuple[str, ...]
    server: int = 0

    def expected(self, app: App) -> dict[str, str]:
        """The state of each bug's issues."""
        done = {"load" if step == "navigate" else step for step in self.steps}
        return {
            name: "not_retried" if bug.step not in done else "resolved" if name in self.fixed else "still there"
            for name, bug in app.bugs.items()
        }

    def verdict(self, app: App) -> str:
        """One word for the whole."""
        states = set(self.expected(app).values())
        if states == {"resolved"}:
            return "fixed"
        if "resolved" in states:
            return "improved"
        return "unchanged" if "still there" in states else "nothing_observed"


async def perform(app: App, watch: Watch, run: Run) -> tuple[str, dict[str, str], dict[str, Any]]:
    """The verdict, the state of each bug, and the answer, after everything was shown broken and the run was done."""
    hand = Hand(watch)
    await app.become(watch, ())
    watch.telemetry.clear()
    for step in app.steps:
        await app.do(watch, hand, step, app.urls[0])
    await _quiet(watch)
    started = await watch.call("verify_fix", action="start")
    session = {"session_id": started["session_id"]}
    await app.become(watch, run.fixed)
    await watch.call("verify_fix", action="watch", **session)
    for step in run.steps:
        await app.do(watch, hand, step, app.urls[run.server])
    await _quiet(watch)
    answer = await watch.call("verify_fix", action="compare", **session)
    await watch.call("verify_fix", action="cancel", **session)
    result = answer["result"]
    return result["verdict"], states_of(app, result), answer


def states_of(app: App, result: dict[str, Any]) -> dict[str, str]:
    """What was said of each bug; of those with several issues all that was said."""
    states = {}
    for name, bug in app.bugs.items():
        said = {
            "still there" if change["type"] in ("changed", "unchanged") else change["type"]
            for change in (*result["changes"], *result["new_issues"])
            if bug.words in change["before"] or bug.words in change["after"]
        }
        states[name] = " and ".join(sorted(said)) or "unknown"
    known = [bug.words for bug in app.bugs.values()]
    strange = [
        change
        for change in (*result["changes"], *result["new_issues"])
        if not any(words in change["before"] + change["after"] for words in known)
    ]
    return {**states, **({"others": str(strange)} if strange else {})}


async def _quiet(watch: Watch) -> None:
    await watch.actions_told()
    # A poll is open for as long as its page.
    await watch.until(lambda: all(POLL in one.url for one in watch.daemon.capture.network.in_flight()))


def button(text: str) -> str:
    return f"[...document.querySelectorAll('button, a')].find((one) => one.textContent.trim() === {text!r})"


@define
class Desk:
    """A React application under Vite: steps are a load and clicks; what is mended is updated in the open page."""

    root: Path
    urls: list[str]
    fixed: set[str] = field(factory=set)
    bugs: ClassVar[dict[str, Bug]] = {
        "boot": Bug("load", "reading 'theme'", "boot.js"),
        "cart": Bug("cart", "reading 'amount'", "Cart.jsx"),
        "save": Bug("save", "/api/save", "Save.jsx"),
        "prices": Bug("prices", "reading 'join'", "Prices.jsx"),
        "banner": Bug("load", "banner has no campaign", "Banner.jsx"),
        "feed": Bug("load", "/feed", "Feed.jsx"),
        "logo": Bug("load", "/missing.png", "Logo.jsx"),
        "reports": Bug("reports", "reading 'width'", "Reports.jsx"),
    }
    steps: ClassVar[tuple[str, ...]] = ("load", "cart", "save", "prices", "reports")
    _buttons: ClassVar[dict[str, str]] = {
        "cart": "Add to cart",
        "save": "Save",
        "prices": "Load prices",
        "reports": "Reports",
    }

    async def become(self, watch: Watch, fixed: Iterable[str]) -> None:
        """Write the sources, and wait until the server has them, and the open page if it shows them."""
        wanted = set(fixed)
        for name in wanted ^ self.fixed:
            file = self.bugs[name].file
            source = (VITE / "app" / "src" / file).read_text()
            # Whole at once, as editors save: the server would take half a file for a change of its own.
            (self.root / file).write_text(_PLANTED.sub(r"\2", source) if name in wanted else source)
            (self.root / file).replace(self.root / "src" / file)
        self.fixed = wanted
        if watch.tab.raw_url.startswith(tuple(self.urls)):
            states = {name: "mended" if name in wanted else "broken" for name in self.bugs}
            shown: dict[str, str] = {}
            with trio.move_on_after(PATIENCE):
                while shown != states:
                    # The page itself takes a moment; it has no event for this.
                    await watch.evaluate("new Promise((done) => setTimeout(done, 50))")
                    shown = await watch.evaluate(_STATES)
            assert shown == states, [record.text for record in watch.telemetry.logs.newest()][:10]

    async def do(self, watch: Watch, hand: Hand, step: str, url: str) -> None:
        if step == "navigate":
            await watch.open(f"{url}about.html")
            step = "load"
        broken = {name for name, bug in self.bugs.items() if bug.step == step} - self.fixed
        before = watch.telemetry.last_seq
        if step == "load":
            await watch.open(url)
            await watch.evaluate(
                "new Promise((done) => { const look = () => document.body.dataset.ready ? done() "
                ": requestAnimationFrame(look); look(); })"
            )
        elif step == "reports":
            await rest(watch)
            await hand.click(button("Reports"))
        else:
            await hand.click(button(self._buttons[step]))
        for name in broken:
            await wait_shown(watch, self.bugs[name].words, before)
        if step in ("save", "prices"):
            await watch.until(lambda: any(r.seq > before and f"/api/{step}" in r.url for r in _requests(watch)))
        if step == "reports":
            await watch.evaluate("new Promise((done) => setTimeout(done, 150))")
            await hand.click(button("Home"))


async def rest(watch: Watch) -> None:
    """Until what comes now cannot come of what was done before: counted from the records of that."""
    await watch.actions_told()
    rested = max(
        # A load counts from the moment its document arrived, which is later than when it was asked for.
        record.ts + (limits.LOAD_REST_SECONDS if _is_load(record) else limits.ACTION_EFFECT_SECONDS)
        for record in watch.telemetry.actions.newest()
    )
    await trio.sleep(max(0.0, rested - time.time()))


def _is_load(record: ActionRecord) -> bool:
    return record.type == "navigate" and not record.fields.get("within_document")


async def wait_shown(watch: Watch, words: str, since: int) -> None:
    """Wait until a bug has shown."""
    telemetry = watch.telemetry
    await watch.until(
        lambda: (
            any(record.seq > since and words in record.text for record in telemetry.logs.newest())
            or any(record.seq > since and words in record.url for record in telemetry.network.newest())
            or any(r.seq > since and words in r.url and r.event == "error" for r in telemetry.sockets.newest())
        )
    )


@asynccontextmanager
async def open_desk(directory: Path, servers: int = 1) -> AsyncIterator[Desk]:
    """The application in a directory of its own, on so many ports."""
    packages = install_packages(VITE)
    root = directory / "desk"
    shutil.copytree(VITE / "app", root)
    (root / "node_modules").symlink_to(packages)
    processes: list[trio.Process] = []
    urls = []
    try:
        for _ in range(servers):
            process = await trio.lowlevel.open_process(
                [str(NODE), str(VITE / "server.mjs"), str(root), str(packages)],
                stdout=subprocess.PIPE,
                env={**os.environ, "PATH": os.pathsep.join((str(NODE.parent), os.environ.get("PATH", os.defpath)))},
            )
            processes.append(process)
            assert process.stdout is not None
            with trio.fail_after(PATIENCE):
                urls.append(f"http://127.0.0.1:{int(await process.stdout.receive_some())}/")
        yield Desk(root, urls)
    finally:
        for process in processes:
            process.kill()
            with trio.CancelScope(shield=True):
                await process.wait()


_PAGES = {
    "home": """<title>Home</title><h1>Home</h1><img alt="" src="{hero}"><script>
        const user = {user}; document.title = user.name;</script>""",
    "cart": """<title>Cart</title><button id="sum">Sum</button> <button id="order">Order</button><script>
        const cart = {cart};
        document.getElementById("sum").onclick = () => { document.title = cart.items.length; };
        document.getElementById("order").onclick = async () => {
          const answer = await fetch("/api/order", { method: "POST" });
          if (!answer.ok) console.error("the order was refused");
        };</script>""",
    "contact": """<title>Contact</title><form action="/sent" method="post"><button>Send</button></form><script>
        const map = {map}; setTimeout(() => { document.title = map.zoom; }, 150);</script>""",
}


@define
class Plain:
    """A site of several pages without any framework: steps are loads, clicks and a form that is sent."""

    urls: list[str]
    fixed: set[str]
    bugs: ClassVar[dict[str, Bug]] = {
        "user": Bug("home", "reading 'name'"),
        "hero": Bug("home", "/hero"),
        "cart": Bug("sum", "reading 'length'"),
        "order": Bug("order", "order"),
        "map": Bug("contact", "reading 'zoom'"),
        "send": Bug("send", "/sent"),
    }
    steps: ClassVar[tuple[str, ...]] = ("home", "sum", "order", "contact", "send")

    async def become(self, watch: Watch, fixed: Iterable[str]) -> None:
        del watch
        self.fixed.clear()
        self.fixed.update(fixed)

    async def do(self, watch: Watch, hand: Hand, step: str, url: str) -> None:
        broken = {name for name, bug in self.bugs.items() if bug.step == step} - self.fixed
        before = watch.telemetry.last_seq
        page = {"sum": "cart", "order": "cart", "send": "contact"}.get(step, step)
        if not watch.tab.raw_url.startswith(url + page) or page == step:
            await watch.open(url + page)
        if step == "send":
            await hand.click(button("Send"))
            await watch.until(lambda: watch.tab.raw_url.endswith("/sent"))
        elif page != step:
            await hand.click(f"document.getElementById({step!r})")
        for name in broken:
            await wait_shown(watch, self.bugs[name].words, before)
        if step == "contact":
            # Not left before its timer has had its time.
            await watch.evaluate("new Promise((done) => setTimeout(done, 600))")
        if step == "order":
            await watch.until(lambda: any(r.seq > before and "/api/order" in r.url for r in _requests(watch)))


def _requests(watch: Watch) -> Iterable[Any]:
    return watch.telemetry.network.newest()


@asynccontextmanager
async def open_plain(servers: int = 1) -> AsyncIterator[Plain]:
    """The site on so many ports."""
    fixed: set[str] = set()

    def value(name: str, broken: str, mended: str) -> str:
        return mended if name in fixed else broken

    async def page(request: Request) -> Response:
        text = _PAGES.get(request.path_params["page"])
        if text is None:
            # The old picture, and the icon that the browser asks for by itself.
            return Response(status_code=404)
        for name, broken, mended in (
            ("user", "null", "{ name: 'A' }"),
            ("hero", "/hero-old.png", "/heron.svg"),
            ("cart", "{}", "{ items: [] }"),
            ("map", "null", "{ zoom: 3 }"),
        ):
            text = text.replace(f"{{{name}}}", value(name, broken, mended))
        return HTMLResponse(text)

    async def order(_: Request) -> Response:
        return JSONResponse({}, status_code=200 if "order" in fixed else 503)

    async def sent(_: Request) -> Response:
        return HTMLResponse("<title>Sent</title>", status_code=200 if "send" in fixed else 500)

    async def picture(_: Request) -> Response:
        return Response('<svg xmlns="http://www.w3.org/2000/svg"/>', media_type="image/svg+xml")

    routes = [
        Route("/api/order", order, methods=["POST"]),
        Route("/sent", sent, methods=["POST"]),
        Route("/heron.svg", picture),
        Route("/{page}", page),
    ]
    async with serve_app(Starlette(routes=routes)) as first:
        if servers == 1:
            yield Plain([first], fixed)
        else:
            async with serve_app(Starlette(routes=routes)) as second:
                yield Plain([first, second], fixed)
