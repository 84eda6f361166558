"""Bugs in code as it ships: for each, the variables at the failure hold the value that explains it."""

import json
import subprocess
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from gasoline_cdp import debug_limits
from gasoline_cdp.frontends.http.loopback import serve_app
from gasoline_cdp.records import LogRecord
from tests.hands import Hand
from tests.node_tools import NODE, install_packages
from tests.planted import VITE, button, open_desk
from tests.support import PATIENCE, Watch

SOURCE = Path(__file__).parents[1] / "site" / "bugs" / "bugs.ts"
BUNDLERS = Path(__file__).parents[1] / "bundlers"
ESBUILD = "require('esbuild').buildSync(JSON.parse(process.argv[1]))"

# What the page's bugs say, and the values that explain them: in some frame of the error.
BUGS = {
    "property": ("reading 'amount'", ["item = {name: 'Pump'}", "total = 42"]),
    "closure": ("limit: over by 380", ["limit = 100", "order = {total: 480}"]),
    "race": ("race: -1", ["answer = {id: 1, rows: null}", "id = 1"]),
    "argument": ("delay: not a number", ["delay = '12 s'"]),
    "chain": ("reading 'length'", ["answer = {id: 7, rows: null}"]),
    "fence": ("reading 'toUpperCase'", ["names = ['Ann', 'Bob']"]),
    "settings": ("in JSON", ["text = \" {'theme': 'dark'} \""]),
    "date": ("Invalid time value", ["when = 'next Tuesday'"]),
    "reduce": ("Reduce of empty array", ["prices = [0, -3]", "known = []"]),
    "shadow": ("discount: 80", ["rate = Infinity", "total = 80"]),
    "timer": ("reading 'trimEnd'", ["index = 2", "names = ['Ann', 'Bob']"]),
    "options": ("reading 'width'", ["options = null"]),
    "cycle": ("parents: a cycle", ["path = ['a', 'b', 'c']", "next = 'a'"]),
    "key": ("reading 'toFixed'", ["key = 7", "price = undefined", "prices = Map(1) {'7' => 42}"]),
    "float": ("settle: 0.3", ["sum = 0.30000000000000004", "expected = 0.3"]),
    "member": ("null (reading 'name')", ["{items: [], owner: null}"]),
    "worker": ("reading 'padEnd'", ["parts = ['a', 'b', 'c']", "text = 'a-b-c'"]),
    "secret": ("reading 'check'", []),
}


def by_esbuild(node_modules: Path, out: Path, **options: object) -> None:
    given = {"entryPoints": [str(SOURCE)], "bundle": True, "sourcemap": "linked", "outfile": str(out / "app.js")}
    command = [str(NODE), "-e", ESBUILD, json.dumps({**given, **options})]
    subprocess.run(command, cwd=node_modules.parent, check=True, capture_output=True, timeout=PATIENCE)


def minified(node_modules: Path, out: Path) -> None:
    by_esbuild(node_modules, out, minify=True)


def inlined(node_modules: Path, out: Path) -> None:
    by_esbuild(node_modules, out, sourcemap="inline")


def by_typescript(node_modules: Path, out: Path) -> None:
    """As tsc writes it: a script beside its map."""
    copied = out / "app.ts"
    copied.write_text(SOURCE.read_text())
    tsc = [str(NODE), str(node_modules / "typescript" / "bin" / "tsc"), str(copied)]
    command = [*tsc, "--sourceMap", "--target", "es2022", "--skipLibCheck", "--types", "", "--ignoreConfig"]
    subprocess.run(command, cwd=out, check=True, capture_output=True, timeout=PATIENCE)


def by_webpack(node_modules: Path, out: Path, **options: object) -> None:
    """What tsc wrote, bundled; its map has no names, so a minifier's would stay."""
    compiled = out / "compiled"
    compiled.mkdir()
    by_typescript(node_modules, compiled)
    given = {
        "mode": "production",
        "devtool": "source-map",
        "entry": str(compiled / "app.js"),
        "output": {"path": str(out), "filename": "app.js"},
        "module": {"rules": [{"use": [str(BUNDLERS / "with-map.cjs")]}]},
        "optimization": {"minimize": False},
        "performance": False,
    }
    command = [str(NODE), str(BUNDLERS / "webpack.cjs"), str(install_packages(BUNDLERS))]
    subprocess.run([*command, json.dumps({**given, **options})], cwd=out, check=True, capture_output=True)


def by_webpack_for_development(node_modules: Path, out: Path) -> None:
    """Each module is a string that is evaluated, with a map inside."""
    by_webpack(node_modules, out, mode="development", devtool="eval-source-map")


def by_vite(node_modules: Path, out: Path) -> None:
    del node_modules
    command = [str(NODE), str(BUNDLERS / "vite.mjs"), str(install_packages(VITE)), str(SOURCE), str(out)]
    subprocess.run(command, cwd=out, check=True, capture_output=True, timeout=PATIENCE)


BUILDS = [minified, inlined, by_typescript, by_webpack, by_webpack_for_development, by_vite]


