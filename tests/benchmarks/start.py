"""How soon an editor hears from its MCP server, and how much memory that takes: ours beside two peers.

Every round starts each server once, in an order that moves on from round to round, so that a busy moment of the
machine falls on all of them alike. The first round, which warms caches, does not count. The peers are run by Node
directly, without npx, and without sending statistics: as fast as they can be.
"""

import argparse
import json
import os
import platform
import select
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

from attrs import frozen
from rich.console import Console
from rich.progress import track

from gasoline_cdp.chrome.find import find_browser
from tests.node_tools import NODE, install_packages

REFERENCE = "chrome-devtools-mcp"
_OURS = str(Path(sys.executable).with_name("gasoline-cdp"))
_CHROME_OPTIONS = ["--headless", "--no-sandbox"]
_MEASURES = {"initialize": "ms", "tools/list": "ms", "ping": "ms", "memory": "MB"}
_PATIENCE = 60.0
_GOODBYE = 10.0

_CLIENT = {"name": "benchmark", "version": "1"}
_HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": _CLIENT}
_INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": _HELLO}
_INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
_LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}
# Answered by the MCP library itself: when this answer comes, everything is imported.
_PING = {"jsonrpc": "2.0", "id": 3, "method": "ping"}


@frozen
class Sample:
    """One start: milliseconds from spawn to each answer, and megabytes of the server without its browser."""

    initialize: float
    tools_list: float
    ping: float
    memory: float


def servers(node_modules: Path, browser: Path) -> dict[str, list[str]]:
    """Who is measured: name → command."""
    devtools = node_modules / "chrome-devtools-mcp" / "build" / "src" / "bin" / "chrome-devtools-mcp.js"
    playwright = node_modules / "@playwright" / "mcp" / "cli.js"
    return {
        "gasoline-cdp mcp --standalone": [_OURS, "mcp", "--standalone", *_CHROME_OPTIONS, "--temporary-profile"],
        "gasoline-cdp mcp (bridge)": [_OURS, "mcp"],
        REFERENCE: [
            *(str(NODE), str(devtools), "--headless", "--isolated", "--executablePath", str(browser)),
            *("--chromeArg=--no-sandbox", "--no-usage-statistics"),
        ],
        "@playwright/mcp": [
            *(str(NODE), str(playwright), *_CHROME_OPTIONS, "--isolated", "--executable-path", str(browser)),
        ],
    }


def measure(command: Sequence[str], environment: dict[str, str]) -> Sample:
    """Start a server, greet it, ask for its tools, weigh it, end it."""
    began = perf_counter()
    with _open(command, environment, stdout=subprocess.PIPE) as process:
        answers = _answers(process)
        _tell(process, _INITIALIZE)
        assert next(answers)["result"]["protocolVersion"] == _HELLO["protocolVersion"]
        initialize = perf_counter() - began
        _tell(process, _INITIALIZED, _LIST)
        assert next(answers)["result"]["tools"]
        tools_list = perf_counter() - began
        _tell(process, _PING)
        assert next(answers)["result"] == {}
        ping = perf_counter() - began
        memory = _memory(process.pid)
    return Sample(initialize=initialize * 1000, tools_list=tools_list * 1000, ping=ping * 1000, memory=memory)


