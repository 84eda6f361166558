"""An application that talks over a socket and a long poll: what answers a click arrives where the load had asked."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any, ClassVar

import trio
from attrs import define, field
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from gasoline_cdp.frontends.http.loopback import serve_app
from tests.hands import Hand
from tests.planted import POLL, Bug, rest, wait_shown
from tests.support import Watch

_PAGE = """<title>Chat</title><button id="ask">Ask</button> <button id="nudge">Nudge</button><script>
    const handlers = {
      greeting: (message) => { document.title = message.value.name; },
      ask: (message) => { document.title = message.value.text; },
      nudge: (message) => { document.title = message.value.count; },
    };
    const arrived = (message) => { document.body.dataset[message.kind] = 1; handlers[message.kind](message); };
    const socket = new WebSocket(`ws://${location.host}/socket`);
    socket.onmessage = (event) => arrived(JSON.parse(event.data));
    const poll = () => fetch("/poll").then((answer) => answer.json()).then((message) => { poll(); arrived(message); });
    poll();
    for (const name of ["ask", "nudge"]) document.getElementById(name).onclick = () => socket.send(name);
    </script>"""


@define
class Chat:
    """The server greets by itself when the socket opens. It answers one click there, the other by the open poll."""

    urls: list[str]
    fixed: set[str] = field(factory=set)
    nudged: trio.Event = field(factory=trio.Event)
    bugs: ClassVar[dict[str, Bug]] = {
        "greeting": Bug("load", "reading 'name'"),
        "ask": Bug("ask", "reading 'text'"),
        "nudge": Bug("nudge", "reading 'count'"),
    }
    steps: ClassVar[tuple[str, ...]] = ("load", "ask", "nudge")

    async def become(self, watch: Watch, fixed: Iterable[str]) -> None:
        del watch
        self.fixed.clear()
        self.fixed.update(fixed)

    async def do(self, watch: Watch, hand: Hand, step: str, url: str) -> None:
        before = watch.telemetry.last_seq
        kind = step
        if step == "load":
            await watch.open(url)
            kind = "greeting"
        else:
            await rest(watch)
            await watch.evaluate(f"delete document.body.dataset.{step}")
            await hand.click(f"document.getElementById({step!r})")
        await watch.evaluate(
            f"new Promise((done) => {{ const look = () => document.body.dataset.{kind} ? done() "
            ": requestAnimationFrame(look); look(); })"
        )
        if kind not in self.fixed:
            await wait_shown(watch, self.bugs[kind].words, before)

    def message(self, kind: str) -> dict[str, Any]:
        value = {"name": "A", "text": "B", "count": 3} if kind in self.fixed else None
        return {"kind": kind, "value": value}

    async def page(self, _: Request) -> Response:
        return HTMLResponse(_PAGE)

    async def poll(self, _: Request) -> Response:
        await self.nudged.wait()
        self.nudged = trio.Event()
        return JSONResponse(self.message("nudge"))

    async def socket(self, websocket: WebSocket) -> None:
        await websocket.accept()
        await websocket.send_json(self.message("greeting"))
        try:
            while True:
                if await websocket.receive_text() == "nudge":
                    self.nudged.set()
                else:
                    await websocket.send_json(self.message("ask"))
        except WebSocketDisconnect:
            return


@asynccontextmanager
async def open_chat() -> AsyncIterator[Chat]:
    """The application on a port."""
    chat = Chat([])
    routes = [Route("/", chat.page), Route(POLL, chat.poll), WebSocketRoute("/socket", chat.socket)]
    async with serve_app(Starlette(routes=routes)) as url:
        chat.urls.append(url)
        yield chat
