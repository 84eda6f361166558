"""Leaks in frames and workers with a heap of their own, and in bundles: who holds what, and where it is written."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import trio
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from gasoline_cdp.cdp.connection import Session
from gasoline_cdp.frontends.http.loopback import serve_app
from gasoline_cdp.probe.heaps import find_target
from tests.memory.corpus import PAGES, is_right, serve_pages
from tests.node_tools import NODE
from tests.support import PATIENCE, Watch

pytestmark = pytest.mark.requirement("F10-MEMORY")

_ROUNDS = 4
_BUILD = "require('esbuild').buildSync(JSON.parse(process.argv[1]))"
_PANEL = """// A panel listens to the window, and goes on when it is closed.
class Panel {
  private readonly element: HTMLElement = document.createElement("section");

  private readonly onResize = (): void => {
    this.element.hidden = innerWidth < 600;
  };

  open(): void {
    document.body.append(this.element);
    window.addEventListener("resize", this.onResize);
  }

  close(): void {
    this.element.remove();
  }
}

Object.assign(window, {
  round: () => {
    const panel = new Panel();
    panel.open();
    panel.close();
  },
});
"""
_LOOKUPS = """// What was looked up is kept for ever.
const results = new Map<string, object>();
let turn = 0;

export function lookUp(): void {
  turn += 1;
  results.set(`key ${turn}`, { turn, rows: new Array(50).fill(turn) });
}

