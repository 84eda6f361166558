"""The JSON boundary: parses arguments and names every problem at once, encodes answers, and has the schema of both."""

import difflib
import reprlib
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

import attrs
import cattrs
import orjson
from cattrs.gen import make_dict_unstructure_fn, override

from gasoline_cdp.errors import Code, GasolineError

T = TypeVar("T")
_MISSING = attrs.NOTHING


def arg(
    description: str,
    *,
    default: Any = _MISSING,
    minimum: int | None = None,
    maximum: int | None = None,
    only: tuple[str, ...] = (),
) -> Any:
    """Declare an argument: its description, its bounds, and the actions or views that use it, if not all do."""
    metadata = {"description": description, "minimum": minimum, "maximum": maximum, "only": only}
    return attrs.field(default=default, metadata=metadata)


def choice(description: str) -> Any:
    """Declare the argument that selects the action or the view. `only` of other arguments names its values."""
    return attrs.field(metadata={"description": description, "chooses": True})


def entries_of(*classes: type) -> Any:
    """Declare a list of entries of these classes; some are `Encoded`, because their size was looked at."""
    return attrs.field(metadata={"items": classes})


def internal(default: Any) -> Any:
    """Declare a field for those who render the answer: it is no part of its JSON."""
    return attrs.field(default=default, metadata={"internal": True})


class Encoded(dict[str, Any]):
    """The values of an `entry`, encoded to see how large they are: their JSON is used again, so they cannot change."""

    def __init__(self, values: Mapping[str, Any], json: bytes | None = None, *, entry: object = None) -> None:
        super().__init__(values)
        self.json = encode(values) if json is None else json
        self.entry = entry

    def __setitem__(self, name: str, value: Any) -> None:
        raise TypeError("these values are encoded already; use `extended`")

    def extended(self, **more: Any) -> "Encoded":
        """The same with more fields at its end."""
        entry: Any = self.entry
        entry = attrs.evolve(entry, **more) if attrs.has(type(entry)) else entry
        return Encoded({**self, **more}, extend(self.json, more), entry=entry)


def typed(entry: Any) -> Any:
    """An entry as an instance of its class, whether it was encoded or not."""
    return entry.entry if isinstance(entry, Encoded) else entry


