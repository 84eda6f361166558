"""Finds where the code at the frames of errors and warnings was written, by the source maps of their scripts.

All of it goes on beside the capture: a record never waits for a map. `lookup` knows of a place what is known by now.

The script's own text says which map it has. Chrome still has that text from running it, and loads the map for us as
DevTools would (`Network.loadNetworkResource`), with the page's cookies and without a trace in its network log. The
daemon itself never connects to anything.

The same address may serve another script after a deployment. Places are therefore kept by tab and navigation, the
state of a script is forgotten when its address is loaded again, and maps are shared between navigations by the hash of
the script's text.
"""

import base64
import binascii
import hashlib
from collections import Counter, OrderedDict
from collections.abc import Hashable
from urllib.parse import urljoin

import trio
from attrs import define, evolve, field, frozen

from gasoline_cdp import limits
from gasoline_cdp.analysis.csp import may_connect
from gasoline_cdp.analysis.sourcemap import (
    BadSourceMap,
    SourceMap,
    inline_map,
    mapping_url,
    parse_source_map,
    written_name,
)
from gasoline_cdp.capture.stacks import mapping
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Params, Session
from gasoline_cdp.cdp.tabs import Tabs
from gasoline_cdp.records import LogRecord, Source, StackFrame
from gasoline_cdp.redact import REDACTED, safe_text, safe_url

_SCHEMES = ("http://", "https://", "file://")
_CHUNK_BYTES = 1024 * 1024
# Of one script between two answers of the task that maps them: more frames than errors of a burst have.
_WAITING = 500

# Whose script, since which navigation, and its address as records have it.
_Key = tuple[Hashable, int, str]
_Place = tuple[_Key, int, int]


@define(eq=False)
class _Script:
    """A script whose places may have been written elsewhere."""

    key: _Key
    source: Source
    session: Session
    # Its true address; records have it with secrets masked.
    url: str
    request_id: str = ""
    header: str = ""
    waiting: dict[tuple[int, int], StackFrame] = field(factory=dict)
    queued: bool = False
    # Known to have no map, or none that we could get.
    unmapped: bool = False
    digest: bytes = b""


@frozen(eq=False)
class _Loaded:
    """A map with the script it belongs to, which has the names of its functions."""

    map: SourceMap
    script: str

    @property
    def size(self) -> int:
        """About how many bytes of memory it takes."""
        return self.map.size + len(self.script)


@frozen(eq=False)
class _Host:
    """The page that loads a map: a frame, the session to speak to it, and its address."""

    session: Session
    frame_id: str
    url: str


