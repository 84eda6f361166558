"""Looks for texts that are slow to search for secrets: mutates units, and keeps what got slower.

Every way into the store is tried, each with short and long texts, and each beside ordinary JSON of the same length
that goes the same way. Each slow text comes from a source that still has all its extra steps, and its names are new,
as a page can make them; the names of JSON are known. The flood is many texts of one source, which uses them up.
"""

import argparse
import json
import random
import time
from collections.abc import Callable, Sequence
from itertools import count

from rich.console import Console
from rich.table import Column, Table

from gasoline_cdp import limits, redact
from gasoline_cdp.capture.masking import safe_answer
from gasoline_cdp.detect import names
from gasoline_cdp.detect.scan import find
from gasoline_cdp.detect.work import Work
from gasoline_cdp.redact import charge_to, collect_masked, mask_named, safe_body, safe_headers, safe_text, safe_url
from tests.benchmarks.scan import make_rows
from tests.slow_texts import UNITS, WORDS, text_of

KEPT, MEASURED = 40, 12
FLOOD = 2000
# So many characters of JSON, as at least three texts and at most forty.
JSON_CHARS, BODIES = 20_000, (3, 40)
FLOOD_CHARS = 200
MARKUP = ("<input ", "<textarea ", "<textarea name=token>", "<meta name=csrf content=", "<button a", "value=", "<", ">")
ISLANDS = 3
TURNS, ROUNDS = 8, 4
# How much is looked through between two looks at the clock, which may err by several microseconds: while searching,
# and when what was found is measured for the table.
CHARS, LAST_CHARS = 400, 2000
_SHORT = (50, 200, 1000, 2000)
_MANY = 8192


def _collected(text: str) -> None:
    with collect_masked():
        safe_text(text)


def _headers(text: str) -> None:
    with collect_masked():
        safe_headers({"x-a": text, "x-token": text})


# How texts come in, and how long they are.
DOORS: dict[str, tuple[Callable[[str], object], tuple[int, ...]]] = {
    "find": (lambda text: find(text, None, Work.for_text(text)), (*_SHORT, _MANY, 65_536)),
    "text": (safe_text, _SHORT),
    "noticed": (_collected, _SHORT),
    "URL": (safe_url, _SHORT),
    "headers": (_headers, _SHORT),
    "body": (lambda text: safe_body(text, limits.RESPONSE_BODY_BYTES), (*_SHORT, _MANY, 65_536)),
    "HTML": (lambda text: safe_answer(text, "text/html", limits.RESPONSE_BODY_BYTES), (*_SHORT, _MANY)),
    "cell": (lambda text: mask_named("db_pass", text), _SHORT),
}
_sources = count()
_NAMES = (names.is_secret_name, names.is_weak_name, names.kind_of_name, names._joined, names._is_harmless)


