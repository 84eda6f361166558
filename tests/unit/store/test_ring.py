"""Rings hold the newest within two limits, and count what they let go."""

from sys import getsizeof

import attrs
import pytest

from gasoline_cdp.store.ring import Ring
from gasoline_cdp.store.telemetry import Telemetry
from tests.fakes import body_record, log_record, network_record


@attrs.frozen
class Item:
    seq: int
    size: int = 1
    lane: str = ""
    group: str = ""


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


def test_a_noisy_source_pushes_out_its_own_past() -> None:
    ring = Ring[Item](10, 1000)
    ring.add(Item(0, lane="quiet"))
    for number in range(1, 1000):
        ring.add(Item(number, lane="noisy"))
    ring.add(Item(1000, lane="quiet too"))
    kept = [(item.lane, item.seq) for item in ring.newest()]
    assert ("quiet", 0) in kept
    assert ("quiet too", 1000) in kept
    assert len(kept) == 10
    assert ring.dropped == 991
    assert ring.by_lane()["", "noisy"][1:] == (999, 8)


def test_two_noisy_sources_share_and_the_third_keeps_its_one() -> None:
    ring = Ring[Item](100, 10_000)
    ring.add(Item(0, lane="c"))
    for number in range(1, 5000):
        ring.add(Item(number, lane="ab"[number % 2]))
    lanes = ring.by_lane()
    assert lanes["", "c"][1:] == (1, 1)
    assert {lanes["", "a"][2], lanes["", "b"][2]} <= {49, 50}


def test_a_heavy_source_gives_way_by_bytes() -> None:
    ring = Ring[Item](1000, 100)
    for number in range(10):
        ring.add(Item(number, 5, lane="light"))
    for number in range(10, 20):
        ring.add(Item(number, 30, lane="heavy"))
    assert [item.seq for item in ring.newest() if item.lane == "light"] == list(range(9, -1, -1))
    assert ring.bytes <= 100


@pytest.mark.requirement("F3-MEMORY")
@pytest.mark.parametrize("character", ["x", "é", "…", "🚀"])
def test_a_ring_s_bytes_are_those_of_memory_whatever_a_page_writes(character: str) -> None:
    telemetry = Telemetry()
    wide = "x" * 3999 + character
    for number in range(1200):
        own = f"{number} {wide}"
        telemetry.add(log_record(number, own))
        telemetry.add(network_record(number, own, response_headers={f"x-{place}": own[:900] for place in range(9)}))
        telemetry.add(body_record(number, request_body=own * 2, response_body=own * 4))
    texts = [getsizeof(record.text) for record in telemetry.logs.newest()]
    headers = [getsizeof(record.url) + 9 * getsizeof(own[:900]) for record in telemetry.network.newest()]
    bodies = [getsizeof(r.request_body) + getsizeof(r.response_body) for r in telemetry.bodies.newest()]
    for ring, held in ((telemetry.logs, texts), (telemetry.network, headers), (telemetry.bodies, bodies)):
        assert len(held) > 50
        assert sum(held) < ring.bytes <= ring.max_bytes


def test_a_loud_test_pushes_out_its_own_records_and_not_those_of_its_neighbour() -> None:
    ring = Ring[Item](100, 10_000)
    for number in range(10):
        ring.add(Item(number, lane=f"page {number}", group="quiet"))
    # Many sources do not make its share larger.
    for number in range(10, 5000):
        ring.add(Item(number, lane=f"frame {number % 50}", group="loud"))
    assert [item.seq for item in ring.newest() if item.group == "quiet"] == list(range(9, -1, -1))
    assert len(ring) == 100


def test_closed_contexts_make_room_together_the_one_closed_first_before_the_others() -> None:
    ring = Ring[Item](100, 10_000)
    for test in range(30):
        for number in range(10):
            ring.add(Item(test * 10 + number, group=f"test {test}"))
        ring.context_over(f"test {test}")
    assert {item.group for item in ring.newest()} == {f"test {test}" for test in range(20, 30)}
    # A test that runs has half of the ring, whatever those before it have left.
    for number in range(300, 350):
        ring.add(Item(number, group="now"))
    assert sum(item.group == "now" for item in ring.newest()) == 50
    assert {item.group for item in ring.newest()} == {"now", *(f"test {test}" for test in range(25, 30))}
    # One that has a page again counts for itself.
    ring.context_open("test 25")
    for number in range(350, 400):
        ring.add(Item(number, group="now"))
    kept = [item.group for item in ring.newest()]
    assert (kept.count("test 25"), len(kept)) == (10, 100)


def test_removing_some_is_not_dropping_and_leaves_the_rest_as_it_was() -> None:
    gone: list[Item] = []
    ring = Ring[Item](100, 1000, gone.append)
    for number in range(20):
        ring.add(Item(number, 2, lane="ab"[number % 2], group="xy"[number % 4 == 0]))
    ring.context_over("y")
    assert ring.remove(lambda item: item.group == "y") == len(gone) == 5
    assert (len(ring), ring.bytes, ring.dropped) == (15, 30, 0)
    assert ring.remove(lambda _: True) == 15
    assert (len(ring), ring.bytes, ring.by_lane()) == (0, 0, {})
