"""Console values of every shape, also those that Chrome would never send: always text, never too much of it."""

import time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gasoline_cdp import limits
from gasoline_cdp.capture.arguments import plain_text, render_arguments
from gasoline_cdp.capture.console import Groups, console_text, exception_text, parse_console, parse_exception
from gasoline_cdp.capture.previews import agrees, is_worth_a_preview
from gasoline_cdp.capture.rendering import render, render_table
from gasoline_cdp.capture.stacks import parse_stack_text, split_error

pytestmark = pytest.mark.requirement("F2-CONSOLE")

APP = "http://app.test/app.js"


def text(value: str) -> dict[str, Any]:
    return {"type": "string", "value": value}


def prop(name: str, kind: str, value: str = "", **more: Any) -> dict[str, Any]:
    return {"name": name, "type": kind, "value": value, **more}


def preview(*properties: dict[str, Any], description: str = "Object", **more: Any) -> dict[str, Any]:
    return {"type": "object", "description": description, "overflow": False, "properties": list(properties), **more}


def remote(shown: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "description": shown["description"], "objectId": "1", "preview": shown, **more}


def error(description: str, *properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return remote(preview(*properties, description=description, subtype="error"), subtype="error", **more)


@pytest.mark.parametrize(
    "name",
    [
        "password", "pwd", "passwd", "api_key", "apiKey", "private_key", "X-Api-Key", "card_number", "token", "secret",
        "client_secret", "accessToken", "authorization", "pin",
    ],
)  # fmt: skip
def test_an_argument_that_the_one_before_names_is_hidden(name: str) -> None:
    number = {"type": "number", "description": "4711"}
    for value, shown in ((text("sunflower"), "sunflower"), (number, "4711")):
        assert shown not in (plain_text([text(name), value]) or "")
        assert shown not in render_arguments([text(name), value])
    assert plain_text([text("the " + name), text("sunflower")]) == f"the {name} sunflower"


def test_deeper_previews_are_shown_in_place_of_chromes_own() -> None:
    shallow = remote(preview(prop("a", "object", "Object")))
    deeper = preview(prop("a", "object", "Object", valuePreview=preview(prop("b", "number", "1"))))
    assert render_arguments([text("got %o"), shallow]) == "got {a: {…}}"
    assert render_arguments([text("got %o"), shallow], {1: deeper}) == "got {a: {b: 1}}"
    assert render_arguments([shallow, shallow], {1: deeper}) == "{a: {…}} {a: {b: 1}}"


@pytest.mark.parametrize(
    ("value", "quoted"),
    [
        ("plain", "'plain'"),
        ("it's", '"it\'s"'),
        ('it\'s "so"', '`it\'s "so"`'),
        ('it\'s "so" `here`', "'it\\'s \"so\" `here`'"),
        ("two\nlines\tand \\", "'two\\nlines\\tand \\\\'"),
        ("", "''"),
    ],
)
def test_strings_inside_values_have_the_quotes_that_need_least_escaping(value: str, quoted: str) -> None:
    assert render(text(value)) == quoted


@pytest.mark.parametrize(
    ("whole", "shown"),
    [
        ("x" * 50 + "…" + "y" * 49, "'xxxxxx…'"),
        ("https://app.test/" + "x" * 33 + "…" + "y" * 49, "'https://app.test/…'"),
        ("word " * 10 + "…" + "y" * 49, f"'{'word ' * 10}…'"),
        # Of other length: somebody's own dots.
        ("x" * 50 + "…" + "y" * 20, f"'{'x' * 50}…{'y' * 20}'"),
        ("short…", "'short…'"),
    ],
)
def test_a_string_that_chrome_shortened_ends_before_its_last_word(whole: str, shown: str) -> None:
    assert render(remote(preview(prop("s", "string", whole)))) == f"{{s: {shown}}}"


def test_causes_follow_one_another() -> None:
    stack = f"\n    at f ({APP}:1:2)\n    at g ({APP}:3:4)"
    inner = preview(prop("cause", "string", "the root"), description="RangeError: inner", subtype="error")
    thrown = error(f"Error: outer{stack}", prop("cause", "object", f"RangeError: inner{stack}", subtype="error"))
    assert render(thrown, top=True) == f"Error: outer\nCaused by: RangeError: inner at f ({APP}:1:2)"
    deeper = preview(prop("cause", "object", "RangeError: inner", subtype="error", valuePreview=inner), subtype="error")
    assert render({**thrown, "deeper": deeper}, top=True) == (
        f"Error: outer\nCaused by: RangeError: inner at f ({APP}:1:2)\nCaused by: 'the root'"
    )
    assert render(thrown) == "Error: outer"


def test_what_an_error_says_already_is_not_said_again() -> None:
    shown = error(
        "HttpError: 500",
        prop("stack", "string", "HttpError: 500"),
        prop("message", "string", "500"),
        prop("name", "string", "HttpError"),
        prop("status", "number", "500"),
    )
    assert render(shown, top=True) == "HttpError: 500 {status: 500}"
    aborted = error("AbortError: stopped", prop("code", "number", "20"), className="DOMException")
    assert render(aborted, top=True) == "AbortError: stopped"


def test_the_headline_of_an_exception_is_not_said_twice() -> None:
    thrown = error("SyntaxError: Unexpected end of input", prop("code", "number", "7"))
    params = {"exceptionDetails": {"text": "Uncaught SyntaxError: Unexpected end of input", "exception": thrown}}
    assert exception_text(params) == "Uncaught SyntaxError: Unexpected end of input {code: 7}"
    params["exceptionDetails"]["text"] = "Uncaught"
    assert exception_text(params) == "Uncaught SyntaxError: Unexpected end of input {code: 7}"


STACK = f"""    at makeError ({APP}:10:5)
    at async Cart.total ({APP}:20:6)
    at new Cart ({APP}:30:7)
    at Object.run [as go] ({APP}:40:8)
    at {APP}:50:9
    at async {APP}:60:10
    at eval (eval at run ({APP}:1:1), <anonymous>:7:11)
    at <anonymous>:80:12
    at Array.map (<anonymous>)
    at Promise.all (index 0)
  what a library added
    at last (http://[::1]:8080/a%20b.js:90:13)"""


def test_the_text_of_a_stack_has_the_same_frames_as_chromes_own() -> None:
    assert [(frame.function, frame.url, frame.line, frame.column) for frame in parse_stack_text(STACK)] == [
        ("makeError", APP, 10, 5),
        ("async Cart.total", APP, 20, 6),
        ("new Cart", APP, 30, 7),
        ("Object.run [as go]", APP, 40, 8),
        ("", APP, 50, 9),
        ("async", APP, 60, 10),
        ("eval", "", 7, 11),
        ("", "", 80, 12),
        ("last", "http://[::1]:8080/a%20b.js", 90, 13),
    ]


def test_the_stack_of_an_error_is_cut_from_what_it_says() -> None:
    assert split_error(f"Error: one\ntwo at noon\n{STACK}") == ("Error: one\ntwo at noon", STACK)
    assert split_error("Error: alone") == ("Error: alone", "")
    many = "\n".join(f"    at f{number} ({APP}:{number}:1)" for number in range(1000))
    assert len(parse_stack_text(many)) == limits.STACK_FRAMES


def called(*arguments: dict[str, Any], function: str = "report", line: int = 9) -> dict[str, Any]:
    frame = {"functionName": function, "url": APP, "lineNumber": line - 1, "columnNumber": 4}
    return {"type": "error", "args": list(arguments), "stackTrace": {"callFrames": [frame]}}


@pytest.mark.parametrize(
    ("function", "line", "logged"),
    [("report", 9, True), ("makeError", 9, True), ("report", 2, True), ("makeError", 2, False)],
)
def test_where_an_error_was_logged_is_told_if_it_was_made_elsewhere(function: str, line: int, logged: bool) -> None:
    failure = error(f"Error: no\n    at Object.makeError ({APP}:2:10)")
    said = parse_console(called(text("failed:"), failure, function=function, line=line))
    assert said is not None
    assert said.text == "failed: Error: no"
    assert [(frame.function, frame.line) for frame in said.frames] == [("Object.makeError", 2)]
    assert (said.logged is not None) is logged


def test_without_a_stack_of_its_own_an_error_has_that_of_its_call() -> None:
    said = parse_console(called(error("Error: no")))
    assert said is not None
    assert [(frame.function, frame.line) for frame in said.frames] == [("report", 9)]
    assert said.logged is None


def test_a_rejection_without_a_stack_has_that_of_its_error() -> None:
    failure = error(f"Error: no\n    at makeError ({APP}:2:10)")
    said = parse_exception({"exceptionDetails": {"text": "Uncaught (in promise)", "exception": failure}})
    assert (said.kind, said.text) == ("rejection", "Uncaught (in promise) Error: no")
    assert [frame.line for frame in said.frames] == [2]


def test_groups_are_counted_for_each_context() -> None:
    groups = Groups()

    def depth(method: str, context: object = 1) -> int:
        return groups.depth({"type": method, "executionContextId": context})

    assert [depth(method) for method in ("log", "startGroup", "log", "startGroupCollapsed", "log")] == [0, 0, 1, 1, 2]
    assert depth("log", 2) == depth("endGroup", 2) == depth("log", None) == depth("log", "1") == 0
    assert [depth(method) for method in ("endGroup", "log", "clear", "log", "endGroup")] == [2, 1, 1, 0, 0]
    for _ in range(10_000):
        depth("startGroup")
    assert depth("log") == 50
    groups.contexts_cleared({})
    assert depth("log") == 0


def test_a_page_cannot_make_groups_without_end() -> None:
    groups = Groups()
    for context in range(5000):
        groups.depth({"type": "startGroup", "executionContextId": context})
    assert len(groups._depths) == 1000


# What is worth a second look.


@pytest.mark.parametrize(
    ("value", "worth"),
    [
        (remote(preview(prop("a", "number", "1"))), False),
        (remote(preview(prop("a", "number", "1"), overflow=True)), True),
        (remote(preview(prop("a", "object", "Object"))), True),
        (remote(preview(prop("a", "object", "null", subtype="null"))), False),
        (remote(preview(prop("a", "object", "body", subtype="node"))), False),
        (remote(preview(prop("a", "object", "Array(0)", subtype="array"))), False),
        (remote(preview(prop("0", "object", "Array(2)", subtype="array")), subtype="array"), True),
        (remote(preview(prop("a", "accessor"))), False),
        (error("Error: e", prop("message", "string", "e")), False),
        (error("Error: e", prop("cause", "object", "Error: c", subtype="error")), True),
        (error("AbortError: e", prop("a", "object", "Object"), className="DOMException"), False),
        (remote(preview(prop("a", "object", "Object")), className="Window"), False),
        (remote(preview(prop("a", "object", "Object")), subtype="node"), False),
        (remote(preview(prop("a", "object", "Object")), subtype="proxy"), False),
        ({**remote(preview(prop("a", "object", "Object"))), "objectId": None}, False),
        (text("string"), False),
        ({}, False),
    ],
)
def test_only_what_has_more_to_show_is_looked_into(value: dict[str, Any], worth: bool) -> None:
    assert is_worth_a_preview(value) is worth


@pytest.mark.parametrize(
    ("then", "now", "same"),
    [
        (preview(prop("a", "number", "1")), preview(prop("a", "number", "1"), prop("b", "number", "2")), True),
        (preview(prop("a", "number", "1")), preview(prop("a", "number", "2")), False),
        (preview(prop("a", "number", "1")), preview(prop("a", "string", "1")), False),
        (preview(prop("a", "number", "1")), preview(), False),
        (preview(prop("a", "number", "1")), preview(overflow=True), True),
        (preview(prop("a", "string", "x…y")), preview(prop("a", "string", "xxyy")), True),
        (
            preview(prop("a", "object", "Array(1)", subtype="array")),
            preview(prop("a", "object", "Array(2)", subtype="array")),
            False,
        ),
        (preview(prop("a", "object", "Object")), preview(prop("a", "object", "Cart")), True),
        (preview(prop("a", "object", "Object")), preview(prop("a", "object", "null", subtype="null")), False),
        (preview(description="Array(1)"), preview(description="Array(2)"), False),
        (preview(prop("Symbol(k)", "number", "1")), preview(), True),
        (preview(prop("#secret", "number", "1")), preview(), False),
        (preview(prop("stack", "string", "x")), preview(subtype="error", description="Error: e"), True),
        (
            preview(prop("size", "number", "1"), description="Map(1)"),
            preview(subtype="map", description="Map(1)"),
            True,
        ),
    ],
)
def test_a_look_counts_if_the_value_is_as_it_was(then: dict[str, Any], now: dict[str, Any], same: bool) -> None:
    assert agrees(then, now) is same


# Nonsense.

TEXT = st.text(alphabet=st.characters(exclude_categories=()), max_size=12)
SCALAR = st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats() | TEXT
JSON = st.recursive(
    SCALAR, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=6
)
KIND = st.sampled_from(["object", "string", "number", "bigint", "undefined", "symbol", "function", "accessor"]) | JSON
SUBTYPES = [
    "array", "typedarray", "map", "set", "error", "node", "null", "date", "regexp", "proxy", "promise", "generator",
    "iterator", "weakmap", "arraybuffer",
]  # fmt: skip
SUBTYPE = st.sampled_from(SUBTYPES) | JSON
DESCRIPTION = (
    st.sampled_from(["Object", "Array(3)", "Array(999999999999999)", "Error: e\n    at f (a:1:1)", "#text", "body"])
    | JSON
)
NAME = st.sampled_from(["0", "7", "cause", "errors", "message", "[[PrimitiveValue]]", "data", "9" * 30]) | JSON


def shaped(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries({}, optional=fields) | JSON


def previews(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    part = shaped(name=NAME, type=KIND, subtype=SUBTYPE, value=DESCRIPTION, valuePreview=inner)
    entry = shaped(key=inner, value=inner)
    return shaped(
        type=KIND,
        subtype=SUBTYPE,
        description=DESCRIPTION,
        overflow=st.booleans() | JSON,
        properties=st.lists(part, max_size=3) | JSON,
        entries=st.lists(entry, max_size=2) | JSON,
    )


PREVIEW = st.recursive(JSON, previews, max_leaves=4)
VALUE = shaped(
    type=KIND,
    subtype=SUBTYPE,
    className=st.just("DOMException") | JSON,
    value=st.sampled_from(["%s %d %o %c%%", "%i %f %_"]) | JSON,
    description=DESCRIPTION,
    unserializableValue=JSON,
    preview=PREVIEW,
    deeper=PREVIEW,
)


@settings(max_examples=600, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.lists(VALUE, max_size=4), PREVIEW)
def test_any_values_become_text(values: list[Any], deeper: Any) -> None:
    for method in ("log", "table", "assert"):
        shown = console_text({"type": method, "args": values})
        assert len(shown) <= limits.TEXT_CHARS + 1
        # No halves of surrogate pairs: it can be sent.
        shown.encode()
    for value in values:
        if isinstance(value, dict):
            assert isinstance(render(value), str)
            assert isinstance(render_table(value), str | None)
            assert is_worth_a_preview(value) in (True, False)
        exception_text({"exceptionDetails": {"text": value, "exception": value}}, {0: value})
    if isinstance(deeper, dict):
        assert agrees(deeper, deeper) in (True, False)
        render_arguments(values, dict.fromkeys(range(len(values)), deeper))


def nested(depth: int, kind: str) -> dict[str, Any]:
    inner: dict[str, Any] = preview()
    for _ in range(depth):
        if kind == "properties":
            inner = preview(prop("a", "object", "Object", valuePreview=inner))
        elif kind == "causes":
            inner = preview(prop("cause", "object", "Error: e", subtype="error", valuePreview=inner), subtype="error")
        else:
            inner = preview(subtype="map", description="Map(1)", entries=[{"key": inner, "value": inner}])
    return inner


@pytest.mark.parametrize("kind", ["properties", "causes", "entries"])
def test_a_value_without_end_is_cut_off(kind: str) -> None:
    value = nested(20 if kind == "entries" else 5000, kind)
    started = time.process_time()
    for shown in (remote(value), error("Error: e", *value["properties"]), {**remote(value), "deeper": value}):
        assert len(console_text({"type": "log", "args": [shown] * limits.CONSOLE_ARGUMENTS})) <= limits.TEXT_CHARS + 1
        console_text({"type": "table", "args": [shown]})
        is_worth_a_preview(shown)
    assert time.process_time() - started < 5


HUGE = 2_000_000


@pytest.mark.parametrize(
    "value",
    [
        text("x" * HUGE),
        text("%s" * HUGE),
        text("%%" * HUGE),
        {"type": "function", "description": "function f(" + "(" * HUGE},
        {"type": "function", "description": ") " * HUGE},
        {"type": "number", "description": "1" * HUGE},
        error("Error: " + "\n" * HUGE),
        error("Error: " + "\n    at " * (HUGE // 8)),
        error("Error: e\n    at " + ":1" * HUGE),
        remote(preview(*[prop(str(number), "number", "1") for number in range(20_000)])),
        remote(preview(prop("s", "string", "x" * HUGE))),
        remote(preview(prop("x" * HUGE, "number", "1"))),
        remote(preview(prop("999999999999999", "number", "1"), description="Array(3)", subtype="array")),
        remote(preview(description="x" * HUGE, subtype="node")),
    ],
    ids=range(14),
)
def test_a_huge_value_takes_little_time(value: dict[str, Any]) -> None:
    started = time.process_time()
    arguments = [value, text("x"), value]
    for method in ("error", "table"):
        said = parse_console({"type": method, "args": arguments})
        assert said is not None
        assert len(said.text) <= limits.TEXT_CHARS + 1
    parse_exception({"exceptionDetails": {"text": "Uncaught", "exception": value}})
    assert time.process_time() - started < 3