def ordinary_texts(chance: random.Random, chars: int) -> list[str]:
    """JSON as APIs answer it. Each text begins with other fields: the first 50 characters stand for all of it."""
    texts = []
    for _ in range(min(BODIES[1], max(BODIES[0], JSON_CHARS // chars))):
        rows: list[dict[str, object]] = []
        while len(json.dumps(rows)) < chars:
            rows += [dict(chance.sample(list(row.items()), len(row))) for row in make_rows(chance)]
        texts.append(json.dumps(rows)[:chars])
    return texts


def cost_of(
    texts: Sequence[str], rounds: int, door: Callable[[str], object], *, new_names: bool = True, chars: int = CHARS
) -> float:
    """CPU nanoseconds a character: the fastest round, in which at least so many characters are looked through."""
    length = sum(map(len, texts))
    repeated = [*texts] * max(1, chars // length)
    best = float("inf")
    charge_to("search")
    for _ in range(rounds):
        begun = time.process_time()
        for text in repeated:
            # Of a source that has used up its allowance little is searched: each text has all of it.
            redact._allowances._left.clear()
            _forget(names=new_names)
            door(text)
        best = min(best, time.process_time() - begun)
    return best / len(repeated) * len(texts) / length * 1e9


def _forget(*, names: bool) -> None:
    """Drop what the last text left, as if this one were another."""
    # A header that was harmless once is not looked through again.
    redact._harmless_headers.clear()
    if names:
        for judge in _NAMES:
            judge.cache_clear()


def cost_of_flood(texts: Sequence[str], door: Callable[[str], object], *, new_names: bool = True) -> float:
    """CPU nanoseconds a character of many texts that come from one source at once."""
    repeated = [*texts] * (FLOOD // len(texts))
    best = float("inf")
    for _ in range(2):
        charge_to(f"search {next(_sources)}")
        begun = time.process_time()
        for text in repeated:
            _forget(names=new_names)
            door(text)
        best = min(best, time.process_time() - begun)
    return best / sum(map(len, repeated)) * 1e9


def mutated(unit: str, other: str, longest: int, chance: random.Random) -> str:
    """A unit with a word put in, taken out, replaced or repeated, or with the end of another."""
    words = (*WORDS, *MARKUP)
    place, word = chance.randrange(len(unit) + 1), chance.choice(words)
    kind = chance.randrange(6)
    if kind == 0:
        unit = unit[:place] + word + unit[place:]
    elif kind == 1:
        unit = unit[:place] + unit[place + chance.randint(1, 8) :]
    elif kind == 2:
        unit = unit[:place] + word + unit[place + len(word) :]
    elif kind == 3:
        unit = word + chance.choice(words) + chance.choice(words)
    elif kind == 4:
        unit += unit[:place]
    else:
        unit = unit[:place] + other[chance.randrange(len(other)) :]
    return unit[:longest] or "a"


def search(seconds: float, seed: int, door: str, chars: int) -> tuple[float, list[tuple[float, str]], int]:
    """What ordinary JSON costs, the slowest units that were found, and how many were tried."""
    chance, way = random.Random(seed), DOORS[door][0]
    bodies = ordinary_texts(chance, chars)
    first = sorted(
        (
            (cost_of([text_of(unit, chars)], 1 if chars > JSON_CHARS else 2, way), unit)
            for unit in (*UNITS, *WORDS, *MARKUP)
        ),
        reverse=True,
    )
    # What is slowest soon has only descendants: several populations by themselves find more, then all together.
    found: list[tuple[float, str]] = []
    tried = 0
    for island in range(ISLANDS + 1):
        begin = chance.sample(first, KEPT) + first[:KEPT] if island < ISLANDS else found
        slowest = _evolved(begin, seconds / (ISLANDS + 1), chars, way, chance)
        found += slowest[0]
        tried += slowest[1]
    units = [unit for _, unit in sorted(set(found), reverse=True)[:MEASURED]]
    # The few that stay are measured once more, in turns with JSON: a machine is slow for a while, then fast.
    costs, ordinary = dict.fromkeys(units, float("inf")), float("inf")
    for _ in range(TURNS):
        ordinary = min(ordinary, cost_of(bodies, ROUNDS, way, new_names=False, chars=LAST_CHARS))
        for unit in units:
            costs[unit] = min(costs[unit], cost_of([text_of(unit, chars)], ROUNDS, way, chars=LAST_CHARS))
    return ordinary, sorted(((cost, unit) for unit, cost in costs.items()), reverse=True), tried


def _evolved(
    slowest: list[tuple[float, str]], seconds: float, chars: int, way: Callable[[str], object], chance: random.Random
) -> tuple[list[tuple[float, str]], int]:
    slowest = sorted(slowest, reverse=True)[: 2 * KEPT]
    end, tried = time.process_time() + seconds, 0
    while time.process_time() < end:
        (_, unit), (_, other) = chance.choice(slowest), chance.choice(slowest)
        unit = mutated(unit, other, min(chars, 200), chance)
        tried += 1
        text = [text_of(unit, chars)]
        if cost_of(text, 1, way) > slowest[-1][0] and all(unit != known for _, known in slowest):
            slowest = sorted([*slowest, (cost_of(text, 4, way), unit)], reverse=True)[:KEPT]
    return slowest, tried


def main(arguments: Sequence[str]) -> int:
    """Print the slowest, as times of what ordinary JSON costs."""
    parser = argparse.ArgumentParser(prog="launcher/run bench slow-texts", description=__doc__)
    parser.add_argument("--seconds", type=float, default=300, help="of CPU, for all ways together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--door", choices=sorted(DOORS), help="only this way")
    parser.add_argument("--chars", type=int, help="only texts of this length")
    options = parser.parse_args(arguments)
    _print(options)
    return 0


def _print(options: argparse.Namespace) -> None:
    ways = [
        (door, chars)
        for door in DOORS
        for chars in DOORS[door][1]
        if options.door in (None, door) and options.chars in (None, chars)
    ]
    table = Table(
        *("way", "characters", "tried", "JSON", "slowest", "times JSON", "flood"),
        Column("unit", overflow="fold"),
        title="goal: 10 times",
    )
    for door, chars in ways:
        ordinary, slowest, tried = search(options.seconds / len(ways), options.seed, door, chars)
        shown = [(cost, unit, "") for cost, unit in slowest[:2]]
        if chars <= FLOOD_CHARS:
            shown.append(_slowest_flood(door, chars, [unit for _, unit in slowest[:5]], options.seed))
        for cost, unit, flood in shown:
            times = "" if flood else f"{cost / ordinary:.1f}"
            table.add_row(
                door, str(chars), str(tried), f"{ordinary:.0f} ns", f"{cost:.0f} ns", times, flood, repr(unit)
            )
    Console(width=180).print(table)


def _slowest_flood(door: str, chars: int, units: Sequence[str], seed: int) -> tuple[float, str, str]:
    """What the slowest flood of these units costs, and how many times a flood of JSON that is."""
    way = DOORS[door][0]
    ordinary = cost_of_flood(ordinary_texts(random.Random(seed), chars), way, new_names=False)
    cost, unit = max((cost_of_flood([text_of(unit, chars)], way), unit) for unit in units)
    return cost, unit, f"{cost / ordinary:.1f}"
