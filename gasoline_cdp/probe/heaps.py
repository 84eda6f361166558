"""The heap snapshots of a daemon: by name, and the newest of each page, frame or worker."""

import time
from collections import Counter, OrderedDict
from collections.abc import Callable

from attrs import frozen

from gasoline_cdp import memory_limits
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Session
from gasoline_cdp.cdp.second_session import close_second_session, open_second_session, sessions_below
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.heap_worker.process import HeapWorker
from gasoline_cdp.probe.heap_capture import Progress, capture_heap
from gasoline_cdp.probe.memory import MemorySample
from gasoline_cdp.redact import safe_url


@frozen(kw_only=True)
class HeapSnapshot:
    """A snapshot that the worker keeps under `key`."""

    key: str
    # As a caller named it; empty for the newest of a target.
    name: str
    tab_id: int
    target_id: str
    # Ids of different documents have nothing to do with each other.
    navigation: int
    # Which life of the worker it belongs to.
    life: int
    taken_at: float
    text_bytes: int
    objects: int
    engine: str
    counters: MemorySample | None


class Heaps:
    """Owns the worker and the sessions on which snapshots are taken."""

    def __init__(self) -> None:
        self.worker = HeapWorker()
        self._kept: OrderedDict[str, HeapSnapshot] = OrderedDict()
        # Chrome forgets the ids of objects when the session that took a snapshot closes.
        self._sessions: dict[str, Session] = {}
        # The targets of which a snapshot is being taken: several tests may do that at the same time.
        self._taking = Counter[str]()

    def names(self) -> list[str]:
        """The names of the snapshots, oldest first."""
        self._forget_lost()
        return [snapshot.name for snapshot in self._kept.values() if snapshot.name]

    def named(self, name: str) -> HeapSnapshot:
        """The snapshot of a name. Raises `no_such_snapshot`."""
        self._forget_lost()
        snapshot = self._kept.get(f"name:{name}")
        if snapshot is None:
            known = ", ".join(self.names()) or "none"
            raise GasolineError(
                Code.NO_SUCH_SNAPSHOT,
                f"There is no heap snapshot {name!r} (kept: {known}). Take one first: analyze(action='memory', "
                f"scope='snapshot', name={name!r}).",
            )
        return snapshot

    def newest(self, tab: Tab, max_age: float, session: Session | None = None) -> HeapSnapshot | None:
        """The newest snapshot of a target, or of any target of the tab, if its page is still there."""
        self._forget_lost()
        matching = [
            snapshot
            for snapshot in self._kept.values()
            if snapshot.tab_id == tab.tab_id
            and snapshot.navigation == tab.source.navigation
            and (session is None or snapshot.target_id == session.target_id)
        ]
        newest = max(matching, key=lambda snapshot: snapshot.taken_at, default=None)
        return newest if newest is not None and time.time() - newest.taken_at <= max_age else None

    async def take(
        self,
        tab: Tab,
        session: Session,
        name: str,
        progress: Progress,
        save: Callable[[bytes], None] | None = None,
    ) -> tuple[HeapSnapshot, list[str]]:
        """Take a snapshot of a page, frame or worker. Returns it, and the names of those that had to go."""
        key = f"name:{name}" if name else f"newest:{session.target_id}"
        self._taking[session.target_id] += 1
        try:
            own = await self._session(session)
            outcome, counters = await capture_heap(self.worker, key, tab, own, progress, save)
        finally:
            self._taking[session.target_id] -= 1
        return self._keep(
            HeapSnapshot(
                key=key,
                name=name,
                tab_id=tab.tab_id,
                target_id=session.target_id,
                navigation=tab.source.navigation,
                life=self.worker.lives,
                taken_at=time.time(),
                text_bytes=int(outcome["text_bytes"]),
                objects=int(outcome["nodes"]),
                engine=str(outcome["engine"]),
                counters=counters,
            ),
            outcome["dropped"],
        )

    def keep_loaded(self, name: str, size: int, outcome: dict[str, object]) -> list[str]:
        """A snapshot came from a file. Returns the names of those that had to go."""
        snapshot = HeapSnapshot(
            key=f"name:{name}",
            name=name,
            tab_id=0,
            target_id="",
            navigation=0,
            life=self.worker.lives,
            taken_at=time.time(),
            text_bytes=size,
            objects=int(str(outcome["nodes"])),
            engine=str(outcome["engine"]),
            counters=None,
        )
        dropped = outcome["dropped"]
        return self._keep(snapshot, list(dropped) if isinstance(dropped, list) else [])[1]

    def _keep(self, snapshot: HeapSnapshot, dropped: list[str]) -> tuple[HeapSnapshot, list[str]]:
        gone = [one for key in dropped if (one := self._kept.pop(key, None)) is not None]
        self._kept.pop(snapshot.key, None)
        self._kept[snapshot.key] = snapshot
        self._close_unused()
        return snapshot, [one.name for one in gone if one.name]

    def _forget_lost(self) -> None:
        """Snapshots of a worker that ended are gone with it."""
        for key, snapshot in list(self._kept.items()):
            if self.worker.pid is None or snapshot.life != self.worker.lives:
                del self._kept[key]
        self._close_unused()

    def _close_unused(self) -> None:
        used = {snapshot.target_id for snapshot in self._kept.values()} | set(+self._taking)
        for target_id in [target_id for target_id in self._sessions if target_id not in used]:
            close_second_session(self._sessions.pop(target_id))

    async def _session(self, session: Session) -> Session:
        own = self._sessions.get(session.target_id)
        if own is not None and not own.closed_reason and not own.browser_gone:
            return own
        try:
            own = await open_second_session(session)
            await own.send("HeapProfiler.enable")
        except (CdpClosed, CdpError) as error:
            raise GasolineError(
                Code.PAGE_NAVIGATED, "The page, frame or worker ended before its heap snapshot began. Ask again."
            ) from error
        self._sessions[session.target_id] = own
        return own


async def find_target(tab: Tab, part: str | None) -> tuple[Session, str]:
    """The session of the page, or of its frame or worker whose URL contains `part`; and the URL."""
    if not part:
        return tab.session, tab.source.url
    connection = tab.session.connection
    infos = (await connection.root.send("Target.getTargets")).get("targetInfos") or []
    urls = {str(info.get("targetId")): str(info.get("url", "")) for info in infos}
    candidates = [session for session in sessions_below(tab.session) if part in urls.get(session.target_id, "")]
    if not candidates:
        known = ", ".join(safe_url(urls.get(session.target_id, "")) for session in sessions_below(tab.session))
        raise GasolineError(
            Code.NO_SUCH_OBJECT,
            f"Tab {tab.tab_id} has no frame in a process of its own and no worker whose URL contains {part[:60]!r}. "
            f"It has: {known or 'none'}.",
        )
    return candidates[0], safe_url(urls[candidates[0].target_id])


# The newest snapshot answers further questions about it for as long as it is kept.
ANY_AGE = memory_limits.HEAP_IDLE_SECONDS * 10
