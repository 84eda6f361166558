"""`launcher/run bench`: lists the benchmarks, or runs one of them. Ratios within a run count, not times across runs."""

import argparse
import sys
from collections.abc import Callable, Sequence

from rich.console import Console

from tests.benchmarks import (
    act,
    act_traps,
    audit,
    cost,
    debugging,
    everyday,
    fixes,
    fixtures,
    flows,
    heap,
    leaks,
    locators,
    memory_leaks,
    reproductions,
    scan,
    sequence,
    slow_texts,
    snapshot,
    start,
    strangers,
    third_party,
    tokens,
    tree,
    verify,
)

BENCHMARKS: dict[str, tuple[str, Callable[[Sequence[str]], int]]] = {
    "start": ("how soon an editor hears from us, and how much memory that takes, beside two peers", start.main),
    "cost": (
        "what watching costs the page and the watcher, beside no client and beside two peers",
        cost.main,
    ),
    "audit": ("what questions to a page and audits cost, beside a bare round trip and beside Playwright", audit.main),
    "debug": (
        "what the debugger costs the page: pauses, and its speed meanwhile and afterwards, beside doing it by hand",
        debugging.main,
    ),
    "everyday": (
        "whether the everyday Chrome is shared with one consent, by real clicks in a real window",
        everyday.main,
    ),
    "verify": (
        "whether verify_fix is right: planted bugs, mended and tried again in part",
        verify.main,
    ),
    "fixes": ("how often the advice of an accessibility audit makes its rule pass, on pages of others", fixes.main),
    "act": ("what the same tasks cost with ours and two peers, on applications of others", act.main),
    "act-traps": ("whether clicks ever hit another element, on a page that is made anew all the time", act_traps.main),
    "fixtures": (
        "whether failing tests have exactly their own evidence, and what that costs beside Playwright's traces",
        fixtures.main,
    ),
    "flows": (
        "whether generated tests pass on the app, and fail on a broken one for the right reason",
        flows.main,
    ),
    "locators": (
        "whether locators find exactly the element acted on, beside those of Playwright's own generator",
        locators.main,
    ),
    "reproductions": (
        "whether reproductions show planted bugs in a fresh browser, and fail once these are repaired",
        reproductions.main,
    ),
    "leaks": ("what shows of thousands of secrets planted in every place", leaks.main),
    "memory-leaks": (
        "whether leaks of memory are found, on pages with a known one and on repaired ones",
        memory_leaks.main,
    ),
    "heap": (
        "how fast and lean heap snapshots are analysed, beside memlab and DevTools, and whether exactly",
        heap.main,
    ),
    "tree": ("whether the accessibility tree is complete, beside Chrome's own and Playwright's", tree.main),
    "tokens": ("how many bytes a model is shown for the same questions, with which facts", tokens.main),
    "scan": ("what looking for secrets and learning shapes costs, beside doing neither", scan.main),
    "slow-texts": ("texts that are slow to look through for secrets, searched for by chance", slow_texts.main),
    "snapshot": ("how fast a test runner gets and clears what was captured, beside the original", snapshot.main),
    "tests-in-sequence": ("what a thousand tests in a row cost the daemon, and its memory after them", sequence.main),
    "strangers": ("what security_audit says of other people's packages and servers", strangers.main),
    "third-party": ("what masking changes in the code of other people's packages", third_party.main),
}


def main(arguments: Sequence[str]) -> int:
    """Run from the command line."""
    if not arguments:
        for name, (summary, _) in BENCHMARKS.items():
            Console().print(f"launcher/run bench {name:<10} {summary}", highlight=False, soft_wrap=True)
        return 0
    parser = argparse.ArgumentParser(prog="launcher/run bench")
    parser.add_argument("benchmark", choices=BENCHMARKS, help="which; each takes --help")
    name = parser.parse_args(arguments[:1]).benchmark
    return BENCHMARKS[name][1](arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
