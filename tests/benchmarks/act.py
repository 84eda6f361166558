"""What the same tasks cost with ours and with two peers, on applications of others: calls, bytes and time.

Every server has a browser of its own. Before a task begins it is started and shows an empty page; then only the time
of the calls counts. A task is done if the answers contain what was to be achieved.
"""

import argparse
import re
import statistics
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import trio
from rich.console import Console
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from gasoline_cdp.chrome.find import find_browser
from gasoline_cdp.frontends.http.loopback import serve_app
from tests.benchmarks.act_shop import SHOP, fetch_shop
from tests.benchmarks.act_tasks import TASKS, Assistant, Task
from tests.benchmarks.flow_apps import PAGES
from tests.benchmarks.start import servers
from tests.benchmarks.strangers import served
from tests.benchmarks.tokens import DEVTOOLS, OURS, PEERS, PLAYWRIGHT, environment_in, open_server
from tests.node_tools import fetch_packages, install_packages

_QUILL = "quill@2.0.3"
_BLANK = "about:blank"


def _letters(packages: Path) -> Starlette:
    """A page with another's editor, whose server refuses what it is sent. The page does not say so."""

    def page(_: Request) -> Response:
        return FileResponse(PAGES / "widgets" / "quill.html")

    def refuse(_: Request) -> Response:
        return JSONResponse({"error": "mailbox_full", "message": "Ann's mailbox takes no more letters"}, 507)

    routes = [
        Route("/", page),
        Route("/api/letters", refuse, methods=["POST"]),
        Mount("/packages", StaticFiles(directory=packages)),
    ]
    return Starlette(routes=routes)


@asynccontextmanager
async def _apps(cache: Path, wanted: set[str]) -> AsyncIterator[dict[str, str]]:
    apps = {
        "shop": lambda: served(SHOP, cache),
        "letters": lambda: serve_app(_letters(cache / "npm" / "node_modules")),
    }
    async with AsyncExitStack() as stack:
        yield {name: await stack.enter_async_context(apps[name]()) for name in wanted}


async def _do(name: str, command: Sequence[str], task: Task, url: str) -> Assistant:
    with tempfile.TemporaryDirectory(prefix="gasoline-bench-", ignore_cleanup_errors=True) as scratch:
        async with open_server(name, command, _BLANK, environment_in(scratch)) as server:
            # Whatever is done once only is not counted.
            first = {
                OURS: ("observe", {"what": "tabs"}),
                DEVTOOLS: ("new_page", {"url": _BLANK}),
                PLAYWRIGHT: ("browser_navigate", {"url": _BLANK}),
            }[name]
            await server.call(*first)
            assistant = Assistant(server)
            await task.how[name](assistant, url)
            if not re.search(task.goal, "\n".join(assistant.texts)):
                raise AssertionError(f"{name} did not {task.name}:\n{assistant.texts[-1]}")
            return assistant


async def measure(tasks: Sequence[Task], cache: Path, rounds: int) -> dict[str, dict[str, list[Assistant]]]:
    """Each task by each server, by turns: task → server → every run."""
    commands = servers(install_packages(Path(__file__).parent), find_browser())
    done: dict[str, dict[str, list[Assistant]]] = {task.name: {name: [] for name in (OURS, *PEERS)} for task in tasks}
    async with _apps(cache, {task.app for task in tasks}) as urls:
        for _ in range(rounds):
            for task in tasks:
                for name in (OURS, *PEERS):
                    done[task.name][name].append(await _do(name, commands[name], task, urls[task.app]))
    return done


def report(done: dict[str, dict[str, list[Assistant]]]) -> str:
    """A table for docs/benchmarks.md."""
    lines = ["| task | | ours | chrome-devtools-mcp | playwright-mcp | ours to the better |", "| --- " * 6 + "|"]
    for task, by_server in done.items():
        for what, amount in (
            ("calls", lambda one: one.calls),
            ("bytes read", lambda one: one.read),
            ("bytes written", lambda one: one.written),
            ("ms", lambda one: one.seconds * 1000),
        ):
            ours, *peers = (statistics.median(map(amount, by_server[server])) for server in (OURS, *PEERS))
            shown = " | ".join(f"{value:.0f}" for value in (ours, *peers))
            lines.append(f"| {task} | {what} | {shown} | {ours / min(peers):.2f} |")
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="launcher/run bench act", description=__doc__.partition("\n")[0])
    parser.add_argument("cache", type=Path, help="where the applications are, or are put: outside the checkout")
    parser.add_argument("--fetch", action="store_true", help="fetch them first, with npm and pip")
    parser.add_argument("--rounds", type=int, default=3, help="how often (default: 3; the median counts)")
    parser.add_argument("--task", action="append", choices=[task.name for task in TASKS], help="only this one")
    parser.add_argument("--texts", type=Path, metavar="DIR", help="write every text there")
    options = parser.parse_args(arguments)
    cache = options.cache.resolve()
    if options.fetch:
        fetch_shop(cache)
        fetch_packages(cache / "npm", (_QUILL,))
    tasks = [task for task in TASKS if not options.task or task.name in options.task]
    done = trio.run(measure, tasks, cache, options.rounds)
    if options.texts:
        options.texts.mkdir(parents=True, exist_ok=True)
        for task, by_server in done.items():
            for name, runs in by_server.items():
                file = re.sub(r"\W+", "-", f"{task}.{name}")
                (options.texts / f"{file}.txt").write_text("\n\n".join(runs[0].texts), encoding="utf-8")
    Console(stderr=True).print("Tasks by each server: calls, bytes and time.")
    sys.stdout.write(report(done) + "\n")
    return 0
