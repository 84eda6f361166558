"""Where secrets and personal data were seen, each told once with a count, and none of their values."""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Literal

from attrs import define, frozen

from gasoline_cdp import limits
from gasoline_cdp.redact import Noticed

PlaceKind = Literal["url", "request_body", "response_body", "console", "websocket"]


@frozen(kw_only=True)
class Place:
    """Where something was seen: `endpoint` is what sightings are grouped by."""

    kind: PlaceKind
    # GET /users/:id, the address of a socket, or file and line of a console call.
    endpoint: str
    url: str
    page_url: str
    tab_id: int
    method: str = ""
    status: int | None = None
    level: str = ""
    authenticated: bool = False


@define
class Sighting:
    """A secret at a place, or a kind of personal data (then without evidence)."""

    place: Place
    kind: str
    personal: bool
    noticed: Noticed | None
    # Personal data that looks made up for a test.
    mock: bool
    count: int
    first_ts: float
    last_ts: float


class Sightings:
    """Bounded; the one not seen for longest goes, and is counted."""

    def __init__(self) -> None:
        self.dropped = 0
        self._sightings: OrderedDict[tuple[str, ...], Sighting] = OrderedDict()

    def __len__(self) -> int:
        return len(self._sightings)

    def add_secrets(self, place: Place, noticed: Sequence[Noticed], ts: float) -> None:
        """Secrets that were masked at a place."""
        for one in noticed:
            self._add((place.kind, place.endpoint, one.kind, one.fingerprint, one.name), place, one.kind, one, ts)

    def add_personal(self, place: Place, kinds: Iterable[tuple[str, bool]], ts: float) -> None:
        """Kinds of personal data at a place, and whether each looks made up."""
        for kind, mock in kinds:
            self._add((place.kind, place.endpoint, "personal", kind), place, kind, None, ts, mock=mock)

    def _add(
        self, key: tuple[str, ...], place: Place, kind: str, noticed: Noticed | None, ts: float, *, mock: bool = False
    ) -> None:
        known = self._sightings.get(key)
        if known is not None:
            known.count += 1
            known.last_ts = ts
            known.mock &= mock
            known.place = place
            self._sightings.move_to_end(key)
            return
        self._sightings[key] = Sighting(place, kind, noticed is None, noticed, mock, 1, ts, ts)
        while len(self._sightings) > limits.SIGHTINGS:
            self._sightings.popitem(last=False)
            self.dropped += 1

    def newest(self) -> list[Sighting]:
        """All, the one seen last first."""
        return list(reversed(self._sightings.values()))

    def clear(self) -> int:
        """Forget all; return how many."""
        removed = len(self._sightings)
        self._sightings.clear()
        return removed
