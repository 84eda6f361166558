"""What a person does with one element: each gesture finds it, checks it, and only then sends input."""

from collections.abc import Awaitable, Callable
from functools import partial
from itertools import count
from typing import Any, TypeVar

import trio

from gasoline_cdp import limits
from gasoline_cdp.analysis.acting.keys import KeyPress, parse_keys
from gasoline_cdp.analysis.acting.steps import Click, StepTarget
from gasoline_cdp.assets import page_script
from gasoline_cdp.cdp.connection import CdpClosed, CdpError
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.cdp.world import PageFault, call_in_world
from gasoline_cdp.probe.input.actionable import Wanted, ask, check
from gasoline_cdp.probe.input.guard import Named, guarding
from gasoline_cdp.probe.input.keyboard import insert_text, press_keys
from gasoline_cdp.probe.input.pointer import move, press
from gasoline_cdp.probe.input.refusals import Refused, dialog_is_open, problem_of, quotable
from gasoline_cdp.probe.input.replies import catch_up
from gasoline_cdp.probe.input.targets import GROUP, TargetElement, find_target
from gasoline_cdp.redact import safe_text

T = TypeVar("T")

# How long a box may take to show that it was clicked.
_TAKES_SECONDS = 1.0
_HUNG = "the page did not answer: its main thread is busy or hung"


async def until_ready(tab: Tab, until: float, attempt: Callable[[int], Awaitable[T]]) -> T:
    """Try again each time the page has drawn, until it works or the time is over. Raises the last `Refused`."""
    refused: Refused | None = None
    # On a busy machine one look may take long. A page that answers at all is looked at once.
    limit = max(until, trio.current_time() + limits.PAGE_ANSWER_SECONDS)
    for number in count():
        with trio.move_on_at(limit):
            try:
                return await attempt(number)
            except Refused as error:
                if error.final:
                    raise
                if refused is None or not (refused.covered and error.covered):
                    # Each attempt scrolls otherwise, and something else may cover it then. The first one is meant.
                    refused = error
            except (CdpClosed, CdpError, PageFault) as error:
                refused = _lost(tab, error, refused)
            limit = until
            if trio.current_time() < until and not tab.dialog:
                await next_frame(tab)
        if tab.dialog:
            raise Refused(dialog_is_open(tab.dialog), final=True)
        if tab.state != "open":
            # It crashed while it was asked, and never answers.
            raise Refused(gone_words(tab), final=True)
        if trio.current_time() >= until:
            break
    raise refused or Refused(_HUNG)


def _lost(tab: Tab, error: Exception, refused: Refused | None) -> Refused:
    """The page did not answer because it is going. Raises if it will not come back."""
    if tab.state != "open" or tab.session.browser_gone:
        raise Refused(gone_words(tab), final=True) from error
    return refused or Refused("the page kept navigating")


def gone_words(tab: Tab) -> str:
    """What became of a tab that can no longer be acted on."""
    if tab.session.browser_gone:
        return "the browser ended"
    return f"the tab {'was closed' if tab.state == 'closed' else 'crashed: reload it'}"


async def next_frame(tab: Tab) -> None:
    """Wait until the page has drawn once more. Returns at once if there is no page just now."""
    try:
        await call_in_world(tab.session, page_script("page_quiet"), {"quiet_ms": 0})
    except (CdpClosed, CdpError, PageFault):
        # It navigates. A round trip is enough of a pause.
        await trio.lowlevel.checkpoint()


async def click(tab: Tab, target: StepTarget, how: Click, until: float, named: Named) -> str:
    """Click an element."""
    wanted = Wanted(pointer=True, at=how.at)

    async def pressed(attempt: int) -> str:
        element = await find_target(tab, target)
        return await _click(tab, element, how, wanted, attempt, named)

    return await until_ready(tab, until, pressed)


