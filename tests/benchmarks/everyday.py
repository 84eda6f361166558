"""The everyday Chrome, in a real window: switched on, refused, allowed, shared and withdrawn by real input.

Needs Xvfb and xdotool (Debian's packages of these names). No assertion depends on time; where the browser needs a
moment, the click is repeated until it had its effect.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import trio
from rich.console import Console

from gasoline_cdp.chrome.find import find_browser
from tests.ports import free_port

_SIZE = (1200, 850)
# Where the switch and the dialog's buttons stand in a window of this size.
_SWITCH, _ALLOW, _CANCEL = (210, 212), (763, 306), (674, 306)
_ADDRESS = "chrome://inspect/#remote-debugging"
_PATIENCE = 120.0
_COMMAND = [sys.executable, "-m", "gasoline_cdp"]


class Person:
    """Sits in front of a screen of its own, with a browser of its own."""

    def __init__(self, environment: dict[str, str], profile: Path) -> None:
        self.environment = environment
        self.profile = profile

    def do(self, *arguments: str) -> str:
        done = subprocess.run(
            ["xdotool", *arguments], env=self.environment, capture_output=True, text=True, check=False
        )
        return done.stdout.strip()

    def click(self, place: tuple[int, int]) -> None:
        self.do("mousemove", str(place[0]), str(place[1]), "click", "1")

    def go(self, address: str, title: str) -> None:
        """Type an address until its page is there."""
        until(lambda: self.do("search", "--onlyvisible", "--name", title), partial(self._type, address))

    def _type(self, address: str) -> None:
        self.do("key", "ctrl+l")
        self.do("type", "--delay", "10", address)
        self.do("key", "Return")

    def tab(self) -> None:
        self.do("key", "ctrl+t")

    def switch(self, *, on: bool) -> None:
        """Turn on or off what chrome://inspect offers."""
        port = self.profile / "DevToolsActivePort"
        port.unlink(missing_ok=True)
        if on:
            until(port.exists, partial(self.click, _SWITCH))
        else:
            self.click(_SWITCH)


class Attaching:
    """A `gasoline-cdp attach` of the person."""

    def __init__(self, environment: dict[str, str], *arguments: str) -> None:
        self.environment = environment
        self._file = tempfile.NamedTemporaryFile(prefix="gasoline-everyday-")  # noqa: SIM115 - closed with the process
        self.process = subprocess.Popen(
            [*_COMMAND, "attach", "--everyday", "--port", "0", *arguments], env=environment, stderr=self._file
        )

    def said(self) -> str:
        return Path(self._file.name).read_text(encoding="utf-8")

    def call(self, what: str) -> str:
        done = subprocess.run(
            [*_COMMAND, "observe", what, "--json"], env=self.environment, capture_output=True, text=True, check=False
        )
        return done.stdout

    def connections(self, port: int) -> int:
        """How many connections to the browser are open on this machine, from our side."""
        lines = Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]
        return sum(line.split()[2].endswith(f":{port:04X}") and line.split()[3] == "01" for line in lines)


def until(condition: Callable[[], object], between: Callable[[], object] = lambda: None) -> None:
    """Wait for a condition, and do something between two looks."""
    end = time.monotonic() + _PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("this did not happen")
        between()
        trio.run(trio.sleep, 1.0)


