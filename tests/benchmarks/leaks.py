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
from tests.support import open_watch


async def _run(values: int, seed: int) -> int:
    console = Console(highlight=False, soft_wrap=True)
    planted = Planted()
    batches = -(-values // len(PLACES))
    begun = time.monotonic()
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
                shows = await plant_and_look(watch, site, planted, Random(seed), batches)
        finally:
            os.killpg(chrome.pid, 9)
            chrome.wait()
    survived = {(place, kind, name) for place, kind, name, _ in shows}
    kinds = Counter("by name" if secret.name else "by format" for _, secret in planted.found.values())
    console.print(
        f"seed {seed}: {len(planted.found)} values ({kinds['by name']} by name, {kinds['by format']} by format) in "
        f"{len(PLACES)} places, {time.monotonic() - begun:.0f} s: {len(survived)} survived"
    )
    for place, kind, name in sorted(survived):
        where = [there for at, what, called, there in shows if (at, what, called) == (place, kind, name)]
        console.print(f"  {place}: {kind} {name} in {', '.join(sorted(where)[:6])}")
    return 1 if survived else 0


def main(arguments: Sequence[str]) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="launcher/run bench leaks", description=__doc__)
    parser.add_argument("--values", type=int, default=3000, help="default: 3000")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="default: another one each time")
    given = parser.parse_args(arguments)
    return trio.run(_run, given.values, given.seed)
