"""What each tool answers: the classes its answers are made of, and their JSON Schema."""

from typing import Any, get_args, get_type_hints

import attrs

from gasoline_cdp import wire
from gasoline_cdp.operations.jobs import Pending
from gasoline_cdp.operations.operation import Tool
from gasoline_cdp.tools.observe import LIVE_VIEWS, VIEWS
from gasoline_cdp.tools.registry import TOOLS
from gasoline_cdp.views.screenshot import ScreenshotAnswer
from gasoline_cdp.views.status import Status

# Views of `observe` whose function does not say by itself what they answer.
_VIEWS: dict[str, list[type]] = {
    "status": [Status],
    "screenshot": [ScreenshotAnswer],
    "analyze_result": [Pending],
}


def observed() -> dict[str, list[type]]:
    """What each view of `observe` answers. That of `analyze_result` may also be any slow tool's answer."""
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
        found = [answer for view in observed().values() for answer in view]
    else:
        found = classes_in(get_type_hints(tool.run)["return"]) or [tool.answer]
        found += [Pending] if tool.may_be_slow else []
    return list(dict.fromkeys(found))


def output_schema(tool: Tool) -> dict[str, Any]:
    """The JSON Schema of a tool's answer. Errors have one shape of their own."""
    schemas = [{"title": cls.__name__, **wire.schema_of(cls)} for cls in answers_of(tool)]
    return schemas[0] if len(schemas) == 1 else {"type": "object", "anyOf": schemas}


def classes_in(kind: Any) -> list[type]:
    """The attrs classes that a type is made of."""
    if isinstance(kind, type) and attrs.has(kind):
        return [kind]
    return [cls for member in get_args(kind) for cls in classes_in(member)]


def fields_of(cls: type) -> tuple[Any, ...]:
    """The fields that the JSON of an attrs class has, with their types evaluated."""
    fields: tuple[Any, ...] = attrs.fields(attrs.resolve_types(cls))
    return tuple(field for field in fields if "internal" not in field.metadata)
