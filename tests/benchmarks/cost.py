"""What watching costs: the page, beside no client and beside Playwright; and the watcher, beside Puppeteer.

Each page does one kind of work, begins when it is told to, and times itself. CPU is that of all of Chrome's processes
between the two moments; for the watcher it is that of its own process. Rounds are interleaved, medians are compared.
"""

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio
from attrs import define, field
from rich.console import Console
from rich.table import Table
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from gasoline_cdp.chrome.find import find_browser
from gasoline_cdp.chrome.flags import chrome_flags
from gasoline_cdp.frontends import bridge
from gasoline_cdp.frontends.loopback import serve_app
from tests.node_tools import NODE, install_packages

HERE = Path(__file__).parent
WORKS = ("compute", "render", "promises", "fetch", "websocket", "console")
FLOOD = 50_000
PATIENCE = 120.0


@define
class Gate:
    """Holds the page back until both sides are measured, and hears when it is done."""

    waiting: trio.Event = field(factory=trio.Event)
    go: trio.Event = field(factory=trio.Event)
    done: trio.Event = field(factory=trio.Event)
    milliseconds: float = 0.0


def bench_app(gate: Callable[[], Gate]) -> Starlette:
    """The page, the gate, and what the page talks to."""

    async def page(_: Request) -> Response:
        return HTMLResponse((HERE / "page.html").read_text())

    async def go(_: Request) -> Response:
        gate().waiting.set()
        await gate().go.wait()
        return PlainTextResponse("go")

    async def done(request: Request) -> Response:
        gate().milliseconds = float(request.query_params["ms"])
        gate().done.set()
        return PlainTextResponse("done")

    async def small(_: Request) -> Response:
        return PlainTextResponse("x" * 200)

    async def echo(socket: WebSocket) -> None:
        await socket.accept()
        async for text in socket.iter_text():
            await socket.send_text(text)

    routes = [Route("/", page), Route("/go", go), Route("/done", done), Route("/small", small)]
    return Starlette(routes=[*routes, WebSocketRoute("/echo", echo)])


