"""The command line from outside: usage, failures, and what a person reads of them."""

import json
import os
import shlex
import signal
from pathlib import Path

import pytest
import trio

from gasoline_cdp import __version__
from gasoline_cdp.frontends.invocation import COMMANDS
from tests.processes import COMMAND, HEADLESS, browsers_with, call, drive, open_command, run_command, until
from tests.support import PATIENCE

CHECKS = ("browser", "sandbox", "display", "shared memory", "profile", "socket", "packages", "daemon", "start")


async def _shell(script: str) -> tuple[int, str, str]:
    """Run a line of shell in which $G is gasoline-cdp; its exit code, stdout and stderr."""
    with trio.fail_after(PATIENCE):
        ended = await trio.run_process(
            ["sh", "-c", script],
            env={**os.environ, "G": shlex.join(COMMAND)},
            capture_stdout=True,
            capture_stderr=True,
            check=False,
        )
    return ended.returncode, ended.stdout.decode(), ended.stderr.decode()


# --- usage ----------------------------------------------------------------------------------------


@pytest.mark.requirement("F1-CLI")
async def test_wrong_usage_is_an_exit_code_and_a_line() -> None:
    ended = await run_command("launch", "--prot", "7890")
    assert ended.returncode == 2
    assert ended.stdout == b""
    assert "unknown: --prot; did you mean --port?" in ended.stderr.decode()
    assert "Traceback" not in ended.stderr.decode()


@pytest.mark.requirement("F1-CLI")
async def test_without_a_command_the_commands_are_shown() -> None:
    ended = await run_command()
    assert ended.returncode == 2
    for command in COMMANDS:
        assert f"    {command} " in ended.stderr.decode().replace(f"    {command}\n", f"    {command} \n")


@pytest.mark.requirement("F1-CLI")
async def test_the_version_is_told() -> None:
    ended = await run_command("--version")
    assert ended.returncode == 0
    assert ended.stdout.decode() == f"gasoline-cdp {__version__}\n"


# --- failures -------------------------------------------------------------------------------------


