"""Flows in applications that are programs of their own; flow_programs has what some of them are told."""

import os
import sqlite3
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio
from attrs import field, frozen

from tests.benchmarks.flow_apps import Break, Opener, hidden, renamed, status, swallowed, text_gone, thrown
from tests.benchmarks.flow_own import RecordedFlow
from tests.benchmarks.flow_proxy import open_proxy
from tests.benchmarks.flow_servers import PASSWORD
from tests.benchmarks.flow_user import User
from tests.node_tools import NODE
from tests.ports import free_port

PROGRAMS_NPM = ("tiddlywiki@5.4.1",)
PROGRAMS_PYPI = (
    "django==5.2.19", "flask-admin==2.2.1", "flask-sqlalchemy==3.1.1", "gradio==6.31.0", "nicegui==3.18.0",
    "sqlite-web==0.8.2",
)  # fmt: skip
_PROGRAMS = Path(__file__).parent / "flow_programs"
_READY_SECONDS = 90.0
_ROUND = 0.1
_SQLITE_WEB = "from sqlite_web.sqlite_web import main; main()"


@frozen
class Program:
    """A server that is told its port; `{port}` and `{home}` stand in its command."""

    command: Sequence[str]
    home: Path
    packages: Path
    prepare: Any = None
    made: list[int] = field(factory=list)

    def __call__(self, change: Break | None) -> Any:
        return self._open(change)

    @asynccontextmanager
    async def _open(self, change: Break | None) -> AsyncIterator[str]:
        self.made.append(1)
        home = self.home / f"program-{id(self)}-{len(self.made)}"
        home.mkdir(parents=True)
        if self.prepare:
            self.prepare(home)
        port = free_port()
        command = [part.format(port=port, home=home) for part in self.command]
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.packages),
            "HOME": str(home),
            "GRADIO_ANALYTICS_ENABLED": "0",
        }
        with (home / "said.txt").open("wb") as said:
            process = await trio.lowlevel.open_process(command, stdout=said, stderr=said, env=environment, cwd=home)
            try:
                await _listens(port, process, home / "said.txt")
                async with open_proxy(f"http://127.0.0.1:{port}/", change) as url:
                    yield url
            finally:
                process.kill()
                with trio.CancelScope(shield=True):
                    await process.wait()


async def _listens(port: int, process: trio.Process, said: Path) -> None:
    with trio.fail_after(_READY_SECONDS):
        while True:
            assert process.poll() is None, said.read_text()
            try:
                stream = await trio.open_tcp_stream("127.0.0.1", port)
            except OSError:
                await trio.sleep(_ROUND)
                continue
            await stream.aclose()
            return


async def _django_add(user: User) -> None:
    await user.write("ann", "#id_username")
    await user.write(PASSWORD, "#id_password")
    await user.click("input[type=submit]")
    await user.rest(0.8)
    await user.click("a|Books")
    await user.rest(0.8)
    await user.click(".object-tools a")
    await user.rest(0.8)
    await user.write("Growth of the Soil", "#id_title")
    await user.choose("#id_shelf", "p")
    await user.click("#id_lent")
    await user.click("input|Save")
    await user.rest(0.8)


async def _django_delete(user: User) -> None:
    await user.write("ann", "#id_username")
    await user.write(PASSWORD, "#id_password")
    await user.key("Enter")
    await user.rest(0.8)
    await user.click("a|Books")
    await user.rest(0.8)
    await user.write("gynt", "#searchbar")
    await user.key("Enter")
    await user.rest(0.8)
    await user.click("th a|Peer Gynt")
    await user.rest(0.8)
    await user.click("a|Delete")
    await user.rest(0.8)
    await user.click("input[type=submit]")
    await user.rest(0.8)


async def _flask_add(user: User) -> None:
    await user.click("a|Member")
    await user.rest(0.8)
    await user.click("a|Create")
    await user.rest(1.0)
    await user.write("Cid", "#name")
    await user.write("Narvik", "#city")
    await user.click("input[type=submit]")
    await user.rest(1.0)


async def _sqlite_web(user: User) -> None:
    await user.click("a.nav-link[title=orders]")
    await user.rest(0.8)
    await user.click("a.nav-link|Content")
    await user.rest(0.8)
    await user.click("tr:nth-of-type(2) a[title=Edit]")
    await user.rest(0.8)
    await user.click("#id_city")
    await user.key("Backspace")
    await user.write("e")
    await user.click("button|Update")
    await user.rest(0.8)
    await user.click("a|Insert")
    await user.rest(0.8)
    await user.write("shelf", "#id_item")
    await user.write("Narvik", "#id_city")
    await user.click("button|Insert")
    await user.rest(0.8)


