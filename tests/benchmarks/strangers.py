"""What security_audit says of other people's packages and servers, served on this machine as they are.

The packages are fetched by npm and pip, by name, into a directory that outlives the run (--fetch). Nothing in them is
secret, so that nothing critical may be found.
"""

import argparse
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio
from attrs import frozen
from rich.console import Console
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from gasoline_cdp.browser.launched import Launched
from gasoline_cdp.config import CaptureOptions, Config
from gasoline_cdp.frontends.http.loopback import serve_app
from tests.node_tools import fetch_packages
from tests.support import Watch, open_watch

NPM = (
    "ace-builds", "tinymce", "reveal.js", "jsoneditor", "swagger-ui-dist", "bootstrap", "leaflet", "mermaid",
    "monaco-editor", "jquery-ui-dist", "@fortawesome/fontawesome-free", "video.js",
)  # fmt: skip
PYPI = ("datasette", "locust", "jupyterlab", "django")
_TEXTS = {".js", ".mjs", ".css", ".json", ".html", ".htm", ".md", ".txt", ".svg", ".map", ".ts", ".xml"}
_FILE_BYTES = 8_000_000
_PAGES = 12
_READY_SECONDS = 90
_SETTLE = "new Promise((done) => setTimeout(done, 1000))"


@frozen
class Server:
    """A server that is started by a command; `{port}` and `{home}` are filled in. `prepare` runs before it."""

    name: str
    command: tuple[str, ...]
    pages: tuple[str, ...]
    prepare: tuple[tuple[str, ...], ...] = ()
    files: tuple[tuple[str, str], ...] = ()
    # Run in the first page, such as to log in.
    script: str = ""


_LOCUSTFILE = """\
from locust import HttpUser, task


class Visitor(HttpUser):
    host = "http://localhost"

    @task
    def look(self):
        pass
"""
_ORDERS = """\
import sqlite3
shop = sqlite3.connect("{home}/shop.db")
shop.execute("create table if not exists orders (id integer primary key, item text)")
shop.execute("insert into orders (item) values ('lamp')")
shop.commit()
"""
_ADMIN = """\
import os, sys, django
sys.path.insert(0, "{home}/site")
os.environ["DJANGO_SETTINGS_MODULE"] = "shop.settings"
django.setup()
from django.contrib.auth.models import User
if not User.objects.filter(username="ada").exists():
    User.objects.create_superuser("ada", "ada@shop.test", "lamp")
"""
_LOG_IN = """
fetch(location.href, {method: "POST", body: new URLSearchParams({
    username: "ada", password: "lamp",
    csrfmiddlewaretoken: document.querySelector("[name=csrfmiddlewaretoken]").value
})}).then((answer) => answer.text())
"""
SERVERS = (
    Server(
        "datasette",
        ("datasette", "serve", "{home}/shop.db", "--port", "{port}"),
        ("/", "/shop", "/shop/orders", "/shop/orders.json", "/-/settings", "/-/versions.json"),
        prepare=(("python", "-c", _ORDERS),),
    ),
    Server(
        "locust",
        ("locust", "-f", "{home}/locustfile.py", "--web-host", "127.0.0.1", "--web-port", "{port}"),
        ("/", "/stats/requests", "/exceptions", "/logs", "/tasks"),
        files=(("locustfile.py", _LOCUSTFILE),),
    ),
    Server(
        "jupyterlab",
        (
            "jupyter-lab", "--allow-root", "--no-browser", "--IdentityProvider.token=", "--ServerApp.port={port}",
            "--ServerApp.root_dir={home}",
        ),
        ("/lab", "/tree", "/api/contents", "/api/kernelspecs"),
    ),
    Server(
        "django admin",
        ("python", "{home}/site/manage.py", "runserver", "--noreload", "127.0.0.1:{port}"),
        (
            "/admin/login/?next=/admin/", "/admin/", "/admin/auth/user/", "/admin/auth/user/1/change/",
            "/admin/password_change/", "/nowhere",
        ),
        prepare=(
            ("sh", "-c", "test -d {home}/site || (mkdir {home}/site && django-admin startproject shop {home}/site)"),
            ("python", "{home}/site/manage.py", "migrate", "-v", "0"),
            ("python", "-c", _ADMIN),
        ),
        script=_LOG_IN,
    ),
)  # fmt: skip


def _fetch(cache: Path) -> None:
    fetch_packages(cache / "npm", NPM)
    python = cache / "py" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(cache / "py")], check=True)
    subprocess.run([str(python), "-m", "pip", "install", "-q", *PYPI], check=True)


def _texts(package: Path) -> list[Path]:
    return [
        path
        for path in sorted(package.rglob("*"))
        if path.suffix in _TEXTS and path.is_file() and 0 < path.stat().st_size < _FILE_BYTES
    ]


def _site(packages: Path) -> Starlette:
    async def blank(_: Request) -> Response:
        return HTMLResponse("<!doctype html><html lang=en><title>Files</title><h1>Files</h1>")

    return Starlette(routes=[Route("/files", blank), Mount("/packages", StaticFiles(directory=packages, html=True))])


