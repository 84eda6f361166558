"""Says where an event comes from: which page, which frame inside it, or which worker."""

from collections.abc import Callable
from typing import Any

from attrs import evolve

from gasoline_cdp.records import Source
from gasoline_cdp.redact import safe_url

Params = dict[str, Any]

# A page can make frames without end; the ones beyond are told as the page itself.
_FRAMES = 500


class SessionSources:
    """The frames and script contexts of one target. Fed by its events, asked for each record."""

    def __init__(self, own: Callable[[], Source], main_frame: str) -> None:
        # The target's own source changes with each navigation; ask for it each time.
        self._own = own
        self._main_frame = main_frame
        # The address of a frame in a process of its own, which is not known yet when it is announced.
        self._own_url: str | None = None
        self._frames: dict[str, Source] = {}
        self._contexts: dict[int, str] = {}
        # When the person's event began that the target is handling, and in which context; None while it handles none.
        self.during: float | None = None
        self._handling: object = None

    def own(self) -> Source:
        """The target itself, as of now."""
        own = self._own()
        return own if self._own_url is None else evolve(own, url=self._own_url)

    def of_frame(self, frame_id: object) -> Source:
        """The source of a frame's event; the target itself for its main frame and for unknown ones."""
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
            # With the document go its frames.
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
        """Runtime.executionContextCreated: from now on scripts of this context are of that frame."""
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
            # A frame that is taken away by its own button does not live to say that it is done.
            self.handled()

    def contexts_cleared(self, _: Params) -> None:
        """Runtime.executionContextsCleared."""
        self._contexts.clear()
        self.handled()

    def handling(self, since: float, context_id: object) -> None:
        """The observer of a document says that it begins to handle an event. What comes from now on came of it."""
        self.during, self._handling = since, context_id

    def handled(self) -> None:
        """It has done so. Chrome tells in order, so what comes from now on did not come of it at once."""
        self.during = self._handling = None
