"""The arguments of a console call as the text that DevTools would show for them. Pure.

Chrome sends a preview with each object: five properties or a hundred elements, one level deep. A second look
(`capture.objects`) gives previews of the same shape that go deeper; wherever one is at hand it is rendered instead.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from gasoline_cdp import limits
from gasoline_cdp.capture.stacks import mapping, split_error
from gasoline_cdp.redact import safe_behind

Json = dict[str, Any]

# One value fills a record's text three times over at most: enough for a template in which each pair of characters
# becomes one, and for what masking needs to see beyond the cut.
_VALUE_CHARS = 3 * limits.TEXT_CHARS
_PART_CHARS = 1000
_FUNCTION_CHARS = 120
# Chrome nests previews twice and we five times; no payload makes us go deeper than this.
_DEPTH = 10
_PARTS = 1000
_TABLE_ROWS = 100
_TABLE_COLUMNS = 30
# Chrome shortens strings inside previews to a hundred characters, with this sign in the middle.
_SHORTENED = 100
_CUT_AT = re.compile(r"[\s/?&,;:=(){}\[\]<>|]")

_SPECIFIER = re.compile(r"%([%_sdifoOc])")
_BODY = re.compile(r"\)\s{0,20}(?:=>\s{0,20})?\{")
_BARE_NAME = re.compile(r"#?[A-Za-z_$][\w$]*\Z|\d+\Z|\[\[\w+\]\]\Z|Symbol\(")
_LENGTH = re.compile(r"\((\d{1,15})\)\Z")
_ESCAPES = str.maketrans({"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"})

# Told by their description alone.
_CLOSED = ("date", "regexp", "arraybuffer", "dataview", "window", "webassemblymemory")
# What an error's headline and stack say already, or what is told in words of its own.
_SAID_OF_ERRORS = {"stack", "message", "name", "cause", "errors"}


def render_arguments(arguments: Sequence[object], deeper: Mapping[int, Json] | None = None) -> str:
    """All arguments of a console call in one text. `deeper` has better previews of some, by their place."""
    shown = arguments[: limits.CONSOLE_ARGUMENTS]
    values = [_with_preview(mapping(value), (deeper or {}).get(place)) for place, value in enumerate(shown)]
    if not values:
        return ""
    pieces: list[str] = []
    if values[0].get("type") == "string":
        text, used = _format(_text(values[0].get("value", ""), _VALUE_CHARS), values[1:])
        pieces.append(text)
        values = values[1 + used :]
    for value in values:
        piece = render(value, top=True)
        pieces.append(safe_behind(pieces, piece) if value.get("type") in ("string", "number") else piece)
    if len(arguments) > limits.CONSOLE_ARGUMENTS:
        pieces.append(f"… {len(arguments) - limits.CONSOLE_ARGUMENTS} more arguments")
    return " ".join(piece for piece in pieces if piece)


def plain_text(arguments: object) -> str | None:
    """The text of a few short strings and numbers, where no template is; None for anything that takes more thought."""
    if not isinstance(arguments, list) or len(arguments) > limits.CONSOLE_ARGUMENTS:
        return None
    pieces: list[str] = []
    for value in arguments:
        kind = value.get("type") if isinstance(value, dict) else None
        if kind == "string":
            piece = value.get("value")
        elif kind == "number":
            piece = value.get("description")
        else:
            return None
        if not isinstance(piece, str) or "%" in piece or len(piece) > _PART_CHARS:
            return None
        if piece:
            pieces.append(safe_behind(pieces, piece))
    return " ".join(pieces)


def _with_preview(value: Json, preview: Json | None) -> Json:
    return value if preview is None else {**value, "deeper": preview}


def _format(template: str, values: Sequence[Json]) -> tuple[str, int]:
    """Fill in a template; also say how many values that took. What comes in for %s is itself looked through.

    V8 has already turned what %s, %d, %i and %f stand for into strings and numbers.
    """
    pieces: list[str] = []
    used = start = 0
    while found := _SPECIFIER.search(template, start):
        pieces.append(template[start : found.start()])
        start = found.end()
        if found[1] == "%":
            pieces.append("%")
        elif used == len(values):
            pieces.append(found[0])
        else:
            value = values[used]
            used += 1
            if found[1] == "s":
                template = (render(value, top=True) + template[start:])[:_VALUE_CHARS]
                start = 0
            elif found[1] in "dif":
                pieces.append(_number(value, whole=found[1] != "f"))
            elif found[1] in "oO":
                pieces.append(render(value))
            # %c styles and %_ only uses up its value.
    pieces.append(template[start:])
    return "".join(pieces), used


def _number(value: Json, *, whole: bool) -> str:
    given = value.get("value")
    if value.get("type") != "number" or isinstance(given, bool) or not isinstance(given, int | float):
        special = value.get("unserializableValue")
        return special if value.get("type") == "number" and isinstance(special, str) else "NaN"
    if whole and abs(given) < 2**53 and given != int(given):
        return str(math.floor(given))
    return render(value)


def render(value: Json, *, top: bool = False) -> str:
    """One value; strings are bare at the top and quoted inside others."""
    kind = value.get("type")
    if kind == "string":
        text = _text(value.get("value", value.get("description", "")), _VALUE_CHARS)
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
        return _function(_text(value.get("description", "function"), _VALUE_CHARS))
    if value.get("subtype") == "error":
        return _error(value, top=top)
    preview = value.get("deeper") or value.get("preview")
    if kind == "object" and isinstance(preview, dict):
        return _preview(preview)
    return _text(value.get("description", kind), _VALUE_CHARS)


def _function(source: str) -> str:
    """The head of a function or class, without its body."""
    if source.startswith("class"):
        head = source.partition("{")[0]
    else:
        body = _BODY.search(source)
        head = source[: body.end() - 1] if body else source
    return _cut(" ".join(head.split()), _FUNCTION_CHARS) or "function"


def _error(value: Json, *, top: bool) -> str:
    """What an error says, what it has beside that, and what caused it; the stack becomes the record's frames."""
    headline, _ = split_error(_text(value.get("description", "Error"), _VALUE_CHARS))
    if not top:
        return headline
    shallow, preview = mapping(value.get("preview")), mapping(value.get("deeper") or value.get("preview"))
    own = _SAID_OF_ERRORS | ({"code"} if value.get("className") == "DOMException" else set())
    text = headline + _beside(preview, own)
    # Only Chrome's own preview has the stack of the cause; its first line says where that came from.
    cause = _property(shallow, "cause")
    if cause.get("subtype") == "error":
        at = split_error(_text(cause.get("value"), _VALUE_CHARS))[1].partition("\n")[0].strip()
        return text + _causes(preview, f" {at}" if at else "")
    return text + _causes(preview, "")


