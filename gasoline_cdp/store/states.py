"""Saved states of pages: cookies and storage, in memory only, and never shown to anybody."""

from typing import Any

from attrs import field, frozen

from gasoline_cdp import pilot_limits
from gasoline_cdp.errors import Code, GasolineError


@frozen(kw_only=True)
class FrameStorage:
    """The storage of a frame of another origin (or of this one, embedded in another), under Chrome's storage key."""

    key: str
    origin: str
    # localStorage and sessionStorage as JSON, opaque to us.
    storage: str = field(repr=False)
    local_items: int
    session_items: int


@frozen(kw_only=True)
class SavedState:
    """A site's data in a tab at one time. Only name, address, counts and size are ever shown."""

    name: str
    ts: float
    # The browser's own address, to go back there. Use safe_url before showing it.
    url: str = field(repr=False)
    origin: str
    # The registrable domain that the cookies belong to, or the host if there is none.
    site: str
    cookies: tuple[dict[str, Any], ...] = field(repr=False)
    # localStorage and sessionStorage as JSON, opaque to us.
    storage: str = field(repr=False)
    local_items: int
    session_items: int
    frames: tuple[FrameStorage, ...] = ()

    @property
    def size(self) -> int:
        """Approximate size in bytes."""
        cookies = sum(len(str(cookie.get("name", ""))) + len(str(cookie.get("value", ""))) for cookie in self.cookies)
        return cookies + len(self.storage) + sum(len(frame.storage) for frame in self.frames)


class SavedStates:
    """States by name: a bounded number, of bounded size. Nothing is dropped unless somebody deletes it."""

    def __init__(self) -> None:
        self._states: dict[str, SavedState] = {}

    def __len__(self) -> int:
        return len(self._states)

    def newest(self) -> list[SavedState]:
        """All states, the newest first."""
        return sorted(self._states.values(), key=lambda state: -state.ts)

    def get(self, name: str) -> SavedState:
        """The state of this name, or `no_such_state`."""
        if name not in self._states:
            known = sorted(self._states)
            named = f"Saved: {', '.join(known)}." if known else "Nothing is saved so far."
            raise GasolineError(Code.NO_SUCH_STATE, f"No state is saved as {name!r}. {named}", saved=known)
        return self._states[name]

    def save(self, state: SavedState) -> None:
        """Save a state, replacing one of the same name."""
        others = [other for other in self._states.values() if other.name != state.name]
        if len(others) >= pilot_limits.STATES:
            raise GasolineError(
                Code.STATE_TOO_LARGE,
                f"{pilot_limits.STATES} states are saved already. Delete one, or save under a name that exists.",
                saved=sorted(self._states),
            )
        if sum(other.size for other in others) + state.size > pilot_limits.STATES_BYTES:
            raise GasolineError(
                Code.STATE_TOO_LARGE,
                f"The state has {state.size:,} bytes, and all together would have more than "
                f"{pilot_limits.STATES_BYTES:,}. Delete another one first.",
                size_bytes=state.size,
            )
        self._states[state.name] = state

    def delete(self, name: str) -> None:
        """Delete a state."""
        self.get(name)
        del self._states[name]
