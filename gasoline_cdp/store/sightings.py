"""Where secrets and personal data were seen: by location and kind, with a count and without values."""

from collections.abc import Iterable, Sequence

from gasoline_cdp import limits
from gasoline_cdp.analysis.normalise import origin_of
from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.redact import MaskedSecret
from gasoline_cdp.sightings import Sighting, SightingLocation


class Sightings:
    """Bounded. The sighting not seen for longest goes, and is counted."""

    def __init__(self) -> None:
        self.dropped = 0
        self._sightings: BoundedDict[tuple[str, ...], Sighting] = BoundedDict(limits.SIGHTINGS, self._evicted)

    def __len__(self) -> int:
        return len(self._sightings)

    def add_secrets(self, location: SightingLocation, masked: Sequence[MaskedSecret], ts: float) -> None:
        """Secrets that were masked at a location. Many values of one kind and name there are one sighting."""
        for one in masked:
            flags = f"{one.in_query:d}{one.test_mode:d}{one.low_risk:d}{one.checksum_failed:d}"
            sighting = self._add((*_where(location), one.kind, one.name, flags), location, one.kind, one, ts)
            if len(sighting.fingerprints) < limits.VALUES_TOLD_APART:
                sighting.fingerprints.add(one.fingerprint)

    def add_personal(self, location: SightingLocation, kinds: Iterable[tuple[str, bool]], ts: float) -> None:
        """Kinds of personal data at a location, and whether each looks made up."""
        for kind, mock in kinds:
            # The recipient matters: an endpoint may answer with and without credentials.
            asked = f"{location.authenticated:d} {(location.status or 0) // 100}"
            self._add((*_where(location), "personal", kind, asked), location, kind, None, ts, mock=mock)

    def _add(
        self,
        key: tuple[str, ...],
        location: SightingLocation,
        kind: str,
        masked: MaskedSecret | None,
        ts: float,
        *,
        mock: bool = False,
    ) -> Sighting:
        known = self._sightings.get(key)
        if known is not None:
            known.count += 1
            known.last_ts = ts
            known.mock &= mock
            known.location = location
            known.masked = masked
            self._sightings.move_to_end(key)
            return known
        added = self._sightings[key] = Sighting(location, kind, masked is None, masked, mock, 1, ts, ts)
        return added

    def _evicted(self, *_: object) -> None:
        self.dropped += 1

    def newest(self) -> list[Sighting]:
        """All sightings, the most recent first."""
        return list(reversed(self._sightings.values()))

    def clear(self) -> int:
        """Forget all; return how many there were."""
        removed = len(self._sightings)
        self._sightings.clear()
        return removed


def _where(location: SightingLocation) -> tuple[str, str, str]:
    return location.kind, origin_of(location.url), location.endpoint
