"""Whatever comes in, a ring stays within its limits and accounts for every record."""

import attrs
from hypothesis import given
from hypothesis import strategies as st

from gasoline_cdp.store.ring import Ring


@attrs.frozen
class Item:
    seq: int
    size: int


@given(
    sizes=st.lists(st.integers(1, 50), max_size=200),
    entries=st.integers(1, 20),
    weight=st.integers(1, 200),
)
def test_limits_hold_and_nothing_is_unaccounted_for(sizes: list[int], entries: int, weight: int) -> None:
    ring = Ring[Item](entries, weight)
    for seq, size in enumerate(sizes):
        ring.add(Item(seq, size))
        kept = list(ring.newest())
        assert len(kept) <= entries
        assert ring.bytes == sum(item.size for item in kept) <= weight
        assert ring.received == len(kept) + ring.dropped
        assert [item.seq for item in kept] == sorted((item.seq for item in kept), reverse=True)
