"""The state of the daemon: whatever it leaves out is counted and can be had."""

from attrs import evolve

from gasoline_cdp.answers.paging import ListingArgs
from gasoline_cdp.views.status import Status, current_status
from tests.fakes import PAGE, log_record, make_context

TABS = 12


def sources(status: Status) -> list[str]:
    return [one.source for one in status.buffers["logs"].by_source]


def test_the_sources_of_a_buffer_are_all_reachable() -> None:
    context = make_context()
    for number in range(TABS):
        for seq in range(TABS - number):
            source = evolve(PAGE, tab_id=number + 1, target_id=f"T{number}", url=f"http://a.test/{number}")
            context.telemetry.add(log_record(100 * number + seq + 1, source=source))
    first = current_status(ListingArgs(), context)
    assert sources(first) == [f"tab {number} page http://a.test/{number - 1}" for number in range(1, 6)]
    assert first.buffers["logs"].sources_left_out == TABS - 5
    second = current_status(ListingArgs(cursor=first.cursor), context)
    rest = current_status(ListingArgs(cursor=second.cursor), context)
    assert len({*sources(first), *sources(second), *sources(rest)}) == TABS
    assert (rest.buffers["logs"].sources_left_out, rest.cursor) == (0, None)
    assert len(sources(current_status(ListingArgs(limit=TABS), context))) == TABS
