"""Attaches to every target that Chrome opens, before its first instruction runs, and resumes it."""

from collections.abc import Callable
from functools import partial
from typing import get_args

from attrs import frozen

from gasoline_cdp.cdp.connection import Connection, Params, Session
from gasoline_cdp.cdp.named_tabs import ALL_TABS, NamedTabs
from gasoline_cdp.records import TargetKind

_KINDS: tuple[TargetKind, ...] = get_args(TargetKind)

# The browser announces tabs and the workers that belong to no single tab; each tab announces its frames and workers.
# Service workers are requested twice: for those that a tab announces, Chrome holds the request for their script until
# we listen; for those that the browser announces, it does not. `tab`, `browser` and Chrome's own interface targets are
# left out: they would bring hundreds of chrome:// requests.
_OF_BROWSER: list[Params] = [
    {"type": "page"},
    {"type": "shared_worker"},
    {"type": "service_worker"},
    {"exclude": True},
]
_OF_TARGET: list[Params] = [{"type": "iframe"}, {"type": "worker"}, {"type": "service_worker"}, {"exclude": True}]
_CAN_HAVE_CHILDREN = ("page", "iframe", "worker")
_EMPTY_PAGE = "about:blank"
# Their sessions stay open when they stop, and serve them again when they restart.
_STOPPABLE = ("service_worker", "shared_worker")


@frozen(kw_only=True)
class Target:
    """Chrome's description of a page, frame or worker."""

    target_id: str
    kind: TargetKind
    url: str
    title: str
    opener_id: str
    browser_context_id: str

    @classmethod
    def from_info(cls, info: Params) -> "Target | None":
        """Read Chrome's TargetInfo; None for kinds that we ignore."""
        if info.get("type") not in _KINDS:
            return None
        return cls(
            target_id=str(info.get("targetId", "")),
            kind=info["type"],
            url=str(info.get("url", "")),
            title=str(info.get("title", "")),
            opener_id=str(info.get("openerId", "")),
            browser_context_id=str(info.get("browserContextId", "")),
        )


