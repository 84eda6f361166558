"""Counts which functions of each page, frame and worker run, while somebody asks for it, and which styles are used.

V8 counts; we take its counts when somebody asks, and add them up. A counter belongs to an isolate, which several pages
may share, and each reading sets it back to zero: so it is read once for all of them.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from typing import NamedTuple
from weakref import WeakKeyDictionary, WeakSet

import trio
from attrs import define, field

from gasoline_cdp import debug_limits, limits
from gasoline_cdp.analysis.coverage.counts import ScriptCounts, read_counts
from gasoline_cdp.analysis.coverage.places import RanFunction, ScriptText, functions_of, merged
from gasoline_cdp.analysis.sourcemaps.frames import is_library
from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.capture.debugger import DebuggedScript, DebuggedTarget, Debugger
from gasoline_cdp.capture.sourcemaps import SourceMaps
from gasoline_cdp.capture.stacks import mapping, whole
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Params, Session
from gasoline_cdp.measures import UnusedCode
from gasoline_cdp.records import StackFrame
from gasoline_cdp.redact import safe_url

# Counts by script id.
Counts = dict[str, ScriptCounts]


@define
class StyleSheet:
    """A style sheet of a page, and the rules of it that matched something: their beginnings and ends."""

    url: str
    chars: int
    used: set[tuple[int, int]] = field(factory=set)


@define
class _State:
    """What is known of one target while its code is counted."""

    # Whether its document began while we counted.
    is_whole: bool = False
    # Whether a document was left whose last counts nobody had taken.
    has_lost: bool = False
    # Those of the current document.
    scripts: dict[str, DebuggedScript] = field(factory=dict)
    sheets: BoundedDict[str, StyleSheet] = field(factory=lambda: BoundedDict(debug_limits.COVERAGE_SHEETS))
    # All counts of the current document, and those that were not shown yet.
    totals: Counts = field(factory=dict)
    unseen: Counts = field(factory=dict)
    # How many more functions may be counted.
    room: int = field(factory=lambda: debug_limits.COVERAGE_FUNCTIONS)


class Ran(NamedTuple):
    """The functions of the page's own code that ran, and what is not known of them."""

    functions: list[RanFunction]
    notes: list[str]


