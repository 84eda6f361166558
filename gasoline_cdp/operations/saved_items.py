"""What callers saved: sessions of verify_fix, named snapshots, baselines of `analyze`."""

from typing import Literal

from attrs import define, field, frozen

from gasoline_cdp import limits
from gasoline_cdp.analysis.compare.snapshots import SessionSnapshot
from gasoline_cdp.store.expiring_store import ExpiringStore


@frozen(kw_only=True)
class VerifySession:
    """A fix that is being verified: the state before it, and when watching began."""

    session_id: str
    label: str
    status: Literal["baseline_captured", "watching", "compared"]
    created_at: float
    baseline: SessionSnapshot
    url_filter: str = ""
    tab_id: int | None = None
    include: tuple[str, ...] = ()
    # The last record number at `start`: a later code change may be the fix.
    started_from: int = 0
    # The same at `watch`, with the time. Later records are "after".
    watched_from: int | None = None
    watched_at: float | None = None
    # The last record of the scenario that `replay` repeats: what came before the first `watch` or `replay`.
    scenario_until: int | None = None


@frozen(kw_only=True)
class PageBaseline:
    """A page's baseline, and the last record number that belongs to it."""

    snapshot: SessionSnapshot
    last_seq: int


@define(eq=False)
class SavedItems:
    """One per daemon. Its clients share it, by names and by ids that cannot be guessed."""

    sessions: ExpiringStore[VerifySession] = field(
        factory=lambda: ExpiringStore(limits.VERIFY_SESSIONS, limits.VERIFY_SECONDS)
    )
    snapshots: ExpiringStore[SessionSnapshot] = field(
        factory=lambda: ExpiringStore(limits.SNAPSHOTS, limits.SNAPSHOT_SECONDS)
    )
    # Page baselines by path and name.
    baselines: ExpiringStore[PageBaseline] = field(
        factory=lambda: ExpiringStore(limits.PERFORMANCE_PATHS, limits.SNAPSHOT_SECONDS)
    )
