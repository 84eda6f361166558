"""Applications to record flows in, and ways to break them: every run has a server with a state of its own."""

import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio
from attrs import field, frozen
from starlette.applications import Starlette
from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles

from gasoline_cdp.frontends.http.loopback import serve_app
from tests.node_tools import NODE

PAGES = Path(__file__).parent / "flow_pages"
_READY_SECONDS = 60.0


@frozen
class Break:
    """A change of what the server says: the app is broken, and a good test fails for this reason."""

    name: str
    # A regular expression that the error of the test has to match.
    reason: str
    # Which answers are changed.
    path: str = "."
    method: str = ""
    status: int = 0
    # Text of the answer → another.
    replace: tuple[tuple[str, str], ...] = ()
    # A script that runs first in every page.
    script: str = ""

    def concerns(self, method: str, path: str) -> bool:
        return (not self.method or method == self.method) and re.search(self.path, path) is not None

    def apply(self, body: bytes, kind: str) -> bytes:
        for old, new in self.replace:
            body = body.replace(old.encode(), new.encode())
        if self.script and "html" in kind:
            script = f"<script>{self.script}</script>".encode()
            where = re.search(rb"<head[^>]*>|<title>", body)
            at = 0 if where is None else where.start() if where[0] == b"<title>" else where.end()
            body = body[:at] + script + body[at:]
        return body


def status(path: str, code: int = 500, method: str = "") -> Break:
    return Break("status", rf"Received: +{code}|toBe\b|assert {code} ==", path=path, method=method, status=code)


def field_missing(path: str, name: str) -> Break:
    return Break("field", name, path=path, replace=((f'"{name}":', f'"no_{name}":'),))


def text_gone(old: str, new: str = "", path: str = ".") -> Break:
    return Break("text", re.escape(old), path=path, replace=((old, new),))


def renamed(old: str, new: str, path: str = ".", reason: str = "") -> Break:
    return Break("renamed", reason or re.escape(old), path=path, replace=((old, new),))


def thrown(event: str, condition: str = "true") -> Break:
    """The page throws when this event comes; nothing else changes."""
    return Break(
        "throw",
        "sabotage",
        script=f"addEventListener('{event}', (event) => {{ if ({condition}) throw new TypeError('sabotage'); }}, true)",
    )


def swallowed(event: str, reason: str, condition: str = "true") -> Break:
    """The page does not hear this event: what it led to does not happen."""
    stop = "event.stopImmediatePropagation(); event.preventDefault();"
    listen = f"addEventListener('{event}', (event) => {{ if ({condition}) {{ {stop} }} }}, true)"
    return Break("swallowed", reason, script=listen)


def hidden(css: str, reason: str) -> Break:
    """What this selects is never shown."""
    rule = json.dumps(f"{css} {{ display: none !important }}")
    style = f"document.documentElement.append(Object.assign(document.createElement('style'), {{textContent: {rule}}}))"
    return Break("hidden", reason, script=f"addEventListener('DOMContentLoaded', () => {style})")


def not_called(part: str) -> Break:
    """The page makes no such request, and goes on as if it had been answered."""
    script = (
        "const real = globalThis.fetch; globalThis.fetch = (url, ...more) => String(url.url ?? url).includes("
        f"{json.dumps(part)}) ? Promise.resolve(new Response('{{}}', {{status: 200}})) : real(url, ...more);"
    )
    return Break("call", "waitForResponse|expect_response", script=script)


class Broken:
    """An ASGI application with its answers changed."""

    def __init__(self, app: Any, change: Break | None) -> None:
        self._app, self._change = app, change

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        change = self._change
        if scope["type"] != "http" or change is None or not change.concerns(scope["method"], scope["path"]):
            await self._app(scope, receive, send)
            return
        # Nothing may be answered from a cache, or in parts.
        scope["headers"] = [pair for pair in scope["headers"] if not pair[0].startswith((b"if-", b"range"))]
        start: dict[str, Any] = {}
        parts: list[bytes] = []

        async def keep(message: Any) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
            elif message["type"] == "http.response.body":
                parts.append(message.get("body", b""))

        await self._app(scope, receive, keep)
        kind = dict(start["headers"]).get(b"content-type", b"").decode()
        body = change.apply(b"".join(parts), kind)
        headers = [pair for pair in start["headers"] if pair[0] not in {b"content-length", b"etag"}]
        headers.append((b"content-length", str(len(body)).encode()))
        await send({**start, "status": change.status or start["status"], "headers": headers})
        await send({"type": "http.response.body", "body": body})


