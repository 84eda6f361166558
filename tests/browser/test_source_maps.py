"""Errors of bundled code are told by the places where they were written, if the browser can get at a map."""

import json
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import attrs
import pytest
import trio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from gasoline_cdp import limits
from gasoline_cdp.config import Config
from gasoline_cdp.frontends.http.loopback import serve_app
from gasoline_cdp.frontends.local.runtime import SOCKET
from gasoline_cdp.operations.running import run_operation
from gasoline_cdp.records import StackFrame
from gasoline_cdp.streaming import StreamSettings
from gasoline_cdp.unlisted.captured import CAPTURED
from tests.connected import open_socket
from tests.node_tools import NODE
from tests.support import PATIENCE, Watch, open_watch

pytestmark = pytest.mark.requirement("F2-SOURCEMAPS")

SHOP = Path(__file__).parents[1] / "site" / "shop"
BUILD = "require('esbuild').buildSync(JSON.parse(process.argv[1]))"


@attrs.define
class File:
    content: bytes
    headers: dict[str, str] = attrs.field(factory=dict)
    status: int = 200
    # Answered only when this is set.
    gate: trio.Event | None = None


class Server:
    """Serves a page with whatever a test puts beside it; knows who asked for what."""

    def __init__(self) -> None:
        self.url = ""
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.files: dict[str, File] = {}
        self.page('<script src="/dist/app.js"></script>')

    def page(self, body: str, path: str = "/", **headers: str) -> None:
        html = f'<!doctype html><link rel="icon" href="data:,"><title>Shop</title>{body}'
        self.files[path] = File(html.encode(), {"Content-Type": "text/html", "Set-Cookie": "seen=yes", **headers})

    def put(self, path: str, content: bytes | str, **changes: Any) -> None:
        body = content.encode() if isinstance(content, str) else content
        kind = "text/javascript" if path.endswith(".js") else "application/json"
        headers = {"Content-Type": kind, **changes.pop("headers", {})}
        self.files[path] = File(body, headers, **changes)

    def bundle(self, directory: Path, where: str = "/dist/app.js") -> None:
        for path in directory.iterdir():
            self.put(str(Path(where).parent / path.name), path.read_bytes())

    def times_asked(self, path: str) -> int:
        return sum(1 for asked, _ in self.asked if asked == path)

    async def answer(self, request: Request) -> Response:
        self.asked.append((request.url.path, dict(request.headers)))
        file = self.files.get(request.url.path)
        if file is None:
            return Response("not here", status_code=404)
        if file.gate is not None:
            await file.gate.wait()
        return Response(file.content, status_code=file.status, headers=file.headers)


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    server = Server()
    async with serve_app(Starlette(routes=[Route("/{path:path}", server.answer)])) as url:
        server.url = url
        yield server


def build(node_modules: Path, out: Path, **options: Any) -> Path:
    """Bundle the shop with esbuild, as a project with `src` and `dist` would."""
    (out / "src").mkdir(exist_ok=True, parents=True)
    for source in SHOP.iterdir():
        (out / "src" / source.name).write_bytes(source.read_bytes())
    given = {
        "entryPoints": ["src/main.ts"],
        "bundle": True,
        "minify": True,
        "sourcemap": "linked",
        "outfile": "dist/app.js",
        "absWorkingDir": str(out),
        **options,
    }
    subprocess.run(
        [str(NODE), "-e", BUILD, json.dumps(given)],
        cwd=node_modules.parent,
        check=True,
        capture_output=True,
        timeout=PATIENCE,
    )
    return out / "dist"


