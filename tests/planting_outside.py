"""What the program says outside about pages with planted secrets: its commands, HTTP, MCP, streams, files and log.

The program runs as its users start it. A second daemon, in this process, only plays the person at the browser.
"""

import json
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from random import Random
from typing import Any

import trio
from attrs import frozen

from gasoline_cdp.browser.attached import Attached
from gasoline_cdp.config import Config
from gasoline_cdp.frontends.http.access import Access, read_access
from gasoline_cdp.frontends.http.loopback import serve_app
from tests.editor import Editor, open_editor
from tests.http_client import Http
from tests.planting import PLACES, Place, Planted, leaks, plant, planting_app
from tests.processes import HEADLESS, Running, call, open_command, run_command, until
from tests.support import Watch, open_watch

_LAUNCH = ("launch", *HEADLESS, "--pilot", "--verbose", "--bodies", "all", "--port", "0", "--debug-port", "0")
_VIEWS = (
    "errors", "logs", "network", "network_bodies", "websockets", "actions", "page", "tabs", "timeline",
    "accessibility_tree", "status",
)  # fmt: skip
_MUCH = {"limit": 1000, "max_bytes": 50_000}
_TOOLS: tuple[tuple[str, dict[str, Any]], ...] = (
    *(("observe", {"what": what} | (_MUCH if what != "status" else {})) for what in _VIEWS),
    ("get_network_bodies", _MUCH),
    ("get_websocket_events", _MUCH),
    ("get_page_info", {}),
    ("query_dom", {"selector": "form *", "include_children": True}),
    ("query_dom", {"selector": "meta, p, x-app, a, h2"}),
    ("security_audit", {"severity_min": "info", "limit": 100}),
    ("validate_api", {"action": "report"}),
    ("generate", {"format": "openapi"}),
    ("run_accessibility_audit", {"force_refresh": True}),
    ("execute_javascript", {"script": "[...document.querySelectorAll('form *')].map((one) => one.outerHTML)"}),
    ("execute_javascript", {"script": "({...localStorage, ...sessionStorage})"}),
    ("highlight_element", {"selector": "form"}),
    ("manage_state", {"action": "save", "snapshot_name": "planted"}),
)


@frozen
class Outside:
    """The running program, everything that listens to it meanwhile, and the hand at its browser."""

    hand: Watch
    http: Http
    editor: Editor
    speaking: dict[str, Running]
    stream: list[str]
    files: Path
    # What `gasoline-cdp observe` is asked for.
    views: tuple[str, ...]


@contextmanager
def own_directories() -> Iterator[Path]:
    """A directory to run in, so that a daemon of the person who runs this is neither asked nor disturbed."""
    kept = os.environ.get("GASOLINE_RUNTIME_DIR")
    with tempfile.TemporaryDirectory(prefix="gasoline-leaks-", ignore_cleanup_errors=True) as directory:
        os.environ["GASOLINE_RUNTIME_DIR"] = str(Path(directory, "run"))
        try:
            yield Path(directory)
        finally:
            os.environ.pop("GASOLINE_RUNTIME_DIR")
            if kept is not None:
                os.environ["GASOLINE_RUNTIME_DIR"] = kept


@asynccontextmanager
async def open_outside(directory: Path, views: tuple[str, ...] = _VIEWS) -> AsyncIterator[Outside]:
    """Start the program, both kinds of `watch`, an editor, and a reader of the event stream."""
    profile = directory / "profile"
    async with AsyncExitStack() as stack:
        start = stack.enter_async_context
        launched = await start(open_command(*_LAUNCH, "--profile", str(profile), "about:blank"))
        await launched.said("Watching Chrome/")
        access = read_access()
        assert access is not None
        speaking = {"launch --verbose": launched}
        for options in ((), ("--json",), ("--errors",)):
            speaking[" ".join(("watch", *options))] = await start(open_command("watch", *options))
        editor = await start(open_editor())
        await editor.greet()
        await editor.call("configure_streaming", enabled=True, throttle_seconds=1)
        await editor.ask("resources/subscribe", {"uri": "gasoline://events"})
        nursery = await start(trio.open_nursery())
        stack.callback(nursery.cancel_scope.cancel)
        stream: list[str] = []
        await nursery.start(_read_stream, access, stream)
        hand = await start(open_watch(_of_browser(profile)))
        yield Outside(hand, Http(access), editor, speaking, stream, directory, views)


def _of_browser(profile: Path) -> Config:
    port, path = (profile / "DevToolsActivePort").read_text().split()
    return Config(browser=Attached(ws_endpoint=f"ws://127.0.0.1:{port}{path}"), url="about:blank", strict=True)


