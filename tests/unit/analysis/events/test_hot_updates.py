"""What development servers say to their pages, as the real ones said it, and what of it is a change of the code."""

import json
from typing import Any

import pytest

from gasoline_cdp import limits
from gasoline_cdp.analysis.events.hot_updates import VITE_PROTOCOL, ServerWord, ServerWords, read_request

pytestmark = pytest.mark.requirement("F9-CHANGE")

PAGE = "http://127.0.0.1:9101/"
# Address of the socket, and the protocol inside it.
VITE = ("ws://127.0.0.1:9101/?token=[REDACTED]", VITE_PROTOCOL)
WEBPACK = ("ws://127.0.0.1:9102/ws", "")
MIDDLEWARE = ("http://127.0.0.1:9103/__webpack_hmr", "")
LIVE_RELOAD = ("ws://127.0.0.1:9105/livereload", "")
BROWSER_SYNC = ("ws://127.0.0.1:9106/browser-sync/socket.io/?EIO=4&transport=websocket&sid=x", "")
ESBUILD = ("http://127.0.0.1:9107/esbuild", "")
PARCEL = ("ws://127.0.0.1:9108/", "")
NEXT = ("ws://127.0.0.1:9109/_next/hmr?id=sjF6amKLPOT1Mv34Ni8IA", "")
OLDER_NEXT = ("ws://127.0.0.1:9109/_next/webpack-hmr", "")
LIVE_SERVER = ("ws://127.0.0.1:8080//ws", "")
SHOP = ("wss://shop.example/live", "")


def words(server: tuple[str, str], *messages: Any, event: str = "", page: str = PAGE) -> list[ServerWord]:
    """What is read of messages that come over one connection."""
    reader = ServerWords(*server)
    texts = [one if isinstance(one, str) else json.dumps(one, separators=(",", ":")) for one in messages]
    return [word for text in texts if (word := reader.read(text, page, event))]


def vite_update(kind: str, path: str) -> dict[str, Any]:
    update = {"type": kind, "timestamp": 1794985640499, "path": "/src/main.js", "acceptedPath": path}
    return {"type": "update", "updates": [{**update, "explicitImportRequired": False}]}


def test_vite_names_the_file_it_updated() -> None:
    (script,) = words(VITE, vite_update("js-update", "/src/text.js"))
    assert script == ServerWord(server="Vite", effect="update", files=("/src/text.js",))
    (style,) = words(VITE, vite_update("css-update", "/src/style.css?direct"))
    assert style.effect == "update"
    (bundled,) = words(VITE, {"type": "bundled-dev-update", "changedIds": ["/src/a.js"], "url": "/x.js", "seq": 1})
    assert bundled.files == ("/src/a.js",)


def test_vite_has_a_page_load_itself_anew() -> None:
    (word,) = words(VITE, {"type": "full-reload", "triggeredBy": "/app/src/main.js", "path": "*"})
    assert word == ServerWord(server="Vite", effect="reload", files=("/app/src/main.js",))


@pytest.mark.parametrize(
    ("path", "page", "own"),
    [
        ("/about.html", "http://127.0.0.1:9101/about.html?x=1", True),
        ("/docs/index.html", "http://127.0.0.1:9101/docs/", True),
        ("/index.html", "http://127.0.0.1:9101/anything", True),
        ("/about.html", "http://127.0.0.1:9101/", False),
    ],
)
def test_vite_means_only_the_page_whose_document_changed(path: str, page: str, *, own: bool) -> None:
    assert bool(words(VITE, {"type": "full-reload", "path": path}, page=page)) == own


def test_vite_also_says_much_that_is_no_change() -> None:
    said = [
        {"type": "connected"}, {"type": "ping"}, {"type": "update", "updates": []}, {"type": "update"},
        {"type": "prune", "paths": ["/src/old.js"]}, {"type": "custom", "event": "vite:x"},
        {"type": "error", "err": {"message": "no", "stack": ""}}, {"type": "full-reload", "ifFallback": True},
        "[]", "not json", "",
    ]  # fmt: skip
    assert words(VITE, *said) == []


def test_webpack_dev_server_tells_its_build_when_it_went_well() -> None:
    greeting = [{"type": "hot"}, {"type": "liveReload"}, {"type": "reconnect", "data": 10}]
    first = [{"type": "hash", "data": "e250324b47f284f2049f"}, {"type": "ok"}]
    edit = [{"type": "invalid"}, {"type": "hash", "data": "76bdfccb2791716d060a"}, {"type": "ok"}]
    told = words(WEBPACK, *greeting, {"type": "overlay", "data": True}, *first, *edit)
    assert [(word.effect, word.build) for word in told] == [
        ("build", "e250324b47f284f2049f"),
        ("build", "76bdfccb2791716d060a"),
    ]


