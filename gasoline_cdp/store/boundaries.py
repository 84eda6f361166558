"""When tests began and ended, to assign records to tests."""

from math import inf
from typing import Literal

from attrs import define

from gasoline_cdp import limits
from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.errors import Code, GasolineError


@define
class Run:
    """One run of a test. A retry is another run. `end` is infinite while it goes on."""

    start: float
    end: float = inf

    def __contains__(self, ts: float) -> bool:
        return self.start <= ts <= self.end


class Boundaries:
    """The runs of the newest tests. Tests may be nested or run in parallel: a record may belong to several."""

    def __init__(self) -> None:
        self._tests: BoundedDict[str, list[Run]] = BoundedDict(limits.TESTS_MARKED)

    def __len__(self) -> int:
        return len(self._tests)

    def mark(self, test_id: str, action: Literal["start", "end"], ts: float) -> None:
        """A test starts or ends. A start without a preceding end also ends the previous run."""
        runs = self._tests.get(test_id, [])
        if action == "end":
            if not runs or runs[-1].end < inf:
                raise GasolineError(
                    Code.NO_SUCH_TEST,
                    f"The test {test_id[:60]!r} has not been started, so it cannot end. Send action start first.",
                )
            if ts < runs[-1].start:
                raise GasolineError(
                    Code.INVALID_PARAMS,
                    f"The test {test_id[:60]!r} cannot end before it started. Leave timestamp out, or correct it.",
                    problems=["timestamp is before the start of the test"],
                )
            runs[-1].end = ts
            return
        if runs and runs[-1].end == inf:
            runs[-1].end = ts
        runs.append(Run(ts))
        del runs[: -limits.RUNS_OF_A_TEST]
        self._tests[test_id] = runs

    def runs_of(self, test_id: str) -> list[Run]:
        """When a test ran. Raises `no_such_test` if it never did: an empty answer would look like success."""
        if test_id not in self._tests:
            raise GasolineError(
                Code.NO_SUCH_TEST,
                f"No start of a test {test_id[:60]!r} has been marked. Mark it with POST /test-boundary, or leave "
                "test_id out.",
            )
        return self._tests[test_id]
