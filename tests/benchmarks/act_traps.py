"""Clicks of two clients on a page that changes and navigates all the time: whether one ever hits another element."""

import argparse
import time
from collections.abc import Sequence

import trio
from rich.console import Console

from gasoline_cdp.browser.attached import Attached
from gasoline_cdp.config import Config, ServeOptions
from gasoline_cdp.frontends.http.loopback import serve_app
from tests.act_tries import Tries, try_often
from tests.chromium import open_chromium
from tests.site.app import site_app
from tests.support import open_watch

_ROUND = 50


async def _run(number: int) -> int:
    console, begun, total = Console(highlight=False, soft_wrap=True), time.monotonic(), Tries()
    with open_chromium() as endpoint:
        config = Config(
            browser=Attached(ws_endpoint=endpoint), serve=ServeOptions(pilot=True), url="about:blank", strict=True
        )
        for _ in range(-(-number // _ROUND)):
            async with serve_app(site_app()) as site, open_watch(config) as watch:
                tries = await try_often(watch, site, _ROUND)
                await watch.close_tabs()
            console.print(f"{tries.done} done, {tries.refused} refused, {len(tries.wrong)} wrong")
            total.done += tries.done
            total.refused += tries.refused
            total.wrong += tries.wrong
            for reason, count in tries.reasons.items():
                total.reasons[reason] = total.reasons.get(reason, 0) + count
    seconds = time.monotonic() - begun
    console.print(
        f"{total.done + total.refused} tries in {seconds:.0f} s: {total.done} done, {total.refused} refused, "
        f"{len(total.wrong)} hit another element"
    )
    for reason, count in sorted(total.reasons.items(), key=lambda pair: -pair[1]):
        console.print(f"{count:5} {reason}")
    return 1 if total.wrong else 0


def main(arguments: Sequence[str]) -> int:
    """Run it."""
    parser = argparse.ArgumentParser(prog="bench act-traps", description=__doc__)
    parser.add_argument("--tries", type=int, default=500, help="how many clicks (default: 500)")
    return trio.run(_run, parser.parse_args(arguments).tries)