async def _nicegui(user: User) -> None:
    await user.write("Fence", "input[aria-label='New task']")
    await user.click(".q-toggle")
    await user.click("button|Add task")
    await user.rest(0.6)
    await user.click(".q-checkbox")
    await user.click("button|Close")
    await user.rest(0.6)
    await user.click("button|Keep open")
    await user.rest(0.6)


async def _gradio(user: User) -> None:
    await user.write("Ann", "textarea, input[type=text]")
    await user.click("input[type=radio][value='Good night']")
    await user.click("input[type=checkbox]")
    await user.click("button|Greet")
    await user.rest(1.5)
    await user.click("[role=tab]|About")


async def _wiki(user: User) -> None:
    await user.rest(1.5)
    await user.click("button[aria-label='new tiddler']")
    await user.rest(0.8)
    await user.write("Shopping")
    await user.write("food", "input[placeholder='tag name']")
    await user.click(".tc-add-tag-button button")
    await user.click("button[title='Confirm changes to this tiddler']")
    await user.rest(0.8)
    await user.click("[role=tab]|Recent")


def _shop_db(home: Path) -> None:
    with sqlite3.connect(home / "shop.db") as shop:
        shop.execute("create table orders (id integer primary key, item text, city text)")
        rows = [("lamp", "Oslo"), ("desk", "Bergen"), ("chair", "Oslo")]
        shop.executemany("insert into orders (item, city) values (?, ?)", rows)


def program_flows(node: Path, pypi: Path, home: Path) -> list[RecordedFlow]:
    """All of them."""

    def program(name: str, *more: str) -> Program:
        return Program((sys.executable, str(_PROGRAMS / name), "{port}", *more), home, pypi)

    django, flask = program("django_admin.py", PASSWORD), program("flask_admin_app.py")
    sqlite = Program((sys.executable, "-c", _SQLITE_WEB, "-p", "{port}", "-x", "{home}/shop.db"), home, pypi, _shop_db)
    wiki = Program(
        (str(NODE), str(node / "tiddlywiki" / "tiddlywiki.js"), "{home}/wiki", "--listen", "port={port}"),
        home,
        pypi,
        _make_wiki,
    )
    secrets = {"TEST_PASSWORD": PASSWORD}

    def one(name: str, app: Opener, path: str, act: Any, *breaks: Break) -> RecordedFlow:
        return RecordedFlow(name, app, path, act, breaks, environment=secrets)

    return [
        one(
            "django: add",
            django,
            "admin/",
            _django_add,
            renamed(">Books<", ">Volumes<", reason="Books"),
            text_gone("was added successfully", "was not added"),
            renamed('value="Save"', 'value="Store"', reason="Save"),
            Break("status", "toHaveURL|to_have_url", path="/add/", method="POST", status=500),
        ),
        one(
            "django: search and delete",
            django,
            "admin/",
            _django_delete,
            text_gone("Are you sure", "Please wait"),
            text_gone("deleted successfully", "kept"),
            renamed(">Delete<", ">Remove<", reason="Delete"),
        ),
        one(
            "flask-admin: create in a modal",
            flask,
            "admin/",
            _flask_add,
            text_gone("Record was successfully created", "Nothing came"),
            renamed("Create", "Made", path="^/admin/member/$", reason="Create"),
            hidden(".modal", "Name|Save"),
        ),
        one(
            "sqlite-web: edit and insert",
            sqlite,
            "",
            _sqlite_web,
            text_gone("Insert row into orders", "New row"),
            renamed(">Content<", ">Rows<", reason="Content"),
            Break("status", "toHaveURL|to_have_url", path="/orders/insert/", method="POST", status=500),
        ),
        one(
            "nicegui: tasks",
            program("nicegui_app.py"),
            "",
            _nicegui,
            renamed("Add task", "Store", reason="Add task"),
            hidden(".q-badge", "urgent"),
            hidden(".q-notification", "Added Fence"),
            thrown("click", "event.target.closest('button')"),
        ),
        one(
            "gradio: greet",
            program("gradio_app.py"),
            "",
            _gradio,
            renamed('"Greet"', '"Say"', reason="Greet"),
            swallowed("click", "Written for a test|About", "event.target.closest('[role=tab]')"),
            status("/queue/join", 500),
        ),
        one(
            "tiddlywiki: new page",
            wiki,
            "",
            _wiki,
            thrown("click"),
            hidden("[data-tiddler-title=Shopping]", "Shopping"),
            status("/recipes/default/tiddlers/Shopping", 500, "PUT"),
        ),
    ]


def _make_wiki(home: Path) -> None:
    (home / "wiki").mkdir()
    (home / "wiki" / "tiddlywiki.info").write_text(
        '{"plugins": ["tiddlywiki/tiddlyweb", "tiddlywiki/filesystem"],'
        ' "themes": ["tiddlywiki/vanilla", "tiddlywiki/snowwhite"]}'
    )
