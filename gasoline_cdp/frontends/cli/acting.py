"""`gasoline-cdp act STEP…` and its short forms: acts on the page from a shell, in the words of the tool."""

import json
import sys
from collections.abc import Sequence
from typing import Any, get_args

from gasoline_cdp.analysis.acting.steps import Do, check_step
from gasoline_cdp.answers.text import write_lines
from gasoline_cdp.frontends.cli.answers import read_lines, show_answer
from gasoline_cdp.frontends.invocation import NAME, UsageError, as_typed
from gasoline_cdp.frontends.local import bridge

_DOS = get_args(Do)
# Stands between the target of a step and its value.
_BETWEEN = " = "
# Of these, what is not followed by a value is a target.
_TARGET_FIRST = {"click", "hover", "fill", "select", "check", "uncheck", "drag", "upload"}

Step = dict[str, Any]


def run_act(steps: Sequence[Step], *, tab_id: int | None, wait_for: str | None, as_json: bool, as_lines: bool) -> int:
    """Do the steps. Exit code 1 if one failed."""
    if as_json and as_lines:
        raise UsageError(f"{NAME} act: give --json or --lines, not both")
    for step in steps:
        if problem := check_step(step["do"], step.get("target"), step.get("value")):
            raise UsageError(f"{NAME} act: {problem}.\nSee {as_typed(f'{NAME} act --help')}")
    arguments = {"steps": list(steps), "tab_id": tab_id, "wait_for": wait_for}
    as_json = as_json or not (as_lines or sys.stdout.isatty())
    answer = bridge.ask_tool(
        "act", {name: value for name, value in arguments.items() if value is not None}, lines=not as_json
    )
    if as_json:
        print(json.dumps(answer["data"], ensure_ascii=False))
    elif as_lines and "lines" in answer and not answer["is_error"]:
        print(write_lines(read_lines(answer["lines"])))
    else:
        show_answer(answer)
    return 0 if not answer["is_error"] and answer.get("data", answer).get("success", True) else 1


def parse_step(text: str) -> Step:
    """`fill #email = ada@example.org`: what to do, its target, and after ` = ` its value."""
    do, _, rest = text.strip().partition(" ")
    if do not in _DOS:
        raise UsageError(f"{NAME} act: {do[:40]!r} is no step; steps begin with {', '.join(_DOS)}.")
    target, between, value = rest.partition(_BETWEEN)
    step: Step = {"do": do}
    if between:
        return step | {"target": target.strip(), "value": value}
    if rest.strip():
        step["target" if do in _TARGET_FIRST else "value"] = rest.strip()
    return step
