"""Log points: what an expression is worth whenever a line runs, without a change of the code.

A log point is a breakpoint at which the target stands still for the time that it takes to read the values. The page can
notice it only by that time. Each has a limit of hits, so a line that runs a hundred thousand times costs little.
"""

import time
from collections.abc import Iterator
from contextlib import suppress

import trio
from attrs import define, field, frozen

from gasoline_cdp import debug_limits
from gasoline_cdp.analysis.sourcemaps.frames import is_library
from gasoline_cdp.analysis.sourcemaps.source_map import SourceMap
from gasoline_cdp.capture.backlog import Backlog
from gasoline_cdp.capture.breakpoints import (
    Position,
    address_of,
    breakpoint_at,
    ends_with,
    name_of,
    path_of,
    pattern_of,
)
from gasoline_cdp.capture.console import ParsedLog
from gasoline_cdp.capture.debugger import DebuggedScript, DebuggedTarget, Debugger
from gasoline_cdp.capture.expression_values import read_values
from gasoline_cdp.capture.sourcemaps import SourceMaps
from gasoline_cdp.capture.stacks import mapping, whole
from gasoline_cdp.cdp.commands import SentCommand
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Params, Session
from gasoline_cdp.nurseries import move_on_when_late
from gasoline_cdp.records import StackFrame
from gasoline_cdp.redact import safe_text, safe_url

_WORKERS = 3
_REPLACED = "a newer one has its line"


@define(eq=False)
class LogPoint:
    """What a caller asked for, and what became of it."""

    number: int
    # The end of a path, and a line of that file: as it was written, or as it runs.
    path: str
    line: int
    expression: str
    condition: str
    hits_left: int
    ends_at: float
    hits: int = 0
    # Where it stands, by the address of the script without its query.
    positions: dict[str, Position] = field(factory=dict)
    # Scripts in which Chrome found the position.
    bound: int = 0
    # Why it is over; empty while it is not.
    over: str = ""


@frozen(eq=False)
class _Job:
    """A script that may contain a log point, or a target that stands at one (`pause`)."""

    target: DebuggedTarget
    point: LogPoint
    script: DebuggedScript | None = None
    pause: Params | None = None


