"""Renders one value of a console call as DevTools would. Pure.

Chrome sends a preview with each object: five properties or a hundred elements, one level deep. `PreviewFetcher`
provides previews of the same shape that go deeper. If there is one, it is rendered instead.
"""

import re
from collections.abc import Iterable
from typing import Any

from gasoline_cdp import limits
from gasoline_cdp.capture.stacks import mapping, split_error
from gasoline_cdp.redact import REDACTED, mask_named

Json = dict[str, Any]

# A value may be three times as long as a record's text: enough for a template in which each pair of characters becomes
# one, and for what masking must see beyond the cut.
VALUE_CHARS = 3 * limits.TEXT_CHARS
PART_CHARS = 1000
_FUNCTION_CHARS = 120
# Chrome nests previews two levels deep and we five. No input makes us go deeper than this.
_DEPTH = 10
_PARTS = 1000
_TABLE_ROWS = 100
_TABLE_COLUMNS = 30
# Chrome shortens strings inside previews to a hundred characters, with this mark in the middle.
_SHORTENED = 100
_CUT_AT = re.compile(r"[\s/?&,;:=(){}\[\]<>|]")

_BODY = re.compile(r"\)\s{0,20}(?:=>\s{0,20})?\{")
_BARE_NAME = re.compile(r"#?[A-Za-z_$][\w$]*\Z|\d+\Z|\[\[\w+\]\]\Z|Symbol\(")
_LENGTH = re.compile(r"\((\d{1,15})\)\Z")
_ESCAPES = str.maketrans({"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"})

# Shown by their description only.
_CLOSED = ("date", "regexp", "arraybuffer", "dataview", "window", "webassemblymemory")
# Properties of errors that the headline and stack contain already, or that are rendered separately.
_SHOWN_ELSEWHERE = {"stack", "message", "name", "cause", "errors"}


def render(value: Json, *, top: bool = False, name: str = "") -> str:
    """One value.

    Strings are bare at the top level and quoted inside others. `name` is the name of what holds an array.
    """
    kind = value.get("type")
    if kind == "string":
        text = _text(value.get("value", value.get("description", "")), VALUE_CHARS)
        return text if top else _quoted(text)
    if value.get("subtype") == "null":
        return "null"
    if kind in ("undefined", None):
        return "undefined" if kind else ""
    if kind == "boolean":
        return _text(value.get("value")).lower()
    if kind in ("number", "bigint"):
        return _text(value.get("unserializableValue", value.get("description", value.get("value"))))
    if kind == "function":
        return _function(_text(value.get("description", "function"), VALUE_CHARS))
    if value.get("subtype") == "error":
        return _error(value, top=top)
    preview = value.get("deeper") or value.get("preview")
    if kind == "object" and isinstance(preview, dict):
        return _preview(preview, name=name)
    return _text(value.get("description", kind), VALUE_CHARS)


def render_variables(parts: Iterable[Json]) -> str:
    """`coupon = undefined, cart = {total: 84}`: each part has a name and a preview, as a property has."""
    return ", ".join(f"{_text(part.get('name'))} = {_part(part, 0, _text(part.get('name')))}" for part in parts)


def _function(source: str) -> str:
    """The signature of a function or class, without its body."""
    if source.startswith("class"):
        head = source.partition("{")[0]
    else:
        body = _BODY.search(source)
        head = source[: body.end() - 1] if body else source
    return _cut(" ".join(head.split()), _FUNCTION_CHARS) or "function"


def _error(value: Json, *, top: bool) -> str:
    """An error's message, its other properties, and its cause. The stack becomes the record's frames."""
    headline, _ = split_error(_text(value.get("description", "Error"), VALUE_CHARS))
    if not top:
        return headline
    shallow, preview = mapping(value.get("preview")), mapping(value.get("deeper") or value.get("preview"))
    own = _SHOWN_ELSEWHERE | ({"code"} if value.get("className") == "DOMException" else set())
    text = headline + _beside(preview, own)
    # Only Chrome's own preview has the cause's stack. Its first line says where the cause was created.
    cause = _property(shallow, "cause")
    if cause.get("subtype") == "error":
        at = split_error(_text(cause.get("value"), VALUE_CHARS))[1].partition("\n")[0].strip()
        return text + _causes(preview, f" {at}" if at else "")
    return text + _causes(preview, "")


