"""Arguments are taken as they are meant or refused with every reason at once; answers hold what is worth saying."""

import json
from typing import Any, Literal

import attrs
import jsonschema
import pytest

from gasoline_cdp import wire
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.tools.registry import TOOLS

pytestmark = pytest.mark.requirement("F1-TOOLS")


@attrs.frozen(kw_only=True)
class Args:
    what: Literal["errors", "logs", "network"] = wire.arg("the view")
    limit: int | None = wire.arg("at most", default=None, minimum=1, maximum=1000)
    deep: bool = wire.arg("go deep", default=False)
    ratio: float = wire.arg("how much", default=0.5, minimum=0, maximum=1)
    names: list[str] | None = wire.arg("which", default=None)
    note: str | None = wire.arg("a note", default=None)


def problems_of(given: object, cls: type = Args) -> list[str]:
    with pytest.raises(GasolineError) as caught:
        wire.parse(cls, given)
    error = caught.value
    assert error.code is Code.INVALID_PARAMS
    # Whatever was given, the refusal itself can be sent.
    wire.encode({"message": error.message, **error.details})
    problems: list[str] = error.details["problems"]
    assert all(problem in error.message for problem in problems) or problems == ["not an object"]
    return problems


def test_what_is_right_is_taken() -> None:
    given = {"what": "logs", "limit": 5, "deep": True, "ratio": 0.25, "names": ["a", "b"], "note": "x"}
    assert wire.parse(Args, given) == Args(what="logs", limit=5, deep=True, ratio=0.25, names=["a", "b"], note="x")


def test_what_is_left_out_has_its_default() -> None:
    assert wire.parse(Args, {"what": "errors"}) == Args(what="errors")


def test_null_is_the_same_as_absent() -> None:
    given = {"what": "errors", "limit": None, "deep": None, "ratio": None, "names": None, "note": None}
    assert wire.parse(Args, given) == Args(what="errors")
    assert problems_of({"what": None}) == ["what is required: errors, logs, network"]


def test_every_problem_is_told_at_once() -> None:
    given = {"what": "error", "limit": 0, "deep": "false", "ratio": 7, "names": "abc", "note": 3, "dep": True}
    assert problems_of(given) == [
        "'dep' is not an argument of this tool; did you mean 'deep'?",
        "what must be one of errors, logs, network, did you mean 'errors'?, not \"error\"",
        "limit must be at least 1, not 0",
        'deep must be true or false, not "false"',
        "ratio must be at most 1, not 7",
        'names must be a list, not "abc"',
        "note must be a string, not 3",
    ]


def test_an_unknown_name_that_resembles_none_gets_them_all() -> None:
    assert problems_of({"what": "logs", "zzz": 1}) == [
        "'zzz' is not an argument of this tool; known: what, limit, deep, ratio, names, note"
    ]

    @attrs.frozen
    class Nothing:
        pass

    assert problems_of({"zzz": 1}, Nothing) == ["'zzz' is not an argument of this tool; known: none"]


@pytest.mark.parametrize("given", [[], "what", 3, True, [["what", "logs"]]])
def test_only_an_object_can_be_arguments(given: object) -> None:
    assert problems_of(given) == ["not an object"]