async def _click(tab: Tab, element: TargetElement, how: Click, wanted: Wanted, attempt: int, named: Named) -> str:
    point = await check(element, wanted, attempt)
    assert point is not None  # noqa: S101 - a pointer was wanted
    await move(tab, point, how.modifiers)
    # What the pointer is over may react, and move or cover it.
    after = await check(element, wanted, attempt)
    if after is not None and after != point:
        point = after
        await move(tab, point, how.modifiers)
    shown = tab.loader_id
    async with guarding(tab, element, "pointer") as reached:
        answered = await press(tab, point, how, partial(reached.wait_described, named))
        if answered and tab.loader_id == shown:
            try:
                await catch_up(tab, element.frame.world.session)
            except CdpClosed:
                # It led elsewhere.
                answered = False
    reached.require()
    here = answered and tab.loader_id == shown
    if reached.pressed is None and here:
        raise Refused("the press reached nothing", final=True)
    if here and reached.clicked is False:
        # Lists that open at the press do this: what they draw over the page is what the release is on.
        return f"it was pressed, but the page changed before the release: the click event went to {reached.other}"
    if here and how.button == "left" and reached.clicked is None:
        return "it was pressed, but the page replaced it before a click event"
    return ""


async def hover(tab: Tab, target: StepTarget, until: float) -> str:
    """Move the pointer over an element."""
    wanted = Wanted(pointer=True, enabled=False)

    async def moved(attempt: int) -> str:
        element = await find_target(tab, target)
        point = await check(element, wanted, attempt)
        assert point is not None  # noqa: S101 - as above
        await move(tab, point)
        await check(element, wanted, attempt)
        return ""

    return await until_ready(tab, until, moved)


async def set_checked(tab: Tab, target: StepTarget, until: float, named: Named, *, checked: bool) -> str:
    """Click a checkbox, radio button or switch, unless it is as wanted."""
    state = "checked" if checked else "unchecked"

    async def toggled(attempt: int) -> str:
        element = await find_target(tab, target)
        before = await _state(element)
        if before["checked"] is None:
            raise Refused("it is no checkbox, radio button or switch", final=True)
        if before["checked"] is checked:
            return f"was {state} already"
        if before["radio"] and not checked:
            raise Refused("a radio button is unchecked by checking another one", final=True)
        await _click_box(tab, element, attempt, named)
        return ""

    async def took(_: int) -> str:
        if (await _state(await find_target(tab, target)))["checked"] is not checked:
            raise Refused(f"it was clicked, but is still not {state}")
        return ""

    shown = tab.loader_id
    said = await until_ready(tab, until, toggled)
    if not said and not tab.dialog and tab.loader_id == shown:
        await until_ready(tab, min(until, trio.current_time() + _TAKES_SECONDS), took)
    return said


async def _click_box(tab: Tab, element: TargetElement, attempt: int, named: Named) -> None:
    try:
        await _click(tab, element, Click(), Wanted(pointer=True), attempt, named)
    except Refused as error:
        # Many pages hide the box itself and draw its label.
        label = await _label_of(element)
        if error.final or label is None:
            raise
        await _click(tab, label, Click(), Wanted(pointer=True), attempt, named)


async def _state(element: TargetElement, expected: str | None = None) -> dict[str, Any]:
    return await ask(element.frame.world, "field_state", expected, element.handle)


async def _label_of(element: TargetElement) -> TargetElement | None:
    world = element.frame.world
    label = await world.call_for_handle(page_script("label_of"), element.handle, group=GROUP)
    return TargetElement(element.frame, label, element.node) if label else None


