"""Reads the variables where an exception is thrown: pauses the page for a moment, and lets it go on at once.

Frameworks catch what handlers throw and report it later, so while there is room the page is also paused where an
exception is caught. The variables are kept until the exception is reported, and are otherwise forgotten.
"""

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Literal
from weakref import WeakKeyDictionary

import trio
from attrs import define, evolve, field, frozen

from gasoline_cdp import debug_limits, limits
from gasoline_cdp.analysis.sourcemaps.frames import is_library
from gasoline_cdp.assets import page_script
from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.capture.backlog import Backlog
from gasoline_cdp.capture.rendering import render_variables
from gasoline_cdp.capture.stacks import mapping, whole
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Params, Session
from gasoline_cdp.measures import FrameValues
from gasoline_cdp.records import StackFrame
from gasoline_cdp.redact import EDGE, safe_text, safe_url

CatchMode = Literal["off", "uncaught", "all"]

# An exception is one of these reasons. Others are somebody else's: a person's DevTools, a breakpoint of another client.
_REASONS = {"exception", "promiseRejection"}
# Other scopes hold the whole page: reading them takes ten times as long.
_SCOPES = {"local", "block", "closure", "catch", "module", "eval", "with"}
# Chrome need not stop where a library throws and catches by itself.
_LIBRARIES = ["/node_modules/", "/@vite/", "/@react-refresh", "^chrome-extension://"]
_MOST = {"levels": 3, "items": 12, "parts": 120, "string": 100 + EDGE}
_SCOPES_READ = 6
_READERS = 3
# Names that a compiler made, and what every function of a module has.
_MADE = re.compile(
    r"^_{0,2}(?:webpack|vite|vitest|esm|cjs|jsx|jsxs|jsxDEV)_|^_?(?:jsx|jsxs|jsxDEV)$|"
    r"^(?:RefreshRuntime|inWebWorker|prevRefreshReg|prevRefreshSig|require|module|exports|arguments)$"
)


# Records an exception that the page caught itself: what was thrown, and the variables.
Caught = Callable[[Params, tuple[FrameValues, ...]], None]


@frozen(eq=False)
class _Pause:
    """A stopped target: what was thrown, and the frames worth reading."""

    session: Session
    thrown: Params
    frames: list[Params]
    caught: bool


@define
class _Target:
    """What is known of one target while we listen."""

    urls: BoundedDict[str, str] = field(factory=lambda: BoundedDict(debug_limits.CATCH_SCRIPTS))
    # Variables by what was thrown, until it is reported.
    kept: BoundedDict[str, tuple[FrameValues, ...]] = field(factory=lambda: BoundedDict(debug_limits.CATCH_KEPT))
    # When the latest pauses began. Too many in a second, and the page is left alone for a while.
    pauses: list[float] = field(factory=list)
    # How often it stopped for an exception that the page caught itself.
    caught: int = 0
    rests_until: float = 0.0