async def _package(watch: Watch, site: str, packages: Path, name: str, files: int) -> int:
    """Fetch its files as they are, and open its own pages. How many files there were."""
    texts = _texts(packages / name)
    # Spread over the whole package.
    chosen = texts[:: -(-len(texts) // files)] if texts else []
    pages = [path for path in texts if path.suffix in {".html", ".htm"}][:_PAGES]
    await watch.open(f"{site}files")
    for path in chosen:
        address = f"/packages/{path.relative_to(packages).as_posix()}"
        await watch.evaluate(f"fetch({address!r}).then((answer) => answer.text())")
        await watch.bodies_read()
    for path in pages:
        await watch.open(f"{site}packages/{path.relative_to(packages).as_posix()}")
    return len(chosen) + len(pages)


@asynccontextmanager
async def served(server: Server, cache: Path) -> AsyncIterator[str]:
    """Its address, once it is ready."""
    home = cache / "home" / server.name.replace(" ", "-")
    home.mkdir(parents=True, exist_ok=True)
    listener = trio.socket.socket()
    await listener.bind(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    listener.close()
    for name, text in server.files:
        (home / name).write_text(text)
    environment = {**os.environ, "PATH": f"{cache / 'py' / 'bin'}{os.pathsep}{os.environ['PATH']}", "HOME": str(home)}

    def filled(parts: tuple[str, ...]) -> list[str]:
        return [part.replace("{port}", str(port)).replace("{home}", str(home)) for part in parts]

    for command in server.prepare:
        await trio.run_process(filled(command), env=environment, capture_stdout=True)
    with (home / "log").open("wb") as log:
        process = await trio.lowlevel.open_process(
            filled(server.command), env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=home
        )
    try:
        with trio.fail_after(_READY_SECONDS):
            while True:
                try:
                    await (await trio.open_tcp_stream("127.0.0.1", port)).aclose()
                    break
                except OSError:
                    await trio.sleep(0.2)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        with trio.CancelScope(shield=True), trio.move_on_after(10):
            await process.wait()
        if process.returncode is None:
            process.kill()


async def _visit(watch: Watch, server: Server, url: str) -> int:
    for number, page in enumerate(server.pages):
        await watch.open(f"{url}{page}")
        if server.script and number == 0:
            await watch.evaluate(server.script)
        await watch.evaluate(_SETTLE)
        await watch.bodies_read()
    return len(server.pages)


async def _findings(watch: Watch) -> tuple[list[dict[str, Any]], list[str]]:
    findings: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        answer = await watch.call("security_audit", severity_min="info", limit=1000, **cursor)
        findings += answer["findings"]
        if not (follow := answer.get("cursor")):
            return findings, answer["notes"]
        cursor = {"cursor": follow}


async def _tell(console: Console, watch: Watch, name: str, looked: int, seconds: float) -> int:
    findings, notes = await _findings(watch)
    counts = Counter(one["severity"] for one in findings)
    requests = len(list(watch.telemetry.network.newest()))
    told = ", ".join(f"{counts[severity]} {severity}" for severity in ("critical", "warning", "info"))
    console.print(f"{name}: {looked} files and pages, {requests} requests, {seconds:.0f} s: {told}")
    for one in findings:
        if one["severity"] != "info":
            console.print(f"  {one['severity']}: {one['title']} | {one['description']} | {one['recommendation']}")
            console.print(f"    {one.get('count', 1)} × {str(one.get('evidence'))[:300]}")
    titles = Counter(one["title"] for one in findings if one["severity"] == "info")
    for title, count in titles.most_common():
        console.print(f"  info: {count} × {title}")
    for note in notes:
        console.print(f"  note: {note}")
    watch.telemetry.clear()
    return counts["critical"]


async def _run(cache: Path, files: int, only: str) -> int:
    console = Console(highlight=False, soft_wrap=True, markup=False)
    packages = cache / "npm" / "node_modules"
    config = Config(
        browser=Launched(headless=True, temporary_profile=True, no_sandbox=True),
        capture=CaptureOptions(bodies="all"),
        url="about:blank",
        strict=True,
    )
    critical = 0
    async with open_watch(config) as watch, serve_app(_site(packages)) as site:
        for name in NPM:
            if only in name:
                begun = time.monotonic()
                looked = await _package(watch, site, packages, name, files)
                critical += await _tell(console, watch, name, looked, time.monotonic() - begun)
        for server in SERVERS:
            if only in server.name:
                begun = time.monotonic()
                async with served(server, cache) as url:
                    looked = await _visit(watch, server, url)
                    critical += await _tell(console, watch, server.name, looked, time.monotonic() - begun)
                    await watch.open("about:blank")
    console.print(f"{critical} critical")
    return 1 if critical else 0


def main(arguments: Sequence[str]) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="launcher/run bench strangers", description=__doc__)
    parser.add_argument("cache", type=Path, help="where the packages are, or are put: outside the checkout")
    parser.add_argument("--fetch", action="store_true", help="fetch them first, with npm and pip")
    parser.add_argument("--files", type=int, default=150, help="of each package, at most (default: 150)")
    parser.add_argument("--only", default="", help="those whose name contains this")
    given = parser.parse_args(arguments)
    cache = given.cache.resolve()
    if given.fetch:
        _fetch(cache)
    return trio.run(_run, cache, given.files, given.only)
