"""Reads the variables where an exception is thrown: pauses the page for a moment, and lets it go on at once.

Frameworks catch what handlers throw and report it later, so while there is room the page is also paused where an
exception is caught. The variables are kept until the exception is reported, and are otherwise forgotten.
"""

import time
from collections.abc import Iterator
from typing import Literal
from weakref import WeakKeyDictionary

import trio
from attrs import define, evolve, field, frozen

from gasoline_cdp import debug_limits, limits
from gasoline_cdp.analysis.sourcemaps.frames import is_library
from gasoline_cdp.analysis.sourcemaps.source_map import SourceMap
from gasoline_cdp.analysis.sourcemaps.variable_names import ScriptLines
from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.capture.backlog import Backlog
from gasoline_cdp.capture.console import parse_caught
from gasoline_cdp.capture.debugger import DebuggedScript, DebuggedTarget, Debugger
from gasoline_cdp.capture.failing_lines import FailingLines
from gasoline_cdp.capture.plain_previews import plain_previews
from gasoline_cdp.capture.previews import deep_previews
from gasoline_cdp.capture.sourcemaps import SourceMaps
from gasoline_cdp.capture.stacks import mapping
from gasoline_cdp.capture.variables import Names, Scope, reference_to_named, scopes_of, values_of
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Params, Session
from gasoline_cdp.measures import FrameValues
from gasoline_cdp.nurseries import move_on_when_late
from gasoline_cdp.records import LogRecord, StackFrame
from gasoline_cdp.redact import EDGE
from gasoline_cdp.store.telemetry import Telemetry

CatchMode = Literal["off", "uncaught", "all"]

_REASONS = {"exception", "promiseRejection"}
_MOST = {"levels": 3, "items": 12, "parts": 120, "string": 100 + EDGE}
_READERS = 3


@frozen(eq=False)
class _Pause:
    """A stopped target: what was thrown, and the frames worth reading."""

    target: DebuggedTarget
    event: Params
    thrown: Params
    frames: list[Params]
    caught: bool


@frozen(eq=False)
class _Unnamed:
    """Variables that were read, with the names that run. A source map may tell what they were called."""

    target: DebuggedTarget
    key: str
    frames: list[Params]
    read: list[tuple[Scope, Params]]


@define
class _State:
    """What is known of one target while exceptions are caught."""

    # Variables by what was thrown, until it is reported.
    kept: BoundedDict[str, tuple[FrameValues, ...]] = field(factory=lambda: BoundedDict(debug_limits.CATCH_KEPT))
    # Which of them were reported, and by which record.
    reported: BoundedDict[str, LogRecord] = field(factory=lambda: BoundedDict(debug_limits.CATCH_KEPT))
    # When the latest pauses began. Too many in a second, and the page is left alone for a while.
    pauses: list[float] = field(factory=list)
    # How often it stopped for an exception that the page caught itself.
    caught: int = 0
    rests_until: float = 0.0


