"""What watching costs: the page, beside no client, beside the bare domains and beside Playwright; and the watcher.

Every client has the same browser with the same flags. A page does one kind of work after the other, each begun when it
is told to, and times itself. CPU is counted from then until a moment after its end: of the page's main thread, and of
all of the browser's processes. Rounds are interleaved; each is compared with the unwatched browser of the same round,
and the medians of these ratios count. The watcher's own cost is that of a flood of console messages, beside Puppeteer.
"""

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio
from rich.console import Console

from gasoline_cdp.chrome.find import find_browser
from gasoline_cdp.chrome.flags import chrome_flags, small_dev_shm
from gasoline_cdp.frontends.http.loopback import serve_app
from gasoline_cdp.frontends.local import bridge
from tests.benchmarks.site import HERE, Gate, bench_app
from tests.node_tools import NODE, install_packages

WORKS = {
    "load": "load of a heavy page",
    "compute": "computing",
    "render": "rendering",
    "promises": "3,000,000 promises",
    "fetch": "1,000 requests",
    "websocket": "4,000 WebSocket messages each way",
    "console": "10,000 console calls",
}
CLIENTS = {"none": "nobody", "bare": "domains alone", "gasoline": "gasoline-cdp", "playwright": "Playwright"}
MEASURES = {"time": "time", "main": "main thread", "cpu": "all CPU"}
FLOOD = 50_000
PATIENCE = 180.0
# What a client asks of the browser after the end of a work is part of its cost.
AFTERMATH_SECONDS = 0.25

Sample = dict[str, float]


def cpu_seconds(pid: int) -> float:
    """CPU that a process has used so far."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main_thread_seconds(pid: int) -> float:
    """CPU that the main thread of a renderer has used so far; 0 for other processes."""
    try:
        if b"--type=renderer" not in Path(f"/proc/{pid}/cmdline").read_bytes():
            return 0.0
        return int(Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()[0]) / 1e9
    except OSError:
        return 0.0


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
    """A client with its browser, ended with all its browser's processes."""
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
        for pid in (process.pid, *browser_processes(process.pid)):
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                continue
        with trio.CancelScope(shield=True):
            await process.wait()


def client_command(client: str, url: str, home: str, packages: Path) -> tuple[list[str], dict[str, str]]:
    """How each client is started on a page."""
    browser, profile = find_browser(), Path(home) / "profile"
    # A port that nobody uses: a headless Chrome without one does its page and goes.
    port = 0 if client == "none" else None
    flags = chrome_flags(
        profile=profile,
        headless=True,
        pipe=client == "playwright",
        debug_port=port,
        no_sandbox=True,
        small_shm=small_dev_shm(),
    )
    if client == "none":
        return [str(browser), *flags[:-1], url], {}
    if client == "bare":
        return [sys.executable, "-m", "tests.benchmarks.bare", str(profile), url], {}
    if client == "gasoline":
        ours = str(Path(sys.executable).with_name("gasoline-cdp"))
        command = [ours, "launch", "--headless", "--no-sandbox", "--profile", str(profile), url]
        return command, {"GASOLINE_RUNTIME_DIR": f"{home}/runtime"}
    if client == "playwright":
        # It takes no flag of this name, and sets none if it is told the flags; for Chrome one dash is as good as two.
        flags = [flag.removeprefix("-") if flag.startswith("--user-data-dir=") else flag for flag in flags]
    command = [str(NODE), str(HERE / "peer.mjs"), client, str(browser), str(profile), url, str(FLOOD), *flags]
    return command, {"WITNESS_PACKAGES": str(packages)}


async def measure(client: str, works: Sequence[str], packages: Path, times: int = 1) -> dict[str, Sample]:
    """One round of one client: all these works, each so many times, one after the other, in one browser."""
    gate = Gate()
    with tempfile.TemporaryDirectory(prefix="gasoline-bench-", ignore_cleanup_errors=True) as home:
        async with serve_app(bench_app(gate)) as site:
            command, environment = client_command(client, site, home, packages)
            with trio.fail_after(PATIENCE):
                async with running(command, environment) as process:
                    return {
                        work: middle([await _measure_work(client, work, gate, process, home) for _ in range(times)])
                        for work in works
                    }


def middle(samples: Sequence[Sample]) -> Sample:
    """The median of each measure."""
    return {name: statistics.median(sample[name] for sample in samples) for name in samples[0]}


async def _measure_work(client: str, work: str, gate: Gate, process: trio.Process, home: str) -> Sample:
    await gate.waiting.wait()
    # Whatever the start of the browser or the work before still does is not this work.
    await trio.sleep(0.4)
    before = browser_processes(process.pid)
    cpu, main = sum(map(cpu_seconds, before)), {pid: main_thread_seconds(pid) for pid in before}
    own = cpu_seconds(process.pid)
    milliseconds = await gate.do(work)
    if work == "flood":
        own_after = await _heard_all(client, process, f"{home}/runtime")
    else:
        await trio.sleep(AFTERMATH_SECONDS)
        own_after = cpu_seconds(process.pid)
    after = browser_processes(process.pid)
    return {
        "time": milliseconds,
        "main": max((main_thread_seconds(pid) - main.get(pid, 0.0) for pid in after), default=0.0),
        "cpu": sum(map(cpu_seconds, after)) - cpu,
        "client": own_after - own,
        "memory": memory_mb(process.pid),
    }