Object.assign(window, { round: lookUp });
"""
_OTHERS = "".join(f'document.addEventListener("none{n}", () => console.log({n}));\n' for n in range(20))
_WORKER = """
class Job {
  constructor(number) { this.number = number; this.rows = new Array(500).fill({number}); }
}
self.finished = [];
self.round = () => self.finished.push(new Job(self.finished.length));
postMessage(0);
"""


@pytest.fixture
async def pages() -> AsyncIterator[str]:
    async with serve_pages() as url:
        yield url


@pytest.fixture
async def page(watch: Watch, pages: str) -> Watch:
    watch.context.pilot.switch(on=True, by="person")
    await watch.open(f"{pages}interval")
    return watch


async def _leaks_of(watch: Watch, part: str) -> list[dict[str, Any]]:
    """What leaks in a frame or worker, over rounds of its own."""
    session, _ = await find_target(watch.tab, part)
    await _rounds(session, 2)
    await watch.call("analyze", action="memory", scope="snapshot", name="before", of=part)
    await _rounds(session, _ROUNDS)
    answer = await watch.call("analyze", action="memory", scope="leaks", name="before", rounds=_ROUNDS, of=part)
    findings: list[dict[str, Any]] = answer["findings"]
    return findings


async def _rounds(session: Session, count: int) -> None:
    script = f"(async () => {{ for (let turn = 0; turn < {count}; turn += 1) await round(); }})()"
    reply = await session.send("Runtime.evaluate", {"expression": script, "awaitPromise": True})
    assert "exceptionDetails" not in reply, reply


def _imports(*names: str) -> str:
    return "".join(f'import "./{name}";\n' for name in names)


async def _bundle(node_modules: Path, into: Path, sources: dict[str, str]) -> None:
    """A minified `app.js` with its source map, from modules in TypeScript; `main` is where it begins."""
    for name, text in sources.items():
        (into / f"{name}.ts").write_text(text)
    given = {"entryPoints": ["main.ts"], "bundle": True, "minify": True, "sourcemap": "linked", "outfile": "app.js"}
    command = [str(NODE), "-e", _BUILD, json.dumps({**given, "absWorkingDir": str(into)})]
    with trio.fail_after(PATIENCE):
        await trio.run_process(command, cwd=node_modules.parent, capture_stdout=True)


async def _open_frame(page: Watch, source: str) -> None:
    """Add a frame of another site: with a process of its own."""
    await page.evaluate(
        f"""new Promise((done) => {{
          const frame = document.createElement("iframe");
          frame.onload = () => done();
          frame.src = {json.dumps(source)};
          document.body.append(frame);
        }})"""
    )


async def test_a_leak_in_a_frame_with_a_process_of_its_own(page: Watch, pages: str) -> None:
    name = "window_listener"
    source = f"{pages.replace('127.0.0.1', 'localhost')}{name}"
    await _open_frame(page, source)
    first = (await _leaks_of(page, name))[0]
    assert is_right(first, PAGES[name])
    assert (first["per_round"], first["detached_trees"]) == (1.0, _ROUNDS)
    # The id is one of the frame's heap: nobody has to say so again.
    shown = await page.call("analyze", action="memory", scope="object", of=f"@{first['ids'][0]}")
    assert shown["object"]["id"] == first["ids"][0]
    # The page around it has a heap of its own, without panels.
    around = await page.call("analyze", action="memory", scope="classes", max_bytes=50_000)
    assert not any(row["name"] == "Panel" for row in around["rows"])
    # Nothing of the frame can be compared with the page.
    wrong = await page.error("analyze", action="memory", scope="leaks", name="before")
    assert wrong["error"] == "invalid_params"
    assert "another page, frame or worker" in wrong["message"]


async def test_a_leak_in_a_worker(page: Watch) -> None:
    await page.evaluate(
        f"""new Promise((done) => {{
          const blob = new Blob([{json.dumps(_WORKER)}], {{type: "text/javascript"}});
          window.worker = new Worker(URL.createObjectURL(blob));
          window.worker.onmessage = () => done();
        }})"""
    )
    first = (await _leaks_of(page, "blob:"))[0]
    assert (first["kind"], first["count"], first["per_round"]) == ("collection", _ROUNDS, 1.0)
    assert first["held_by"].startswith("self.finished")
    assert "Job" in first["message"]
    held = await page.call("analyze", action="memory", scope="retainers", of="Job")
    assert held["rows"][0]["count"] == _ROUNDS + 2
    # The worker ends: what is asked about it says so.
    await page.evaluate("window.worker.terminate()")
    gone = await page.error("analyze", action="memory", scope="classes", of="blob:", force_refresh=True)
    assert gone["error"] in {"no_such_object", "page_navigated"}


async def test_a_leak_in_a_bundle_is_told_where_it_was_written(
    watch: Watch, node_modules: Path, tmp_path: Path
) -> None:
    await _bundle(node_modules, tmp_path, {"panel": _PANEL, "others": _OTHERS, "main": _imports("others", "panel")})
    (tmp_path / "plain.js").write_text((tmp_path / "app.js").read_text().split("//# sourceMappingURL")[0])
    for name in ("app", "plain"):
        page = f'<!doctype html><title>Bundle</title><body><script src="{name}.js"></script>'
        (tmp_path / f"{name}.html").write_text(page)
    watch.context.pilot.switch(on=True, by="person")
    found = []
    async with serve_app(Starlette(routes=[Mount("/", StaticFiles(directory=tmp_path))])) as url:
        for name in ("app", "plain"):
            await watch.open(f"{url}{name}.html")
            await watch.call("analyze", action="memory", scope="snapshot", name="before")
            await _rounds(watch.tab.session, _ROUNDS)
            answer = await watch.call("analyze", action="memory", scope="leaks", name="before", rounds=_ROUNDS)
            [leak] = answer["findings"]
            assert (leak["kind"], leak["count"], leak["detached_trees"]) == ("listener", _ROUNDS, _ROUNDS)
            found.append(leak)
    mapped, plain = found
    assert mapped["location"] == "panel.ts:5"
    assert "panel.ts:5" in mapped["message"]
    assert "app.js" not in json.dumps(mapped)
    # In a long line, the line alone says nothing.
    line, column = plain["location"].removeprefix("plain.js:").split(":")
    assert (line, int(column) > 200) == ("1", True)


async def test_paths_in_a_frame_with_a_process_of_its_own_name_the_source(
    page: Watch, node_modules: Path, tmp_path: Path
) -> None:
    await _bundle(
        node_modules, tmp_path, {"lookups": _LOOKUPS, "others": _OTHERS, "main": _imports("others", "lookups")}
    )
    (tmp_path / "frame.html").write_text('<!doctype html><title>Frame</title><body><script src="app.js"></script>')
    async with serve_app(Starlette(routes=[Mount("/", StaticFiles(directory=tmp_path))])) as url:
        await _open_frame(page, f"{url.replace('127.0.0.1', 'localhost')}frame.html")
        [leak] = await _leaks_of(page, "frame.html")
        assert (leak["kind"], leak["count"], leak["per_round"]) == ("collection", _ROUNDS, 1.0)
        assert "closure variable" in leak["held_by"]
        assert "(lookups.ts:5) Map" in leak["held_by"]
        held = await page.call("analyze", action="memory", scope="retainers", of=f"@{leak['ids'][0]}")
        assert "lookups.ts:5" in held["rows"][0]["path"]
        assert "app.js" not in json.dumps([leak, held])