class Catcher:
    """Off unless somebody wants it. Then exceptions of every target are read, also of those that open later."""

    def __init__(self, debugger: Debugger, source_maps: SourceMaps, telemetry: Telemetry) -> None:
        self.mode: CatchMode = "off"
        # Only exceptions thrown in scripts whose address contains this.
        self.url_filter = ""
        # Whether V8 remembers who called asynchronous code. Promises are up to 75 times slower then.
        self.async_stacks = False
        self.read = 0
        # Pauses without values: in too quick succession, or not answered in time.
        self.skipped = 0
        # Variables whose names are looked up, after their target goes on.
        self.unnamed: Backlog[_Unnamed] = Backlog(debug_limits.CATCH_BACKLOG)
        self._debugger = debugger
        self._source_maps = source_maps
        self._telemetry = telemetry
        self._lines = FailingLines()
        self._backlog: Backlog[_Pause] = Backlog(debug_limits.CATCH_BACKLOG)
        self._states: WeakKeyDictionary[Session, _State] = WeakKeyDictionary()
        debugger.users.append(self)

    @property
    def is_on(self) -> bool:
        """Whether exceptions are caught."""
        return self.mode != "off"

    def switch(self, mode: CatchMode, url_filter: str = "", *, async_stacks: bool = False) -> None:
        """Catch in all targets, or in none any more: the page has its full speed again."""
        self.mode, self.url_filter = mode, url_filter
        if self.async_stacks and not async_stacks:
            for target in self._debugger.targets():
                target.session.post("Runtime.setAsyncCallStackDepth", {"maxDepth": 0})
        self.async_stacks = async_stacks
        if mode == "off":
            self._states.clear()
        self._debugger.refresh()

    def begin(self, target: DebuggedTarget) -> None:
        """Say which exceptions stop the target."""
        wanted = "none"
        if self.is_on:
            state = self._states.setdefault(target.session, _State())
            wanted = "all" if self.mode == "all" or state.caught < debug_limits.CATCH_CAUGHT else "uncaught"
        target.session.post("Debugger.setPauseOnExceptions", {"state": wanted})
        if self.async_stacks:
            target.session.post("Runtime.setAsyncCallStackDepth", {"maxDepth": debug_limits.ASYNC_STACK_DEPTH})

    def parsed(self, target: DebuggedTarget, script: DebuggedScript) -> None:
        """The target itself remembers its scripts."""

    def paused(self, target: DebuggedTarget, params: Params) -> bool:
        """At an exception: either it is read, or the target goes on at once."""
        if params.get("reason") not in _REASONS:
            return False
        session = target.session
        state = self._states.setdefault(session, _State())
        thrown = mapping(params.get("data"))
        caught = not thrown.get("uncaught") and params.get("reason") == "exception"
        if caught:
            state.caught += 1
            if self.mode == "uncaught" and state.caught == debug_limits.CATCH_CAUGHT:
                session.post("Debugger.setPauseOnExceptions", {"state": "uncaught"})
        frames = list(self._own_frames(target, params.get("callFrames")))
        if not frames or key_of(thrown) in state.kept or self._is_too_often(session, state):
            target.go_on(params)
        elif not self._backlog.offer(_Pause(target, params, thrown, frames, caught)):
            self.skipped += 1
            target.go_on(params)
        return True

    def _own_frames(self, target: DebuggedTarget, given: object) -> Iterator[Params]:
        """The innermost frames of the page's own code, if the exception comes from there."""
        frames = [mapping(frame) for frame in given] if isinstance(given, list) else []
        read = 0
        for index, frame in enumerate(frames[: limits.STACK_FRAMES]):
            url = target.url_of(frame)
            if is_library(StackFrame("", url, 1, 1)):
                continue
            if index == 0 and self.url_filter not in url:
                return
            yield {**frame, "url": url}
            read += 1
            if read == debug_limits.CATCH_FRAMES:
                return

    def _is_too_often(self, session: Session, state: _State) -> bool:
        """Whether a page throws without end. Then it rests: a pause costs milliseconds."""
        now = trio.current_time()
        state.pauses = [begun for begun in state.pauses if now - begun < 1.0]
        if len(state.pauses) < debug_limits.CATCH_PER_SECOND:
            state.pauses.append(now)
            return False
        self.skipped += 1
        if state.rests_until <= now:
            state.rests_until = now + debug_limits.CATCH_REST_SECONDS
            session.post("Debugger.setPauseOnExceptions", {"state": "none"})
        return True

    async def run(self) -> None:
        """Read stopped targets until cancelled, and let each go on."""
        async with trio.open_nursery() as nursery:
            for _ in range(_READERS):
                nursery.start_soon(self._backlog.serve, self._serve)
            nursery.start_soon(self.unnamed.serve, self._name)
            nursery.start_soon(self._wake)

    async def _wake(self) -> None:
        """Catch again in targets that have rested."""
        while True:
            await trio.sleep(debug_limits.CATCH_REST_SECONDS)
            now = trio.current_time()
            for target in self._debugger.targets():
                state = self._states.get(target.session)
                if state is not None and 0 < state.rests_until <= now:
                    state.rests_until = 0.0
                    self.begin(target)

    async def _serve(self, pause: _Pause) -> None:
        try:
            async with move_on_when_late(debug_limits.CATCH_SECONDS) as limit:
                await self._read(pause)
            self.skipped += limit.cancelled_caught
        except (CdpError, CdpClosed):
            # It has navigated or crashed meanwhile.
            self.skipped += 1
        finally:
            # Only now: a command to go on overtakes those that read.
            pause.target.go_on(pause.event)

    async def _read(self, pause: _Pause) -> None:
        """All scopes of all frames by one command: each round trip costs the page a millisecond."""
        session, key = pause.target.session, key_of(pause.thrown)
        named = await self._lines.names(pause.target, pause.frames)
        frames = pause.frames
        scopes = [scope for frame, names in zip(frames, named, strict=True) for scope in scopes_of(frame, names)]
        wanted = [scope.wanted for scope in scopes]
        previews = await deep_previews(session, [scope.reference for scope in scopes], {**_MOST, "wanted": wanted})
        if previews is None:
            # The object behind `this` may have a million properties.
            scopes = [scope for scope in scopes if not scope.name]
            references = [await reference_to_named(session, scope) for scope in scopes]
            previews = list(await plain_previews(session, references, _MOST["string"]))
        state = self._states.get(session)
        if state is None:
            self.skipped += 1
            return
        read = [(scope, mapping(preview)) for scope, preview in zip(scopes, previews, strict=False)]
        values = tuple(values_of(frames, read))
        self.read += 1
        state.kept[key] = values
        if pause.caught and self.mode == "all":
            state.reported[key] = pause.target.add(parse_caught(pause.thrown, time.time(), values))
        if any(script.is_mapped for frame in pause.frames if (script := pause.target.script_of(frame))):
            self.unnamed.offer(_Unnamed(pause.target, key, frames, read))

    async def _name(self, job: _Unnamed) -> None:
        """Call variables what their author called them, if the map of their script tells it."""
        names: dict[Scope, Names] = {}
        target, state = job.target, self._states.get(job.target.session)
        for frame in job.frames:
            script = target.script_of(frame)
            if script is None or not script.is_mapped or state is None:
                continue
            session = target.session
            text, source_map = await self._source_maps.code_of(script.url, script.script_id, target.source(), session)
            if source_map is not None and not (script.line or script.column):
                own = [scope for scope, _ in job.read if scope.frame is frame]
                names |= await trio.to_thread.run_sync(_names_of, text, source_map, own, abandon_on_cancel=True)
        if state is None or not any(names.values()):
            return
        values = tuple(values_of(job.frames, job.read, names))
        if job.key in state.kept:
            state.kept[job.key] = values
        if record := state.reported.get(job.key):
            self._telemetry.annotate(record.seq, {"values": _in_stack(record.frames, values)})

    def taken(self, session: Session, reported: object, frames: tuple[StackFrame, ...]) -> tuple[FrameValues, ...]:
        """The variables where one of the reported values was thrown, if it was seen. They are handed out once."""
        state = self._states.get(session)
        if state is None:
            return ()
        for value in reported if isinstance(reported, list) else []:
            if isinstance(value, dict) and (kept := state.kept.pop(key_of(value), None)):
                return _in_stack(frames, kept)
        return ()

    def recorded(self, session: Session, reported: object, record: LogRecord) -> None:
        """This record has the variables that were handed out for one of the reported values."""
        state = self._states.get(session)
        for value in reported if isinstance(reported, list) else []:
            if isinstance(value, dict) and state is not None:
                state.reported[key_of(value)] = record


def key_of(thrown: Params) -> str:
    """Recognises what was thrown when it is reported: an error by its message and stack."""
    return f"{thrown.get('type')} {thrown.get('description', thrown.get('value'))}"[: limits.TEXT_CHARS]


def _names_of(text: str, source_map: SourceMap, scopes: list[Scope]) -> dict[Scope, Names]:
    script = ScriptLines(text)
    return {scope: scope.names(script, source_map) for scope in scopes if not scope.name}


def _in_stack(frames: tuple[StackFrame, ...], values: tuple[FrameValues, ...]) -> tuple[FrameValues, ...]:
    """With the index of each frame in a stack."""
    return tuple(evolve(one, index=_index_in(frames, one)) for one in values)


def _index_in(frames: tuple[StackFrame, ...], wanted: FrameValues) -> int:
    """Which frame of a stack it is. The stack may name another column, or the line of a call."""
    for index, frame in enumerate(frames):
        if (frame.url, frame.line) == (wanted.url, wanted.line):
            return index
    names = (index for index, frame in enumerate(frames) if wanted.function and frame.function == wanted.function)
    return next(names, -1)