class Targets:
    """The open targets. `adopt` subscribes and posts its enables without awaiting. The resume is posted after it.

    `adopt` may hold a session (`Session.held`). Then it sees to it that the target is resumed.
    """

    def __init__(
        self,
        connection: Connection,
        *,
        adopt: Callable[[Session, Target, bool], None],
        changed: Callable[[Session, Target], None],
        gone: Callable[[Session, Target, str], None],
    ) -> None:
        self._connection = connection
        self._adopt = adopt
        self._changed = changed
        self._gone = gone
        self._by_session: dict[str, Target] = {}
        self._adopted: dict[str, Session] = {}
        # Where a person named the tabs: those that we asked for, and those that we opened.
        self._attaching: set[str] = set()
        self._ours: set[str] = set()

    async def start(self, named: NamedTabs = ALL_TABS) -> None:
        """Attach to all open and future targets, or to the named ones. Returns when the open ones were announced."""
        root = self._connection.root
        root.on("Target.targetInfoChanged", self._info_changed)
        root.on("Target.targetCrashed", self._crashed)
        self._listen(root)
        if named:
            # Auto-attach would take every tab.
            self._connection.opened = self._opened
            root.on("Target.targetCreated", partial(self._consider, named))
            root.on("Target.targetInfoChanged", partial(self._consider, named))
            await root.send("Target.setDiscoverTargets", {"discover": True, "filter": _OF_BROWSER})
            # A reply comes after the attachments that were requested before it.
            await root.send("Browser.getVersion")
            return
        await root.send("Target.setDiscoverTargets", {"discover": True})
        await root.send("Target.setAutoAttach", _auto_attach(_OF_BROWSER))

    def _consider(self, named: NamedTabs, params: Params) -> None:
        """With named tabs: attach to a target that is at a named address, and let go of one that left it."""
        target = Target.from_info(params.get("targetInfo") or {})
        if target is None:
            return
        session = self._adopted.get(target.target_id)
        ours = target.target_id in self._ours and target.url == _EMPTY_PAGE
        wanted = ours or named.include(target.url, worker=target.kind != "page")
        if wanted and session is None:
            self._attach_to(target.target_id)
        elif not wanted and session is not None:
            # At once: what the next page does is not ours to see.
            self._connection.root.post("Target.detachFromTarget", {"sessionId": session.session_id})
            for one in [one for one in self._connection.sessions.values() if session in one.ancestry()]:
                self._let_go(one.session_id, "left")

    def _opened(self, target_id: str) -> None:
        self._ours.add(target_id)
        self._attach_to(target_id)

    def _attach_to(self, target_id: str) -> None:
        if target_id not in self._attaching:
            self._attaching.add(target_id)
            self._connection.root.post("Target.attachToTarget", {"targetId": target_id, "flatten": True})

    def _listen(self, session: Session) -> None:
        session.on("Target.attachedToTarget", lambda params: self._attached(session, params))
        session.on("Target.detachedFromTarget", self._detached)

    def _attached(self, parent: Session, params: Params) -> None:
        target = Target.from_info(params.get("targetInfo") or {})
        session_id = str(params.get("sessionId", ""))
        session = self._connection.open_session(session_id, parent, target.target_id if target else "")
        session.stoppable = target is None or target.kind in _STOPPABLE or target.target_id in self._adopted
        if target is not None and target.target_id in self._connection.requested:
            self._connection.requested[target.target_id].append(session)
            return
        if target is None or target.target_id in self._adopted or self._is_guest(target, parent):
            # A service worker is announced once per page that uses it. Capture it once.
            session.post("Runtime.runIfWaitingForDebugger")
            parent.post("Target.detachFromTarget", {"sessionId": session.session_id})
            return
        self._by_session[session.session_id] = target
        self._adopted[target.target_id] = session
        self._attaching.discard(target.target_id)
        if target.kind == "iframe":
            parent.children[target.target_id] = session
        self._listen(session)
        if target.kind in _CAN_HAVE_CHILDREN:
            session.post("Target.setAutoAttach", _auto_attach(_OF_TARGET))
        self._adopt(session, target, bool(params.get("waitingForDebugger")))
        # Post it last, and without awaiting the enables: a service worker answers none of them before this.
        if not session.held:
            session.post("Runtime.runIfWaitingForDebugger")

    def _is_guest(self, target: Target, parent: Session) -> bool:
        """Whether to skip a service worker announced by a page.

        We keep the browser's announcement: it outlives pages.
        """
        return target.kind == "service_worker" and parent is not self._connection.root

    def _detached(self, params: Params) -> None:
        self._let_go(str(params.get("sessionId", "")), "closed")

    def _let_go(self, session_id: str, reason: str) -> None:
        session = self._connection.close_session(session_id, "the page was closed")
        target = self._by_session.pop(session_id, None)
        if session is not None and target is not None:
            self._adopted.pop(target.target_id, None)
            self._gone(session, target, reason)

    def _info_changed(self, params: Params) -> None:
        target = Target.from_info(params.get("targetInfo") or {})
        session = self._adopted.get(target.target_id) if target else None
        if target is None or session is None:
            return
        self._by_session[session.session_id] = target
        self._changed(session, target)

    def _crashed(self, params: Params) -> None:
        session = self._adopted.get(str(params.get("targetId", "")))
        if session is None:
            return
        # Chrome never answers commands to a crashed tab. The session itself works again after a reload.
        for one in self._connection.sessions.values():
            if one.target_id == session.target_id:
                self._connection.fail_pending("the tab crashed", one)
        self._gone(session, self._by_session[session.session_id], "crashed")


def _auto_attach(kinds: list[Params]) -> Params:
    return {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True, "filter": kinds}