@pytest.mark.requirement("F1-CLI")
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["launch", *HEADLESS, "--profile", "FILE"], "FILE cannot be used"),
        (["launch", *HEADLESS, "--profile", "FILE/profile"], "FILE/profile cannot be used"),
        (["launch", *HEADLESS, "--profile", "/proc/profile"], "/proc/profile cannot be used"),
        (["launch", *HEADLESS, "--browser", "DIRECTORY"], "'DIRECTORY', but there is no such program"),
        (["launch", *HEADLESS, "--browser", "FILE"], "'FILE', but there is no such program"),
        (["launch", *HEADLESS, "--browser", "no-such-browser"], "no such command on PATH"),
        (["launch", *HEADLESS, "--temporary-profile", "--browser", "NO-PROGRAM"], "NO-PROGRAM cannot be started"),
        (["demo", "--once", "--browser", "DIRECTORY"], "'DIRECTORY', but there is no such program"),
        (["attach", "--ws-endpoint", "garbage"], "must look like ws://"),
        (["attach", "--ws-endpoint", "ws://"], "must look like ws://"),
        (["attach", "--ws-endpoint", "ws://127.0.0.1:99999/x"], "must look like ws://"),
        (["attach", "--ws-endpoint", "ws://[::1/x"], "must look like ws://"),
        (["attach", "--ws-endpoint", "ws://127.0.0.1:1/x"], "nothing answers there"),
        (["attach", "--browser-url", "::::"], "must look like http://"),
        (["attach", "--browser-url", "http://127.0.0.1:port"], "must look like http://"),
        (["attach", "--browser-url", "http://[::1"], "must look like http://"),
        (["attach", "--browser-url", "ftp://127.0.0.1"], "must look like http://"),
        (["attach"], "--remote-debugging-port"),
        (["status"], " launch"),
        (["watch"], " launch"),
    ],
    ids=" ".join,
)
async def test_a_failure_is_one_line(
    arguments: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # No browser of this machine's user may be found, whatever runs here.
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    names = {"DIRECTORY": tmp_path, "NO-PROGRAM": tmp_path / "program", "FILE": tmp_path / "file"}
    (tmp_path / "file").write_text("")
    (tmp_path / "program").write_text("neither a program nor a script")
    (tmp_path / "program").chmod(0o755)
    for name, path in names.items():
        arguments = [argument.replace(name, str(path)) for argument in arguments]
        told = told.replace(name, str(path))
    ended = await run_command(*arguments)
    message = ended.stderr.decode()
    assert ended.returncode == 1, message
    assert told in message.splitlines()[-1]
    assert all(line.startswith("gasoline-cdp: ") for line in message.splitlines())
    assert "Traceback" not in message
    assert "internal error" not in message
    assert "Watching" not in message


@pytest.mark.requirement("F1-CLI")
@pytest.mark.parametrize("answer", [b"HTTP/1.1 500 No\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\n[]", b"SSH-2.0-x\r\n", b""])
async def test_attaching_to_something_else_is_told(answer: bytes) -> None:
    async def speak(stream: trio.SocketStream) -> None:
        async with stream:
            await stream.receive_some()
            await stream.send_all(answer)

    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(trio.serve_tcp, speak, 0)
        port = listeners[0].socket.getsockname()[1]
        ended = await run_command("attach", "--browser-url", f"http://127.0.0.1:{port}")
        nursery.cancel_scope.cancel()
    assert ended.returncode == 1
    assert "Is Chrome running with --remote-debugging-port?" in ended.stderr.decode()
    assert ended.stderr.decode().count("\n") == 1


@pytest.mark.requirement("F1-CLI")
@pytest.mark.parametrize("command", [["launch", *HEADLESS, "--temporary-profile"], ["status"], ["watch"]])
async def test_a_file_in_place_of_the_runtime_directory_is_told(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GASOLINE_RUNTIME_DIR", str(tmp_path / "file"))
    ended = await run_command(*command)
    message = ended.stderr.decode()
    assert ended.returncode == 1
    assert message.count("\n") == 1
    assert "internal error" not in message
    if command[0] == "launch":
        assert f"{tmp_path / 'file'}" in message
        assert "GASOLINE_RUNTIME_DIR" in message


@pytest.mark.requirement("F1-CLI")
async def test_a_traceback_is_logged_only_when_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A defect: the module that `status` needs cannot be imported.
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "rich.py").write_text("raise RuntimeError('boom')")
    monkeypatch.setenv("PYTHONPATH", str(broken))
    quiet = await run_command("status")
    assert quiet.returncode == 1
    assert quiet.stderr.decode() == (
        "gasoline-cdp: internal error (RuntimeError). Run it again with --verbose, and report it.\n"
    )
    loud = await run_command("status", "--verbose")
    assert loud.returncode == 1
    assert "boom" in loud.stderr.decode()


@pytest.mark.requirement("F1-CLI")
async def test_output_that_cannot_be_written_is_told() -> None:
    code, _, message = await _shell("$G doctor --browser /nowhere >/dev/full")
    assert code == 1
    assert message == "gasoline-cdp: Cannot write: No space left on device.\n"
    code, _, message = await _shell("$G doctor --browser /nowhere >&-")
    assert code == 1
    assert message == ""


@pytest.mark.requirement("F1-CLI")
@pytest.mark.parametrize("options", ["", "--standalone ", "--verbose "])
async def test_streams_that_are_closed_or_full_are_told_in_a_line(options: str) -> None:
    for redirection, which in (("<&-", "input"), (">&-", "output")):
        code, said, message = await _shell(f"$G mcp {options}{redirection}")
        assert (code, said, message.count("\n")) == (1, "", 1)
        assert f"standard {which} is closed" in message
    # What an assistant reads is never mixed with what a person reads.
    hello = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
    code, said, _ = await _shell(f"echo '{hello}' | $G mcp {options}--browser /nowhere 2>&-")
    assert [json.loads(line)["id"] for line in said.splitlines()] == [1]
    if not options:
        code, _, message = await _shell(f"echo '{hello}' | $G mcp --browser /nowhere >/dev/full")
        assert code == 1
        assert message == "gasoline-cdp: Cannot write to standard output: No space left on device.\n"
        await _shell("$G stop")


@pytest.mark.requirement("F1-CLI")
async def test_a_terminal_without_our_signs_shows_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    ended = await run_command("doctor", "--browser", "/nowhere")
    assert ended.returncode == 1
    assert b"'/nowhere', but there is no such program" in ended.stdout.replace(b"\n", b" ")
    assert ended.stderr == b""


# --- what Chrome gets ------------------------------------------------------------------------------


@pytest.mark.requirement("F1-CLI")
async def test_flags_behind_two_hyphens_reach_chrome(tmp_path: Path) -> None:
    profile = str(tmp_path / "profile")
    async with open_command("launch", *HEADLESS, "--profile", profile, "--", "--window-size=321,234") as running:
        await running.said("Watching Chrome/")
        assert set(browsers_with("--window-size=321,234")) & set(browsers_with(profile))
        running.signal(signal.SIGINT)
        assert await running.ended() == 0


# --- doctor ---------------------------------------------------------------------------------------


@pytest.fixture
def no_editors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The editors of this machine's user are not looked at."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)


@pytest.mark.requirement("F1-CLI")
@pytest.mark.usefixtures("no_editors")
async def test_doctor_finds_all_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "1")
    ended = await run_command("doctor")
    said = ended.stdout.decode()
    assert ended.returncode == 0, said
    for check in CHECKS:
        assert f"✓ {check}" in said
    assert "Chrome/" in said
    assert "All is well." in said


