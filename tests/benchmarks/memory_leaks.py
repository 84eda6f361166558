"""Whether leaks are found: pages with a known leak, and the same pages repaired. `launcher/run bench memory-leaks`."""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import trio
from rich.console import Console

from gasoline_cdp.browser.attached import Attached
from gasoline_cdp.config import Config, ServeOptions
from tests.chromium import open_chromium
from tests.memory.corpus import PAGES, is_right, look_for_leaks, serve_pages
from tests.node_tools import install_packages
from tests.support import open_watch

_PROJECT = Path(__file__).parents[1] / "memory"


async def _run(names: Sequence[str], rounds: int | None, console: Console) -> int:
    first = in_three = wrong = largest = 0
    begun = time.monotonic()
    with open_chromium() as address:
        async with serve_pages(install_packages(_PROJECT)) as site:
            for name in names:
                for query in ("", "?repaired"):
                    config = Config(
                        browser=Attached(ws_endpoint=address),
                        url="about:blank",
                        serve=ServeOptions(pilot=True),
                    )
                    async with open_watch(config) as watch:
                        answer = await look_for_leaks(watch, f"{site}{name}{query}", rounds=rounds)
                        await watch.close_tabs()
                    findings = answer["findings"]
                    if query:
                        wrong += bool(findings)
                    else:
                        right = [is_right(finding, PAGES[name]) for finding in findings]
                        first += right[:1] == [True]
                        in_three += any(right[:3])
                        largest = max(largest, len(str(answer)))
                    ok = not findings if query else right[:1] == [True]
                    console.print(f"{'ok ' if ok else 'BAD'} {name}{query}: {len(findings)} findings")
                    if not ok:
                        for finding in findings[:3]:
                            console.print(f"    {finding['kind']}: {finding['message']} | {finding['held_by']}")
    count = len(names)
    console.print(
        f"{count} leaking pages: the right holder first in {first}, among three in {in_three}. {count} repaired pages: "
        f"findings on {wrong}. Largest answer {largest} B. {time.monotonic() - begun:.0f} s."
    )
    return int(first < 0.9 * count or in_three < count or wrong > 0)


def main(arguments: Sequence[str]) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="launcher/run bench memory-leaks", description=__doc__)
    parser.add_argument("page", nargs="*", help="only these pages")
    parser.add_argument("--no-rounds", action="store_true", help="do not say how often the action was repeated")
    options = parser.parse_args(arguments)
    console = Console(soft_wrap=True, highlight=False, markup=False)
    rounds = None if options.no_rounds else 5
    return trio.run(_run, options.page or sorted(PAGES), rounds, console)