@pytest.fixture
def dist(node_modules: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    return build(node_modules, tmp_path / "shop", **getattr(request, "param", {}))


async def entries(watch: Watch, url: str) -> dict[str, dict[str, Any]]:
    """Open the shop, and give its three errors by their first word, as they are told when all maps have come."""
    before = max((record.seq for record in logs(watch)), default=0)
    await watch.go(url)
    await watch.until(lambda: any("Uncaught" in record.text and record.seq > before for record in logs(watch)))
    await watch.daemon.capture.source_maps.backlog.wait_idle()
    answer = await watch.call("observe", what="logs", level="warning", limit=100)
    return {entry["message"].split()[0]: entry for entry in reversed(answer["entries"])}


def logs(watch: Watch) -> list[Any]:
    return list(watch.telemetry.logs.newest())


AS_WRITTEN = {
    "at": "priceOf (src/cart.ts:25:11)",
    "stack": [
        "src/cart.ts:20:44",
        "sumPrices (src/cart.ts:20:16)",
        "Cart.total (src/cart.ts:15:12)",
        "applyCoupon (src/main.ts:4:50)",
    ],
}


def as_written(entry: dict[str, Any]) -> bool:
    return bool(entry["at"] == "priceOf (src/cart.ts:25:11)")


def generated(watch: Watch, kind: str = "exception") -> list[StackFrame]:
    """Where the code of the errors of a kind ran, the oldest first."""
    return [record.frames[0] for record in reversed(logs(watch)) if record.kind == kind]


async def test_places_of_a_minified_bundle(watch: Watch, server: Server, dist: Path) -> None:
    server.bundle(dist)
    told = await entries(watch, server.url)
    thrown = told["Uncaught"]
    assert thrown["message"] == "Uncaught RangeError: negative price: coupon"
    assert {"at": thrown["at"], "stack": thrown["stack"]} == AS_WRITTEN
    (ran,) = generated(watch)
    assert (ran.url, ran.line) == (f"{server.url}dist/app.js", 1)
    assert told["no"]["at"] == "priceOf (src/cart.ts:25:11)"
    assert told["no"]["logged_at"] == "warnOfCoupon (src/main.ts:11:13)"
    assert told["shop"]["at"] == "checkOut (src/main.ts:16:11)"


async def test_the_browser_loads_the_map_and_nobody_sees_it(watch: Watch, server: Server, dist: Path) -> None:
    server.bundle(dist)
    told = await entries(watch, server.url)
    assert as_written(told["Uncaught"])
    (headers,) = [headers for path, headers in server.asked if path == "/dist/app.js.map"]
    assert headers["sec-fetch-site"] == "same-origin"
    assert "seen=yes" in headers["cookie"]
    assert server.times_asked("/dist/app.js") == 1
    assert [record.url for record in watch.telemetry.network.newest() if "app.js" in record.url] == [
        f"{server.url}dist/app.js"
    ]


@pytest.mark.parametrize("dist", [{"sourcemap": "inline"}], indirect=True)
async def test_an_inline_map_needs_no_request(watch: Watch, server: Server, dist: Path) -> None:
    server.bundle(dist)
    assert as_written((await entries(watch, server.url))["Uncaught"])
    assert {path for path, _ in server.asked} == {"/", "/dist/app.js"}


@pytest.mark.parametrize("dist", [{"sourcemap": "external"}], indirect=True)
@pytest.mark.parametrize("name", ["SourceMap", "X-SourceMap"])
async def test_a_header_may_name_the_map(watch: Watch, server: Server, dist: Path, name: str) -> None:
    server.bundle(dist)
    assert b"sourceMappingURL" not in server.files["/dist/app.js"].content
    server.files["/dist/app.js"].headers[name] = "/dist/app.js.map"
    assert as_written((await entries(watch, server.url))["Uncaught"])


async def test_an_indexed_map(watch: Watch, server: Server, dist: Path) -> None:
    server.bundle(dist)
    script, written = (dist / "app.js").read_text(), json.loads((dist / "app.js.map").read_text())
    two_lines = {"version": 3, "sources": ["banner.js"], "names": [], "mappings": "AAAA;AACA"}
    sections = [
        {"offset": {"line": 0, "column": 0}, "map": two_lines},
        {"offset": {"line": 2, "column": 0}, "map": written},
    ]
    server.put("/dist/app.js", "// banner\n'use strict';\n" + script)
    server.put("/dist/app.js.map", json.dumps({"version": 3, "sections": sections}))
    assert as_written((await entries(watch, server.url))["Uncaught"])


@pytest.mark.parametrize("dist", [{"minify": False}, {"format": "esm"}], indirect=True, ids=["readable", "module"])
async def test_other_bundles(watch: Watch, server: Server, dist: Path) -> None:
    server.bundle(dist)
    server.page('<script type="module" src="/dist/app.js"></script>')
    assert as_written((await entries(watch, server.url))["Uncaught"])


async def test_the_script_of_a_worker(watch: Watch, server: Server, dist: Path) -> None:
    server.bundle(dist)
    server.page("<script>new Worker('/dist/app.js')</script>")
    thrown = (await entries(watch, server.url))["Uncaught"]
    assert as_written(thrown)
    assert thrown["worker"] == f"worker {server.url}dist/app.js"


async def test_the_script_of_a_frame_of_another_origin(watch: Watch, server: Server, dist: Path) -> None:
    server.bundle(dist)
    other = server.url.replace("127.0.0.1", "localhost")
    server.page(f'<iframe src="{other}frame"></iframe>')
    server.page('<script src="/dist/app.js"></script>', "/frame")
    thrown = (await entries(watch, server.url))["Uncaught"]
    assert as_written(thrown)
    assert thrown["frame"] == f"{other}frame"


def unmapped(server: Server, entry: dict[str, Any]) -> bool:
    return f"{server.url}dist/app.js:1:" in entry["at"]


BAD_MAPS = {
    "missing": (b"not here", 404),
    "no map at all": (b"<!doctype html><title>The page for everything</title>", 200),
    "no JSON": (b'{"version": 3, "mappings": ', 200),
    "another version": (b'{"version": 2, "mappings": "", "sources": []}', 200),
    "garbage": (b'{"version": 3, "mappings": "!!!!", "sources": ["a.ts"]}', 200),
    "outside": (b'{"version": 3, "mappings": "DAAA", "sources": ["a.ts"]}', 200),
    "empty": (b"", 200),
    "not text": (bytes(range(256)), 200),
}


@pytest.mark.parametrize(("content", "status"), BAD_MAPS.values(), ids=BAD_MAPS.keys())
async def test_a_bad_map_changes_nothing(watch: Watch, server: Server, dist: Path, content: bytes, status: int) -> None:
    server.bundle(dist)
    server.put("/dist/app.js.map", content, status=status)
    told = await entries(watch, server.url)
    assert all(unmapped(server, told[word]) for word in ("Uncaught", "no", "shop"))
    # Asked for once, for all errors of the page; and nobody is told of it.
    assert server.times_asked("/dist/app.js.map") == 1
    assert {record.kind for record in logs(watch)} <= {"console", "exception", "event"}
    assert not [record for record in watch.telemetry.network.newest() if ".map" in record.url]


async def test_a_script_without_a_map(watch: Watch, server: Server, dist: Path) -> None:
    script = (dist / "app.js").read_text().split("//# sourceMappingURL")[0]
    server.put("/dist/app.js", script)
    assert unmapped(server, (await entries(watch, server.url))["Uncaught"])
    assert {path for path, _ in server.asked} == {"/", "/dist/app.js"}


async def test_a_map_over_the_limit(watch: Watch, server: Server, dist: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server.bundle(dist)
    monkeypatch.setattr(limits, "SOURCE_MAP_BYTES", (dist / "app.js.map").stat().st_size - 1)
    assert unmapped(server, (await entries(watch, server.url))["Uncaught"])


async def test_no_record_waits_for_its_map(watch: Watch, server: Server, dist: Path) -> None:
    server.bundle(dist)
    gate = server.files["/dist/app.js.map"].gate = trio.Event()
    await watch.go(server.url)
    await watch.log("Uncaught")
    answer = await watch.call("observe", what="errors")
    assert all(unmapped(server, entry) for entry in answer["entries"])
    gate.set()
    await watch.daemon.capture.source_maps.backlog.wait_idle()
    answer = await watch.call("observe", what="errors")
    assert as_written(next(entry for entry in answer["entries"] if entry["kind"] == "exception"))


async def test_a_server_that_never_answers_holds_up_only_its_own(
    watch: Watch, server: Server, dist: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.bundle(dist)
    server.bundle(dist, "/good/app.js")
    for number in range(limits.SOURCE_MAPS_LOADING + 2):
        script = (dist / "app.js").read_text() + f"\n//# sourceMappingURL=never{number}.map"
        server.put(f"/dist/app{number}.js", script)
        server.put(f"/dist/never{number}.map", b"", gate=trio.Event())
    server.page("".join(f'<script src="/dist/app{n}.js"></script>' for n in range(limits.SOURCE_MAPS_LOADING + 2)))
    monkeypatch.setattr(limits, "SOURCE_MAP_SECONDS", 0.2)
    await watch.go(server.url)
    await watch.log("Uncaught")
    with trio.fail_after(PATIENCE):
        await watch.daemon.capture.source_maps.backlog.wait_idle()
    asked = sum(1 for path, _ in server.asked if "never" in path)
    assert asked == limits.SOURCE_MAPS_LOADING
    # Another tab is not concerned. (Its host is: the browser makes six connections to one.)
    monkeypatch.setattr(limits, "SOURCE_MAP_SECONDS", PATIENCE)
    assert watch.daemon.root is not None
    reply = await watch.daemon.root.send("Target.createTarget", {"url": "about:blank"})
    while watch.tab.target_id != reply["targetId"]:
        # The tab is announced around this reply, before or after it.
        await watch.daemon.root.send("Target.getTargets")
    server.page('<script src="/good/app.js"></script>', "/good")
    told = await entries(watch, server.url.replace("127.0.0.1", "localhost") + "good")
    assert told["Uncaught"]["at"] == "priceOf (src/cart.ts:25:11)"


async def test_after_a_deployment_the_places_are_those_of_the_new_script(
    watch: Watch, server: Server, dist: Path, node_modules: Path, tmp_path: Path
) -> None:
    server.bundle(dist)
    assert as_written((await entries(watch, server.url))["Uncaught"])
    banner = {"js": "/* a new version, some lines longer */\n\n\n"}
    server.bundle(build(node_modules, tmp_path / "shop", banner=banner, minifyWhitespace=False, minify=False))
    told = await entries(watch, server.url)
    # The newer entry of the two is the one in the dictionary.
    assert as_written(told["Uncaught"])
    answer = await watch.call("observe", what="errors")
    old, new = [entry for entry in reversed(answer["entries"]) if entry["kind"] == "exception"]
    assert old["at"] == new["at"]
    assert len({(frame.line, frame.column) for frame in generated(watch)}) == 2


async def test_a_map_is_kept_for_the_next_navigation(watch: Watch, server: Server, dist: Path) -> None:
    server.bundle(dist)
    for _ in range(3):
        assert as_written((await entries(watch, server.url))["Uncaught"])
    assert server.times_asked("/dist/app.js.map") == 1


@pytest.mark.parametrize(
    ("policy", "loaded"),
    [
        ("connect-src 'none'", False),
        ("default-src 'none'; script-src 'self'", False),
        ("default-src 'self'", True),
        ("script-src 'self'", True),
    ],
)
async def test_no_page_is_made_to_violate_its_policy(
    watch: Watch, server: Server, dist: Path, policy: str, loaded: bool
) -> None:
    server.bundle(dist)
    server.page('<script src="/dist/app.js"></script>', "/", **{"Content-Security-Policy": f"{policy}; img-src data:"})
    thrown = (await entries(watch, server.url))["Uncaught"]
    assert as_written(thrown) if loaded else unmapped(server, thrown)
    assert not [record.text for record in logs(watch) if "Content Security Policy" in record.text]


async def test_errors_from_before_we_attached(watch: Watch, server: Server, dist: Path, attach_config: Config) -> None:
    server.bundle(dist)
    await watch.go(server.url)
    await watch.log("Uncaught")
    async with open_watch(attrs.evolve(attach_config, url=None)) as late:
        await late.log("Uncaught")
        await late.daemon.capture.source_maps.backlog.wait_idle()
        answer = await late.call("observe", what="errors", url_filter=server.url)
        assert as_written(next(entry for entry in answer["entries"] if entry["kind"] == "exception"))


async def test_a_flood_of_errors_asks_once(watch: Watch, server: Server, dist: Path) -> None:
    server.bundle(dist)
    server.page(
        """<script>
        for (let i = 0; i < 3000; i++) console.error(new Error(`number ${i}`));
        for (let i = 0; i < 300; i++) eval(`${'\\n'.repeat(i)}console.error('line')\\n//# sourceURL=/gen/${i}.js`);
        for (let i = 0; i < 300; i++) eval(`console.error('line')\\n//# sourceURL=${location.origin}/gen/${i}.js`);
        </script><script src="/dist/app.js"></script>"""
    )
    told = await entries(watch, server.url)
    assert as_written(told["Uncaught"])
    assert server.times_asked("/dist/app.js.map") == 1


@pytest.mark.parametrize("dist", [{"sourcemap": "inline", "minify": False}], indirect=True)
async def test_a_module_that_a_bundle_hands_to_eval(watch: Watch, server: Server, dist: Path) -> None:
    """As webpack's eval-source-map does; the bundle around it has no map, and is not to get that of a module."""
    server.bundle(dist)
    name = "webpack-internal:///./src/main.ts"
    code = (dist / "app.js").read_text().rstrip()
    module = json.dumps(f"{code}\n//# sourceURL={name}\n")
    other = json.dumps(
        "0;\n//# sourceMappingURL=data:application/json,{}\n//# sourceURL=webpack-internal:///./src/b.ts\n"
    )
    bundle = f"eval({other});\n(function run() {{\n  eval({module});\n}})();\neval({other});\n"
    server.put("/dist/app.js", bundle)
    told = await entries(watch, server.url)
    assert told["Uncaught"]["at"] == "priceOf (src/cart.ts:25:11)"
    assert [frame.url for frame in generated(watch)] == [name]
    assert told["shop"]["at"] == "checkOut (src/main.ts:16:11)"


API = """\
export async function loadOrders(): Promise<void> {
  const answer = await fetch("/orders");
  if (!answer.ok) throw new Error("no orders: " + answer.status, { cause: { a: { b: { c: { d: 1 } } } } });
}
async function showOrders(): Promise<void> {
  await loadOrders();
}
void showOrders();
"""


@pytest.mark.requirement("F3-STREAM-RULES")
async def test_one_error_is_told_alike_everywhere(
    watch: Watch, server: Server, node_modules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "KNOWN_SECONDS", PATIENCE)
    (tmp_path / "shop" / "src").mkdir(parents=True)
    (tmp_path / "shop" / "src" / "api.ts").write_text(API)
    server.bundle(build(node_modules, tmp_path / "shop", entryPoints=["src/api.ts"]))
    # The map comes late: whoever asks before it is there waits for it.
    gate = server.files["/dist/app.js.map"].gate = trio.Event()
    server.put("/orders", '{"error":\n "no such table"}', status=500)
    told: dict[str, Any] = {}

    async def observe() -> None:
        told["observe"] = (await watch.call("observe", what="errors"))["entries"]

    async def follow(stream: trio.SocketStream) -> None:
        read = b""
        while b"no orders" not in read or not read.endswith(b"\n"):
            read += await stream.receive_some(65536)
        told["watch"] = [line for line in map(json.loads, read.splitlines()) if line.get("kind") == "rejection"]

    streaming = watch.context.streaming
    with streaming.subscribe(StreamSettings(enabled=True)):
        async with (
            open_socket(watch.context, tmp_path / "runtime"),
            await trio.open_unix_socket(str(tmp_path / "runtime" / SOCKET)) as stream,
        ):
            await stream.send_all(b'{"want": "watch"}\n')
            assert b"hello" in await stream.receive_some(65536)
            await watch.go(server.url)
            await watch.log("no orders")
            await watch.request("/orders")
            await watch.bodies_read()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(observe)
                nursery.start_soon(follow, stream)
                gate.set()
        (event,) = [streaming.entry(one) for one in streaming.recent if one.category == "errors"]
    snapshot = json.loads((await run_operation(CAPTURED, watch.context, {})).json)

    at, called = "loadOrders (src/api.ts:3:25)", "loadOrders (src/api.ts:2:24)"
    failed, thrown = sorted(told["observe"], key=lambda entry: str(entry["kind"]))
    assert (thrown["at"], thrown["stack"]) == (at, ["async showOrders (src/api.ts:6:3)"])
    assert "{a: {b: {c: {d: 1}}}}" in thrown["message"]
    (line,) = told["watch"]
    (kept,) = [entry for entry in snapshot["logs"] if entry["kind"] == "rejection"]
    for name in ("at", "stack", "message"):
        assert line[name] == kept[name] == thrown[name]
    assert event["context"]["at"] == at
    assert event["message"] == f"Unhandled rejection: {thrown['message'].splitlines()[0]}"
    # The failed call says who made it, and what the server said.
    assert (failed["at"], failed["body"], failed["initiator"]) == (called, '{"error": "no such table"}', "script")
    detail = await watch.call("observe", what="network", request_id=failed["id"])
    assert detail["initiator_stack"][0] == called