def _beside(error: Json, own: set[str]) -> str:
    """The errors inside an AggregateError, and custom properties of an error."""
    inner = mapping(_property(error, "errors").get("valuePreview"))
    listed = f" {_preview(inner)}" if inner else ""
    given = [part for part in _parts(error, "properties") if _text(part.get("name")) not in own]
    return listed + (f" {{{', '.join(map(_pair, given))}}}" if given else "")


def _causes(error: Json, at: str) -> str:
    text, level = "", 0
    while (cause := _property(error, "cause")) and level < _DEPTH:
        level += 1
        error = mapping(cause.get("valuePreview"))
        if cause.get("subtype") != "error":
            return f"{text}\nCaused by: {_part(cause, 0)}"
        text += f"\nCaused by: {_part(cause, _DEPTH)}{at}{_beside(error, _SHOWN_ELSEWHERE)}"
        at = ""
    return text


def _preview(preview: Json, depth: int = 0, name: str = "") -> str:
    """An object, an array, a map.

    `name` is the name of what holds it: members of an array have no name of their own.
    """
    description = _text(preview.get("description", ""))
    kind, subtype = preview.get("type"), preview.get("subtype")
    if kind == "string":
        return _quoted(_whole_words(description))
    if kind == "function":
        return "ƒ"
    if subtype == "error":
        return split_error(description)[0]
    if subtype == "node":
        return _node(preview)
    if subtype in _CLOSED or (kind not in ("object", None)):
        return description
    more = ["…"] if preview.get("overflow") else []
    if subtype in ("array", "typedarray"):
        return _array(preview, description, more, depth, name)
    if "entries" in preview or subtype in ("map", "set"):
        pairs = [" => ".join(_entry(entry, depth, name).values()) for entry in _parts(preview, "entries")]
        return f"{description} {{{', '.join(pairs + more)}}}"
    properties = _parts(preview, "properties")
    if subtype in ("promise", "generator") and properties:
        return f"{description} {{{_state(properties, depth)}}}"
    if description == "Proxy(Function)":
        return description
    pairs = [_pair(item, depth) for item in properties]
    prefix = "" if description in ("", "Object") else f"{description} "
    return f"{prefix}{{{', '.join(pairs + more)}}}"


def _array(preview: Json, description: str, more: list[str], depth: int, name: str) -> str:
    items: list[str] = []
    expected = 0
    parts = _parts(preview, "properties")
    # An entry of a form, a map or headers: the first string names the second.
    pair = len(parts) == 2 and all(part.get("type") == "string" for part in parts)
    for part in parts:
        index = _text(part.get("name"))
        if index.isdecimal() and len(index) < 16:
            items.extend(_hole(int(index) - expected))
            items.append(_part(part, depth, _text(parts[0].get("value")) if pair and index == "1" else name))
            expected = int(index) + 1
        elif preview.get("subtype") == "array" and part.get("type") != "function":
            # Properties of a regular expression's match: index, input, groups.
            items.append(_pair(part, depth))
    length = _LENGTH.search(description)
    if length and not more:
        items.extend(_hole(int(length[1]) - expected))
    prefix = f"{description} " if not description.startswith("Array") else f"{length[0]} " if length and more else ""
    return f"{prefix}[{', '.join(items + more)}]"


def _hole(size: int) -> list[str]:
    if size <= 0:
        return []
    return ["empty" if size == 1 else f"empty × {size}"]


def _state(properties: list[Json], depth: int) -> str:
    """`<fulfilled>: 5` for a promise, `<suspended>` for a generator."""
    state = f"<{_text(properties[0].get('value'))}>"
    settled = state != "<pending>" and len(properties) > 1
    return f"{state}: {_part(properties[1], depth)}" if settled else state


def _node(node: Json) -> str:
    """`<div#id.class>`; for texts and comments the text itself."""
    description = _text(node.get("description", node.get("value", "")))
    data = _text(_property(node, "data").get("value", ""))
    if description == "#text" and data:
        return f"#text {_quoted(_whole_words(data))}"
    if description == "#comment" and data:
        return f"<!--{_whole_words(data)}-->"
    return description if description.startswith(("#", "<")) else f"<{description}>"


def _pair(part: Json, depth: int = 0) -> str:
    name = _text(part.get("name"))
    if name == "[[PrimitiveValue]]":
        return _part(part, depth)
    return f"{name if _BARE_NAME.match(name) else _quoted(name)}: {_part(part, depth, name)}"


