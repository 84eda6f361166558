"""Looks for texts that are slow to search for secrets: mutates units, and keeps what got slower."""

import argparse
import random
import time
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from gasoline_cdp.detect.scan import find
from tests.benchmarks.scan import make_body
from tests.slow_texts import UNITS, WORDS, text_of

CHARS = 8192
KEPT = 40


def cost_of(text: str, rounds: int = 2) -> float:
    """CPU nanoseconds a character."""
    best = float("inf")
    for _ in range(rounds):
        begun = time.process_time()
        find(text)
        best = min(best, time.process_time() - begun)
    return best / len(text) * 1e9


def mutated(unit: str, chance: random.Random) -> str:
    """A unit with a word put in, taken out, replaced or repeated."""
    place, word = chance.randrange(len(unit) + 1), chance.choice(WORDS)
    kind = chance.randrange(5)
    if kind == 0:
        unit = unit[:place] + word + unit[place:]
    elif kind == 1:
        unit = unit[:place] + unit[place + chance.randint(1, 8) :]
    elif kind == 2:
        unit = unit[:place] + word + unit[place + len(word) :]
    elif kind == 3:
        unit = word + chance.choice(WORDS) + chance.choice(WORDS)
    else:
        unit += unit[:place]
    return unit[:200] or "a"


def search(seconds: float, seed: int) -> tuple[float, list[tuple[float, str]], int]:
    """What ordinary JSON costs, the slowest units that were found, and how many were tried."""
    chance = random.Random(seed)
    ordinary = min(cost_of(make_body(chance, 2 * CHARS), 5) for _ in range(3))
    slowest = sorted(((cost_of(text_of(unit, CHARS)), unit) for unit in (*UNITS, *WORDS)), reverse=True)[:KEPT]
    end, tried = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        unit = mutated(chance.choice(slowest)[1], chance)
        tried += 1
        cost = cost_of(text_of(unit, CHARS), 1)
        if cost > slowest[-1][0] and all(unit != known for _, known in slowest):
            cost = cost_of(text_of(unit, CHARS), 3)
            slowest = sorted([*slowest, (cost, unit)], reverse=True)[:KEPT]
    return ordinary, slowest, tried


def main(arguments: Sequence[str]) -> int:
    """Print the slowest, as times of what ordinary JSON costs."""
    parser = argparse.ArgumentParser(prog="launcher/run bench slow-texts", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    ordinary, slowest, tried = search(options.seconds, options.seed)
    table = Table(
        "times JSON", "ns a character", "unit", title=f"{tried} tried; JSON {ordinary:.0f} ns; goal: 10 times"
    )
    for cost, unit in slowest[:15]:
        table.add_row(f"{cost / ordinary:.1f}", f"{cost:.0f}", repr(unit))
    Console().print(table)
    return 0
