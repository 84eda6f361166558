"""Console calls, exceptions and log entries as Chromium sends them, and as nobody should."""

import time
from typing import Any

import pytest

from gasoline_cdp import limits
from gasoline_cdp.capture.arguments import render_arguments
from gasoline_cdp.capture.console import parse_console, parse_exception, parse_log_entry
from gasoline_cdp.capture.rendering import render
from gasoline_cdp.capture.stacks import parse_stack
from gasoline_cdp.records import Source

SCRIPT = "http://app.test/static/app.js"
STACK = {
    "callFrames": [
        {"functionName": "thrower", "scriptId": "3", "url": SCRIPT, "lineNumber": 13, "columnNumber": 8},
        {"functionName": "later", "scriptId": "3", "url": SCRIPT, "lineNumber": 16, "columnNumber": 2},
    ]
}


def text(value: str) -> dict[str, Any]:
    return {"type": "string", "value": value}


def number(value: float) -> dict[str, Any]:
    return {"type": "number", "value": value, "description": str(value)}


def thing(description: str, properties: list[dict[str, Any]], subtype: str = "", **preview: Any) -> dict[str, Any]:
    """An object as Chromium describes it, with its preview."""
    kind = {"subtype": subtype} if subtype else {}
    whole = {"type": "object", **kind, "description": description, "overflow": False, "properties": properties}
    return {
        "type": "object",
        **kind,
        "className": description.split("(", maxsplit=1)[0],
        "description": description,
        "objectId": "-2642934608631730915.2.1",
        "preview": {**whole, **preview},
    }


