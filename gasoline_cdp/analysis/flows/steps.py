"""Makes a flow from records: which actions, and which requests, texts, dialogs and pages came of each."""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from attrs import evolve

from gasoline_cdp.analysis.elements import element_of
from gasoline_cdp.analysis.flows.causes import RequestCauses
from gasoline_cdp.analysis.flows.drafts import Draft, FlowRecords
from gasoline_cdp.analysis.flows.effects import add_calls, errors_since, missing_since, with_effects
from gasoline_cdp.analysis.flows.flow import Dialog, Flow, Step, StepKind
from gasoline_cdp.analysis.flows.folding import Folded, fold
from gasoline_cdp.analysis.flows.locators import Locator, locator_of
from gasoline_cdp.analysis.normalise import origin_of
from gasoline_cdp.records import ActionRecord

# A navigation this long after an action is its effect.
_NAVIGATION_SECONDS = 5.0
_REDACTED = "[redacted]"
# A longer text is no name.
_NAME_CHARS = 50
_NOT_A_WORD = re.compile(r"[^A-Za-z0-9]+")


def make_flow(records: FlowRecords) -> Flow | None:
    """The flow of these actions, or None if there is none that a test could repeat."""
    ordered = sorted(records.actions, key=lambda action: (action.ts, action.seq))
    family, elsewhere = _family(ordered, records.openers)
    mine = [action for action in ordered if action.source.tab_id in family]
    causes = RequestCauses(ordered)
    drafts = _drafts(fold(mine, causes.eventful(records)), records)
    if not drafts:
        return None
    add_calls(drafts, records, causes)
    steps = with_effects(drafts, records, causes)
    begin, end = drafts[0].record.ts, mine[-1].ts
    errors = errors_since(records.logs, family, begin)
    warnings = [*dict.fromkeys(step.warning for step in steps if step.warning)]
    if elsewhere:
        warnings.append(f"{elsewhere} actions in other tabs are left out; tab_id chooses another tab.")
    if len(origins := _origins(steps)) > 1:
        warnings.append(f"Goes over {len(origins)} origins ({', '.join(origins)}); base_url would replace each.")
    return Flow(
        steps=tuple(steps),
        started=begin,
        seconds=max(0.0, end - begin),
        first_url=_first_url(steps),
        last_url=_last_url(steps),
        errors=tuple(errors),
        missing=tuple(missing_since(records.network, family, begin)),
        warnings=tuple(warnings),
    )


def _family(ordered: Sequence[ActionRecord], openers: Mapping[int, int]) -> tuple[list[int], int]:
    """The tabs of the flow: the one acted in last, what it opened and what opened it; and the actions elsewhere."""
    if not ordered:
        return [], 0

    def root(tab: int) -> int:
        seen = {tab}
        while (opener := openers.get(tab, 0)) and opener not in seen:
            tab = opener
            seen.add(tab)
        return tab

    acted = [action for action in ordered if action.type != "navigate"] or list(ordered)
    chosen = root(acted[-1].source.tab_id)
    tabs = [*dict.fromkeys(action.source.tab_id for action in ordered)]
    family = sorted((tab for tab in tabs if root(tab) == chosen), key=lambda tab: (tab != chosen, tab))
    elsewhere = sum(action.source.tab_id not in family and action.type != "navigate" for action in ordered)
    return family, elsewhere


def _drafts(folded: Sequence[Folded], records: FlowRecords) -> list[Draft]:
    pages: dict[int, int] = {}
    drafts: list[Draft] = []
    for one in folded:
        action = one.action
        tab = action.source.tab_id
        if tab not in pages:
            pages[tab] = len(pages)
            if pages[tab]:
                _opened(drafts, pages[tab], records.openers.get(tab, 0), action.ts)
        page = pages[tab]
        last = next((draft for draft in reversed(drafts) if draft.step.page == page), None)
        if action.type == "navigate":
            _navigated(drafts, last, action, page)
        elif action.type == "dialog":
            _answered(last or (drafts[-1] if drafts else None), action)
        elif action.type == "download":
            if last is not None:
                last.step = evolve(last.step, download=str(action.fields.get("filename", "")) or "file")
        else:
            if last is None and not page:
                # The recording began in the middle: the test begins at the page of the first action.
                first = Step(kind="open", ts=action.ts, page=page, value=action.source.url)
                drafts.append(Draft(first, action))
            drafts.extend(Draft(step, action, one.all) for step in [_step_of(action, page)] if step is not None)
    for before, after in pairwise(drafts):
        after.step = evolve(after.step, pause=max(0.0, after.step.ts - before.step.ts))
    return drafts


