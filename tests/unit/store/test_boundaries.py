"""When tests ran."""

from typing import Any

import attrs
import pytest

from gasoline_cdp import limits
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.records import Source
from gasoline_cdp.store.boundaries import _CONTEXTS_OF_A_RUN, Boundaries, RecordFilter


def _in(boundaries: Boundaries, test_id: str, ts: float) -> bool:
    return any(ts in run for run in boundaries.runs_of(test_id))


@pytest.mark.requirement("F3-SNAPSHOT")
def test_tests_may_be_nested_and_run_side_by_side() -> None:
    boundaries = Boundaries()
    boundaries.mark("suite", "start", 1)
    boundaries.mark("a", "start", 2)
    boundaries.mark("b", "start", 3)
    boundaries.mark("a", "end", 4)
    boundaries.mark("b", "end", 5)
    assert [name for name in ("suite", "a", "b") if _in(boundaries, name, 3.5)] == ["suite", "a", "b"]
    assert [name for name in ("suite", "a", "b") if _in(boundaries, name, 4.5)] == ["suite", "b"]
    assert [name for name in ("suite", "a", "b") if _in(boundaries, name, 9)] == ["suite"]
    assert not _in(boundaries, "suite", 0.5)


def test_a_retry_is_another_run_of_the_same_test() -> None:
    boundaries = Boundaries()
    for start in (10, 20):
        boundaries.mark("flaky", "start", start)
        boundaries.mark("flaky", "end", start + 5)
    assert [_in(boundaries, "flaky", ts) for ts in (12, 17, 22)] == [True, False, True]
    # Killed in between: the next start ends what nobody ended.
    boundaries.mark("flaky", "start", 30)
    boundaries.mark("flaky", "start", 40)
    assert [run.end for run in boundaries.runs_of("flaky")[-2:]] == [40, float("inf")]


@pytest.mark.parametrize("started", [False, True])
def test_an_end_without_a_start_is_told(started: bool) -> None:
    boundaries = Boundaries()
    if started:
        boundaries.mark("a", "start", 1)
        boundaries.mark("a", "end", 2)
    with pytest.raises(GasolineError) as raised:
        boundaries.mark("a", "end", 3)
    assert raised.value.code == Code.NO_SUCH_TEST


def test_an_end_before_its_start_is_refused_and_the_test_goes_on() -> None:
    boundaries = Boundaries()
    boundaries.mark("a", "start", 10)
    with pytest.raises(GasolineError) as raised:
        boundaries.mark("a", "end", 9)
    assert raised.value.code == Code.INVALID_PARAMS
    assert _in(boundaries, "a", 11)


def test_the_number_of_tests_and_of_their_runs_is_bounded() -> None:
    boundaries = Boundaries()
    for number in range(limits.TESTS_MARKED + 50):
        boundaries.mark(f"t{number}", "start", number)
    assert len(boundaries) == limits.TESTS_MARKED
    with pytest.raises(GasolineError):
        boundaries.runs_of("t0")
    for number in range(100):
        boundaries.mark("again", "start", number)
    assert len(boundaries.runs_of("again")) == limits.RUNS_OF_A_TEST


@attrs.frozen
class Happening:
    """Anything that happens in a browser context."""

    ts: float
    context: str
    browser: str = "b2"

    @property
    def source(self) -> Source:
        return Source(1, "page", "", 1, browser_id=self.browser, context_id=self.context)


def _chosen(boundaries: Boundaries, happened: list[Happening], **wanted: Any) -> list[Happening]:
    return list(filter(boundaries.selects(RecordFilter(**wanted)), happened))


