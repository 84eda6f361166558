"""Whether each locator finds exactly the element that was acted on, in a browser that has just been started.

Elements of pages of ours and of other people's applications are clicked with real input. The locator that a test would
use is compared with the one that Playwright's own generator gives for the same element: `Locator.normalize`, which
codegen uses. Clicks have no effect here, so that the pages stay as they were.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import trio
from attrs import frozen

from gasoline_cdp.analysis.flows.locators import locator_of
from gasoline_cdp.artifacts.playwright.javascript_code import locator
from gasoline_cdp.chrome.find import find_browser
from tests.benchmarks.flow_apps import PAGES, Datasette, Opener, files, site
from tests.benchmarks.flow_own import own_flows
from tests.benchmarks.flow_strangers import FRAMEWORKS, widgets
from tests.benchmarks.flows import fetch, make_config, say, serve
from tests.hands import actions
from tests.node_tools import NODE, install_packages
from tests.suites.running import SUITES
from tests.support import Watch, open_watch

_SCRIPT = Path(__file__).with_name("locators.mjs")
_REST_SECONDS = 0.8
_CLICK_SECONDS = 10.0
_RESOLVE_SECONDS = 600
_GOAL = 0.95
# What Playwright recommends first counts least.
_RANKS = (
    ("getByTestId", 0), ("[data-", 0), ("getByRole", 1), ("getByLabel", 2), ("getByPlaceholder", 3),
    ("getByAltText", 4), ("getByTitle", 5), ("getByText", 6), ("#", 7),
)  # fmt: skip
_POSITION = 9.0


@frozen(kw_only=True)
class Compared:
    """One element: how a test of ours finds it, and how Playwright's own would."""

    page: str
    element: str
    ours: str
    theirs: str
    # How many elements ours finds, and whether the first is the one acted on.
    found: int
    is_it: bool

    @property
    def is_right(self) -> bool:
        """Whether ours finds exactly this element."""
        return self.found == 1 and self.is_it

    @property
    def is_as_good(self) -> bool:
        """Whether ours is not further down in Playwright's own recommendation."""
        return bool(self.ours) and rank(self.ours) <= rank(self.theirs)


def rank(code: str) -> float:
    """How far down a locator is in the order that Playwright recommends: positions last, chains after single ones."""
    if re.search(r"\.(?:nth|first|last)\(|:nth-|nth=", code):
        return _POSITION
    calls = re.findall(r"(?:^|\.)((?:getBy|locator)\w*)\(('?[#\[]?(?:data-)?)", code)
    # A frame has to be entered, whatever comes then.
    inner = [call for call in calls if call[0] != "contentFrame"]
    name, beginning = inner[-1] if inner else ("", "")
    said = f"{name}({beginning}"
    place = next((number for part, number in _RANKS if part in said), 8)
    is_chained = len(inner) > 1 or ".filter(" in code
    return place + (0.5 if is_chained else 0.0)


def main(arguments: Sequence[str]) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="launcher/run bench locators", description=__doc__)
    parser.add_argument("--only", default="", help="pages whose name contains this")
    parser.add_argument("--each", type=int, default=14, help="elements of a page (default: 14)")
    parser.add_argument("--fetch", type=Path, default=Path(sys.prefix) / ".flows", help="where packages are kept")
    options = parser.parse_args(arguments)
    packages, pypi = fetch(options.fetch)
    with tempfile.TemporaryDirectory() as home:
        pages = [page for page in _pages(packages, pypi, Path(home)) if options.only in page[0]]
        return _report(trio.run(_run, pages, options.each))


def _pages(packages: Path, pypi: Path, home: Path) -> list[tuple[str, Opener, str]]:
    """Name, application and path of each."""
    own = {(flow.app, flow.path): (flow.name, flow.app, flow.path) for flow in own_flows(home)}
    todos = files(packages / "todomvc")
    app = widgets(packages)
    data = Datasette(pypi, home)
    return [
        *own.values(),
        *((path.stem, app, f"app/{path.stem}") for path in sorted((PAGES / "widgets").glob("*.html"))),
        *((f"todomvc: {name}", todos, f"examples/{name}/") for name in FRAMEWORKS),
        ("datasette", data, ""),
        ("datasette: table", data, "shop/orders"),
        ("datasette: row", data, "shop/orders/2"),
        ("actions", site(_actions_page), "page"),
    ]


