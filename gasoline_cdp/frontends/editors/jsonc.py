"""Changes one member of a JSON file with comments, and no other byte of it.

Editors let people write comments and trailing commas into their settings, and no parser that keeps them is at hand.
So the text is scanned for the places of its members, and edited there.
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
    """The text is no JSON, or not of the shape it must have: what is wrong, and where."""

    def __init__(self, text: str, place: int, what: str) -> None:
        line = text.count("\n", 0, place) + 1
        column = place - (text.rfind("\n", 0, place) + 1) + 1
        super().__init__(f"line {line}, column {column}: {what}")


@frozen
class _Value:
    """A value's place, and the members of an object."""

    start: int
    end: int
    members: "tuple[_Member, ...] | None" = None

    def member(self, key: str) -> "_Member | None":
        """The last of this name, which is the one that counts."""
        return next((member for member in reversed(self.members or ()) if member.key == key), None)


@frozen
class _Member:
    key: str
    start: int
    value: _Value
    # Where the comma behind it ends, if there is one.
    comma: int | None = field(default=None)


def value_at(text: str, path: Sequence[str]) -> Any:
    """The value at a path of keys, or None."""
    node = _parse(text)
    for key in path:
        member = node.member(key) if node is not None else None
        node = member.value if member is not None else None
    return None if node is None else _load(text, node)


def set_value(text: str, path: Sequence[str], value: Any) -> str:
    """The text with this value at this path; objects on the way that are not there are made."""
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
    """The text without the member at this path; as it is if there is none."""
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
    """Put a member before all others: so no comma and no comment of theirs has to move."""
    inside = text[node.start + 1 : node.end - 1]
    first = node.members[0] if node.members else None
    if first is not None and "\n" not in text[node.start : first.start]:
        # All in one line.
        member = f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}, "
        return text[: first.start] + member + text[first.start :]
    unit, outer = _unit(text), _indent_of(text, node.start)
    indent = _indent_of(text, first.start) if first is not None else outer + unit
    member = f"{newline}{indent}{json.dumps(key)}: {_written(value, unit, indent, newline)}"
    if first is not None:
        place = _behind_remark(text, node.start + 1)
        return text[:place] + member + "," + text[place:]
    if not inside.strip():
        return text[: node.start + 1] + member + newline + outer + text[node.end - 1 :]
    return text[: node.start + 1] + member + text[node.start + 1 :]


def _behind_remark(text: str, place: int) -> int:
    """Behind the comment that follows on the same line, if there is one: it belongs to the brace."""
    end = text.find("\n", place)
    rest = text[place:end].strip()
    if not rest.startswith("//") and not (rest.startswith("/*") and rest.find("*/") == len(rest) - 2):
        return place
    return end - 1 if text[end - 1] == "\r" else end


def _without(text: str, node: _Value, member: _Member) -> str:
    members = node.members or ()
    place = members.index(member)
    blank = member.start - len(text[: member.start]) + len(text[: member.start].rstrip(" \t\r\n"))
    several_lines = "\n" in text[blank : member.start]
    end = member.comma or member.value.end
    if member.comma is not None and not several_lines:
        found = _BLANK.match(text, end)
        return text[: member.start] + text[found.end() if found else end :]
    start = blank if several_lines else member.start
    if member.comma is None and place > 0 and (comma := members[place - 1].comma) is not None:
        # The last one goes: the comma before it would be one too many.
        return text[: comma - 1] + text[comma:start] + text[end:]
    if len(members) == 1 and not (text[node.start + 1 : start] + text[end : node.end - 1]).strip():
        return text[: node.start + 1] + text[node.end - 1 :]
    return text[:start] + text[end:]


def _indent_of(text: str, place: int) -> str:
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """By how much the file is indented: as its first indented line."""
    found = re.search(r"^([ \t]+)[^\s*/]", text, re.MULTILINE)
    return found[1] if found else "  "


def _load(text: str, node: _Value) -> Any:
    if node.members is not None:
        return {member.key: _load(text, member.value) for member in node.members}
    if text[node.start] == "[":
        return _load_list(text, node)
    return json.loads(text[node.start : node.end])


def _load_list(text: str, node: _Value) -> list[Any]:
    values = []
    place = _skip(text, node.start + 1)
    while text[place] != "]":
        value = _value(text, place, 0)
        values.append(_load(text, value))
        place = _skip(text, value.end)
        if text[place] == ",":
            place = _skip(text, place + 1)
    return values


def _parse(text: str) -> _Value | None:
    """The only value of a text; None if there is none."""
    place = _skip(text, 1 if text.startswith("\ufeff") else 0)
    if place == len(text):
        return None
    value = _value(text, place, 0)
    end = _skip(text, value.end)
    if end != len(text):
        raise JsoncError(text, end, "nothing more was expected here")
    return value


def _skip(text: str, place: int) -> int:
    """Over blanks and comments."""
    while True:
        found = _BLANK.match(text, place)
        place = found.end() if found else place
        if text.startswith("//", place):
            end = text.find("\n", place)
            place = len(text) if end < 0 else end
        elif text.startswith("/*", place):
            end = text.find("*/", place + 2)
            if end < 0:
                raise JsoncError(text, place, "this comment does not end")
            place = end + 2
        else:
            return place


def _value(text: str, place: int, depth: int) -> _Value:
    if depth > _DEPTH:
        raise JsoncError(text, place, "too many objects in one another")
    if text.startswith("{", place):
        return _object(text, place, depth)
    if text.startswith("[", place):
        return _list(text, place, depth)
    found = _STRING.match(text, place) or _SCALAR.match(text, place)
    if found is None:
        raise JsoncError(text, place, "a value was expected here")
    return _Value(place, found.end())


def _object(text: str, start: int, depth: int) -> _Value:
    members = []
    place = _skip(text, start + 1)
    while not text.startswith("}", place):
        key = _STRING.match(text, place)
        if key is None:
            raise JsoncError(text, place, "a name in double quotes was expected here")
        colon = _skip(text, key.end())
        if not text.startswith(":", colon):
            raise JsoncError(text, colon, "a colon was expected here")
        value = _value(text, _skip(text, colon + 1), depth + 1)
        begin, place = place, _skip(text, value.end)
        comma = place + 1 if text.startswith(",", place) else None
        members.append(_Member(json.loads(key[0]), begin, value, comma))
        if comma is not None:
            place = _skip(text, comma)
        elif not text.startswith("}", place):
            raise JsoncError(text, place, "a comma or a closing brace was expected here")
    return _Value(start, place + 1, tuple(members))


def _list(text: str, start: int, depth: int) -> _Value:
    place = _skip(text, start + 1)
    while not text.startswith("]", place):
        place = _skip(text, _value(text, place, depth + 1).end)
        if text.startswith(",", place):
            place = _skip(text, place + 1)
        elif not text.startswith("]", place):
            raise JsoncError(text, place, "a comma or a closing bracket was expected here")
    return _Value(start, place + 1)