def test_no_arguments_at_all_are_an_empty_object() -> None:
    assert problems_of(None) == ["what is required: errors, logs, network"]


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("deep", "false", 'deep must be true or false, not "false"'),
        ("deep", 0, "deep must be true or false, not 0"),
        ("deep", [], "deep must be true or false, not []"),
        ("limit", 3.7, "limit must be a whole number, not 3.7"),
        ("limit", "3", 'limit must be a whole number, not "3"'),
        ("limit", True, "limit must be a whole number, not true"),
        ("limit", [3], "limit must be a whole number, not [3]"),
        ("limit", 1001, "limit must be at most 1000, not 1001"),
        ("limit", -1, "limit must be at least 1, not -1"),
        ("ratio", "0.5", 'ratio must be a number, not "0.5"'),
        ("ratio", True, "ratio must be a number, not true"),
        ("ratio", -0.1, "ratio must be at least 0, not -0.1"),
        ("names", "abc", 'names must be a list, not "abc"'),
        ("names", {"a": 1}, 'names must be a list, not {"a":1}'),
        ("names", ["a", 1], 'names must be a string, not ["a",1]'),
        ("names", [None], "names must be a string, not [null]"),
        ("note", 3, "note must be a string, not 3"),
        ("note", ["a"], 'note must be a string, not ["a"]'),
        ("what", 3, "what must be one of errors, logs, network, not 3"),
        ("what", ["logs"], "what must be one of errors, logs, network, did you mean 'logs'?, not [\"logs\"]"),
        ("what", "LOGS", 'what must be one of errors, logs, network, not "LOGS"'),
        ("what", "", 'what must be one of errors, logs, network, not ""'),
    ],
)
def test_nothing_is_taken_for_something_else(name: str, value: object, problem: str) -> None:
    assert problems_of({"what": "logs", name: value}) == [problem]


def test_a_whole_number_may_be_written_with_a_point() -> None:
    """JSON has one kind of number, and some clients write 3.0 for 3."""
    limit = wire.parse(Args, {"what": "logs", "limit": 3.0}).limit
    assert limit == 3
    assert type(limit) is int


@pytest.mark.parametrize("name", ["limit", "ratio", "deep", "names", "note", "what"])
@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), -float("inf"), 10**30, -(10**30), 1e300, 10**400],
    ids=["nan", "inf", "-inf", "10^30", "-10^30", "1e300", "10^400"],
)
def test_numbers_beyond_measure_are_refused(name: str, value: float) -> None:
    assert len(problems_of({"what": "logs", name: value})) == 1


@pytest.mark.parametrize(
    "value",
    ["x" * 100_000, "\ud800 half a pair", {"a": {"b": [1] * 10_000}}, "\u202e\x00\x1b[31m"],
    ids=["long", "surrogate", "large", "unreadable"],
)
def test_a_refusal_repeats_little_of_what_was_given(value: object) -> None:
    (problem,) = problems_of({"what": "logs", "limit": value})
    assert problem.startswith("limit must be a whole number, not ")
    assert len(problem) < 110


def test_a_refusal_of_something_deep_is_still_a_refusal() -> None:
    deep: list[Any] = []
    for _ in range(3000):
        deep = [deep]
    (problem,) = problems_of({"what": "logs", "note": deep})
    assert problem.startswith("note must be a string")


def test_a_strange_name_is_quoted_and_cut() -> None:
    (problem,) = problems_of({"what": "logs", "\ud800\n" + "x" * 500: 1})
    assert "\n" not in problem
    assert len(problem) < 200


def combinators(schema: object) -> set[str]:
    return {"oneOf", "anyOf", "allOf"} & set(schema) if isinstance(schema, dict) else set()


def every_schema(schema: object) -> list[dict[str, Any]]:
    """A schema and all inside it."""
    if isinstance(schema, list):
        return [inner for item in schema for inner in every_schema(item)]
    if not isinstance(schema, dict):
        return []
    return [schema, *(inner for item in schema.values() for inner in every_schema(item))]


