"""What shows of secrets planted in every place: values, places, and where each one that survived was found."""

import argparse
import time
from collections import Counter
from collections.abc import Sequence
from random import Random

import trio
from rich.console import Console

from gasoline_cdp.browser.attached import Attached
from gasoline_cdp.config import CaptureOptions, Config
from gasoline_cdp.frontends.http.loopback import serve_app
from tests.chromium import open_chromium
from tests.planting import PLACES, Planted, plant_and_look, planting_app
from tests.planting_outside import leaks_outside
from tests.support import open_watch

Shows = list[tuple[str, str, str, str]]


async def _inside(chance: Random, batches: int, planted: Planted) -> Shows:
    """In one process, where nothing is cut off: every answer and record."""
    with open_chromium() as endpoint:
        config = Config(
            browser=Attached(ws_endpoint=endpoint),
            capture=CaptureOptions(bodies="all"),
            url="about:blank",
            strict=True,
        )
        async with serve_app(planting_app(planted)) as site, open_watch(config) as watch:
            return await plant_and_look(watch, site, planted, chance, batches)


async def _run(inside: int, outside: int, seed: int) -> int:
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"seed {seed}")
    survived = 0
    parts = (("in process", inside, _inside), ("commands, HTTP, MCP, streams, files, log", outside, leaks_outside))
    for name, values, look in parts:
        planted, begun = Planted(), time.monotonic()
        if values:
            shows = await look(Random(seed), -(-values // len(PLACES)), planted)
            survived += _tell(console, name, planted, shows, time.monotonic() - begun)
    return 1 if survived else 0


def _tell(console: Console, part: str, planted: Planted, shows: Shows, seconds: float) -> int:
    survived = {(place, kind, name) for place, kind, name, _ in shows}
    kinds = Counter("by name" if secret.name else "by format" for _, secret in planted.found.values())
    console.print(
        f"{part}: {len(planted.found)} values ({kinds['by name']} by name, {kinds['by format']} by format) in "
        f"{len(PLACES)} places, {seconds:.0f} s: {len(survived)} survived"
    )
    for place, kind, name in sorted(survived):
        where = [there for at, what, called, there in shows if (at, what, called) == (place, kind, name)]
        console.print(f"  {place}: {kind} {name} in {', '.join(sorted(where)[:6])}")
    return len(survived)


def main(arguments: Sequence[str]) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="launcher/run bench leaks", description=__doc__)
    parser.add_argument("--values", type=int, default=3000, help="default: 3000")
    parser.add_argument("--outside", type=int, default=400, help="of the real program as well (default: 400)")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="default: another one each time")
    given = parser.parse_args(arguments)
    return trio.run(_run, given.values, given.outside, given.seed)
