"""`gasoline-cdp doctor`: each thing that can be wrong, and how to mend it."""

import os
import platform
import sys
from collections.abc import Callable

import trio
from attrs import frozen
from rich.console import Console
from rich.table import Table
from rich.text import Text

from gasoline_cdp import __version__
from gasoline_cdp.chrome.find import find_browser
from gasoline_cdp.chrome.flags import headless_choice, sandbox_choice, small_dev_shm
from gasoline_cdp.chrome.profile import default_profile
from gasoline_cdp.daemon import Config, open_daemon
from gasoline_cdp.errors import GasolineError
from gasoline_cdp.frontends import bridge
from gasoline_cdp.frontends.invocation import as_typed
from gasoline_cdp.frontends.runtime import private_directory
from gasoline_cdp.frontends.terminal import open_console
from gasoline_cdp.tools.wording import number_of


@frozen
class Finding:
    """One check: whether it is well (None: not tried), and what was found; `fix` where that does not say what to do."""

    name: str
    well: bool | None
    found: str
    fix: str = ""


_MARKS = {True: ("✓", "green"), False: ("✗", "bold red"), None: ("–", "dim")}


def run_doctor(browser: str | None, *, no_sandbox: bool) -> int:
    """Print every finding as it is made; 1 if anything must be mended."""
    console = open_console()
    console.print(
        Text(f"gasoline-cdp {__version__} on Python {platform.python_version()}, {platform.platform()}", "bold")
    )
    checks: tuple[Callable[[], Finding], ...] = (
        lambda: _check_browser(browser),
        lambda: _check_sandbox(no_sandbox=no_sandbox),
        _check_display,
        _check_shared_memory,
        _check_profile,
        _check_runtime,
        _check_daemon,
    )
    findings: dict[str, Finding] = {}
    for check in checks:
        finding = check()
        findings[finding.name] = finding
        _show(console, finding)
    if findings["browser"].well and findings["sandbox"].well:
        start = _check_start(browser, no_sandbox=no_sandbox)
    else:
        start = Finding("start", None, "not tried, because of the above")
    _show(console, start)
    wrong = sum(finding.well is False for finding in (*findings.values(), start))
    console.print(Text("All is well." if not wrong else f"{number_of(wrong, 'thing')} to mend.", style="bold"))
    return 1 if wrong else 0


def _show(console: Console, finding: Finding) -> None:
    mark, style = _MARKS[finding.well]
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column(width=3)
    table.add_column(width=13)
    table.add_column(overflow="fold")
    table.add_row(Text(f"  {mark}", style=style), finding.name, as_typed(finding.found))
    if finding.well is False and finding.fix:
        table.add_row("", "", Text(as_typed(f"→ {finding.fix}"), style="yellow"))
    console.print(table)


def _check_browser(browser: str | None) -> Finding:
    try:
        return Finding("browser", True, str(find_browser(browser)))
    except GasolineError as error:
        return Finding("browser", False, error.message)


def _check_sandbox(*, no_sandbox: bool) -> Finding:
    try:
        off, warning = sandbox_choice(no_sandbox, environ=os.environ)
    except GasolineError as error:
        return Finding("sandbox", False, error.message)
    return Finding("sandbox", True, warning or ("off, as asked" if off else "on"))


def _check_display() -> Finding:
    _, why = headless_choice(None, environ=os.environ)
    return Finding("display", True, why)


def _check_shared_memory() -> Finding:
    if sys.platform != "linux":
        return Finding("shared memory", True, "not used on this system")
    small = small_dev_shm()
    return Finding(
        "shared memory",
        True,
        "small: Chrome is told to do without it" if small else "large enough",
    )


def _check_profile() -> Finding:
    profile = default_profile()
    place = next(folder for folder in (profile, *profile.parents) if folder.exists())
    if place.is_dir() and os.access(place, os.W_OK | os.X_OK):
        return Finding("profile", True, str(profile))
    return Finding("profile", False, f"{profile} cannot be written", "Use --profile DIR or --temporary-profile.")


def _check_runtime() -> Finding:
    try:
        return Finding("socket", True, str(private_directory()))
    except GasolineError as error:
        return Finding("socket", False, error.message)


def _check_daemon() -> Finding:
    daemon = bridge.connect()
    if daemon is None:
        return Finding("daemon", True, "none running (gasoline-cdp launch starts one)")
    daemon.close()
    try:
        data, is_error = bridge.call("observe", {"what": "status"})
    except GasolineError as error:
        data, is_error = {"message": error.message}, True
    if is_error:
        return Finding("daemon", False, data["message"], "End it and start it again: gasoline-cdp launch")
    same = data["version"] == __version__
    found = f"running, process {data['pid']}, browser {data['browser']['state']}"
    return Finding(
        "daemon", same, found, "" if same else f"It is version {data['version']}: end it and start it again."
    )


def _check_start(browser: str | None, *, no_sandbox: bool) -> Finding:
    """The only check that proves anything: start a browser, headless, with a throw-away profile."""
    config = Config(browser=browser, headless=True, no_sandbox=no_sandbox, temporary_profile=True)

    async def start() -> Finding:
        begun = trio.current_time()
        async with open_daemon(config, lambda _: None) as daemon:
            await daemon.ready.wait()
            if daemon.failed is not None:
                fix = "Read what the browser said, or try another with --browser PATH."
                return Finding("start", False, daemon.failed.message, fix)
            took = trio.current_time() - begun
            return Finding("start", True, f"{daemon.browser.version} answers after {took:.1f} s")

    return trio.run(start)