def cpu_seconds(pid: int) -> float:
    """CPU that a process has used so far."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_mb(pid: int) -> float:
    """Resident memory of a process."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def browser_processes(root: int) -> list[int]:
    """The browsers among the descendants of a process, with all their helpers."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents.setdefault(int(fields[1]), []).append(int(entry.name))
    found, queue = [], [root]
    while queue:
        pid = queue.pop()
        queue += parents.get(pid, [])
        try:
            if "chrom" in Path(f"/proc/{pid}/comm").read_text():
                found.append(pid)
        except OSError:
            continue
    return found


@asynccontextmanager
async def running(command: list[str], environment: dict[str, str]) -> AsyncIterator[trio.Process]:
    """A client with its browser, ended with its whole process group."""
    process = await trio.lowlevel.open_process(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **environment},
        start_new_session=True,
    )
    try:
        yield process
    finally:
        browsers = browser_processes(process.pid)
        for pid in (process.pid, *browsers):
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                continue
        with trio.CancelScope(shield=True):
            await process.wait()


def client_command(client: str, url: str, home: str, packages: Path, expected: int) -> tuple[list[str], dict[str, str]]:
    """How each client is started on a page."""
    browser = find_browser()
    if client == "none":
        # A port that nobody uses: a headless Chrome without one does its page and goes.
        flags = chrome_flags(
            profile=Path(home) / "profile", headless=True, pipe=False, debug_port=0, no_sandbox=True, small_shm=True
        )
        return [str(browser), *flags[:-1], url], {}
    if client == "gasoline":
        ours = str(Path(sys.executable).with_name("gasoline-cdp"))
        profile = str(Path(home) / "profile")
        command = [ours, "launch", "--headless", "--no-sandbox", "--profile", profile, url]
        return command, {"GASOLINE_RUNTIME_DIR": f"{home}/runtime"}
    return (
        [str(NODE), str(HERE / "peer.mjs"), client, str(browser), url, str(expected)],
        {"WITNESS_PACKAGES": str(packages)},
    )


async def measure(client: str, work: str, site: str, gate: Gate, packages: Path) -> dict[str, float]:
    """One round of one client on one kind of work."""
    with tempfile.TemporaryDirectory(prefix="gasoline-bench-", ignore_cleanup_errors=True) as home:
        expected = {"flood": FLOOD, "console": 10_000}.get(work, 1)
        command, environment = client_command(client, f"{site}?work={work}", home, packages, expected)
        with trio.fail_after(PATIENCE):
            async with running(command, environment) as process:
                await gate.waiting.wait()
                # Whatever the start of the browser still does is not the page's work.
                await trio.sleep(0.5)
                browsers = browser_processes(process.pid)
                before = sum(map(cpu_seconds, browsers))
                own_before = cpu_seconds(process.pid)
                gate.go.set()
                await gate.done.wait()
                if work == "flood":
                    await _heard_all(client, process, f"{home}/runtime")
                after = sum(map(cpu_seconds, browsers))
                return {
                    "milliseconds": gate.milliseconds,
                    "browser": after - before,
                    "client": cpu_seconds(process.pid) - own_before,
                    "memory": memory_mb(process.pid),
                }


async def _heard_all(client: str, process: trio.Process, runtime: str) -> None:
    """Wait until the client has every message of the flood."""
    if client == "gasoline":
        os.environ["GASOLINE_RUNTIME_DIR"] = runtime

        def received() -> int:
            status, _ = bridge.call("observe", {"what": "status"})
            return int(status["buffers"]["logs"]["received"])

        while await trio.to_thread.run_sync(received) < FLOOD:  # noqa: ASYNC110 - another process' count
            await trio.sleep(0.05)
        return
    said = b""
    assert process.stdout is not None
    while b"heard all" not in said:
        said += bytes(await process.stdout.receive_some())


async def run(rounds: int) -> dict[str, dict[str, dict[str, float]]]:
    """Every client on every kind of work, interleaved."""
    packages = install_packages(HERE.parent / "apps")
    samples: dict[tuple[str, str], list[dict[str, float]]] = {}
    current = Gate()
    plan = [(client, work) for work in WORKS for client in ("none", "gasoline", "playwright")]
    plan += [("gasoline", "flood"), ("puppeteer", "flood")]
    async with serve_app(bench_app(lambda: current)) as site:
        for number in range(rounds):
            for client, work in plan[number % 3 :] + plan[: number % 3]:
                current = Gate()
                sample = await measure(client, work, site, current, packages)
                samples.setdefault((work, client), []).append(sample)
    return {
        work: {
            client: {name: statistics.median(sample[name] for sample in taken) for name in taken[0]}
            for (of, client), taken in samples.items()
            if of == work
        }
        for work in (*WORKS, "flood")
    }


def show(results: dict[str, dict[str, dict[str, float]]], rounds: int) -> None:
    """The medians and their ratios, for people."""
    console = Console()
    table = Table(title=f"What a page pays for being watched (medians of {rounds} rounds; ratio to no client)")
    for heading in ("work", "alone ms", "CPU s", "gasoline ms", "CPU", "playwright ms", "CPU"):
        table.add_column(heading, justify="left" if heading == "work" else "right")
    for work in WORKS:
        alone, ours, peer = (results[work][client] for client in ("none", "gasoline", "playwright"))
        cells = [f"{alone['milliseconds']:.0f}", f"{alone['browser']:.2f}"]
        for taken in (ours, peer):
            cells += [
                f"{taken['milliseconds'] / alone['milliseconds']:.2f} x",
                f"{taken['browser'] / max(alone['browser'], 0.01):.2f} x",
            ]
        table.add_row(work, *cells)
    console.print(table)
    ours, peer = results["flood"]["gasoline"], results["flood"]["puppeteer"]
    console.print(
        f"{FLOOD} console messages: gasoline-cdp {ours['client']:.2f} CPU s, {ours['memory']:.0f} MB; "
        f"puppeteer-core {peer['client']:.2f} CPU s, {peer['memory']:.0f} MB; "
        f"ratio {ours['client'] / peer['client']:.2f}"
    )


def main(arguments: Sequence[str]) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="launcher/run bench cost", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", metavar="FILE", type=Path, help="also write the medians")
    options = parser.parse_args(arguments)
    results: dict[str, Any] = trio.run(run, options.rounds)
    show(results, options.rounds)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))
    return 0
