"""Flows in pages of ours, each with the ways in which its app is broken."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from attrs import field, frozen

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
from tests.benchmarks.flow_servers import (
    CODE,
    PASSWORD,
    cities_routes,
    feed_routes,
    fields_routes,
    items_routes,
    login_routes,
    page_route,
    shop_routes,
    slow_routes,
    windows_routes,
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
    environment: dict[str, str] = field(factory=dict)


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
    items, cities, shop, fields = site(items_routes), site(cities_routes), site(shop_routes), site(fields_routes)
    gestures = site(lambda: [page_route("/", "gestures.html")])
    windows, login = site(windows_routes), site(login_routes)

    def one(name: str, app: Opener, act: Any, *breaks: Break, path: str = "", **more: Any) -> RecordedFlow:
        return RecordedFlow(name, app, path, act, breaks, **more)

    secrets = {"TEST_PASSWORD": PASSWORD, "TEST_CODE": CODE}
    return [
        one(
            "items: add",
            items,
            _add,
            status("^/api/items$", method="POST"),
            field_missing("^/api/items$", "title"),
            not_called("/api/items"),
            text_gone(" items in the list"),
            renamed("Add item", "Store"),
            thrown("submit"),
        ),
        one(
            "items: edit a row",
            items,
            _edit,
            status("/api/items/", method="PUT"),
            renamed(">Edit<", ">Change<", reason="Edit"),
            swallowed("keydown", "waitForResponse", "event.key === 'Enter'"),
        ),
        one(
            "items: delete a row",
            items,
            _delete,
            status("/api/items/", 409, "DELETE"),
            not_called("/api/items/"),
            Break(
                "text",
                # It does not ask for the list again.
                "Bread|waitForResponse|expect_response",
                method="GET",
                path="^/$",
                replace=(("        draw();\n      };\n      edit", "      };\n      edit"),),
            ),
        ),
        one(
            "cities: search and choose",
            cities,
            _search,
            status("/api/search"),
            field_missing("/api/cities", "size"),
            text_gone(" cities found"),
            renamed('role: "option"', 'role: "note"', reason="option|Berlin"),
            thrown("input"),
        ),
        one(
            "shop: buy",
            shop,
            _shopping,
            status("/api/products$", 503),
            field_missing("/api/products/", "material"),
            text_gone(" in your cart"),
            renamed('data-testid="add"', 'data-testid="buy"', reason="add"),
            path="shop/",
        ),
        one(
            "shop: look and go back",
            shop,
            _browsing,
            status(r"/api/products/\d", 404),
            text_gone("The cart is empty"),
            Break("renamed", "Cart", replace=((">Cart<", ">Basket<"),)),
            path="shop/",
        ),
        one(
            "gestures: double and right click",
            gestures,
            _pointing,
            text_gone("Renaming the file"),
            text_gone("Menu of the canvas"),
            thrown("dblclick"),
            swallowed("contextmenu", "Menu of the canvas"),
        ),
        one(
            "gestures: hover menus",
            gestures,
            _menus,
            text_gone("Exported as text"),
            renamed(">Export<", ">Write<", reason="Export"),
            text_gone("Signed out"),
        ),
        one(
            "gestures: drag and drop",
            gestures,
            _dragging,
            text_gone("Card one is done"),
            swallowed("drop", "Card one is done"),
            thrown("drop"),
        ),
        one(
            "gestures: editor and shortcut",
            gestures,
            _notes,
            text_gone("Long", "Big"),
            text_gone("Command palette"),
            renamed('aria-label="Notes"', 'aria-label="Memo"', reason="Notes"),
        ),
        one(
            "booking: all fields",
            fields,
            _booking,
            status("/api/bookings"),
            field_missing("/api/bookings", "guests"),
            text_gone("Booking confirmed"),
            renamed("Book now", "Reserve"),
            not_called("/api/bookings"),
        ),
        one(
            "booking: date, range and file",
            fields,
            _special_fields,
            status("/api/bookings", 422),
            text_gone("Passport file"),
            renamed(">Passport <", ">Card <", reason="Passport"),
        ),
        one(
            "windows: dialogs",
            windows,
            _dialogs,
            text_gone("Renamed to"),
            text_gone("Nothing happened"),
            renamed(">Rename<", ">Change name<", reason="Rename"),
            path="windows/",
        ),
        one(
            "windows: popup",
            windows,
            _popup,
            text_gone("We call you back"),
            text_gone("Help centre"),
            renamed("Contact us", "Call us"),
            path="windows/",
        ),
        one(
            "windows: download",
            windows,
            _download,
            renamed("Download report", "Get report"),
            Break(
                "download",
                "download|report.csv",
                replace=(('download="report.csv"', ""), ("/windows/report.csv", "/windows/help")),
            ),
            path="windows/",
        ),
        one(
            "windows: frame",
            windows,
            _frame,
            status("/api/subscriptions"),
            renamed("Subscribe", "Follow"),
            not_called("/api/subscriptions"),
            path="windows/",
        ),
        one(
            "windows: shadow root",
            windows,
            _shadow,
            text_gone(" is signed up"),
            renamed(">Sign up<", ">Join<", reason="Sign up"),
            path="windows/",
        ),
        one(
            "login",
            login,
            _sign_in,
            status("/api/login", 401),
            text_gone("We have sent you a code"),
            field_missing("/api/verify", "user"),
            status("/api/me"),
            hidden("#who", "Signed in|Ann"),
            path="login/",
            environment=secrets,
        ),
        one(
            "feed: scroll for more",
            site(feed_routes),
            _scrolling,
            status("page=2|/api/feed"),
            field_missing("/api/feed", "text"),
            Break("call", "waitForResponse|Entry 2", replace=(("page >= 3", "page >= 1"),)),
        ),
        one(
            "report: slow answer",
            site(slow_routes),
            _reporting,
            status("/api/report"),
            field_missing("/api/report", "summary"),
            text_gone("Archive of reports"),
            hidden("h2", "Sales report|Archive of reports"),
            not_called("/api/report"),
        ),
    ]