@pytest.mark.requirement("F1-CLI")
@pytest.mark.usefixtures("no_editors")
async def test_doctor_says_what_the_browser_said_and_what_to_do(tmp_path: Path) -> None:
    fake = tmp_path / "chrome"
    fake.write_text("#!/bin/sh\necho 'libnothing.so.1: cannot open shared object file' >&2\nexit 127\n")
    fake.chmod(0o755)
    ended = await run_command("doctor", "--no-sandbox", "--browser", str(fake))
    said = " ".join(ended.stdout.decode().split())
    assert ended.returncode == 1
    assert "✗ start" in said
    assert "libnothing.so.1" in said
    assert "--browser PATH" in said
    assert "1 problem to fix." in said


@pytest.mark.requirement("F1-CLI")
@pytest.mark.usefixtures("no_editors")
async def test_doctor_without_a_browser_tries_no_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    ended = await run_command("doctor", "--no-sandbox", "--browser", "/nowhere")
    said = ended.stdout.decode()
    assert ended.returncode == 1
    assert "✗ browser" in said
    assert "– start" in said
    # What is wrapped stands under its column.
    assert "\n                  " in said
    # All but the first line, which names the system.
    assert max(map(len, said.splitlines()[1:])) <= 60


@pytest.mark.requirement("F1-CLI")
@pytest.mark.usefixtures("no_editors")
async def test_doctor_sees_the_running_daemon(tmp_path: Path) -> None:
    async with open_command("launch", *HEADLESS, "--profile", str(tmp_path / "profile")) as running:
        await running.said("Watching Chrome/")
        said = (await run_command("doctor", "--no-sandbox")).stdout.decode()
        assert f"running, process {running.process.pid}, browser running" in said


