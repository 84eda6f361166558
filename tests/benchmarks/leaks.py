"""What shows of secrets planted in every place: values, places, and where each one that survived was found."""

import argparse
import os
import subprocess
import time
from collections import Counter
from collections.abc import Sequence
from random import Random

import trio
from rich.console import Console

from gasoline_cdp.chrome.find import find_browser
from gasoline_cdp.chrome.flags import chrome_flags
from gasoline_cdp.chrome.profile import open_profile
from gasoline_cdp.daemon import Config
from gasoline_cdp.frontends.http.loopback import serve_app
from tests.planting import PLACES, Planted, plant_and_look, planting_app
from tests.planting_outside import leaks_outside
from tests.support import open_watch

Shows = list[tuple[str, str, str, str]]


async def _inside(chance: Random, batches: int, planted: Planted) -> Shows:
    """In one process, where nothing is cut off: every answer and record."""
    with open_profile(None, temporary=True) as profile:
        flags = chrome_flags(profile=profile, headless=True, pipe=False, debug_port=0, no_sandbox=True, small_shm=True)
        chrome = subprocess.Popen(  # noqa: ASYNC220 - nothing else runs yet
            [str(find_browser()), *flags], stderr=subprocess.PIPE, start_new_session=True
        )
        try:
            assert chrome.stderr is not None
            endpoint = next(line for line in chrome.stderr if b"DevTools listening on" in line).split()[-1].decode()
            config = Config(mode="attach", ws_endpoint=endpoint, url="about:blank", bodies="all", strict=True)
            async with serve_app(planting_app(planted)) as site, open_watch(config) as watch:
                return await plant_and_look(watch, site, planted, chance, batches)
        finally:
            os.killpg(chrome.pid, 9)
            chrome.wait()


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