async def _read_stream(access: Access, heard: list[str], task_status: Any = trio.TASK_STATUS_IGNORED) -> None:
    """A client of /events/stream, which asks for everything."""
    head = f"Host: 127.0.0.1:{access.port}\r\nAuthorization: Bearer {access.token}\r\n\r\n"
    async with await trio.open_tcp_stream("127.0.0.1", access.port) as stream:
        await stream.send_all(f"GET /events/stream?throttle_seconds=1 HTTP/1.1\r\n{head}".encode())
        started = False
        async for chunk in stream:
            heard.append(bytes(chunk).decode(errors="replace"))
            if not started and ": gasoline-cdp" in "".join(heard):
                started = True
                task_status.started()


async def plant_outside(
    outside: Outside, site: str, planted: Planted, chance: Random, places: tuple[Place, ...] = PLACES
) -> dict[str, str]:
    """Plant one secret in each place, then everything that the program says to anybody about it, by where."""
    await plant(outside.hand, site, planted, chance, places)
    mark = f"/sink/seen-{len(planted.found)}"
    await outside.hand.evaluate(f"fetch('{mark}').then((answer) => answer.text())")

    async def seen() -> bool:
        found = await call("observe", what="network", url_filter=mark)
        return bool(found["entries"])

    await until(seen)
    await outside.speaking["watch"].said(mark)
    await outside.speaking["watch --json"].said(mark)
    said = await _answers(outside)
    said |= await _files(outside)
    said |= {name: running.stdout + running.stderr for name, running in outside.speaking.items()}
    said["GET /events/stream"] = "".join(outside.stream)
    said["MCP messages"] = b"\n".join(outside.editor.lines).decode()
    assert (await outside.http.ask("POST", "/clear")).status == 200
    outside.hand.telemetry.clear()
    return said


async def _answers(outside: Outside) -> dict[str, str]:
    """Of HTTP, of MCP's tools and resources, and of the commands that print."""
    said = {"GET /snapshot": (await outside.http.ask("GET", "/snapshot")).body.decode()}
    for number, (tool, arguments) in enumerate(_TOOLS):
        reply = await outside.http.ask("POST", f"/tools/{tool}", arguments)
        assert reply.status == 200, (tool, arguments, reply.body)
        said[f"POST /tools/{tool} {number}"] = reply.body.decode()
        said[f"tools/call {tool} {number}"] = json.dumps(await outside.editor.call(tool, **arguments))
    for what in outside.views:
        done = await run_command("observe", what)
        said[f"gasoline-cdp observe {what}"] = (done.stdout + done.stderr).decode()
    listed = (await outside.editor.ask("resources/list"))["result"]["resources"]
    found = await call("observe", what="network", **_MUCH)
    uris = [one["uri"] for one in listed]
    for entry in found["entries"]:
        address = f"gasoline://network/{entry['id']}"
        uris += [address, f"{address}/request-body", f"{address}/response-body"]
    for uri in uris:
        answer = await outside.editor.ask("resources/read", {"uri": uri})
        said[f"resources/read {uri}"] = json.dumps(answer, ensure_ascii=False)
    return said


async def _files(outside: Outside) -> dict[str, str]:
    """Every file that a command writes, and what it prints meanwhile."""
    first, second, page, openapi = (outside.files / name for name in ("a.json", "b.json", "diff.html", "openapi.json"))
    commands: tuple[tuple[str, ...], ...] = (
        ("snapshot", str(second), "--include", "security", "--include", "contracts"),
        ("diff", str(first), str(second), "--html", str(page)),
        ("diff", str(first), str(second), "--json"),
        ("generate", "--format", "openapi", "--output", str(openapi)),
    )
    if not first.exists():
        # The first comparison is with a page on which nothing happens.
        commands = (("snapshot", str(first), "--url", "/nowhere"), *commands)
    said = {}
    for command in commands:
        done = await run_command(*command)
        assert done.returncode == 0, (command, done.stderr)
        said[" ".join(("gasoline-cdp", command[0], *command[3:4]))] = (done.stdout + done.stderr).decode()
    return said | {path.name: path.read_text() for path in (first, second, page, openapi)}


async def leaks_outside(
    chance: Random,
    batches: int,
    planted: Planted,
    places: tuple[Place, ...] = PLACES,
    views: tuple[str, ...] = _VIEWS,
) -> list[tuple[str, str, str, str]]:
    """So many secrets in each place; what shows of them outside, by place, kind, name and where it showed."""
    shows: set[tuple[str, str, str, str]] = set()
    with own_directories() as directory:
        async with serve_app(planting_app(planted)) as site, open_outside(directory, views) as outside:
            for _ in range(batches):
                shows |= set(leaks(planted, await plant_outside(outside, site, planted, chance, places)))
    return sorted(shows)
