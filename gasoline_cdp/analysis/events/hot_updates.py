"""What development servers tell their pages of the code: that it has changed, and which build they have.

Known: Vite, webpack-dev-server, webpack-hot-middleware, Next.js (webpack and Turbopack), Parcel, esbuild, Eleventy,
browser-sync, servers that speak the LiveReload protocol, and on this machine those that say no more than `reload`.

An application's own messages may look alike. So each server is known by what only it says: its protocol, its path, or
fields that go together.
"""

import re
from typing import Any, Literal

import orjson
from attrs import define, field, frozen

from gasoline_cdp import limits
from gasoline_cdp.analysis.performance.loads import path_of
from gasoline_cdp.analysis.security.local_hosts import is_local

VITE_PROTOCOL = "vite-hmr"

# How their messages begin, so that nothing else has to be parsed.
_BEGINNING = re.compile(
    r'\{\s{0,9}(?:"name":\s{0,9}"[^"]{0,100}",\s{0,9})?(?:"command":\s{0,9}"reload"|"added":\s{0,9}\[|"(?:type|action)":\s{0,9}"'
    r"(?:hash|ok|warnings|static-changed|content-changed|eleventy\.reload|built|sync|reloadPage"
    r'|serverComponentChanges|serverOnlyChanges|middlewareChanges|clientChanges)")'
)
_BROWSER_SYNC = re.compile(r'42/browser-sync,\["(browser:reload|file:reload)"')
_PLAIN_RELOADS = frozenset({"reload", "refreshcss", '{"type":"reload"}'})
_HASH = re.compile(r"[0-9a-f]{8,64}")
_NEXT_PATHS = ("/_next/hmr", "/_next/webpack-hmr")
# Messages with the new code in them can be long: their beginning says what they are.
_PARCEL = re.compile(r'\{"type":"update","assets":\[\{"id":"[^"]{1,100}","url":"')
_TURBOPACK = re.compile(r'\{"type":"turbopack-message","data":[\[{]')
_TURBOPACK_UPDATE = re.compile(r'"type":"(?:partial|restart)"')
_TURBOPACK_CHARS = 2000
# What Next.js has changed on the server. The page asks for it again.
_NEXT_CHANGES = frozenset({"serverComponentChanges", "serverOnlyChanges", "middlewareChanges", "clientChanges"})
# Its hash says no more than that something was built, such as a page that was opened for the first time. So what
# counts is that the page fetches new code of a chunk; the chunk `webpack` holds the hash only.
_NEXT_UPDATE = re.compile(r"/_next/static/webpack/(?!webpack\.)(.{1,200})\.[0-9a-f]{8,64}\.hot-update\.js")
_FILES = 3

Effect = Literal["update", "reload", "build"]


@frozen(kw_only=True)
class ServerWord:
    """What one message says.

    `update`: the page is handed other code. `reload`: it is told to load itself anew. `build`: which build the server
    has, which is a change only for a page that had another one.
    """

    server: str
    effect: Effect
    # As the server names them.
    files: tuple[str, ...] = ()
    # Which of several builds, and what tells it from the one before.
    name: str = ""
    build: str = ""


@define(eq=False)
class ServerWords:
    """Reads the messages of one connection. webpack-dev-server tells of a build in two of them."""

    url: str
    protocol: str
    _hash: str = ""
    _is_next: bool = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._is_next = path_of(self.url) in _NEXT_PATHS

    def read(self, text: str, page_url: str, event: str = "") -> ServerWord | None:
        """What a message says of the code; None for most. `event` is what an event stream calls it."""
        if self.protocol == VITE_PROTOCOL:
            return _of_vite(_parsed(text), page_url)
        if self._is_next and _TURBOPACK.match(text):
            changed = _TURBOPACK_UPDATE.search(text[:_TURBOPACK_CHARS])
            return ServerWord(server="Next.js", effect="update") if changed else None
        if sync := _BROWSER_SYNC.match(text):
            return _of_browser_sync(text, sync[1])
        if _PARCEL.match(text):
            return ServerWord(server="Parcel", effect="update")
        if len(text) < 20 and text in _PLAIN_RELOADS:
            return self._of_plain(text)
        message = _parsed(text) if _BEGINNING.match(text) else {}
        if self._is_next:
            return _of_next(message)
        return _of_reloader(message, event) or _of_hot_middleware(message) or self._of_dev_server(message)

    def _of_plain(self, text: str) -> ServerWord | None:
        """live-server and others, Parcel too: anybody may say that, so it counts on this machine only."""
        if not is_local(self.url):
            return None
        return ServerWord(server="The development server", effect="update" if text == "refreshcss" else "reload")

    def _of_dev_server(self, message: dict[str, Any]) -> ServerWord | None:
        """webpack-dev-server, and others that speak its language: the hash first, then how the build went."""
        data = message.get("data")
        match message.get("type"):
            case "hash" if isinstance(data, str) and _HASH.fullmatch(data):
                self._hash = data
            case "static-changed" | "content-changed" if self._hash:
                return ServerWord(server="webpack", effect="reload", files=_named(data))
            case "ok" | "warnings" if self._hash and not _prevents(message):
                return ServerWord(server="webpack", effect="build", build=self._hash)
        return None


