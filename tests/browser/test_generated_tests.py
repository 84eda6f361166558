"""Tests generated from real input, run by the real Playwright: on the page as it was, and on broken ones."""

import json
import os
import subprocess
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from attrs import define
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from gasoline_cdp.chrome.find import find_browser
from gasoline_cdp.frontends.http.loopback import serve_app
from tests.hands import Hand, by_id, told
from tests.node_tools import NODE, install_packages
from tests.suites.running import SUITES
from tests.support import Watch

pytestmark = pytest.mark.requirement("F6-TESTS")

_PAGE = """<!doctype html><title>Items</title><h1>Items</h1>
<form id="form"><label>New item <input id="title"></label><button id="add">Add</button></form>
<label><input type="checkbox" id="urgent"> Urgent</label><ul id="list"></ul><p id="count"></p><script>
  const draw = async () => {
    const items = await (await fetch("/api/items")).json();
    const row = (item) => Object.assign(document.createElement("li"), {textContent: item.title});
    list.replaceChildren(...items.map(row));
    count.textContent = BROKEN === "text" ? "" : `${items.length} items`;
  };
  form.onsubmit = async (event) => {
    event.preventDefault();
    if (BROKEN === "throw") throw new TypeError("boom is not a function");
    await fetch("/api/items", {method: "POST", body: JSON.stringify({title: title.value})});
    draw();
  };
  draw();
</script>"""
_CONFIG = """module.exports = {
  timeout: 20000, reporter: [['json', { outputFile: 'report.json' }]], workers: 4, fullyParallel: true,
  use: { launchOptions: { executablePath: process.env.SUITE_BROWSER, args: ['--no-sandbox'] } },
};"""


@define
class Items:
    """A little application. What is broken in it is said by its path: each has a list of its own."""

    url: str

    @staticmethod
    def app() -> Starlette:
        lists: dict[str, list[dict[str, Any]]] = {}

        def page(request: Request) -> Response:
            broken = request.query_params.get("broken", "")
            response = HTMLResponse(_PAGE.replace("BROKEN", json.dumps(broken)))
            response.set_cookie("list", f"{broken}-{len(lists)}")
            return response

        async def items(request: Request) -> Response:
            kept = lists.setdefault(request.cookies["list"], [{"id": 1, "title": "First"}])
            broken = request.cookies["list"].partition("-")[0]
            if request.method == "POST":
                kept.append({"id": len(kept) + 1, "title": (await request.json())["title"]})
                return JSONResponse(kept[-1], status_code=500 if broken == "status" else 201)
            return JSONResponse([{"id": one["id"]} for one in kept] if broken == "field" else kept)

        return Starlette(routes=[Route("/", page), Route("/api/items", items, methods=["GET", "POST"])])


@pytest.fixture
async def items() -> AsyncIterator[Items]:
    async with serve_app(Items.app()) as url:
        yield Items(url.rstrip("/"))


def _run(project: Path) -> dict[str, str]:
    """Run the tests of a project; for each the beginning of its error, empty if it passed."""
    program = project / "node_modules" / "@playwright" / "test" / "cli.js"
    environment = {**os.environ, "SUITE_BROWSER": str(find_browser())}
    done = subprocess.run(
        [str(NODE), str(program), "test"], cwd=project, env=environment, capture_output=True, text=True, check=False,
        timeout=300,
    )  # fmt: skip
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    report = json.loads((project / "report.json").read_text(encoding="utf-8"))
    assert not report["errors"], report["errors"]
    results = {}
    for suite in report["suites"]:
        for spec in suite["specs"]:
            (result,) = spec["tests"][0]["results"]
            results[suite["file"]] = result.get("error", {}).get("message", "")
    return results


@pytest.mark.long
async def test_a_generated_test_passes_on_its_page_and_fails_where_that_is_broken(
    watch: Watch, items: Items, tmp_path: Path
) -> None:
    await watch.open(f"{items.url}/?broken=")
    hand = Hand(watch)
    await hand.click(by_id("title"))
    await hand.write("Milk")
    await hand.click(by_id("add"))
    await told(watch, "click", 2)
    await watch.until(lambda: [s for s in watch.telemetry.dom_snapshots.newest() if s.trigger == "action"])
    await hand.click(by_id("urgent"))
    await told(watch, "click", 3)
    answer = await watch.call("generate_test", test_name="adds an item")
    assert answer["action_count"] == 3
    (tmp_path / "node_modules").symlink_to(install_packages(SUITES / "playwright"))
    (tmp_path / "playwright.config.js").write_text(_CONFIG)
    for broken in ("", "status", "field", "text", "throw"):
        script = answer["test_script"].replace("/?broken=", f"/?broken={broken}")
        assert script != answer["test_script"] or not broken
        (tmp_path / f"{broken or 'whole'}.spec.ts").write_text(script)
    errors = await trio.to_thread.run_sync(partial(_run, tmp_path))
    assert errors.pop("whole.spec.ts") == "", errors
    assert "201" in errors["status.spec.ts"]
    assert "title" in errors["field.spec.ts"]
    assert "2 items" in errors["text.spec.ts"]
    # No call was made where the handler threw.
    assert "waitForResponse" in errors["throw.spec.ts"]
