"""Slow work under a clock that jumps: answered at once, pending, fetched, timed out, one at a time per tab."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import attrs
import pytest
import trio
import trio.testing
from trio.testing import MockClock

from gasoline_cdp import limits, wire
from gasoline_cdp.cdp.targets import Target
from gasoline_cdp.operations.answer import Answer
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Needs, Tool
from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.tools.registry import TOOLS
from tests.fakes import make_context, quiet_session

pytestmark = pytest.mark.requirement("F3-SLOW")


@attrs.frozen(kw_only=True)
class Args:
    tab_id: int | None = wire.arg("the tab", default=None)


@attrs.frozen(kw_only=True)
class Audited:
    text: str


Run = Callable[[Args, Context], Awaitable[Any]]


def taking(seconds: float, log: list[str] | None = None) -> Run:
    """A tool's function that takes so long, and says when it begins and ends."""

    async def run(args: Args, context: Context) -> Audited:
        if log is not None:
            log.append(f"begin {args.tab_id}")
        context.progress(1, 2, "half way")
        await trio.sleep(seconds)
        if log is not None:
            log.append(f"end {args.tab_id}")
        return Audited(text=f"tab {args.tab_id}")

    return run


def _tools(run: Run, deadline: float) -> dict[str, Tool]:
    tool = Tool(
        name="audit",
        title="A",
        description="A.",
        args=Args,
        answer=Audited,
        run=run,
        needs=Needs(slow=True, deadline=deadline, tab="pinned"),
    )
    return {**TOOLS, "audit": tool}


class Bench:
    """A daemon's jobs with two tabs, and a slow tool to call."""

    def __init__(self, context: Context) -> None:
        self.context = context

    async def audit(self, run: Run, *, deadline: float = 60.0, **arguments: Any) -> Answer:
        return await call_tool(_tools(run, deadline), self.context, "audit", arguments)

    async def fetch(self, correlation_id: str) -> Answer:
        arguments = {"what": "analyze_result", "correlation_id": correlation_id}
        return await call_tool(TOOLS, self.context, "observe", arguments)


def open_tab(context: Context, number: int) -> None:
    target = Target(
        target_id=f"T{number}", kind="page", url="http://app.test/", title="", opener_id="", browser_context_id=""
    )
    context.tabs.opened(quiet_session(), target, seen_from_start=True)


@asynccontextmanager
async def open_bench(_: MockClock, **changes: Any) -> AsyncIterator[Bench]:
    context = attrs.evolve(make_context(strict=False), **changes)
    for number in (1, 2):
        open_tab(context, number)
    async with trio.open_nursery() as nursery:
        await nursery.start(context.jobs.run)
        yield Bench(context)
        nursery.cancel_scope.cancel()


async def test_what_is_done_in_time_answers_directly(autojump_clock: MockClock) -> None:
    async with open_bench(autojump_clock) as bench:
        answer = await bench.audit(taking(limits.PENDING_SECONDS - 0.1), tab_id=1)
        assert answer.data == {"text": "tab 1"}
        assert trio.current_time() == pytest.approx(limits.PENDING_SECONDS - 0.1)
        assert bench.context.jobs.running == 0


async def test_what_takes_longer_is_pending_and_can_be_fetched(autojump_clock: MockClock) -> None:
    async with open_bench(autojump_clock) as bench:
        pending = (await bench.audit(taking(30), tab_id=2)).data
        assert trio.current_time() == pytest.approx(limits.PENDING_SECONDS)
        assert pending["status"] == "pending"
        assert pending["progress"] == {"done": 1, "total": 2, "message": "half way"}
        assert pending["correlation_id"] in pending["summary"]
        still = (await bench.fetch(pending["correlation_id"])).data
        assert still["status"] == "pending"
        assert still["elapsed_seconds"] == limits.PENDING_SECONDS + limits.RESULT_WAIT_SECONDS
        await trio.sleep(12)
        # The rest of the way is waited for, and the result can be fetched again.
        for _ in range(2):
            assert (await bench.fetch(pending["correlation_id"])).data == {"text": "tab 2"}
        assert trio.current_time() == pytest.approx(30)


async def test_a_result_waits_five_minutes(autojump_clock: MockClock) -> None:
    async with open_bench(autojump_clock) as bench:
        pending = (await bench.audit(taking(11))).data
        await trio.sleep(1 + limits.RESULT_SECONDS)
        assert not (await bench.fetch(pending["correlation_id"])).is_error
        await trio.sleep(1)
        gone = await bench.fetch(pending["correlation_id"])
        assert gone.data["error"] == "no_such_result"


@pytest.mark.requirement("S26")
async def test_correlation_ids_are_long_and_random(autojump_clock: MockClock) -> None:
    async with open_bench(autojump_clock) as bench:
        ids = {(await bench.audit(taking(20))).data["correlation_id"] for _ in range(5)}
        assert len(ids) == 5
        # 128 bits in base64.
        assert all(len(name) == 22 for name in ids)
        wrong = await bench.fetch(min(ids)[:-1])
        assert wrong.data["error"] == "no_such_result"
    nothing = await call_tool(TOOLS, make_context(), "observe", {"what": "analyze_result"})
    assert nothing.data["error"] == "invalid_params"


