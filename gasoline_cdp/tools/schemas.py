"""The answer classes of each tool, and their JSON Schema."""

from typing import Any, get_args, get_type_hints

import attrs

from gasoline_cdp import wire
from gasoline_cdp.operations.jobs import Pending
from gasoline_cdp.operations.operation import Tool
from gasoline_cdp.tools.observe import LIVE_VIEWS, VIEWS
from gasoline_cdp.tools.registry import TOOLS
from gasoline_cdp.views.screenshot import ScreenshotAnswer
from gasoline_cdp.views.status import Status

# Views of `observe` whose return annotation does not name the answer class.
_VIEWS: dict[str, list[type]] = {
    "status": [Status],
    "screenshot": [ScreenshotAnswer],
    "analyze_result": [Pending],
}


def observed() -> dict[str, list[type]]:
    """The answer classes of each view of `observe`. `analyze_result` may also return any slow tool's answer."""
    views: dict[str, list[type]] = {}
    what = next(field for field in fields_of(TOOLS["observe"].args) if field.name == "what")
    for name in get_args(what.type):
        view = LIVE_VIEWS.get(name) or VIEWS.get(name)
        views[name] = _VIEWS.get(name) or classes_in(get_type_hints(view)["return"])
        if not views[name]:
            raise TypeError(f"observe({name}) does not say what it answers: annotate its function.")
    return views


def answers_of(tool: Tool) -> list[type]:
    """The classes of a tool's possible answers, each once."""
    if tool.name == "observe":
        classes = [answer for view in observed().values() for answer in view]
    else:
        classes = classes_in(get_type_hints(tool.run)["return"]) or [tool.answer]
        classes += [Pending] if tool.may_be_slow else []
    return list(dict.fromkeys(classes))


def output_schema(tool: Tool) -> dict[str, Any]:
    """The JSON Schema of a tool's answer. Errors have their own shape."""
    schemas = [{"title": cls.__name__, **wire.schema_of(cls)} for cls in answers_of(tool)]
    return schemas[0] if len(schemas) == 1 else {"type": "object", "anyOf": schemas}


def classes_in(kind: Any) -> list[type]:
    """The attrs classes in a type."""
    if isinstance(kind, type) and attrs.has(kind):
        return [kind]
    return [cls for member in get_args(kind) for cls in classes_in(member)]


def fields_of(cls: type) -> tuple[Any, ...]:
    """The fields of an attrs class that appear in JSON, with resolved types."""
    fields: tuple[Any, ...] = attrs.fields(attrs.resolve_types(cls))
    return tuple(field for field in fields if "internal" not in field.metadata)