class Catcher:
    """Off unless somebody wants it. Then every target is listened to, also those that open later."""

    def __init__(self) -> None:
        self.mode: CatchMode = "off"
        # Only exceptions thrown in scripts whose address contains this.
        self.url_filter = ""
        self.read = 0
        # Pauses without values: in too quick succession, or not answered in time.
        self.skipped = 0
        self._backlog: Backlog[_Pause] = Backlog(debug_limits.CATCH_BACKLOG)
        self._targets: WeakKeyDictionary[Session, _Target] = WeakKeyDictionary()
        self._sessions: WeakKeyDictionary[Session, Caught] = WeakKeyDictionary()

    def adopt(self, session: Session, caught: Caught) -> None:
        """A target can be listened to from now on. Only posts commands."""
        self._sessions[session] = caught
        session.on("Debugger.scriptParsed", partial(self._parsed, session))
        session.on("Debugger.paused", partial(self._paused, session))
        if self.mode != "off":
            self._listen(session)

    def switch(self, mode: CatchMode, url_filter: str = "") -> None:
        """Listen to all targets, or to none any more: the page has its full speed again."""
        self.mode, self.url_filter = mode, url_filter
        for session in list(self._sessions):
            if session.closed_reason:
                continue
            if mode == "off":
                session.post("Debugger.disable")
            elif session in self._targets:
                self._arm(session)
            else:
                self._listen(session)
        if mode == "off":
            self._targets.clear()

    def _listen(self, session: Session) -> None:
        self._targets[session] = _Target()
        session.post("Debugger.enable", {"maxScriptsCacheSize": 0})
        session.post("Debugger.setBlackboxPatterns", {"patterns": _LIBRARIES})
        # Neither `debugger` statements nor breakpoints stop the page for our sake.
        session.post("Debugger.setBreakpointsActive", {"active": False})
        self._arm(session)

    def _arm(self, session: Session) -> None:
        target = self._targets[session]
        state = "all" if self.mode == "all" or target.caught < debug_limits.CATCH_CAUGHT else "uncaught"
        session.post("Debugger.setPauseOnExceptions", {"state": state})

    def _parsed(self, session: Session, params: Params) -> None:
        if (target := self._targets.get(session)) is not None:
            target.urls[str(params.get("scriptId"))] = str(params.get("url") or "")[: limits.URL_CHARS]

    def _paused(self, session: Session, params: Params) -> None:
        """The target stands still: either it is read, or it goes on at once."""
        target = self._targets.get(session)
        if target is None or params.get("reason") not in _REASONS:
            return
        thrown = mapping(params.get("data"))
        caught = not thrown.get("uncaught") and params.get("reason") == "exception"
        if caught:
            target.caught += 1
            if self.mode == "uncaught" and target.caught == debug_limits.CATCH_CAUGHT:
                session.post("Debugger.setPauseOnExceptions", {"state": "uncaught"})
        frames = list(self._own_frames(target, params.get("callFrames")))
        key = key_of(thrown)
        if not frames or key in target.kept or self._is_too_often(session, target):
            session.post("Debugger.resume")
            return
        if not self._backlog.offer(_Pause(session, thrown, frames, caught)):
            self.skipped += 1
            session.post("Debugger.resume")

    def _own_frames(self, target: _Target, given: object) -> Iterator[Params]:
        """The innermost frames of the page's own code, if the exception comes from there."""
        frames = [mapping(frame) for frame in given] if isinstance(given, list) else []
        read = 0
        for index, frame in enumerate(frames[: limits.STACK_FRAMES]):
            url = target.urls.get(str(mapping(frame.get("location")).get("scriptId"))) or ""
            if is_library(StackFrame("", url, 1, 1)):
                continue
            if index == 0 and self.url_filter not in url:
                return
            yield {**frame, "url": url}
            read += 1
            if read == debug_limits.CATCH_FRAMES:
                return

    def _is_too_often(self, session: Session, target: _Target) -> bool:
        """Whether a page throws without end. Then it rests: a pause costs milliseconds."""
        now = trio.current_time()
        target.pauses = [begun for begun in target.pauses if now - begun < 1.0]
        if len(target.pauses) < debug_limits.CATCH_PER_SECOND:
            target.pauses.append(now)
            return False
        self.skipped += 1
        if target.rests_until <= now:
            target.rests_until = now + debug_limits.CATCH_REST_SECONDS
            session.post("Debugger.setPauseOnExceptions", {"state": "none"})
        return True

    async def run(self) -> None:
        """Read stopped targets until cancelled, and let each go on."""
        async with trio.open_nursery() as nursery:
            for _ in range(_READERS):
                nursery.start_soon(self._backlog.serve, self._serve)
            nursery.start_soon(self._wake)

    async def _wake(self) -> None:
        """Listen again to targets that have rested."""
        while True:
            await trio.sleep(debug_limits.CATCH_REST_SECONDS)
            now = trio.current_time()
            for session, target in list(self._targets.items()):
                if 0 < target.rests_until <= now:
                    target.rests_until = 0.0
                    self._arm(session)

    async def _serve(self, pause: _Pause) -> None:
        try:
            with trio.move_on_after(debug_limits.CATCH_SECONDS) as limit:
                await self._read(pause)
            self.skipped += limit.cancelled_caught
        except (CdpError, CdpClosed):
            # It has navigated or crashed meanwhile.
            self.skipped += 1
        finally:
            # Only now: a command to go on overtakes those that read.
            pause.session.post("Debugger.resume")

    async def _read(self, pause: _Pause) -> None:
        """All scopes of all frames by one command: each round trip costs the page a millisecond."""
        asked = [(frame, name, reference) for frame in pause.frames for name, reference in _references(frame)]
        if not asked:
            return
        ids = [{"objectId": reference} for _, _, reference in asked]
        reply = await pause.session.send(
            "Runtime.callFunctionOn",
            {
                "functionDeclaration": page_script("deep_preview"),
                **ids[0],
                "arguments": [{"value": _MOST}, *ids],
                "throwOnSideEffect": True,
                "returnByValue": True,
                "silent": True,
            },
        )
        previews = mapping(reply.get("result")).get("value")
        target = self._targets.get(pause.session)
        if "exceptionDetails" in reply or not isinstance(previews, list) or target is None:
            self.skipped += 1
            return
        found = [(frame, name, mapping(preview)) for (frame, name, _), preview in zip(asked, previews, strict=False)]
        values = tuple(_values_of(frame, found) for frame in pause.frames)
        values = tuple(one for one in values if one.variables)
        self.read += 1
        if pause.caught and self.mode == "all":
            self._sessions[pause.session](pause.thrown, values)
        target.kept[key_of(pause.thrown)] = values

    def taken(self, session: Session, reported: object, frames: tuple[StackFrame, ...]) -> tuple[FrameValues, ...]:
        """The variables where one of the reported values was thrown, if it was seen. They are handed out once."""
        target = self._targets.get(session)
        if target is None:
            return ()
        for value in reported if isinstance(reported, list) else []:
            if isinstance(value, dict) and (kept := target.kept.pop(key_of(value), None)):
                return tuple(evolve(one, index=_index_in(frames, one)) for one in kept)
        return ()


