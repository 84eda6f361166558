"""Turns the recorded steps of a scenario into steps that can be done again."""

from collections.abc import Sequence

from attrs import frozen

from gasoline_cdp.acting.run import PlannedStep
from gasoline_cdp.analysis.flows.flow import Dialog, Step
from gasoline_cdp.analysis.flows.locators import Locator, css_text
from gasoline_cdp.analysis.flows.steps import is_masked

# Locators that are attributes of their element.
_ATTRIBUTES = {"placeholder": "placeholder", "alt": "alt", "title": "title"}


@frozen(kw_only=True)
class Replay:
    """The steps, and why those after them are not repeated; empty if all are."""

    steps: tuple[PlannedStep, ...]
    cut: str = ""


def plan_replay(recorded: Sequence[Step], most: int) -> Replay:
    """The steps up to the first that cannot be repeated: what follows may need it."""
    planned: list[PlannedStep] = []
    for step in recorded:
        if step.kind == "scroll":
            # Each step brings its element into view.
            continue
        if why := _hindrance(step):
            return Replay(steps=tuple(planned), cut=why)
        planned += _plan(step)
        if len(planned) > most:
            return Replay(steps=tuple(planned[:most]), cut=f"at most {most} steps are repeated")
    return Replay(steps=tuple(planned))


def _hindrance(step: Step) -> str:
    """Why a step cannot be repeated."""
    element = step.element or (step.locator.value if step.locator else "")
    if step.secret or is_masked(step.value):
        return f"{step.kind} {element}: its value is secret and was masked when it was recorded".replace("  ", " ")
    if step.kind == "upload":
        return f"upload {element}: the files are not known"
    if step.kind == "comment":
        return step.warning.rstrip(".") or "a step is not known"
    if step.page:
        return "what was done in the tab that a step opened"
    needs_element = step.kind not in {"open", "back", "forward", "reload", "press"}
    if needs_element and not _target(step.locator, step.css):
        return f"{step.kind} {element}: nothing names its element"
    if step.kind == "drag" and not _target(step.target, ""):
        return f"drag {element}: nothing names where it was dropped"
    return ""


def _plan(step: Step) -> list[PlannedStep]:
    target = _target(step.locator, step.css) or None
    match step.kind:
        case "open":
            opened = PlannedStep(do="open", value=step.value)
            # An address with a fragment may be the page that is open: going there loads nothing.
            again = [PlannedStep(do="reload")] if "#" in step.value else []
            return [opened, *again]
        case "back" | "forward" | "reload":
            return [PlannedStep(do=step.kind)]
        case "click":
            words = ["double"] if step.count == 2 else []
            words += [step.button] if step.button != "left" else []
            words += step.modifiers
            words += [f"at {step.position[0]},{step.position[1]}"] if step.position else []
            planned = PlannedStep(do="click", target=target, value=" ".join(words) or None)
        case "press":
            planned = PlannedStep(do="press", target=target, value="+".join((*step.modifiers, step.value)))
        case "select":
            planned = PlannedStep(do="select", target=target, value="\n".join(step.values))
        case "drag":
            planned = PlannedStep(do="drag", target=target, value=_target(step.target, ""))
        case "fill":
            planned = PlannedStep(do="fill", target=target, value=step.value)
        case "check" | "uncheck" | "hover":
            planned = PlannedStep(do=step.kind, target=target)
        case _:
            return []
    return [planned, *(_answer(dialog) for dialog in step.dialogs if dialog.type != "alert")]


def _answer(dialog: Dialog) -> PlannedStep:
    if not dialog.accepted:
        return PlannedStep(do="dialog", value="dismiss")
    return PlannedStep(do="dialog", value=f"accept: {dialog.text}" if dialog.text else "accept")


def _target(locator: Locator | None, css: str) -> str:
    """The element as `act` is told of it. Its path stands in for what only tests can say."""
    if locator is None or locator.container_role:
        return css
    if locator.kind == "test_id":
        return f'[{locator.detail}="{css_text(locator.value)}"]'
    if locator.kind == "role" and '"' not in locator.value:
        return f'{locator.detail} "{locator.value}"'
    if attribute := _ATTRIBUTES.get(locator.kind):
        return f'[{attribute}="{css_text(locator.value)}"]'
    return locator.value if locator.kind == "css" else css
