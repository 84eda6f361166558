"""Serves the pages for accessibility audits, some of them under strict policies."""

import json
from pathlib import Path
from typing import Any

import trio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

HERE = Path(__file__).parent
REFERENCE: dict[str, dict[str, Any]] = json.loads((HERE / "act" / "reference.json").read_text())["pages"]
STRICT = "default-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".svg": "image/svg+xml",
    ".xhtml": "application/xhtml+xml",
    ".css": "text/css",
    ".jpg": "image/jpeg",
    ".png": "image/png",
}


def _file(path: Path, **headers: str) -> Response:
    if not path.is_file():
        return Response(status_code=404)
    return Response(path.read_bytes(), headers={"content-type": _TYPES[path.suffix], **headers})


async def act(request: Request) -> Response:
    return _file(HERE / "act" / "WAI" / request.path_params["path"])


async def page(request: Request) -> Response:
    name = request.path_params["name"]
    return _file(HERE / "pages" / name, **({"content-security-policy": STRICT} if name == "strict.html" else {}))


async def never(_: Request) -> Response:
    await trio.sleep_forever()
    raise AssertionError


def accessibility_app() -> Starlette:
    return Starlette(routes=[Route("/WAI/{path:path}", act), Route("/pages/{name}", page), Route("/never", never)])