def _beside(error: Json, own: set[str]) -> str:
    """The errors inside an AggregateError, and the properties that somebody gave to an error."""
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
        text += f"\nCaused by: {_part(cause, _DEPTH)}{at}{_beside(error, _SAID_OF_ERRORS)}"
        at = ""
    return text


def _preview(preview: Json, depth: int = 0) -> str:
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
        return _array(preview, description, more, depth)
    if "entries" in preview or subtype in ("map", "set"):
        pairs = [" => ".join(_entry(entry, depth).values()) for entry in _parts(preview, "entries")]
        return f"{description} {{{', '.join(pairs + more)}}}"
    properties = _parts(preview, "properties")
    if subtype in ("promise", "generator") and properties:
        return f"{description} {{{_state(properties, depth)}}}"
    if description == "Proxy(Function)":
        return description
    pairs = [_pair(item, depth) for item in properties]
    prefix = "" if description in ("", "Object") else f"{description} "
    return f"{prefix}{{{', '.join(pairs + more)}}}"


def _array(preview: Json, description: str, more: list[str], depth: int) -> str:
    items: list[str] = []
    expected = 0
    for part in _parts(preview, "properties"):
        name = _text(part.get("name"))
        if name.isdecimal() and len(name) < 16:
            items.extend(_hole(int(name) - expected))
            items.append(_part(part, depth))
            expected = int(name) + 1
        elif preview.get("subtype") == "array" and part.get("type") != "function":
            # Of a match of a regular expression: index, input, groups.
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
    """`<fulfilled>: 5` of a promise, `<suspended>` of a generator."""
    state = f"<{_text(properties[0].get('value'))}>"
    settled = state != "<pending>" and len(properties) > 1
    return f"{state}: {_part(properties[1], depth)}" if settled else state


def _node(node: Json) -> str:
    """`<div#id.class>`; the text itself of texts and comments."""
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
    return f"{name if _BARE_NAME.match(name) else _quoted(name)}: {_part(part, depth)}"


def _entry(entry: Json, depth: int) -> dict[str, str]:
    """The key of a map's entry, if it has one, and its value: previews in place of parts."""
    sides = {name: entry[name.lower()] for name in ("Key", "Value") if isinstance(entry.get(name.lower()), dict)}
    return {
        name: _preview(side, depth + 1)
        if "properties" in side and depth < _DEPTH
        else _part({"value": side.get("description"), **side}, _DEPTH)
        for name, side in sides.items()
    }


def _part(part: Json, depth: int) -> str:
    """A property's value, which Chrome gives as text with a type."""
    if isinstance(part.get("valuePreview"), dict) and depth < _DEPTH:
        return _preview(part["valuePreview"], depth + 1)
    value, kind, subtype = _text(part.get("value", "")), part.get("type"), part.get("subtype")
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
    """The rows and columns of console.table; None for what is no table."""
    preview = mapping(value.get("preview"))
    rows: list[tuple[str, dict[str, str]]] = []
    if entries := _parts(preview, "entries"):
        for place, entry in enumerate(entries[:_TABLE_ROWS]):
            rows.append((str(place), _entry(entry, 0)))
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
        return {"Value": _part(row, 0)}
    return {_text(part.get("name")): _part(part, 0) for part in properties}


def _parts(preview: Json, name: str) -> list[Json]:
    items = preview.get(name)
    return [item for item in items[:_PARTS] if isinstance(item, dict)] if isinstance(items, list) else []


def _property(preview: Json, name: str) -> Json:
    return next((part for part in _parts(preview, "properties") if part.get("name") == name), {})


def _text(value: object, limit: int = _PART_CHARS) -> str:
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
    """A string that Chrome has shortened in the middle, without the ends of it that were cut in two.

    Half of a token, or of a password in an address, is no longer recognised as one and would not be masked.
    """
    head, sign, _ = text.partition("…")
    if len(text) != _SHORTENED or not sign or len(head) != _SHORTENED // 2:
        return text
    places = [found.end() for found in _CUT_AT.finditer(head)]
    return f"{head[: places[-1]] if places else head[:6]}…"
