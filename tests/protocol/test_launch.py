"""`launch` and `attach` from outside: what a person starts, kills and stops."""

import json
import os
import re
import signal
from functools import partial
from pathlib import Path

import pytest
import trio

from gasoline_cdp.frontends.local import bridge
from tests.processes import (
    HEADLESS,
    Running,
    alive,
    browsers_with,
    call,
    drive,
    open_command,
    run_command,
    run_on_terminal,
    until,
)
from tests.support import PATIENCE

READY = "Watching Chrome/"


@pytest.fixture(params=[[], ["--debug-port", "0"]], ids=["pipe", "port"])
def launching(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    """The options of a launch, in pipe and in port mode."""
    return ["launch", *HEADLESS, "--profile", str(tmp_path / "profile"), *request.param]


async def _status_of(running: Running) -> dict[str, object]:
    await running.said(READY)
    return await call("observe", what="status")


@pytest.mark.requirement("F1-CRASH")
async def test_chrome_killed_is_noticed_and_restarted(launching: list[str], site: str) -> None:
    async with open_command(*launching, f"{site}page/console") as running:
        await running.said(READY)
        await until(lambda: _errors("out of range"))
        first = (await call("observe", what="status"))["browser"]
        os.kill(first["pid"], signal.SIGKILL)

        async def noticed() -> dict[str, object] | None:
            status = await call("observe", what="status")
            return status if "signal 9" in status["summary"] else None

        with trio.fail_after(PATIENCE):
            status = await until(noticed)
        assert "crashed" in status["notice"]

        async def restarted() -> dict[str, object] | None:
            browser = (await call("observe", what="status"))["browser"]
            return browser if browser["state"] == "running" and browser.get("pid") != first["pid"] else None

        browser = await until(restarted)
        assert browser["restarts"] == 1
        # What was captured is still there, and the page was reopened and is watched.
        await until(lambda: _errors("out of range", at_least=2))


async def _errors(text: str, at_least: int = 1) -> bool:
    answer = await call("observe", what="errors", limit=100)
    found: int = sum(entry.get("count", 1) for entry in answer["entries"] if text in entry.get("message", ""))
    return found >= at_least


async def test_tabs_have_the_title_that_their_page_has_now(launching: list[str], site: str) -> None:
    async with open_command(*launching, f"{site}page/form") as running:
        await running.said(READY)

        async def titled() -> bool:
            return [tab["title"] for tab in (await call("observe", what="tabs"))["tabs"]] == ["A form & more"]

        await until(titled)


@pytest.mark.requirement("F3-CLI")
async def test_a_picture_of_the_page_goes_into_a_file(site: str, tmp_path: Path) -> None:
    file = tmp_path / "page.jpg"
    async with open_command("launch", *HEADLESS, "--temporary-profile", f"{site}page/form") as running:
        await running.said(READY)
        done = await run_command("observe", "screenshot", "--output", str(file))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["bytes"] == file.stat().st_size
    assert file.read_bytes().startswith(b"\xff\xd8\xff")


@pytest.mark.requirement("F1-CRASH")
async def test_who_asks_a_page_of_a_dying_browser_is_told_so(site: str) -> None:
    script = "console.error('out of range'); await new Promise(() => {})"
    told: list[dict[str, object]] = []

    async def ask() -> None:
        arguments = {"script": script, "timeout_ms": 30000}
        told.append((await trio.to_thread.run_sync(bridge.call, "execute_javascript", arguments))[0])

    async with open_command("launch", *HEADLESS, "--temporary-profile", "--pilot", f"{site}page/blank") as running:
        await running.said(READY)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask)
            await until(lambda: _errors("out of range"))
            os.kill((await call("observe", what="status"))["browser"]["pid"], signal.SIGKILL)
    assert told[0]["error"] == "no_browser"
    assert "The browser ended" in str(told[0]["message"])


