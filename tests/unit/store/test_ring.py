"""Rings hold the newest within two limits, and count what they let go."""

import attrs

from gasoline_cdp.store.ring import Ring


@attrs.frozen
class Item:
    seq: int
    size: int = 1


def test_the_oldest_go_when_the_entries_are_full() -> None:
    ring = Ring[Item](3, 1000)
    for number in range(5):
        ring.add(Item(number))
    assert [item.seq for item in ring.newest()] == [4, 3, 2]
    assert (ring.received, ring.dropped, len(ring)) == (5, 2, 3)


def test_the_oldest_go_when_the_bytes_are_full() -> None:
    ring = Ring[Item](100, 10)
    for number in range(4):
        ring.add(Item(number, 4))
    assert [item.seq for item in ring.newest()] == [3, 2]
    assert (ring.bytes, ring.dropped) == (8, 2)


def test_a_record_heavier_than_the_ring_costs_no_other_its_place() -> None:
    ring = Ring[Item](100, 10)
    ring.add(Item(1, 5))
    ring.add(Item(2, 11))
    assert [item.seq for item in ring.newest()] == [1]
    assert ring.dropped == 1


def test_listing_goes_on_before_a_place() -> None:
    ring = Ring[Item](10, 1000)
    for number in range(5):
        ring.add(Item(number))
    assert [item.seq for item in ring.newest(before=3)] == [2, 1, 0]


def test_clearing_is_no_loss() -> None:
    ring = Ring[Item](10, 1000)
    ring.add(Item(1))
    assert ring.clear() == 1
    assert (len(ring), ring.bytes, ring.dropped, ring.received) == (0, 0, 0, 1)