def part(name: str, kind: str, value: str | None = None, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": kind, **({} if value is None else {"value": value}), **more}


def called(method: str, *arguments: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": method, "args": list(arguments), "executionContextId": 2, "timestamp": 1794804356762.28, **more}


VALUES: dict[str, tuple[dict[str, Any], str]] = {
    "string": (text("plain"), "plain"),
    "integer": (number(42), "42"),
    "NaN": ({"type": "number", "unserializableValue": "NaN", "description": "NaN"}, "NaN"),
    "minus zero": ({"type": "number", "unserializableValue": "-0", "description": "-0"}, "-0"),
    "Infinity": ({"type": "number", "unserializableValue": "Infinity", "description": "Infinity"}, "Infinity"),
    "bigint": ({"type": "bigint", "unserializableValue": "-5n", "description": "-5n"}, "-5n"),
    "true": ({"type": "boolean", "value": True}, "true"),
    "false": ({"type": "boolean", "value": False}, "false"),
    "null": ({"type": "object", "subtype": "null", "value": None}, "null"),
    "undefined": ({"type": "undefined"}, "undefined"),
    "symbol": (
        {"type": "symbol", "description": "Symbol(Symbol.iterator)", "objectId": "1"},
        "Symbol(Symbol.iterator)",
    ),
    "function": (
        {"type": "function", "className": "Function", "description": "function foo(a){return 1}"},
        "function foo(a)",
    ),
    "class": ({"type": "function", "className": "Function", "description": "class Bar{}"}, "class Bar"),
    "arrow": ({"type": "function", "className": "Function", "description": "() => 1"}, "() => 1"),
    "async arrow": ({"type": "function", "className": "AsyncFunction", "description": "async()=>{}"}, "async()=>"),
    "object": (
        thing("Object", [part("a", "number", "1"), part("b", "string", "two"), part("c", "object", "Array(3)")]),
        "{a: 1, b: 'two', c: Array(3)}",
    ),
    "object with more": (
        thing(
            "Object",
            [
                part("a", "object", "Object"),
                part("f", "function", ""),
                part("n", "object", "null", subtype="null"),
                part("u", "undefined", "undefined"),
            ],
            overflow=True,
        ),
        "{a: {…}, f: ƒ, n: null, u: undefined, …}",
    ),
    "empty object": (thing("Object", []), "{}"),
    "getter": (thing("Object", [part("acc", "accessor")]), "{acc: (...)}"),
    "instance": (thing("Foo", [part("a", "number", "1")]), "Foo {a: 1}"),
    "boxed": (thing("String", [part("[[PrimitiveValue]]", "string", "s")]), "String {'s'}"),
    "array": (
        thing("Array(2)", [part("0", "number", "1"), part("1", "string", "x")], "array"),
        "[1, 'x']",
    ),
    "nested array": (
        thing("Array(2)", [part("0", "number", "1"), part("1", "object", "Array(2)", subtype="array")], "array"),
        "[1, Array(2)]",
    ),
    "array with names": (
        thing("Array(1)", [part("0", "string", "ab"), part("index", "number", "3")], "array"),
        "['ab', index: 3]",
    ),
    "long array": (
        thing("Array(206)", [part(str(place), "number", "7") for place in range(3)], "array", overflow=True),
        "(206) [7, 7, 7, …]",
    ),
    "table row": (
        thing(
            "Array(1)",
            [
                part(
                    "0",
                    "object",
                    "Object",
                    valuePreview={
                        "type": "object",
                        "description": "Object",
                        "overflow": False,
                        "properties": [part("a", "number", "1")],
                    },
                )
            ],
            "array",
        ),
        "[{a: 1}]",
    ),
    "typed array": (
        thing(
            "Uint8Array(3)",
            [
                part("0", "number", "1"),
                part("1", "number", "2"),
                part("2", "number", "3"),
                part("buffer", "object", "ArrayBuffer(3)", subtype="arraybuffer"),
                part("byteLength", "number", "3"),
            ],
            "typedarray",
        ),
        "Uint8Array(3) [1, 2, 3]",
    ),
    "map": (
        thing(
            "Map(1)",
            [part("size", "number", "1")],
            "map",
            entries=[
                {
                    "key": {"type": "string", "description": "k", "overflow": False, "properties": []},
                    "value": {"type": "number", "description": "1", "overflow": False, "properties": []},
                }
            ],
        ),
        "Map(1) {'k' => 1}",
    ),
    "empty map": (thing("Map(0)", [part("size", "number", "0")], "map"), "Map(0) {}"),
    "set": (
        thing(
            "Set(2)",
            [part("size", "number", "2")],
            "set",
            entries=[
                {"value": {"type": "number", "description": str(item), "overflow": False, "properties": []}}
                for item in (1, 2)
            ],
        ),
        "Set(2) {1, 2}",
    ),
    "promise": (
        thing("Promise", [part("[[PromiseState]]", "string", "fulfilled")], "promise"),
        "Promise {<fulfilled>}",
    ),
    "weakmap": (thing("WeakMap", [], "weakmap"), "WeakMap {}"),
    "regexp": (thing("/ab+c/g", [part("lastIndex", "number", "0")], "regexp"), "/ab+c/g"),
    "date": (thing("Thu Jan 01 1970 00:00:00 GMT+0000", [], "date"), "Thu Jan 01 1970 00:00:00 GMT+0000"),
    "proxy": (thing("Proxy(Object)", [part("q", "number", "1")], "proxy"), "Proxy(Object) {q: 1}"),
    "node": (thing("body", [part("text", "string", "")], "node"), "<body>"),
    "error": (
        thing("Error: e\n    at f (a.js:3:286)", [part("message", "string", "e")], "error"),
        "Error: e",
    ),
    "without preview": ({"type": "object", "className": "Window", "description": "Window"}, "Window"),
}


@pytest.mark.parametrize(("value", "shown"), VALUES.values(), ids=VALUES.keys())
def test_values_look_as_devtools_shows_them(value: dict[str, Any], shown: str) -> None:
    assert render(value, top=True) == shown


def test_only_a_string_inside_another_value_is_quoted() -> None:
    assert render(text("x"), top=True) == "x"
    assert render(text("x")) == "'x'"


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ([], ""),
        ([text("information"), number(42), {"type": "boolean", "value": True}], "information 42 true"),
        ([text("100% sure"), number(1)], "100% sure 1"),
        (
            [text("%s is %d years and %c styled"), text("Ada"), number(36), text("color: red"), text("rest")],
            "Ada is 36 years and  styled rest",
        ),
        ([text("%o and %O %i %f"), thing("Object", []), thing("Array(0)", [], "array"), number(1)], "{} and [] 1 %f"),
        ([text("%s"), text("%s"), text("x")], "x"),
        ([text("100%% of %s"), text("it")], "100% of it"),
        ([text("%j %"), text("x")], "%j % x"),
        ([number(1), text("%s"), text("x")], "1 %s x"),
        ([text("a"), text(""), text("b")], "a b"),
    ],
)
def test_arguments_become_one_line(arguments: list[Any], shown: str) -> None:
    assert render_arguments(arguments) == shown


def test_arguments_beyond_the_limit_are_counted() -> None:
    line = render_arguments([number(place) for place in range(limits.CONSOLE_ARGUMENTS + 7)])
    assert line.endswith(f"{limits.CONSOLE_ARGUMENTS - 1} … 7 more arguments")
    template = render_arguments([text("%d "), *(number(place) for place in range(limits.CONSOLE_ARGUMENTS + 7))])
    assert template.startswith("0  1 2 3")
    assert template.endswith("… 8 more arguments")


