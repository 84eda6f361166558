"""Flows in other people's applications, from npm and PyPI, each with the ways in which it is broken."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from tests.benchmarks.flow_apps import (
    PAGES,
    Break,
    Datasette,
    Opener,
    chat,
    field_missing,
    files,
    hidden,
    renamed,
    site,
    status,
    swallowed,
    text_gone,
    thrown,
)
from tests.benchmarks.flow_own import RecordedFlow
from tests.benchmarks.flow_user import User

NPM = (
    "todomvc@0.1.1", "todomvc-react@1.0.4", "bootstrap@5.3.8", "sortablejs@1.15.7", "tabulator-tables@6.5.3",
    "@shoelace-style/shoelace@2.20.1", "quill@2.0.3", "tom-select@2.6.2", "flatpickr@4.6.13", "swagger-ui-dist@5.34.1",
    "socket.io@4.8.4", "vue@3.5.45", "preact@10", "htm@3.1.1", "alpinejs@3.17.4",
)  # fmt: skip
FRAMEWORKS = ("backbone", "vue", "react", "angularjs", "knockoutjs", "mithril", "emberjs", "vanillajs")
_OPENAPI = {
    "openapi": "3.0.0",
    "info": {"title": "Pets", "version": "1"},
    "paths": {
        "/pets/{id}": {
            "get": {
                "tags": ["pets"],
                "summary": "Find a pet",
                "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}],
                "responses": {"200": {"description": "a pet"}},
            }
        },
        "/pets": {
            "post": {
                "tags": ["pets"],
                "summary": "Register a pet",
                "requestBody": {"content": {"application/json": {"example": {"name": "Rex"}}}},
                "responses": {"201": {"description": "made"}},
            }
        },
    },
}
_ENTER = "event.key === 'Enter'"


async def _todos(user: User) -> None:
    await user.write("Buy milk", "#new-todo, .new-todo")
    await user.key("Enter")
    await user.write("Call Ann")
    await user.key("Enter")
    await user.click("#todo-list li:nth-of-type(1) .toggle, .todo-list li:nth-of-type(1) .toggle")
    await user.click("#filters a|Active")


async def _todo_edits(user: User) -> None:
    await user.write("Buy milk", "#new-todo")
    await user.key("Enter")
    await user.write("Call Ann")
    await user.key("Enter")
    await user.double_click("#todo-list label|Buy milk")
    await user.write(" and tea")
    await user.key("Enter")
    await user.hover("#todo-list li:nth-of-type(2)")
    await user.click("#todo-list li:nth-of-type(2) .destroy")


async def _react_todos(user: User) -> None:
    await user.write("Buy milk", ".new-todo")
    await user.key("Enter")
    await user.write("Call Ann")
    await user.key("Enter")
    await user.click(".todo-list li:nth-of-type(1) .toggle")
    await user.click(".filters a|Completed")


async def _swagger_get(user: User) -> None:
    await user.click(".opblock-get .opblock-summary-control")
    await user.click("button|Try it out")
    await user.write("7", ".parameters input")
    await user.click("button|Execute")
    await user.rest(0.8)


async def _swagger_post(user: User) -> None:
    await user.click(".opblock-post .opblock-summary-control")
    await user.click("button|Try it out")
    await user.click("button|Execute")
    await user.rest(0.8)
    await user.click("button|Clear")


async def _datasette_table(user: User) -> None:
    await user.click("h2 a|shop")
    await user.rest(0.6)
    await user.click("h3 a|orders")
    await user.rest(0.6)
    await user.click("td a|2")
    await user.rest(0.6)


async def _datasette_sql(user: User) -> None:
    await user.click("h2 a|shop")
    await user.rest(0.6)
    await user.click("h3 a|orders")
    await user.rest(0.6)
    await user.click("a[href*='_sort=city']")
    await user.rest(0.6)


async def _chatting(user: User) -> None:
    await user.write("Ann", "#name")
    await user.click("#join")
    await user.write("Good morning", "#text")
    await user.click("form button")


async def _modal(user: User) -> None:
    await user.click("button|Launch demo modal")
    await user.rest(0.6)
    await user.write("Ann", "#recipient")
    await user.click("button|Save changes")
    await user.rest(0.6)
    await user.click("button|Actions")
    await user.click("a|Archive it")


async def _sort(user: User) -> None:
    await user.drag("li|First task", "li|Third task")


async def _table(user: User) -> None:
    await user.click(".tabulator-col-title|Name")
    await user.click(".tabulator-cell|Bob")
    await user.write("Bobby")
    await user.key("Enter")


async def _shoelace(user: User) -> None:
    await user.click("sl-button|Open dialog")
    await user.rest(0.6)
    await user.write("Ann", "input.input__control")
    await user.click("sl-switch")
    await user.click("sl-button|Store")
    await user.rest(0.6)


async def _quill(user: User) -> None:
    await user.write("Dear Ann", ".ql-editor")
    await user.click("#send")


async def _tom_select(user: User) -> None:
    await user.click(".ts-control")
    await user.write("ora")
    await user.click(".option|Orange")


async def _calendar(user: User) -> None:
    await user.click("#day")
    await user.click(".flatpickr-next-month")
    await user.click(".flatpickr-day:not(.prevMonthDay)|15")


async def _counter(user: User) -> None:
    await user.write("Ann", "#who")
    await user.click("button|Greet")
    await user.click("button|Greet")
    await user.click("button|Load friends")


def widgets(packages: Path) -> Opener:
    """The pages that use packages, and their server."""

    def page(request: Request) -> Response:
        text = (PAGES / "widgets" / f"{request.path_params['name']}.html").read_text()
        return HTMLResponse(text, headers={"cache-control": "no-store"})

    def pet(_: Request) -> Response:
        return JSONResponse({"id": 7, "name": "Rex", "kind": "dog"})

    def routes() -> Sequence[BaseRoute]:
        return [
            Route("/app/{name}", page),
            Route("/openapi.json", lambda _: JSONResponse(_OPENAPI)),
            Route("/pets/7", pet),
            Route("/pets", lambda _: JSONResponse({"id": 8, "name": "Rex"}, 201), methods=["POST"]),
            Route("/api/friends", lambda _: JSONResponse([{"id": 1, "name": "Bob"}, {"id": 2, "name": "Cid"}])),
            Route("/api/letters", lambda _: JSONResponse({"sent": True}, 201), methods=["POST"]),
            Mount("/packages", StaticFiles(directory=packages)),
        ]

    return site(routes)


def stranger_flows(packages: Path, pypi: Path, home: Path) -> list[RecordedFlow]:
    """All of them."""
    app_of_widgets, data = widgets(packages), Datasette(pypi, home)
    todomvc = files(packages / "todomvc")
    placeholder = renamed("What needs to be done?", "New task")
    listen = f"(event) => {{ if (/change|submit/.test(type) || {_ENTER}) stop(event); }}"
    lost = Break(
        "swallowed",
        "Buy milk|items?",
        script="const stop = (event) => { event.stopImmediatePropagation(); event.preventDefault(); };"
        "for (const type of ['keydown', 'keypress', 'keyup', 'change', 'submit'])"
        f" addEventListener(type, {listen}, true)",
    )
    todo = (placeholder, thrown("keydown", _ENTER), lost, hidden("#footer, .footer", "Active|left|Completed"))
    flows = [RecordedFlow(f"todomvc: {name}", todomvc, f"examples/{name}/", _todos, todo) for name in FRAMEWORKS]
    flows += [
        RecordedFlow(
            f"todomvc: {name}, edit and delete",
            todomvc,
            f"examples/{name}/",
            _todo_edits,
            (placeholder, thrown("dblclick"), swallowed("dblclick", "Buy milk and tea|edit|textbox|locator")),
        )
        for name in ("backbone", "vue", "knockoutjs")
    ]

    def one(name: str, path: str, act: Any, *breaks: Break, app: Opener = app_of_widgets) -> RecordedFlow:
        return RecordedFlow(name, app, path, act, breaks)

    return [
        *flows,
        one("todomvc-react", "", _react_todos, *todo, app=files(packages / "todomvc-react" / "dist")),
        one(
            "swagger-ui: get",
            "app/swagger",
            _swagger_get,
            status("^/pets/7"),
            field_missing("^/pets/7", "kind"),
            renamed("Try it out", "Test it", path="bundle"),
            Break("call", "waitForResponse", path="bundle", replace=(("Execute", "Do it"),)),
        ),
        one(
            "swagger-ui: post",
            "app/swagger",
            _swagger_post,
            status("^/pets$", 500, "POST"),
            field_missing("^/pets$", "name"),
            thrown("click", "event.target.textContent.trim() === 'Execute'"),
        ),
        one(
            "datasette: rows",
            "",
            _datasette_table,
            renamed(">orders<", ">sales<", reason="orders"),
            text_gone("desk", "table"),
            text_gone("shop: orders: 2", "row", path="orders/2"),
            thrown("click"),
            app=data,
        ),
        one(
            "datasette: facets",
            "",
            _datasette_sql,
            renamed(">orders<", ">sales<", reason="orders"),
            thrown("click"),
            app=data,
        ),
        one(
            "socket.io chat",
            "",
            _chatting,
            Break("text", "Somebody says Good morning"),
            Break("field", "Welcome, Ann"),
            Break("renamed", "Send"),
            Break("call", "Somebody says Good morning"),
            Break("throw", "sabotage"),
            app=chat(packages),
        ),
        one(
            "bootstrap: modal and menu",
            "app/bootstrap",
            _modal,
            text_gone("Saved for"),
            text_gone("Archived"),
            renamed("Launch demo modal", "Open"),
            hidden(".dropdown-menu", "Archive it"),
        ),
        one("sortablejs: drag", "app/sortable", _sort, text_gone("Moved"), thrown("drop")),
        one(
            "tabulator: sort and edit",
            "app/tabulator",
            _table,
            text_gone("Changed to"),
            renamed('title: "Name"', 'title: "Person"', reason="Name"),
            thrown("keydown", _ENTER),
        ),
        one(
            "shoelace: dialog",
            "app/shoelace",
            _shoelace,
            text_gone("Stored for"),
            renamed("Open dialog", "Open"),
            renamed(">Store<", ">Keep<", reason="Store"),
        ),
        one(
            "quill: letter",
            "app/quill",
            _quill,
            status("/api/letters"),
            text_gone("Letter sent"),
            renamed(">Send letter<", ">Go<", reason="Send letter"),
        ),
        one(
            "tom-select: choose",
            "app/tom",
            _tom_select,
            text_gone("Chosen"),
            renamed(">Orange<", ">Lemon<", reason="Orange"),
        ),
        one(
            "flatpickr: choose a day",
            "app/flatpickr",
            _calendar,
            text_gone("Day chosen"),
            thrown("click", "event.target.className.includes('flatpickr-day')"),
        ),
        one(
            "vue 3",
            "app/vue",
            _counter,
            status("/api/friends"),
            field_missing("/api/friends", "name"),
            text_gone("Hello"),
            renamed("Load friends", "Load"),
        ),
        one(
            "preact",
            "app/preact",
            _counter,
            status("/api/friends"),
            field_missing("/api/friends", "name"),
            text_gone("Hello"),
            renamed(">Greet<", ">Hi<", reason="Greet"),
        ),
        one(
            "alpine",
            "app/alpine",
            _counter,
            status("/api/friends"),
            field_missing("/api/friends", "name"),
            text_gone("Hello"),
            renamed(">Greet<", ">Hi<", reason="Greet"),
        ),
    ]
