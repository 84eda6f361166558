"""Maps the frames of errors and warnings to their original code, by the source maps of their scripts.

It runs beside the capture: a record never waits for a map. Once its map is loaded, the record is annotated.

The script's own text names its map, and the browser loads it; see `capture.resources`.

After a deployment the same address may serve another script. So positions are kept by tab and navigation, a script's
state is forgotten when its address is loaded again, and maps are shared between navigations by the hash of the script's
text.
"""

import hashlib
from collections.abc import Hashable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any
from urllib.parse import urljoin

import trio
from attrs import define, evolve, field, frozen

from gasoline_cdp import limits
from gasoline_cdp.analysis.sourcemaps.source_map import (
    BadSourceMap,
    SourceMap,
    evaluated_map,
    inline_map,
    mapping_url,
    parse_source_map,
)
from gasoline_cdp.analysis.sourcemaps.written_names import written_name
from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.capture.backlog import Backlog
from gasoline_cdp.capture.resources import PageScript, Resources
from gasoline_cdp.capture.stacks import mapping
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Params, Session
from gasoline_cdp.cdp.tabs import Tabs
from gasoline_cdp.records import LogRecord, NetworkRecord, Source, StackFrame
from gasoline_cdp.redact import REDACTED, safe_text, safe_url
from gasoline_cdp.store.telemetry import Telemetry

_SCHEMES = ("http://", "https://", "file://")
# Prefixes of modules that a bundle passes to `eval` under these names.
_EVALUATED = ("webpack-internal:", "webpack:")
# How many bundles are searched for such a module, newest first.
_BUNDLES = 20
# Waiting frames per script, while its map is being read: more than the errors of a burst have.
_WAITING = 500

# Owner of the script, navigation number, and address as in records.
_Key = tuple[Hashable, int, str]
# A script, a line and a column.
_Position = tuple[_Key, int, int]
# A record with frames.
_Traced = LogRecord | NetworkRecord


@define(eq=False)
class _Known:
    """A script that may have a source map, and its state."""

    key: _Key
    script: PageScript
    # The map's address from the script's response header.
    header: str = ""
    waiting: dict[tuple[int, int], StackFrame] = field(factory=dict)
    queued: bool = False
    # It has no map, or none that we could get.
    unmapped: bool = False
    digest: bytes = b""


@frozen(eq=False)
class _Job:
    """A script whose map has to be read for waiting frames."""

    known: _Known


@frozen(eq=False)
class _Loaded:
    """A map, its script (function names are found in it), and the bytes of both."""

    map: SourceMap
    text: str
    size: int


@frozen(eq=False)
class _Last:
    """The last message that was looked up, and the result: a flood comes from one location."""

    record: LogRecord
    fields: dict[str, Any]
    waits: bool

    def is_like(self, record: LogRecord) -> bool:
        """Whether a message comes from the same location. `parse_stack` returns the same tuple for the same stack."""
        last = self.record
        return record.frames is last.frames and record.source is last.source and record.logged is last.logged