@contextmanager
def open_person() -> Iterator[Person]:
    """A screen, and a browser on it."""
    root = Path(tempfile.mkdtemp(prefix="gasoline-everyday-"))
    screen = subprocess.Popen(
        ["Xvfb", "-displayfd", "1", "-screen", "0", "1280x900x24", "-nolisten", "tcp"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert screen.stdout is not None
    environment = {
        **os.environ,
        "DISPLAY": f":{screen.stdout.readline().decode().strip()}",
        "GASOLINE_RUNTIME_DIR": str(root / "runtime"),
    }
    width, height = _SIZE
    flags = ["--no-sandbox", "--no-first-run", "--window-position=0,0", f"--window-size={width},{height}"]
    browser = subprocess.Popen(
        [str(find_browser()), *flags, f"--user-data-dir={root / 'profile'}", "about:blank"],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        person = Person(environment, root / "profile")
        until(lambda: person.do("search", "--onlyvisible", "--name", "Chrom"))
        person.go(_ADDRESS, "Inspect with")
        yield person
    finally:
        for process in (browser, screen):
            process.kill()
            process.wait()
        shutil.rmtree(root, ignore_errors=True)


@contextmanager
def open_pages() -> Iterator[str]:
    """A site with three pages."""
    root = Path(tempfile.mkdtemp(prefix="gasoline-everyday-"))
    for name in ("named", "private", "other"):
        (root / name).mkdir()
        page = f"<title>{name} page</title><script>console.log('here is {name}')</script>"
        (root / name / "index.html").write_text(page, encoding="utf-8")
    port = free_port()
    command = [sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1", "--directory", str(root)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield f"http://127.0.0.1:{port}/"
    finally:
        server.kill()
        server.wait()
        shutil.rmtree(root, ignore_errors=True)


def main(_: Sequence[str]) -> int:
    """Do what a person does, and say what was seen. Returns 1 if anything is not as promised."""
    missing = [tool for tool in ("Xvfb", "xdotool") if shutil.which(tool) is None]
    if missing:
        Console().print(f"This needs {' and '.join(missing)}: apt-get install xvfb xdotool")
        return 2
    checks: list[tuple[str, bool]] = []

    def check(what: str, holds: object) -> None:
        checks.append((what, bool(holds)))
        Console().print(f"{'ok  ' if holds else 'FAIL'} {what}", markup=False)

    with open_person() as person, open_pages() as site:
        _before_the_switch(person, check)
        person.switch(on=True)
        _refuse(person, check)
        _share(person, check)
        _only_named(person, site, check)
    return 0 if all(holds for _, holds in checks) else 1


Check = Callable[[str, object], None]


def _before_the_switch(person: Person, check: Check) -> None:
    early = Attaching(person.environment, "--profile", str(person.profile))
    check("before the switch is on: exit code 1", early.process.wait() == 1)
    check("and says where to switch it on", _ADDRESS in early.said())


def _port(person: Person) -> int:
    return int((person.profile / "DevToolsActivePort").read_text(encoding="ascii").split()[0])


def _refuse(person: Person, check: Check) -> None:
    refused = Attaching(person.environment, "--profile", str(person.profile))
    until(lambda: "click Allow" in refused.said())
    check("while it waits, status says what to click", "click Allow" in refused.call("status"))
    until(lambda: refused.process.poll() is not None, partial(person.click, _CANCEL))
    check("Cancel: exit code 1", refused.process.returncode == 1)
    check("Cancel has a message of its own", "answered with Cancel" in refused.said())
    check("after Cancel nothing connects by itself", refused.connections(_port(person)) == 0)


def _share(person: Person, check: Check) -> None:
    allowed = Attaching(person.environment, "--profile", str(person.profile))
    until(lambda: "click Allow" in allowed.said())
    until(lambda: "Watching Chrome" in allowed.said(), partial(person.click, _ALLOW))
    check("Allow: it says what it sees of tabs that were open", "tabs that were open already" in allowed.said())
    check("one connection to Chrome", allowed.connections(_port(person)) == 1)
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "second editor", "version": "1"},
        },
    }
    editor = subprocess.run(
        [*_COMMAND, "mcp", "--everyday"],
        env=person.environment,
        input=json.dumps(hello) + "\n",
        capture_output=True,
        text=True,
        check=False,
    )
    check("a second editor joins", '"serverInfo"' in editor.stdout)
    check("and there is still one connection: no second dialog", allowed.connections(_port(person)) == 1)
    port = _port(person)
    person.switch(on=False)
    until(lambda: allowed.process.poll() is not None)
    check("withdrawn: exit code 1, and says so", "debugging was switched off" in allowed.said())
    check("after that nothing connects by itself", allowed.connections(port) == 0)


def _only_named(person: Person, site: str, check: Check) -> None:
    person.switch(on=True)
    person.tab()
    person.go(f"{site}private/", "private page")
    person.tab()
    person.go(f"{site}named/", "named page")
    named = Attaching(person.environment, "--profile", str(person.profile), "--only", f"{site}named/")
    until(lambda: "click Allow" in named.said())
    until(lambda: "Watching Chrome" in named.said(), partial(person.click, _ALLOW))
    tabs, logs = named.call("tabs"), named.call("logs")
    check("--only: the named tab is listed", f"{site}named/" in tabs)
    check("--only: its console is there", "here is named" in logs)
    check("--only: no other tab is listed", "private" not in tabs and "inspect" not in tabs)
    person.go(f"{site}other/", "other page")
    until(lambda: "left the addresses" in named.call("logs"))
    check("--only: a tab that leaves is let go of", "here is other" not in named.call("logs"))
    named.process.terminate()
    check(
        "Ctrl-C ends it, and Chrome goes on",
        named.process.wait() in (0, -15) and person.do("search", "--name", "other"),
    )
