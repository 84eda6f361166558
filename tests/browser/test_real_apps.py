"""Real applications, counted twice: by the daemon, and by Playwright driving the same page."""

import json
import os
import re
import subprocess
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import trio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from gasoline_cdp.frontends.http.loopback import serve_app
from tests.node_tools import NODE, install_packages
from tests.support import PATIENCE, Watch

pytestmark = [pytest.mark.requirement("F2-WITNESS"), pytest.mark.long]

APPS = Path(__file__).parents[1] / "apps"
OPENAPI = {
    "openapi": "3.0.0",
    "info": {"title": "Pets", "version": "1"},
    "paths": {"/pets/{id}": {"get": {"responses": {"200": {"description": "a pet"}}}}},
}


@pytest.fixture(scope="session")
def packages() -> Path:
    return install_packages(APPS)


@pytest.fixture
async def app_site(packages: Path) -> AsyncIterator[str]:
    """Serves the applications that are only files."""

    async def page(request: Request) -> Response:
        return HTMLResponse((APPS / f"{request.path_params['name']}.html").read_text())

    async def openapi(_: Request) -> Response:
        return JSONResponse(OPENAPI)

    async def pet(_: Request) -> Response:
        return JSONResponse({"id": 7})

    routes = [
        Route("/app/{name}", page),
        Route("/openapi.json", openapi),
        Route("/pets/7", pet),
        Mount("/packages", StaticFiles(directory=packages)),
    ]
    async with serve_app(Starlette(routes=routes)) as url:
        yield url


@pytest.fixture
async def chat(packages: Path) -> AsyncIterator[str]:
    """A chat on socket.io's own server."""
    process = await trio.lowlevel.open_process(
        [str(NODE), str(APPS / "chat-server.mjs")],
        stdout=subprocess.PIPE,
        env={**os.environ, "WITNESS_PACKAGES": str(packages)},
    )
    assert process.stdout is not None
    try:
        with trio.fail_after(PATIENCE):
            port = int((await process.stdout.receive_some()).decode())
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.kill()
        with trio.CancelScope(shield=True):
            await process.wait()


async def _witness(chromium: str, packages: Path, url: str) -> dict[str, Any]:
    with trio.fail_after(2 * PATIENCE):
        done = await trio.run_process(
            [str(NODE), str(APPS / "witness.mjs"), chromium, url],
            capture_stdout=True,
            env={**os.environ, "WITNESS_PACKAGES": str(packages)},
        )
    counted: dict[str, Any] = json.loads(done.stdout)
    return counted


def _requests(watch: Watch, tab_id: int) -> Counter[tuple[str, str, int]]:
    return Counter(
        (record.method, record.url, record.status or 0)
        for record in watch.telemetry.network.newest()
        if record.source.tab_id == tab_id and record.url.startswith("http")
    )


async def _compare(watch: Watch, url: str, counted: dict[str, Any]) -> None:
    """Wait until our counts are the witness's; they may arrive a moment later, and must not be more."""
    tab = next(tab for tab in watch.daemon.context.tabs.open() if tab.raw_url.startswith(url))
    expected = Counter((method, url, status) for method, url, status in counted["requests"] if url.startswith("http"))
    await watch.until(lambda: not expected - _requests(watch, tab.tab_id))
    assert _requests(watch, tab.tab_id) - expected == Counter()
    logs = [
        record
        for record in watch.telemetry.logs.newest()
        if record.kind == "console" and record.source.tab_id == tab.tab_id and record.source.kind != "worker"
    ]
    assert len(logs) == counted["console"]
    frames = Counter(
        record.direction
        for record in watch.telemetry.sockets.newest()
        if record.source.tab_id == tab.tab_id and record.event == "message" and record.kind == "websocket"
    )
    assert (frames["outgoing"], frames["incoming"]) == (counted["sent"], counted["received"])
    status = await watch.call("observe", what="status")
    assert status["targets"].get("worker", 0) == counted["workers"]
    await watch.close(tab)


async def test_swagger_ui(watch: Watch, chromium: str, packages: Path, app_site: str) -> None:
    counted = await _witness(chromium, packages, f"{app_site}app/swagger")
    assert len(counted["requests"]) >= 5
    await _compare(watch, f"{app_site}app/swagger", counted)


CONTROLS = {
    "button", "link", "textbox", "searchbox", "combobox", "checkbox", "radio", "switch", "slider", "spinbutton", "tab",
    "menuitem", "option", "listbox", "treeitem",
}  # fmt: skip
# What libraries make of forms: fields inside labels, groups, long lists, text that repeats the page's title.
FORM = """
    document.title = "Swagger UI of the desk";
    const form = document.createElement("form");
    form.innerHTML = `<label>Name <input></label><label>Size <select><option>S<option>M</select></label>
      <label><input type=checkbox> Gift</label><label><span>Note</span><textarea></textarea></label>
      <fieldset><legend>Pay</legend><label>Card <input type=radio name=p></label></fieldset>
      <a href="#"><b>desk</b> ${"word ".repeat(40)} <i>v1.2.3</i></a><p>desk</p>
      <select aria-label="Country">${"<option>Land</option>".repeat(40)}</select>`;
    document.body.append(form);
"""


async def test_the_tree_has_every_control_and_text_of_the_browsers_own(watch: Watch, app_site: str) -> None:
    await watch.open(f"{app_site}app/swagger")
    await watch.log("complete")
    await watch.evaluate(FORM)
    answer = await watch.call("observe", what="accessibility_tree", max_bytes=50 * 1024)
    assert "cursor" not in answer
    tree: str = answer["tree"]
    refs = set(re.findall(r" @[a-z]{3,}(\d+)", tree))
    nodes = (await watch.tab.session.send("Accessibility.getFullAXTree"))["nodes"]
    seen = [
        (node["role"]["value"], node["name"]["value"], str(node.get("backendDOMNodeId")))
        for node in nodes
        if not node["ignored"] and (node.get("name") or {}).get("value")
    ]
    controls = [(role, name, number) for role, name, number in seen if role in CONTROLS and name != "Land"]
    assert len(controls) > 12
    assert [one for one in controls if one[2] not in refs] == []
    assert 'combobox "Country"' in tree
    assert "options=40" in tree
    said = "".join(tree.split()).replace("…", "")
    texts = ["".join(name.split()).replace('"', "'") for role, name, _ in seen if role == "StaticText"]
    assert len(texts) > 12
    assert [text for text in texts if text[:200] not in said] == []


async def test_a_socket_io_chat(watch: Watch, chromium: str, packages: Path, chat: str) -> None:
    counted = await _witness(chromium, packages, chat)
    assert counted["sent"] >= 10
    assert counted["received"] >= 10
    await _compare(watch, chat, counted)


async def test_an_editor_with_its_workers(watch: Watch, chromium: str, packages: Path, app_site: str) -> None:
    counted = await _witness(chromium, packages, f"{app_site}app/monaco")
    assert counted["workers"] >= 1
    await _compare(watch, f"{app_site}app/monaco", counted)