async def test_one_at_a_time_per_tab_and_tabs_beside_each_other(autojump_clock: MockClock) -> None:
    log: list[str] = []
    async with open_bench(autojump_clock) as bench:
        async with trio.open_nursery() as nursery:
            for tab_id in (1, 1, 2):
                nursery.start_soon(partial(bench.audit, taking(4, log), tab_id=tab_id))
                await trio.testing.wait_all_tasks_blocked()
        assert [step for step in log if step.endswith("1")] == ["begin 1", "end 1", "begin 1", "end 1"]
        assert log.index("begin 2") < log.index("end 1")
        assert trio.current_time() == pytest.approx(8)


async def test_the_tab_used_last_is_settled_when_the_call_comes(autojump_clock: MockClock) -> None:
    log: list[str] = []
    async with open_bench(autojump_clock) as bench, trio.open_nursery() as nursery:
        nursery.start_soon(lambda: bench.audit(taking(5, log)))
        await trio.testing.wait_all_tasks_blocked()
        nursery.start_soon(lambda: bench.audit(taking(1, log)))
        await trio.testing.wait_all_tasks_blocked()
        tabs = bench.context.tabs
        tabs.used(tabs.pick(1))
        await trio.sleep(7)
        assert log == ["begin 2", "end 2", "begin 2", "end 2"]


async def test_the_time_limit_includes_the_wait(autojump_clock: MockClock) -> None:
    async with open_bench(autojump_clock) as bench, trio.open_nursery() as nursery:
        nursery.start_soon(lambda: bench.audit(taking(30), tab_id=1))
        await trio.testing.wait_all_tasks_blocked()
        answer = await bench.audit(taking(1), tab_id=1, deadline=8)
        assert answer.data["error"] == "concurrent_analysis"
        assert trio.current_time() == pytest.approx(8)
        # It waits, says so, and works for what is left of its time.
        waiting = (await bench.audit(taking(60), tab_id=1, deadline=40)).data
        assert waiting["progress"]["message"] == "waits for another analysis of tab 1"
        await trio.sleep(30)
        late = await bench.fetch(waiting["correlation_id"])
        assert late.data["error"] == "analysis_timeout"
        assert trio.current_time() == pytest.approx(8 + 40)


async def test_what_fails_is_told_as_the_tool_s_own_failure(autojump_clock: MockClock) -> None:
    async def fails(_: Args, __: Context) -> None:
        await trio.sleep(11)
        raise ValueError("secret words")

    async with open_bench(autojump_clock) as bench:
        answer = await bench.audit(taking(20), deadline=3)
        assert answer.data["error"] == "analysis_timeout"
        assert "half way" in answer.data["message"]
        pending = (await bench.audit(fails)).data
        failed = await bench.fetch(pending["correlation_id"])
        assert failed.data["error"] == "internal_error"
        assert "secret words" not in failed.data["message"]


async def test_a_caller_that_is_cancelled_cancels_the_work(autojump_clock: MockClock) -> None:
    log: list[str] = []
    async with open_bench(autojump_clock) as bench:
        with trio.move_on_after(5):
            await bench.audit(taking(8, log))
        # A caller that had its answer does not.
        with trio.CancelScope() as scope:
            await bench.audit(taking(20, log))
            scope.cancel()
        await trio.sleep(30)
        assert log == ["begin 2", "begin 2", "end 2"]
        assert bench.context.jobs.running == 0


async def test_progress_is_told_while_the_caller_waits_and_never_after_its_answer(autojump_clock: MockClock) -> None:
    heard: list[float] = []

    async def counting(_: Args, context: Context) -> Audited:
        for number in range(15):
            context.progress(number, 15, "counting")
            await trio.sleep(1)
        return Audited(text="counted")

    async with open_bench(autojump_clock, progress=lambda done, _total, _message: heard.append(done)) as bench:
        pending = (await bench.audit(counting)).data
        told = list(heard)
        await trio.sleep(3.5)
        assert 9 in told
        assert heard == told
        assert (await bench.fetch(pending["correlation_id"])).data == {"text": "counted"}


async def test_the_number_of_jobs_is_bounded(autojump_clock: MockClock) -> None:
    async with open_bench(autojump_clock) as bench:
        first = (await bench.audit(taking(11), tab_id=1)).data
        await trio.sleep(2)
        # Results make room for new work; work that is under way does not.
        async with trio.open_nursery() as nursery:
            for _ in range(limits.JOBS):
                nursery.start_soon(lambda: bench.audit(taking(50), tab_id=2, deadline=100))
        assert bench.context.jobs.running == limits.JOBS
        assert (await bench.fetch(first["correlation_id"])).data["error"] == "no_such_result"
        refused = await bench.audit(taking(1), tab_id=1)
        assert refused.data["error"] == "concurrent_analysis"


async def test_a_tab_that_is_not_there_is_refused_at_once(autojump_clock: MockClock) -> None:
    async with open_bench(autojump_clock) as bench:
        assert (await bench.audit(taking(1), tab_id=9)).data["error"] == "no_such_tab"
        assert bench.context.jobs.running == 0


async def test_slow_work_needs_a_daemon() -> None:
    context = make_context(strict=False)
    open_tab(context, 1)
    answer = await call_tool(_tools(taking(1), 5), context, "audit", {})
    assert answer.data["error"] == "internal_error"
