"""Saved states of pages: cookies and storage, in memory only, and never shown to anybody."""

from typing import Any

from attrs import field, frozen

from gasoline_cdp import limits
from gasoline_cdp.errors import Code, GasolineError


@frozen(kw_only=True)
class FrameStorage:
    """What a frame of another origin (or of this one, embedded in another) kept, under Chrome's key for it."""

    key: str
    origin: str
    # Both storages as JSON, opaque to us.
    storage: str = field(repr=False)
    local_items: int
    session_items: int


@frozen(kw_only=True)
class SavedState:
    """What a site kept in a tab at one moment. Only name, address, counts and size are ever told."""

    name: str
    ts: float
    # As the browser had it, to go back there; safe_url before it is shown.
    url: str = field(repr=False)
    origin: str
    # The registrable domain, or the host where there is none: whose cookies these are.
    site: str
    cookies: tuple[dict[str, Any], ...] = field(repr=False)
    # Both storages as JSON, opaque to us.
    storage: str = field(repr=False)
    local_items: int
    session_items: int
    frames: tuple[FrameStorage, ...] = ()

    @property
    def size(self) -> int:
        """Bytes, as good as."""
        cookies = sum(len(str(cookie.get("name", ""))) + len(str(cookie.get("value", ""))) for cookie in self.cookies)
        return cookies + len(self.storage) + sum(len(frame.storage) for frame in self.frames)


class SavedStates:
    """By name; a bounded number, of a bounded size. Nothing goes unless somebody deletes it."""

    def __init__(self) -> None:
        self._states: dict[str, SavedState] = {}

    def __len__(self) -> int:
        return len(self._states)

    def newest(self) -> list[SavedState]:
        """All of them, the newest first."""
        return sorted(self._states.values(), key=lambda state: -state.ts)

    def get(self, name: str) -> SavedState:
        """The state of this name, or `no_such_state`."""
        if name not in self._states:
            known = sorted(self._states)
            named = f"Saved: {', '.join(known)}." if known else "Nothing is saved so far."
            raise GasolineError(Code.NO_SUCH_STATE, f"No state is saved as {name!r}. {named}", saved=known)
        return self._states[name]

    def save(self, state: SavedState) -> None:
        """Keep a state, in place of one of the same name."""
        others = [other for other in self._states.values() if other.name != state.name]
        if len(others) >= limits.STATES:
            raise GasolineError(
                Code.STATE_TOO_LARGE,
                f"{limits.STATES} states are saved already. Delete one, or save under a name that exists.",
                saved=sorted(self._states),
            )
        if sum(other.size for other in others) + state.size > limits.STATES_BYTES:
            raise GasolineError(
                Code.STATE_TOO_LARGE,
                f"The state has {state.size:,} bytes, and all together would have more than {limits.STATES_BYTES:,}. "
                "Delete another one first.",
                size_bytes=state.size,
            )
        self._states[state.name] = state

    def delete(self, name: str) -> None:
        """Forget a state."""
        self.get(name)
        del self._states[name]