class SourceMaps:
    """Hears of scripts and of records with frames; knows places as somebody wrote them."""

    def __init__(self, tabs: Tabs) -> None:
        self.skipped = 0
        self.unfinished = 0
        self._tabs = tabs
        self._scripts: OrderedDict[_Key, _Script] = OrderedDict()
        # None: asked for, without an answer so far or for good.
        self._places: OrderedDict[_Place, StackFrame | None] = OrderedDict()
        self._maps: OrderedDict[bytes, _Loaded] = OrderedDict()
        self._loading: Counter[Session] = Counter()
        self._jobs, self._queue = trio.open_memory_channel[_Script](limits.SOURCE_MAP_BACKLOG)
        self._one_done = trio.Event()

    def lookup(self, source: Source, frame: StackFrame) -> StackFrame | None:
        """Where a frame's code was written, if that is known by now."""
        return self._places.get((_key(source, frame.url), frame.line, frame.column))

    def script_loaded(self, params: Params, source: Source, session: Session) -> None:
        """Network.responseReceived: remember by which request a script came, and what its header says of a map."""
        response = mapping(params.get("response"))
        url = str(response.get("url", ""))
        headers = {str(name).lower(): value for name, value in mapping(response.get("headers")).items()}
        header = headers.get("sourcemap") or headers.get("x-sourcemap") or ""
        request_id = str(params.get("requestId", ""))
        self._remember(_Script(_key(source, safe_url(url)), source, session, url, request_id, str(header)))

    def wanted(self, record: LogRecord, session: Session) -> None:
        """A record came: find out where the code of its frames was written, if it tells of trouble. Never blocks."""
        if record.level not in ("error", "warning"):
            return
        for frame in (*record.frames, *((record.logged,) if record.logged else ())):
            key = _key(record.source, frame.url)
            place = (key, frame.line, frame.column)
            if place in self._places or not frame.url.startswith(_SCHEMES):
                continue
            script = self._scripts.get(key) or self._unseen(key, record.source, session)
            if script is None or script.unmapped or len(script.waiting) >= _WAITING:
                continue
            script.waiting[frame.line, frame.column] = frame
            if script.queued or self._queue_up(script):
                self._keep(place, None)

    def _unseen(self, key: _Key, source: Source, session: Session) -> _Script | None:
        """A script that we did not see being loaded: from before we attached, or restored with its page.

        Or none at all: an address that an `eval` gave itself, of which a page may make up any number. The code of a
        document itself is left alone; the lines of its scripts are those of the document.
        """
        url = key[2]
        of_document = source.kind in ("page", "iframe") and url == source.url.partition("#")[0]
        masked = REDACTED in url or "…" in url
        if of_document or masked or self.unfinished >= limits.SOURCE_MAP_BACKLOG // 2:
            return None
        return self._remember(_Script(key, source, session, url))

    def _remember(self, script: _Script) -> _Script:
        self._scripts[script.key] = script
        self._scripts.move_to_end(script.key)
        while len(self._scripts) > limits.SCRIPTS_REMEMBERED:
            self._scripts.popitem(last=False)
        return script

    def _queue_up(self, script: _Script) -> bool:
        try:
            self._jobs.send_nowait(script)
        except trio.WouldBlock:
            self.skipped += 1
            script.waiting.clear()
            return False
        script.queued = True
        self.unfinished += 1
        return True

    def _keep(self, place: _Place, frame: StackFrame | None) -> None:
        self._places[place] = frame
        while len(self._places) > limits.PLACES_REMEMBERED:
            self._places.popitem(last=False)

    async def wait_idle(self) -> None:
        """Wait until no map is on its way."""
        while self.unfinished:
            await self._one_done.wait()

    async def run(self) -> None:
        """Read maps until cancelled; two at a time, so that a slow server holds up only its own."""
        async with trio.open_nursery() as nursery:
            for _ in range(limits.SOURCE_MAP_READERS):
                nursery.start_soon(self._read_forever, nursery)

    async def _read_forever(self, nursery: trio.Nursery) -> None:
        async for script in self._queue.clone():
            loaded = None
            try:
                with trio.move_on_after(limits.SOURCE_MAP_SECONDS):
                    loaded = await self._load(script, nursery)
            except (CdpError, CdpClosed, BadSourceMap):
                # Gone with its page, or no map after all: the places stay as Chrome showed them.
                pass
            frames, script.waiting, script.queued = list(script.waiting.values()), {}, False
            if loaded is None:
                script.unmapped = True
            else:
                written = await trio.to_thread.run_sync(_written, loaded, frames, abandon_on_cancel=True)
                for frame, original in zip(frames, written, strict=True):
                    self._keep((script.key, frame.line, frame.column), original)
            self.unfinished -= 1
            self._one_done.set()
            self._one_done = trio.Event()

    async def _load(self, script: _Script, nursery: trio.Nursery) -> _Loaded | None:
        """The map of a script. None, or any of the errors caught above, if it has none that we can get."""
        if script.digest in self._maps:
            self._maps.move_to_end(script.digest)
            return self._maps[script.digest]
        text = await self._script_text(script)
        if text is None or len(text) > limits.SOURCE_MAP_BYTES:
            return None
        digest = hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()
        if digest not in self._maps:
            address = mapping_url(text) or script.header
            if not address:
                return None
            if address[:5].lower() == "data:":
                raw, base = inline_map(address), script.url
                # The map is the larger part of such a script, and not the part in which functions are looked for.
                text = text[: text.rindex(address)]
            else:
                base = _joined(script.url, address)
                raw = await self._fetch(script, base, nursery)
            source_map = await trio.to_thread.run_sync(parse_source_map, raw, base, abandon_on_cancel=True)
            self._maps[digest] = _Loaded(source_map, text)
            self._make_room()
        script.digest = digest
        loaded = self._maps.get(digest)
        if loaded is not None:
            self._maps.move_to_end(digest)
        return loaded

    def _make_room(self) -> None:
        while len(self._maps) > limits.SOURCE_MAPS or (
            len(self._maps) > 1 and sum(loaded.size for loaded in self._maps.values()) > limits.SOURCE_MAPS_BYTES
        ):
            self._maps.popitem(last=False)

    async def _script_text(self, script: _Script) -> str | None:
        """A script as the browser ran it. Never loaded anew: that might be another one by now."""
        if script.request_id:
            try:
                return _decoded(
                    await script.session.send("Network.getResponseBody", {"requestId": script.request_id}), "body"
                )
            except CdpError:
                pass
        host = self._host(script)
        if host is None or self._has_moved_on(script.source):
            return None
        reply = await host.session.send("Page.getResourceContent", {"frameId": host.frame_id, "url": script.url})
        return _decoded(reply, "content")

    def _has_moved_on(self, source: Source) -> bool:
        tab = next((tab for tab in self._tabs.open() if tab.tab_id == source.tab_id), None)
        return tab is not None and tab.source.navigation != source.navigation

    def _host(self, script: _Script) -> _Host | None:
        """The frame that a script runs in. A worker has none, and its tab, or a tab of the same site, stands in."""
        source = script.source
        if source.kind in ("page", "iframe"):
            return _Host(script.session, source.frame_id or source.target_id, source.url)
        for tab in self._tabs.open():
            same_site = _joined(tab.raw_url, "/") == _joined(script.url, "/")
            if tab.tab_id == source.tab_id or (not source.tab_id and same_site):
                return _Host(tab.session, tab.target_id, tab.raw_url)
        return None

    async def _fetch(self, script: _Script, url: str, nursery: trio.Nursery) -> bytes:
        """Let the browser load a map."""
        host = self._host(script)
        if host is None or not url.startswith(("http://", "https://")):
            raise BadSourceMap("it is not served over HTTP, or no page can load it")
        status = await host.session.send("Network.getSecurityIsolationStatus", {"frameId": host.frame_id})
        policies = [
            str(mapping(policy).get("effectiveDirectives")) for policy in mapping(status["status"]).get("csp", [])
        ]
        if not may_connect(policies, host.url, url):
            # Chrome would refuse, and tell the page's console and its server of a violation that the page is not
            # guilty of.
            raise BadSourceMap("the page's content security policy keeps it from being loaded")
        if self._loading[host.session] >= limits.SOURCE_MAPS_LOADING:
            raise BadSourceMap("the page has too many maps on their way")
        parcel = _Parcel()
        nursery.start_soon(self._receive, host, url, parcel)
        await parcel.arrived.wait()
        if parcel.content is None:
            raise BadSourceMap(parcel.reason)
        return parcel.content

    async def _receive(self, host: _Host, url: str, parcel: "_Parcel") -> None:
        """Load a map, and close the stream it comes by, even if by then nobody waits for it any more."""
        self._loading[host.session] += 1
        try:
            reply = await host.session.send(
                "Network.loadNetworkResource",
                {
                    "frameId": host.frame_id,
                    "url": url,
                    "options": {"disableCache": False, "includeCredentials": True},
                },
            )
            resource = mapping(reply.get("resource"))
            if stream := resource.get("stream"):
                try:
                    parcel.content = await _read(host.session, str(stream))
                finally:
                    host.session.post("IO.close", {"handle": stream})
            else:
                parcel.reason = f"the server said {resource.get('httpStatusCode') or resource.get('netErrorName')}"
        except (CdpError, CdpClosed) as error:
            parcel.reason = str(error)
        finally:
            self._loading[host.session] -= 1
            if not self._loading[host.session]:
                del self._loading[host.session]
            parcel.arrived.set()