def test_webpack_dev_server_keeps_the_page_as_it_is_when_a_build_fails() -> None:
    hashed = {"type": "hash", "data": "aed5254f6ac163ae1c31"}
    assert words(WEBPACK, hashed, {"type": "errors", "data": [{"message": "x"}]}, {"type": "still-ok"}) == []
    beside = {"type": "warnings", "data": ["w"], "params": {"preventReloading": True}}
    assert words(WEBPACK, hashed, beside) == []
    (built,) = words(WEBPACK, hashed, {"type": "warnings", "data": ["w"]})
    assert built.effect == "build"


def test_webpack_dev_server_tells_of_files_that_it_does_not_build() -> None:
    hashed = {"type": "hash", "data": "aed5254f6ac163ae1c31"}
    (word,) = words(WEBPACK, hashed, {"type": "static-changed", "data": "/app/public/index.html"})
    assert (word.effect, word.files) == ("reload", ("/app/public/index.html",))


def test_webpack_hot_middleware_names_each_build_by_its_hash() -> None:
    built = {"name": "", "action": "built", "time": 179, "hash": "aa30c659ec659d931e94", "warnings": [], "errors": []}
    (word,) = words(MIDDLEWARE, {"action": "building"}, built, "💓", event="message")
    assert (word.server, word.effect, word.build) == ("webpack", "build", "aa30c659ec659d931e94")
    (first,) = words(MIDDLEWARE, {**built, "action": "sync"}, event="message")
    assert first.effect == "build"
    assert words(MIDDLEWARE, {**built, "errors": ["./src/index.js 1:0\nno"]}, event="message") == []


TURBOPACK = (
    '{"type":"turbopack-message","data":[{"resource":{"path":"static/chunks/next_219._.js","headers":null},'
    '"type":"partial","instruction":{"type":"ChunkListUpdate","merged":[{"type":"EcmascriptMergedUpdate","entries":{'
)


def test_turbopack_hands_out_modules_in_messages_of_any_length() -> None:
    (word,) = words(NEXT, TURBOPACK + '"x":{"code":"' + "y" * (2 * limits.SHAPE_BYTES))
    assert word == ServerWord(server="Next.js", effect="update")
    assert words(NEXT, '{"type":"turbopack-message","data":{"type":"issues","issues":[]}}') == []
    assert words(SHOP, TURBOPACK) == []


def test_next_tells_of_what_changed_on_the_server() -> None:
    for server in (NEXT, OLDER_NEXT):
        (word,) = words(server, {"type": "serverComponentChanges", "hmrVersion": "2"})
        assert (word.server, word.effect) == ("Next.js", "update")
    (older,) = words(OLDER_NEXT, {"action": "serverOnlyChanges", "pages": ["/about"]})
    assert older.files == ("/about",)
    (reload,) = words(NEXT, {"type": "reloadPage", "data": "/_app has been modified"})
    assert reload.effect == "reload"


def test_what_next_builds_because_a_page_is_opened_is_no_change() -> None:
    said = [
        {"type": "sync", "hash": "a2536602557d9575", "errors": [], "warnings": []},
        {"type": "turbopack-connected", "data": {"sessionId": 1, "hmrVersion": "0"}},
        {"type": "isrManifest", "data": {"/": True}}, {"type": "building"},
        {"type": "built", "hash": "1daf10667d56659e", "errors": [], "warnings": []},
        {"type": "built", "hash": "1", "errors": [], "warnings": []},
        {"type": "addedPage", "data": ["/srv"]}, {"type": "devPagesManifestUpdate", "data": [{}]},
    ]  # fmt: skip
    assert words(NEXT, *said) == []


def test_next_on_webpack_is_known_by_the_code_that_its_page_fetches() -> None:
    base = "http://127.0.0.1:9110/_next/static/webpack/"
    word = read_request(f"{base}app/page.1daf10667d56659e.hot-update.js?ts=1")
    assert word == ServerWord(server="Next.js", effect="update", files=("app/page",))
    # It holds the new hash and nothing else, and comes with every page that is opened for the first time.
    assert read_request(f"{base}webpack.1daf10667d56659e.hot-update.js") is None
    assert read_request(f"{base}1daf10667d56659e.webpack.hot-update.json") is None
    assert read_request("http://127.0.0.1:9102/main.76bdfccb2791716d060a.hot-update.js") is None


