"""What callers asked to be remembered: sessions of verify_fix, named snapshots, baselines of `analyze`."""

from typing import Literal

from attrs import define, field, frozen

from gasoline_cdp import limits
from gasoline_cdp.analysis.compare.snapshots import SessionSnapshot
from gasoline_cdp.store.expiring_store import ExpiringStore


@frozen(kw_only=True)
class VerifySession:
    """A fix being tried: how it was before, and from when on it is watched."""

    session_id: str
    label: str
    status: Literal["baseline_captured", "watching", "compared"]
    created_at: float
    baseline: SessionSnapshot
    url_filter: str = ""
    tab_id: int | None = None
    include: tuple[str, ...] = ()
    # The order of arrival at `start`: a change of the code that comes later may be the fix.
    started_from: int = 0
    # The same and the time at `watch`: what comes later is "after".
    watched_from: int | None = None
    watched_at: float | None = None


@frozen(kw_only=True)
class PageBaseline:
    """A page's baseline, and from where on later records count as after it."""

    snapshot: SessionSnapshot
    last_seq: int


@define(eq=False)
class SavedItems:
    """One for a daemon: its clients share it, by names and by ids that cannot be guessed."""

    sessions: ExpiringStore[VerifySession] = field(
        factory=lambda: ExpiringStore(limits.VERIFY_SESSIONS, limits.VERIFY_SECONDS)
    )
    snapshots: ExpiringStore[SessionSnapshot] = field(
        factory=lambda: ExpiringStore(limits.SNAPSHOTS, limits.SNAPSHOT_SECONDS)
    )
    # Of pages, by path and name.
    baselines: ExpiringStore[PageBaseline] = field(
        factory=lambda: ExpiringStore(limits.PERFORMANCE_PATHS, limits.SNAPSHOT_SECONDS)
    )
