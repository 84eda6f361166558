"""What the debugger costs a page: how long it stands still for an exception, and how much slower it is meanwhile.

One browser, one page, one kind of work after the other, interleaved in rounds: nobody debugs, `debug` catches, `debug`
has a log point on a line that no work runs but one, `debug` counts what runs, by function and by line, and after the
end of each. Beside it puppeteer-core is attached and does the same by hand: enables the debugger, pauses on exceptions,
reads the scopes one after the other, resumes; or sets a breakpoint that logs. Times are the page's own.
"""

import argparse
import statistics
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from gasoline_cdp.browser.attached import Attached
from gasoline_cdp.config import Config, ServeOptions
from gasoline_cdp.frontends.http.loopback import serve_app
from tests.benchmarks.site import heavy_script
from tests.chromium import open_chromium
from tests.node_tools import NODE, install_packages
from tests.support import Watch, open_watch

_BY_HAND = Path(__file__).with_name("debug_by_hand.mjs")
_APPS = Path(__file__).parents[1] / "apps"
_FILES = 20
_PAGE = f"""<!doctype html><title>Heavy</title><link rel="icon" href="data:,"><p id="room"></p>
{"".join(f'<script src="/{number}.js"></script>' for number in range(_FILES))}
<script src="/own.js"></script>"""
_OWN = """
function never(a) {
  return a + 1;
}
function handle(order, coupons) {
  const coupon = coupons[order.code];
  // Each is another error: what is known already is not read again.
  if (!coupon) throw new TypeError(`no coupon ${order.code}`);
  return order.total * coupon.percent;
}
globalThis.throwing = (code) => {
  const coupons = { SPRING: { percent: 10 } };
  const begun = performance.now();
  try { return handle({ code, total: 84, lines: [1, 2, 3] }, coupons); } catch { return performance.now() - begun; }
};
globalThis.works = {
  compute: () => { let sum = 0; for (let n = 0; n < 2e5; n++) sum += f0_1(n % 100) & 1; return sum; },
  promises: async () => { for (let n = 0; n < 2e5; n++) await null; },
  hits: () => { for (let n = 0; n < 100; n++) never(n); },
  caught: () => { for (let n = 0; n < 2e3; n++) { try { throw new Error("x"); } catch {} } },
};
"""
WORKS = ("compute", "promises", "caught")


@asynccontextmanager
async def puppeteer(watch: Watch, address: str, how: str) -> AsyncIterator[None]:
    """puppeteer-core attached to the page, doing this until the block ends."""
    command = [str(NODE), str(_BY_HAND), str(install_packages(_APPS)), address, watch.tab.target_id, how]
    process = await trio.lowlevel.open_process(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        assert (await process.stdout.receive_some()).strip() == b"ready"
        yield
        await process.stdin.aclose()
        await process.wait()
    finally:
        process.kill()
        with trio.CancelScope(shield=True):
            await process.wait()


@asynccontextmanager
async def debugging(watch: Watch, **arguments: Any) -> AsyncIterator[None]:
    """`debug` with these arguments, until the block ends."""
    if arguments:
        await watch.call("debug", **arguments)
    yield
    await watch.call("debug", action="off")


def _ways(watch: Watch, address: str) -> dict[str, Callable[[], Any]]:
    log = {"action": "log", "at": "own.js:3", "expression": "a", "limit": 1000}
    return {
        "nobody": lambda: debugging(watch),
        "catch": lambda: debugging(watch, action="catch"),
        "catch, on: all": lambda: debugging(watch, action="catch", on="all"),
        "log point": lambda: debugging(watch, **log),
        "coverage": lambda: debugging(watch, action="coverage"),
        "coverage by line": lambda: debugging(watch, action="coverage", by_line=True),
        "puppeteer, attached only": lambda: puppeteer(watch, address, "nothing"),
        "puppeteer, catch by hand": lambda: puppeteer(watch, address, "catch"),
        "puppeteer, log point by hand": lambda: puppeteer(watch, address, "log"),
    }


async def _time(watch: Watch, work: str) -> float:
    script = (
        f"(async () => {{ const begun = performance.now(); await works.{work}(); return performance.now() - begun }})()"
    )
    return float(await watch.evaluate(script))


async def measure(rounds: int) -> dict[str, dict[str, list[float]]]:
    """Milliseconds by way and work. `after` is the work once more, off again and with the page loaded anew."""
    samples: dict[str, dict[str, list[float]]] = {}

    async def script(request: Request) -> Response:
        name = request.path_params["name"]
        text = _OWN if name == "own" else heavy_script(int(name))
        return Response(text, media_type="text/javascript")

    async def page(_: Request) -> Response:
        return HTMLResponse(_PAGE)

    app = Starlette(routes=[Route("/", page), Route("/{name}.js", script)])
    with open_chromium() as address:
        config = Config(browser=Attached(ws_endpoint=address), serve=ServeOptions(pilot=True), url="about:blank")
        async with serve_app(app) as url, open_watch(config) as watch:
            for _ in range(rounds):
                for name, way in _ways(watch, address).items():
                    await _measure_way(watch, url, way, samples.setdefault(name, {}))
    return samples


async def _measure_way(watch: Watch, url: str, way: Callable[[], Any], samples: dict[str, list[float]]) -> None:
    async def add(suffix: str = "") -> None:
        for work in WORKS:
            samples.setdefault(f"{work}{suffix}", []).append(await _time(watch, work))

    await watch.open(url)
    for work in WORKS:
        await _time(watch, work)
    async with way():
        # Before the page catches thousands of exceptions itself: it is left alone after so many.
        for code in ("A", "B", "C"):
            pause = float(await watch.evaluate(f"throwing('{code}')"))
            samples.setdefault("pause", []).append(pause)
        await add()
        samples.setdefault("hit", []).append(await _time(watch, "hits") / 100)
        await watch.open(f"{url}?loaded")
        loaded = await watch.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
        samples.setdefault("load", []).append(float(loaded))
    await watch.open(url)
    for work in WORKS:
        await _time(watch, work)
    await add(" after")


def markdown(samples: dict[str, dict[str, list[float]]]) -> str:
    """Medians as times of those of the same page that nobody debugs; a pause and a hit in milliseconds."""
    columns = [f"{work}{suffix}" for suffix in ("", " after") for work in WORKS]
    columns.insert(len(WORKS), "load")
    rows = ["| | a pause, ms | a hit, ms | " + " | ".join(columns) + " |", "| --- " * (len(columns) + 3) + "|"]
    nobody = samples["nobody"]
    for name, taken in samples.items():
        cells = [f"{statistics.median(taken[one]):.2f}" for one in ("pause", "hit")]
        for column in columns:
            pairs = zip(taken[column], nobody[column], strict=True)
            cells.append(f"{statistics.median(one / max(other, 0.01) for one, other in pairs):.2f}")
        rows.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def main(arguments: Sequence[str]) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="launcher/run bench debug", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="about ten seconds each; default 7")
    options = parser.parse_args(arguments)
    sys.stdout.write(markdown(trio.run(measure, options.rounds)) + "\n")
    return 0
