"""Flows in pages of ours, each with the ways in which its app is broken."""

import itertools
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import trio
from attrs import frozen
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from tests.benchmarks.flow_apps import (
    PAGES,
    Break,
    Opener,
    field_missing,
    hidden,
    not_called,
    renamed,
    site,
    status,
    swallowed,
    text_gone,
    thrown,
)
from tests.benchmarks.flow_user import User


@frozen
class RecordedFlow:
    """A flow to record, where, and what breaks it."""

    name: str
    app: Opener
    path: str
    act: Callable[[User], Awaitable[None]]
    breaks: tuple[Break, ...]
    # What the test has to read from its environment.
    environment: dict[str, str] = {}


def _page(path: str, name: str) -> Route:
    return Route(path, lambda _: FileResponse(PAGES / name, headers={"cache-control": "no-store"}))


def _items() -> Sequence[BaseRoute]:
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
        _page("/", "items.html"),
        Route("/api/items", items, methods=["GET", "POST"]),
        Route("/api/items/{id}", item, methods=["PUT", "DELETE"]),
    ]


def _cities() -> Sequence[BaseRoute]:
    names = ["Bergen", "Berlin", "Bern", "Oslo"]

    async def search(request: Request) -> Response:
        await trio.sleep(0.3)
        wanted = request.query_params["q"].lower()
        return JSONResponse([{"id": 40 + n, "name": name} for n, name in enumerate(names) if wanted in name.lower()])

    def city(request: Request) -> Response:
        number = int(request.path_params["id"])
        return JSONResponse({"name": names[number - 40], "size": "large", "id": number})

    return [_page("/", "search.html"), Route("/api/search", search), Route("/api/cities/{id}", city)]


def _shop() -> Sequence[BaseRoute]:
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
        _page("/shop/{rest:path}", "router.html"),
    ]


def _fields() -> Sequence[BaseRoute]:
    async def book(request: Request) -> Response:
        return JSONResponse({**(await request.json()), "reference": "b7c2f0a91d"}, 201)

    return [_page("/", "fields.html"), Route("/api/bookings", book, methods=["POST"])]


def _windows() -> Sequence[BaseRoute]:
    def report(_: Request) -> Response:
        return PlainTextResponse("a,b\n", headers={"content-disposition": "attachment; filename=report.csv"})

    def subscribe(_: Request) -> Response:
        return JSONResponse({"subscribed": True}, 201)

    return [
        _page("/windows/", "windows.html"),
        _page("/windows/help", "help.html"),
        _page("/windows/inner", "inner.html"),
        Route("/windows/report.csv", report),
        Route("/api/subscriptions", subscribe, methods=["POST"]),
    ]


def _login() -> Sequence[BaseRoute]:
    async def login(request: Request) -> Response:
        right = (await request.json())["password"] == PASSWORD
        return JSONResponse({"message": "ok" if right else "Wrong password"}, 200 if right else 401)

    async def verify(request: Request) -> Response:
        right = (await request.json())["otp"] == CODE
        return JSONResponse({"token": TOKEN if right else "", "user": {"id": 5}}, 200 if right else 403)

    return [
        _page("/login/", "login.html"),
        _page("/login/home", "home.html"),
        Route("/api/login", login, methods=["POST"]),
        Route("/api/verify", verify, methods=["POST"]),
        Route("/api/me", lambda _: JSONResponse({"name": "Ann Example"})),
    ]


def _feed() -> Sequence[BaseRoute]:
    def feed(request: Request) -> Response:
        page = int(request.query_params["page"])
        return JSONResponse({"entries": [{"text": f"Entry {page} letter {letter}"} for letter in "abcdefghij"]})

    return [_page("/", "feed.html"), Route("/api/feed", feed)]


def _slow() -> Sequence[BaseRoute]:
    numbers = itertools.count(1)

    async def report(_: Request) -> Response:
        await trio.sleep(1.2)
        made = {"title": "Sales report", "number": f"R{next(numbers):06}", "summary": "Sales went up"}
        return JSONResponse(made)

    return [
        _page("/", "slow.html"),
        Route("/api/report", report, methods=["POST"]),
        Route("/api/{rest}", lambda _: JSONResponse({}), methods=["GET", "POST"]),
    ]