def _strict_bool(value: Any, _: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise ValueError("must be true or false")


def _strict_int(value: Any, _: Any) -> int:
    is_whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not is_whole:
        raise ValueError("must be a whole number")
    return int(value)


def _strict_float(value: Any, _: Any) -> float:
    # This also excludes NaN, which Python's JSON accepts and no bound refuses.
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= sys.float_info.max:
        raise ValueError("must be a number")
    return float(value)


def _strict_str(value: Any, _: Any) -> str:
    if isinstance(value, str):
        return value
    raise ValueError("must be a string")


def _strict_literal(value: Any, kind: Any) -> Any:
    choices = get_args(kind)
    if value not in choices:
        raise ValueError(_not_among(value, choices))
    return value


def _strict_list(value: Any, kind: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError("must be a list")  # noqa: TRY004
    return [_converter.structure(element, get_args(kind)[0]) for element in value]


def _strict_dict(value: Any, kind: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("must be an object")  # noqa: TRY004 - as above
    return {str(name): _converter.structure(one, get_args(kind)[1]) for name, one in value.items()}


def _is_a(origin: Any) -> Callable[[Any], bool]:
    return lambda kind: get_origin(kind) is origin


def _make_converter() -> cattrs.Converter:
    # The hooks of cattrs coerce: "false" would be True, 3.7 would be 3, "abc" would be ['a', 'b', 'c'].
    converter = cattrs.Converter()
    converter.register_structure_hook(bool, _strict_bool)
    converter.register_structure_hook(int, _strict_int)
    converter.register_structure_hook(float, _strict_float)
    converter.register_structure_hook(str, _strict_str)
    converter.register_structure_hook_func(_is_a(Literal), _strict_literal)
    converter.register_structure_hook_func(_is_a(list), _strict_list)
    converter.register_structure_hook_func(_is_a(dict), _strict_dict)

    def dumping(cls: Any) -> Any:
        overrides: dict[str, Any] = {}
        for field in attrs.fields(cls):
            if "items" in field.metadata:
                overrides[field.name] = override(unstruct_hook=entries)
            elif "internal" in field.metadata:
                overrides[field.name] = override(omit=True)
        return make_dict_unstructure_fn(cls, converter, _cattrs_omit_if_default=True, **overrides)

    def entries(given: Any) -> Any:
        if not isinstance(given, list):
            # Their JSON is known: `verbatim`.
            return given
        return [entry if isinstance(entry, dict) else converter.unstructure(entry) for entry in given]

    converter.register_unstructure_hook_factory(attrs.has, dumping)
    return converter


_converter = _make_converter()


def _not_among(value: object, choices: tuple[Any, ...]) -> str:
    close = difflib.get_close_matches(str(value), [str(choice) for choice in choices], n=1, cutoff=0.5)
    hint = f", did you mean {close[0]!r}?" if close else ""
    return f"must be one of {', '.join(map(str, choices))}{hint}"


def parse(cls: type[T], given: object, *, of: str = "this tool") -> T:
    """Build an argument class from JSON. Raises `invalid_params` with all problems at once."""
    given = {} if given is None else given
    if not isinstance(given, Mapping):
        raise GasolineError(Code.INVALID_PARAMS, "Arguments must be a JSON object.", problems=["not an object"])
    fields = {field.name: field for field in _fields(cls)}
    problems: list[str] = []
    values: dict[str, Any] = {}
    for name in given:
        if name not in fields:
            close = difflib.get_close_matches(str(name), fields, n=1, cutoff=0.5)
            hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(fields) or 'none'}"
            problems.append(f"{str(name)[:60]!r} is not an argument of {of}; {hint}")
    for name, field in fields.items():
        value = given.get(name)
        if value is None:
            if field.default is _MISSING:
                problems.append(f"{name} is required{_choices_hint(field.type)}")
            continue
        try:
            values[name] = _value_of(field, value, problems)
        except (ValueError, cattrs.BaseValidationError) as error:
            problems.append(f"{name} {error}, not {_short(value)}")
    problems += _ignored(cls, values)
    if problems:
        raise GasolineError(
            Code.INVALID_PARAMS, f"Cannot use these arguments: {'; '.join(problems)}.", problems=problems
        )
    return cls(**values)


def _value_of(field: Any, value: object, problems: list[str]) -> Any:
    """The value of an argument. Objects in a list are parsed like arguments: what is wrong goes to `problems`."""
    if not (get_origin(field.type) is list and attrs.has(get_args(field.type)[0]) and isinstance(value, list)):
        return _bounded(_converter.structure(value, _required_type(field.type)), field.metadata)
    for index, one in enumerate(value):
        try:
            parse(get_args(field.type)[0], one, of=f"{field.name}[{index}]")
        except GasolineError as error:
            problems += [f"{field.name}[{index}]: {problem}" for problem in error.details["problems"]]
    return [] if problems else [parse(get_args(field.type)[0], one) for one in value]


def chooser_of(cls: type) -> str:
    """The argument that selects the action or the view; empty if there is none."""
    return next((field.name for field in _fields(cls) if field.metadata.get("chooses")), "")


def goes_with(cls: type, name: str, values: Mapping[str, Any]) -> bool:
    """Whether an argument has an effect with the action or view selected by these values."""
    only = {field.name: field.metadata.get("only") for field in _fields(cls)}[name]
    chooser = chooser_of(cls)
    return not only or chooser not in values or values[chooser] in only


def _ignored(cls: type, values: Mapping[str, Any]) -> Iterator[str]:
    """Arguments without effect for the selected action or view: the caller believes that they have one."""
    fields = {field.name: field for field in _fields(cls)}
    for name, value in values.items():
        # Some clients fill in every argument. An empty or default value requests nothing.
        asks = value not in (fields[name].default, "", [])
        if asks and not goes_with(cls, name, values):
            *before, last = map(repr, fields[name].metadata["only"])
            named = f"{', '.join(before)} or {last}" if before else last
            yield f"{name} goes with {chooser_of(cls)}={named} only"


def _fields(cls: Any) -> tuple[Any, ...]:
    """The fields of an attrs class with evaluated annotations."""
    return tuple(attrs.fields(attrs.resolve_types(cls)))


def _choices_hint(kind: Any) -> str:
    return f": {', '.join(map(str, get_args(kind)))}" if get_origin(kind) is Literal else ""


def _bounded(value: Any, metadata: Mapping[str, Any]) -> Any:
    low, high = metadata.get("minimum"), metadata.get("maximum")
    if low is not None and value < low:
        raise ValueError(f"must be at least {low}")
    if high is not None and value > high:
        raise ValueError(f"must be at most {high}")
    return value


def _short(value: object) -> str:
    try:
        text = orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS, default=str).decode()
    except TypeError:
        # An integer beyond 64 bits, an unpaired surrogate, or deeply nested lists.
        text = reprlib.repr(value)
    return text if len(text) <= 60 else text[:60] + "…"


def _required_type(kind: Any) -> Any:
    """`X | None` → `X`: in an argument null means absent, and needs no schema of its own."""
    if get_origin(kind) in (Union, types.UnionType):
        members = [member for member in get_args(kind) if member is not type(None)]
        return members[0] if len(members) == 1 else Union[tuple(members)]  # noqa: UP007 - built at run time
    return kind


def dump(answer: object) -> Any:
    """An answer as plain JSON values. Fields with their default value are left out."""
    return _converter.unstructure(answer)


def structure(value: object, cls: type[T]) -> T:
    """A record from the output of `dump`. Raises the errors of cattrs."""
    return _converter.structure(value, cls)


def encode(value: object) -> bytes:
    """JSON bytes. Values that were `Encoded` before are reused."""
    return orjson.dumps(value, _reuse, orjson.OPT_PASSTHROUGH_SUBCLASS)


def extend(json: bytes, more: Mapping[str, Any]) -> bytes:
    """The JSON of an object with more fields at the end."""
    return b"%b%b%b" % (json[:-1], b"," if len(json) > 2 else b"", encode(dict(more))[1:]) if more else json


def verbatim(json: bytes) -> Any:
    """A value for `encode` whose JSON is known."""
    return orjson.Fragment(json)


_PLAIN: tuple[Any, ...] = (str, int, float, dict, list)  # subclasses of these are encoded like them


def _reuse(value: object) -> object:
    if isinstance(value, Encoded):
        return orjson.Fragment(value.json)
    for kind in _PLAIN:
        if isinstance(value, kind):
            return kind(value)
    raise TypeError(f"no JSON for {type(value).__name__}")


def schema_of(cls: type) -> dict[str, Any]:
    """The JSON Schema of an argument or answer class."""
    properties: dict[str, Any] = {}
    required = []
    for field in _fields(cls):
        if "internal" in field.metadata:
            continue
        items = field.metadata.get("items")
        schema: dict[str, Any] = (
            {"type": "array", "items": _one_of(items)} if items else _schema(_required_type(field.type))
        )
        for key in ("description", "minimum", "maximum"):
            if field.metadata.get(key) not in (None, ""):
                schema[key] = field.metadata[key]
        if field.default is _MISSING:
            required.append(field.name)
            if type(None) in get_args(field.type):
                # In an answer the field is always there, and may be null.
                schema = {"anyOf": [schema, {"type": "null"}]}
        elif isinstance(field.default, str | int | float | bool) and field.default not in ("", None):
            schema["default"] = field.default
        properties[field.name] = schema
    needed = {"required": required} if required else {}
    return {"type": "object", "properties": properties, "additionalProperties": False, **needed}


def _one_of(classes: tuple[type, ...]) -> dict[str, Any]:
    schemas = [schema_of(cls) for cls in classes]
    return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}


_SIMPLE: dict[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}


def _schema(kind: Any) -> dict[str, Any]:
    if kind in _SIMPLE:
        return {"type": _SIMPLE[kind]}
    if attrs.has(kind):
        return schema_of(kind)
    origin, members = get_origin(kind), get_args(kind)
    if origin is Literal:
        return {"type": "string", "enum": list(members)}
    if origin in (list, tuple):
        # All our tuples have variable length.
        return {"type": "array", "items": _schema(members[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema(_required_type(members[1]))}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_schema(_required_type(member)) for member in members]}
    if kind in (Any, object):
        return {}
    raise TypeError(f"no schema for {kind!r}")
