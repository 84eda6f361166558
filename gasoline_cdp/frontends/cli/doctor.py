"""`gasoline-cdp doctor`: checks everything that can be wrong, and says how to fix it."""

import importlib.metadata
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial

import trio
from attrs import frozen
from rich.console import Console
from rich.table import Table
from rich.text import Text

from gasoline_cdp import __version__
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.browser.launched import Launched
from gasoline_cdp.chrome.find import find_browser
from gasoline_cdp.chrome.flags import headless_choice, sandbox_choice, small_dev_shm
from gasoline_cdp.chrome.profile import default_profile
from gasoline_cdp.config import Config
from gasoline_cdp.daemon import open_daemon
from gasoline_cdp.errors import GasolineError
from gasoline_cdp.frontends.cli.terminal import open_console
from gasoline_cdp.frontends.editors.install import read_configuration
from gasoline_cdp.frontends.editors.known import EDITORS, Editor, this_machine
from gasoline_cdp.frontends.invocation import NAME, as_typed
from gasoline_cdp.frontends.local import bridge
from gasoline_cdp.frontends.local.runtime import ADDRESS, SOCKET, daemon_process, private_directory
from gasoline_cdp.frontends.mcp.greeting import HANDSHAKE_VERSIONS, SERVER_NAME

_GREETING_SECONDS = 30
_INITIALIZE = (
    json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": HANDSHAKE_VERSIONS[-1],
                "capabilities": {},
                "clientInfo": {"name": "doctor", "version": __version__},
            },
        }
    ).encode()
    + b"\n"
)


@frozen
class Checked:
    """The result of one check. `well` is None if it was not run. `fix` is set if `detail` does not say what to do."""

    name: str
    well: bool | None
    detail: str
    fix: str = ""


_NAME_WIDTH = 13
_MARKS = {True: ("✓", "green"), False: ("✗", "bold red"), None: ("–", "dim")}


def run_doctor(browser: str | None, *, no_sandbox: bool) -> int:
    """Print each result as soon as it is known; 1 if anything must be fixed."""
    console = open_console()
    console.print(
        Text(f"gasoline-cdp {__version__} on Python {platform.python_version()}, {platform.platform()}", "bold")
    )
    checks: tuple[Callable[[], Checked | None], ...] = (
        lambda: _check_browser(browser),
        lambda: _check_sandbox(no_sandbox=no_sandbox),
        _check_display,
        _check_shared_memory,
        _check_profile,
        _check_runtime,
        _check_versions,
        _check_daemon,
        *(partial(check_editor, editor) for editor in EDITORS.values()),
    )
    findings: dict[str, Checked] = {}
    for check in checks:
        finding = check()
        if finding is None:
            continue
        findings[finding.name] = finding
        _show(console, finding)
    if findings["browser"].well and findings["sandbox"].well:
        start = _check_start(browser, no_sandbox=no_sandbox)
    else:
        start = Checked("start", None, "not tried, because of the above")
    _show(console, start)
    wrong = sum(finding.well is False for finding in (*findings.values(), start))
    console.print(Text("All is well." if not wrong else f"{number_of(wrong, 'problem')} to fix.", style="bold"))
    return 1 if wrong else 0


def _show(console: Console, finding: Checked) -> None:
    mark, style = _MARKS[finding.well]
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column(width=3)
    table.add_column(width=_NAME_WIDTH)
    table.add_column(overflow="fold")
    table.add_row(Text(f"  {mark}", style=style), finding.name, as_typed(finding.detail))
    if finding.well is False and finding.fix:
        table.add_row("", "", Text(as_typed(f"→ {finding.fix}"), style="yellow"))
    console.print(table)


def _check_browser(browser: str | None) -> Checked:
    try:
        return Checked("browser", True, str(find_browser(browser)))
    except GasolineError as error:
        return Checked("browser", False, error.message)


def _check_sandbox(*, no_sandbox: bool) -> Checked:
    try:
        off, warning = sandbox_choice(no_sandbox, environ=os.environ)
    except GasolineError as error:
        return Checked("sandbox", False, error.message)
    return Checked("sandbox", True, warning or ("off, as asked" if off else "on"))


def _check_display() -> Checked:
    _, why = headless_choice(None, environ=os.environ)
    return Checked("display", True, why)


def _check_shared_memory() -> Checked:
    if sys.platform != "linux":
        return Checked("shared memory", True, "not used on this system")
    small = small_dev_shm()
    return Checked(
        "shared memory",
        True,
        "small: Chrome is told to do without it" if small else "large enough",
    )


def _check_profile() -> Checked:
    profile = default_profile()
    existing = next(folder for folder in (profile, *profile.parents) if folder.exists())
    if existing.is_dir() and os.access(existing, os.W_OK | os.X_OK):
        return Checked("profile", True, str(profile))
    return Checked("profile", False, f"{profile} cannot be written", "Use --profile DIR or --temporary-profile.")


