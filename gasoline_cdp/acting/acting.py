"""One call of `act`: the steps, the wait for what they caused, and the answer."""

from collections.abc import Sequence

import trio
from attrs import evolve

from gasoline_cdp.acting.act_answer import ActAnswer, make_answer
from gasoline_cdp.acting.consequences import Consequences, gather, read_disturbances, read_ran
from gasoline_cdp.acting.page_tree import PageChange, PageTree, compare_pages, read_page, remember
from gasoline_cdp.acting.run import ActRun, PlannedStep, StepResult
from gasoline_cdp.acting.settling import Settled, first_effect, new_tabs_named, settle
from gasoline_cdp.acting.stepping import ACT_SECONDS, acting_in, run_steps, tab_lock, while_pilot_is_on
from gasoline_cdp.acting.waiting import wait_for
from gasoline_cdp.analysis.acting.steps import Waiting
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.probe.input.refusals import Refused

# At the end: how long to wait until all is over, and for a first effect where nothing has happened.
_SETTLE_SECONDS = 8.0
_FIRST_EFFECT_SECONDS = 0.6
# At most so long until tabs that were opened say what they show.
_NAMED_SECONDS = 1.0
# Reading the page before the first step and after the last.
_READ_SECONDS = 3.0
# Beyond the end of a call, for what is only read from the store.
_GRACE_SECONDS = 1.0


async def act(context: Context, tab: Tab, steps: Sequence[PlannedStep], waiting: Waiting | None) -> ActAnswer:
    """Do the steps in a tab, and say what they caused. Calls for the same tab go one after the other."""
    until = trio.current_time() + ACT_SECONDS
    hand = tab_lock(tab)
    with trio.move_on_at(until) as in_turn:
        await hand.acquire()
    if in_turn.cancelled_caught:
        raise GasolineError(
            Code.PAGE_HUNG,
            f"Another call acted in tab {tab.tab_id} all the time, so nothing was done. Try again, or use another tab.",
        )
    try:
        return await _Call(context, tab, steps, waiting, until).answer()
    finally:
        hand.release()


class _Call:
    """One call, alone in its tab."""

    def __init__(
        self, context: Context, tab: Tab, steps: Sequence[PlannedStep], waiting: Waiting | None, until: float
    ) -> None:
        self._context = context
        self._first_tab = tab
        self._first_document = tab, tab.loader_id
        self._steps = steps
        self._waiting = waiting
        self._until = until
        self._run = ActRun(tab)
        self._last_seq = context.telemetry.last_seq
        self._known_tabs = {one.tab_id for one in context.tabs.all()}
        self._before: PageTree | None = None
        self._now: PageTree | None = None
        self._shown = PageChange()
        self._settled = Settled(at_rest=True)
        self._disturbed: dict[str, float] = {}
        self._wait_note = ""
        self._ran: list[str] = []

    async def answer(self) -> ActAnswer:
        """Do it all. A person who switches the pilot off ends it at once."""
        run, context = self._run, self._context
        with (
            while_pilot_is_on(context) as allowed,
            trio.move_on_at(self._until + _GRACE_SECONDS),
            acting_in(run, context),
        ):
            with trio.move_on_after(_READ_SECONDS):
                self._before = await read_page(context, run.tab, _READ_SECONDS)
                # What ran before is not of these steps.
                await context.capture.coverage.take()
            await run_steps(context, run, self._steps, self._until - _READ_SECONDS)
            if self._waiting is not None and not run.failed:
                try:
                    await wait_for(context, run.tab, self._waiting, run.began, self._until)
                except Refused as refused:
                    self._wait_note = refused.reason
            if run.outcomes[0].outcome == "done" or self._caused().any():
                await self._look()
            if not (self._shown.lines or self._shown.unread or run.failed or self._caused().any()):
                soon = min(self._until, trio.current_time() + _FIRST_EFFECT_SECONDS)
                await first_effect(run.tab, soon, lambda: self._caused().any())
                await self._look()
            self._disturbed = await read_disturbances(run.tab, run.began)
            with trio.move_on_at(self._until):
                self._ran = await read_ran(context)
            await context.capture.wait_known(elements=False)
        if allowed.cancelled_caught:
            run.ended = "The pilot was switched off: nothing more was sent to the page."
            if len(run.outcomes) < len(self._steps):
                run.outcomes.append(StepResult(outcome="failed", note="the pilot was switched off"))
        run.outcomes += [StepResult(outcome="skipped")] * (len(self._steps) - len(run.outcomes))
        pending = self._settled.pending
        answer = make_answer(
            context, run, self._steps, self._caused(), self._shown, pending, ran=self._ran, wait_note=self._wait_note
        )
        if len(answer.tree) == len(self._shown.lines):
            remember(context, self._before, self._now)
        return answer

    async def _look(self) -> None:
        """Wait until all is over, and read the page."""
        run = self._run
        soon = min(self._until, trio.current_time() + _SETTLE_SECONDS)
        self._settled = await settle(self._context, run.tab, run.last_began, soon)
        await new_tabs_named(self._context, self._new_tabs(), min(self._until, trio.current_time() + _NAMED_SECONDS))
        # The first tree of a large page takes long.
        with trio.move_on_at(self._until):
            self._now = await read_page(self._context, run.tab, self._until - trio.current_time())
        same = (run.tab, run.tab.loader_id) == self._first_document
        self._shown = compare_pages(run.tab, self._before, self._now, same_document=same)

    def _family(self) -> tuple[int, ...]:
        return self._first_tab.tab_id, *(tab.tab_id for tab in self._run.taken)

    def _new_tabs(self) -> list[Tab]:
        family = self._family()
        return [
            tab
            for tab in self._context.tabs.all()
            if tab.tab_id not in self._known_tabs and (tab.opener in family or tab is self._run.tab)
        ]

    def _caused(self) -> Consequences:
        return evolve(
            gather(self._context, self._family(), self._last_seq, self._new_tabs()),
            layout_shift=float(self._disturbed.get("shift", 0.0)),
            long_tasks=int(self._disturbed.get("tasks", 0)),
            busy_ms=float(self._disturbed.get("busy", 0.0)),
        )