@pytest.fixture(params=BUILDS, ids=lambda build: build.__name__)
async def page(
    watch: Watch,
    node_modules: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> AsyncIterator[Watch]:
    """The page with the bugs, built in one of these ways. A busy machine needs longer than a page may stand still."""
    monkeypatch.setattr(debug_limits, "CATCH_SECONDS", 30.0)
    monkeypatch.setattr(debug_limits, "LOG_POINT_BIND_SECONDS", 30.0)
    build: Callable[[Path, Path], None] = request.param
    build(node_modules, tmp_path)
    html = '<!doctype html><link rel="icon" href="data:,"><button data-item="Lamp">Add</button>'
    html += '<script src="app.js"></script>'
    (tmp_path / "index.html").write_text(html)
    watch.context.pilot.switch(on=True, by="person")
    async with serve_app(Starlette(routes=[Mount("/", StaticFiles(directory=tmp_path, html=True))])) as url:
        await watch.open(url)
        yield watch
    watch.context.pilot.switch(on=False, by="person")


async def values(page: Watch, text: str) -> str:
    """All variables of the error that says this."""
    await page.log(text)
    answer = await page.call("observe", what="errors", limit=50)
    # The page hears of an error in its worker, too.
    errors = [entry for entry in answer["entries"] if text in entry["message"]]
    return "\n".join(one["values"] for error in errors for one in error.get("variables") or ())


async def test_each_bug_shows_the_value_that_explains_it(page: Watch) -> None:
    await page.call("debug", action="catch")
    await page.evaluate("document.querySelector('button').click()")
    assert "chosen = 'Lamp'" in await values(page, "undefined (reading 'name')")
    for name, (text, expected) in BUGS.items():
        await page.evaluate(f"setTimeout(() => bugs.{name}())")
        shown = await values(page, text)
        assert all(value in shown for value in expected), (name, shown)
        assert "correct-horse" not in shown
    # The same page of another site, in a process of its own.
    page.telemetry.clear()
    await page.evaluate(
        "new Promise((done) => { const frame = document.createElement('iframe'); frame.onload = () => done();"
        " frame.src = location.href.replace('127.0.0.1', 'localhost'); document.body.append(frame); })"
    )
    await page.evaluate("document.querySelector('iframe').contentWindow.postMessage('{\"name\": \"options\"}', '*')")
    assert "options = null" in await values(page, "reading 'width'")
    assert (await page.log("reading 'width'")).source.kind == "iframe"


def line_of(code: str) -> int:
    return next(number for number, line in enumerate(SOURCE.read_text().splitlines(), 1) if code in line)


async def test_a_log_point_in_the_source_prints_its_values(page: Watch) -> None:
    line = line_of("total += item")
    for file in ("bugs.ts", "app.ts"):
        answer = await page.call("debug", action="log", at=f"{file}:{line}", expression="item.name, total")
        if answer["log_points"][-1]["bound"]:
            break
    assert answer["log_points"][-1]["bound"] == 1
    await page.evaluate("setTimeout(() => bugs.property())")
    records: list[LogRecord] = []

    def hits() -> bool:
        records[:] = [record for record in page.telemetry.logs.newest() if record.kind == "logpoint"]
        return len(records) == 2

    await page.until(hits)
    assert [record.text for record in reversed(records)] == [
        "item.name = 'Hose', total = 0",
        "item.name = 'Pump', total = 42",
    ]
    assert records[0].frames[0].line == line


async def test_code_that_was_updated_in_place_shows_its_new_values(
    watch: Watch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Vite replaces a module of the open page. A log point that was set before stays on its line."""
    monkeypatch.setattr(debug_limits, "CATCH_SECONDS", 30.0)
    monkeypatch.setattr(debug_limits, "LOG_POINT_BIND_SECONDS", 30.0)
    watch.context.pilot.switch(on=True, by="person")
    async with open_desk(tmp_path) as desk:
        await desk.become(watch, frozenset(desk.bugs) - {"cart"})
        await desk.do(watch, Hand(watch), "load", desk.urls[0])
        source = desk.root / "src" / "Cart.jsx"
        text = source.read_text()
        line = next(number for number, one in enumerate(text.splitlines(), 1) if "onClick" in one)
        await watch.call("debug", action="catch")
        await watch.call("debug", action="log", at=f"src/Cart.jsx:{line}", expression="item")
        source.write_text(
            text.replace("item = /* broken */ {}", "item = { name: 'Lamp' }").replace('"broken"', '"new"')
        )
        await watch.evaluate(
            "new Promise((done) => { const look = () => document.querySelector('[data-cart=new]') ? done() "
            ": requestAnimationFrame(look); look(); })"
        )
        # What comes by a hot update is looked at beside the page, which does not wait for that.
        await watch.context.capture.log_points.wait_bound()
        await Hand(watch).click(button("Add to cart"))
        assert "item = {name: 'Lamp'}" in await values(watch, "reading 'amount'")
        record = await watch.log("item = {name: 'Lamp'}")
        assert (record.kind, record.frames[0].line) == ("logpoint", line)
    watch.context.pilot.switch(on=False, by="person")
