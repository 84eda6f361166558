"""One member of a file changes, and it looks as if its owner had written it."""

import pytest

from gasoline_cdp.frontends.editors.jsonc import JsoncError, remove_value, set_value, value_at

PATH = ["servers", "ours"]
VALUE = {"command": "x", "args": ["mcp"]}


def test_into_settings_with_remarks() -> None:
    text = '// mine\n{\n\t"a": 1, // one\n\t"servers": { // all\n\t\t/* first */\n\t\t"b": {},\n\t},\n}\n'
    changed = set_value(text, PATH, VALUE)
    assert changed == text.replace(
        "// all\n",
        '// all\n\t\t"ours": {\n\t\t\t"command": "x",\n\t\t\t"args": [\n\t\t\t\t"mcp"\n\t\t\t]\n\t\t},\n',
    )
    assert remove_value(changed, PATH) == text


def test_into_one_line() -> None:
    text = '{"servers": {"b": {}}}'
    changed = set_value(text, PATH, VALUE)
    assert changed == '{"servers": {"ours": {"command": "x", "args": ["mcp"]}, "b": {}}}'
    assert remove_value(changed, PATH) == text


def test_into_nothing() -> None:
    assert set_value("", ["a"], 1) == '{\n  "a": 1\n}\n'
    assert set_value("{}", ["a", "b"], 1) == '{\n  "a": {\n    "b": 1\n  }\n}'


def test_windows_line_ends_stay() -> None:
    changed = set_value('{\r\n    "a": 1\r\n}\r\n', ["b"], {"c": 2})
    assert changed == '{\r\n    "b": {\r\n        "c": 2\r\n    },\r\n    "a": 1\r\n}\r\n'


def test_the_last_one_goes_with_the_comma_before_it() -> None:
    assert remove_value('{\n  "a": 1, // one\n  "b": 2\n}', ["b"]) == '{\n  "a": 1 // one\n}'
    assert remove_value('{"a": 1, "b": 2}', ["b"]) == '{"a": 1 }'
    assert remove_value('{\n  "a": 1\n}', ["a"]) == "{}"
    assert remove_value('{"a": 1}', ["b"]) == '{"a": 1}'


def test_the_last_of_a_name_counts() -> None:
    assert value_at('{"a": 1, "a": 2}', ["a"]) == 2
    assert value_at('{"a": [1, {"b": null}, ], }', ["a"]) == [1, {"b": None}]
    assert value_at("{}", ["a", "b"]) is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{\n  "a": 1\n  "b": 2\n}', "line 3, column 3: a comma or a closing brace was expected here"),
        ('{"a" 1}', "line 1, column 6: a colon was expected here"),
        ("{a: 1}", "line 1, column 2: a name in double quotes"),
        ('{"a": }', "line 1, column 7: a value was expected here"),
        ('{"a": 1} x', "line 1, column 10: nothing more"),
        ('{"a": 1', "line 1, column 8: a comma or a closing brace"),
        ("{ /* ", "line 1, column 3: this comment does not end"),
        ('{"servers": []}', "line 1, column 13: servers must be an object"),
        ("[]", "line 1, column 1: the whole must be an object"),
        ('{"a": ' + "[" * 300, "too many objects"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(text: str, told: str) -> None:
    with pytest.raises(JsoncError, match=told):
        set_value(text, PATH, VALUE)