@pytest.mark.parametrize(
    ("method", "level"),
    [
        ("log", "log"),
        ("info", "info"),
        ("warning", "warning"),
        ("error", "error"),
        ("debug", "debug"),
        ("trace", "log"),
        ("dir", "log"),
        ("table", "log"),
        ("startGroup", "log"),
        ("count", "log"),
        ("timeEnd", "log"),
    ],
)
def test_each_call_has_its_level(method: str, level: str) -> None:
    said = parse_console(called(method, text("said"), stackTrace=STACK))
    assert said is not None
    assert (said.kind, said.level, said.text, said.method) == ("console", level, "said", method)
    assert said.ts == pytest.approx(1794804356.76228)
    assert [(frame.function, frame.line, frame.column) for frame in said.frames] == [
        ("thrower", 14, 9),
        ("later", 17, 3),
    ]


@pytest.mark.parametrize("method", ["endGroup", "clear", "profile", "profileEnd"])
def test_calls_that_print_nothing_are_not_kept(method: str) -> None:
    assert parse_console(called(method, text("console.groupEnd"))) is None


def test_a_failed_assertion_is_an_error_and_says_so() -> None:
    said = parse_console(called("assert", text("the sum is wrong")))
    assert said is not None
    assert (said.level, said.text) == ("error", "Assertion failed: the sum is wrong")
    bare = parse_console(called("assert"))
    assert bare is not None
    assert bare.text == "Assertion failed"


def thrown(headline: str, exception: dict[str, Any] | None, **more: Any) -> dict[str, Any]:
    details = {"exceptionId": 1, "text": headline, "lineNumber": 13, "columnNumber": 8, "scriptId": "3", "url": SCRIPT}
    details |= {"exception": exception} if exception else {}
    return {"timestamp": 1794804355804.086, "exceptionDetails": {**details, "executionContextId": 2, **more}}


def error(description: str) -> dict[str, Any]:
    return {
        "type": "object",
        "subtype": "error",
        "className": "RangeError",
        "description": description,
        "objectId": "1",
    }


def test_an_exception_has_its_message_once_and_its_stack_as_frames() -> None:
    said = parse_exception(
        thrown(
            "Uncaught",
            error(f"RangeError: out of range: 11\n    at thrower ({SCRIPT}:14:9)\n    at later ({SCRIPT}:17:3)"),
            stackTrace=STACK,
        )
    )
    assert (said.kind, said.level) == ("exception", "error")
    assert said.text == "Uncaught RangeError: out of range: 11"
    assert [(frame.function, frame.url, frame.line) for frame in said.frames] == [
        ("thrower", SCRIPT, 14),
        ("later", SCRIPT, 17),
    ]


def test_a_message_of_several_lines_is_kept_up_to_the_stack() -> None:
    said = parse_exception(thrown("Uncaught", error("Error: first\nsecond at noon\n  third\n    at f (a.js:1:1)")))
    assert said.text == "Uncaught Error: first\nsecond at noon\n  third"


@pytest.mark.parametrize(
    ("exception", "shown"),
    [
        (error("Error: nobody caught me\n    at rejecter (a.js:21:9)"), "Error: nobody caught me"),
        (text("just a string"), "just a string"),
        (
            thing("Object", [part("code", "number", "7"), part("reason", "string", "an object")]),
            "{code: 7, reason: 'an object'}",
        ),
        ({"type": "undefined"}, "undefined"),
        ({"type": "object", "subtype": "null", "value": None}, "null"),
    ],
)
def test_a_rejection_says_with_what(exception: dict[str, Any], shown: str) -> None:
    said = parse_exception(thrown("Uncaught (in promise)", exception))
    assert (said.kind, said.text) == ("rejection", f"Uncaught (in promise) {shown}")


def test_without_a_stack_the_place_of_the_exception_is_its_frame() -> None:
    said = parse_exception(thrown("Uncaught SyntaxError: Unexpected token '}'", None))
    assert said.text == "Uncaught SyntaxError: Unexpected token '}'"
    assert [(frame.url, frame.line, frame.column) for frame in said.frames] == [(SCRIPT, 14, 9)]


def entry(**fields: Any) -> dict[str, Any]:
    return {"entry": {"source": "security", "level": "error", "timestamp": 1794804357767.151, **fields}}


def test_a_browser_message_has_its_source_level_and_place() -> None:
    words = "Loading the image 'data:,' violates the following Content Security Policy directive: \"img-src 'none'\"."
    said = parse_log_entry(entry(text=words, url="http://app.test/page", lineNumber=3))
    assert said is not None
    assert (said.kind, said.level, said.text, said.method) == ("browser", "error", words, "security")
    assert [(frame.url, frame.line) for frame in said.frames] == [("http://app.test/page", 4)]


