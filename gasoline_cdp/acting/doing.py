"""What each kind of step does."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import trio
from attrs import frozen

from gasoline_cdp.acting.run import ActRun, PlannedStep
from gasoline_cdp.acting.waiting import wait_for
from gasoline_cdp.analysis.acting.keys import parse_keys, typed_keys
from gasoline_cdp.analysis.acting.steps import (
    Do,
    StepTarget,
    parse_answer,
    parse_click,
    parse_offset,
    parse_scroll,
    parse_target,
    parse_waiting,
)
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.operations.context import Context
from gasoline_cdp.probe.input import gestures, moving, pages
from gasoline_cdp.probe.input.gestures import gone_words
from gasoline_cdp.probe.input.refusals import Refused, dialog_is_open

# How much of a call a step may wait for its element.
_ELEMENT_SECONDS = 4.0
# What can be done with a tab whose page has crashed.
_REPAIRS: frozenset[Do] = frozenset({"open", "reload", "new_tab", "close_tab"})


@frozen(kw_only=True)
class Doing:
    """A step that is being done. `soon` is when it stops waiting for its element, `until` when the call ends."""

    context: Context
    run: ActRun
    tab: Tab
    step: PlannedStep
    value: str
    soon: float
    until: float

    async def named(self) -> None:
        """Wait until Chrome has named the elements that were described so far."""
        await self.context.capture.actions.backlog.wait_idle()

    @property
    def target(self) -> StepTarget:
        """The target; the arguments were checked."""
        return parse_target(self.step.target or "")

    @property
    def maybe_target(self) -> StepTarget | None:
        """The target, if one is given."""
        return self.target if self.step.target else None


async def perform(context: Context, run: ActRun, step: PlannedStep, until: float) -> str:
    """Do a step. Returns what else to know of it. Raises `Refused`, `GasolineError` and Chrome's errors."""
    tab = run.tab
    if tab.dialog and step.do != "dialog":
        raise Refused(dialog_is_open(tab.dialog))
    if tab.state == "crashed" and step.do not in _REPAIRS:
        raise Refused(gone_words(tab))
    soon = min(until, trio.current_time() + _ELEMENT_SECONDS)
    doing = Doing(context=context, run=run, tab=tab, step=step, value=step.value or "", soon=soon, until=until)
    return await _HOW[step.do](doing)


async def _open(doing: Doing) -> str:
    return await pages.open_address(doing.tab, doing.step.value or doing.step.target or "")


async def _back(doing: Doing) -> str:
    return await pages.go_in_history(doing.tab, -1)


async def _forward(doing: Doing) -> str:
    return await pages.go_in_history(doing.tab, 1)


async def _reload(doing: Doing) -> str:
    return await pages.reload(doing.tab)


async def _new_tab(doing: Doing) -> str:
    doing.run.take(await pages.open_new_tab(doing.tab, doing.context.tabs))
    if doing.value:
        await pages.open_address(doing.run.tab, doing.value)
    return f"tab {doing.run.tab.tab_id}"


async def _close_tab(doing: Doing) -> str:
    await pages.close_tab(doing.tab, doing.context.tabs)
    if doing.tab.dialog:
        return ""
    doing.run.take(doing.context.tabs.pick(None))
    return f"now on tab {doing.run.tab.tab_id}"


async def _dialog(doing: Doing) -> str:
    accept, text = parse_answer(doing.value)
    opened = trio.Event()
    with (
        doing.tab.session.listening("Page.javascriptDialogOpening", lambda _: opened.set()),
        trio.move_on_at(doing.soon),
    ):
        if not doing.tab.dialog:
            await opened.wait()
    if not doing.tab.dialog:
        raise Refused("no dialog is open")
    return await pages.answer_dialog(doing.tab, accept=accept, text=text)


async def _wait(doing: Doing) -> str:
    waiting = parse_waiting(f"element:{doing.step.target}" if doing.step.target else doing.value)
    return await wait_for(doing.context, doing.tab, waiting, doing.run.began, doing.until)


async def _press(doing: Doing) -> str:
    return await gestures.type_keys(doing.tab, doing.maybe_target, parse_keys(doing.value), doing.soon)


async def _type(doing: Doing) -> str:
    return await gestures.type_keys(doing.tab, doing.maybe_target, typed_keys(doing.value), doing.soon)


async def _scroll(doing: Doing) -> str:
    return await moving.scroll(doing.tab, doing.maybe_target, parse_scroll(doing.value), doing.soon)


async def _click(doing: Doing) -> str:
    return await gestures.click(doing.tab, doing.target, parse_click(doing.value), doing.soon, doing.named)


async def _hover(doing: Doing) -> str:
    return await gestures.hover(doing.tab, doing.target, doing.soon)


async def _fill(doing: Doing) -> str:
    return await gestures.fill(doing.tab, doing.target, doing.value, doing.soon)


async def _select(doing: Doing) -> str:
    return await gestures.select(doing.tab, doing.target, doing.value.split("\n"), doing.soon)


async def _check(doing: Doing) -> str:
    return await gestures.set_checked(doing.tab, doing.target, doing.soon, doing.named, checked=True)


async def _uncheck(doing: Doing) -> str:
    return await gestures.set_checked(doing.tab, doing.target, doing.soon, doing.named, checked=False)


async def _drag(doing: Doing) -> str:
    where = parse_offset(doing.value) or parse_target(doing.value)
    return await moving.drag(doing.tab, doing.target, where, doing.soon)


async def _upload(doing: Doing) -> str:
    return await moving.upload(doing.tab, doing.target, _files(doing.context.uploads, doing.value), doing.soon)


def _files(root: Path | None, value: str) -> list[str]:
    """The files to upload, one name a line: only below the directory that a person named."""
    if root is None:
        raise Refused("no directory for uploads was given: a person starts gasoline-cdp with --uploads DIR")
    files = []
    base = root.resolve()
    for name in filter(None, (part.strip() for part in value.split("\n"))):
        # Links are followed first: one that leads outside is refused.
        path = (base / name).resolve()
        if not path.is_relative_to(base) or not path.is_file():
            raise Refused(f"{name[:80]!r} is no file below the directory for uploads")
        files.append(str(path))
    return files


_HOW: dict[Do, Callable[[Doing], Awaitable[str]]] = {
    "open": _open,
    "back": _back,
    "forward": _forward,
    "reload": _reload,
    "new_tab": _new_tab,
    "close_tab": _close_tab,
    "dialog": _dialog,
    "wait": _wait,
    "press": _press,
    "type": _type,
    "scroll": _scroll,
    "click": _click,
    "hover": _hover,
    "fill": _fill,
    "select": _select,
    "check": _check,
    "uncheck": _uncheck,
    "drag": _drag,
    "upload": _upload,
}
