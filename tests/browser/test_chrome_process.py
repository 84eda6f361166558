"""A real browser from start to end, and what is left of it: nothing."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import trio
import trio.testing

from gasoline_cdp import limits
from gasoline_cdp.chrome import process as process_module
from gasoline_cdp.chrome.find import find_browser
from gasoline_cdp.chrome.process import ChromeProcess, Launch, open_chrome
from gasoline_cdp.chrome.processes import is_group_running
from gasoline_cdp.errors import Code, GasolineError
from tests.ports import free_port
from tests.support import PATIENCE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc to see that nothing is left")

MARK = "GASOLINE_TEST_MARK"

# Starts a browser, tells its process id, and then never ends by itself. Arguments: profile, how.
PARENT = """
import sys, trio
from pathlib import Path
from gasoline_cdp.chrome.find import find_browser
from gasoline_cdp.chrome.process import Launch, open_chrome

async def main(profile, how):
    launch = Launch(
        browser=find_browser(), profile=Path(profile), headless=True, no_sandbox=True, pipe=how != "port"
    )
    async with open_chrome(launch) as chrome:
        if how == "port":
            await chrome.wait_debug_address()
        if how == "pipe":
            await chrome.to_chrome.send_all(b'{"id":1,"method":"Browser.getVersion"}\\0')
            await chrome.from_chrome.receive_some()
        print(chrome.pid, flush=True)
        await trio.sleep_forever()

trio.run(main, *sys.argv[1:])
"""

LISTS_FDS = """
import os, pathlib, sys
for entry in sorted(pathlib.Path("/proc/self/fd").iterdir()):
    # The directory itself is open while it is read, and only then.
    if entry.is_symlink():
        print(entry.name, entry.readlink(), file=sys.stderr)
os.write(4, b"ready")
print(os.read(3, 100).decode(), file=sys.stderr)
"""


@pytest.fixture
def mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A word in the environment of all that is started, also of helpers that leave the process group."""
    monkeypatch.setenv(MARK, str(tmp_path))
    return f"{MARK}={tmp_path}"


@pytest.fixture
def launch(tmp_path: Path, mark: str) -> Launch:
    assert mark
    profile = tmp_path / "profile"
    profile.mkdir()
    return Launch(browser=find_browser(), profile=profile, headless=True, no_sandbox=True)


