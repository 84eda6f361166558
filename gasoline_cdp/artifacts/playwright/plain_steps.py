"""A flow as numbered sentences, for an issue tracker."""

from gasoline_cdp.analysis.flows.flow import Flow, Step
from gasoline_cdp.artifacts.playwright.wording import comment, step_title


def write_steps(flow: Flow, error: str = "") -> str:
    """`3. Click button "Submit"`, with pauses, and the error at the end, if there is one."""
    lines = []
    for number, step in enumerate(flow.steps, 1):
        if step.pause:
            lines.append(f"   [{step.pause:.0f} s pause]")
        lines.append(f"{number}. {step_title(step)}{_with(step)}")
        lines.extend(f"   The page asks ({dialog.type}): {comment(dialog.message)}" for dialog in step.dialogs)
    if error:
        lines.append(f"# Error: {comment(error)}")
    return "\n".join(lines) + "\n"


def _with(step: Step) -> str:
    if step.secret:
        return f" with the value of {step.secret}"
    if step.kind == "fill":
        return f" with {comment(repr(step.value))}"
    if step.kind in {"select", "upload"}:
        return f": {comment(', '.join(step.values))}"
    return ""