def _entry(entry: Json, depth: int, name: str = "") -> dict[str, str]:
    """The key of a map's entry, if any, and its value: as previews."""
    key = mapping(entry.get("key"))
    if key.get("type") == "string":
        name = _text(key.get("description"))
    sides = {side: entry[side.lower()] for side in ("Key", "Value") if isinstance(entry.get(side.lower()), dict)}
    return {
        side: _preview(given, depth + 1, name)
        if "properties" in given and depth < _DEPTH
        else _part({"value": given.get("description"), **given}, _DEPTH, name if side == "Value" else "")
        for side, given in sides.items()
    }


def _part(part: Json, depth: int, name: str = "") -> str:
    """The value of a property, which Chrome sends as text and type. `name` is the property's name."""
    if isinstance(part.get("valuePreview"), dict) and depth < _DEPTH:
        return _preview(part["valuePreview"], depth + 1, name)
    value, kind, subtype = _text(part.get("value", "")), part.get("type"), part.get("subtype")
    if name and kind in ("string", "number", "bigint") and mask_named(name, _without_middle(value)) == REDACTED:
        return _quoted(REDACTED) if kind == "string" else REDACTED
    if kind == "string":
        return _quoted(_whole_words(value))
    if kind == "accessor":
        return "(...)"
    if kind == "function":
        return "ƒ"
    if subtype == "error":
        return split_error(value)[0]
    if subtype == "node":
        return _node(part)
    if kind == "object" and value in ("Object", "Array(0)"):
        return "{…}" if value == "Object" else "[]"
    return value


def render_table(value: Json) -> str | None:
    """The rows and columns of console.table; None if it is not a table."""
    preview = mapping(value.get("preview"))
    rows: list[tuple[str, dict[str, str]]] = []
    if entries := _parts(preview, "entries"):
        for index, entry in enumerate(entries[:_TABLE_ROWS]):
            rows.append((str(index), _entry(entry, 0)))
    else:
        entries = _parts(preview, "properties")
        rows = [(_text(part.get("name")), _cells(part)) for part in entries[:_TABLE_ROWS]]
    if not rows:
        return None
    columns = list(dict.fromkeys(name for _, cells in rows for name in cells if name != "Value"))
    columns = columns[:_TABLE_COLUMNS] + (["Value"] if any("Value" in cells for _, cells in rows) else [])
    lines = [" | ".join(["(index)", *columns])]
    lines += [" | ".join([name, *(cells.get(column, "") for column in columns)]) for name, cells in rows]
    if preview.get("overflow") or len(entries) > _TABLE_ROWS:
        lines.append("…")
    return "\n".join(lines)


def _cells(row: Json) -> dict[str, str]:
    inner = mapping(row.get("valuePreview"))
    properties = _parts(inner, "properties")
    if not properties:
        return {"Value": _part(row, 0, _text(row.get("name")))}
    return {_text(part.get("name")): _part(part, 0, _text(part.get("name"))) for part in properties}


def _parts(preview: Json, name: str) -> list[Json]:
    items = preview.get(name)
    return [item for item in items[:_PARTS] if isinstance(item, dict)] if isinstance(items, list) else []


def _property(preview: Json, name: str) -> Json:
    return next((part for part in _parts(preview, "properties") if part.get("name") == name), {})


def _text(value: object, limit: int = PART_CHARS) -> str:
    text = value if isinstance(value, str) else str(value)
    return _cut(text, limit)


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[:limit] + "…"


def _quoted(text: str) -> str:
    """In the quotes that need least escaping, as DevTools does."""
    quote = next((quote for quote in "'\"`" if quote not in text), "'")
    text = text.translate(_ESCAPES)
    return f"{quote}{text.replace(quote, chr(92) + quote)}{quote}"


def _whole_words(text: str) -> str:
    """A string that Chrome shortened in the middle, without the words at the cut.

    Half of a token, or of a password in an address, is not recognised as a secret and would not be masked.
    """
    head, _, tail = text.partition("…")
    if not _is_shortened(text, head, tail):
        return text
    cuts = [match.end() for match in _CUT_AT.finditer(head)]
    return f"{head[: cuts[-1]] if cuts else head[:6]}…"


def _without_middle(text: str) -> str:
    """A string that Chrome shortened, without the mark in the middle. What is left shows its kind."""
    head, _, tail = text.partition("…")
    return head + tail if _is_shortened(text, head, tail) else text


def _is_shortened(text: str, head: str, tail: str) -> bool:
    return len(text) == _SHORTENED and len(head) == _SHORTENED // 2 and bool(tail)
