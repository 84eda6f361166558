"""The parser and the schema that clients are shown say the same of any JSON."""

from typing import Any, get_args, get_origin

import attrs
import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gasoline_cdp import wire
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.operation import Tool
from gasoline_cdp.tools.registry import TOOLS

pytestmark = pytest.mark.requirement("F1-TOOLS")

TEXT = st.text(alphabet=st.characters(exclude_categories=()), max_size=10)
FLOAT = st.floats(allow_nan=False, allow_infinity=False)
NUMBER = st.integers(-2, 60_000) | st.sampled_from([3.0, 3.7, -0.0, 1e300, 10**30, 2**64, 0.5]) | FLOAT
JSON = st.recursive(
    st.none() | st.booleans() | NUMBER | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


def values_of(declared: dict[str, Any]) -> st.SearchStrategy[Any]:
    """What an argument takes."""
    low, high = declared.get("minimum", 0), declared.get("maximum", 100)
    right: dict[str, st.SearchStrategy[Any]] = {
        "string": st.sampled_from(declared.get("enum") or ["r1", "5m", ""]),
        "integer": st.integers(low, high) | st.integers(low, high).map(float),
        "number": st.integers(low, high) | st.floats(low, high),
        "boolean": st.booleans(),
        "array": st.lists(values_of(declared["items"]), max_size=2) if declared.get("items") else st.just([]),
        "object": st.just({}),
    }
    return right[declared["type"]] if "type" in declared else JSON


@st.composite
def nearly_right(draw: st.DrawFn, tool: Tool) -> dict[str, Any]:
    """Arguments as they should be, but for one, perhaps."""
    schema = wire.schema_of(tool.args)
    fields = {name: values_of(declared) for name, declared in schema["properties"].items()}
    required = schema.get("required", ())
    arguments: dict[str, Any] = draw(
        st.fixed_dictionaries(
            {name: fields[name] for name in required},
            optional={name: values for name, values in fields.items() if name not in required},
        )
    )
    name = draw(st.none() | st.sampled_from([*fields, *fields, "unknown"]))
    if name is not None:
        declared = schema["properties"].get(name, {})
        edges = [declared[bound] + step for bound, step in (("minimum", -1), ("maximum", 1)) if bound in declared]
        lookalikes = st.sampled_from(["false", "3", 3.7, True, "abc", [True], None])
        arguments[name] = draw(lookalikes | JSON | (st.sampled_from(edges) if edges else JSON))
    return arguments


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS.keys())
@settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_the_parser_takes_what_the_schema_takes_and_nothing_else(tool: Tool, data: st.DataObject) -> None:
    arguments = data.draw(nearly_right(tool) | nearly_right(tool) | JSON)
    # Null means absent, at the top and for each argument; a schema has no words for that.
    shown = arguments if arguments is not None else {}
    schema = wire.schema_of(tool.args)
    if isinstance(shown, dict):
        shown = {name: value for name, value in shown.items() if value is not None or name not in schema["properties"]}
    valid = jsonschema.Draft202012Validator(schema).is_valid(shown)
    # A schema that said what goes with which action would be many times as long.
    if valid and isinstance(shown, dict) and not without_effect(tool, shown):
        parsed: Any = wire.parse(tool.args, arguments)
        assert isinstance(parsed, tool.args)
        assert_typed(parsed)
        return
    with pytest.raises(GasolineError) as refusal:
        wire.parse(tool.args, arguments)
    assert refusal.value.code is Code.INVALID_PARAMS
    assert refusal.value.details["problems"]
    wire.encode({"message": refusal.value.message, **refusal.value.details})


def without_effect(tool: Tool, arguments: dict[str, Any]) -> set[str]:
    """The arguments that ask for something which the chosen action or view has no use for."""
    fields = {field.name: field for field in attrs.fields(tool.args)}
    chosen = next((arguments[name] for name, field in fields.items() if "chooses" in field.metadata), None)
    return {
        name
        for name, value in arguments.items()
        if (only := fields[name].metadata.get("only")) and chosen not in only
        if value not in (fields[name].default, "", [])
    }


def assert_typed(parsed: Any) -> None:
    """Nothing was taken for something else: each field holds what its class says."""
    for field in attrs.fields(attrs.resolve_types(type(parsed))):
        value = getattr(parsed, field.name)
        if value is not None and isinstance(field.type, type):
            assert type(value) is field.type
        elif isinstance(value, list) and get_origin(field.type) is list:
            for item in value:
                assert type(item) is get_args(field.type)[0] or not isinstance(get_args(field.type)[0], type)
        elif value is not None and all(isinstance(member, type) for member in get_args(field.type)):
            assert type(value) in get_args(field.type)
