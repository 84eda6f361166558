"""Does the steps of `act` one after the other, until one fails, the time is over, or the pilot is switched off."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from weakref import WeakKeyDictionary

import trio

from gasoline_cdp.acting.doing import perform
from gasoline_cdp.acting.run import ActRun, PlannedStep, StepResult
from gasoline_cdp.acting.settling import pause
from gasoline_cdp.analysis.acting.steps import Do
from gasoline_cdp.cdp.connection import CdpClosed, CdpError
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.cdp.world import PageFault
from gasoline_cdp.errors import GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.probe.input import pages
from gasoline_cdp.probe.input.gestures import gone_words
from gasoline_cdp.probe.input.refusals import Refused, an
from gasoline_cdp.probe.input.targets import release_targets

# How long a call may take.
ACT_SECONDS = 25.0
# Between two steps: how long to wait for what the first one caused.
_BETWEEN_SECONDS = 5.0
# Steps that are over when they are done, but for requests that the page may send: the next step waits for its own
# element. After others a page may go elsewhere.
_STILL: frozenset[Do] = frozenset({"fill", "hover", "scroll"})
# Steps that do not need the page as it is now.
_LEAVING: frozenset[Do] = frozenset({"open", "reload", "back", "forward", "close_tab"})

_acting: WeakKeyDictionary[Tab, trio.Lock] = WeakKeyDictionary()


def tab_lock(tab: Tab) -> trio.Lock:
    """Around a call: a tab has one pointer and one focus, so its calls go one after the other."""
    return _acting.setdefault(tab, trio.Lock())


async def run_steps(context: Context, run: ActRun, steps: Sequence[PlannedStep], until: float) -> None:
    """Do the steps. Never raises for what happens in the page; `run` says how far it came."""
    with trio.move_on_at(until) as in_time:
        for index, step in enumerate(steps):
            following = steps[index + 1].do if index + 1 < len(steps) else None
            if not await _do(context, run, step, following, until):
                break
    if in_time.cancelled_caught and len(run.outcomes) < len(steps):
        why = f"{an(run.tab.dialog)} dialog is open" if run.tab.dialog else "the page did not answer or come to rest"
        run.outcomes.append(StepResult(outcome="failed", note=f"{why} in time"))


async def _do(context: Context, run: ActRun, step: PlannedStep, following: Do | None, until: float) -> bool:
    """One step. Returns whether to go on."""
    run.last_began = time.time()
    tab = run.tab
    try:
        await context.highlights.hide(tab)
        with context.capture.actions.driving(tab.tab_id):
            note = await perform(context, run, step, until)
    except Refused as refused:
        run.outcomes.append(StepResult(outcome="failed", note=refused.reason))
        return False
    except GasolineError as error:
        run.outcomes.append(StepResult(outcome="failed", note=error.message.rstrip(".")))
        return False
    except (CdpClosed, CdpError, PageFault):
        lost = gone_words(tab) if tab.state != "open" else "the page navigated or closed its frame just then"
        run.outcomes.append(StepResult(outcome="failed", note=lost))
        return False
    finally:
        release_targets(tab)
    if tab.state == "crashed":
        run.outcomes.append(StepResult(outcome="failed", note=gone_words(tab)))
        return False
    if tab.state == "closed" and step.do != "close_tab":
        note = "and the tab was closed by it"
    if tab.dialog and following != "dialog" and step.do != "dialog":
        note = "; ".join(filter(None, (note, await _unasked_dialog(context, tab))))
    run.outcomes.append(StepResult(outcome="done", note=note))
    if following is not None and following != "dialog" and run.tab.state == "open" and not run.tab.dialog:
        soon = min(until, trio.current_time() + _BETWEEN_SECONDS)
        await pause(context, run.tab, run.last_began, soon, still=step.do in _STILL, leaving=following in _LEAVING)
    return True


async def _unasked_dialog(context: Context, tab: Tab) -> str:
    """A dialog that no step answers: where nobody else can, it is closed as a browser without a window does."""
    kind = tab.dialog
    if tab.source.browser_id not in context.capture.headless:
        return f"{an(kind)} dialog is open now: answer it with do=dialog"
    accept = kind == "beforeunload"
    with suppress(Refused):
        await pages.answer_dialog(tab, accept=accept)
    how = "accepted" if accept else "dismissed"
    return f"it opened {an(kind)} dialog, which was {how}: to answer it, put do=dialog after this step"


@contextmanager
def while_pilot_is_on(context: Context) -> Iterator[trio.CancelScope]:
    """Cancel the block as soon as a person switches the pilot off."""
    with trio.CancelScope() as scope:

        def switched() -> None:
            if not context.pilot.on:
                scope.cancel()

        context.pilot.listeners.append(switched)
        try:
            yield scope
        finally:
            context.pilot.listeners.remove(switched)


@contextmanager
def acting_in(run: ActRun, context: Context) -> Iterator[None]:
    """Around a call: its tabs behave as if in front, and their dialogs wait for a step.

    At the end this is undone. Dialogs that no step answered are closed where nobody else can.
    """
    run.take(run.tab)
    try:
        yield
    finally:
        for tab in run.taken:
            tab.dialogs_wait = False
            if tab.state == "closed":
                continue
            tab.session.post("Emulation.setFocusEmulationEnabled", {"enabled": False})
            if tab.dialog and tab.source.browser_id in context.capture.headless:
                tab.session.post("Page.handleJavaScriptDialog", {"accept": tab.dialog == "beforeunload"})
