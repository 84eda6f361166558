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
from tests.node_tools import NODE
from tests.support import PATIENCE, Watch

SOURCE = Path(__file__).parents[1] / "site" / "bugs" / "bugs.ts"
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


@pytest.fixture(params=[minified, inlined, by_typescript], ids=lambda build: build.__name__)
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
    error = next(entry for entry in answer["entries"] if text in entry["message"])
    return "\n".join(one["values"] for one in error.get("variables") or ())


async def test_each_bug_shows_the_value_that_explains_it(page: Watch) -> None:
    await page.call("debug", action="catch")
    for name, (text, expected) in BUGS.items():
        await page.evaluate(f"setTimeout(() => bugs.{name}())")
        shown = await values(page, text)
        assert all(value in shown for value in expected), (name, shown)
        assert "correct-horse" not in shown
    await page.evaluate("document.querySelector('button').click()")
    assert "chosen = 'Lamp'" in await values(page, "reading 'name'")


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