class Coverage:
    """Off unless somebody wants it. Then it counts in every target, also in those that open later."""

    def __init__(self, debugger: Debugger, source_maps: SourceMaps) -> None:
        self.is_on = False
        # Whether blocks inside of functions are counted too.
        self.by_line = False
        self._debugger = debugger
        self._source_maps = source_maps
        self._states: WeakKeyDictionary[Session, _State] = WeakKeyDictionary()
        self._listened: WeakSet[Session] = WeakSet()
        debugger.users.append(self)

    def switch(self, *, on: bool, by_line: bool = False) -> None:
        """Count in all targets, or in none any more."""
        if self.is_on and (not on or by_line != self.by_line):
            for target in self._debugger.targets():
                self._stop(target)
            self._states.clear()
        self.is_on, self.by_line = on, by_line
        self._debugger.refresh()

    def begin(self, target: DebuggedTarget) -> None:
        """Let V8 count. Only posts commands; a target that waits has not run anything yet."""
        if not self.is_on or target.session in self._states:
            return
        session = target.session
        state = self._states[session] = _State()
        if session not in self._listened:
            self._listened.add(session)
            session.on("Runtime.executionContextsCleared", partial(self._document_began, session))
            session.on("CSS.styleSheetAdded", partial(self._sheet_added, session))
            session.on("CSS.styleSheetRemoved", partial(self._sheet_removed, session))
        session.post("Profiler.enable")
        session.post("Profiler.startPreciseCoverage", {"callCount": True, "detailed": self.by_line})
        # A debugger that was on before has named these already.
        state.scripts.update(target.scripts.items())
        if target.source().kind in {"page", "iframe"}:
            for command in ("DOM.enable", "CSS.enable", "CSS.startRuleUsageTracking"):
                session.post(command)

    def _stop(self, target: DebuggedTarget) -> None:
        for command in ("Profiler.stopPreciseCoverage", "Profiler.disable"):
            target.session.post(command)
        if target.source().kind in {"page", "iframe"}:
            # The DOM domain stays on: others use it, too.
            for command in ("CSS.stopRuleUsageTracking", "CSS.disable"):
                target.session.post(command)

    def parsed(self, target: DebuggedTarget, script: DebuggedScript) -> None:
        """Remember which scripts are of this target and document."""
        state = self._states.get(target.session)
        if state is not None and script.url and len(state.scripts) < debug_limits.CATCH_SCRIPTS:
            state.scripts[script.script_id] = script

    def paused(self, target: DebuggedTarget, params: Params) -> bool:  # noqa: ARG002 - others need them
        """It stops at nothing."""
        return False

    def _document_began(self, session: Session, _: Params) -> None:
        if state := self._states.get(session):
            # What was not taken by now is gone with the document.
            self._states[session] = _State(is_whole=True, has_lost=bool(state.scripts))

    def _sheet_added(self, session: Session, params: Params) -> None:
        header = mapping(params.get("header"))
        if state := self._states.get(session):
            url = str(header.get("sourceURL") or "")[: limits.URL_CHARS]
            is_file = not header.get("isInline") and url.startswith(("http:", "https:"))
            if is_file:
                state.sheets[str(header.get("styleSheetId"))] = StyleSheet(url, whole(header.get("length")))

    def _sheet_removed(self, session: Session, params: Params) -> None:
        if state := self._states.get(session):
            state.sheets.pop(str(params.get("styleSheetId")), None)

    async def take(self) -> dict[Session, Counts]:
        """Take what ran since the last time, in every target, and add it up. Those that do not answer are left out."""
        taken: dict[Session, Counts] = {}
        if not self.is_on:
            return taken
        with trio.move_on_after(debug_limits.COVERAGE_SECONDS):
            by_isolate: dict[str, list[Session]] = {}
            for session in self._sessions():
                with suppress(CdpError, CdpClosed):
                    reply = await session.send("Runtime.getIsolateId")
                    by_isolate.setdefault(str(reply.get("id")), []).append(session)
            for sessions in by_isolate.values():
                with suppress(CdpError, CdpClosed):
                    reply = await sessions[0].send("Profiler.takePreciseCoverage")
                    counts = list(read_counts(reply))
                    for session in sessions:
                        taken[session] = self._add(session, counts)
        return taken

    def _sessions(self) -> Iterator[Session]:
        return (session for session in list(self._states) if not session.closed_reason)

    def _add(self, session: Session, counts: Iterable[ScriptCounts]) -> Counts:
        """Those of one target's own scripts, added to what was counted before."""
        state = self._states.get(session)
        if state is None:
            return {}
        own = {one.script_id: one for one in counts if one.script_id in state.scripts}
        for script_id, script in own.items():
            for kept in (state.totals, state.unseen):
                before = kept.setdefault(script_id, ScriptCounts(script_id, script.url))
                state.room -= before.add(script, state.room)
        return own

    async def ran(self) -> Ran:
        """What ran since this was last asked: by function of the page's own code, as written."""
        answered = await self.take()
        unseen, notes = {}, []
        for session in self._sessions():
            state = self._states[session]
            unseen[session], state.unseen = state.unseen, {}
            if state.has_lost:
                state.has_lost = False
                notes.append("A page was loaded anew: what ran before that, and was not asked for, is not known.")
            if state.room <= 0:
                notes.append("A page has too many functions: some are missing.")
            if session not in answered:
                notes.append("A page or worker did not answer: what ran in it is missing.")
        functions, unread = await self.written(unseen)
        return Ran(functions, list(dict.fromkeys([*notes, *unread])))

    async def written(self, counts: dict[Session, Counts], *, also_unused: bool = False) -> Ran:
        """These counts by function, as written. With `also_unused`, also functions that did not run."""
        functions: list[RanFunction] = []
        unread = scripts = 0
        for target in self._debugger.targets():
            state = self._states.get(target.session)
            for script_id, counted in (counts.get(target.session) or {}).items() if state is not None else ():
                chosen = [one for one in counted.functions.values() if one.count or also_unused]
                script = state.scripts.get(script_id) if state is not None else None
                if not chosen or script is None or is_library(StackFrame("", script.url, 1, 1)):
                    continue
                scripts += 1
                code = await self._code_of(target, script) if scripts <= debug_limits.COVERAGE_SCRIPTS else None
                if code is None:
                    unread += 1
                    continue
                of_script = partial(lambda code, chosen: list(functions_of(code, chosen)), code, chosen)
                functions += await trio.to_thread.run_sync(of_script, abandon_on_cancel=True)
        notes = [f"{unread} more scripts ran whose text could not be read."] if unread else []
        return Ran(merged(functions), notes)

    async def _code_of(self, target: DebuggedTarget, script: DebuggedScript) -> ScriptText | None:
        text, source_map = await self._source_maps.code_of(
            script.url, script.script_id, target.source(), target.session
        )
        if not text:
            return None
        return ScriptText(safe_url(script.url), text, source_map, script.line, script.column)

    def totals(self) -> dict[Session, Counts]:
        """All counts of the current documents, as far as they were taken."""
        return {session: self._states[session].totals for session in self._sessions()}

    async def unused(self, session: Session) -> list[UnusedCode] | None:
        """Scripts and style sheets of a page, and how much of each was never used.

        None if that is not known: its document began before we counted, or has more functions than are counted.
        """
        if session not in await self.take():
            return None
        state = self._states.get(session)
        if state is None or not state.is_whole or state.room <= 0:
            return None
        with suppress(CdpError, CdpClosed), trio.move_on_after(debug_limits.COVERAGE_SECONDS):
            reply = await session.send("CSS.takeCoverageDelta")
            for rule in reply.get("coverage") or ():
                if rule.get("used") and (sheet := state.sheets.get(str(rule.get("styleSheetId")))):
                    sheet.used.add((whole(rule.get("startOffset")), whole(rule.get("endOffset"))))
        by_url: dict[str, UnusedCode] = {}
        for script_id, counted in state.totals.items():
            script = state.scripts.get(script_id)
            chars = max((function.end for function in counted.functions.values()), default=0)
            if script is not None and not (script.line or script.column) and script.url.startswith("http") and chars:
                by_url[script.url] = UnusedCode(safe_url(script.url), chars, max(0, chars - counted.used()))
        for sheet in state.sheets.values():
            by_url[sheet.url] = UnusedCode(safe_url(sheet.url), sheet.chars, max(0, sheet.chars - _length(sheet.used)))
        return list(by_url.values())


def _length(ranges: Iterable[tuple[int, int]]) -> int:
    """Characters in ranges that may overlap: rules are nested."""
    total = end = 0
    for start, until in sorted(ranges):
        total += max(0, until - max(start, end))
        end = max(end, until)
    return total
