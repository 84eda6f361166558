"""Whether verify_fix says what is so: applications with planted bugs, mended in part, tried again in part."""

import argparse
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

import trio
from rich.console import Console

from gasoline_cdp.browser.launched import Launched
from gasoline_cdp.config import Config
from tests.planted import App, Run, open_desk, open_plain, perform
from tests.planted_chat import open_chat
from tests.support import Watch, open_watch

_SEED = 7


def desk_runs(app: App, number: int) -> list[Run]:
    """By hot update alone, after a reload, after a navigation, and on another port; with and without the scenario."""
    chance = random.Random(_SEED)
    clicks = [step for step in app.steps if step != "load"]
    runs = [
        Run(fixed=frozenset(app.bugs), steps=app.steps),
        Run(fixed=frozenset(app.bugs), steps=()),
        Run(fixed=frozenset(), steps=app.steps),
        Run(fixed=frozenset({"cart"}), steps=("cart",)),
        Run(fixed=frozenset(), steps=("load",)),
    ]
    while len(runs) < number:
        fixed = frozenset(name for name in app.bugs if chance.random() < 0.5)
        again = [step for step in clicks if chance.random() < 0.6]
        chance.shuffle(again)
        first, server = chance.choice([((), 0), (("load",), 0), (("navigate",), 0), (("load",), 1)])
        runs.append(Run(fixed=fixed, steps=(*first, *again), server=server))
    return runs


def plain_runs(app: App, number: int) -> list[Run]:
    """Some pages visited again and some not, some things clicked, on the same port or another."""
    chance = random.Random(_SEED)
    runs = [Run(fixed=frozenset(app.bugs), steps=app.steps), Run(fixed=frozenset(), steps=("home", "contact"))]
    while len(runs) < number:
        fixed = frozenset(name for name in app.bugs if chance.random() < 0.5)
        # Whoever sends the form has loaded its page.
        again = [step for step in app.steps if step != "send" and chance.random() < 0.6]
        if "contact" in again and chance.random() < 0.6:
            again.append("send")
        runs.append(Run(fixed=fixed, steps=tuple(again), server=chance.choice([0, 0, 1])))
    return runs


def chat_runs(app: App, number: int) -> list[Run]:
    """Messages that answer clicks. What answers by a poll may come of the load too, so it is always loaded again."""
    chance = random.Random(_SEED)
    runs = [Run(fixed=frozenset(app.bugs), steps=("load",)), Run(fixed=frozenset({"ask"}), steps=("ask",))]
    while len(runs) < number:
        fixed = frozenset(name for name in app.bugs if chance.random() < 0.5)
        again = [step for step in ("ask", "nudge") if chance.random() < 0.5]
        chance.shuffle(again)
        runs.append(Run(fixed=fixed, steps=("load", *again)))
    return runs


async def _measure(number: int, console: Console) -> int:
    config = Config(browser=Launched(headless=True, no_sandbox=True, temporary_profile=True), url="about:blank")
    wrong = 0
    async with open_watch(config) as watch:
        with tempfile.TemporaryDirectory() as directory:
            async with open_desk(Path(directory), servers=2) as desk:
                wrong += await _try_all(desk, watch, desk_runs(desk, number), "React under Vite", console)
                # A page whose server goes away complains.
                await watch.go("about:blank")
        async with open_plain(servers=2) as plain:
            wrong += await _try_all(plain, watch, plain_runs(plain, number), "a site of several pages", console)
        async with open_chat() as chat:
            wrong += await _try_all(chat, watch, chat_runs(chat, number // 2), "a chat over a socket", console)
    return 1 if wrong else 0


async def _try_all(app: App, watch: Watch, runs: Sequence[Run], name: str, console: Console) -> int:
    right = claimed = 0
    for run in runs:
        verdict, states, answer = await perform(app, watch, run)
        expected = run.expected(app)
        claimed += sum("resolved" in state and expected.get(bug) == "not_retried" for bug, state in states.items())
        if (verdict, states) == (run.verdict(app), expected):
            right += 1
            continue
        differs = {bug: (state, expected.get(bug)) for bug, state in states.items() if state != expected.get(bug)}
        console.print(f"  wrong: {run}: {verdict} instead of {run.verdict(app)}; {differs}; {answer['message']}")
    console.print(f"{name}: {right} of {len(runs)} runs as planted; resolved without a retry: {claimed}")
    return len(runs) - right


def main(arguments: Sequence[str]) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="launcher/run bench verify", description=__doc__)
    parser.add_argument(
        "--runs", type=int, default=30, help="of each of the first two applications; half as many of the third"
    )
    return trio.run(_measure, parser.parse_args(arguments).runs, Console(soft_wrap=True, highlight=False))
