"""Switches Chrome's debugger on while somebody uses it, for every target, and off again: it slows pages down."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Protocol

from attrs import define, field, frozen

from gasoline_cdp import debug_limits, limits
from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.capture.console import ParsedLog
from gasoline_cdp.capture.stacks import mapping, whole
from gasoline_cdp.cdp.commands import SentCommand
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Params, Session
from gasoline_cdp.records import LogRecord, Source

# Chrome need not stop where a library throws and catches by itself.
_LIBRARIES = ["/node_modules/", "/@vite/", "/@react-refresh", "^chrome-extension://"]


@frozen
class DebuggedScript:
    """A script that runs, whether it has a source map, and where it begins in its document, counted from 0."""

    script_id: str
    url: str
    is_mapped: bool
    line: int = 0
    column: int = 0
    # Its length in characters.
    length: int = 0


@define(eq=False)
class DebuggedTarget:
    """A page, frame or worker, and its scripts while the debugger is on."""

    session: Session
    source: Callable[[], Source]
    # Records what was seen.
    add: Callable[[ParsedLog], LogRecord]
    is_on: bool = False
    # Whether Chrome has carried out the command that switched it on.
    is_settled: bool = False
    # By script id: Chrome's pauses name only the ids.
    scripts: BoundedDict[str, DebuggedScript] = field(factory=lambda: BoundedDict(debug_limits.CATCH_SCRIPTS))
    # Debugger.paused, of each time that it has stopped and was not told to go on yet.
    pauses: list[Params] = field(factory=list)
    # The command that switches the debugger off, once it was sent.
    off: SentCommand | None = None

    def go_on(self, pause: Params) -> None:
        """End a pause, unless there is a newer one: a late command would end that before it was read.

        There are two if somebody else has ended the first, or if a document that is left and the next one both stop.
        """
        if self.pauses and self.pauses[-1] is pause:
            self.pauses.clear()
            self.session.post("Debugger.resume")

    def script_of(self, frame: Params) -> DebuggedScript | None:
        """The script in which a frame of a pause stands."""
        return self.scripts.get(str(mapping(frame.get("location")).get("scriptId")))

    def url_of(self, frame: Params) -> str:
        """The address of that script."""
        script = self.script_of(frame)
        return script.url if script is not None else ""


class DebuggerUser(Protocol):
    """Somebody who needs the debugger."""

    @property
    def is_on(self) -> bool:
        """Whether it needs the debugger now."""
        ...

    def begin(self, target: DebuggedTarget) -> None:
        """The debugger is on for a target. Only posts commands."""
        ...

    def parsed(self, target: DebuggedTarget, script: DebuggedScript) -> None:
        """A script is about to run."""
        ...

    def paused(self, target: DebuggedTarget, params: Params) -> bool:
        """Debugger.paused. Returns whether this user lets the target go on, by `go_on`."""
        ...


class Debugger:
    """All targets, and those who use the debugger."""

    def __init__(self) -> None:
        self.users: list[DebuggerUser] = []
        # Whether breakpoints stop a target. Otherwise `debugger` statements do not, either.
        self.breakpoints = False
        self._targets: dict[Session, DebuggedTarget] = {}

    @property
    def is_used(self) -> bool:
        """Whether anybody needs it now."""
        return any(user.is_on for user in self.users)

    def adopt(self, session: Session, source: Callable[[], Source], add: Callable[[ParsedLog], LogRecord]) -> None:
        """A target can be debugged from now on. Only posts commands, before its first script runs."""
        self._forget_closed()
        target = self._targets[session] = DebuggedTarget(session, source, add)
        session.on("Debugger.scriptParsed", partial(self._parsed, target))
        session.on("Debugger.paused", partial(self._paused, target))
        self._refresh(target)

    def targets(self) -> Iterator[DebuggedTarget]:
        """Those that are still there."""
        self._forget_closed()
        return iter(list(self._targets.values()))

    def _forget_closed(self) -> None:
        for session in [session for session in self._targets if session.closed_reason]:
            del self._targets[session]

    async def scripts_known(self) -> None:
        """Wait until Chrome has named the scripts of every target: it does so before it replies to the next command."""
        for target in self.targets():
            if target.is_on:
                with suppress(CdpError, CdpClosed):
                    await self.settled(target)

    async def settled(self, target: DebuggedTarget) -> None:
        """Wait until a target has carried out every earlier command, and let breakpoints stop it if anybody has some.

        Chrome carries out commands about breakpoints in between while a page is busy, before those that it got earlier:
        before the debugger is on, and even before it is off. So wait for one that keeps its place, then say again
        whether breakpoints hold.
        """
        await target.session.send("Runtime.getIsolateId")
        await target.session.send("Debugger.setBreakpointsActive", {"active": self.breakpoints})
        target.is_settled = target.is_on

    def refresh(self) -> None:
        """Somebody began or ended to use it."""
        for target in self.targets():
            self._refresh(target)

    def _refresh(self, target: DebuggedTarget) -> None:
        session, wanted = target.session, self.is_used
        if wanted and not target.is_on:
            session.post("Debugger.enable", {"maxScriptsCacheSize": 0})
            session.post("Debugger.setBlackboxPatterns", {"patterns": _LIBRARIES})
        elif target.is_on and not wanted:
            # It also lets a target go on that stands still.
            target.off = session.start("Debugger.disable")
            target.scripts.clear()
            target.pauses.clear()
            target.is_settled = False
        target.is_on = wanted
        if wanted:
            session.post("Debugger.setBreakpointsActive", {"active": self.breakpoints})
            for user in self.users:
                user.begin(target)

    def _parsed(self, target: DebuggedTarget, params: Params) -> None:
        url = str(params.get("url") or "")[: limits.URL_CHARS]
        script = DebuggedScript(
            str(params.get("scriptId")),
            url,
            bool(params.get("sourceMapURL")),
            whole(params.get("startLine")),
            whole(params.get("startColumn")),
            whole(params.get("length")),
        )
        target.scripts[script.script_id] = script
        for user in self.users:
            if user.is_on:
                user.parsed(target, script)

    def _paused(self, target: DebuggedTarget, params: Params) -> None:
        """The target stands still. A pause that is nobody's is a `debugger` statement, or a person's in DevTools.

        V8 was seen to stop at such statements although breakpoints are off. A page that stands still for ever is worse
        than a breakpoint that does not hold while we debug.
        """
        if not target.is_on or (target.off is not None and not target.off.replied):
            # It has stopped before it was told that the debugger is off, and goes on by itself.
            return
        target.pauses.append(params)
        if not any(user.paused(target, params) for user in self.users if user.is_on):
            target.go_on(params)
