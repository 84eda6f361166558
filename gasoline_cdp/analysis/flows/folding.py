"""Joins recorded actions to the steps of a test: what one action says is not repeated by another."""

from collections.abc import Sequence
from typing import Any

from gasoline_cdp.analysis.elements import element_of
from gasoline_cdp.records import ActionRecord

# A submit within this time of a click or Enter is its effect.
_SUBMIT_SECONDS = 1.0
_DOUBLE_CLICK_SECONDS = 1.0
_EDITING = frozenset({"Backspace", "Delete", "ArrowLeft", "ArrowRight"})


def fold(actions: Sequence[ActionRecord]) -> list[ActionRecord]:
    """The actions that a test has to repeat, in order."""
    kept: list[ActionRecord] = []
    for index, action in enumerate(actions):
        following = actions[index + 1 :]
        if action.type == "submit" and _submits(kept, action):
            continue
        if action.type == "input":
            _drop_editing(kept, action)
        if action.type == "dblclick":
            _drop_clicks(kept, action)
        if action.type == "keypress" and _moves_focus_only(action, following):
            continue
        kept.append(action)
    return [action for index, action in enumerate(kept) if not _only_focuses(action, kept[index + 1 :])]


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


def _submits(kept: list[ActionRecord], submit: ActionRecord) -> bool:
    """Whether a click or Enter just before sent the form."""
    before = next((action for action in reversed(kept) if action.type in {"click", "keypress"}), None)
    return (
        before is not None
        and submit.ts - before.ts <= _SUBMIT_SECONDS
        and (before.type == "click" or before.fields.get("key") == "Enter")
    )


def _drop_editing(kept: list[ActionRecord], typed: ActionRecord) -> None:
    """What was typed before into the same field, and corrected since, is part of the last value."""
    while (
        kept
        and same_element(kept[-1], typed)
        and (kept[-1].type == "input" or (kept[-1].type == "keypress" and kept[-1].fields.get("key") in _EDITING))
    ):
        kept.pop()


def _drop_clicks(kept: list[ActionRecord], double: ActionRecord) -> None:
    for _ in range(2):
        if kept and kept[-1].type == "click" and double.ts - kept[-1].ts <= _DOUBLE_CLICK_SECONDS:
            kept.pop()


def _moves_focus_only(action: ActionRecord, following: Sequence[ActionRecord]) -> bool:
    """Tab from one field to the next: a test goes there by itself."""
    return (
        action.fields.get("key") == "Tab"
        and bool(following)
        and following[0].type in {"input", "select", "click"}
        and following[0].source.tab_id == action.source.tab_id
    )


def _only_focuses(action: ActionRecord, following: Sequence[ActionRecord]) -> bool:
    """A click into a field that is then typed into."""
    if action.type != "click" or not following or action.fields.get("checked") is not None:
        return False
    after = following[0]
    return after.type == "input" and same_element(action, after)
