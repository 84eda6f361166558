"""Whether leaks are found: pages with a known leak, and the same pages repaired. `launcher/run bench memory-leaks`."""

import argparse
import json
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import trio
from attrs import evolve
from rich.console import Console

from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.browser.attached import Attached
from gasoline_cdp.config import Config, ServeOptions
from gasoline_cdp.operations.answer import Answer
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.tools.registry import TOOLS
from tests.chromium import open_chromium
from tests.memory.corpus import PAGES, is_right, repeat_round, serve_pages
from tests.node_tools import install_packages
from tests.support import open_watch

_PROJECT = Path(__file__).parents[1] / "memory"


async def _answer(context: Context, question: dict[str, Any]) -> Answer:
    """The answer, also if it takes so long that it is pending first."""
    answer = await call_tool(TOOLS, context, "analyze", question)
    while answer.data.get("status") == "pending":
        fetch = {"what": "analyze_result", "correlation_id": answer.data["correlation_id"]}
        answer = await call_tool(TOOLS, context, "observe", fetch)
    return answer


async def _run(names: Sequence[str], rounds: int | None, console: Console) -> int:
    first = in_three = wrong = largest_json = 0
    # By the number of findings.
    largest = Counter[int]()
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
                        question = await repeat_round(watch, f"{site}{name}{query}", rounds=rounds)
                        # As an assistant reads it.
                        answer = await _answer(evolve(watch.context, form="lines"), question)
                        assert not answer.is_error, answer.text
                        await watch.close_tabs()
                    findings = json.loads(answer.json)["findings"]
                    size = len(answer.text.encode())
                    largest[len(findings)] = max(largest[len(findings)], size)
                    largest_json = max(largest_json, len(answer.json))
                    if query:
                        wrong += bool(findings)
                    else:
                        right = [is_right(finding, PAGES[name]) for finding in findings]
                        first += right[:1] == [True]
                        in_three += any(right[:3])
                    ok = not findings if query else right[:1] == [True]
                    console.print(
                        f"{'ok ' if ok else 'BAD'} {name}{query}: {number_of(len(findings), 'finding')}, {size} B"
                    )
                    if not ok:
                        for finding in findings[:3]:
                            console.print(f"    {finding['kind']}: {finding['message']} | {finding['held_by']}")
    count = len(names)
    sizes = ", ".join(f"{size} B with {number_of(findings, 'finding')}" for findings, size in sorted(largest.items()))
    console.print(
        f"{count} leaking pages: the right holder first in {first}, among three in {in_three}. {count} repaired pages: "
        f"findings on {wrong}. Largest answers, as lines: {sizes}; as JSON: {largest_json} B. "
        f"{time.monotonic() - begun:.0f} s."
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
