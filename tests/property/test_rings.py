"""Whatever comes in, a ring stays within its limits and accounts for every record."""

import attrs
from hypothesis import given
from hypothesis import strategies as st

from gasoline_cdp.store.ring import Ring


@attrs.frozen
class Item:
    seq: int
    size: int
    lane: int
    group: int = 0


@given(
    added=st.lists(st.tuples(st.integers(1, 50), st.integers(0, 4)), max_size=200),
    entries=st.integers(1, 20),
    weight=st.integers(1, 200),
)
def test_limits_hold_and_nothing_is_unaccounted_for(added: list[tuple[int, int]], entries: int, weight: int) -> None:
    ring = Ring[Item](entries, weight)
    for seq, (size, lane) in enumerate(added):
        ring.add(Item(seq, size, lane))
        kept = list(ring.newest())
        assert len(kept) <= entries
        assert ring.bytes == sum(item.size for item in kept) <= weight
        assert ring.received == len(kept) + ring.dropped
        assert [item.seq for item in kept] == sorted((item.seq for item in kept), reverse=True)


@given(noise=st.integers(50, 500), quiet=st.integers(1, 5))
def test_no_flood_pushes_out_a_source_within_its_share(noise: int, quiet: int) -> None:
    ring = Ring[Item](20, 10_000)
    for seq in range(quiet):
        ring.add(Item(seq, 1, 1))
    for seq in range(quiet, quiet + noise):
        ring.add(Item(seq, 1, 2))
    assert sum(1 for item in ring.newest() if item.lane == 1) == quiet