@pytest.fixture
def script(launch: Launch, tmp_path: Path) -> Callable[[str], Launch]:
    """A "browser" that is a shell script."""

    def make(text: str) -> Launch:
        path = tmp_path / "browser"
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return Launch(browser=path, profile=launch.profile, headless=True)

    return make


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser that is asked to close has the time for it, however busy the machine is."""
    monkeypatch.setattr(limits, "CLOSE_SECONDS", PATIENCE)


def marked(mark: str) -> list[int]:
    """Living processes with the mark; the dead have no environment."""
    found = []
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (directory / "environ").read_bytes():
                found.append(int(directory.name))
        except OSError:
            continue
    return found


async def wait_nothing_left(mark: str, group: int) -> None:
    with trio.fail_after(PATIENCE):
        while marked(mark) or is_group_running(group):  # noqa: ASYNC110 other people's processes
            await trio.sleep(0.01)


async def ask(chrome: ChromeProcess, method: str) -> dict:
    assert chrome.to_chrome is not None
    assert chrome.from_chrome is not None
    with trio.fail_after(PATIENCE):
        await chrome.to_chrome.send_all(json.dumps({"id": 1, "method": method}).encode() + b"\0")
        reply = b""
        while not reply.endswith(b"\0"):
            chunk = await chrome.from_chrome.receive_some()
            assert chunk, chrome.stderr_tail
            reply += chunk
        answer: dict = json.loads(reply[:-1])
        return answer


async def exit_code(chrome: ChromeProcess) -> int:
    with trio.fail_after(PATIENCE):
        return await chrome.wait_exited()


def is_reaped(pid: int) -> bool:
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return True
    return False


@pytest.mark.usefixtures("patient")
async def test_it_answers_over_the_pipe_and_goes_with_the_block(launch: Launch, mark: str) -> None:
    async with open_chrome(launch) as chrome:
        reply = await ask(chrome, "Browser.getVersion")
        assert "Chrome/" in reply["result"]["product"]
        assert chrome.pid in marked(mark)
    assert chrome.returncode == 0
    assert not is_group_running(chrome.pid)
    assert is_reaped(chrome.pid)
    # A browser that was killed would have left its lock.
    assert not (launch.profile / "SingletonLock").is_symlink()
    await wait_nothing_left(mark, chrome.pid)


@pytest.mark.usefixtures("patient")
async def test_it_is_asked_to_close_by_whoever_can_speak_to_it(launch: Launch) -> None:
    async def close() -> None:
        replies.append(await ask(chrome, "Browser.close"))

    replies: list[dict] = []
    async with open_chrome(launch) as chrome:
        await ask(chrome, "Browser.getVersion")
        chrome.close_politely = close
    assert replies == [{"id": 1, "result": {}}]
    assert chrome.returncode == 0


@pytest.mark.parametrize("how", ["fails", "hangs"])
async def test_a_request_to_close_that_goes_wrong_changes_nothing(launch: Launch, mark: str, how: str) -> None:
    async def close() -> None:
        if how == "fails":
            raise RuntimeError("no connection")
        await trio.sleep_forever()

    async with open_chrome(launch) as chrome:
        await ask(chrome, "Browser.getVersion")
        chrome.close_politely = close
        closing = trio.current_time()
    assert trio.current_time() - closing < PATIENCE
    assert chrome.returncode is not None
    await wait_nothing_left(mark, chrome.pid)


async def test_a_crash_is_seen_at_once_by_every_waiter(launch: Launch, mark: str) -> None:
    async def wait() -> None:
        codes.append(await exit_code(chrome))

    codes: list[int] = []
    async with open_chrome(launch) as chrome:
        await ask(chrome, "Browser.getVersion")
        async with trio.open_nursery() as nursery:
            for _ in range(3):
                nursery.start_soon(wait)
            await trio.testing.wait_all_tasks_blocked()
            os.kill(chrome.pid, signal.SIGKILL)
            killed = trio.current_time()
        assert codes == [-signal.SIGKILL] * 3
        assert trio.current_time() - killed < 2
        # Its helpers go without us leaving the block.
        await wait_nothing_left(mark, chrome.pid)
    assert is_reaped(chrome.pid)


async def test_without_pidfd_a_thread_waits(launch: Launch, mark: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_pid: int) -> int:
        raise PermissionError

    monkeypatch.setattr(os, "pidfd_open", refuse)
    async with open_chrome(launch) as chrome:
        await ask(chrome, "Browser.getVersion")
        os.kill(chrome.pid, signal.SIGKILL)
        assert await exit_code(chrome) == -signal.SIGKILL
    await wait_nothing_left(mark, chrome.pid)


async def test_a_wedged_browser_is_killed(launch: Launch, mark: str) -> None:
    async with open_chrome(launch) as chrome:
        await ask(chrome, "Browser.getVersion")
        os.killpg(chrome.pid, signal.SIGSTOP)
        closing = trio.current_time()
    assert trio.current_time() - closing < PATIENCE
    assert chrome.returncode == -signal.SIGKILL
    assert is_reaped(chrome.pid)
    await wait_nothing_left(mark, chrome.pid)


async def test_a_second_browser_on_a_profile_names_the_first(launch: Launch) -> None:
    async with open_chrome(launch) as first:
        await ask(first, "Browser.getVersion")
        # A stopped browser would keep Chrome's own check waiting for more than half a minute.
        os.killpg(first.pid, signal.SIGSTOP)
        with pytest.raises(GasolineError, match=f"in use by process {first.pid}") as caught:
            await open_chrome(launch).__aenter__()
        os.killpg(first.pid, signal.SIGCONT)
    assert caught.value.code == Code.PROFILE_IN_USE
    assert caught.value.details["pid"] == first.pid


async def test_a_second_browser_that_chrome_itself_refuses_names_the_first(
    launch: Launch, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_chrome(launch) as first:
        await ask(first, "Browser.getVersion")
        # As if the first had started in the moment between our look at the lock and Chrome's.
        monkeypatch.setattr(process_module, "clear_leftovers", lambda _profile: None)
        async with open_chrome(launch) as second:
            assert await exit_code(second) == 21
            error = second.exit_error()
    assert error.code == Code.PROFILE_IN_USE
    assert error.details["pid"] == first.pid


async def test_leftovers_of_a_killed_browser_are_no_hindrance(launch: Launch) -> None:
    async with open_chrome(launch) as chrome:
        await ask(chrome, "Browser.getVersion")
        os.killpg(chrome.pid, signal.SIGKILL)
        await exit_code(chrome)
    assert (launch.profile / "SingletonLock").is_symlink()
    (launch.profile / "DevToolsActivePort").write_text("1\n/devtools/browser/old\n")
    async with open_chrome(launch) as chrome:
        await ask(chrome, "Browser.getVersion")
        assert not (launch.profile / "DevToolsActivePort").exists()


async def test_what_a_failing_browser_said_last(script: Callable[[str], Launch]) -> None:
    launch = script("echo first >&2; echo 'libnss3.so: cannot open shared object file' >&2; exit 127")
    async with open_chrome(launch) as chrome:
        assert await exit_code(chrome) == 127
        error = chrome.exit_error()
        assert chrome.stderr_tail == ["first", "libnss3.so: cannot open shared object file"]
    assert error.code == Code.BROWSER_FAILED
    assert error.message.endswith("with code 127: first / libnss3.so: cannot open shared object file")


async def test_a_browser_that_talks_without_end_is_not_held_up(script: Callable[[str], Launch]) -> None:
    launch = script("head -c 2000000 /dev/zero | tr '\\0' 'x' >&2; seq 100000 >&2; exit 3")
    async with open_chrome(launch) as chrome:
        assert await exit_code(chrome) == 3
        assert chrome.stderr_tail[-1] == "100000"
        assert len(chrome.stderr_tail) == limits.STDERR_TAIL_LINES


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is refused")
async def test_root_with_sandbox_is_told_what_to_do(launch: Launch) -> None:
    sandboxed = Launch(browser=launch.browser, profile=launch.profile, headless=True)
    async with open_chrome(sandboxed) as chrome:
        assert await exit_code(chrome) == 1
        assert "pass --no-sandbox if you trust the pages" in chrome.exit_error().message


async def test_a_program_that_cannot_be_started(script: Callable[[str], Launch]) -> None:
    launch = script("")
    for break_it in (lambda: launch.browser.write_text("no program"), launch.browser.unlink):
        break_it()
        with pytest.raises(GasolineError, match="cannot be started") as caught:
            await open_chrome(launch).__aenter__()
        assert caught.value.code == Code.BROWSER_FAILED


async def test_it_gets_the_pipe_and_nothing_else_of_ours(script: Callable[[str], Launch]) -> None:
    launch = script(f"exec {sys.executable} -c '{LISTS_FDS}'")
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    try:
        async with open_chrome(launch) as chrome:
            assert chrome.from_chrome is not None
            assert chrome.to_chrome is not None
            with trio.fail_after(PATIENCE):
                assert await chrome.from_chrome.receive_some() == b"ready"
                await chrome.to_chrome.send_all(b"a command")
            assert await exit_code(chrome) == 0
    finally:
        os.close(reading)
        os.close(writing)
    *listing, heard = chrome.stderr_tail
    fds = dict(line.split() for line in listing)
    assert heard == "a command"
    assert fds.keys() == set("01234")
    assert fds["0"] == fds["1"] == os.devnull
    assert all(fds[fd].startswith("pipe:") for fd in "234")


def test_the_pipe_is_right_when_its_own_ends_are_fds_3_and_4(script: Callable[[str], Launch]) -> None:
    start = """