PASSWORD, CODE, TOKEN = "correct-horse-9", "482913", "tok_5f2b8c1d9e7a4630"


async def _add(user: User) -> None:
    await user.write("Milk", "#title")
    await user.click("button|Add item")


async def _edit(user: User) -> None:
    await user.click("tr:nth-of-type(2) button|Edit")
    await user.write("Margarine")
    await user.key("Enter")


async def _delete(user: User) -> None:
    await user.click("tr:nth-of-type(1) button|Delete")
    await user.answer_dialog(accept=True)


async def _search(user: User) -> None:
    await user.write("ber", "#query")
    await user.rest(0.8)
    await user.click("li|Berlin")


async def _shopping(user: User) -> None:
    await user.click("a|Products")
    await user.click("a|Desk lamp")
    await user.click("[data-testid=add]")
    await user.rest(0.4)
    await user.click("a|Cart")


async def _browsing(user: User) -> None:
    await user.click("a|Products")
    await user.click("a|Chair")
    await user.back()
    await user.click("a|Cart")


async def _pointing(user: User) -> None:
    await user.double_click("#name")
    await user.click("#area", button="right")


async def _menus(user: User) -> None:
    await user.hover(".menu > button")
    await user.click("#export")
    await user.hover("#over")
    await user.click("#out")


async def _dragging(user: User) -> None:
    await user.drag("#from", "#to")


async def _notes(user: User) -> None:
    await user.write("Buy bread", "#editor")
    await user.key("k", 2)


async def _booking(user: User) -> None:
    await user.write("Ann Example", "[name=name]")
    await user.write("ann@example.com", "[name=mail]")
    await user.click("[name=guests]")
    await user.key("Backspace")
    await user.write("3")
    await user.choose("[name=room]", "d")
    await user.click("[name=extras] option|Wifi")
    await user.click("[name=extras] option|Parking", modifiers=2)
    await user.click("label|Cash")
    await user.click("[name=terms]")
    await user.write("Late arrival", "[name=remarks]")
    await user.click("button|Book now")


async def _special_fields(user: User) -> None:
    await user.write("Bob", "[name=name]")
    await user.watch.evaluate("document.querySelector('[name=day]').focus()")
    await user.write("12242026")
    await user.click("[name=budget]")
    await user.key("ArrowRight")
    await user.upload("[name=passport]", PAGES / "help.html")
    await user.click("button|Book now")


async def _dialogs(user: User) -> None:
    await user.click("#ask")
    await user.answer_dialog(accept=True, text="Winter")
    await user.click("#sure")
    await user.answer_dialog(accept=False)


async def _popup(user: User) -> None:
    first = user.watch.tab
    await user.click("#help")
    await user.watch.until(lambda: user.watch.tab is not first)
    await user.rest(0.8)
    await user.click("button|Contact us")


async def _download(user: User) -> None:
    await user.click("a|Download report")


async def _frame(user: User) -> None:
    await user.write("ann@example.com", "#mail")
    await user.click("button|Subscribe")


async def _shadow(user: User) -> None:
    await user.write("Red", "sign-up input, input:not(#mail)")
    await user.click("button|Sign up")


async def _sign_in(user: User) -> None:
    await user.write("ann@example.com", "[name=mail]")
    await user.write(PASSWORD, "[name=password]")
    await user.click("button|Sign in")
    await user.write(CODE, "[name=otp]")
    await user.click("button|Verify")
    await user.rest(0.8)


async def _scrolling(user: User) -> None:
    await user.wheel("h1", 2500)
    await user.rest(0.6)


async def _reporting(user: User) -> None:
    await user.click("#make")
    await user.rest(2)
    await user.click("#tabs")


