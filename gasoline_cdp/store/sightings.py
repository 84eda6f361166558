"""Where secrets and personal data were seen, by place and kind with a count, and none of their values."""

from collections import OrderedDict
from collections.abc import Iterable, Sequence

from gasoline_cdp import limits
from gasoline_cdp.analysis.normalise import origin_of
from gasoline_cdp.redact import Noticed
from gasoline_cdp.sightings import Place, Sighting


class Sightings:
    """Bounded; the one not seen for longest goes, and is counted."""

    def __init__(self) -> None:
        self.dropped = 0
        self._sightings: OrderedDict[tuple[str, ...], Sighting] = OrderedDict()

    def __len__(self) -> int:
        return len(self._sightings)

    def add_secrets(self, place: Place, noticed: Sequence[Noticed], ts: float) -> None:
        """Secrets that were masked at a place. Many values of one kind and name there are one sighting."""
        for one in noticed:
            flags = f"{one.in_query:d}{one.test_mode:d}{one.mild:d}{one.doubtful:d}"
            sighting = self._add((*_where(place), one.kind, one.name, flags), place, one.kind, one, ts)
            if len(sighting.fingerprints) < limits.VALUES_TOLD_APART:
                sighting.fingerprints.add(one.fingerprint)

    def add_personal(self, place: Place, kinds: Iterable[tuple[str, bool]], ts: float) -> None:
        """Kinds of personal data at a place, and whether each looks made up."""
        for kind, mock in kinds:
            # Who got it matters: an endpoint may answer with and without credentials.
            asked = f"{place.authenticated:d} {(place.status or 0) // 100}"
            self._add((*_where(place), "personal", kind, asked), place, kind, None, ts, mock=mock)

    def _add(
        self, key: tuple[str, ...], place: Place, kind: str, noticed: Noticed | None, ts: float, *, mock: bool = False
    ) -> Sighting:
        known = self._sightings.get(key)
        if known is not None:
            known.count += 1
            known.last_ts = ts
            known.mock &= mock
            known.place = place
            known.noticed = noticed
            self._sightings.move_to_end(key)
            return known
        added = self._sightings[key] = Sighting(place, kind, noticed is None, noticed, mock, 1, ts, ts)
        while len(self._sightings) > limits.SIGHTINGS:
            self._sightings.popitem(last=False)
            self.dropped += 1
        return added

    def newest(self) -> list[Sighting]:
        """All, the one seen last first."""
        return list(reversed(self._sightings.values()))

    def clear(self) -> int:
        """Forget all; return how many."""
        removed = len(self._sightings)
        self._sightings.clear()
        return removed


def _where(place: Place) -> tuple[str, str, str]:
    return place.kind, origin_of(place.url), place.endpoint
