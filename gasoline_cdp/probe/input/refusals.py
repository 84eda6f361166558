"""Why a step is not done: the reasons, in words that say what to do."""

from typing import Any

from gasoline_cdp.redact import safe_text

_NAME_CHARS = 120


class Refused(Exception):  # noqa: N818 - nothing is wrong with us
    """A step cannot be done now. `final`: waiting will not change that."""

    def __init__(self, reason: str, *, final: bool = False, covered: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.final = final
        self.covered = covered


_PROBLEMS = {
    "detached": "it is no longer in the page",
    "hidden": "it is hidden or has no size",
    "disabled": "it is disabled",
    "inert": "it is in an inert part of the page, such as behind a modal dialog",
    "no_field": "it is no field that takes text",
    "closed_list": "it is an option of a list that is not drawn: use do=select on its <select>",
    "list": "it is a list to choose from: use do=select",
    "checkbox": "it is a checkbox: use do=check or do=uncheck",
    "radio": "it is a radio button: use do=check",
    "file": "it is a file field: use do=upload",
    "no_pointer": "it takes no pointer (pointer-events: none)",
    "readonly": "it is read-only",
    "moving": "it is moving",
    "outside": "no point of it is in the visible part of the page, also after scrolling",
    "no_focus": "it does not take the focus",
}
# What waiting will not change.
_FINAL = frozenset({"no_field", "closed_list", "list", "checkbox", "radio", "file"})


def problem_of(answer: dict[str, Any]) -> Refused:
    """The refusal for what a page script found."""
    problem = str(answer.get("problem"))
    if problem == "covered":
        return Refused(f"{name_of(answer.get('by'))} covers it", covered=True)
    return Refused(_PROBLEMS.get(problem, problem), final=problem in _FINAL)


def dialog_is_open(kind: str) -> str:
    """What to do first."""
    return f"{an(kind)} dialog is open: answer it first with do=dialog"


def an(noun: str) -> str:
    """The noun with its article."""
    return f"{'an' if noun[:1] in 'aeiou' else 'a'} {noun}"


def name_of(named: object) -> str:
    """`#overlay ("We use cookies")`, as a page script names an element."""
    if not isinstance(named, dict):
        return "something else"
    selector = safe_text(str(named.get("selector") or "an element"), _NAME_CHARS)
    text = quotable(str(named.get("text") or ""), 40)
    return f'{selector} ("{text}")' if text else selector


def quotable(text: str, limit: int) -> str:
    """Text of a page to stand in quotes, which it cannot close."""
    return safe_text(" ".join(text.split()), limit).replace('"', "'")
