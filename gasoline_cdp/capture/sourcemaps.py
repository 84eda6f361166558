"""Finds where the code at the frames of errors and warnings was written, by the source maps of their scripts.

All of it goes on beside the capture: a record never waits for a map. `lookup` knows of a place what is known by now.

The script's own text says which map it has, and the browser loads it; see `capture.resources`.

The same address may serve another script after a deployment. Places are therefore kept by tab and navigation, the
state of a script is forgotten when its address is loaded again, and maps are shared between navigations by the hash of
the script's text.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Hashable, Iterable
from urllib.parse import urljoin

import trio
from attrs import define, evolve, field, frozen

from gasoline_cdp import limits
from gasoline_cdp.analysis.sourcemap import (
    BadSourceMap,
    SourceMap,
    evaluated_map,
    inline_map,
    mapping_url,
    parse_source_map,
)
from gasoline_cdp.analysis.written_names import written_name
from gasoline_cdp.capture.resources import Resources, Script
from gasoline_cdp.capture.stacks import mapping
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Params, Session
from gasoline_cdp.cdp.tabs import Tabs
from gasoline_cdp.records import LogRecord, Source, StackFrame
from gasoline_cdp.redact import REDACTED, safe_text, safe_url

_SCHEMES = ("http://", "https://", "file://")
# Modules that a bundle hands to `eval`, by the names that it gives them.
_EVALUATED = ("webpack-internal:", "webpack:")
# Bundles in which such a module is looked for, the newest first.
_BUNDLES = 20
# Of one script between two answers of the task that maps them: more frames than errors of a burst have.
_WAITING = 500

# Whose script, since which navigation, and its address as records have it.
_Key = tuple[Hashable, int, str]
_Place = tuple[_Key, int, int]


@define(eq=False)
class _Known:
    """A script whose places may have been written elsewhere, and how far we are with it."""

    key: _Key
    script: Script
    # The map's address by the header that the script came with.
    header: str = ""
    waiting: dict[tuple[int, int], StackFrame] = field(factory=dict)
    queued: bool = False
    # It has no map, or none that we could get.
    unmapped: bool = False
    digest: bytes = b""


@frozen(eq=False)
class _Loaded:
    """A map with the script it belongs to, which has the names of its functions; and the bytes of both."""

    map: SourceMap
    text: str
    size: int


class SourceMaps:
    """Hears of scripts and of records with frames; knows places as somebody wrote them."""

    def __init__(self, tabs: Tabs) -> None:
        self.skipped = 0
        self.unfinished = 0
        self._resources = Resources(tabs)
        self._scripts: OrderedDict[_Key, _Known] = OrderedDict()
        # None: asked for, without an answer so far or for good.
        self._places: OrderedDict[_Place, StackFrame | None] = OrderedDict()
        self._maps: OrderedDict[bytes, _Loaded] = OrderedDict()
        self._jobs, self._queue = trio.open_memory_channel[_Known](limits.SOURCE_MAP_BACKLOG)
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
        script = Script(source, session, url, str(params.get("requestId", "")))
        self._remember(_Known(_key(source, safe_url(url)), script, str(header)))

    def wanted(self, record: LogRecord, session: Session) -> None:
        """A record came: find out where the code of its frames was written, if it tells of trouble. Never blocks."""
        if record.level in ("error", "warning"):
            self.wanted_frames(record.source, (*record.frames, *((record.logged,) if record.logged else ())), session)

    def wanted_frames(self, source: Source, frames: Iterable[StackFrame], session: Session) -> None:
        """Find out where the code of these frames was written. Never blocks."""
        for frame in frames:
            key = _key(source, frame.url)
            place = (key, frame.line, frame.column)
            if place in self._places or not frame.url.startswith((*_SCHEMES, *_EVALUATED)):
                continue
            known = self._scripts.get(key) or self._unseen(key, source, session)
            if known is None or known.unmapped or len(known.waiting) >= _WAITING:
                continue
            known.waiting[frame.line, frame.column] = frame
            if known.queued or self._queue_up(known):
                self._keep(place, None)

    def _unseen(self, key: _Key, source: Source, session: Session) -> _Known | None:
        """A script that we did not see being loaded: from before we attached, or restored with its page.

        Or none at all: an address that an `eval` gave itself, of which a page may make up any number. The code of a
        document itself is left alone; the lines of its scripts are those of the document.
        """
        url = key[2]
        of_document = source.kind in ("page", "iframe") and url == source.url.partition("#")[0]
        masked = REDACTED in url or "…" in url
        if of_document or masked or self.unfinished >= limits.SOURCE_MAP_BACKLOG // 2:
            return None
        return self._remember(_Known(key, Script(source, session, url)))

    def _remember(self, known: _Known) -> _Known:
        self._scripts[known.key] = known
        self._scripts.move_to_end(known.key)
        while len(self._scripts) > limits.SCRIPTS_REMEMBERED:
            self._scripts.popitem(last=False)
        return known

    def _queue_up(self, known: _Known) -> bool:
        try:
            self._jobs.send_nowait(known)
        except trio.WouldBlock:
            self.skipped += 1
            known.waiting.clear()
            return False
        known.queued = True
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
        async for known in self._queue.clone():
            loaded = None
            try:
                with trio.move_on_after(limits.SOURCE_MAP_SECONDS):
                    loaded = await self._load(known, nursery)
            except (CdpError, CdpClosed, BadSourceMap):
                # Gone with its page, or no map after all: the places stay as Chrome showed them.
                pass
            frames, known.waiting, known.queued = list(known.waiting.values()), {}, False
            if loaded is None:
                known.unmapped = True
            else:
                written = await trio.to_thread.run_sync(_written, loaded, frames, abandon_on_cancel=True)
                for frame, original in zip(frames, written, strict=True):
                    self._keep((known.key, frame.line, frame.column), original)
            self.unfinished -= 1
            self._one_done.set()
            self._one_done = trio.Event()

    async def _load(self, known: _Known, nursery: trio.Nursery) -> _Loaded | None:
        """The map of a script. None, or any of the errors caught above, if it has none that we can get."""
        if known.digest not in self._maps:
            if known.script.url.startswith(_EVALUATED):
                return await self._load_evaluated(known)
            text = await self._resources.script_text(known.script)
            if text is None or len(text) > limits.SOURCE_MAP_BYTES:
                return None
            known.digest = hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()
            if known.digest not in self._maps:
                loaded = await self._load_map(known, text, nursery)
                if loaded is None:
                    return None
                self._maps[known.digest] = loaded
                self._make_room()
        self._maps.move_to_end(known.digest)
        return self._maps[known.digest]

    async def _load_evaluated(self, known: _Known) -> _Loaded | None:
        """The map of a module that one of the page's bundles hands to `eval`, with its map inside."""
        bundles = [
            other.script
            for key, other in reversed(self._scripts.items())
            if key[:2] == known.key[:2] and other.script.request_id and other.script.url.startswith(_SCHEMES)
        ]
        for bundle in bundles[:_BUNDLES]:
            try:
                text = await self._resources.script_text(bundle)
            except CdpError:
                continue
            if text and (address := evaluated_map(text, known.script.url)):
                known.digest = hashlib.blake2b(address.encode(), digest_size=16).digest()
                source_map = await trio.to_thread.run_sync(
                    parse_source_map, inline_map(address), bundle.url, abandon_on_cancel=True
                )
                # Without the module's text: inside a string of the bundle, no function's name is found.
                self._maps[known.digest] = _Loaded(source_map, "", source_map.size)
                self._make_room()
                return self._maps[known.digest]
        return None

    async def _load_map(self, known: _Known, text: str, nursery: trio.Nursery) -> _Loaded | None:
        address = mapping_url(text) or known.header
        if address[:5].lower() == "data:":
            base, raw = known.script.url, inline_map(address)
            # The map is the larger part of such a script, and not the part in which functions are looked for.
            text = text.replace(address, "")
        else:
            base = _joined(known.script.url, address) if address else ""
            loaded = await self._resources.load(known.script, base, nursery)
            if loaded is None:
                return None
            raw = loaded
        source_map = await trio.to_thread.run_sync(parse_source_map, raw, base, abandon_on_cancel=True)
        return _Loaded(source_map, text, source_map.size + len(text))

    def _make_room(self) -> None:
        while len(self._maps) > limits.SOURCE_MAPS or (
            len(self._maps) > 1 and sum(loaded.size for loaded in self._maps.values()) > limits.SOURCE_MAPS_BYTES
        ):
            self._maps.popitem(last=False)


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
    function = written_name(loaded.text, loaded.map, frame.line, frame.column, frame.function)
    return evolve(
        frame,
        function=safe_text(function, 120),
        url=safe_text(original.source, limits.URL_CHARS),
        line=original.line,
        column=original.column,
        library=original.ignored,
    )