def _actions_page() -> list[Any]:
    from starlette.responses import FileResponse  # noqa: PLC0415 - the only page that stands elsewhere
    from starlette.routing import Route  # noqa: PLC0415 - as above

    return [Route("/page", lambda _: FileResponse(Path(__file__).parents[1] / "site" / "actions.html"))]


# Stops everything that a click would do, after our own observers have heard of it.
_STILL = """const STOPPED = "pointerdown pointerup mousedown mouseup click focusin change submit";
for (const type of STOPPED.split(" "))
  addEventListener(type, (event) => { event.preventDefault(); event.stopImmediatePropagation(); }, true);"""


async def _run(pages: list[tuple[str, Opener, str]], each: int) -> list[Compared]:
    given: list[dict[str, Any]] = []
    async with trio.open_nursery() as servers:
        async with open_watch(make_config()) as watch:
            for name, app, path in pages:
                base = await servers.start(serve, app, None)
                given.append({"name": name, "url": f"{base}{path}", "acted": await _act(watch, f"{base}{path}", each)})
                await watch.go("about:blank")
        found = await trio.to_thread.run_sync(_resolve, given)
        servers.cancel_scope.cancel()
    return [Compared(**one) for one in found]


async def _act(watch: Watch, url: str, each: int) -> list[dict[str, Any]]:
    """Click the elements of a page; where each is, and how a test would find it."""
    await watch.open(url)
    await trio.sleep(_REST_SECONDS)
    finding = _SCRIPT.read_text().partition("by locators.py\n")[2].partition("// ---")[0]
    await watch.evaluate(f"{_STILL}\n{finding}\nglobalThis.benched = elementsOf(document, {each}); 0")
    count = await watch.evaluate("benched.length")
    acted = []
    for number in range(count):
        place = await watch.evaluate(f"placeOf(benched[{number}])")
        if place is None:
            continue
        watch.telemetry.clear()
        x, y = place["at"]
        for kind in ("mousePressed", "mouseReleased"):
            given = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
            await watch.tab.session.send("Input.dispatchMouseEvent", given)
            await watch.actions_told()
        with trio.move_on_after(_CLICK_SECONDS):
            await watch.until(lambda: actions(watch, "click"))
        await watch.daemon.capture.actions.backlog.wait_idle()
        clicks = actions(watch, "click")
        chosen = locator_of(clicks[-1].selectors) if clicks else None
        ours = locator(chosen)[1:] if chosen else ""
        acted.append({"path": place["path"], "element": place["element"], "ours": ours})
    return acted


def _resolve(pages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """In a fresh browser: what each locator finds, and what Playwright would have written."""
    packages = install_packages(SUITES / "playwright")
    given = {"pages": pages, "browser": str(find_browser()), "rest": _REST_SECONDS * 1000}
    done = subprocess.run(
        [str(NODE), str(_SCRIPT), str(packages / "playwright-core" / "index.mjs")],
        input=json.dumps(given), capture_output=True, text=True, check=False, timeout=_RESOLVE_SECONDS,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    answer: list[dict[str, Any]] = json.loads(done.stdout)
    return answer


def _report(compared: Sequence[Compared]) -> int:
    wrong = [one for one in compared if not one.is_right]
    worse = [one for one in compared if not one.is_as_good]
    for title, some in (("NOT EXACTLY THIS ELEMENT", wrong), ("CODEGEN IS BETTER", worse)):
        for one in some:
            say(f"{title}  {one.page}: {one.element}\n    ours   {one.ours} finds {one.found}\n    theirs {one.theirs}")
    better = sum(one.is_as_good and rank(one.ours) < rank(one.theirs) for one in compared)
    alike = 1 - len(worse) / max(1, len(compared))
    pages = len({one.page for one in compared})
    say(
        f"{len(compared)} elements on {pages} pages: {len(compared) - len(wrong)} locators find exactly theirs; "
        f"{alike:.1%} as good as Playwright's own or better ({better} better); load {os.getloadavg()[0]:.1f}"
    )
    return 0 if not wrong and alike >= _GOAL and compared else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