async def _heard_all(client: str, process: trio.Process, runtime: str) -> float:
    """Wait until the client has every message of the flood; the CPU that it has used by then, our asking left out."""
    if client == "gasoline":
        os.environ["GASOLINE_RUNTIME_DIR"] = runtime

        def received() -> int:
            status, _ = bridge.call("observe", {"what": "status"})
            return int(status["buffers"]["logs"]["received"])

        used = cpu_seconds(process.pid)
        while await trio.to_thread.run_sync(received) < FLOOD:
            await trio.sleep(0.2)
            used = cpu_seconds(process.pid)
        return used
    said = b""
    assert process.stdout is not None
    while b"heard all" not in said:
        said += bytes(await process.stdout.receive_some())
    return cpu_seconds(process.pid)


async def run(rounds: int, works: Sequence[str], times: int) -> dict[str, Any]:
    """Every client on every kind of work, interleaved; the samples by work and client, in the order of the rounds."""
    packages = install_packages(HERE.parent / "apps")
    samples: dict[str, dict[str, list[Sample]]] = {work: {client: [] for client in CLIENTS} for work in works}
    flood: dict[str, list[Sample]] = {"gasoline": [], "puppeteer": []}
    for number in range(rounds):
        order = [*CLIENTS]
        for client in order[number % len(order) :] + order[: number % len(order)]:
            for work, sample in (await measure(client, works, packages, times)).items():
                samples[work][client].append(sample)
        for client, taken in flood.items():
            taken.append((await measure(client, ["flood"], packages))["flood"])
        Console(stderr=True).print(f"round {number + 1} of {rounds} done", highlight=False)
    return {"works": samples, "flood": flood}


def ratios(samples: dict[str, list[Sample]], client: str, other: str) -> str:
    """The medians of a client's ratios to another, round by round."""
    pairs = list(zip(samples[client], samples[other], strict=True))
    return " / ".join(
        f"{statistics.median(one[name] / max(beside[name], 0.001) for one, beside in pairs):.2f}" for name in MEASURES
    )


def markdown(results: dict[str, Any], rounds: int) -> str:
    """The ratios as tables for docs/benchmarks.md."""
    watchers = [client for client in CLIENTS if client != "none"]
    others = [client for client in watchers if client != "gasoline"]
    load = ", ".join(f"{average:.1f}" for average in os.getloadavg())
    said = "medians of the ratios to a browser that nobody watches, and of ours to the others"
    lines = [f"{rounds} rounds, interleaved, load average {load}; {said}."]
    titles = ["work", "alone", *(CLIENTS[one] for one in watchers), *(f"ours to {CLIENTS[one]}" for one in others)]
    lines += ["", f"| {' | '.join(titles)} |", "| --- " * len(titles) + "|"]
    for work, samples in results["works"].items():
        alone = {name: statistics.median(sample[name] for sample in samples["none"]) for name in MEASURES}
        cells = [WORKS[work], f"{alone['time']:.0f} ms, {alone['main']:.2f} s, {alone['cpu']:.2f} s"]
        cells += [ratios(samples, client, "none") for client in watchers]
        cells += [ratios(samples, "gasoline", other) for other in others]
        lines.append("| " + " | ".join(cells) + " |")
    ours, peer = (
        {name: statistics.median(sample[name] for sample in taken) for name in ("client", "memory")}
        for taken in results["flood"].values()
    )
    lines += ["", f"Each as {' / '.join(MEASURES.values())}.", ""]
    lines.append(
        f"{FLOOD:,} console messages: gasoline-cdp {ours['client']:.2f} CPU s and {ours['memory']:.0f} MB, "
        f"puppeteer-core {peer['client']:.2f} CPU s and {peer['memory']:.0f} MB; "
        f"ratio {ours['client'] / max(peer['client'], 0.01):.2f}."
    )
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="launcher/run bench cost", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="about half a minute each; default 7")
    parser.add_argument("--times", type=int, default=1, help="do each work so often in a round; default 1")
    parser.add_argument("--works", nargs="+", choices=WORKS, default=list(WORKS), help="default: all")
    parser.add_argument("--json", metavar="FILE", type=Path, help="also write every sample")
    options = parser.parse_args(arguments)
    results = trio.run(run, options.rounds, options.works, options.times)
    # As it is, for a file: neither wrapped nor coloured.
    sys.stdout.write(markdown(results, options.rounds) + "\n")
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))
    return 0
