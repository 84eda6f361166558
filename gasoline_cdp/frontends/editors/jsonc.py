"""Changes one member of a JSON file with comments, and no other byte of it.

Editors let people write comments and trailing commas into their settings, and we have no parser that keeps them.
So we scan the text for the positions of its members, and edit it there.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

from attrs import field, frozen

_BLANK = re.compile(r"[ \t\r\n]*")
_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_DEPTH = 200


class JsoncError(Exception):
    """The text is not JSON, or does not have the expected shape. The message says what is wrong, and where."""

    def __init__(self, text: str, index: int, what: str) -> None:
        line = text.count("\n", 0, index) + 1
        column = index - (text.rfind("\n", 0, index) + 1) + 1
        super().__init__(f"line {line}, column {column}: {what}")


@frozen
class _Value:
    """The position of a value, and its members if it is an object."""

    start: int
    end: int
    members: "tuple[_Member, ...] | None" = None

    def member(self, key: str) -> "_Member | None":
        """The last member with this name, which is the one that counts."""
        return next((member for member in reversed(self.members or ()) if member.key == key), None)


@frozen
class _Member:
    key: str
    start: int
    value: _Value
    # The index after the comma that follows it, if there is one.
    comma: int | None = field(default=None)


def value_at(text: str, path: Sequence[str]) -> Any:
    """The value at a path of keys, or None."""
    node = _parse(text)
    for key in path:
        member = node.member(key) if node is not None else None
        node = member.value if member is not None else None
    return None if node is None else _load(text, node)


def set_value(text: str, path: Sequence[str], value: Any) -> str:
    """The text with this value at this path. Missing objects on the path are added."""
    newline = "\r\n" if "\r\n" in text else "\n"
    node = _parse(text)
    if node is None:
        return text + _written(_nested(path, value), "  ", "", newline) + newline
    for depth, key in enumerate(path):
        if node.members is None:
            raise JsoncError(text, node.start, f"{'.'.join(path[:depth]) or 'the whole'} must be an object")
        member = node.member(key)
        if member is None:
            return _insert(text, node, key, _nested(path[depth + 1 :], value), newline)
        node = member.value
    indent = _indent_of(text, node.start)
    unit = _unit(text)
    one_line = "\n" not in text[node.start : node.end] and node.end - node.start > 2
    new = json.dumps(value, ensure_ascii=False) if one_line else _written(value, unit, indent, newline)
    return text[: node.start] + new + text[node.end :]


def remove_value(text: str, path: Sequence[str]) -> str:
    """The text without the member at this path; unchanged if there is none."""
    node = _parse(text)
    for key in path[:-1]:
        member = node.member(key) if node is not None else None
        node = member.value if member is not None else None
    member = node.member(path[-1]) if node is not None else None
    if node is None or member is None:
        return text
    return _without(text, node, member)


def _nested(path: Sequence[str], value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def _written(value: Any, unit: str, indent: str, newline: str) -> str:
    lines = json.dumps(value, indent=unit, ensure_ascii=False).split("\n")
    return (newline + indent).join(lines)


def _insert(text: str, node: _Value, key: str, value: Any, newline: str) -> str:
    """Insert a member before all others, so that no existing comma or comment has to move."""
    inside = text[node.start + 1 : node.end - 1]
    first = node.members[0] if node.members else None
    if first is not None and "\n" not in text[node.start : first.start]:
        # The object is on one line.
        member = f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}, "
        return text[: first.start] + member + text[first.start :]
    unit, outer = _unit(text), _indent_of(text, node.start)
    indent = _indent_of(text, first.start) if first is not None else outer + unit
    member = f"{newline}{indent}{json.dumps(key)}: {_written(value, unit, indent, newline)}"
    if first is not None:
        index = _after_comment(text, node.start + 1)
        return text[:index] + member + "," + text[index:]
    if not inside.strip():
        return text[: node.start + 1] + member + newline + outer + text[node.end - 1 :]
    return text[: node.start + 1] + member + text[node.start + 1 :]


def _after_comment(text: str, index: int) -> int:
    """The index after a comment that follows on the same line, if there is one: it belongs to the brace."""
    end = text.find("\n", index)
    rest = text[index:end].strip()
    if not rest.startswith("//") and not (rest.startswith("/*") and rest.find("*/") == len(rest) - 2):
        return index
    return end - 1 if text[end - 1] == "\r" else end


def _without(text: str, node: _Value, member: _Member) -> str:
    members = node.members or ()
    position = members.index(member)
    blank = member.start - len(text[: member.start]) + len(text[: member.start].rstrip(" \t\r\n"))
    several_lines = "\n" in text[blank : member.start]
    end = member.comma or member.value.end
    if member.comma is not None and not several_lines:
        blanks = _BLANK.match(text, end)
        return text[: member.start] + text[blanks.end() if blanks else end :]
    start = blank if several_lines else member.start
    if member.comma is None and position > 0 and (comma := members[position - 1].comma) is not None:
        # The last member is removed: the comma before it would be one too many.
        return text[: comma - 1] + text[comma:start] + text[end:]
    if len(members) == 1 and not (text[node.start + 1 : start] + text[end : node.end - 1]).strip():
        return text[: node.start + 1] + text[node.end - 1 :]
    return text[:start] + text[end:]


def _indent_of(text: str, index: int) -> str:
    line = text[text.rfind("\n", 0, index) + 1 : index]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """The indentation unit of the file: that of its first indented line."""
    match = re.search(r"^([ \t]+)[^\s*/]", text, re.MULTILINE)
    return match[1] if match else "  "


def _load(text: str, node: _Value) -> Any:
    if node.members is not None:
        return {member.key: _load(text, member.value) for member in node.members}
    if text[node.start] == "[":
        return _load_list(text, node)
    return json.loads(text[node.start : node.end])


def _load_list(text: str, node: _Value) -> list[Any]:
    values = []
    index = _skip(text, node.start + 1)
    while text[index] != "]":
        value = _value(text, index, 0)
        values.append(_load(text, value))
        index = _skip(text, value.end)
        if text[index] == ",":
            index = _skip(text, index + 1)
    return values


def _parse(text: str) -> _Value | None:
    """The single value of a text; None if there is none."""
    index = _skip(text, 1 if text.startswith("\ufeff") else 0)
    if index == len(text):
        return None
    value = _value(text, index, 0)
    end = _skip(text, value.end)
    if end != len(text):
        raise JsoncError(text, end, "nothing more was expected here")
    return value


def _skip(text: str, index: int) -> int:
    """The index after blanks and comments."""
    while True:
        match = _BLANK.match(text, index)
        index = match.end() if match else index
        if text.startswith("//", index):
            end = text.find("\n", index)
            index = len(text) if end < 0 else end
        elif text.startswith("/*", index):
            end = text.find("*/", index + 2)
            if end < 0:
                raise JsoncError(text, index, "this comment does not end")
            index = end + 2
        else:
            return index


def _value(text: str, index: int, depth: int) -> _Value:
    if depth > _DEPTH:
        raise JsoncError(text, index, "too many objects in one another")
    if text.startswith("{", index):
        return _object(text, index, depth)
    if text.startswith("[", index):
        return _list(text, index, depth)
    match = _STRING.match(text, index) or _SCALAR.match(text, index)
    if match is None:
        raise JsoncError(text, index, "a value was expected here")
    return _Value(index, match.end())


def _object(text: str, start: int, depth: int) -> _Value:
    members = []
    index = _skip(text, start + 1)
    while not text.startswith("}", index):
        key = _STRING.match(text, index)
        if key is None:
            raise JsoncError(text, index, "a name in double quotes was expected here")
        colon = _skip(text, key.end())
        if not text.startswith(":", colon):
            raise JsoncError(text, colon, "a colon was expected here")
        value = _value(text, _skip(text, colon + 1), depth + 1)
        begin, index = index, _skip(text, value.end)
        comma = index + 1 if text.startswith(",", index) else None
        members.append(_Member(json.loads(key[0]), begin, value, comma))
        if comma is not None:
            index = _skip(text, comma)
        elif not text.startswith("}", index):
            raise JsoncError(text, index, "a comma or a closing brace was expected here")
    return _Value(start, index + 1, tuple(members))


def _list(text: str, start: int, depth: int) -> _Value:
    index = _skip(text, start + 1)
    while not text.startswith("]", index):
        index = _skip(text, _value(text, index, depth + 1).end)
        if text.startswith(",", index):
            index = _skip(text, index + 1)
        elif not text.startswith("]", index):
            raise JsoncError(text, index, "a comma or a closing bracket was expected here")
    return _Value(start, index + 1)
