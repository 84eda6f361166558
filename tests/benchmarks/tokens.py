"""What a model is shown: the same pages and the same questions to ours and to two peers, in bytes and in facts.

Each server has a browser of its own, opens the page, lets it settle, and is asked once. What counts is the text of the
answer. Beside the bytes stand the facts: things that are known of a page beforehand, found in the text or not. A short
answer that leaves them out is no better one.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import trio
from attrs import field, frozen
from rich.console import Console
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from gasoline_cdp.chrome.find import find_browser
from gasoline_cdp.frontends.cli.demo_server import serve_demo
from gasoline_cdp.frontends.http.loopback import serve_app
from tests.benchmarks.start import servers
from tests.editor import Editor
from tests.node_tools import NODE, install_packages
from tests.processes import Running
from tests.site.app import site_app

OURS, DEVTOOLS, PLAYWRIGHT = "gasoline-cdp mcp --standalone", "chrome-devtools-mcp", "@playwright/mcp"
PEERS = (DEVTOOLS, PLAYWRIGHT)
APPS = Path(__file__).parents[1] / "apps"
_SETTLED = 4.0
_URL_CHARS = 40
_SECOND_CALL = 'part="response-body"'


@frozen(kw_only=True)
class Page:
    """A page, what is done there, and what is known of it."""

    name: str
    path: str
    # A script that is run once the page has settled.
    then: str = ""
    # The request whose body is asked for, by a part of its address.
    failing: str = ""
    # What there is to know: name → an expression that finds it in a text.
    facts: dict[str, str] = field(factory=dict)


MATRIX_PLACES = ("frame", "other_frame", "worker", "nested_worker", "shared_worker")
PAGES = (
    Page(
        name="demo",
        path="demo:",
        then="document.querySelector('#checkout-button').click(); document.querySelector('#reviews-button').click()",
        failing="/api/checkout",
        facts={
            "status of the failed call": r"checkout.*500|500.*checkout",
            "its error body": r"inventory_unavailable",
            "its code": r"app\.js:\d+(:\d+)?.*\n?.*checkout|checkout.*\n?.*app\.js:\d+",
            "exception": r"TypeError: Cannot read properties",
            "where it was thrown": r"app\.js:\d+",
            "time of a call": r"products\b.*\b\d+(\.\d+)? ?(ms|s)\b",
            "size of a call": r"products\b.*\b\d+(\.\d+)? ?(B|KB|kB)\b",
        },
    ),
    Page(
        name="matrix",
        path="site:page/targets?" + "&".join(MATRIX_PLACES),
        failing="failing-in-worker",
        facts={
            **{f"exception in {place}": rf"exception in {place}\b" for place in MATRIX_PLACES},
            **{f"rejection in {place}": rf"rejection in {place}\b" for place in MATRIX_PLACES},
            **{f"failed call in {place}": rf"failing-in-{place}\b" for place in MATRIX_PLACES},
            "where it was thrown": r"matrix\.js(\?as=\w+)?:8\b",
            "status of the failed call": r"\b500\b.*failing|failing.*\b500\b",
            "its error body": r"this is a 500",
            "the worker it was in": r"worker.*\bshared|shared_worker",
            "time of a call": r"fetch-in-frame\b.*\b\d+(\.\d+)? ?(ms|s)\b",
            "size of a call": r"fetch-in-frame\b.*\b\d+(\.\d+)? ?(B|KB|kB)\b",
        },
    ),
    Page(
        name="50 requests",
        path="site:page/blank",
        then="for (let n = 0; n < 50; n++) fetch(`/json?n=${n}`)",
        facts={"first": r"n=0\b", "last": r"n=49\b", "time of a call": r"n=\d+.*\b\d+(\.\d+)? ?(ms|s)\b"},
    ),
    Page(
        name="swagger-ui",
        path="apps:app/swagger",
        then="fetch('/pets/8').then((reply) => reply.json())",
        failing="/pets/8",
        facts={
            "status of the failed call": r"\b404\b.*pets/8|pets/8.*\b404\b",
            "its error body": r"no such pet",
            "API description": r"openapi\.json",
            "heading of the page": r"Pets",
            "an operation": r"/pets/\{id\}",
        },
    ),
    Page(
        name="monaco",
        path="apps:app/monaco",
        then="require(['vs/nowhere'], () => {})",
        facts={"missing module": r"nowhere", "status": r"\b404\b", "text in the editor": r"Editor content|const wrong"},
    ),
    Page(
        name="socket.io",
        path="chat:",
        then="void fetch('/rooms').then((reply) => reply.text()).then(JSON.parse)",
        failing="/rooms",
        facts={
            "the call whose answer is no JSON": r"/rooms\b",
            "its body": r"<title>Chat",
            "exception": r"SyntaxError",
            "polling": r"transport=polling",
            "a message": r"line 9",
        },
    ),
)

_TEXT = dict[str, Any]
# Each question as each server is asked: a tool and its arguments.
QUESTIONS: dict[str, dict[str, tuple[str, _TEXT]]] = {
    "what went wrong": {
        OURS: ("observe", {"what": "errors"}),
        DEVTOOLS: ("list_console_messages", {"types": ["error", "warn", "issue"]}),
        PLAYWRIGHT: ("browser_console_messages", {"level": "error"}),
    },
    "which requests": {
        OURS: ("observe", {"what": "network"}),
        DEVTOOLS: (
            "list_network_requests",
            {"resourceTypes": ["xhr", "fetch", "websocket", "eventsource", "document"]},
        ),
        PLAYWRIGHT: ("browser_network_requests", {"static": False}),
    },
    "the page": {
        OURS: ("observe", {"what": "accessibility_tree"}),
        DEVTOOLS: ("take_snapshot", {}),
        PLAYWRIGHT: ("browser_snapshot", {}),
    },
}


class Asked:
    """One server with the page open: every text that it gave, by question."""

    def __init__(self, name: str, editor: Editor) -> None:
        self.name = name
        self.texts: dict[str, str] = {}
        self._editor = editor

    async def call(self, tool: str, arguments: _TEXT) -> str:
        """The text that a model is shown."""
        if self.name == DEVTOOLS and tool != "new_page":
            arguments = {"pageId": 2, **arguments}
        answer = await self._editor.ask("tools/call", {"name": tool, "arguments": arguments})
        result = answer.get("result") or {}
        text = "\n".join(part.get("text", "") for part in result.get("content", ()))
        if result.get("isError") or "error" in answer:
            raise RuntimeError(f"{self.name}: {tool} {arguments}: {text or answer}")
        return text

    async def open(self, url: str, script: str) -> None:
        """Show the page, wait until it is at rest, do what is to be done there."""
        if self.name == DEVTOOLS:
            await self.call("new_page", {"url": url})
        elif self.name == PLAYWRIGHT:
            await self.call("browser_navigate", {"url": url})
        # What a page does by itself has no end that all servers would tell of.
        await trio.sleep(_SETTLED)
        if script:
            tool, name, code = {
                OURS: ("execute_javascript", "script", script),
                DEVTOOLS: ("evaluate_script", "function", f"() => {{ {script} }}"),
                PLAYWRIGHT: ("browser_evaluate", "function", f"() => {{ {script} }}"),
            }[self.name]
            await self.call(tool, {name: code})
            await trio.sleep(_SETTLED / 2)

    async def ask_all(self, page: Page) -> None:
        """Every question, in the order in which an assistant would ask."""
        tools = (await self._editor.ask("tools/list"))["result"]
        self.texts["tools/list"] = json.dumps(tools, separators=(",", ":"), ensure_ascii=False)
        for question, asked in QUESTIONS.items():
            self.texts[question] = await self.call(*asked[self.name])
        if page.failing:
            self.texts["a failing body"] = await self._failing_body(page.failing)

    async def _failing_body(self, part: str) -> str:
        line = next((line for line in self.texts["which requests"].splitlines() if part in line), "")
        if self.name == OURS:
            number = re.search(r'\br\d+\b|"id":"([^"]+)"', line)
            found = _request_id(self.texts["which requests"], part) if line.startswith("{") else (number or [""])[0]
            return await self.call("get_network_bodies", {"request_id": found})
        found = (re.search(r"\d+", line) or ["0"])[0]
        if self.name == DEVTOOLS:
            return await self.call("get_network_request", {"reqid": int(found)})
        details = await self.call("browser_network_request", {"index": int(found)})
        if _SECOND_CALL not in details:
            return details
        # The answer has no body, and says how to get it: whoever wants it reads both.
        body = await self.call("browser_network_request", {"index": int(found), "part": "response-body"})
        return f"{details}\n{body}"


def _request_id(text: str, part: str) -> str:
    return next(str(entry["id"]) for entry in json.loads(text)["entries"] if part in entry["url"])


@asynccontextmanager
async def _serve_all(packages: Path) -> AsyncIterator[dict[str, str]]:
    """All pages on this machine: where each kind of address begins."""

    async def page(request: Request) -> Response:
        return HTMLResponse((APPS / f"{request.path_params['name']}.html").read_text(encoding="utf-8"))

    async def openapi(_: Request) -> Response:
        answers = {"get": {"responses": {"200": {"description": "a pet"}}}}
        info = {"title": "Pets", "version": "1"}
        return JSONResponse({"openapi": "3.0.0", "info": info, "paths": {"/pets/{id}": answers}})

    async def pet(request: Request) -> Response:
        if request.path_params["number"] == 7:
            return JSONResponse({"id": 7})
        return JSONResponse({"error": "no such pet", "hint": "ids are 1 to 7"}, status_code=404)

    routes = [
        Route("/app/{name}", page),
        Route("/openapi.json", openapi),
        Route("/pets/{number:int}", pet),
        Mount("/packages", StaticFiles(directory=packages)),
    ]
    chat = await trio.lowlevel.open_process(
        [str(NODE), str(APPS / "chat-server.mjs")],
        stdout=subprocess.PIPE,
        env={**os.environ, "WITNESS_PACKAGES": str(packages)},
    )
    assert chat.stdout is not None
    try:
        port = int((await chat.stdout.receive_some()).decode())
        async with AsyncExitStack() as stack:
            yield {
                "demo": await stack.enter_async_context(serve_demo()),
                "site": await stack.enter_async_context(serve_app(site_app())),
                "apps": await stack.enter_async_context(serve_app(Starlette(routes=routes))),
                "chat": f"http://127.0.0.1:{port}/",
            }
    finally:
        chat.kill()
        with trio.CancelScope(shield=True):
            await chat.wait()


def environment_in(scratch: str) -> dict[str, str]:
    """Variables of a server whose files all stand in this directory."""
    return {
        **{name: value for name, value in os.environ.items() if name != "GASOLINE_STRICT"},
        "GASOLINE_RUNTIME_DIR": f"{scratch}/runtime",
        "XDG_DATA_HOME": f"{scratch}/data",
        "TMPDIR": scratch,
        "CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS": "1",
    }


@asynccontextmanager
async def open_server(name: str, command: Sequence[str], url: str, environment: dict[str, str]) -> AsyncIterator[Asked]:
    """A server, greeted. It is killed at the end."""
    start = [*command, "--pilot", url] if name == OURS else command
    process = await trio.lowlevel.open_process(
        start, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )
    running = Running(process)
    assert process.stderr is not None
    async with trio.open_nursery() as nursery:
        nursery.start_soon(running.collect, "stderr", process.stderr)
        try:
            editor = Editor(running)
            await editor.greet()
            yield Asked(name, editor)
            await editor.leave()
        finally:
            nursery.cancel_scope.cancel()
            process.kill()


async def measure(pages: Sequence[Page]) -> dict[str, dict[str, Asked]]:
    """Every page by every server: page → server → texts."""
    commands = servers(install_packages(Path(__file__).parent), find_browser())
    asked: dict[str, dict[str, Asked]] = {page.name: {} for page in pages}
    async with _serve_all(install_packages(APPS)) as sites:
        for page in pages:
            site, _, path = page.path.partition(":")
            url = sites[site] + path
            for name in (OURS, *PEERS):
                with tempfile.TemporaryDirectory(prefix="gasoline-bench-", ignore_cleanup_errors=True) as scratch:
                    async with open_server(name, commands[name], url, environment_in(scratch)) as server:
                        await server.open(url, page.then)
                        await server.ask_all(page)
                        asked[page.name][name] = server
    return asked


def facts_in(page: Page, texts: dict[str, str]) -> set[str]:
    """Which of the known facts an assistant has read."""
    said = "\n".join(text for question, text in texts.items() if question != "tools/list")
    return {name for name, pattern in page.facts.items() if re.search(pattern, said)}


def request_line_bytes(text: str) -> list[int]:
    """Bytes of each request line of ours, without what its address has beyond forty characters."""
    sizes = []
    for line in text.splitlines():
        if re.match(r"\S* ?r\d+ ", line) or re.match(r"r\d+ ", line):
            address = max(line.split(), key=len)
            sizes.append(len(line.encode()) - max(0, len(address) - _URL_CHARS))
    return sizes


def report(asked: dict[str, dict[str, Asked]]) -> str:
    """Tables for docs/benchmarks.md."""
    columns = "ours | chrome-devtools-mcp | playwright-mcp"
    lines = [f"| page | question | {columns} | ours to the shorter |", "| --- " * 6 + "|"]
    longer = 0
    for name, by_server in asked.items():
        for question in by_server[OURS].texts:
            if question == "tools/list":
                continue
            ours, *peers = (len(by_server[server].texts[question].encode()) for server in (OURS, *PEERS))
            longer += ours > min(peers)
            lines.append(f"| {name} | {question} | {ours} | {peers[0]} | {peers[1]} | {ours / min(peers):.2f} |")
    lines += ["", f"| page | facts | {columns} | only a peer has |", "| --- " * 6 + "|"]
    for page in (page for page in PAGES if page.name in asked):
        known = {server: facts_in(page, one.texts) for server, one in asked[page.name].items()}
        missing = sorted(set().union(*(known[server] for server in PEERS)) - known[OURS])
        counts = " | ".join(_facts_and_price(known[one], asked[page.name][one]) for one in (OURS, *PEERS))
        lines.append(f"| {page.name} | {len(page.facts)} | {counts} | {', '.join(missing) or '–'} |")
    rounds = [f"{name} {_round(by_server):.2f}" for name, by_server in asked.items() if _has_body(by_server)]
    lines += [
        "",
        f"The round (tools/list, errors, requests, one failing body) to the better peer's: {', '.join(rounds)}.",
    ]
    sizes = [size for one in asked.values() for size in request_line_bytes(one[OURS].texts["which requests"])]
    if sizes:
        median = statistics.median(sizes)
        lines.append(f"A request line of ours: {median:.0f} bytes in the median ({len(sizes)} lines).")
    lines.append(f"Answers longer than the shorter peer's: {longer}.")
    return "\n".join(lines)


def _facts_and_price(known: set[str], server: Asked) -> str:
    """How many of the facts were read, and for how many bytes of answers each."""
    read = sum(len(text.encode()) for question, text in server.texts.items() if question != "tools/list")
    return f"{len(known)} ({read / len(known):.0f} bytes each)" if known else "0"


def _has_body(by_server: dict[str, Asked]) -> bool:
    return "a failing body" in by_server[OURS].texts


def _round(by_server: dict[str, Asked]) -> float:
    """What it costs to learn what broke, to the better peer's cost."""
    whole = {
        server: sum(len(text.encode()) for question, text in one.texts.items() if question != "the page")
        for server, one in by_server.items()
    }
    return whole[OURS] / min(whole[server] for server in PEERS)


def main(arguments: Sequence[str]) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="launcher/run bench tokens", description=__doc__.partition("\n")[0])
    parser.add_argument("--page", action="append", choices=[page.name for page in PAGES], help="only this one")
    parser.add_argument("--texts", type=Path, metavar="DIR", help="write every text there")
    options = parser.parse_args(arguments)
    pages = [page for page in PAGES if not options.page or page.name in options.page]
    asked = trio.run(measure, pages)
    if options.texts:
        for page, servers_asked in asked.items():
            for name, server in servers_asked.items():
                for question, text in server.texts.items():
                    parts = [re.sub(r"\W+", "-", part).strip("-") for part in (page, name, question)]
                    options.texts.mkdir(parents=True, exist_ok=True)
                    (options.texts / f"{'.'.join(parts)}.txt").write_text(text, encoding="utf-8")
    Console(stderr=True).print("Bytes of what a model is shown, and the facts in it.")
    sys.stdout.write(report(asked) + "\n")
    return 0