@pytest.mark.requirement("F1-CRASH")
async def test_a_browser_that_keeps_crashing_is_given_up() -> None:
    async with open_command("launch", *HEADLESS, "--temporary-profile") as running:
        await running.said(READY)
        killed: list[int] = []

        async def another_browser() -> int | None:
            browser = (await call("observe", what="status"))["browser"]
            return browser["pid"] if browser["state"] == "running" and browser["pid"] not in killed else None

        for _ in range(4):
            killed.append(await until(another_browser))
            os.kill(killed[-1], signal.SIGKILL)
        assert await running.ended() == 1
        assert "is not restarted again" in running.stderr


@pytest.mark.requirement("F1-END", "S23")
async def test_the_daemon_killed_takes_chrome_with_it(launching: list[str], tmp_path: Path) -> None:
    async with open_command(*launching) as running:
        browser = (await _status_of(running))["browser"]
        running.signal(signal.SIGKILL)

        async def nothing_left() -> bool:
            return not browsers_with(str(tmp_path / "profile"))

        await until(nothing_left)
        assert not alive(browser["pid"])  # type: ignore[index]
    # The profile and the socket can be used again.
    async with open_command(*launching) as again:
        await again.said(READY)


@pytest.mark.requirement("F1-END")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=["INT", "TERM", "HUP"])
async def test_a_signal_ends_both_cleanly(launching: list[str], tmp_path: Path, number: int) -> None:
    async with open_command(*launching) as running:
        await running.said(READY)
        running.signal(number)
        assert await running.ended() == 0
        assert browsers_with(str(tmp_path / "profile")) == []
        assert "Traceback" not in running.stderr
        assert not (tmp_path / "runtime" / "daemon.sock").exists()


@pytest.mark.requirement("F1-END")
async def test_a_signal_during_the_start_leaves_nothing(launching: list[str], tmp_path: Path) -> None:
    async with open_command(*launching) as running:
        await running.said("Starting ")
        running.signal(signal.SIGINT)
        assert await running.ended() == 0
        assert browsers_with(str(tmp_path / "profile")) == []


@pytest.mark.requirement("S24")
async def test_attach_never_ends_the_browser(chromium: str, site: str) -> None:
    for number in (signal.SIGINT, signal.SIGKILL):
        async with open_command("attach", "--ws-endpoint", chromium, f"{site}page/console") as running:
            await running.said(READY)
            await until(lambda: _errors("out of range"))
            running.signal(number)
            await running.ended()
    address = "http://" + chromium.removeprefix("ws://").split("/")[0]
    async with open_command("attach", "--browser-url", address) as running:
        status = await _status_of(running)
        assert status["browser"]["mode"] == "attached"  # type: ignore[index]


async def test_a_second_launch_says_who_is_there(tmp_path: Path) -> None:
    async with open_command("launch", *HEADLESS, "--profile", str(tmp_path / "profile")) as running:
        await running.said(READY)
        second = await run_command("launch", *HEADLESS, "--temporary-profile")
        assert second.returncode == 1
        assert f"already running (process {running.process.pid})" in second.stderr.decode()


async def test_a_profile_in_use_names_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    profile = str(tmp_path / "profile")
    async with open_command("launch", *HEADLESS, "--profile", profile) as running:
        browser = (await _status_of(running))["browser"]
        monkeypatch.setenv("GASOLINE_RUNTIME_DIR", str(tmp_path / "other"))
        second = await run_command("launch", *HEADLESS, "--profile", profile)
        assert second.returncode == 1
        assert f"process {browser['pid']}" in second.stderr.decode()  # type: ignore[index]
        assert second.stderr.decode().count("\n") <= 2


async def test_a_browser_that_ends_at_once_says_its_last_words(tmp_path: Path) -> None:
    fake = tmp_path / "fake-chrome"
    fake.write_text("#!/bin/sh\necho 'libnothing.so.1: cannot open shared object file' >&2\nexit 127\n")
    fake.chmod(0o755)
    ended = await run_command("launch", *HEADLESS, "--temporary-profile", "--browser", str(fake))
    assert ended.returncode == 1
    message = ended.stderr.decode()
    assert "libnothing.so.1" in message
    assert "127" in message
    assert "Traceback" not in message


