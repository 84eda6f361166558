"""Serves the demo shop: a small web page that breaks on purpose, for a first impression."""

import json
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket

from gasoline_cdp.frontends.http.loopback import serve_app

SITE = Path(__file__).parent / "demo_site"

# Content types are explicit: mimetypes asks the machine, and a Windows registry may map JavaScript to text/plain.
FILES = {
    "/": ("index.html", "text/html"),
    "/app.css": ("app.css", "text/css"),
    "/app.js": ("app.js", "text/javascript"),
}

# A reload must fetch everything again, or the second run of the demo differs from the first.
NO_STORE = {"Cache-Control": "no-store"}

RECOMMENDATIONS_SECONDS = 1.2
PRICE_SECONDS = 0.25
# RFC 6455: the server is going away. Without it the page would see an abnormal closure.
GOING_AWAY = 1001

# No product has a `reviews_feed`: the page's loadReviews fails on that.
PRODUCTS: list[dict[str, Any]] = [
    {"sku": "PSP-104", "name": "Copper spark plug", "fits": "Set of four", "price": 18.40, "art": "plug"},
    {"sku": "PSP-118", "name": "Spin-on oil filter", "fits": "3/4-16 thread", "price": 9.95, "art": "filter"},
    {"sku": "PSP-131", "name": "Vented brake disc", "fits": "280 mm, pair", "price": 84.00, "art": "disc"},
    {"sku": "PSP-142", "name": "Round headlamp", "fits": "7 inch, H4", "price": 46.50, "art": "lamp"},
    {"sku": "PSP-155", "name": "Steel jerry can", "fits": "10 litres", "price": 32.00, "art": "can"},
    {"sku": "PSP-167", "name": "Oil pressure gauge", "fits": "52 mm, 7 bar", "price": 57.25, "art": "gauge"},
]

RECOMMENDATIONS: list[dict[str, Any]] = [
    {"sku": "PSP-201", "name": "Plug socket, 21 mm", "price": 7.80, "art": "socket"},
    {"sku": "PSP-209", "name": "Feeler gauge, 20 blades", "price": 6.40, "art": "feeler"},
    {"sku": "PSP-214", "name": "Anti-seize paste", "price": 5.90, "art": "paste"},
]

CHECKOUT_ERROR = {
    "error": "inventory_unavailable",
    "message": "Stock service timed out after 3 attempts",
    "request_id": "req_7f3a91c204",
}

# What the price display shows, with each grade's middle price.
GRADES = (("Regular 87", 3.459), ("Plus 89", 3.759), ("Premium 93", 4.089), ("Diesel", 3.849))


async def products(_request: Request) -> Response:
    """Answer at once: this endpoint works."""
    return JSONResponse(PRODUCTS, headers=NO_STORE)


async def recommendations(_request: Request) -> Response:
    """Answer correctly, but late."""
    await trio.sleep(RECOMMENDATIONS_SECONDS)
    return JSONResponse(RECOMMENDATIONS, headers=NO_STORE)


async def checkout(request: Request) -> Response:
    """Refuse every order, like an overloaded shop."""
    # Read the order first: answering before its end makes the server drop the connection.
    async for _chunk in request.stream():
        pass
    return JSONResponse(CHECKOUT_ERROR, status_code=500, headers=NO_STORE)


async def live(websocket: WebSocket) -> None:
    """Send a price four times a second and answer pings, until one side leaves."""
    await websocket.accept()
    try:
        await _send_prices(websocket)
    except trio.Cancelled:
        with trio.CancelScope(shield=True):
            await websocket.close(GOING_AWAY, "The demo has ended")
        raise


async def _send_prices(websocket: WebSocket) -> None:
    sequence = 0
    due = trio.current_time()
    while True:
        if trio.current_time() >= due:
            await websocket.send_json(_price(sequence))
            sequence += 1
            due = trio.current_time() + PRICE_SECONDS
        message = None
        # Only the wait is cancelled. A cancelled send would lose a frame that is already part of the
        # connection's compression state, and the browser could read nothing after it.
        with trio.move_on_at(due):
            message = await websocket.receive()
        if message is None:
            continue
        if message["type"] == "websocket.disconnect":
            return
        if _is_ping(message.get("text")):
            await websocket.send_json({"type": "pong"})


def _price(sequence: int) -> dict[str, Any]:
    """Return the next message: each grade in turn, along a wave, so that every run shows the same prices."""
    grade, middle = GRADES[sequence % len(GRADES)]
    turn = sequence // len(GRADES)

    def at(turn: int) -> float:
        return round(middle + 0.06 * math.sin(turn * 0.7 + middle * 10), 3)

    change = round(at(turn) - at(turn - 1), 3)
    return {"type": "price", "grade": grade, "price": at(turn), "change": change, "sequence": sequence}


def _is_ping(text: str | None) -> bool:
    try:
        message = json.loads(text or "null")
    except ValueError:
        return False
    return isinstance(message, dict) and message.get("type") == "ping"


def demo_app() -> Starlette:
    """Build the shop. Its three files are read now and served from memory."""
    routes: list[BaseRoute] = [_file_route(path, name, kind) for path, (name, kind) in FILES.items()]
    routes += [
        Route("/api/products", products),
        Route("/api/recommendations", recommendations),
        Route("/api/checkout", checkout, methods=["POST"]),
        WebSocketRoute("/live", live),
    ]
    app = Starlette(routes=routes)
    app.router.redirect_slashes = False
    return app


def _file_route(path: str, name: str, kind: str) -> Route:
    # Starlette's own StaticFiles reads in a thread, and answers a reload with 304.
    content = (SITE / name).read_bytes()

    async def serve_file(_request: Request) -> Response:
        return Response(content, media_type=kind, headers=NO_STORE)

    return Route(path, serve_file, name=name)


@asynccontextmanager
async def serve_demo(port: int = 0) -> AsyncIterator[str]:
    """Serve the shop on this machine only, and yield its address. Leaving the block closes every connection."""
    async with serve_app(demo_app(), port) as url:
        yield url