class SourceMaps:
    """Gets scripts and records with frames. Annotates the records with their original frames."""

    def __init__(self, tabs: Tabs, telemetry: Telemetry) -> None:
        self.backlog: Backlog[_Job] = Backlog(limits.SOURCE_MAP_BACKLOG)
        self._telemetry = telemetry
        self._resources = Resources(tabs)
        self._scripts: BoundedDict[_Key, _Known] = BoundedDict(limits.SCRIPTS_REMEMBERED)
        # None: requested, without an answer yet or for good.
        self._written: BoundedDict[_Position, StackFrame | None] = BoundedDict(limits.POSITIONS_REMEMBERED)
        self._maps: BoundedDict[bytes, _Loaded] = BoundedDict(
            limits.SOURCE_MAPS, weight=lambda loaded: loaded.size, max_weight=limits.SOURCE_MAPS_BYTES
        )
        self._last: _Last | None = None
        # Records with frames whose maps may still arrive, by sequence number.
        self._waiting: BoundedDict[int, _Traced] = BoundedDict(limits.LOG_ENTRIES + limits.NETWORK_ENTRIES)

    def script_loaded(self, params: Params, source: Source, session: Session) -> None:
        """Network.responseReceived: remember the request of a script, and its SourceMap header."""
        response = mapping(params.get("response"))
        url = str(response.get("url", ""))
        headers = {str(name).lower(): value for name, value in mapping(response.get("headers")).items()}
        header = headers.get("sourcemap") or headers.get("x-sourcemap") or ""
        script = PageScript(source, session, url, str(params.get("requestId", "")))
        self._last = None
        self._remember(_Known(_key(source, safe_url(url)), script, str(header)))

    def wanted(self, record: _Traced, session: Session) -> None:
        """Map a record's frames, if it is an error or a warning. Never blocks."""
        if isinstance(record, LogRecord):
            if record.level not in ("error", "warning"):
                return
            last = self._last
            if last is None or not last.is_like(record):
                last = self._last = _Last(record, *self._look_up(record, session))
            fields, waits = last.fields, last.waits
        else:
            fields, waits = self._look_up(record, session)
        if fields:
            self._telemetry.annotate(record.seq, fields)
        if waits:
            self._waiting[record.seq] = record

    async def original(self, frames: Sequence[StackFrame], source: Source, session: Session) -> list[StackFrame]:
        """Frames as they were written, where their maps can be read in a moment; the others as they are."""
        for frame in frames:
            position = (_key(source, frame.url), frame.line, frame.column)
            if position not in self._written and frame.url.startswith((*_SCHEMES, *_EVALUATED)):
                self._ask_for(position, frame, source, session)
        with trio.move_on_after(limits.KNOWN_SECONDS):
            await self.backlog.wait_for_current(limits.KNOWN_SECONDS)
        return [self._written.get((_key(source, frame.url), frame.line, frame.column)) or frame for frame in frames]

    async def code_of(self, url: str, script_id: str, source: Source, session: Session) -> tuple[str, SourceMap | None]:
        """The text of a script that the debugger knows, and its map if there is one that we can get in time."""
        key = _key(source, safe_url(url))
        known = self._scripts.get(key) or self._remember(_Known(key, PageScript(source, session, url)))
        text, loaded = "", None
        with suppress(CdpError, CdpClosed, BadSourceMap), trio.move_on_after(limits.SOURCE_MAP_SECONDS):
            reply = await session.send("Debugger.getScriptSource", {"scriptId": script_id})
            async with trio.open_nursery() as nursery:
                loaded = await self._map_of_text(known, text := str(reply.get("scriptSource", "")), nursery)
        return text, loaded.map if loaded is not None else None

    def _look_up(self, record: _Traced, session: Session) -> tuple[dict[str, Any], bool]:
        """The mapped fields of a record so far, and whether more may follow. Requests what is missing."""
        source, is_known, is_missing = record.source, False, False
        for frame in _frames_of(record):
            position = (_key(source, frame.url), frame.line, frame.column)
            if position not in self._written and frame.url.startswith((*_SCHEMES, *_EVALUATED)):
                self._ask_for(position, frame, source, session)
            if self._written.get(position) is None:
                is_missing = True
            else:
                is_known = True
        return self._as_written(record) if is_known else {}, is_missing and bool(self.backlog)

    def _ask_for(self, position: _Position, frame: StackFrame, source: Source, session: Session) -> None:
        """Have the map of a frame's script read, unless it has none or too many are requested already."""
        known = self._scripts.get(position[0]) or self._unseen(position[0], source, session)
        if known is None or known.unmapped or len(known.waiting) >= _WAITING:
            return
        known.waiting[frame.line, frame.column] = frame
        if known.queued or self._queue_up(known):
            self._written[position] = None

    def _as_written(self, record: _Traced) -> dict[str, Any]:
        """The fields of a record that hold frames, with each frame mapped as far as known."""

        def written(frame: StackFrame) -> StackFrame:
            return self._written.get((_key(record.source, frame.url), frame.line, frame.column)) or frame

        if isinstance(record, NetworkRecord):
            return {"initiator_frames": tuple(map(written, record.initiator_frames))}
        frames = {"frames": tuple(map(written, record.frames))}
        return {**frames, "logged": written(record.logged)} if record.logged is not None else frames

    def _unseen(self, key: _Key, source: Source, session: Session) -> _Known | None:
        """A script that we did not see being loaded: from before we attached, or restored with its page.

        It may not exist: `eval` can name itself, and a page can make up any number of such addresses. Code inside a
        document is not mapped: its lines are those of the document.
        """
        url = key[2]
        of_document = source.kind in ("page", "iframe") and url == source.url.partition("#")[0]
        masked = REDACTED in url or "…" in url
        if of_document or masked or len(self.backlog) >= limits.SOURCE_MAP_BACKLOG // 2:
            return None
        return self._remember(_Known(key, PageScript(source, session, url)))

    def _remember(self, known: _Known) -> _Known:
        self._scripts[known.key] = known
        return known

    def _queue_up(self, known: _Known) -> bool:
        known.queued = self.backlog.offer(_Job(known))
        if not known.queued:
            known.waiting.clear()
        return known.queued

    async def run(self) -> None:
        """Read maps until cancelled; two at a time, so that a slow server delays only its own."""
        async with trio.open_nursery() as nursery:
            for _ in range(limits.SOURCE_MAP_READERS):
                nursery.start_soon(self.backlog.serve, partial(self._read, nursery))

    async def _read(self, nursery: trio.Nursery, job: _Job) -> None:
        known, loaded = job.known, None
        try:
            with trio.move_on_after(limits.SOURCE_MAP_SECONDS):
                loaded = await self._load(known, nursery)
        except (CdpError, CdpClosed, BadSourceMap):
            # The page is gone, or there is no map: the frames stay as Chrome sent them.
            pass
        frames, known.waiting, known.queued = list(known.waiting.values()), {}, False
        if loaded is None:
            known.unmapped = True
        else:
            written = await trio.to_thread.run_sync(_find_written, loaded, frames, abandon_on_cancel=True)
            for frame, original in zip(frames, written, strict=True):
                self._written[known.key, frame.line, frame.column] = original
            for record in self._waiting.values():
                if any(_key(record.source, frame.url) == known.key for frame in _frames_of(record)):
                    self._telemetry.annotate(record.seq, self._as_written(record))
        self._last = None
        if len(self.backlog) == 1:
            # This was the last job.
            self._waiting.clear()

    async def _load(self, known: _Known, nursery: trio.Nursery) -> _Loaded | None:
        """The map of a script. None, or one of the errors caught above, if there is none that we can get."""
        if known.digest not in self._maps:
            if known.script.url.startswith(_EVALUATED):
                return await self._load_evaluated(known)
            text = await self._resources.script_text(known.script)
            return await self._map_of_text(known, text, nursery) if text is not None else None
        self._maps.move_to_end(known.digest)
        return self._maps[known.digest]

    async def _map_of_text(self, known: _Known, text: str, nursery: trio.Nursery) -> _Loaded | None:
        if len(text) > limits.SOURCE_MAP_BYTES:
            return None
        known.digest = hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()
        if known.digest not in self._maps:
            loaded = await self._load_map(known, text, nursery)
            if loaded is None:
                return None
            self._maps[known.digest] = loaded
        self._maps.move_to_end(known.digest)
        return self._maps[known.digest]

    async def _load_evaluated(self, known: _Known) -> _Loaded | None:
        """The map of a module that one of the page's bundles passes to `eval`, with an inline map."""
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
                # Without the module's text: function names cannot be found inside a string of the bundle.
                self._maps[known.digest] = _Loaded(source_map, "", source_map.size)
                return self._maps[known.digest]
        return None

    async def _load_map(self, known: _Known, text: str, nursery: trio.Nursery) -> _Loaded | None:
        address = mapping_url(text) or known.header
        if address[:5].lower() == "data:":
            base, raw = known.script.url, inline_map(address)
            # The inline map is most of such a script, and functions are not searched in it.
            text = text.replace(address, "")
        else:
            base = _joined(known.script.url, address) if address else ""
            loaded = await self._resources.load(known.script, base, nursery)
            if loaded is None:
                return None
            raw = loaded
        source_map = await trio.to_thread.run_sync(parse_source_map, raw, base, abandon_on_cancel=True)
        return _Loaded(source_map, text, source_map.size + len(text))


def _joined(base: str, address: str) -> str:
    try:
        return urljoin(base, address)
    except ValueError as error:
        raise BadSourceMap("its address is none") from error


def _key(source: Source, url: str) -> _Key:
    return source.tab_id or (source.browser_id, source.target_id), source.navigation, url


def _frames_of(record: _Traced) -> Iterator[StackFrame]:
    """All frames of a record. For a request, those of the code that made it."""
    if isinstance(record, NetworkRecord):
        yield from record.initiator_frames
        return
    yield from record.frames
    if record.logged is not None:
        yield record.logged


def _find_written(loaded: _Loaded, frames: list[StackFrame]) -> list[StackFrame | None]:
    """Original frames. Runs in a thread: bundles are large, and functions are searched in them."""
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
