"""act on applications of others: a task is solved with nothing but what the answers say."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from attrs import evolve
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from gasoline_cdp.browser.attached import Attached
from gasoline_cdp.config import Config, ServeOptions
from gasoline_cdp.frontends.http.loopback import serve_app
from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.tools.registry import TOOLS
from tests.node_tools import install_packages
from tests.support import Watch

pytestmark = pytest.mark.requirement("ACT-CAUSED")

APPS = Path(__file__).parents[1] / "apps"
OPENAPI = {
    "openapi": "3.0.0",
    "info": {"title": "Pets", "version": "1"},
    "paths": {
        "/pets/{id}": {
            "get": {
                "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}],
                "responses": {"200": {"description": "a pet"}},
            }
        }
    },
}


@pytest.fixture(scope="session")
def packages() -> Path:
    return install_packages(APPS)


@pytest.fixture
def attach_config(chromium: str) -> Config:
    return Config(
        browser=Attached(ws_endpoint=chromium), serve=ServeOptions(pilot=True), url="about:blank", strict=True
    )


@pytest.fixture
async def app_site(packages: Path) -> AsyncIterator[str]:
    async def page(request: Request) -> Response:
        return HTMLResponse((APPS / f"{request.path_params['name']}.html").read_text())

    async def openapi(_: Request) -> Response:
        return JSONResponse(OPENAPI)

    async def pet(request: Request) -> Response:
        return JSONResponse({"error": f"no pet {request.path_params['id']}"}, status_code=404)

    routes = [
        Route("/app/{name}", page),
        Route("/openapi.json", openapi),
        Route("/pets/{id}", pet),
        Mount("/packages", StaticFiles(directory=packages)),
    ]
    async with serve_app(Starlette(routes=routes)) as url:
        yield url


async def act(watch: Watch, *steps: dict[str, str], **more: str) -> str:
    context = evolve(watch.context, form="lines")
    answer = await call_tool(TOOLS, context, "act", {"steps": list(steps), **more})
    assert answer.data.get("success"), (steps, answer.text)
    assert len(answer.text.encode()) <= 2048
    return answer.text


def ref(text: str, line: str) -> str:
    """The reference in the line of an answer that matches."""
    match = re.search(rf"^.*(?:{line}).*?(@\w+)", text, re.MULTILINE)
    assert match, (line, text)
    return match[1]


async def test_swagger_ui_tries_a_call_that_fails(watch: Watch, app_site: str) -> None:
    shown = await act(watch, {"do": "open", "value": f"{app_site}app/swagger"}, wait_for="text:/pets/")
    opened = await act(watch, {"do": "click", "target": ref(shown, "button.*/pets/")})
    tried = await act(watch, {"do": "click", "target": ref(opened, 'button "Try it out')})
    called = await act(
        watch,
        {"do": "fill", "target": ref(tried, "textbox|spinbutton"), "value": "99"},
        {"do": "click", "target": 'button "Execute"'},
    )
    assert "404" in called
    assert "no pet 99" in called
    assert "/pets/99" in called


async def test_an_editor_takes_what_is_typed(watch: Watch, app_site: str) -> None:
    await act(watch, {"do": "open", "value": f"{app_site}app/monaco"}, wait_for="element:.view-line")
    await act(
        watch,
        {"do": "click", "target": ".view-lines"},
        {"do": "press", "value": "Control+A"},
        {"do": "type", "value": "let answer = 42"},
    )
    shown = await watch.evaluate("document.querySelector('.view-lines').innerText")
    assert "let answer = 42" in shown.replace("\u00a0", " ")
