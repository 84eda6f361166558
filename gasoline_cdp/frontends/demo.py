"""`gasoline-cdp demo`: a broken little shop in a real browser, live, and then what an assistant is told of it."""

import json
import os
from typing import Any

import trio
from attrs import evolve
from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from gasoline_cdp import limits, wire
from gasoline_cdp.daemon import Config, Daemon, open_daemon
from gasoline_cdp.errors import GasolineError
from gasoline_cdp.frontends.demo_server import serve_demo
from gasoline_cdp.frontends.socket import shown
from gasoline_cdp.frontends.terminal import EDITOR_CONFIGURATION, live_line, short_place, short_url
from gasoline_cdp.probe.dom import ask_page
from gasoline_cdp.records import BodyRecord, Record
from gasoline_cdp.tools.registry import TOOLS
from gasoline_cdp.tools.spec import Context, call_tool

# A demo that does not end is no demo: the page needs about three seconds, a loaded machine a few more.
_DEMO_SECONDS = 60


async def run_demo(config: Config, console: Console, once: bool) -> None:
    """Serve the shop, open it, print what is seen, sum up. With `once` end there, else stay until Ctrl-C."""
    async with serve_demo() as url:
        console.print(
            Text.assemble(("Gasoline CDP", "bold"), "  a broken little shop, seen through the DevTools Protocol")
        )
        say = _teller(console)
        # As root Chrome wants to be told that it may do without its sandbox; the only page here is our own.
        no_sandbox = config.no_sandbox or (hasattr(os, "geteuid") and os.geteuid() == 0)
        config = evolve(config, url=url, temporary_profile=True, no_sandbox=no_sandbox)
        async with open_daemon(config, say) as daemon:
            with daemon.context.telemetry.listening(_printer(console)):
                await daemon.ready.wait()
                if daemon.failed is not None:
                    raise daemon.failed
                console.print(Text(f"Watching {url}\n", style="dim"))
                with trio.fail_after(_DEMO_SECONDS):
                    await _until_done(daemon)
                await _sum_up(daemon.context, console)
                if once:
                    return
                console.print(
                    Text("\nThe page stays open and watched: click in it, or press Ctrl-C to end.", style="dim")
                )
                await daemon.over.wait()


def _teller(console: Console) -> Any:
    return lambda text: console.print(Text(text, style="dim"))


def _printer(console: Console) -> Any:
    def hear(record: Record) -> None:
        if not isinstance(record, BodyRecord) and (line := live_line(shown(record), console.width)):
            console.print(line)

    return hear


async def _until_done(daemon: Daemon) -> None:
    """Wait until the page has done all it does. The first questions may meet the page before it has loaded."""
    while True:
        try:
            tab = daemon.capture.tabs.pick(None)
            if tab.raw_url.startswith("http") and await ask_page(tab, "demo_done"):
                break
        except GasolineError:
            pass
        await trio.sleep(0.05)
    # Bodies of failed requests are read beside the events.
    await daemon.capture.bodies.wait_idle()


async def _sum_up(context: Context, console: Console) -> None:
    errors = await call_tool(TOOLS, context, "observe", {"what": "errors"})
    bodies = await call_tool(TOOLS, context, "get_network_bodies", {"status_min": 400})
    network = await call_tool(TOOLS, context, "observe", {"what": "network"})
    size = len(wire.encode(errors.data))
    said = {entry["id"]: entry.get("responseBody", "") for entry in bodies.data["entries"]}
    text = Text()
    text.append(f"{errors.data['summary']}\n\n", style="bold")
    for entry in reversed(errors.data["entries"]):
        text.append_text(_told(entry, said))
    slow = [entry for entry in network.data["entries"] if (entry.get("duration_ms") or 0) >= 1000]
    for entry in slow:
        text.append("slow       ", style="yellow")
        text.append(f"{entry['method']} {short_url(entry['url'])} took {entry['duration_ms'] / 1000:.1f} s\n")
    console.print()
    console.print(
        Panel(
            text,
            title='"What is wrong with this page?"',
            subtitle=f'observe(what="errors"), {size / 1024:.1f} KB of JSON, at most {limits.ANSWER_BYTES // 1024}',
            title_align="left",
            subtitle_align="right",
            border_style="cyan",
            padding=(1, 2, 0, 2),
        )
    )
    console.print(Text("\nWire it to your editor (any MCP client):\n", style="bold"))
    console.print(Text(EDITOR_CONFIGURATION, style="green"))
    console.print(Text("\nThen open your own app with:  gasoline-cdp launch http://localhost:3000", style="bold"))


def _told(entry: dict[str, Any], said: dict[str, str]) -> Text:
    """One error as a person reads it."""
    text = Text()
    if entry["kind"] == "network":
        text.append("request    ", style="red")
        text.append(f"{entry['method']} {short_url(entry['url'])} → {entry.get('status') or entry['outcome']}")
        body = said.get(entry["id"], "")
        if body.startswith("{"):
            text.append(f"\n           {_one_line(body)}", style="dim")
    else:
        text.append(f"{entry['kind']:<11}", style="bold red" if entry["kind"] != "console" else "red")
        text.append(" ".join(entry["message"].split()))
        if entry.get("at"):
            text.append(f"\n           at {short_place(entry['at'])}", style="dim")
    if entry.get("count", 1) > 1:
        text.append(f"  ×{entry['count']}", style="dim")
    text.append("\n")
    return text


def _one_line(body: str) -> str:
    try:
        return json.dumps(json.loads(body), ensure_ascii=False)[:200]
    except ValueError:
        return body[:200]
