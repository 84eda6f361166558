"""What a long run of tests costs the daemon: its memory after each hundred tests, and its time for each.

Each test has a browser context of its own, marks its start and end, and opens a page that logs an error. Every tenth
opens one that errs from everywhere at once, from a frame of another site and three kinds of worker, too, and is read as
a failed test is. Then the context is closed. By default nothing is cleared, so that the buffers fill.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import trio
from rich.console import Console
from rich.progress import track

from gasoline_cdp.cdp.connection import Connection, open_connection
from gasoline_cdp.cdp.websocket import open_websocket
from gasoline_cdp.frontends.http.loopback import serve_app
from tests.benchmarks.snapshot import Server, open_ours
from tests.chromium import open_chromium
from tests.contexts.site import contexts_app

PATIENCE = 60.0
# What the daemon may hold at the end, and what the last hundred tests may add.
_MB = 50.0
_FLAT_MB = 1.0


class Runner:
    """Runs tests in one browser, one after the other."""

    def __init__(self, connection: Connection, daemon: Server, browser: str, site: str, *, clears: bool) -> None:
        self._connection = connection
        self._daemon = daemon
        self._browser = browser
        self._site = site
        self._clears = clears
        self.asked_ms: list[float] = []

    async def _ask(self, method: str, path: str, body: object = None) -> bytes:
        start = time.perf_counter()
        answer = await trio.to_thread.run_sync(self._daemon.ask, method, path, body)
        self.asked_ms.append((time.perf_counter() - start) * 1000)
        return answer

    async def run(self, number: int) -> None:
        """One test."""
        root = self._connection.root
        context = (await root.send("Target.createBrowserContext"))["browserContextId"]
        made = await root.send("Target.createTarget", {"url": "about:blank", "browserContextId": context})
        attached = await root.send("Target.attachToTarget", {"targetId": made["targetId"], "flatten": True})
        session = self._connection.open_session(attached["sessionId"], root, made["targetId"])
        test = {"test_id": f"test {number}", "retry": 0}
        start = {**test, "action": "start", "browser": self._browser, "browser_context_id": context}
        await self._ask("POST", "/test-boundary", start)
        loaded = trio.Event()
        session.on("Page.loadEventFired", lambda _: loaded.set())
        await session.send("Page.enable")
        fails = number % 10 == 0
        path = "page?" if fails else "say?place=page&"
        await session.send("Page.navigate", {"url": f"{self._site}{path}name=n{number}"})
        with trio.fail_after(PATIENCE):
            await loaded.wait()
        await self._ask("POST", "/test-boundary", {**test, "action": "end"})
        if fails:
            captured = json.loads(await self._ask("GET", f"/snapshot?test_id=test%20{number}&retry=0"))
            if not any(log["message"] == f"page n{number}" for log in captured["logs"]):
                raise SystemExit(f"test {number} has lost its own error")
            await self._ask("GET", f"/snapshot?test_id=test%20{number}&format=summary")
            await self._ask("GET", f"/artifact?format=har&test_id=test%20{number}&retry=0")
        if self._clears:
            await self._ask("POST", "/clear", test)
        await root.send("Target.disposeBrowserContext", {"browserContextId": context})
        self._connection.close_session(session.session_id, "the test is over")


async def _run(tests: int, *, clears: bool) -> int:
    console = Console()
    with ExitStack() as stack:
        scratch = stack.enter_context(tempfile.TemporaryDirectory())
        address = stack.enter_context(open_chromium())
        daemon = stack.enter_context(open_ours(Path(scratch)))
        named = json.loads(daemon.ask("POST", "/browsers", {"ws_endpoint": address}))["browser"]
        async with (
            serve_app(contexts_app()) as site,
            open_websocket(address) as transport,
            open_connection(transport) as connection,
        ):
            runner = Runner(connection, daemon, named, site, clears=clears)
            figures = []
            for number in track(range(1, tests + 1), "tests", console=console):
                await runner.run(number)
                if number % 100 == 0 or number == 1:
                    memory, cpu = daemon.memory_mb(), daemon.cpu_ms() / number
                    figures.append((number, memory))
                    console.print(f"after {number:5} tests: {memory:5.1f} MB, {cpu:5.1f} ms CPU a test")
                    console.file.flush()
    slowest = sorted(runner.asked_ms)[-max(1, len(runner.asked_ms) // 100)]
    console.print(f"{len(runner.asked_ms)} questions, 99 of 100 within {slowest:.1f} ms")
    (_, before), (_, last) = figures[-2:]
    return 0 if last < _MB and last - before < _FLAT_MB else 1


def main(arguments: Sequence[str]) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="launcher/run bench tests-in-sequence", description=__doc__)
    parser.add_argument("--tests", type=int, default=1000)
    parser.add_argument("--clear", action="store_true", help="clear the records of each test, as the fixture does")
    options = parser.parse_args(arguments)

    async def run() -> int:
        return await _run(options.tests, clears=options.clear)

    return trio.run(run)