import os, sys
from gasoline_cdp.chrome.posix import _start
os.closerange(3, 256)
child = _start([sys.argv[1]])
assert 3 in (child.to_chrome.fileno(), child.from_chrome.fileno())
os.write(child.to_chrome.fileno(), b"there and back\\n")
os.set_blocking(child.from_chrome.fileno(), True)
print(os.read(child.from_chrome.fileno(), 100))
os.waitpid(child.pid, 0)
print(os.read(child._stderr.fileno(), 100))
"""
    browser = script("head -n 1 <&3 >&4; echo said >&2").browser
    run = subprocess.run(
        [sys.executable, "-c", start, browser], capture_output=True, check=False, text=True, timeout=PATIENCE
    )
    assert run.stdout == "b'there and back\\n'\nb'said\\n'\n", run.stderr


async def test_a_script_that_ignores_all_requests_and_its_children_are_killed(
    script: Callable[[str], Launch], mark: str
) -> None:
    launch = script("trap '' TERM; sleep 600 & sleep 600 & echo ready >&4; wait; wait")
    async with open_chrome(launch) as chrome:
        assert chrome.from_chrome is not None
        with trio.fail_after(PATIENCE):
            await chrome.from_chrome.receive_some()
            # A child between its fork and its exec has no environment to read yet.
            while len(marked(mark)) < 3:  # noqa: ASYNC110 other people's processes
                await trio.sleep(0.01)
    assert not is_group_running(chrome.pid)
    assert marked(mark) == []
    assert chrome.returncode == -signal.SIGKILL


async def test_helpers_that_outlive_their_browser_are_killed(script: Callable[[str], Launch], mark: str) -> None:
    async with open_chrome(script("sleep 600 & exit 0")) as chrome:
        assert await exit_code(chrome) == 0
    assert not is_group_running(chrome.pid)
    assert marked(mark) == []


@pytest.mark.usefixtures("patient")
async def test_a_start_script_that_stays_in_front_of_chrome(script: Callable[[str], Launch], mark: str) -> None:
    async with open_chrome(script(f'{find_browser()} --no-sandbox "$@"')) as chrome:
        await ask(chrome, "Browser.getVersion")
    assert chrome.returncode == 0
    assert not is_group_running(chrome.pid)
    await wait_nothing_left(mark, chrome.pid)


async def test_cancelled_before_the_start(launch: Launch, mark: str) -> None:
    with trio.CancelScope() as scope:
        scope.cancel()
        async with open_chrome(launch):
            pytest.fail("started")
    assert scope.cancelled_caught
    assert marked(mark) == []


@pytest.mark.parametrize("seconds", [0, 0.03, 0.2])
async def test_cancelled_while_starting(launch: Launch, mark: str, seconds: float) -> None:
    with trio.CancelScope() as scope:
        async with open_chrome(launch) as chrome:
            scope.deadline = trio.current_time() + seconds
            # Nothing is asked, so nothing comes.
            await trio.sleep_forever()
    assert scope.cancelled_caught
    assert not is_group_running(chrome.pid)
    assert is_reaped(chrome.pid)
    await wait_nothing_left(mark, chrome.pid)


async def test_a_process_that_hangs_in_the_kernel_does_not_hang_us(
    script: Callable[[str], Launch], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def never(_child: object) -> None:
        await trio.sleep_forever()

    monkeypatch.setattr("gasoline_cdp.chrome.posix.Child.clear_group", never)
    monkeypatch.setattr(limits, "REAP_SECONDS", 0.1)
    with trio.fail_after(PATIENCE):
        async with open_chrome(script("exec cat <&3")) as chrome:
            pass
    assert "does not end although killed" in caplog.text
    assert not is_reaped(chrome.pid)


async def test_an_error_in_the_block_comes_out_as_it_is(script: Callable[[str], Launch], mark: str) -> None:
    async def fail() -> None:
        async with open_chrome(script("exec cat <&3")):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        await fail()
    assert marked(mark) == []


@pytest.mark.parametrize("pipe", [True, False])
@pytest.mark.usefixtures("patient")
async def test_a_debugging_port_of_chromes_choice(launch: Launch, pipe: bool, mark: str) -> None:
    ported = Launch(
        browser=launch.browser,
        profile=launch.profile,
        headless=True,
        no_sandbox=True,
        pipe=pipe,
        debug_port=0 if pipe else None,
    )
    async with open_chrome(ported) as chrome:
        with trio.fail_after(PATIENCE):
            address = await chrome.wait_debug_address()
        port, path = address.removeprefix("ws://127.0.0.1:").split("/", 1)
        assert path.startswith("devtools/browser/")
        with trio.fail_after(PATIENCE):
            await (await trio.open_tcp_stream("127.0.0.1", int(port))).aclose()
        assert (chrome.to_chrome is not None) == pipe
        assert (chrome.from_chrome is not None) == pipe
    assert chrome.returncode == 0
    await wait_nothing_left(mark, chrome.pid)


def with_port(launch: Launch, port: int) -> Launch:
    return Launch(browser=launch.browser, profile=launch.profile, headless=True, no_sandbox=True, debug_port=port)


async def test_a_debugging_port_of_the_users_choice(launch: Launch) -> None:
    port = free_port()
    async with open_chrome(with_port(launch, port)) as chrome:
        with trio.fail_after(PATIENCE):
            address = await chrome.wait_debug_address()
        assert address.startswith(f"ws://127.0.0.1:{port}/devtools/browser/")


async def test_a_debugging_port_that_is_taken(launch: Launch) -> None:
    # On both addresses: Chrome quietly takes ::1 when only 127.0.0.1 is taken.
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_server(("::1", server.getsockname()[1]), family=socket.AF_INET6),
    ):
        async with open_chrome(with_port(launch, server.getsockname()[1])) as chrome:
            with trio.fail_after(PATIENCE), pytest.raises(GasolineError, match="cannot listen") as caught:
                await chrome.wait_debug_address()
    assert caught.value.code == Code.BROWSER_FAILED


async def test_a_browser_that_exits_before_it_has_a_port(script: Callable[[str], Launch]) -> None:
    async with open_chrome(with_port(script("echo not today >&2; exit 4"), 0)) as chrome:
        with trio.fail_after(PATIENCE), pytest.raises(GasolineError, match="code 4: not today"):
            await chrome.wait_debug_address()


async def test_waiting_for_a_port_that_was_not_asked_for_is_a_mistake(
    script: Callable[[str], Launch],
) -> None:
    async with open_chrome(script("exec cat <&3")) as chrome:
        with pytest.raises(RuntimeError, match="without a debugging port"):
            await chrome.wait_debug_address()


@pytest.mark.parametrize("how", ["pipe", "port", "just started"])
async def test_nothing_outlives_us_when_we_are_killed(launch: Launch, mark: str, how: str) -> None:
    command = [sys.executable, "-c", PARENT, str(launch.profile), how]
    async with trio.open_nursery() as nursery:
        run = partial(trio.run_process, command, stdout=subprocess.PIPE, check=False)
        parent = await nursery.start(run)
        try:
            with trio.fail_after(PATIENCE):
                browser = int(await parent.stdout.receive_some())
        finally:
            parent.kill()
    # One that is only just starting sees the closed pipe when it has started.
    await wait_nothing_left(mark, browser)
