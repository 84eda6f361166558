"""The servers behind the pages of flows: each call makes a new state."""

import itertools
from collections.abc import Sequence

import trio
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from tests.benchmarks.flow_apps import PAGES

PASSWORD, CODE, TOKEN = "correct-horse-9", "482913", "tok_5f2b8c1d9e7a4630"


def page_route(path: str, name: str) -> Route:
    return Route(path, lambda _: FileResponse(PAGES / name, headers={"cache-control": "no-store"}))


def items_routes() -> Sequence[BaseRoute]:
    kept = [{"id": 101, "title": "Bread"}, {"id": 102, "title": "Butter"}]
    numbers = itertools.count(103)

    async def items(request: Request) -> Response:
        if request.method == "POST":
            kept.append({"id": next(numbers), "title": (await request.json())["title"]})
            return JSONResponse(kept[-1], 201)
        return JSONResponse({"items": kept, "total": len(kept)})

    async def item(request: Request) -> Response:
        (one,) = (one for one in kept if one["id"] == int(request.path_params["id"]))
        if request.method == "DELETE":
            kept.remove(one)
            return Response(status_code=204)
        one["title"] = (await request.json())["title"]
        return JSONResponse(one)

    return [
        page_route("/", "items.html"),
        Route("/api/items", items, methods=["GET", "POST"]),
        Route("/api/items/{id}", item, methods=["PUT", "DELETE"]),
    ]


def cities_routes() -> Sequence[BaseRoute]:
    names = ["Bergen", "Berlin", "Bern", "Oslo"]

    async def search(request: Request) -> Response:
        await trio.sleep(0.3)
        wanted = request.query_params["q"].lower()
        return JSONResponse([{"id": 40 + n, "name": name} for n, name in enumerate(names) if wanted in name.lower()])

    def city(request: Request) -> Response:
        number = int(request.path_params["id"])
        return JSONResponse({"name": names[number - 40], "size": "large", "id": number})

    return [page_route("/", "search.html"), Route("/api/search", search), Route("/api/cities/{id}", city)]


def shop_routes() -> Sequence[BaseRoute]:
    products = [
        {"id": 7001, "name": "Desk lamp", "material": "brass"},
        {"id": 7002, "name": "Chair", "material": "oak"},
    ]

    def every(_: Request) -> Response:
        return JSONResponse(products)

    def one(request: Request) -> Response:
        return JSONResponse(next(one for one in products if one["id"] == int(request.path_params["id"])))

    return [
        Route("/api/products", every),
        Route("/api/products/{id}", one),
        page_route("/shop/{rest:path}", "router.html"),
    ]


def fields_routes() -> Sequence[BaseRoute]:
    async def book(request: Request) -> Response:
        return JSONResponse({**(await request.json()), "reference": "b7c2f0a91d"}, 201)

    return [page_route("/", "fields.html"), Route("/api/bookings", book, methods=["POST"])]


def windows_routes() -> Sequence[BaseRoute]:
    def report(_: Request) -> Response:
        return PlainTextResponse("a,b\n", headers={"content-disposition": "attachment; filename=report.csv"})

    def subscribe(_: Request) -> Response:
        return JSONResponse({"subscribed": True}, 201)

    return [
        page_route("/windows/", "windows.html"),
        page_route("/windows/help", "help.html"),
        page_route("/windows/inner", "inner.html"),
        Route("/windows/report.csv", report),
        Route("/api/subscriptions", subscribe, methods=["POST"]),
    ]


def login_routes() -> Sequence[BaseRoute]:
    async def login(request: Request) -> Response:
        right = (await request.json())["password"] == PASSWORD
        return JSONResponse({"message": "ok" if right else "Wrong password"}, 200 if right else 401)

    async def verify(request: Request) -> Response:
        right = (await request.json())["otp"] == CODE
        return JSONResponse({"token": TOKEN if right else "", "user": {"id": 5}}, 200 if right else 403)

    return [
        page_route("/login/", "login.html"),
        page_route("/login/home", "home.html"),
        Route("/api/login", login, methods=["POST"]),
        Route("/api/verify", verify, methods=["POST"]),
        Route("/api/me", lambda _: JSONResponse({"name": "Ann Example"})),
    ]


def feed_routes() -> Sequence[BaseRoute]:
    def feed(request: Request) -> Response:
        page = int(request.query_params["page"])
        return JSONResponse({"entries": [{"text": f"Entry {page} letter {letter}"} for letter in "abcdefghij"]})

    return [page_route("/", "feed.html"), Route("/api/feed", feed)]


def slow_routes() -> Sequence[BaseRoute]:
    numbers = itertools.count(1)

    async def report(_: Request) -> Response:
        await trio.sleep(1.2)
        made = {"title": "Sales report", "number": f"R{next(numbers):06}", "summary": "Sales went up"}
        return JSONResponse(made)

    return [
        page_route("/", "slow.html"),
        Route("/api/report", report, methods=["POST"]),
        Route("/api/{rest}", lambda _: JSONResponse({}), methods=["GET", "POST"]),
    ]