@pytest.mark.requirement("F11-ISOLATION")
def test_what_a_context_did_belongs_to_its_test_whenever_it_did_it() -> None:
    boundaries = Boundaries()
    boundaries.mark("a", "start", 10, retry=0, worker="1", context=("b2", "A"))
    boundaries.mark("b", "start", 10, retry=0, worker="2", context=("b2", "B"))
    # Another context of a test that goes on.
    boundaries.mark("a", "start", 15, retry=0, context=("b2", "A2"))
    boundaries.mark("a", "end", 20)
    of_a = [Happening(9, "A"), Happening(15, "A"), Happening(14, "A2"), Happening(25, "A")]
    of_b = [Happening(15, "B"), Happening(30, "B")]
    # The same id in another browser is another context.
    others = [Happening(15, "A", "b3"), Happening(15, "C"), Happening(15, "")]
    everything = [*of_a, *of_b, *others]
    assert _chosen(boundaries, everything, test_id="a") == of_a
    assert _chosen(boundaries, everything, test_id="b", retry=0, worker="2") == of_b
    assert _chosen(boundaries, everything, worker="2") == of_b
    assert _chosen(boundaries, everything, browser="b3") == others[:1]
    assert _chosen(boundaries, everything, browser_context_id="A", browser="b2") == [*of_a[:2], of_a[3]]
    with pytest.raises(GasolineError, match="retry '1'"):
        boundaries.selects(RecordFilter(test_id="a", retry=1))


def test_a_context_that_tests_share_is_theirs_one_after_the_other() -> None:
    boundaries = Boundaries()
    for number, start in enumerate((10, 20)):
        boundaries.mark("a", "start", start, retry=number, context=("", "A"))
        boundaries.mark("a", "end", start + 5, retry=number)
    boundaries.mark("b", "start", 30, context=("", "A"))
    happened = [Happening(ts, "A") for ts in (5, 12, 17, 22, 31)]
    assert [one.ts for one in _chosen(boundaries, happened, test_id="a", retry=0)] == [5, 12, 17]
    assert [one.ts for one in _chosen(boundaries, happened, test_id="a", retry=1)] == [22]
    assert [one.ts for one in _chosen(boundaries, happened, test_id="b")] == [31]


def test_a_test_may_have_a_whole_browser_and_without_any_context_time_decides() -> None:
    boundaries = Boundaries()
    boundaries.mark("whole", "start", 10, context=("b3", ""))
    boundaries.mark("timed", "start", 10)
    boundaries.mark("timed", "end", 20)
    happened = [Happening(15, "A", "b3"), Happening(15, "B"), Happening(15, ""), Happening(25, "B")]
    assert _chosen(boundaries, happened, test_id="whole") == happened[:1]
    # What belongs to another test is not its own, though it happened meanwhile.
    assert _chosen(boundaries, happened, test_id="timed") == happened[1:3]
    (timed,) = boundaries.runs_of("timed")
    assert boundaries.overlapping(timed) == 1


def test_a_retry_ends_the_run_before_it_and_its_late_end_is_no_error() -> None:
    boundaries = Boundaries()
    boundaries.mark("a", "start", 10, retry=0)
    boundaries.mark("a", "start", 20, retry=1)
    boundaries.mark("a", "end", 22, retry=0)
    first, second = boundaries.runs_of("a")
    assert (first.end, second.end) == (20, float("inf"))
    # A start that is told twice is one.
    assert boundaries.mark("a", "start", 25, retry=1) is second


def test_contexts_go_with_their_tests_and_are_bounded() -> None:
    boundaries = Boundaries()
    for number in range(limits.TESTS_MARKED + 1):
        boundaries.mark(f"t{number}", "start", number, context=("b2", f"C{number}"))
    assert boundaries.owner_of(Happening(5, "C0").source, 5) is None
    assert boundaries.owner_of(Happening(5, "C1").source, 5) is not None
    for number in range(_CONTEXTS_OF_A_RUN):
        boundaries.mark("many", "start", 1, context=("b2", f"M{number}"))
    with pytest.raises(GasolineError, match="can name"):
        boundaries.mark("many", "start", 1, context=("b2", "one more"))