async def test_no_browser_says_what_was_tried(tmp_path: Path) -> None:
    ended = await run_command("launch", *HEADLESS, "--browser", str(tmp_path / "nothing"))
    assert ended.returncode == 1
    assert "--browser" in ended.stderr.decode()
    assert str(tmp_path / "nothing") in ended.stderr.decode()


async def test_attach_without_a_browser_says_what_to_do() -> None:
    ended = await run_command("attach", "--browser-url", "http://127.0.0.1:1")
    assert ended.returncode == 1
    assert "--remote-debugging-port" in ended.stderr.decode()
    ended = await run_command("attach", "--ws-endpoint", "http://127.0.0.1:1")
    assert ended.returncode == 1
    assert "ws://" in ended.stderr.decode()


@pytest.mark.requirement("S22")
async def test_pipe_mode_opens_no_port(tmp_path: Path) -> None:
    async with open_command("launch", *HEADLESS, "--profile", str(tmp_path / "profile")) as running:
        await running.said(READY)
        owned = set(browsers_with(str(tmp_path / "profile")))
        assert owned
        assert _listening(owned) == set()


def _listening(pids: set[int]) -> set[int]:
    """The inodes of TCP sockets in state LISTEN that these processes hold."""
    listening = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A":
                listening.add(int(fields[9]))
    held = set()
    for pid in pids:
        for entry in Path(f"/proc/{pid}/fd").iterdir():
            try:
                target = str(entry.readlink())
            except OSError:
                continue
            if target.startswith("socket:["):
                held.add(int(target[8:-1]))
    return listening & held


async def test_status_and_watch_speak_to_the_running_daemon(tmp_path: Path, site: str) -> None:
    nobody = await run_command("status")
    assert nobody.returncode == 1
    assert " launch" in nobody.stderr.decode()
    profile = tmp_path / "profile"
    async with open_command("launch", *HEADLESS, "--profile", str(profile), "--debug-port", "0") as running:
        await running.said(READY)
        status = json.loads((await run_command("status", "--json")).stdout)
        assert status["browser"]["state"] == "running"
        people = (await run_command("status")).stdout.decode()
        assert "running" in people
        assert "pilot off" in people
        async with open_command("watch", "--json", "--errors") as errors, open_command("watch") as watching:
            await watching.said("Watching gasoline-cdp")
            await until(lambda: _watchers(2))
            await drive(profile, f"{site}page/console")
            await watching.said("out of range")
            await errors.said("nobody caught me")
            assert re.search(r'^\d\d:\d\d:\d\d  log +"plain text', watching.stdout, re.MULTILINE)
            # The last that the page says.
            await watching.said('"console page done"')
            await _shows_an_assistant_s_lines()
            lines = [json.loads(line) for line in errors.stdout.splitlines()]
            assert {line["level"] for line in lines if line["record"] == "log"} == {"error"}
            running.signal(signal.SIGINT)
            assert await watching.ended() == 0
            assert "gasoline-cdp has ended." in watching.stdout


async def _shows_an_assistant_s_lines() -> None:
    """A terminal shows the words that an assistant reads, and no others; a program reads JSON."""
    ask = partial(bridge.ask_tool, "observe", {"what": "logs"}, lines=True)
    told = await trio.to_thread.run_sync(ask)
    assert "data" not in told
    code, said = await run_on_terminal("observe", "logs", columns=100)
    assert code == 0
    assert "\x1b[31m" in said
    words = re.sub(r"\s|\x1b\[[0-9;]*m", "", said)
    heading, *entries = told["lines"]
    assert heading["text"].split(",")[0].replace(" ", "") in words
    for line in entries:
        spoken = "".join(line.get(part, "") for part in ("time", "tag", "text", "place"))
        assert re.sub(r"\s", "", spoken) in words
    assert json.loads((await run_command("observe", "logs")).stdout)["entries"]


async def _watchers(number: int) -> bool:
    """Whether so many views are connected, as the daemon counts them."""
    return bool((await call("observe", what="status"))["watchers"] == number)
