"""When tests ran and which browser contexts were theirs, to assign records to tests."""

from collections.abc import Callable
from math import inf
from typing import Literal, Protocol

from attrs import Factory, define, frozen

from gasoline_cdp import limits
from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.records import Source

# Browser contexts that one run of a test can name. A test of a chat may have a dozen.
_CONTEXTS_OF_A_RUN = 100

# A browser context: its browser and its id. The browser is empty where a test did not name it: ids are unique. The id
# is empty for a test that has a whole browser for itself.
ContextKey = tuple[str, str]


class Happened(Protocol):
    """What belongs to a test: a record, by its time and source."""

    @property
    def source(self) -> Source: ...  # noqa: D102
    @property
    def ts(self) -> float: ...  # noqa: D102


@define(eq=False)
class Run:
    """One run of a test. A retry is another run. `end` is infinite while it goes on."""

    start: float
    end: float = inf
    test_id: str = ""
    # As the test runner counts them; None if it did not say.
    retry: int | None = None
    worker: str | None = None
    # The browser contexts that it named. Without any, time decides what belongs to it.
    contexts: set[ContextKey] = Factory(set)

    def __contains__(self, ts: float) -> bool:
        return self.start <= ts <= self.end


@frozen(kw_only=True)
class RecordFilter:
    """Which records are wanted: of tests, of a browser context, of a browser. Empty: all."""

    test_id: str | None = None
    retry: int | None = None
    worker: str | None = None
    browser_context_id: str | None = None
    browser: str | None = None

    def __bool__(self) -> bool:
        return any(value is not None for value in (*self._of_test, self.browser_context_id, self.browser))

    @property
    def _of_test(self) -> tuple[object, ...]:
        return self.test_id, self.retry, self.worker

    @property
    def by_test(self) -> bool:
        """Whether it selects tests."""
        return any(value is not None for value in self._of_test)