@contextmanager
def _open(command: Sequence[str], environment: dict[str, str], **streams: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A process in a session of its own. At the end nothing of the session is left, the browser included."""
    given = {"stdin": subprocess.PIPE, "stderr": subprocess.DEVNULL, **streams}
    process = subprocess.Popen(command, env=environment, start_new_session=True, **given)
    try:
        yield process
    finally:
        if process.stdin:
            process.stdin.close()
        else:
            process.terminate()
        _wait_until_empty(process, _GOODBYE)
        while left := _session(process.pid):
            for pid in left:
                _signal(pid, signal.SIGKILL)
            _wait_until_empty(process, 1)
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream:
                stream.close()


def _wait_until_empty(process: subprocess.Popen[bytes], seconds: float) -> None:
    deadline = perf_counter() + seconds
    while perf_counter() < deadline and _session(process.pid):
        process.poll()
        # No event tells of the end of processes that are not our children.
        select.select([], [], [], 0.01)


def _signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def _processes() -> Iterator[tuple[int, int, int]]:
    """Of every process that runs: its id, its parent's and its session's."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, parent, _, session, *_ = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if state not in "ZX":
                yield int(entry.name), int(parent), int(session)


def _session(leader: int) -> list[int]:
    return [pid for pid, _, session in _processes() if session == leader]


def _memory(server: int) -> float:
    """Resident megabytes of a server and the helpers it started, without the browser."""
    children: dict[int, list[int]] = {}
    for pid, parent, _ in _processes():
        children.setdefault(parent, []).append(pid)
    total, pending = 0.0, [server]
    while pending:
        pid = pending.pop()
        try:
            if "chrom" in (Path("/proc") / str(pid) / "exe").readlink().name:
                continue
            status = (Path("/proc") / str(pid) / "status").read_text()
        except OSError:
            continue
        total += int(status.partition("VmRSS:")[2].split()[0]) / 1024
        pending += children.get(pid, [])
    return total


def _tell(process: subprocess.Popen[bytes], *messages: dict[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(b"".join(json.dumps(message).encode() + b"\n" for message in messages))
    process.stdin.flush()


def _answers(process: subprocess.Popen[bytes]) -> Iterator[dict[str, Any]]:
    """The server's answers as they come; what it says unasked is left out."""
    assert process.stdout is not None
    received = b""
    while select.select([process.stdout], [], [], _PATIENCE)[0]:
        chunk = os.read(process.stdout.fileno(), 1024 * 1024)
        if not chunk:
            raise RuntimeError(f"{process.args!r} ended without an answer")
        *lines, received = (received + chunk).split(b"\n")
        for line in lines:
            message = json.loads(line)
            if "id" in message and "method" not in message:
                yield message
    raise RuntimeError(f"{process.args!r} did not answer within {_PATIENCE:.0f} s")


@contextmanager
def _open_daemon(environment: dict[str, str]) -> Iterator[int]:
    """A running `gasoline-cdp launch` that the bridge joins; its process id."""
    command = [_OURS, "launch", *_CHROME_OPTIONS, "--temporary-profile"]
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    with _open(command, environment, **streams) as daemon:
        assert daemon.stderr is not None
        said = []
        for line in daemon.stderr:
            said.append(line)
            if b"Watching" in line:
                break
        else:
            raise RuntimeError(f"the daemon did not start: {b''.join(said).decode()}")
        yield daemon.pid


def run(rounds: int, console: Console) -> dict[str, Any]:
    """Measure everybody; everything that was measured, as JSON has it."""
    node_modules = install_packages(Path(__file__).parent)
    browser = find_browser()
    commands = servers(node_modules, browser)
    samples: dict[str, list[Sample]] = {name: [] for name in commands}
    load = [os.getloadavg()]
    with tempfile.TemporaryDirectory(prefix="gasoline-bench-", ignore_cleanup_errors=True) as scratch:
        environment = {
            **{name: value for name, value in os.environ.items() if name != "GASOLINE_STRICT"},
            "GASOLINE_RUNTIME_DIR": f"{scratch}/runtime",
            "XDG_DATA_HOME": f"{scratch}/data",
            "TMPDIR": scratch,
            "CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS": "1",
        }
        with _open_daemon(environment) as daemon:
            names = list(commands)
            for number in track(range(rounds + 1), "Starting servers", console=console, transient=True):
                turn = number % len(names)
                for name in names[turn:] + names[:turn]:
                    samples[name].append(measure(commands[name], environment))
            daemon_memory = _memory(daemon)
    load.append(os.getloadavg())
    return {
        "rounds": rounds,
        "load_average": {"before": load[0], "after": load[1]},
        "processors": os.cpu_count(),
        "python": platform.python_version(),
        "node": subprocess.run([NODE, "--version"], capture_output=True, text=True, check=True).stdout.strip(),
        "daemon_memory_mb": daemon_memory,
        "servers": {name: _summary(of) for name, of in samples.items()},
    }


def _summary(samples: list[Sample]) -> dict[str, Any]:
    columns = {
        "initialize": [sample.initialize for sample in samples],
        "tools/list": [sample.tools_list for sample in samples],
        "ping": [sample.ping for sample in samples],
        "memory": [sample.memory for sample in samples],
    }
    return {
        measure: {
            "unit": _MEASURES[measure],
            "median": statistics.median(values[1:]),
            "min": min(values[1:]),
            "warm_up": values[0],
            "all": values[1:],
        }
        for measure, values in columns.items()
    }


def markdown(result: dict[str, Any]) -> str:
    """The medians, and what part of the reference's each is, as a table for docs/benchmarks.md."""
    before, after = (result["load_average"][when][0] for when in ("before", "after"))
    lines = [
        (
            f"{result['rounds']} rounds, interleaved, load average {before:.1f} to {after:.1f} on "
            f"{result['processors']} processors; medians, and their ratio to {REFERENCE}. "
            f"The daemon that the bridge joins: {result['daemon_memory_mb']:.0f} MB."
        ),
        "",
        "| server | " + " | ".join(_MEASURES) + " |",
        "| --- " * (len(_MEASURES) + 1) + "|",
    ]
    reference = result["servers"][REFERENCE]
    for server, measured in result["servers"].items():
        cells = [
            f"{measured[name]['median']:.0f} {unit}, {measured[name]['median'] / reference[name]['median']:.2f}"
            for name, unit in _MEASURES.items()
        ]
        lines.append(f"| {server} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="launcher/run bench start", description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=15, metavar="N", help="how often each is started (default: 15)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure there too")
    options = parser.parse_args(arguments)
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    console = Console(stderr=True)
    result = run(options.rounds, console)
    # As it is, for a file: neither wrapped nor coloured.
    sys.stdout.write(markdown(result) + "\n")
    if options.json:
        options.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return 0