@pytest.mark.requirement("F3-EDITORS")
@pytest.mark.usefixtures("no_editors")
async def test_doctor_tries_what_the_editors_would_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    works = {"command": COMMAND[0], "args": [*COMMAND[1:], "mcp", "--no-sandbox"]}
    for name, content in {
        ".cursor/mcp.json": json.dumps({"mcpServers": {"gasoline-cdp": works}}),
        ".gemini/settings.json": json.dumps(
            {"mcpServers": {"gasoline-cdp": {"command": "/gone/gasoline-cdp", "args": ["mcp"]}}}
        ),
        ".codeium/windsurf/mcp_config.json": json.dumps(
            {"mcpServers": {"gasoline-cdp": {"command": "true", "args": ["mcp"]}}}
        ),
        ".codex/config.toml": "[broken",
        ".claude.json": "{}",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    ended = await run_command("doctor", "--no-sandbox", "--browser", "/nowhere")
    said = ended.stdout.decode()
    assert ended.returncode == 1
    assert "✓ Cursor" in said
    assert "✗ Gemini CLI" in said
    assert "names /gone/gasoline-cdp, and there is no such program" in said
    assert "install gemini" in said
    assert "✗ Windsurf" in said
    assert "does not answer as an MCP server" in said
    assert "✗ Codex" in said
    assert "Claude Code" not in said
    assert "VS Code" not in said
    # It started no daemon.
    assert not (tmp_path / "runtime" / "daemon.lock").exists()


@pytest.mark.requirement("F1-CLI", "S13")
@pytest.mark.usefixtures("no_editors")
async def test_doctor_sees_a_socket_that_is_open_to_others(tmp_path: Path) -> None:
    async with open_command("launch", *HEADLESS, "--profile", str(tmp_path / "profile")) as running:
        await running.said("Watching Chrome/")
        socket = tmp_path / "runtime" / "daemon.sock"
        socket.chmod(0o666)
        said = " ".join((await run_command("doctor", "--no-sandbox", "--browser", "/nowhere")).stdout.decode().split())
        assert "✗ socket" in said
        assert "chmod 600" in said


# --- call and observe ------------------------------------------------------------------------------


@pytest.mark.requirement("F3-CLI")
async def test_any_tool_can_be_called_from_a_shell(tmp_path: Path, site: str) -> None:
    nobody = await run_command("observe", "errors")
    assert nobody.returncode == 1
    assert " launch" in nobody.stderr.decode()
    profile = str(tmp_path / "profile")
    async with open_command("launch", *HEADLESS, "--pilot", "--profile", profile, f"{site}page/console") as running:
        await running.said("Watching Chrome/")

        async def captured() -> bool:
            answer = await run_command("observe", "errors", "--limit", "5")
            assert answer.returncode == 0, answer.stderr
            return any("out of range" in entry.get("message", "") for entry in json.loads(answer.stdout)["entries"])

        await until(captured)
        same = await run_command("call", "observe", "--what", "errors", "--limit", "5", "--json")
        assert {entry["message"] for entry in json.loads(same.stdout)["entries"] if "message" in entry}
        wrong = await run_command("observe", "errors", "--tab-id", "999")
        assert wrong.returncode in {0, 1}
        assert json.loads(wrong.stdout)
        unknown = await run_command("observe", "eror")
        assert unknown.returncode == 2
        assert "did you mean 'errors'?" in unknown.stderr.decode()
        code, said, _ = await _shell("script -qec '$G observe errors' /dev/null")
        assert code == 0
        assert "errors" in said.splitlines()[0]
        assert "{" not in said.splitlines()[0]
        # On a terminal as in a pipe, the exit code says whether all steps were done.
        for step, expected in (("reload", 0), ("dialog accept", 1)):
            code, said, error = await _shell(f"script -qec \"$G act '{step}'\" /dev/null")
            assert (code, "internal error" in said + error) == (expected, False), said + error


# --- watch ----------------------------------------------------------------------------------------


@pytest.mark.requirement("F1-CLI")
async def test_watch_ends_quietly_when_its_reader_does(tmp_path: Path, site: str) -> None:
    profile = tmp_path / "profile"
    async with open_command("launch", *HEADLESS, "--profile", str(profile), "--debug-port", "0") as running:
        await running.said("Watching Chrome/")
        # The view says one line of its own: it ends although no record ever comes.
        code, said, message = await _shell("{ $G watch; echo code $? >&2; } | head -1")
        assert code == 0
        assert said.startswith("Watching gasoline-cdp")
        assert message == "code 0\n"

        results: list[tuple[int, str, str]] = []

        async def first_error() -> None:
            results.append(await _shell("{ $G watch --json --errors; echo code $? >&2; } | head -1"))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(first_error)
            await until(_is_watched)
            await drive(profile, f"{site}page/console")
        (code, said, message), *_ = results
        assert code == 0
        assert json.loads(said)["level"] == "error"
        assert message == "code 0\n"


async def _is_watched() -> bool:
    return bool((await call("observe", what="status"))["watchers"])
