"""Determines where an event comes from: which page, which frame inside it, or which worker."""

from collections.abc import Callable
from typing import Any

from attrs import evolve

from gasoline_cdp.records import Source
from gasoline_cdp.redact import safe_url

Params = dict[str, Any]

# A page can create frames without end. Those beyond this number count as the page itself.
_FRAMES = 500


class SessionSources:
    """The frames and script contexts of one target. Fed by its events, queried for each record."""

    def __init__(self, own: Callable[[], Source], main_frame: str) -> None:
        # The target's own source changes with each navigation, so ask each time.
        self._own = own
        self._main_frame = main_frame
        # The address of a frame in a process of its own. It is not known yet when the frame is announced.
        self._own_url: str | None = None
        self._frames: dict[str, Source] = {}
        self._contexts: dict[int, str] = {}
        # When the user event began that the target is handling, and in which context; None while it handles none.
        self.during: float | None = None
        self._handling: object = None

    def own(self) -> Source:
        """The target itself, as of now."""
        own = self._own()
        return own if self._own_url is None else evolve(own, url=self._own_url)

    def of_frame(self, frame_id: object) -> Source:
        """The source of a frame's event. The target itself for its main frame and for unknown frames."""
        frame = self._frames.get(frame_id) if isinstance(frame_id, str) else None
        if frame is None:
            return self.own()
        own = self.own()
        return frame if frame.navigation == own.navigation else evolve(frame, navigation=own.navigation)

    def of_context(self, context_id: object) -> Source:
        """The source of what a script did."""
        if not self._frames:
            return self.own()
        return self.of_frame(self._contexts.get(context_id)) if isinstance(context_id, int) else self.own()

    def frame_navigated(self, frame: Params) -> None:
        """Page.frameNavigated: a frame shows another document."""
        frame_id = str(frame.get("id", ""))
        if frame_id == self._main_frame or not frame.get("parentId"):
            # The frames are gone with their document.
            self._frames.clear()
            if frame.get("parentId"):
                self._own_url = safe_url(frame.get("url", ""))
            return
        if len(self._frames) < _FRAMES or frame_id in self._frames:
            own = self.own()
            self._frames[frame_id] = evolve(own, kind="iframe", url=safe_url(frame.get("url", "")), frame_id=frame_id)

    def frame_detached(self, params: Params) -> None:
        """Page.frameDetached."""
        self._frames.pop(str(params.get("frameId", "")), None)

    def context_created(self, params: Params) -> None:
        """Runtime.executionContextCreated: scripts of this context belong to that frame."""
        context = params.get("context") or {}
        frame_id = (context.get("auxData") or {}).get("frameId")
        context_id = context.get("id")
        if isinstance(context_id, int) and isinstance(frame_id, str) and len(self._contexts) < 4 * _FRAMES:
            self._contexts[context_id] = frame_id

    def context_destroyed(self, params: Params) -> None:
        """Runtime.executionContextDestroyed."""
        context_id = params.get("executionContextId", -1)
        self._contexts.pop(context_id, None)
        if context_id == self._handling:
            # A frame that its own button removes does not report the end of the event.
            self.handled()

    def contexts_cleared(self, _: Params) -> None:
        """Runtime.executionContextsCleared."""
        self._contexts.clear()
        self.handled()

    def handling(self, since: float, context_id: object) -> None:
        """A document's observer begins to handle an event. What follows is caused by it."""
        self.during, self._handling = since, context_id

    def handled(self) -> None:
        """The event is handled. Chrome reports in order, so what follows is not a direct effect of it."""
        self.during = self._handling = None