# Serves an app, perhaps a broken one; its address ends with a slash.
Opener = Callable[[Break | None], Any]


def site(routes: Callable[[], Sequence[BaseRoute]]) -> Opener:
    """An app of ours: `routes` makes a new state each time."""

    @asynccontextmanager
    async def open_site(change: Break | None) -> AsyncIterator[str]:
        async with serve_app(Broken(Starlette(routes=list(routes())), change)) as url:
            yield url

    return open_site


def files(directory: Path, *more: BaseRoute) -> Opener:
    """An app that is only files."""
    return site(lambda: [*more, Mount("/", StaticFiles(directory=directory, html=True))])


@asynccontextmanager
async def open_process(
    command: Sequence[str], environment: dict[str, str], is_ready: Callable[[str], Awaitable[str | None]]
) -> AsyncIterator[str]:
    """A server of its own; its address as `is_ready` reads it from what it prints."""
    process = await trio.lowlevel.open_process(
        list(command), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, **environment}
    )
    assert process.stdout is not None
    said = ""
    try:
        with trio.fail_after(_READY_SECONDS):
            while (url := await is_ready(said)) is None:
                part = await process.stdout.receive_some()
                assert part, said
                said += part.decode()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_drain, process.stdout)
            yield url
            nursery.cancel_scope.cancel()
    finally:
        process.kill()
        with trio.CancelScope(shield=True):
            await process.wait()


async def _drain(stream: Any) -> None:
    while await stream.receive_some():
        pass


def chat(packages: Path) -> Opener:
    """A chat on socket.io's own server."""

    @asynccontextmanager
    async def open_chat(change: Break | None) -> AsyncIterator[str]:
        async def ready(said: str) -> str | None:
            return f"http://127.0.0.1:{said.strip()}/" if said.endswith("\n") else None

        environment = {"CHAT_PACKAGES": str(packages), "CHAT_BREAK": change.name if change else ""}
        async with open_process([str(NODE), str(PAGES / "chat-server.mjs")], environment, ready) as url:
            yield url

    return open_chat


_PLUGIN = """
import base64, json, os, sys
sys.path.insert(0, {root!r})
from datasette import hookimpl
from tests.benchmarks.flow_apps import Break, Broken
change = Break(**json.loads({change!r}))
@hookimpl
def asgi_wrapper(datasette):
    return lambda app: Broken(app, change)
"""


@frozen
class Datasette:
    """Datasette from PyPI on a little database."""

    packages: Path
    home: Path
    made: list[int] = field(factory=list)

    def __call__(self, change: Break | None) -> Any:
        return self._open(change)

    @asynccontextmanager
    async def _open(self, change: Break | None) -> AsyncIterator[str]:
        self.made.append(1)
        home = self.home / f"datasette-{len(self.made)}"
        (home / "plugins").mkdir(parents=True)
        make = (
            "import sqlite3; shop = sqlite3.connect('shop.db');"
            "shop.execute('create table orders (id integer primary key, item text, city text)');"
            "shop.executemany('insert into orders (item, city) values (?, ?)', [('lamp', 'Oslo'), ('desk', 'Bergen'),"
            " ('chair', 'Oslo'), ('shelf', 'Narvik')]); shop.commit()"
        )
        await trio.run_process([sys.executable, "-c", make], cwd=home)
        if change:
            given = {"name": change.name, "reason": change.reason, "path": change.path, "status": change.status,
                     "replace": [list(pair) for pair in change.replace], "script": change.script}  # fmt: skip
            plugin = _PLUGIN.format(root=str(Path(__file__).parents[2]), change=json.dumps(given))
            (home / "plugins" / "breaking.py").write_text(plugin)

        async def ready(said: str) -> str | None:
            found = re.search(r"running on (http://127\.0\.0\.1:\d+)", said)
            return f"{found[1]}/" if found else None

        command = [
            sys.executable, "-m", "datasette", str(home / "shop.db"), "--port", "0", "--plugins-dir",
            str(home / "plugins"),
        ]  # fmt: skip
        environment = {"PYTHONPATH": str(self.packages), "PYTHONUNBUFFERED": "1"}
        async with open_process(command, environment, ready) as url:
            yield url