def test_the_schema_of_arguments() -> None:
    assert wire.schema_of(Args) == {
        "type": "object",
        "properties": {
            "what": {"type": "string", "enum": ["errors", "logs", "network"], "description": "the view"},
            "limit": {"type": "integer", "description": "at most", "minimum": 1, "maximum": 1000},
            "deep": {"type": "boolean", "description": "go deep", "default": False},
            "ratio": {"type": "number", "description": "how much", "minimum": 0, "maximum": 1, "default": 0.5},
            "names": {"type": "array", "items": {"type": "string"}, "description": "which"},
            "note": {"type": "string", "description": "a note"},
        },
        "additionalProperties": False,
        "required": ["what"],
    }


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS.keys())
def test_schemas_of_tools_are_of_the_kind_that_clients_take(tool: Any) -> None:
    schema = wire.schema_of(tool.args)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert combinators(schema) == set()
    assert all(isinstance(inner.get("type", ""), str | dict) for inner in every_schema(schema))
    for name, declared in schema["properties"].items():
        assert declared["description"], name
        assert combinators(declared) == set(), name
    json.dumps(schema)


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS.keys())
def test_schemas_of_answers_are_schemas(tool: Any) -> None:
    schema = wire.schema_of(tool.answer)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert combinators(schema) == set()


@attrs.frozen(kw_only=True)
class First:
    name: str
    count: int = 1
    note: str | None = None
    more: list[str] = attrs.field(factory=list)


@attrs.frozen(kw_only=True)
class Second:
    number: float


@attrs.frozen(kw_only=True)
class Answer:
    summary: str
    entries: list[dict[str, Any]] = wire.entries_of(First, Second)
    only: list[dict[str, Any]] = wire.entries_of(Second)
    first: First
    by_name: dict[str, Second] = attrs.field(factory=dict)
    total: int = 0


def test_a_dump_leaves_out_what_still_has_its_default() -> None:
    assert wire.dump(First(name="a")) == {"name": "a"}
    assert wire.dump(First(name="a", count=2, more=["x"])) == {"name": "a", "count": 2, "more": ["x"]}
    answer = Answer(summary="s", entries=[], only=[], first=First(name=""), by_name={"k": Second(number=1)})
    assert wire.dump(answer) == {
        "summary": "s",
        "entries": [],
        "only": [],
        "first": {"name": ""},
        "by_name": {"k": {"number": 1}},
    }


def test_entries_are_described_by_their_classes() -> None:
    schema = wire.schema_of(Answer)["properties"]
    assert schema["entries"] == {
        "type": "array",
        "items": {"anyOf": [wire.schema_of(First), wire.schema_of(Second)]},
    }
    assert schema["only"] == {"type": "array", "items": wire.schema_of(Second)}
    assert schema["first"] == wire.schema_of(First)
    assert schema["by_name"] == {"type": "object", "additionalProperties": wire.schema_of(Second)}


def test_a_dump_fits_its_schema() -> None:
    entries = [wire.dump(First(name="a", note="n")), wire.dump(Second(number=1.5))]
    answer = Answer(summary="s", entries=entries, only=entries[1:], first=First(name="a"), total=2)
    jsonschema.validate(wire.dump(answer), wire.schema_of(Answer))


def test_a_type_without_a_schema_is_refused_when_it_is_declared() -> None:
    @attrs.frozen
    class Odd:
        when: complex

    with pytest.raises(TypeError, match="no schema"):
        wire.schema_of(Odd)


def test_what_is_encoded_once_is_taken_as_it_is() -> None:
    entry = wire.Encoded({"text": "é", "list": [1]})
    more = entry.extended(count=2)
    assert more == {"text": "é", "list": [1], "count": 2}
    assert wire.encode({"entries": [entry, more], "data": wire.verbatim(b'{"a":1}')}) == (
        '{"entries":[{"text":"é","list":[1]},{"text":"é","list":[1],"count":2}],"data":{"a":1}}'.encode()
    )
    # It cannot come to differ from its JSON.
    with pytest.raises(TypeError, match="encoded already"):
        entry["text"] = "other"
    assert wire.extend(b"{}", {"a": 1}) == b'{"a":1}'
    assert wire.extend(b'{"a":1}', {}) == b'{"a":1}'


def test_what_is_no_json_is_not_encoded() -> None:
    class Name(str):
        __slots__ = ()

    assert wire.encode([Name("a"), {"b": Name("c")}]) == b'["a",{"b":"c"}]'
    with pytest.raises(TypeError):
        wire.encode({"a": object()})