def key_of(thrown: Params) -> str:
    """Recognises what was thrown when it is reported: an error by its message and stack."""
    return f"{thrown.get('type')} {thrown.get('description', thrown.get('value'))}"[: limits.TEXT_CHARS]


def _references(frame: Params) -> Iterator[tuple[str, str]]:
    """The objects that hold the variables of a frame, innermost first, and `this`."""
    scopes = frame.get("scopeChain")
    read = 0
    for scope in scopes if isinstance(scopes, list) else []:
        reference = mapping(mapping(scope).get("object")).get("objectId")
        if isinstance(reference, str) and mapping(scope).get("type") in _SCOPES and read < _SCOPES_READ:
            read += 1
            yield "", reference
    this = mapping(frame.get("this"))
    if isinstance(this.get("objectId"), str) and this.get("className") not in ("Window", "global", "Object"):
        yield "this", this["objectId"]


def _values_of(frame: Params, found: list[tuple[Params, str, Params]]) -> FrameValues:
    """The variables of one frame as text. An inner variable hides an outer one of the same name."""
    parts: dict[str, Params] = {}
    for of, name, preview in found:
        if of is not frame:
            continue
        if name:
            parts.setdefault(name, {"name": name, "type": "object", "value": "", "valuePreview": preview})
            continue
        properties = preview.get("properties")
        for part in properties if isinstance(properties, list) else []:
            if not _MADE.search(str(mapping(part).get("name"))):
                parts.setdefault(str(mapping(part).get("name")), mapping(part))
    location = mapping(frame.get("location"))
    return FrameValues(
        function=safe_text(str(frame.get("functionName") or ""), 120),
        url=safe_url(frame["url"]),
        line=whole(location.get("lineNumber")) + 1,
        column=whole(location.get("columnNumber")) + 1,
        variables=safe_text(render_variables(parts.values()), debug_limits.CATCH_CHARS),
    )


def _index_in(frames: tuple[StackFrame, ...], wanted: FrameValues) -> int:
    """Which frame of a stack it is. The stack may name another column, or the line of a call."""
    for index, frame in enumerate(frames):
        if (frame.url, frame.line) == (wanted.url, wanted.line):
            return index
    names = (index for index, frame in enumerate(frames) if wanted.function and frame.function == wanted.function)
    return next(names, -1)