@pytest.mark.parametrize(
    ("level", "shown"),
    [("verbose", "debug"), ("info", "info"), ("warning", "warning"), ("error", "error"), ("?", "log")],
)
def test_levels_of_the_browser_log(level: str, shown: str) -> None:
    said = parse_log_entry(entry(text="said", level=level))
    assert said is not None
    assert said.level == shown


def test_what_the_network_record_says_better_is_left_out() -> None:
    words = "Failed to load resource: the server responded with a status of 404 ()"
    assert parse_log_entry(entry(source="network", text=words, networkRequestId="17867.6")) is None
    # Without the id of a request nothing else would tell of it.
    assert parse_log_entry(entry(source="network", text=words)) is not None


def test_secrets_are_masked_before_they_are_kept() -> None:
    said = parse_console(called("log", text("token=abcdefgh12345678"), text('{"password":"hunter2hunter2"}')))
    assert said is not None
    assert "abcdefgh" not in said.text
    assert "hunter2" not in said.text
    frame = {"functionName": "f", "url": "http://app.test/a.js?api_key=abcdefgh1234", "lineNumber": 0}
    (shown,) = parse_stack({"callFrames": [frame]})
    assert "abcdefgh" not in shown.url


def test_stacks_are_cut() -> None:
    frames = [{"functionName": f"f{place}", "url": SCRIPT, "lineNumber": place} for place in range(50)]
    assert [frame.function for frame in parse_stack({"callFrames": frames})] == [
        f"f{n}" for n in range(limits.STACK_FRAMES)
    ]


def test_a_record_gets_its_place_and_source() -> None:
    said = parse_console(called("log", text("said")))
    assert said is not None
    source = Source(3, "worker", "http://app.test/worker.js", 2)
    record = said.record(9, source)
    assert (record.seq, record.source, record.text, record.level) == (9, source, "said", "log")


NONSENSE: list[Any] = [
    None,
    True,
    7,
    -1.5,
    "text",
    "",
    [],
    {},
    [[]],
    [None],
    {"type": {}},
    {"value": []},
    10**30,
    1e308,
]


@pytest.mark.parametrize("value", NONSENSE, ids=repr)
def test_absurd_payloads_are_survived(value: Any) -> None:
    for key in ("type", "args", "timestamp", "stackTrace"):
        assert parse_console({key: value}) is not None or key == "type"
    for key in ("type", "subtype", "value", "description", "unserializableValue", "preview"):
        for kind in ("object", "string", "number", "boolean", "function"):
            render({"type": kind, key: value}, top=True)
    for key in ("subtype", "description", "overflow", "properties", "entries"):
        render({"type": "object", "preview": {key: value}})
        render({"type": "object", "preview": {"properties": [value, {"valuePreview": {key: value}, "type": value}]}})
        render({"type": "object", "preview": {"entries": [value, {"key": {key: value}, "value": value}]}})
    for key in ("text", "exception", "stackTrace", "url", "lineNumber", "columnNumber"):
        parse_exception({"exceptionDetails": {key: value}})
    parse_exception({"exceptionDetails": value, "timestamp": value})
    for key in ("source", "level", "text", "timestamp", "url", "stackTrace", "networkRequestId"):
        parse_log_entry({"entry": {key: value}})
    parse_log_entry({"entry": value})
    for key in ("functionName", "url", "lineNumber", "columnNumber"):
        parse_stack({"callFrames": [value, {key: value}]})


def test_a_preview_without_end_is_cut_off() -> None:
    preview: dict[str, Any] = {"type": "object", "description": "Object", "properties": []}
    for _ in range(900):
        preview = {"type": "object", "description": "Object", "properties": [{"name": "a", "valuePreview": preview}]}
    assert render({"type": "object", "preview": preview}).startswith("{a: {a: ")


@pytest.mark.parametrize(
    "params",
    [
        called("log", text("%" * 5_000_000), text("x")),
        called("log", text("%s" * 2_000_000), text("x")),
        called("log", text("x" * 5_000_000)),
        called("log", text("a=" * 2_000_000)),
    ],
    ids=["percents", "specifiers", "long", "pairs"],
)
def test_a_page_cannot_make_one_line_slow(params: dict[str, Any]) -> None:
    started = time.process_time()
    said = parse_console(params)
    assert said is not None
    assert len(said.text) == limits.TEXT_CHARS + 1
    assert said.text.endswith("…")
    assert time.process_time() - started < 0.5


@pytest.mark.parametrize("filling", ["\n", "\n ", " ", "\n    a"], ids=repr)
def test_a_page_cannot_make_one_exception_slow(filling: str) -> None:
    message = f"Error: {filling * 200_000}x\n    at f (a.js:1:1)"
    started = time.process_time()
    parse_exception(thrown("Uncaught", error(message)))
    assert time.process_time() - started < 0.5