def test_parcel_sends_the_assets_themselves() -> None:
    asset = {"id": "iAEL1", "url": "/__parcel_hmr/d88b34610f66852a", "type": "js", "output": "x" * 300_000}
    (word,) = words(PARCEL, {"type": "update", "assets": [{**asset, "envHash": "d6ea1d42532a7575"}]})
    assert word == ServerWord(server="Parcel", effect="update")
    (reload,) = words(PARCEL, {"type": "reload"})
    assert reload.effect == "reload"
    assert words(PARCEL, {"type": "error", "diagnostics": {"ansi": []}}) == []


def test_live_reload_tells_style_sheets_from_the_rest() -> None:
    told = {"command": "reload", "path": "/app/style.css", "liveCSS": True, "originalPath": "", "overrideURL": ""}
    hello = {"command": "hello", "protocols": ["http://livereload.com/protocols/official-7"], "serverName": "n"}
    (style,) = words(LIVE_RELOAD, hello, told)
    assert (style.server, style.effect, style.files) == ("LiveReload", "update", ("/app/style.css",))
    (script,) = words(LIVE_RELOAD, {**told, "path": "/app/app.js"}, {"command": "alert", "message": "reload"})
    assert script.effect == "reload"
    # As programs in Python write it.
    assert words(LIVE_RELOAD, json.dumps(told)) == [style]
    (off,) = words(LIVE_RELOAD, {**told, "liveCSS": False})
    assert off.effect == "reload"


def test_browser_sync_speaks_over_socket_io() -> None:
    (reload,) = words(BROWSER_SYNC, "3probe", '42/browser-sync,["browser:reload"]')
    assert (reload.server, reload.effect) == ("browser-sync", "reload")
    inject = '42/browser-sync,["file:reload",{"ext":"css","path":"style.css","basename":"style.css","type":"inject"}]'
    (style,) = words(BROWSER_SYNC, inject, '42/browser-sync,["connection",{}]')
    assert (style.effect, style.files) == ("update", ("style.css",))


def test_esbuild_and_eleventy() -> None:
    (word,) = words(ESBUILD, {"added": [], "removed": [], "updated": ["/out.js"]}, event="change")
    assert word == ServerWord(server="esbuild", effect="reload", files=("/out.js",))
    assert words(ESBUILD, {"added": [], "removed": [], "updated": ["/out.js"]}, event="message") == []
    (style,) = words(LIVE_SERVER, {"type": "eleventy.reload", "subtype": "css", "files": ["a.css"], "build": {}})
    assert (style.server, style.effect) == ("Eleventy", "update")
    assert words(LIVE_SERVER, {"type": "eleventy.status", "status": "connected"}) == []


def test_one_word_counts_on_this_machine_only() -> None:
    (reload,) = words(LIVE_SERVER, "connected", "reload")
    assert reload.effect == "reload"
    (style,) = words(LIVE_SERVER, "refreshcss")
    assert style.effect == "update"
    assert words(SHOP, "reload", "refreshcss", '{"type":"reload"}') == []


def test_an_application_s_own_messages_are_no_change() -> None:
    said = [
        {"type": "update", "assets": [{"symbol": "EUR"}]}, {"type": "update", "updates": [{"path": "/price"}]},
        {"type": "ok"}, {"type": "hash", "data": "not hex"}, {"type": "built", "hash": "aa30c659ec659d931e94"},
        {"action": "built", "hash": 7}, {"action": "sync", "items": []}, {"type": "static-changed", "data": "x"},
        {"command": "reload"}, {"type": "serverComponentChanges"}, {"type": "full-reload", "path": "*"},
        {"added": [], "removed": []}, '{"type":', "[" * 100_000, "{" * 100_000,
    ]  # fmt: skip
    assert words(SHOP, *said) == []


def test_names_of_files_are_few_and_short() -> None:
    many = [{"type": "js-update", "path": f"/{number}" + "x" * 9000} for number in range(10)]
    (word,) = words(VITE, {"type": "update", "updates": many})
    assert len(word.files) == 3
    assert all(len(file) <= limits.URL_CHARS for file in word.files)
    assert words(VITE, {"type": "update", "updates": [{"path": {"no": "text"}}]}) == [
        ServerWord(server="Vite", effect="update")
    ]
