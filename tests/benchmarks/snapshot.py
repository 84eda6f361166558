"""How fast a test runner gets everything captured, and clears it, beside the original implementation.

Both hold the same: full buffers of console messages, bodies and WebSocket events, posted to each over HTTP. They are
asked in turns. On a busy machine the CPU and the fastest answers say more than the medians.
"""

import argparse
import http.client
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

from rich.console import Console
from rich.table import Table

from tests.node_tools import fetch_packages
from tests.ports import free_port
from tests.processes import COMMAND

LOGS, BODIES, EVENTS = 1000, 100, 500
BODY_CHARS = 4000
PEER = "gasoline-mcp@0.7.9"
PATIENCE = 60.0
# The original refuses everything for good after five seconds with more than a thousand events each.
_ROUND_SECONDS = 1.5
_FIGURES = ("first /snapshot", "its CPU", "/snapshot again", "CPU", "/clear", "CPU of it")
_LISTS = ("logs", "network_bodies", "websocket_events")


class Server:
    """One of the two, by HTTP on a connection that stays open."""

    def __init__(self, url: str, headers: dict[str, str], mark: str, query: str = "") -> None:
        self._connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=PATIENCE)
        self._headers = headers
        self._query = query
        # What only its processes have among their arguments.
        self._mark = mark.encode()

    def cpu_ms(self) -> float:
        """CPU that its processes have used so far, all threads."""
        used = 0.0
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if self._mark in (process / "cmdline").read_bytes().split(b"\0"):
                    for thread in process.glob("task/*/schedstat"):
                        used += int(thread.read_text().split()[0]) / 1e6
        return used

    def memory_mb(self) -> float:
        """Memory that its processes hold now."""
        pages = 0
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if self._mark in (process / "cmdline").read_bytes().split(b"\0"):
                    pages += int((process / "statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    def ask(self, method: str, path: str, body: object = None, query: str = "", tries: int = 20) -> bytes:
        """Send a request, and return the answer to it."""
        data = None if body is None else json.dumps(body).encode()
        headers = {**self._headers, "Content-Type": "application/json"}
        try:
            self._connection.request(method, path + query, data, headers)
            reply = self._connection.getresponse()
        except (http.client.HTTPException, ConnectionError):
            # It closes a connection that was idle.
            self._connection.close()
            self._connection.request(method, path + query, data, headers)
            reply = self._connection.getresponse()
        answer = reply.read()
        if reply.status == 429 and tries:
            # Both take only so many events a second.
            time.sleep(1)  # noqa: TID251 - its answer says that it wants this
            return self.ask(method, path, body, query, tries - 1)
        if reply.status != 200:
            raise SystemExit(f"{method} {path}: {reply.status} {answer[:200]!r}")
        return answer

    def fill(self) -> None:
        """Post full buffers."""
        now = datetime.now(UTC).isoformat().replace("+00:00", "Z")
        logs = [
            {"ts": now, "timestamp": now, "level": "error" if n % 10 == 0 else "info", "message": f"{n} {'text ' * 40}"}
            for n in range(LOGS)
        ]
        bodies = [
            {
                "ts": now, "timestamp": now, "method": "POST", "url": f"http://app.test/api/{n}", "status": 500,
                "request_body": "{}", "response_body": json.dumps({"error": "x" * BODY_CHARS}),
                "content_type": "application/json", "duration": 5,
            }
            for n in range(BODIES)
        ]  # fmt: skip
        events = [
            {
                "ts": now, "timestamp": now, "event": "message", "id": f"s{n % 5}", "direction": "incoming",
                "url": "ws://app.test/live", "data": f"{n} {'text ' * 40}",
            }
            for n in range(EVENTS)
        ]  # fmt: skip
        for path, name, entries in (
            ("/logs", "entries", logs), ("/network-bodies", "bodies", bodies), ("/websocket-events", "events", events),
        ):  # fmt: skip
            for start in range(0, len(entries), 100):
                self.ask("POST", path, {name: entries[start : start + 100]}, self._query)

    def timed(self, method: str, path: str) -> tuple[float, float, bytes]:
        """Milliseconds until the whole answer is there, those of CPU among them, and the answer."""
        cpu, start = self.cpu_ms(), time.perf_counter()
        answer = self.ask(method, path)
        return (time.perf_counter() - start) * 1000, self.cpu_ms() - cpu, answer


# The tests of `gasoline-cdp ci`: says where it listens, and stays until its input ends.
_STAYING = "import os, sys; print(os.environ['GASOLINE_URL'], os.environ['GASOLINE_TOKEN'], "
_STAYING += "os.environ['GASOLINE_INGEST_KEY'], flush=True); sys.stdin.read()"


@contextmanager
def open_ours(directory: Path) -> Iterator[Server]:
    """`gasoline-cdp ci` without a browser of its own."""
    environment = {**os.environ, "GASOLINE_RUNTIME_DIR": str(directory / "runtime"), "XDG_DATA_HOME": str(directory)}
    mark = str(directory / "artifacts")
    options = ["--no-browser", "--port", "0", "--artifacts", mark]
    command = [*COMMAND, "ci", *options, "--", sys.executable, "-c", _STAYING]
    with subprocess.Popen(
        command,
        cwd=directory,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            url, token, key = process.stdout.readline().split()
            yield Server(url, {"Authorization": f"Bearer {token}"}, mark, f"?key={key}")
        finally:
            process.kill()


@contextmanager
def open_peer(directory: Path) -> Iterator[Server]:
    """The original, in a directory of its own. Its install script would end other daemons, and is not run."""
    fetch_packages(directory, [PEER])
    program = next(directory.glob("node_modules/@brennhill/gasoline-*/bin/gasoline"))
    port = free_port()
    environment = {**os.environ, "HOME": str(directory)}
    options = ["--port", str(port), "--state-dir", str(directory / "state"), "--parallel"]
    with subprocess.Popen(
        [program, *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
        start_new_session=True,
    ) as process:
        try:
            server = Server(f"http://127.0.0.1:{port}", {"X-Gasoline-Client": "gasoline-extension/0.7.9"}, str(port))
            deadline = time.monotonic() + PATIENCE
            while time.monotonic() < deadline:
                with suppress(OSError, SystemExit, http.client.HTTPException):
                    server.ask("GET", "/snapshot")
                    break
            yield server
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            # It starts its server in the background.
            subprocess.run([program, "--stop", *options[:4]], env=environment, check=False, capture_output=True)


def main(arguments: Sequence[str]) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="launcher/run bench snapshot", description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--alone", action="store_true", help="without the peer, which is fetched from npm")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        ours_home, peer_home = Path(scratch) / "ours", Path(scratch) / "peer"
        ours_home.mkdir(mode=0o700)
        with open_ours(ours_home) as ours:
            if options.alone:
                return _compare({"gasoline-cdp": ours}, options.rounds)
            with open_peer(peer_home) as peer:
                return _compare({"gasoline-cdp": ours, PEER: peer}, options.rounds)


def _compare(servers: dict[str, Server], rounds: int) -> int:
    taken: dict[str, dict[str, list[float]]] = {name: {figure: [] for figure in _FIGURES} for name in servers}
    held: dict[str, dict[str, int]] = {}
    for _ in range(rounds):
        begun = time.monotonic()
        for name, server in servers.items():
            server.ask("POST", "/clear")
            server.fill()
            questions = [("GET", "/snapshot"), ("GET", "/snapshot"), ("POST", "/clear")]
            answers = [server.timed(*question) for question in questions]
            for figure, measured in zip(_FIGURES, (one for answer in answers for one in answer[:2]), strict=True):
                taken[name][figure].append(measured)
            answer = answers[0][2]
            whole = json.loads(answer)
            held[name] = {"KB": len(answer) // 1024, **{key: len(whole.get(key) or ()) for key in _LISTS}}
        time.sleep(max(0, begun + _ROUND_SECONDS - time.monotonic()))  # noqa: TID251 - see above
    table = Table("median (fastest) ms", *_FIGURES, "held")
    for name in servers:
        cells = (f"{statistics.median(times):.2f} ({min(times):.2f})" for times in taken[name].values())
        table.add_row(name, *cells, str(held[name]))
    if len(servers) == 2:
        ours, peer = taken.values()
        table.add_row("ratio", *(_ratio(ours[figure], peer[figure]) for figure in _FIGURES), "")
    Console(width=180).print(table)
    return 0


def _ratio(ours: list[float], peer: list[float]) -> str:
    fastest = f"{min(ours) / min(peer):.1f}" if min(peer) else "?"
    return f"{statistics.median(ours) / statistics.median(peer):.1f} ({fastest})"
