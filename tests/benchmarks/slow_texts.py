"""Looks for texts that are slow to search for secrets: mutates units, and keeps what got slower.

Every way into the store is tried, each with short and long texts, and each beside ordinary JSON of the same length
that goes the same way. The search is for what a source can take again and again. The flood is what it takes in all:
many texts of one source, with the extra steps that it has for a few of them.
"""

import argparse
import random
import time
from collections.abc import Callable, Sequence
from itertools import count
from unittest.mock import patch

from rich.console import Console
from rich.table import Table

from gasoline_cdp import limits
from gasoline_cdp.capture.masking import safe_answer
from gasoline_cdp.detect.scan import find
from gasoline_cdp.detect.work import Work
from gasoline_cdp.redact import charge_to, mask_named, safe_body, safe_headers, safe_text, safe_url
from tests.benchmarks.scan import make_body
from tests.slow_texts import UNITS, WORDS, text_of

KEPT = 40
FLOOD = 2000
FLOOD_CHARS = 200
MARKUP = ("<input ", "<textarea ", "<textarea name=token>", "<meta name=csrf content=", "<button a", "value=", "<", ">")
_FEW, _SOME, _MANY = 200, 2000, 8192

# How texts come in, and how long they are.
DOORS: dict[str, tuple[Callable[[str], object], tuple[int, ...]]] = {
    "find": (lambda text: find(text, None, Work.for_text(text)), (_FEW, _SOME, _MANY, 65_536)),
    "text": (safe_text, (_FEW, _SOME)),
    "URL": (safe_url, (_FEW, _SOME)),
    "headers": (lambda text: safe_headers({"x-a": text, "x-token": text}), (_SOME,)),
    "body": (lambda text: safe_body(text, limits.RESPONSE_BODY_BYTES), (_MANY, 65_536)),
    "HTML": (lambda text: safe_answer(text, "text/html", limits.RESPONSE_BODY_BYTES), (_MANY,)),
    "cell": (lambda text: mask_named("db_pass", text), (_FEW, _SOME)),
}
_sources = count()


def cost_of(text: str, rounds: int, door: Callable[[str], object]) -> float:
    """CPU nanoseconds a character."""
    best = float("inf")
    for _ in range(rounds):
        # Of a source that has used up its allowance little is searched: each text has one of its own.
        charge_to(f"search {next(_sources)}")
        begun = time.process_time()
        door(text)
        best = min(best, time.process_time() - begun)
    return best / len(text) * 1e9


def cost_of_flood(text: str, door: Callable[[str], object]) -> float:
    """CPU nanoseconds a character of many texts that come from one source at once."""
    charge_to(f"search {next(_sources)}")
    begun = time.process_time()
    for _ in range(FLOOD):
        door(text)
    return (time.process_time() - begun) / FLOOD / len(text) * 1e9


def mutated(unit: str, chance: random.Random) -> str:
    """A unit with a word put in, taken out, replaced or repeated."""
    words = (*WORDS, *MARKUP)
    place, word = chance.randrange(len(unit) + 1), chance.choice(words)
    kind = chance.randrange(5)
    if kind == 0:
        unit = unit[:place] + word + unit[place:]
    elif kind == 1:
        unit = unit[:place] + unit[place + chance.randint(1, 8) :]
    elif kind == 2:
        unit = unit[:place] + word + unit[place + len(word) :]
    elif kind == 3:
        unit = word + chance.choice(words) + chance.choice(words)
    else:
        unit += unit[:place]
    return unit[:200] or "a"


def search(seconds: float, seed: int, door: str, chars: int) -> tuple[float, list[tuple[float, str]], int]:
    """What ordinary JSON costs, the slowest units that were found, and how many were tried."""
    chance, way = random.Random(seed), DOORS[door][0]
    ordinary = min(cost_of(make_body(chance, chars), 9, way) for _ in range(3))
    first = ((cost_of(text_of(unit, chars), 2, way), unit) for unit in (*UNITS, *WORDS, *MARKUP))
    slowest = sorted(first, reverse=True)[:KEPT]
    end, tried = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        unit = mutated(chance.choice(slowest)[1], chance)
        tried += 1
        text = text_of(unit, chars)
        if cost_of(text, 1, way) > slowest[-1][0] and all(unit != known for _, known in slowest):
            slowest = sorted([*slowest, (cost_of(text, 4, way), unit)], reverse=True)[:KEPT]
    # The few that stay are measured once more: what was slow by chance is not.
    return ordinary, sorted(((cost_of(text_of(unit, chars), 9, way), unit) for _, unit in slowest), reverse=True), tried


def main(arguments: Sequence[str]) -> int:
    """Print the slowest, as times of what ordinary JSON costs."""
    parser = argparse.ArgumentParser(prog="launcher/run bench slow-texts", description=__doc__)
    parser.add_argument("--seconds", type=float, default=120, help="for all ways together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--door", choices=sorted(DOORS), help="only this way")
    options = parser.parse_args(arguments)
    _print(options)
    return 0


def _print(options: argparse.Namespace) -> None:
    ways = [(door, chars) for door in DOORS if options.door in (None, door) for chars in DOORS[door][1]]
    table = Table(
        "way", "characters", "tried", "JSON", "slowest", "times JSON", "flood", "unit", title="goal: 10 times"
    )
    for door, chars in ways:
        # What a source has once, for a few texts full of secrets, is used up.
        with patch.object(limits, "SEARCH_EXTRA_STEPS", 0):
            ordinary, slowest, tried = search(options.seconds / len(ways), options.seed, door, chars)
        shown = [(cost, unit, "") for cost, unit in slowest[:2]]
        if chars <= FLOOD_CHARS:
            shown.append(_slowest_flood(door, chars, [*UNITS, *(unit for _, unit in slowest[:5])], options.seed))
        for cost, unit, flood in shown:
            times = "" if flood else f"{cost / ordinary:.1f}"
            json = f"{ordinary:.0f} ns"
            table.add_row(door, str(chars), str(tried), json, f"{cost:.0f} ns", times, flood, repr(unit))
    Console(width=180).print(table)


def _slowest_flood(door: str, chars: int, units: Sequence[str], seed: int) -> tuple[float, str, str]:
    """What the slowest flood of these units costs, and how many times a flood of JSON that is."""
    way = DOORS[door][0]
    ordinary = cost_of_flood(make_body(random.Random(seed), chars), way)
    cost, unit = max((cost_of_flood(text_of(unit, chars), way), unit) for unit in units)
    return cost, unit, f"{cost / ordinary:.1f}"
