"""Joins recorded actions to the steps of a test: what one action says is not repeated by another."""

from collections.abc import Collection, Sequence
from typing import Any

from attrs import define, field

from gasoline_cdp.analysis.elements import element_of
from gasoline_cdp.records import ActionRecord

# A submit within this time of a click or Enter is its effect.
_SUBMIT_SECONDS = 1.0
_DOUBLE_CLICK_SECONDS = 1.0
# The click that comes with the end of a drag.
_DRAG_SECONDS = 0.1
_EDITING = frozenset({"Backspace", "Delete", "ArrowLeft", "ArrowRight"})
# A click on such a field sets its value, which was reported.
_SET_BY_POINTER = frozenset({"range", "color", "date", "time", "month", "week", "datetime-local", "file"})


@define
class Folded:
    """An action that a test has to repeat, and those that it includes."""

    action: ActionRecord
    parts: list[ActionRecord] = field(factory=list)

    @property
    def all(self) -> list[ActionRecord]:
        """Every action that it stands for."""
        return [*self.parts, self.action]


def fold(actions: Sequence[ActionRecord], eventful: Collection[int] = ()) -> list[Folded]:
    """The actions that a test has to repeat, in order. `eventful`: numbers of those that led to something."""
    kept: list[Folded] = []
    # Parts of the step that comes next.
    pending: list[ActionRecord] = []
    for index, action in enumerate(actions):
        if into := _part_of(kept, action):
            into.parts.append(action)
            continue
        if action.type == "keypress" and _moves_focus_only(action, actions[index + 1 :]):
            pending.append(action)
            continue
        folded = Folded(action, pending)
        pending = []
        _absorb(kept, folded, eventful)
        kept.append(folded)
    return kept


def _part_of(kept: list[Folded], action: ActionRecord) -> Folded | None:
    """The step before, if this action only completes it."""
    if action.type == "submit":
        return _submitted_by(kept, action)
    if action.type != "click" or not kept:
        return None
    last = kept[-1].action
    if last.type == "drag":
        # Pressed and released on the same element.
        return kept[-1] if action.ts - last.ts <= _DRAG_SECONDS else None
    sets = last.type == "input" and last.fields.get("input_type") in _SET_BY_POINTER
    return kept[-1] if sets and same_element(last, action) else None


def _absorb(kept: list[Folded], folded: Folded, eventful: Collection[int]) -> None:
    """Take in what led only to this action."""
    action = folded.action
    while kept and _leads_to(kept[-1].action, action, eventful):
        folded.parts[:0] = kept.pop().all
    if action.type == "dblclick":
        for _ in range(2):
            if kept and kept[-1].action.type == "click" and action.ts - kept[-1].action.ts <= _DOUBLE_CLICK_SECONDS:
                folded.parts[:0] = kept.pop().all


def _leads_to(before: ActionRecord, action: ActionRecord, eventful: Collection[int]) -> bool:
    """Whether an action is part of typing: of a correction, or a click into the field that did nothing else."""
    if action.type not in {"input", "select"} or not same_element(before, action):
        return False
    if before.type == "click":
        return before.fields.get("checked") is None and before.seq not in eventful
    if action.type == "select":
        return False
    return before.type == "input" or (before.type == "keypress" and before.fields.get("key") in _EDITING)


def same_element(one: ActionRecord, other: ActionRecord) -> bool:
    """Whether two actions are about the same element of the same document."""
    return (
        (one.source.tab_id, one.source.navigation, one.source.frame_id)
        == (other.source.tab_id, other.source.navigation, other.source.frame_id)
        and bool(one.selectors)
        and _identity(one) == _identity(other)
    )


def _identity(action: ActionRecord) -> Any:
    return action.selectors.get("css") or element_of(action.selectors)


def _submitted_by(kept: list[Folded], submit: ActionRecord) -> Folded | None:
    """The click or Enter just before that sent the form."""
    before = next((one for one in reversed(kept) if one.action.type in {"click", "keypress"}), None)
    if before is None or submit.ts - before.action.ts > _SUBMIT_SECONDS:
        return None
    return before if before.action.type == "click" or before.action.fields.get("key") == "Enter" else None


def _moves_focus_only(action: ActionRecord, following: Sequence[ActionRecord]) -> bool:
    """Tab from one field to the next: a test goes there by itself."""
    return (
        action.fields.get("key") == "Tab"
        and bool(following)
        and following[0].type in {"input", "select", "click"}
        and following[0].source.tab_id == action.source.tab_id
    )