def _check_runtime() -> Checked:
    """Check the owner and mode of the directory and of the files in it."""
    try:
        directory = private_directory()
    except GasolineError as error:
        return Checked("socket", False, error.message)
    for name in (SOCKET, ADDRESS):
        path = directory / name
        if sys.platform != "win32" and path.exists() and path.stat().st_mode & 0o077:
            return Checked("socket", False, f"{path} is open to other users", f"Run: chmod 600 {path}")
    return Checked("socket", True, str(directory))


def _check_versions() -> Checked:
    """Check that the packages we need are installed."""
    missing = []
    for requirement in importlib.metadata.requires(NAME) or []:
        if "extra ==" in requirement:
            # Nobody needs these but for one option each, which says so itself.
            continue
        name = re.match(r"[\w.-]+", requirement)
        try:
            importlib.metadata.version(name[0] if name else requirement)
        except importlib.metadata.PackageNotFoundError:
            missing.append(requirement)
    if missing:
        return Checked("packages", False, f"missing: {', '.join(missing)}", "Install gasoline-cdp again.")
    shown = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("trio", "mcp", "orjson", "websockets"))
    return Checked("packages", True, shown)


def _check_daemon() -> Checked:
    daemon = bridge.connect()
    if daemon is None:
        if holder := daemon_process():
            fix = f"End process {holder}, and start again: gasoline-cdp launch"
            return Checked("daemon", False, f"process {holder} runs, but listens nowhere", fix)
        return Checked("daemon", True, "none running (an editor or gasoline-cdp launch starts one)")
    daemon.close()
    try:
        data, is_error = bridge.call("observe", {"what": "status"})
    except GasolineError as error:
        data, is_error = {"message": error.message}, True
    if is_error:
        return Checked("daemon", False, data["message"], "End it, and start again: gasoline-cdp launch")
    same = data["version"] == __version__
    state = f"running, process {data['pid']}, browser {data['browser']['state']}"
    return Checked(
        "daemon", same, state, "" if same else f"It is version {data['version']}: gasoline-cdp stop ends it."
    )


def check_editor(editor: Editor) -> Checked | None:
    """Whether an editor's entry works; None if the editor has none."""
    name = editor.title[:_NAME_WIDTH]
    file = editor.file(this_machine())
    again = f"gasoline-cdp install {next(key for key, other in EDITORS.items() if other is editor)}"
    try:
        entry = read_configuration(editor, file).entry()
    except GasolineError as error:
        return Checked(name, False, error.message)
    if entry is None:
        return None
    command, arguments = entry.get("command"), entry.get("args")
    if not isinstance(command, str) or not isinstance(arguments, list) or "mcp" not in arguments:
        return Checked(name, False, f"{file} has an entry without a command", f"Run: {again}")
    if shutil.which(command) is None:
        return Checked(name, False, f"{file} names {command}, and there is no such program", f"Run: {again}")
    wrong = _greets([command, *map(str, arguments)])
    if wrong:
        return Checked(name, False, f"{file}: {shlex.join([command, *map(str, arguments)])} {wrong}", f"Run: {again}")
    return Checked(name, True, str(file))


def _greets(command: list[str]) -> str:
    """What is wrong with a command that should answer `initialize`; empty if it does.

    It runs standalone, with a browser that does not exist: so it starts no daemon and opens no window.
    """
    index = command.index("mcp") + 1
    alone = [*command[:index], "--standalone", "--browser", os.devnull, *command[index:]]
    try:
        done = subprocess.run(  # noqa: S603 - what the editor would run
            alone, input=_INITIALIZE, capture_output=True, timeout=_GREETING_SECONDS, check=False
        )
        if json.loads(done.stdout.partition(b"\n")[0])["result"]["serverInfo"]["name"] == SERVER_NAME:
            return ""
    except subprocess.TimeoutExpired:
        return f"does not answer within {_GREETING_SECONDS} s"
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return "does not answer as an MCP server"


def _check_start(browser: str | None, *, no_sandbox: bool) -> Checked:
    """The only conclusive check: start a headless browser with a temporary profile."""
    launched = Launched(browser=browser, headless=True, no_sandbox=no_sandbox, temporary_profile=True)
    config = Config(browser=launched)

    async def start() -> Checked:
        begun = trio.current_time()
        async with open_daemon(config, lambda _: None) as daemon:
            await daemon.ready.wait()
            if daemon.failed is not None:
                fix = "Read what the browser said, or try another with --browser PATH."
                return Checked("start", False, daemon.failed.message, fix)
            took = trio.current_time() - begun
            return Checked("start", True, f"{daemon.browser.version} answers after {took:.1f} s")

    return trio.run(start)