class LogPoints:
    """All log points of a daemon."""

    def __init__(self, debugger: Debugger, source_maps: SourceMaps) -> None:
        self.points: list[LogPoint] = []
        # Hits and scripts that were passed over, because there were too many at once.
        self.skipped = 0
        self.backlog: Backlog[_Job] = Backlog(debug_limits.LOG_POINT_BACKLOG)
        # Targets that wait to begin until the places that are known are set in them.
        self._starting: Backlog[DebuggedTarget] = Backlog(debug_limits.LOG_POINT_BACKLOG)
        self._debugger = debugger
        self._source_maps = source_maps
        self._number = 0
        # Breakpoints by session and Chrome's name for them.
        self._set: dict[tuple[Session, str], LogPoint] = {}
        debugger.users.append(self)

    @property
    def is_on(self) -> bool:
        """Whether any log point is not over."""
        return any(not point.over for point in self.points)

    def add(self, path: str, line: int, expression: str, *, condition: str = "", limit: int) -> LogPoint:
        """A new log point, in every target that has the script, now or later."""
        self._number += 1
        ends_at = trio.current_time() + debug_limits.LOG_POINT_SECONDS
        point = LogPoint(self._number, path, line, expression, condition, limit, ends_at)
        for old in self.points:
            if (old.path, old.line) == (path, line):
                self._end(old, _REPLACED)
        for old in self.points[: -debug_limits.LOG_POINTS + 1]:
            self._end(old, "newer ones took its room")
        self.points = [*self.points, point][-debug_limits.LOG_POINTS :]
        self._set = {key: of for key, of in self._set.items() if not key[0].closed_reason}
        self._debugger.breakpoints = True
        self._debugger.refresh()
        for target in self._debugger.targets():
            for script in list(target.scripts.values()):
                self._look_at(target, point, script)
        return point

    async def wait_bound(self) -> None:
        """Wait until every loaded script was looked at."""
        await self._debugger.scripts_known()
        await self.backlog.wait_idle()

    def end(self, why: str) -> None:
        """End all log points."""
        for point in self.points:
            self._end(point, why)

    def _end(self, point: LogPoint, why: str) -> None:
        if point.over:
            return
        point.over = why
        for (session, name), of in list(self._set.items()):
            if of is point:
                session.post("Debugger.removeBreakpoint", {"breakpointId": name})
                del self._set[session, name]
        if not self.is_on:
            self._debugger.breakpoints = False
        self._debugger.refresh()

    def begin(self, target: DebuggedTarget) -> None:
        """A target can be debugged: places that are known are set before its first script runs."""
        if target.is_settled:
            self._set_known(target)
        elif any(self._unset(target)) and self._starting.offer(target):
            # A service worker answers nothing before it runs.
            target.session.held = target.source().kind != "service_worker"

    def _unset(self, target: DebuggedTarget) -> Iterator[tuple[LogPoint, str, Position]]:
        """Known places that are not set in a target."""
        for point in self.points:
            for address, position in point.positions.items():
                if not point.over and not self._names_of(target, point, address):
                    yield point, address, position

    def _set_known(self, target: DebuggedTarget) -> list[tuple[LogPoint, SentCommand]]:
        sent = []
        for point, address, position in list(self._unset(target)):
            params = breakpoint_at(address, position, point.condition)
            if command := target.session.start("Debugger.setBreakpointByUrl", params):
                sent.append((point, command))
            self._set[target.session, name_of(address, position)] = point
        return sent

    async def _start(self, target: DebuggedTarget) -> None:
        """Set what is known in a target that waits for it, then let it begin."""
        try:
            with trio.move_on_after(debug_limits.LOG_POINT_START_SECONDS), suppress(CdpError, CdpClosed):
                await self._debugger.settled(target)
                for point, command in self._set_known(target):
                    self._set[target.session, str((await command.reply()).get("breakpointId"))] = point
        finally:
            target.session.post("Runtime.runIfWaitingForDebugger")

    def _names_of(self, target: DebuggedTarget, point: LogPoint, address: str) -> list[str]:
        """What Chrome calls a log point in the scripts of this address."""
        ending = f":{pattern_of(address)}"
        return [
            name
            for (session, name), of in self._set.items()
            if session is target.session and of is point and name.endswith(ending)
        ]

    def parsed(self, target: DebuggedTarget, script: DebuggedScript) -> None:
        """A script was loaded: it may contain a log point, or contain it elsewhere than before."""
        for point in self.points:
            if not point.over:
                self._look_at(target, point, script)

    def _look_at(self, target: DebuggedTarget, point: LogPoint, script: DebuggedScript) -> None:
        """Set a log point in a script, if it is there. Maps are read by a task."""
        if not script.url:
            return
        is_same = ends_with(path_of(script.url), point.path)
        # Maps of libraries are the largest, and name no file of the page.
        is_other = is_library(StackFrame("", script.url, 1, 1)) and not is_library(StackFrame("", point.path, 1, 1))
        if (is_same or (script.is_mapped and not is_other)) and not self.backlog.offer(_Job(target, point, script)):
            self.skipped += 1

    def paused(self, target: DebuggedTarget, params: Params) -> bool:
        """At a log point: read, then let it go on."""
        hit = params.get("hitBreakpoints")
        frames = params.get("callFrames")
        points = [self._set.get((target.session, str(name))) for name in hit] if isinstance(hit, list) else []
        hits = [point for point in points if point is not None]
        if not hits or not isinstance(frames, list) or not frames:
            return False
        if not self.backlog.offer(_Job(target, hits[0], pause=params)):
            self.skipped += 1
            target.go_on(params)
        return True

    async def run(self) -> None:
        """Set and read log points until cancelled, and end those whose time is over."""
        async with trio.open_nursery() as nursery:
            for _ in range(_WORKERS):
                nursery.start_soon(self.backlog.serve, self._serve)
                nursery.start_soon(self._starting.serve, self._start)
            nursery.start_soon(self._end_old)

    async def _end_old(self) -> None:
        while True:
            await trio.sleep(debug_limits.LOG_POINT_SECONDS / 20)
            for point in self.points:
                if point.ends_at <= trio.current_time():
                    self._end(point, "its time is over")

    async def _serve(self, job: _Job) -> None:
        try:
            if job.script is not None:
                await self._bind(job.target, job.point, job.script)
            elif job.pause is not None:
                await self._hit(job.target, job.point, job.pause)
        except (CdpError, CdpClosed):
            # It has navigated or crashed meanwhile.
            self.skipped += 1

    async def _bind(self, target: DebuggedTarget, point: LogPoint, script: DebuggedScript) -> None:
        """Find the place in a script, and set it there for this and later loads of its address."""
        position = await self._find(target, point, script)
        if position is None:
            return
        # Otherwise the breakpoint may arrive before the debugger is on.
        await self._debugger.settled(target)
        if point.over:
            return
        address = address_of(script.url)
        known = point.positions.get(address)
        names = self._names_of(target, point, address)
        if names and known is not None and (known.line, known.column) == (position.line, position.column):
            return
        for name in names:
            # The code has changed.
            target.session.post("Debugger.removeBreakpoint", {"breakpointId": name})
            self._set.pop((target.session, name), None)
        # Chrome allows one at a place. It may have been asked for by another path.
        other = self._set.get((target.session, name_of(address, position)))
        if other is not None and other is not point:
            self._end(other, _REPLACED)
        point.positions[address] = position
        # Until Chrome replies, a hit is known by the name that Chrome will give it.
        self._set[target.session, name_of(address, position)] = point
        reply = await target.session.send(
            "Debugger.setBreakpointByUrl", breakpoint_at(address, position, point.condition)
        )
        self._set[target.session, str(reply.get("breakpointId"))] = point
        locations = reply.get("locations")
        if isinstance(locations, list) and locations:
            point.bound += 1
            await self._say_where(target, point, script, mapping(locations[0]))

    async def _find(self, target: DebuggedTarget, point: LogPoint, script: DebuggedScript) -> Position | None:
        if not script.is_mapped:
            if not ends_with(path_of(script.url), point.path):
                return None
            return Position(point.line - 1, 0, StackFrame("", safe_url(script.url), point.line, 1))
        source_map = await self._map_of(target, script)
        position = source_map.find_generated(point.path, point.line) if source_map is not None else None
        if position is None:
            return None
        line, column, original = position
        return Position(line, column, StackFrame("", safe_text(original.source), original.line, original.column))

    async def _map_of(self, target: DebuggedTarget, script: DebuggedScript) -> SourceMap | None:
        return (await self._source_maps.code_of(script.url, script.script_id, target.source(), target.session))[1]

    async def _say_where(
        self, target: DebuggedTarget, point: LogPoint, script: DebuggedScript, location: Params
    ) -> None:
        """Chrome moves a breakpoint to the next statement: remember where that was written."""
        address = address_of(script.url)
        line, column = whole(location.get("lineNumber")), whole(location.get("columnNumber"))
        position = point.positions[address]
        written = StackFrame("", safe_url(script.url), line + 1, column + 1)
        if script.is_mapped:
            source_map = await self._map_of(target, script)
            original = source_map.find(line + 1, column + 1) if source_map is not None else None
            if original is not None:
                written = StackFrame("", safe_text(original.source), original.line, original.column)
        point.positions[address] = Position(position.line, position.column, written)

    async def _hit(self, target: DebuggedTarget, point: LogPoint, pause: Params) -> None:
        """Read the values, let the target go on, and record them."""
        frame = mapping(pause["callFrames"][0])
        text = ""
        try:
            async with move_on_when_late(debug_limits.CATCH_SECONDS):
                with suppress(CdpError):
                    text = await read_values(target, point.expression, frame, self._source_maps)
        finally:
            target.go_on(pause)
        if point.over:
            return
        point.hits += 1
        point.hits_left -= 1
        position = point.positions.get(address_of(target.url_of(frame)))
        function = safe_text(str(frame.get("functionName") or ""), 120)
        frames: tuple[StackFrame, ...] = ()
        if position is not None:
            at = position.written
            frames = (StackFrame(function, at.url, at.line, at.column),)
        # A hit is a fact, even if the page was too busy to be read, or was told by somebody else to go on.
        text = text or safe_text(f"{point.expression} could not be read in time", debug_limits.CATCH_CHARS)
        target.add(ParsedLog(ts=time.time(), kind="logpoint", level="info", text=text, frames=frames))
        if point.hits_left <= 0:
            self._end(point, "it was hit often enough")
