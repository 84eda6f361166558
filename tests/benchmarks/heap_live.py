"""`bench heap --live`: the heap of a page, 60 MB, taken and analysed, beside puppeteer-core, which only receives it.

CPU is that of the question in the daemon and in the worker: the first, which starts the worker, and the second.
"""

import os
import statistics
import sys
import time
from pathlib import Path

import trio
from rich.console import Console

from gasoline_cdp.browser.attached import Attached
from gasoline_cdp.config import Config, ServeOptions
from gasoline_cdp.frontends.http.loopback import serve_app
from gasoline_cdp.heap_worker.process import ChunkQueue
from tests.chromium import open_chromium
from tests.node_tools import NODE, fetch_packages
from tests.site.app import site_app
from tests.support import open_watch

_PUPPETEER = "puppeteer-core@25.16.0"
_RECEIVE = Path(__file__).with_name("receive_heap.mjs")


def _worker_seconds(pid: int | None) -> float:
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat") if pid else ()
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


async def _ask(address: str, url: str) -> None:
    """In a process of its own: prints the CPU of daemon and worker, and the time from the last piece to the answer."""
    last = 0.0
    end = ChunkQueue.end

    def ended(queue: ChunkQueue) -> None:
        nonlocal last
        last = time.perf_counter()
        end(queue)

    # The last piece came just before Chrome's reply, which ends the queue.
    ChunkQueue.end = ended  # type: ignore[assignment, method-assign]
    config = Config(browser=Attached(ws_endpoint=address), url="about:blank", serve=ServeOptions(pilot=True))
    async with open_watch(config) as watch:
        await watch.open(url)
        await watch.evaluate("ready")
        worker = watch.context.heaps.worker
        for _ in range(2):
            daemon_before, worker_before = time.process_time(), _worker_seconds(worker.pid)
            await watch.call("analyze", action="memory", scope="classes", force_refresh=True)
            answered = time.perf_counter() - last
            costs = (time.process_time() - daemon_before, _worker_seconds(worker.pid) - worker_before, answered)
            sys.stdout.write(" ".join(map(str, costs)) + "\n")
        await watch.close_tabs()


async def measure(console: Console, home: Path, rounds: int, size: int) -> None:
    """Ours and puppeteer-core in turn, in processes of their own, in the same browser."""
    if not (home / "node_modules" / "puppeteer-core").is_dir():
        fetch_packages(home, [_PUPPETEER])
    ours: list[list[float]] = []
    theirs: list[list[float]] = []
    with open_chromium() as address:
        async with serve_app(site_app()) as site:
            url = f"{site}page/heap?n={size}"
            for _ in range(rounds):
                told = await _output([sys.executable, "-m", "tests.benchmarks.heap_live", address, url])
                ours += [[float(value) for value in line.split()] for line in told]
                told = await _output([str(NODE), str(_RECEIVE), str(home), address, url])
                theirs += [[float(value) for value in line.split()] for line in told]
                console.print(f"load {os.getloadavg()[0]:.1f}; ours {ours[-2:]}; puppeteer-core {theirs[-2:]}")
    first, later = ours[::2], ours[1::2]

    def cpu(found: list[list[float]]) -> float:
        return statistics.median(daemon + worker for daemon, worker, _ in found)

    def received(heaps: list[list[float]], column: int) -> float:
        return statistics.median(row[column] for row in heaps)

    console.print(
        f"live heap of {theirs[0][2] / 1e6:.0f} MB, medians of {rounds}. CPU of the first question {cpu(first):.2f} s, "
        f"with the start of the worker; later {cpu(later):.2f} s (daemon {received(later, 0):.2f}). puppeteer-core, "
        f"which only receives it: {received(theirs[::2], 1):.2f} s up to the first heap, with its start; for receiving "
        f"alone {received(theirs[::2], 0):.2f} s, later {received(theirs[1::2], 0):.2f} s. From the last piece to the "
        f"answer {received(ours, 2):.2f} s, at most {max(row[2] for row in ours):.2f} s."
    )


async def _output(command: list[str]) -> list[str]:
    done = await trio.run_process(command, capture_stdout=True)
    return done.stdout.decode().splitlines()


if __name__ == "__main__":
    trio.run(_ask, sys.argv[1], sys.argv[2])
