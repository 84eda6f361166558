"""How often the advice of an accessibility audit helps: done to pages as it is told, and axe-core asked again.

The pages are the W3C's test cases and our own; with --pages any folder of HTML files, such as a package from npm.
"""

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import trio
from attrs import define, field
from rich.console import Console
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from gasoline_cdp.analysis.accessibility.changes import Change, Fix, attributes_of, path_of
from gasoline_cdp.analysis.accessibility.fixes import fix_for
from gasoline_cdp.browser.launched import Launched
from gasoline_cdp.config import Config
from gasoline_cdp.frontends.http.loopback import serve_app
from gasoline_cdp.probe.accessibility import Axe, AxeRequest
from tests.accessibility.failing import FAILING
from tests.accessibility.repairs import APPLY, MARK, MARKED, repair, steps
from tests.accessibility.site import REFERENCE, accessibility_app
from tests.support import Watch, open_watch


@define
class Tally:
    """What was tried, by rule."""

    tried: Counter[str] = field(factory=Counter)
    helped: Counter[str] = field(factory=Counter)
    # Findings for which no change was offered, with the reason.
    undecided: Counter[str] = field(factory=Counter)
    failures: list[str] = field(factory=list)

    def add(self, rule: str, *, passes: bool, told: str) -> None:
        """Count one way to fix one element."""
        self.tried[rule] += 1
        self.helped[rule] += passes
        if not passes:
            self.failures.append(f"{rule}: {told}")


async def _audit(watch: Watch) -> dict[str, list[dict[str, Any]]]:
    run = await Axe(watch.tab, AxeRequest(), 0, lambda _: None).audit()
    return {rule["id"]: rule["nodes"] for rule in run.result["violations"]}


async def _try(watch: Watch, url: str, rule: str, node: dict[str, Any], way: tuple[Change, ...]) -> bool | None:
    """Whether the rule passes at the element afterwards; None if the page has become another one meanwhile."""
    await watch.open(url)
    path = json.dumps(path_of(node["target"]))
    work = f"{MARK}({path}); ({APPLY})({path}, {steps(way)});"
    applied = await watch.evaluate(f"(() => {{ try {{ {work} return true; }} catch {{ return false; }} }})()")
    if not applied:
        return None
    again = await _audit(watch)
    return not any(MARKED in attributes_of(one["html"]) for one in again.get(rule, ()))


async def _page(watch: Watch, url: str, elements: int, tally: Tally) -> None:
    await watch.open(url)
    for rule, nodes in (await _audit(watch)).items():
        fixes: dict[str, tuple[Fix, dict[str, Any]]] = {}
        for node in nodes:
            fix = fix_for(rule, node)
            fixes.setdefault(fix.sentence(), (fix, node))
        for sentence, (fix, node) in list(fixes.items())[:elements]:
            if not fix.ways:
                tally.undecided[f"{rule}: {fix.sentence()}"] += 1
            for way in fix.ways:
                passes = await _try(watch, url, rule, node, way)
                if passes is not None:
                    tally.add(
                        rule,
                        passes=passes,
                        told=f"{Fix(ways=(way,)).sentence()} [{sentence}] at {node['target']} of {url}",
                    )


async def _measure(console: Console, folders: list[Path], elements: int, pages: int) -> int:
    tally = Tally()
    config = Config(
        browser=Launched(headless=True, temporary_profile=True, no_sandbox=True), url="about:blank", strict=True
    )
    async with open_watch(config) as watch, serve_app(accessibility_app()) as site:
        if not folders:
            for rule, documents in FAILING.items():
                for document in documents:
                    for one in (await repair(watch, rule, document))[1]:
                        tally.add(rule, passes=one.passes, told=f"{one.sentence} at {one.html}")
            for page in REFERENCE.values():
                await _page(watch, site.rstrip("/") + str(page["url"]), elements, tally)
        for folder in folders:
            app = Starlette(routes=[Mount("/", StaticFiles(directory=folder, html=True))])
            async with serve_app(app) as url:
                found = sorted(path for path in folder.rglob("*.html") if path.stat().st_size > 1000)
                for path in found[:: max(1, len(found) // pages)][:pages]:
                    await _page(watch, url + path.relative_to(folder).as_posix(), elements, tally)
    for failure in tally.failures:
        console.print(f"does not help: {failure}", markup=False, highlight=False, soft_wrap=True)
    for reason, count in tally.undecided.most_common():
        console.print(f"no change offered: {count} × {reason}", markup=False, highlight=False, soft_wrap=True)
    console.print(
        f"{sum(tally.helped.values())} of {sum(tally.tried.values())} changes make their rule pass, of "
        f"{len(tally.tried)} rules; {sum(tally.undecided.values())} findings without a change"
    )
    return 1 if tally.failures else 0


def main(arguments: Sequence[str]) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="launcher/run bench fixes", description=__doc__)
    parser.add_argument("--pages", type=Path, action="append", default=[], metavar="DIR", help="HTML files to try")
    parser.add_argument("--most", type=int, default=5, help="pages of each folder")
    parser.add_argument("--elements", type=int, default=2, help="different fixes of each rule on a page")
    given = parser.parse_args(arguments)
    return trio.run(_measure, Console(), given.pages, given.elements, given.most)
