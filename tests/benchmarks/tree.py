"""Whether the accessibility tree has every control and text: beside Chrome's own tree and Playwright's aria snapshot.

The pages are made of other people's components. Fails if anything of Chrome's tree is missing in ours.
"""

import argparse
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import trio
from rich.console import Console
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from gasoline_cdp.browser.attached import Attached
from gasoline_cdp.config import Config
from gasoline_cdp.frontends.http.loopback import serve_app
from tests.chromium import open_chromium
from tests.node_tools import NODE, install_packages
from tests.support import PATIENCE, Watch, open_watch

_HERE = Path(__file__).parents[1] / "trees"
_CONTROLS = {
    "button", "link", "textbox", "searchbox", "combobox", "checkbox", "radio", "switch", "slider", "spinbutton", "tab",
    "menuitem", "menuitemcheckbox", "menuitemradio", "option", "listbox", "treeitem", "gridcell", "columnheader",
}  # fmt: skip
_SNAPSHOT = re.compile(
    r'- (?:button|link|textbox|searchbox|combobox|checkbox|radio|switch|slider|spinbutton|tab|menuitem|treeitem) "'
    r'((?:[^"\\]|\\.)*)"'
)
# Of a long name our lines have the beginning.
_COMPARED_CHARS = 100
_OPENAPI: dict[str, Any] = {
    "openapi": "3.0.0",
    "info": {"title": "Pets", "version": "1"},
    "paths": {
        "/pets/{id}": {
            "get": {
                "tags": ["pets"],
                "summary": "Get a pet",
                "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}],
                "responses": {"200": {"description": "a pet"}},
            }
        }
    },
}


def _app(packages: Path) -> Starlette:
    async def openapi(_: Request) -> JSONResponse:
        return JSONResponse(_OPENAPI)

    return Starlette(
        routes=[
            Route("/openapi.json", openapi),
            Mount("/packages", StaticFiles(directory=packages)),
            Mount("/pages", StaticFiles(directory=_HERE / "pages")),
        ]
    )


def _bare(text: str) -> str:
    """Without spaces and case, which style sheets change for Chrome and not for Playwright."""
    return "".join(text.split()).replace('"', "'").replace("…", "").lower()


async def _whole_tree(watch: Watch) -> str:
    tree = ""
    cursor: dict[str, str] = {}
    while True:
        answer = await watch.call("observe", what="accessibility_tree", max_bytes=50 * 1024, **cursor)
        tree += f"{answer['tree']}\n"
        if "cursor" not in answer:
            return tree
        cursor = {"cursor": answer["cursor"]}


async def _settled(watch: Watch) -> list[dict[str, Any]]:
    """Chrome's own tree, once it is the same twice: components are drawn in their own time."""
    nodes: list[dict[str, Any]] = []
    with trio.fail_after(PATIENCE):
        while True:
            await watch.evaluate("new Promise((done) => setTimeout(done, 1000))")
            before, nodes = nodes, (await watch.tab.session.send("Accessibility.getFullAXTree"))["nodes"]
            if len(nodes) > 10 and len(before) == len(nodes):
                return nodes


async def _compare(console: Console, watch: Watch, endpoint: str, packages: Path, url: str) -> int:
    await watch.open(url)
    nodes = await _settled(watch)
    tree = await _whole_tree(watch)
    refs, said = set(re.findall(r" @[a-z]{3,}(\d+)", tree)), _bare(tree)
    seen = [
        (node["role"]["value"], node["name"]["value"], str(node.get("backendDOMNodeId")))
        for node in nodes
        if not node["ignored"] and str((node.get("name") or {}).get("value") or "").strip()
    ]
    controls = [(role, name) for role, name, number in seen if role in _CONTROLS]
    lost = [(role, name) for role, name, number in seen if role in _CONTROLS and number not in refs]
    texts = [name for role, name, _ in seen if role == "StaticText"]
    unsaid = [text for text in texts if _bare(text)[:_COMPARED_CHARS] not in said]
    done = await trio.run_process(
        [str(NODE), str(_HERE / "witness.mjs"), endpoint, url],
        capture_stdout=True,
        env={**os.environ, "WITNESS_PACKAGES": str(packages)},
    )
    named = [name.replace('\\"', '"') for name in _SNAPSHOT.findall(done.stdout.decode())]
    unnamed = [name for name in named if _bare(name)[:_COMPARED_CHARS] not in said]
    console.print(
        f"{url.rsplit('/', 1)[-1]:<20} {len(controls):3} controls, {len(lost)} missing; {len(texts):3} texts, "
        f"{len(unsaid)} missing; Playwright {len(named):3} controls, {len(unnamed)} missing; {len(tree):,} characters"
    )
    for one in (*lost[:3], *unsaid[:3], *unnamed[:3]):
        console.print(f"    {one}")
    return len(lost) + len(unsaid)


async def _run() -> int:
    console = Console(highlight=False, soft_wrap=True, markup=False)
    packages = install_packages(_HERE)
    with open_chromium() as endpoint:
        config = Config(browser=Attached(ws_endpoint=endpoint), url="about:blank")
        async with serve_app(_app(packages)) as site, open_watch(config) as watch:
            pages = [f"{site}pages/{page.name}" for page in sorted((_HERE / "pages").iterdir())]
            pages.append(f"{site}packages/jquery-ui-dist/index.html")
            missing = [await _compare(console, watch, endpoint, packages, page) for page in pages]
    return 1 if any(missing) else 0


def main(arguments: Sequence[str]) -> int:
    """Run from the command line."""
    argparse.ArgumentParser(prog="launcher/run bench tree", description=__doc__).parse_args(arguments)
    return trio.run(_run)