class Boundaries:
    """The runs of the newest tests.

    A record belongs to the test that named its browser context: to the last one that had named it by then, or to the
    first one if none had, since a context is created before its test can name it. Tests that name no context get what
    happened while they ran, without what belongs to others. Of those, a record may belong to several.
    """

    def __init__(self) -> None:
        self._tests: BoundedDict[str, list[Run]] = BoundedDict(limits.TESTS_MARKED, self._evicted)
        # The runs that named a context, in this order. From its start on, the context is a run's own.
        self._claims: dict[ContextKey, list[Run]] = {}

    def __len__(self) -> int:
        return len(self._tests)

    def mark(
        self,
        test_id: str,
        action: Literal["start", "end"],
        ts: float,
        *,
        retry: int | None = None,
        worker: str | None = None,
        context: ContextKey | None = None,
    ) -> Run:
        """A test starts or ends.

        A start of a run that goes on adds a context to it. A start that names neither context nor retry ends the
        previous run, and begins another.
        """
        runs = self._tests.get(test_id, [])
        run = next((run for run in reversed(runs) if _is(run, retry, worker) and run.end == inf), None)
        if action == "end":
            if run is None and retry is not None:
                # The start of a retry has ended it.
                run = next((run for run in reversed(runs) if _is(run, retry, worker)), None)
            return self._end(run, test_id, ts)
        if run is not None and context is None and retry is None:
            run.end = ts
            run = None
        if run is None:
            run = self._begin(Run(ts, test_id=test_id, retry=retry, worker=worker), runs)
        if context is not None and context not in run.contexts:
            if len(run.contexts) >= _CONTEXTS_OF_A_RUN:
                message = f"A run of a test can name {_CONTEXTS_OF_A_RUN} browser contexts, and has."
                raise GasolineError(Code.INVALID_PARAMS, message, problems=["browser_context_id is one too many"])
            run.contexts.add(context)
            self._claims.setdefault(context, []).append(run)
        return run

    def _begin(self, run: Run, runs: list[Run]) -> Run:
        for earlier in runs:
            # A retry begins when the run before it is over, whether somebody said so or not.
            if earlier.end == inf and run.retry is not None and earlier.retry != run.retry:
                earlier.end = run.start
        runs.append(run)
        for old in runs[: -limits.RUNS_OF_A_TEST]:
            self._forget(old)
        del runs[: -limits.RUNS_OF_A_TEST]
        self._tests[run.test_id] = runs
        return run

    def _end(self, run: Run | None, test_id: str, ts: float) -> Run:
        if run is None:
            raise GasolineError(
                Code.NO_SUCH_TEST,
                f"The test {test_id[:60]!r} has not been started, so it cannot end. Send action start first.",
            )
        if ts < run.start:
            raise GasolineError(
                Code.INVALID_PARAMS,
                f"The test {test_id[:60]!r} cannot end before it started. Leave timestamp out, or correct it.",
                problems=["timestamp is before the start of the test"],
            )
        run.end = min(ts, run.end)
        return run

    def runs_of(self, test_id: str | None, retry: int | None = None, worker: str | None = None) -> list[Run]:
        """When a test ran. Raises `no_such_test` if it never did: an empty answer would look like success."""
        tests = [self._tests.get(test_id, [])] if test_id is not None else self._tests.values()
        runs = [run for runs in tests for run in runs if _is(run, retry, worker)]
        if not runs:
            named = (("a test", test_id), ("retry", retry), ("worker", worker))
            what = ", ".join(f"{name} {str(value)[:60]!r}" for name, value in named if value is not None)
            raise GasolineError(
                Code.NO_SUCH_TEST,
                f"No start of {what} has been marked. Mark it with POST /test-boundary, or leave test_id out.",
            )
        return runs

    def overlapping(self, run: Run) -> int:
        """How many runs of other tests went on at the same time."""
        return sum(
            other.start < run.end and run.start < other.end
            for runs in self._tests.values()
            for other in runs
            if other.test_id != run.test_id
        )

    def owner_of(self, source: Source, ts: float) -> Run | None:
        """The run that owned the browser context of a record then; None if no test named it."""
        browser, context, claims = source.browser_id, source.context_id, None
        if context:
            claims = self._claims.get((browser, context)) or self._claims.get(("", context))
        if not claims and browser:
            claims = self._claims.get((browser, ""))
        if not claims:
            return None
        return next((run for run in reversed(claims) if ts >= run.start), claims[0])

    def test_of(self, source: Source, ts: float) -> str:
        """The test that a record belongs to; empty if none. Of several that named no context, the one begun last."""
        owner = self.owner_of(source, ts)
        if owner is None:
            by_time = (run for runs in self._tests.values() for run in runs if not run.contexts and ts in run)
            owner = max(by_time, key=lambda run: run.start, default=None)
        return owner.test_id if owner is not None else ""

    def owns(self, wanted: RecordFilter) -> Callable[[Source], bool]:
        """Return a function that says whether a page that is open now is wanted. Raises `no_such_test`."""
        selected = self.selects(wanted)
        return lambda source: selected(_Happening(source, inf))

    def selects(self, wanted: RecordFilter) -> Callable[[Happened], bool]:
        """Return a function that says whether a record is wanted. Raises `no_such_test`."""
        runs = set(self.runs_of(wanted.test_id, wanted.retry, wanted.worker)) if wanted.by_test else None
        # Those that never named a context.
        by_time = [run for run in runs or () if not run.contexts]

        def select(record: Happened) -> bool:
            source = record.source
            if wanted.browser is not None and source.browser_id != wanted.browser:
                return False
            if wanted.browser_context_id is not None and source.context_id != wanted.browser_context_id:
                return False
            if runs is None:
                return True
            owner = self.owner_of(source, record.ts)
            return owner in runs if owner is not None else any(record.ts in run for run in by_time)

        return select

    def _evicted(self, _: str, runs: list[Run]) -> None:
        for run in runs:
            self._forget(run)

    def _forget(self, run: Run) -> None:
        for context in run.contexts:
            claims = [other for other in self._claims.get(context, ()) if other is not run]
            if claims:
                self._claims[context] = claims
            else:
                self._claims.pop(context, None)


@frozen
class _Happening:
    """Anything that happens in a source."""

    source: Source
    ts: float


def _is(run: Run, retry: int | None, worker: str | None) -> bool:
    """Whether a run has this number and this worker, as far as they are given. The first run is retry 0."""
    return (retry is None or retry == (run.retry or 0)) and (worker is None or worker == run.worker)
