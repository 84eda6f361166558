"""`gasoline-cdp demo`: a broken little shop in a real browser, shown live, then what an assistant reads."""

import os
from functools import partial

import trio
from attrs import evolve
from rich.console import Console, Group
from rich.panel import Panel
from rich.text import Text

from gasoline_cdp.answers.amounts import size
from gasoline_cdp.answers.live_lines import live_line
from gasoline_cdp.browser.launched import Launched
from gasoline_cdp.cdp.tabs import Tabs
from gasoline_cdp.config import Config
from gasoline_cdp.daemon import Daemon, open_daemon
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.frontends.cli.answers import lay_out, live_column, live_text
from gasoline_cdp.frontends.cli.demo_server import serve_demo
from gasoline_cdp.frontends.cli.terminal import show_next_steps
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.probe.dom import ask_page
from gasoline_cdp.records import Record, SocketRecord
from gasoline_cdp.tools.registry import TOOLS

# The demo must end: the page needs about three seconds, a loaded machine a few more.
_DEMO_SECONDS = 60
# The width of a panel's border and padding.
_PANEL_COLUMNS = 6


async def run_demo(config: Config, console: Console, once: bool) -> None:
    """Serve the shop, open it, print the records, summarise; then keep running while there is a window to click in."""
    async with serve_demo() as url:
        console.print(Text.assemble(("Gasoline CDP", "bold"), "  a broken little shop in a real browser, watched live"))
        screen = _Screen(console)
        # As root, Chrome starts only without its sandbox. That is safe enough: the only page here is our own.
        as_root = hasattr(os, "geteuid") and os.geteuid() == 0
        launched = config.browser
        assert isinstance(launched, Launched)  # noqa: S101 - the demo has no option to attach
        if as_root and not launched.no_sandbox:
            screen.say("Running as root, so Chrome runs without its sandbox: open no other page in this browser.")
        launched = evolve(launched, temporary_profile=True, no_sandbox=launched.no_sandbox or as_root)
        config = evolve(config, browser=launched, url=url)
        async with open_daemon(config, screen.say) as daemon:
            with daemon.context.telemetry.listening(partial(screen.show, tabs=daemon.context.tabs)):
                await daemon.ready.wait()
                if daemon.failed is not None:
                    raise daemon.failed
                await _until_done(daemon)
                await _sum_up(daemon.context, console)
                show_next_steps(console)
                if once or daemon.browser.headless:
                    return
                text = "The shop stays open: click in it and see more here. Ctrl-C, or closing the window, ends it."
                console.print(Text(f"\n{text}\n", style="dim"))
                await daemon.over.wait()


class _Screen:
    """Prints the daemon's messages until the first record comes, then only records."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._begun = False
        self._column = live_column()

    def say(self, text: str) -> None:
        if not self._begun:
            self._console.print(Text(text, style="dim"))

    def show(self, record: Record, tabs: Tabs) -> None:
        if isinstance(record, SocketRecord) and record.event == "message":
            # Four prices a second would scroll everything else away.
            return
        if line := live_line(record, tabs):
            if not self._begun:
                self._console.print()
            self._begun = True
            self._console.print(live_text(line, self._column, self._console.width))


async def _until_done(daemon: Daemon) -> None:
    """Wait until the page has finished. The first attempts may come before the page has loaded."""
    with trio.move_on_after(_DEMO_SECONDS) as scope:
        while not await _is_done(daemon):
            if daemon.over.is_set():
                raise GasolineError(Code.BROWSER_CRASHED, "The browser was closed before the demo had ended.")
            await trio.sleep(0.05)
        # Bodies of failed requests are fetched in the background.
        await daemon.capture.bodies.backlog.wait_idle()
    if scope.cancelled_caught:
        raise GasolineError(
            Code.PAGE_HUNG,
            f"The shop did not finish within {_DEMO_SECONDS} s: this machine is very busy, or the browser is held up. "
            "Try again, or see `gasoline-cdp doctor`.",
        )


async def _is_done(daemon: Daemon) -> bool:
    try:
        tab = daemon.context.tabs.pick(None)
        return tab.raw_url.startswith("http") and bool(await ask_page(tab, "demo_done"))
    except GasolineError:
        return False


async def _sum_up(context: Context, console: Console) -> None:
    """Print exactly the lines that an assistant reads, in our columns."""
    reading = evolve(context, form="lines")
    answers = [await call_tool(TOOLS, reading, "observe", {"what": what}) for what in ("errors", "network")]
    width = console.width - _PANEL_COLUMNS
    errors, network = (Group(*lay_out(answer.lines, width)) for answer in answers)
    console.print()
    console.print(
        Panel(
            Group(errors, "", network),
            title="What an assistant is told when it asks what is wrong",
            subtitle=f"2 tool calls, {size(sum(answer.size('lines') for answer in answers))}",
            title_align="left",
            subtitle_align="right",
            border_style="cyan",
            padding=(1, 2),
        )
    )