def _opened(drafts: list[Draft], page: int, opener: int, ts: float) -> None:
    """The last action in the opener opened this page."""
    for draft in reversed(drafts):
        if draft.record.source.tab_id == opener and draft.step.ts <= ts + 1.0 and draft.step.opens is None:
            draft.step = evolve(draft.step, opens=page)
            return


def _navigated(drafts: list[Draft], last: Draft | None, action: ActionRecord, page: int) -> None:
    to_url = str(action.fields.get("to_url", ""))
    how = str(action.fields.get("how", ""))
    within = bool(action.fields.get("within_document"))
    if last is None:
        if page:
            # A popup shows its address by itself.
            opener = next((draft for draft in drafts if draft.step.opens == page), None)
            if opener is not None:
                return
        drafts.append(Draft(Step(kind="open", ts=action.ts, page=page, value=to_url), action))
        return
    moved: StepKind | None = _move(drafts, action, to_url) if how in {"reload", "history"} else None
    caused = last.step.kind != "comment" and action.ts - last.ends <= _NAVIGATION_SECONDS
    # A frame of another process navigates the page without the page asking for it.
    by_user = how in {"reload", "address"} and not last.record.source.frame_id
    by_page = not by_user and caused and last.step.kind in {"click", "press"} and not last.step.url_after
    if moved is not None and not by_page:
        drafts.append(Draft(Step(kind=moved, ts=action.ts, page=page, url_after=to_url), action))
    elif not by_user and (caused or within):
        last.step = evolve(last.step, url_after=to_url, loads=last.step.loads or not within)
    else:
        drafts.append(Draft(Step(kind="open", ts=action.ts, page=page, value=to_url), action))


def _move(drafts: list[Draft], action: ActionRecord, to_url: str) -> StepKind:
    """Back, forward or reload: Chrome tells history from reloads, the addresses before tell the direction."""
    if action.fields.get("how") == "reload":
        return "reload"
    tab = action.source.tab_id
    shown = [
        draft.step.url_after or draft.step.value
        for draft in drafts
        if draft.record.source.tab_id == tab and (draft.step.url_after or draft.step.kind == "open")
    ]
    return "back" if to_url in shown[:-1] and not _was_back(drafts, to_url) else "forward"


def _was_back(drafts: list[Draft], to_url: str) -> bool:
    """Whether the last move went back from this address."""
    moves = [draft.step for draft in drafts if draft.step.kind in {"back", "forward"}]
    if not moves or moves[-1].kind != "back":
        return False
    before = [step for draft in drafts if (step := draft.step).url_after or step.kind == "open"]
    index = before.index(moves[-1])
    return index > 0 and (before[index - 1].url_after or before[index - 1].value) == to_url


def _answered(last: Draft | None, action: ActionRecord) -> None:
    if last is None:
        return
    given = action.fields
    dialog = Dialog(
        type=str(given.get("dialog", "alert")),
        message=str(given.get("message", "")),
        accepted=bool(given.get("accepted")),
        text=str(given.get("text", "")),
    )
    last.step = evolve(last.step, dialogs=(*last.step.dialogs, dialog))
    last.answered = action.ts


def _step_of(action: ActionRecord, page: int) -> Step | None:
    """The step of one action, without its effects."""
    given = action.fields
    locator = locator_of(action.selectors)
    step = Step(
        kind="comment",
        ts=action.ts,
        page=page,
        locator=locator,
        element=_name_of(action, locator),
        css=str(action.selectors.get("css") or ""),
        modifiers=tuple(given.get("modifiers") or ()),
    )
    made = _STEPS.get(action.type, _unknown)(step, action)
    if made is None or made.kind in {"comment", "scroll", "press"}:
        return made
    if made.locator is None:
        return evolve(
            made,
            kind="comment",
            warning=f"{made.kind} {step.element or 'an element'}: no selector was unique when recorded; add one.",
        )
    if made.locator.is_fragile:
        return evolve(made, warning=f"{made.element or made.locator.value} is found by its position; add a test id.")
    return made


def _name_of(action: ActionRecord, locator: Locator | None) -> str:
    """What a reader calls the element: rather by its text, or by the row that it stands in, than by a path to it."""
    named = element_of(action.selectors) or ""
    if locator is None or locator.kind != "css":
        return named
    shown = str(action.fields.get("text") or "")
    if 0 < len(shown) <= _NAME_CHARS and not is_masked(shown):
        named = f'"{shown}"'
    elif locator.container_role:
        named = locator.value
    return (
        f'{named} in the {locator.container_role} with "{locator.container_text}"' if locator.container_role else named
    )


