"""When tests ran."""

import pytest

from gasoline_cdp import limits
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.store.boundaries import Boundaries


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