async def fill(tab: Tab, target: StepTarget, value: str, until: float) -> str:
    """Replace what a field holds."""

    async def prepared(attempt: int) -> tuple[TargetElement, dict[str, Any]]:
        element = await _field(tab, target)
        await check(element, Wanted(editable=True), attempt)
        return element, await _prepare(element, value, replace=True)

    element, ready = await until_ready(tab, until, prepared)
    if ready.get("set"):
        return ""
    async with guarding(tab, element, "keys") as reached:
        if value:
            answered = await insert_text(tab, value)
        else:
            answered = bool(ready.get("empty")) or await press_keys(tab, parse_keys("Delete"))
        if answered:
            await catch_up(tab, element.frame.world.session)
    reached.require()
    if not answered:
        return ""
    await element.frame.world.call(page_script("tell_typed"))
    after = await _state(element, value)
    if after["takes"]:
        return ""
    if value and not after["length"]:
        raise Refused("the field is still empty: the page does not take the text", final=True)
    if after["begins"]:
        return f"the field takes only {after['length']} of the {len(value)} characters"
    return "the page changed what was filled in"


async def _field(tab: Tab, target: StepTarget) -> TargetElement:
    """The element, or the field that it is the label of."""
    element = await find_target(tab, target)
    if element.tag != "LABEL":
        return element
    world = element.frame.world
    control = await world.call_for_handle(page_script("labelled_control"), element.handle, group=GROUP)
    return TargetElement(element.frame, control, element.node) if control else element


async def type_keys(tab: Tab, target: StepTarget | None, keys: tuple[KeyPress | str, ...], until: float) -> str:
    """Press keys one by one, in an element or where the focus is."""
    if target is None:
        await press_keys(tab, keys)
        return ""

    async def prepared(attempt: int) -> TargetElement:
        element = await _field(tab, target)
        await check(element, Wanted(), attempt)
        await _prepare(element, "", replace=False)
        return element

    element = await until_ready(tab, until, prepared)
    async with guarding(tab, element, "keys") as reached:
        # Once the first key has arrived, the page may move the focus: so does one with a field for each digit.
        if await press_keys(tab, keys[:1]) and await catch_up(tab, element.frame.world.session) and reached.pressed:
            await press_keys(tab, keys[1:])
    reached.require()
    return ""


async def _prepare(element: TargetElement, value: str, *, replace: bool) -> dict[str, Any]:
    answer = await ask(element.frame.world, "prepare_field", {"value": value, "replace": replace}, element.handle)
    if answer.get("problem") == "refused":
        forms = {"date": "2026-01-31", "time": "23:59", "datetime-local": "2026-01-31T23:59", "month": "2026-01",
                 "week": "2026-W05", "color": "#ff0000"}  # fmt: skip
        kind = str(answer.get("type"))
        if kind == "number":
            raise Refused("the number field does not take this value: it wants digits, such as 1234.5", final=True)
        form = f", it wants {forms[kind]}" if kind in forms else f", it became {safe_text(str(answer['value']), 40)}"
        raise Refused(f"the {kind} field does not take this value{form}", final=True)
    if "problem" in answer:
        raise problem_of(answer)
    return answer


async def select(tab: Tab, target: StepTarget, values: list[str], until: float) -> str:
    """Choose options of a list."""

    async def chose(attempt: int) -> str:
        element = await _field(tab, target)
        await check(element, Wanted(), attempt)
        answer = await ask(element.frame.world, "choose_options", values, element.handle)
        problem = answer.get("problem")
        if problem == "no_select":
            raise Refused("it is no <select>: click it, then click the option", final=True)
        if problem == "not_multiple":
            raise Refused("it takes one option only", final=True)
        if problem:
            value = safe_text(str(answer.get("value")), 60)
            if problem == "disabled_option":
                raise Refused(f"its option {value!r} is disabled")
            options = ", ".join(f'"{quotable(str(one), 40)}"' for one in answer.get("options") or ())
            more = f" and {answer['more']} more" if answer.get("more") else ""
            which = "several options are called" if problem == "ambiguous" else "no option is called"
            raise Refused(f"{which} {value!r}; there are: {options}{more}")
        return "was chosen already" if answer.get("unchanged") else ""

    return await until_ready(tab, until, chose)
