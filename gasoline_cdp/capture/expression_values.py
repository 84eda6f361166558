"""What an expression is worth where a target stands still."""

from collections.abc import Iterator, Sequence
from typing import Any

from gasoline_cdp import debug_limits
from gasoline_cdp.analysis.expressions import split_expressions
from gasoline_cdp.capture.debugger import DebuggedTarget
from gasoline_cdp.capture.plain_previews import plain_previews
from gasoline_cdp.capture.previews import deep_previews
from gasoline_cdp.capture.rendering import render_variables
from gasoline_cdp.capture.sourcemaps import SourceMaps
from gasoline_cdp.capture.stacks import mapping, split_error
from gasoline_cdp.capture.variables import expression_as_it_runs
from gasoline_cdp.cdp.connection import Params, Session
from gasoline_cdp.redact import EDGE, safe_text

_MOST = {"levels": 4, "items": 20, "parts": 150, "string": 200 + EDGE}
_GROUP = "gasoline-log-point"
# Parts of an expression that are read one by one.
_NAMES = 10


async def read_values(target: DebuggedTarget, expression: str, frame: Params, source_maps: SourceMaps) -> str:
    """`cart.total = 84, coupon = undefined`. If one of several cannot be read, the others are read one by one."""
    try:
        text, is_read = await _read(target, expression, frame, source_maps)
        names = split_expressions(expression)[:_NAMES]
        if not is_read and len(names) > 1:
            one_by_one = [(await _read(target, name, frame, source_maps))[0] for name in names]
            text = ", ".join(one_by_one)
    finally:
        target.session.post("Runtime.releaseObjectGroup", {"objectGroup": _GROUP})
    return safe_text(text, debug_limits.CATCH_CHARS)


async def _read(target: DebuggedTarget, expression: str, frame: Params, source_maps: SourceMaps) -> tuple[str, bool]:
    """The values of an expression, or why there are none; and whether there are."""
    session = target.session
    reply = await _evaluate(session, expression, frame)
    if _thrown(reply).startswith("ReferenceError") and (
        runs := await _as_it_runs(target, expression, frame, source_maps)
    ):
        reply = await _evaluate(session, runs, frame)
    thrown = _thrown(reply)
    if thrown.startswith("EvalError: Possible side-effect"):
        return f"{expression} not read: that would run code with an effect. Log the object that it is in", False
    if thrown:
        return f"{expression} threw {split_error(thrown)[0]}", False
    reference = str(mapping(reply.get("result")).get("objectId"))
    previews: Sequence[object] | None = await deep_previews(session, [reference], _MOST)
    if previews is None:
        previews = await plain_previews(session, [reference], _MOST["string"])
    parts = mapping(previews[0]).get("properties") if previews else None
    if not isinstance(parts, list):
        return f"{expression} could not be read", False
    return render_variables(_named(expression, parts)), True


async def _as_it_runs(target: DebuggedTarget, expression: str, frame: Params, source_maps: SourceMaps) -> str:
    """The expression with the names that a minifier gave, if the map tells them; empty if that changes nothing."""
    script = target.script_of(frame)
    if script is None or not script.is_mapped:
        return ""
    text, source_map = await source_maps.code_of(script.url, script.script_id, target.source(), target.session)
    if source_map is None:
        return ""
    runs = expression_as_it_runs(expression, frame, text, source_map)
    return runs if runs != expression else ""


async def _evaluate(session: Session, expression: str, frame: Params) -> Params:
    """The values of a list of expressions where a target stands still."""
    return await session.send(
        "Debugger.evaluateOnCallFrame",
        {
            "callFrameId": frame.get("callFrameId"),
            "expression": f"[\n{expression}\n]",
            "silent": True,
            "throwOnSideEffect": True,
            "objectGroup": _GROUP,
        },
    )


def _thrown(reply: Params) -> str:
    """What an expression threw; empty if it did not."""
    details = mapping(reply.get("exceptionDetails"))
    return str(mapping(details.get("exception")).get("description") or details.get("text") or "")


def _named(expression: str, parts: list[Any]) -> Iterator[Params]:
    """The parts of a value with the parts of the expression as their names."""
    names = split_expressions(expression)
    values = [mapping(part) for part in parts if str(mapping(part).get("name")).isdecimal()]
    for index, value in enumerate(values):
        yield {**value, "name": names[index] if len(names) == len(values) else f"[{index}]"}
