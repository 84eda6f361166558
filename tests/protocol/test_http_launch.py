"""HTTP of the real program: its port, its token, what it costs and where it listens."""

import json
import socket
import stat
import sys
from pathlib import Path

import pytest
import trio

from gasoline_cdp.frontends import limits as frontend_limits
from gasoline_cdp.frontends.http.access import FILE, Access, read_access
from gasoline_cdp.frontends.http.listening import listen
from gasoline_cdp.frontends.local.runtime import runtime_directory
from gasoline_cdp.tools.registry import TOOLS
from tests.http_client import Http
from tests.processes import HEADLESS, call, open_command, open_process, run_command, until
from tests.support import PATIENCE
from tests.surface import widest_calls

READY = "Watching Chrome/"
LAUNCH = ["launch", *HEADLESS, "--temporary-profile"]
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}
JSON_OR_EVENTS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


async def _published() -> Access | None:
    return read_access()


def _access() -> Access:
    access = read_access()
    assert access is not None
    return access


@pytest.mark.requirement("S01", "S12", "F3-PORT", "F3-HTTP")
async def test_a_launched_daemon_serves_http_to_those_who_can_read_its_file(site: str) -> None:
    async with open_command(*LAUNCH, "--port", "0", "--verbose", f"{site}page/console") as running:
        # The file is there before the browser; whoever comes early waits.
        access = await until(_published)
        assert access.token
        http = Http(access)
        assert (await http.ask("GET", "/health")).status == 200
        await running.said(READY)
        file = runtime_directory() / FILE
        assert stat.S_IMODE(file.lstat().st_mode) == 0o600

        async def told() -> bool:
            return b"out of range: 11" in (await http.ask("GET", "/snapshot")).body

        await until(told)
        memory = (await call("observe", what="status"))["memory_mb"]
        assert memory < 50, "before the first MCP client"
        assert (await http.ask("POST", "/mcp", INITIALIZE, headers=JSON_OR_EVENTS)).status == 200
        said = [(await http.ask("POST", "/tools/observe", {"what": "status"})).body]
        said.append((await http.ask("GET", "/snapshot", token=False)).body)
        said.append((await http.ask("GET", f"/no/{access.ingest_key}")).body)
        assert _listening(running.process.pid) == {("127.0.0.1", access.port)}
        said += [Path(f"/proc/{running.process.pid}/{place}").read_bytes() for place in ("cmdline", "environ")]
        assert running.process.pid in _pids_of(said[0])
        said.append(running.stderr.encode() + running.stdout.encode())
        for text in said:
            assert access.token.encode() not in text
            assert access.ingest_key.encode() not in text
        running.signal(2)
        assert await running.ended() == 0
    assert not file.exists()
    assert read_access() is None


def _pids_of(answer: bytes) -> set[int]:
    return {json.loads(answer)["pid"]}