def read_request(url: str) -> ServerWord | None:
    """What it says of the code that a page asks for this script."""
    if ".hot-update.js" not in url:
        return None
    matched = _NEXT_UPDATE.fullmatch(path_of(url))
    return ServerWord(server="Next.js", effect="update", files=_named(matched[1])) if matched else None


def _of_vite(message: dict[str, Any], page_url: str) -> ServerWord | None:
    match message.get("type"):
        case "update":
            updates = [one for one in _list(message.get("updates")) if isinstance(one, dict)]
            paths = [one.get("acceptedPath") or one.get("path") for one in updates]
            return ServerWord(server="Vite", effect="update", files=_named(*paths)) if updates else None
        case "bundled-dev-update":
            return ServerWord(server="Vite", effect="update", files=_named(*_list(message.get("changedIds"))))
        case "full-reload" if not message.get("ifFallback") and _is_of_page(message.get("path"), page_url):
            return ServerWord(server="Vite", effect="reload", files=_named(message.get("triggeredBy")))
    return None


def _is_of_page(path: object, page_url: str) -> bool:
    """Vite names a document where only the pages that show it are to load themselves anew."""
    if not isinstance(path, str) or not path.endswith(".html"):
        return True
    page = path_of(page_url)
    return path in (page, "/index.html") or (page.endswith("/") and f"{page}index.html" == path)


def _of_browser_sync(text: str, said: str) -> ServerWord:
    details = _parsed(text[text.find("{") : -1]) if said == "file:reload" else {}
    injected = details.get("type") == "inject"
    return ServerWord(
        server="browser-sync", effect="update" if injected else "reload", files=_named(details.get("path"))
    )


def _of_reloader(message: dict[str, Any], event: str) -> ServerWord | None:
    """Servers that know files, and no modules."""
    if message.get("command") == "reload" and isinstance(path := message.get("path"), str):
        live = path.endswith(".css") and message.get("liveCSS") is not False
        return ServerWord(server="LiveReload", effect="update" if live else "reload", files=_named(path))
    if event == "change" and {"added", "removed", "updated"} <= message.keys():
        changed = [one for key in ("updated", "added", "removed") for one in _list(message[key])]
        return ServerWord(server="esbuild", effect="reload", files=_named(*changed))
    if message.get("type") == "eleventy.reload":
        effect: Effect = "update" if message.get("subtype") == "css" else "reload"
        return ServerWord(server="Eleventy", effect=effect, files=_named(*_list(message.get("files"))))
    return None


def _of_hot_middleware(message: dict[str, Any]) -> ServerWord | None:
    """webpack-hot-middleware: `sync` when a page comes, `built` after each build. The same hash is the same code."""
    build = message.get("hash")
    if message.get("action") not in ("built", "sync") or not isinstance(build, str) or not _HASH.fullmatch(build):
        return None
    if message.get("errors"):
        # The page keeps what it has.
        return None
    return ServerWord(server="webpack", effect="build", name=str(message.get("name", ""))[:100], build=build)


def _of_next(message: dict[str, Any]) -> ServerWord | None:
    said = message.get("type", message.get("action"))
    if said in _NEXT_CHANGES:
        return ServerWord(server="Next.js", effect="update", files=_named(*_list(message.get("pages"))))
    if said == "reloadPage":
        return ServerWord(server="Next.js", effect="reload")
    return None


def _prevents(message: dict[str, Any]) -> bool:
    """Warnings beside errors: the build failed, and the page keeps what it has."""
    params = message.get("params")
    return isinstance(params, dict) and bool(params.get("preventReloading"))


def _named(*files: object) -> tuple[str, ...]:
    return tuple(dict.fromkeys(file[: limits.URL_CHARS] for file in files if isinstance(file, str) and file))[:_FILES]


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _parsed(text: str) -> dict[str, Any]:
    if len(text) > limits.SHAPE_BYTES:
        return {}
    try:
        message = orjson.loads(text)
    except orjson.JSONDecodeError:
        return {}
    return message if isinstance(message, dict) else {}