class _Parcel:
    """A map on its way: somebody waits for it, but not for ever."""

    def __init__(self) -> None:
        self.arrived = trio.Event()
        self.content: bytes | None = None
        self.reason = "it is too large"


async def _read(session: Session, stream: str) -> bytes | None:
    """A stream of Chrome's as bytes; None if it is longer than any map may be."""
    content = bytearray()
    while len(content) <= limits.SOURCE_MAP_BYTES:
        chunk = await session.send("IO.read", {"handle": stream, "size": _CHUNK_BYTES})
        data = str(chunk.get("data", ""))
        try:
            content += base64.b64decode(data) if chunk.get("base64Encoded") else data.encode(errors="replace")
        except binascii.Error:
            return None
        if chunk.get("eof"):
            return bytes(content)
    return None


def _decoded(reply: Params, name: str) -> str | None:
    text = str(reply.get(name, ""))
    if not reply.get("base64Encoded"):
        return text
    try:
        return base64.b64decode(text).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def _joined(base: str, address: str) -> str:
    try:
        return urljoin(base, address)
    except ValueError as error:
        raise BadSourceMap("its address is none") from error


def _key(source: Source, url: str) -> _Key:
    return source.tab_id or source.target_id, source.navigation, url


def _written(loaded: _Loaded, frames: list[StackFrame]) -> list[StackFrame | None]:
    """Frames as somebody wrote them. In a thread: a bundle is large, and functions are searched for in it."""
    return [_as_written(loaded, frame) for frame in frames]


def _as_written(loaded: _Loaded, frame: StackFrame) -> StackFrame | None:
    original = loaded.map.find(frame.line, frame.column)
    if original is None:
        return None
    function = written_name(loaded.script, loaded.map, frame.line, frame.column, frame.function)
    return evolve(
        frame,
        function=safe_text(function, 120),
        url=safe_text(original.source, limits.URL_CHARS),
        line=original.line,
        column=original.column,
    )
