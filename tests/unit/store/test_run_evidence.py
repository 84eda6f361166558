"""What gates need survives rings, floods and clearing."""

import attrs
import pytest

from gasoline_cdp import limits
from gasoline_cdp.records import StackFrame
from gasoline_cdp.store.run_evidence import RUN_FAILURES
from gasoline_cdp.store.telemetry import Telemetry
from tests.fakes import PAGE, log_record, network_record, performance_record

pytestmark = pytest.mark.requirement("F11-GATES")


def errors(telemetry: Telemetry) -> list[tuple[str, int]]:
    return [(getattr(seen.record, "text", ""), seen.count) for seen in telemetry.run.failures()]


def asked() -> Telemetry:
    """Somebody marks or judges tests."""
    telemetry = Telemetry()
    telemetry.keep_failures()
    return telemetry


def test_failures_are_kept_beyond_the_rings_once_somebody_asks_and_those_of_before_are_known() -> None:
    telemetry = Telemetry()
    telemetry.add(log_record(1, "before", level="error"))
    telemetry.add(network_record(2, "http://app.test/x", status=500, outcome="http_error"))
    telemetry.annotate(1, {"text": "before, and more"})
    assert errors(telemetry) == []
    telemetry.keep_failures()
    telemetry.add(log_record(3, "after", level="error"))
    telemetry.keep_failures()
    assert errors(telemetry) == [("before, and more", 1), ("", 1), ("after", 1)]


def test_a_flood_hides_nothing_that_is_different() -> None:
    telemetry = asked()
    telemetry.add(log_record(1, "the one", level="error"))
    for number in range(limits.LOG_ENTRIES + RUN_FAILURES + 10):
        source = attrs.evolve(PAGE, target_id=f"T{number}")
        telemetry.add(log_record(number + 2, "flood", level="error", source=source))
    assert ("the one", 1) in errors(telemetry)
    assert sum(count for text, count in errors(telemetry) if text == "flood") == limits.LOG_ENTRIES + RUN_FAILURES + 10
    assert len(errors(telemetry)) <= RUN_FAILURES + 2
    assert telemetry.run.lost == 0


def test_equal_failures_of_one_page_are_counted_and_those_of_another_test_kept_apart() -> None:
    telemetry = asked()
    telemetry.add(log_record(1, "again", level="error"))
    telemetry.add(log_record(2, "again", level="error"))
    telemetry.run.test_changes += 1
    telemetry.add(log_record(3, "again", level="error"))
    assert errors(telemetry) == [("again", 2), ("again", 1)]


def test_what_is_learned_later_is_known() -> None:
    telemetry = asked()
    telemetry.add(log_record(1, "boom", level="error"))
    frame = StackFrame("pay", "src/pay.ts", 3, 1)
    telemetry.annotate(1, {"frames": (frame,)})
    assert telemetry.run.failures()[0].record == attrs.evolve(log_record(1, "boom", level="error"), frames=(frame,))


def test_clearing_ends_it_unless_a_run_needs_it() -> None:
    telemetry = asked()
    telemetry.run.lasting = True
    telemetry.add(log_record(1, "boom", level="error"))
    telemetry.add(performance_record(2, "/cart"))
    telemetry.add(network_record(3, "http://app.test/cart#top", type="Document", outcome="ok"))
    telemetry.clear()
    assert (len(telemetry.run.failures()), len(telemetry.run.loads()), len(telemetry.run.pages())) == (1, 1, 1)
    telemetry.run.lasting = False
    telemetry.clear()
    assert (telemetry.run.failures(), telemetry.run.loads(), telemetry.run.pages()) == ([], [], [])