def _click(step: Step, action: ActionRecord) -> Step:
    checked = action.fields.get("checked")
    if checked is not None and not step.modifiers:
        return evolve(step, kind="check" if checked else "uncheck")
    position = _point(action, "at")
    buttons: dict[str, Any] = {"contextmenu": "right", "auxclick": "middle"}
    warning = ""
    if action.fields.get("closed_root"):
        warning = f"{step.element or 'An element'} hides what is inside it; the test clicks the same position."
    return evolve(
        step,
        kind="click",
        count=2 if action.type == "dblclick" else 1,
        button=buttons.get(action.type, "left"),
        position=position,
        warning=warning,
    )


def _fill(step: Step, action: ActionRecord) -> Step:
    value = str(action.fields.get("value", ""))
    files = action.fields.get("files")
    if isinstance(files, list):
        names = tuple(str(name) for name in files)
        return evolve(
            step, kind="upload", values=names, warning=f"Put a file in place of {', '.join(names) or 'the upload'}."
        )
    if value == _REDACTED or is_masked(value):
        name = secret_name(step.element or (step.locator.value if step.locator else ""))
        warning = f"The value of {step.element or 'a field'} was masked: set {name} in the environment."
        return evolve(step, kind="fill", secret=name, warning=warning)
    return evolve(step, kind="fill", value=value)


def _select(step: Step, action: ActionRecord) -> Step:
    chosen = action.fields.get("selected_value", "")
    values = tuple(map(str, chosen)) if isinstance(chosen, list) else (str(chosen),)
    if any(is_masked(value) or value == _REDACTED for value in values):
        name = secret_name(step.element)
        warning = f"The choice in {step.element or 'a field'} was masked: set {name} in the environment."
        return evolve(step, kind="select", secret=name, warning=warning)
    return evolve(step, kind="select", values=values)


def _press(step: Step, action: ActionRecord) -> Step:
    return evolve(step, kind="press", value=str(action.fields.get("key", "")))


def _drag(step: Step, action: ActionRecord) -> Step:
    target = action.fields.get("target")
    drop_zone = locator_of(target) if isinstance(target, dict) else None
    if drop_zone is None:
        return evolve(
            step, kind="comment", warning=f"Dragging {step.element or 'an element'}: where it was dropped is not known."
        )
    return evolve(step, kind="drag", target=drop_zone, position=_point(action, "from"), drop_at=_point(action, "to"))


def _point(action: ActionRecord, name: str) -> tuple[int, int] | None:
    at = action.fields.get(name)
    return (int(at[0]), int(at[1])) if isinstance(at, list) and len(at) == 2 else None


def _scroll(step: Step, action: ActionRecord) -> Step:
    x, y = int(action.fields.get("scroll_x", 0)), int(action.fields.get("scroll_y", 0))
    return evolve(step, kind="scroll", position=(x, y))


def _hover(step: Step, _: ActionRecord) -> Step:
    return evolve(step, kind="hover")


def _submit(step: Step, _: ActionRecord) -> Step:
    return evolve(
        step, kind="comment", warning="A form was sent by neither a click nor Enter; the test does not send it."
    )


def _script(step: Step, _: ActionRecord) -> Step:
    return evolve(
        step, kind="comment", warning="A script ran in the page; its text is not kept, so the test does not run it."
    )


def _unknown(step: Step, action: ActionRecord) -> Step | None:
    return evolve(step, kind="comment", warning=f"An action of the type {action.type} cannot be repeated.")


_STEPS: dict[str, Callable[[Step, ActionRecord], Step | None]] = {
    "click": _click,
    "dblclick": _click,
    "contextmenu": _click,
    "auxclick": _click,
    "input": _fill,
    "select": _select,
    "keypress": _press,
    "drag": _drag,
    "hover": _hover,
    "scroll": _scroll,
    "submit": _submit,
    "script": _script,
}


def is_masked(value: str) -> bool:
    """Whether a part of a value was masked when it was recorded."""
    return "[REDACTED]" in value or "…" in value


def secret_name(element: str) -> str:
    """`textbox "Password"` → `TEST_PASSWORD`."""
    words = element.partition('"')[2].rpartition('"')[0] or element
    name = _NOT_A_WORD.sub("_", words).strip("_").upper().removeprefix("ID_")[:40]
    return f"TEST_{name or 'VALUE'}"


def _origins(steps: Sequence[Step]) -> list[str]:
    addresses = (address for step in steps for address in (step.value if step.kind == "open" else "", step.url_after))
    return [*dict.fromkeys(origin_of(address) for address in addresses if address)]


def _first_url(steps: Sequence[Step]) -> str:
    return next((step.value for step in steps if step.kind == "open"), "")


def _last_url(steps: Sequence[Step]) -> str:
    return next((step.url_after or step.value for step in reversed(steps) if step.url_after or step.kind == "open"), "")
