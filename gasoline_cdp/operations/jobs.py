"""Slow work as jobs: a quick one answers directly, a slow one goes on in the background."""

import logging
import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator
from weakref import WeakValueDictionary

import trio
from attrs import define, field, frozen

from gasoline_cdp import limits
from gasoline_cdp.answers.amounts import number
from gasoline_cdp.answers.lines import Line
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.answer import Answer, answer_of
from gasoline_cdp.operations.client import Progress

log = logging.getLogger(__name__)

# The work itself: takes a progress callback and returns the answer.
Work = Callable[[Progress], Awaitable[Answer]]


@frozen(kw_only=True)
class Reached:
    """Progress of an analysis, with a message."""

    done: float
    total: float | None = None
    message: str = ""


@frozen(kw_only=True)
class Pending:
    """The work goes on. Ask again with the correlation_id. The result is kept for five minutes."""

    summary: str
    correlation_id: str
    tool: str
    elapsed_seconds: float
    progress: Reached | None = None
    # No default: answers leave out fields that have their default value.
    status: str

    def render(self) -> Iterator[Line]:
        """What runs, its progress, and how to fetch the result."""
        yield Line(self.summary, tag=self.status, tone="heading")
        if self.progress is not None:
            of = f" of {number(self.progress.total)}" if self.progress.total else ""
            yield Line(f"{self.progress.message} ({number(self.progress.done)}{of})".strip())


@define(eq=False)
class _Job:
    """One job, from its start until its result is dropped."""

    tool: str
    tab_id: int | None
    correlation_id: str = field(factory=lambda: secrets.token_urlsafe(limits.CORRELATION_BYTES))
    started_at: float = field(factory=trio.current_time)
    ended_at: float | None = None
    reached: Reached | None = None
    # The caller's progress callback while it waits.
    on_progress: Progress | None = None
    answer: Answer | None = None
    error: Exception | None = None
    ended: trio.Event = field(factory=trio.Event)
    scope: trio.CancelScope = field(factory=trio.CancelScope)

    def report(self, done: float, total: float | None, message: str) -> None:
        self.reached = Reached(done=done, total=total, message=message)
        if self.on_progress is not None:
            self.on_progress(done, total, message)

    def result(self) -> Answer:
        if self.error is not None:
            raise self.error
        assert self.answer is not None  # noqa: S101 - for the type checker
        return self.answer


class Jobs:
    """All jobs of a daemon. One at a time per tab; the wait for the tab counts towards a job's time limit."""

    def __init__(self) -> None:
        self._jobs: OrderedDict[str, _Job] = OrderedDict()
        # A tab's lock lives as long as a job holds it or waits for it.
        self._locks: WeakValueDictionary[int | None, trio.Lock] = WeakValueDictionary()
        self._nursery: trio.Nursery | None = None

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Run the jobs until cancelled."""
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            task_status.started()
            await trio.sleep_forever()

    @property
    def running(self) -> int:
        """Number of unfinished jobs, including those that wait for their tab."""
        return sum(not job.ended.is_set() for job in self._jobs.values())

    async def perform(
        self, tool: str, tab_id: int | None, deadline: float, work: Work, on_progress: Progress, *, patience: float
    ) -> Answer:
        """Run the work. Return its answer, or `Pending` after `patience` seconds. A cancelled caller cancels it."""
        if self._nursery is None:
            raise RuntimeError("slow work needs a daemon to run it")
        job = _Job(tool, tab_id)
        self._keep(job)
        job.on_progress = on_progress
        self._nursery.start_soon(self._do, job, deadline, work)
        try:
            with trio.move_on_after(patience):
                await job.ended.wait()
        except trio.Cancelled:
            job.scope.cancel()
            raise
        finally:
            # Nobody waits any more: later progress is stored for `fetch` only.
            job.on_progress = None
            if job.ended.is_set() or job.scope.cancel_called:
                self._jobs.pop(job.correlation_id, None)
        return job.result() if job.ended.is_set() else _pending(job)

    async def fetch(self, correlation_id: str) -> Answer:
        """The result of a job, or its progress. Waits a little, which often saves the caller another call."""
        self._forget_old()
        job = self._jobs.get(correlation_id)
        if job is None:
            raise GasolineError(
                Code.NO_SUCH_RESULT,
                f"No analysis has the correlation_id {correlation_id[:40]!r}: results wait "
                f"{limits.RESULT_SECONDS / 60:.0f} minutes. Start the analysis again.",
            )
        with trio.move_on_after(limits.RESULT_WAIT_SECONDS):
            await job.ended.wait()
        return job.result() if job.ended.is_set() else _pending(job)

    async def _do(self, job: _Job, deadline: float, work: Work) -> None:
        waiting = True
        with job.scope:
            try:
                with trio.fail_after(deadline):
                    async with self._alone(job):
                        waiting = False
                        job.answer = await work(job.report)
            except trio.TooSlowError:
                job.error = _timed_out(job, deadline, waiting=waiting)
            except Exception as error:
                # `fetch` reports it. Log it too: perhaps nobody fetches the result.
                if not isinstance(error, GasolineError):
                    log.exception("%s failed", job.tool)
                job.error = error
        job.ended_at = trio.current_time()
        job.ended.set()

    def _alone(self, job: _Job) -> trio.Lock:
        lock = self._locks.get(job.tab_id)
        if lock is None:
            lock = self._locks[job.tab_id] = trio.Lock()
        elif lock.locked():
            job.report(0, None, f"waits for another analysis of tab {job.tab_id}")
        return lock

    def _keep(self, job: _Job) -> None:
        self._forget_old()
        for old in [old for old in self._jobs.values() if old.ended.is_set()]:
            if len(self._jobs) < limits.JOBS:
                break
            del self._jobs[old.correlation_id]
        if len(self._jobs) >= limits.JOBS:
            raise GasolineError(
                Code.CONCURRENT_ANALYSIS,
                f"{limits.JOBS} analyses are under way already. Wait for one of them to end, then call again.",
            )
        self._jobs[job.correlation_id] = job

    def _forget_old(self) -> None:
        now = trio.current_time()
        for job in list(self._jobs.values()):
            if job.ended_at is not None and now - job.ended_at > limits.RESULT_SECONDS:
                del self._jobs[job.correlation_id]


def _pending(job: _Job) -> Answer:
    pending = Pending(
        status="pending",
        summary=(
            f"{job.tool} is still at work. Fetch the result with "
            f"observe(what='analyze_result', correlation_id='{job.correlation_id}')."
        ),
        correlation_id=job.correlation_id,
        tool=job.tool,
        elapsed_seconds=round(trio.current_time() - job.started_at, 1),
        progress=job.reached,
    )
    return answer_of(pending)


def _timed_out(job: _Job, deadline: float, *, waiting: bool) -> GasolineError:
    if waiting:
        return GasolineError(
            Code.CONCURRENT_ANALYSIS,
            f"{job.tool} waited {deadline:.0f} s for another analysis of tab {job.tab_id} to end. Call again.",
        )
    how_far = f" It had come to: {job.reached.message}." if job.reached and job.reached.message else ""
    return GasolineError(
        Code.ANALYSIS_TIMEOUT,
        f"{job.tool} did not finish within {deadline:.0f} s.{how_far} Reload the page, and call again when it is idle.",
    )