def _listening(pid: int) -> set[tuple[str, int]]:
    """The addresses on which a process listens, by the kernel's own tables."""
    inodes = set()
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        try:
            target = str(descriptor.readlink())
        except OSError:
            continue
        if target.startswith("socket:["):
            inodes.add(target[8:-1])
    found = set()
    for table in ("tcp", "tcp6", "udp", "udp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text(encoding="ascii").splitlines()[1:]:
            fields = line.split()
            if fields[9] in inodes and (fields[3] == "0A" or table.startswith("udp")):
                address, port = fields[1].split(":")
                assert len(address) == 8, f"listens on {table} {address}"
                found.add((socket.inet_ntoa(bytes.fromhex(address)[::-1]), int(port, 16)))
    return found


@pytest.mark.requirement("F3-PORT")
async def test_a_port_that_a_person_named_must_be_free() -> None:
    with listen(0) as taken:
        port = taken.getsockname()[1]
        done = await run_command(*LAUNCH, "--port", str(port))
    assert done.returncode == 1
    assert b"another program is using it" in done.stderr
    assert b"Starting" not in done.stderr, "no browser for nothing"
    assert done.stderr.count(b"\n") == 1


@pytest.mark.requirement("F3-PORT")
async def test_without_a_named_port_any_other_will_do() -> None:
    holder = socket.socket()

    async def held() -> bool:
        try:
            holder.bind(("127.0.0.1", frontend_limits.HTTP_PORT))
        except OSError:
            return False
        holder.listen()
        return True

    # Another test's daemon may have it, and lets go of it at any moment; one that stays has it as well as we would.
    with trio.move_on_after(PATIENCE / 4):
        await until(held)
    async with open_command(*LAUNCH) as running:
        await running.said(READY)
        access = _access()
        assert access.port != frontend_limits.HTTP_PORT
        assert f"HTTP: {access.url} ({frontend_limits.HTTP_PORT} is taken by another program)" in running.stderr
        assert (await Http(access).ask("GET", "/health")).json["browser"] == "running"
    holder.close()


@pytest.mark.requirement("F3-PORT")
async def test_no_token_is_said_loudly() -> None:
    async with open_command(*LAUNCH, "--port", "0", "--no-token") as running:
        await running.said(READY)
        assert "WARNING: --no-token" in running.stderr
        access = _access()
        assert access.token is None
        assert (await Http(access).ask("GET", "/snapshot")).status == 200


@pytest.mark.requirement("F3-PORT")
async def test_standalone_serves_http_only_when_asked_and_leaves_the_daemon_s_file_alone() -> None:
    async with open_command("mcp", "--standalone", *HEADLESS, "--temporary-profile", stdin=True) as running:
        await running.said("Starting")
        assert list(runtime_directory().glob("http*")) == []
    async with open_command(
        "mcp", "--standalone", *HEADLESS, "--temporary-profile", "--port", "0", stdin=True
    ) as running:
        await running.said("HTTP: ")
        await running.said("Starting")
        assert read_access() is None
        (file,) = runtime_directory().glob("http-*.json")
        said = json.loads(file.read_text())
        http = Http(Access(said["port"], said["token"], said["ingest_key"]))
        assert (await http.ask("GET", "/snapshot")).status == 200


_NOTING = """
import sys
def note(event, arguments):
    if event == "socket.connect" and arguments[0].family != 1:
        print("OUTBOUND", arguments[1], file=sys.stderr, flush=True)
    if event in {"socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "urllib.Request"}:
        print("OUTBOUND", event, arguments, file=sys.stderr, flush=True)
sys.addaudithook(note)
from gasoline_cdp.frontends.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.requirement("S25")
async def test_the_daemon_connects_to_nobody(site: str) -> None:
    command = [sys.executable, "-c", _NOTING, *LAUNCH, "--pilot", "--port", "0", f"{site}page/console"]
    async with open_process(command) as running:
        await running.said(READY)
        http = Http(_access())

        async def told() -> bool:
            return b"console page done" in (await http.ask("GET", "/snapshot")).body

        await until(told)
        for name in TOOLS:
            for arguments in widest_calls(name):
                assert (await http.ask("POST", f"/tools/{name}", arguments)).status < 500
        assert (await http.ask("POST", "/mcp", INITIALIZE, headers=JSON_OR_EVENTS)).status == 200
        await http.ask("POST", f"/logs?key={http.access.ingest_key}", {"message": "m", "url": "http://192.0.2.1/"})
        running.signal(15)
        assert await running.ended() == 0
        assert "OUTBOUND" not in running.stderr


async def test_the_audit_would_see_a_connection() -> None:
    script = (
        _NOTING.split("from gasoline_cdp", maxsplit=1)[0]
        + "import socket\nsocket.socket().connect_ex(('127.0.0.1', 9))"
    )
    done = await trio.run_process([sys.executable, "-c", script], capture_stderr=True)
    assert b"OUTBOUND ('127.0.0.1', 9)" in done.stderr
