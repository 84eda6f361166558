"""What questions to a page cost: an audit beside the same axe-core run by Playwright, and questions beside a bare one.

Both audits run in the same Chromium, in turns, on the same pages; the ratio counts.
"""

import argparse
import json
import os
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import trio
from rich.console import Console

from gasoline_cdp.browser.attached import Attached
from gasoline_cdp.config import Config
from gasoline_cdp.frontends.http.loopback import serve_app
from tests.accessibility.site import HERE, accessibility_app
from tests.chromium import open_chromium
from tests.node_tools import NODE, install_packages
from tests.support import Watch, open_watch

_PAGES = ("contrast.html", "forms.html", "nested-frames.html", "large.html")


async def _reference(endpoint: str, urls: list[str]) -> dict[str, float]:
    done = await trio.run_process(
        [str(NODE), str(HERE / "witness.mjs"), endpoint, "1"],
        stdin="\n".join(urls).encode(),
        capture_stdout=True,
        env={**os.environ, "WITNESS_PACKAGES": str(install_packages(HERE))},
    )
    return {told["url"]: told["milliseconds"] for told in map(json.loads, done.stdout.splitlines())}


async def _timed(work: Callable[[], Awaitable[Any]]) -> float:
    start = time.perf_counter()
    await work()
    return (time.perf_counter() - start) * 1000


async def _audits(console: Console, watch: Watch, endpoint: str, site: str, rounds: int) -> None:
    urls = [f"{site}pages/{name}" for name in _PAGES]
    theirs: dict[str, list[float]] = {url: [] for url in urls}
    ours: dict[str, list[float]] = {url: [] for url in urls}
    for _ in range(rounds):
        for url, milliseconds in (await _reference(endpoint, urls)).items():
            theirs[url].append(milliseconds)
        for url in urls:
            # As for the reference: a fresh document each time, so that loading axe counts.
            await watch.open(url)
            ours[url].append(await _timed(lambda: watch.call("run_accessibility_audit", force_refresh=True)))
    for url in urls:
        mine, other = statistics.median(ours[url]), statistics.median(theirs[url])
        name = url.rsplit("/", 1)[1]
        console.print(f"audit of {name:<20} ours {mine:7.0f} ms, Playwright {other:7.0f} ms, ratio {mine / other:.2f}")
    whole = sum(map(statistics.median, ours.values())) / sum(map(statistics.median, theirs.values()))
    console.print(f"all audits together: ratio {whole:.2f} (goal: at most 1.15)")


async def _questions(console: Console, watch: Watch, site: str, rounds: int) -> None:
    bare = {"expression": "1", "returnByValue": True}
    first: list[float] = []
    times: dict[str, list[float]] = {"Runtime.evaluate": [], "query_dom of 50": [], "get_page_info": []}
    for _ in range(rounds):
        await watch.open(f"{site}pages/large.html")
        first.append(await _timed(lambda: watch.call("query_dom", selector="td", limit=50)))
        for _ in range(10):
            times["Runtime.evaluate"].append(await _timed(lambda: watch.tab.session.send("Runtime.evaluate", bare)))
            times["query_dom of 50"].append(await _timed(lambda: watch.call("query_dom", selector="td", limit=50)))
            times["get_page_info"].append(await _timed(lambda: watch.call("get_page_info")))
    base = statistics.median(times["Runtime.evaluate"])
    times["first query_dom of a page"] = first
    for name, values in times.items():
        middle = statistics.median(values)
        console.print(f"{name:<26} {middle:7.1f} ms, {middle / base:5.1f} bare round trips (5,000 elements)")


async def _run(rounds: int) -> None:
    console = Console(highlight=False, soft_wrap=True)
    with open_chromium() as endpoint:
        config = Config(browser=Attached(ws_endpoint=endpoint), url="about:blank")
        async with serve_app(accessibility_app()) as site, open_watch(config) as watch:
            await _questions(console, watch, site, rounds)
            await _audits(console, watch, endpoint, site, rounds)


def main(arguments: Sequence[str]) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="launcher/run bench audit", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="default: 5")
    trio.run(_run, parser.parse_args(arguments).rounds)
    return 0