def own_flows(_: Path) -> list[RecordedFlow]:
    """All of them."""
    items, cities, shop, fields = site(_items), site(_cities), site(_shop), site(_fields)
    gestures = site(lambda: [_page("/", "gestures.html")])
    windows, login = site(_windows), site(_login)

    def one(name: str, app: Opener, act: Any, *breaks: Break, path: str = "", **more: Any) -> RecordedFlow:
        return RecordedFlow(name, app, path, act, breaks, **more)

    secrets = {"TEST_PASSWORD": PASSWORD, "TEST_CODE": CODE}
    return [
        one("items: add", items, _add, status("^/api/items$", method="POST"), field_missing("^/api/items$", "title"),
            not_called("/api/items"), text_gone(" items in the list"), renamed("Add item", "Store"), thrown("submit")),
        one("items: edit a row", items, _edit, status("/api/items/", method="PUT"), renamed(">Edit<", ">Change<", reason="Edit"),
            swallowed("keydown", "waitForResponse", "event.key === 'Enter'")),
        one("items: delete a row", items, _delete, status("/api/items/", 409, "DELETE"), not_called("/api/items/"),
            Break("text", "Bread", method="GET", path="^/$", replace=(("        draw();\n      };\n      edit", "      };\n      edit"),))),
        one("cities: search and choose", cities, _search, status("/api/search"), field_missing("/api/cities", "size"),
            text_gone(" cities found"), renamed('role: "option"', 'role: "note"', reason="option|Berlin"), thrown("input")),
        one("shop: buy", shop, _shopping, status("/api/products$", 503), field_missing("/api/products/", "material"),
            text_gone(" in your cart"), renamed('data-testid="add"', 'data-testid="buy"', reason="add"), path="shop/"),
        one("shop: look and go back", shop, _browsing, status(r"/api/products/\d", 404), text_gone("The cart is empty"),
            Break("renamed", "Cart", replace=((">Cart<", ">Basket<"),)), path="shop/"),
        one("gestures: double and right click", gestures, _pointing, text_gone("Renaming the file"),
            text_gone("Menu of the canvas"), thrown("dblclick"), swallowed("contextmenu", "Menu of the canvas")),
        one("gestures: hover menus", gestures, _menus, text_gone("Exported as text"), renamed(">Export<", ">Write<", reason="Export"),
            text_gone("Signed out")),
        one("gestures: drag and drop", gestures, _dragging, text_gone("Card one is done"), swallowed("drop", "Card one is done"),
            thrown("drop")),
        one("gestures: editor and shortcut", gestures, _notes, text_gone("Long", "Big"), text_gone("Command palette"),
            renamed('aria-label="Notes"', 'aria-label="Memo"', reason="Notes")),
        one("booking: all fields", fields, _booking, status("/api/bookings"), field_missing("/api/bookings", "guests"),
            text_gone("Booking confirmed"), renamed("Book now", "Reserve"), not_called("/api/bookings")),
        one("booking: date, range and file", fields, _special_fields, status("/api/bookings", 422), text_gone("on day given"),
            renamed(">Passport <", ">Card <", reason="Passport")),
        one("windows: dialogs", windows, _dialogs, text_gone("Renamed to"), text_gone("Nothing happened"),
            renamed(">Rename<", ">Change name<", reason="Rename"), path="windows/"),
        one("windows: popup", windows, _popup, text_gone("We call you back"), text_gone("Help centre"),
            renamed("Contact us", "Call us"), path="windows/"),
        one("windows: download", windows, _download, renamed("Download report", "Get report"),
            Break("download", "download|report.csv", replace=(('download="report.csv"', ''), ('/windows/report.csv', '/windows/help'))),
            path="windows/"),
        one("windows: frame", windows, _frame, status("/api/subscriptions"), renamed("Subscribe", "Follow"),
            not_called("/api/subscriptions"), path="windows/"),
        one("windows: shadow root", windows, _shadow, text_gone(" is signed up"), renamed(">Sign up<", ">Join<", reason="Sign up"),
            path="windows/"),
        one("login", login, _sign_in, status("/api/login", 401), text_gone("We have sent you a code"), field_missing("/api/verify", "user"),
            status("/api/me"), hidden("#who", "Signed in|Ann"), path="login/", environment=secrets),
        one("feed: scroll for more", site(_feed), _scrolling, status("page=2|/api/feed"), field_missing("/api/feed", "text"),
            Break("call", "waitForResponse|Entry 2", replace=(("page >= 3", "page >= 1"),))),
        one("report: slow answer", site(_slow), _reporting, status("/api/report"), field_missing("/api/report", "summary"),
            text_gone("Archive of reports"), hidden("h2", "Sales report|Archive of reports"), not_called("/api/report")),
    ]  # fmt: skip
