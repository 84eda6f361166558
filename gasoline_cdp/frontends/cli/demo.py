"""`gasoline-cdp demo`: a broken little shop in a real browser, live, and then what an assistant is told of it."""

import json
import os
from collections.abc import Callable
from functools import partial
from typing import Any

import trio
from attrs import evolve
from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from gasoline_cdp.answers.record_entries import named_entry
from gasoline_cdp.browser.launched import Launched
from gasoline_cdp.config import Config
from gasoline_cdp.daemon import Daemon, open_daemon
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.frontends.cli.demo_server import serve_demo
from gasoline_cdp.frontends.cli.terminal import cut, live_line, short_place, short_url, show_next_steps, size_text
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.probe.dom import ask_page
from gasoline_cdp.records import Record, SocketRecord
from gasoline_cdp.tools.registry import TOOLS

# A demo that does not end is no demo: the page needs about three seconds, a loaded machine a few more.
_DEMO_SECONDS = 60
# The columns of a panel's border and padding, and of its first column with the gap behind it.
_PANEL_COLUMNS = 6
_KIND_COLUMNS = 11
# A message is shown in so many lines at most.
_LINES = 2


async def run_demo(config: Config, console: Console, once: bool) -> None:
    """Serve the shop, open it, print what is seen, sum up; then stay while there is a window to click in."""
    async with serve_demo() as url:
        console.print(Text.assemble(("Gasoline CDP", "bold"), "  a broken little shop in a real browser, watched live"))
        screen = _Screen(console)
        # As root Chrome wants to be told that it may do without its sandbox; the only page here is our own.
        as_root = hasattr(os, "geteuid") and os.geteuid() == 0
        launched = config.browser
        assert isinstance(launched, Launched)  # noqa: S101 - the demo has no option to attach
        if as_root and not launched.no_sandbox:
            screen.say("Running as root, so Chrome runs without its sandbox: open no other page in this browser.")
        launched = evolve(launched, temporary_profile=True, no_sandbox=launched.no_sandbox or as_root)
        config = evolve(config, browser=launched, url=url)
        async with open_daemon(config, screen.say) as daemon:
            with daemon.context.telemetry.listening(screen.show):
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
    """Prints what the daemon says until the first record comes; the records tell the rest themselves."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._begun = False

    def say(self, text: str) -> None:
        if not self._begun:
            self._console.print(Text(text, style="dim"))

    def show(self, record: Record) -> None:
        if isinstance(record, SocketRecord) and record.event == "message":
            # Four prices a second would push out all that is to be seen.
            return
        if line := live_line(named_entry(record), self._console.width):
            if not self._begun:
                self._console.print()
            self._begun = True
            self._console.print(line)


async def _until_done(daemon: Daemon) -> None:
    """Wait until the page has done all it does. The first questions may meet the page before it has loaded."""
    with trio.move_on_after(_DEMO_SECONDS) as scope:
        while not await _is_done(daemon):
            if daemon.over.is_set():
                raise GasolineError(Code.BROWSER_CRASHED, "The browser was closed before the demo had ended.")
            await trio.sleep(0.05)
        # Bodies of failed requests are read beside the events.
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
    errors = await call_tool(TOOLS, context, "observe", {"what": "errors"})
    bodies = await call_tool(TOOLS, context, "get_network_bodies", {"status_min": 400})
    network = await call_tool(TOOLS, context, "observe", {"what": "network"})
    said = {entry["id"]: entry.get("responseBody", "") for entry in bodies.data["entries"]}
    # A grid, so that the second line of a long message begins under its first.
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    shorten = partial(_shorten, console, max(20, console.width - _PANEL_COLUMNS - _KIND_COLUMNS))
    for entry in reversed(errors.data["entries"]):
        table.add_row(*_told(entry, said, shorten))
    for entry in network.data["entries"]:
        if (entry.get("duration_ms") or 0) >= 1000:
            took = f"{entry['method']} {short_url(entry['url'])} took {entry['duration_ms'] / 1000:.1f} s"
            table.add_row(Text("slow", style="yellow"), took)
    size = sum(len(answer.json) for answer in (errors, bodies, network))
    console.print()
    console.print(
        Panel(
            Group(Text(errors.data["summary"], style="bold"), "", table),
            title="What an assistant is told when it asks what is wrong",
            subtitle=f"3 tool calls, {size_text(size)} of JSON",
            title_align="left",
            subtitle_align="right",
            border_style="cyan",
            padding=(1, 2),
        )
    )


def _told(entry: dict[str, Any], said: dict[str, str], shorten: Callable[[str], str]) -> tuple[Text, Text]:
    """One error as a person reads it: what kind it is, and what is known of it."""
    if entry["kind"] == "network":
        kind = Text("request", style="red")
        text = Text(f"{entry['method']} {short_url(entry['url'])} → {entry.get('status') or entry['outcome']}")
        more = _one_line(said.get(entry["id"], ""))
    else:
        kind = Text(entry["kind"], style="bold red" if entry["kind"] != "console" else "red")
        text = Text(shorten(" ".join(entry["message"].split())))
        more = f"at {short_place(entry['at'])}" if entry.get("at") else ""
    if entry.get("count", 1) > 1:
        text.append(f"  ×{entry['count']}", style="dim")
    if more:
        text.append(f"\n{shorten(more)}", style="dim")
    return kind, text


def _shorten(console: Console, width: int, text: str) -> str:
    lines = Text(text).wrap(console, width)
    if len(lines) <= _LINES:
        return text
    *whole, last = [line.plain.rstrip() for line in lines[:_LINES]]
    return "\n".join([*whole, cut(f"{last} …", width)])


def _one_line(body: str) -> str:
    """A JSON body on one line; other bodies (error pages) tell a newcomer nothing."""
    if not body.startswith("{"):
        return ""
    try:
        return json.dumps(json.loads(body), ensure_ascii=False)
    except ValueError:
        return " ".join(body.split())
