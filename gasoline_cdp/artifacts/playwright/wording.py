"""What the comments of a generated test say, the same in every language."""

from datetime import UTC, datetime
from urllib.parse import urlsplit

from attrs import frozen

from gasoline_cdp.analysis.flows.flow import Flow, ShownText, Step

_COMMENT_CHARS = 160
_ERRORS_LISTED = 10
# Moves of the pointer from where a drag begins to where it ends. SortableJS looks away for 30 ms after each change:
# fewer moves are over before it looks again.
DRAG_STEPS = 100
# What Playwright gives a test by itself, and what a step may need of it.
TEST_SECONDS = 30
_STEP_SECONDS = 3


@frozen(kw_only=True)
class Assertions:
    """What a generated test checks."""

    network: bool = True
    response_shape: bool = True
    no_errors: bool = True
    dom_state: bool = True
    visual: bool = False


def header(flow: Flow) -> list[str]:
    """When it was recorded, and what it contains."""
    when = datetime.fromtimestamp(flow.started, UTC).strftime("%Y-%m-%d %H:%M UTC")
    actions = sum(step.kind not in {"open", "comment"} for step in flow.steps)
    counts = f"{_count(actions, 'action')}, {_count(flow.call_count, 'call')}, {_count(len(flow.errors), 'error')}"
    lines = [
        f"Recorded on {when}, {flow.seconds:.0f} s: {counts}. {_short(flow.first_url)} to {_short(flow.last_url)}."
    ]
    return [comment(line) for line in lines]


def seconds_needed(flow: Flow) -> int:
    """How long a test of a flow may run: a long one takes longer than test runners expect."""
    return max(TEST_SECONDS, _STEP_SECONDS * len(flow.steps))


def step_title(step: Step, base_url: str = "") -> str:
    """`Click button "Save"`."""
    of_page = f" (page {step.page + 1})" if step.page else ""
    return comment(f"{_what(step, base_url)}{of_page}")


def _what(step: Step, base_url: str) -> str:
    element = step.element or (step.locator.value if step.locator else "the page")
    match step.kind:
        case "open":
            return f"Open {relative(step.value, base_url)}"
        case "back" | "forward" | "reload":
            return {"back": "Go back", "forward": "Go forward", "reload": "Reload"}[step.kind]
        case "click":
            how = {"right": "Right-click", "middle": "Middle-click"}.get(step.button, "Click")
            return f"{'Double-click' if step.count == 2 else how} {element}"
        case "fill":
            return f"Fill {element}"
        case "select":
            return f"Choose in {element}"
        case "press":
            return f"Press {'+'.join((*step.modifiers, step.value))}" + (f" in {element}" if step.locator else "")
        case "drag":
            return f"Drag {element}"
        case "upload":
            return f"Choose a file in {element}"
        case "comment":
            return "Not repeated"
        case _:
            return f"{step.kind.capitalize()} {element}"


def beside_outline(step: Step) -> list[ShownText]:
    """What a step showed, without the texts that the outline of the region expects."""
    outlined = step.outline.texts if step.outline else set()
    return [shown for shown in step.shows if shown.gone or shown.kind == "test_id" or shown.text not in outlined]


def error_lines(flow: Flow) -> list[str]:
    """Errors of the recording, as a reason for not expecting none."""
    if not flow.errors:
        return []
    lines = [f"  {error}" for error in flow.errors[:_ERRORS_LISTED]]
    if len(flow.errors) > _ERRORS_LISTED:
        lines.append(f"  and {len(flow.errors) - _ERRORS_LISTED} more")
    reason = "Not checked that the page logs no errors, since it did while this was recorded:"
    return [comment(line) for line in (reason, *lines)]


def comment(text: str) -> str:
    """One line that ends no comment early."""
    flat = " ".join(text.split())
    indent = text[: len(text) - len(text.lstrip())]
    flat = flat if len(flat) <= _COMMENT_CHARS else flat[: _COMMENT_CHARS - 1] + "…"
    return f"{indent}{flat}"


def relative(url: str, base_url: str) -> str:
    """A URL as the test opens it: below the base URL it is a path."""
    parts = urlsplit(url)
    path = (
        (parts.path or "/")
        + (f"?{parts.query}" if parts.query else "")
        + (f"#{parts.fragment}" if parts.fragment else "")
    )
    if base_url:
        return f"{base_url.rstrip('/')}{path}"
    return url


def _short(url: str) -> str:
    return urlsplit(url).path or "/"


def _count(number: int, noun: str) -> str:
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"
