"""`bench heap`: heap snapshots from 5 to 300 MB read and analysed, beside memlab and DevTools' own worker.

Whole processes, in turn, from start to exit: wall time, CPU time and peak memory by the system's own account. Before,
each snapshot is compared with DevTools' worker, node by node.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import attrs
import trio
from rich.console import Console
from rich.table import Table

from gasoline_cdp.frontends.http.loopback import serve_app
from tests.benchmarks import heap_live
from tests.chromium import open_chromium
from tests.devtools_heap import SCRIPT, WORKER, ask_devtools, diff_differences, differences, read_graph
from tests.node_tools import NODE, fetch_packages, install_packages
from tests.site.app import site_app
from tests.taking_heaps import open_page, take_snapshots

HERE = Path(__file__).parent
# Times what the page of the tests holds.
_SIZES = {"5 MB": 1, "60 MB": 32, "300 MB": 160}
_MEMLAB = "memlab@2.0.5"
_ROOM = "--max-old-space-size=8000"

# In a small process of its own: the system counts the memory of whoever starts a program as the program's.
_MEASURE = """
import os, sys, time
begin = time.perf_counter()
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[
    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0), (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)])
_, status, used = os.wait4(child, 0)
if status:
    sys.exit(f"{sys.argv[1:]} failed")
print(time.perf_counter() - begin, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
"""


@attrs.frozen
class _Cost:
    wall: float
    cpu: float
    megabytes: float


def main(arguments: Sequence[str]) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="launcher/run bench heap")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is run (default 3)")
    parser.add_argument("--sizes", nargs="*", choices=_SIZES, default=list(_SIZES), help="which snapshots")
    parser.add_argument("--files", nargs="*", type=Path, default=[], help="your own snapshots instead")
    parser.add_argument("--keep", type=Path, help="directory to keep packages and snapshots in")
    parser.add_argument("--times-only", action="store_true", help="do not compare with DevTools' worker before")
    parser.add_argument("--live", action="store_true", help="instead, take the heap of a running page")
    options = parser.parse_args(arguments)
    console = Console(soft_wrap=True, highlight=False)
    with tempfile.TemporaryDirectory(prefix="gasoline-heap-") as scratch:
        home = options.keep or Path(scratch)
        if options.live:
            trio.run(heap_live.measure, console, home, options.rounds, _SIZES["60 MB"])
            return 0
        packages = install_packages(HERE.parent / "node")
        if not (home / "node_modules" / "memlab").is_dir():
            fetch_packages(home, [_MEMLAB])
        for name, files in _snapshots(options.files, options.sizes, home).items():
            if not options.times_only:
                _compare(console, name, files, packages, home / "said")
            _time(console, name, files[0], packages, home, options.rounds)
    return 0


def _snapshots(own: Sequence[Path], sizes: Sequence[str], home: Path) -> dict[str, list[Path]]:
    if own:
        return {file.name: [file] for file in own}
    found = {size: [home / f"{size.replace(' ', '')}-{n}.heapsnapshot" for n in (1, 2)] for size in sizes}
    missing = {size: files for size, files in found.items() if not files[-1].is_file()}
    if missing:
        with open_chromium() as chromium:
            trio.run(_take, chromium, missing)
    return found


async def _take(chromium: str, wanted: dict[str, list[Path]]) -> None:
    async with serve_app(site_app()) as site:
        for size, files in wanted.items():
            async with open_page(chromium, f"{site}page/heap?n={_SIZES[size]}") as (page, _):
                await take_snapshots(page, files, between="grow()")


def _compare(console: Console, name: str, files: Sequence[Path], packages: Path, into: Path) -> None:
    ask_devtools(packages, into, files)
    graphs = [read_graph(file) for file in files]
    counted = [differences(graph, into / str(index)) for index, graph in enumerate(graphs)]
    wrong = {key: sum(count[key] for count in counted) for key in counted[0]}
    if len(graphs) > 1:
        wrong["comparison"] = diff_differences(graphs[0], graphs[-1], into)
    megabytes = files[0].stat().st_size / 1e6
    console.print(f"\n{name}: {megabytes:.1f} MB, {len(graphs[0]):,} nodes, {len(graphs[0].edge_to):,} edges")
    console.print(f"differences from DevTools: {wrong}", highlight=False)


def _time(console: Console, name: str, file: Path, packages: Path, home: Path, rounds: int) -> None:
    program = Path(sys.executable).with_name("gasoline-cdp")
    commands = {
        "gasoline-cdp heap": [str(program), "heap", str(file), "--json"],
        "memlab": [str(NODE), _ROOM, str(HERE / "memlab_heap.cjs"), str(home), str(file)],
        "DevTools' worker": [str(NODE), _ROOM, str(SCRIPT), str(packages / WORKER), "-", str(file)],
    }
    costs: dict[str, list[_Cost]] = {who: [] for who in commands}
    for _ in range(rounds):
        for who, command in commands.items():
            costs[who].append(_run(command))
    # The least is what an undisturbed machine takes.
    for called, pick in ((f"median of {rounds}", statistics.median), (f"least of {rounds}", min)):
        _show(console, f"{name}, {called}", costs, pick)


def _show(
    console: Console, title: str, costs: dict[str, list[_Cost]], pick: Callable[[Iterable[float]], float]
) -> None:
    picked = {
        who: _Cost(*(pick([getattr(cost, key) for cost in found]) for key in ("wall", "cpu", "megabytes")))
        for who, found in costs.items()
    }
    ours = picked["gasoline-cdp heap"]
    table = Table(title=title, box=None)
    for head in ("", "wall s", "CPU s", "peak MB", "times the wall", "times the CPU", "times the memory"):
        table.add_column(head, justify="left" if not head else "right")
    for who, cost in picked.items():
        ratios = (cost.wall / ours.wall, cost.cpu / ours.cpu, cost.megabytes / ours.megabytes)
        shown = [f"{cost.wall:.2f}", f"{cost.cpu:.2f}", f"{cost.megabytes:.0f}", *(f"{ratio:.1f}" for ratio in ratios)]
        table.add_row(who, *shown)
    console.print(table)


def _run(command: Sequence[str]) -> _Cost:
    told = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _MEASURE, *command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    return _Cost(*map(float, told.stdout.split()))
