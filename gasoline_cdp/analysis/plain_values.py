"""Converts JavaScript values, deeply serialised by Chrome, to plain JSON. Values that JSON lacks are described."""

from collections.abc import Callable
from typing import Any

from gasoline_cdp import pilot_limits
from gasoline_cdp.analysis.markup import safe_logged
from gasoline_cdp.redact import REDACTED, is_secret_name, safe_text

_UNKNOWN = "[Unknown]"
_NAME_CHARS = 200


def plain_value(deep: Any) -> Any:
    """A `deepSerializedValue` as JSON values with secrets masked. Cycles and values that are too deep are named."""
    return _Reading().value(deep)


class _Reading:
    """One value. A repeated object is written again, unless it is inside itself."""

    def __init__(self) -> None:
        self._met: dict[int, Any] = {}

    def value(self, deep: Any) -> Any:
        if not isinstance(deep, dict):
            return _UNKNOWN
        kind, inner, reference = str(deep.get("type")), deep.get("value"), deep.get("weakLocalObjectReference")
        if kind in _LEAVES:
            return _LEAVES[kind](inner)
        if inner is None and reference in self._met:
            return self._met[reference]
        read = self._read.get(kind)
        if read is None or not isinstance(inner, list):
            # A function, a promise, a platform object, or an object deeper than requested.
            return f"[{_NAMES.get(kind) or kind.capitalize()[:40]}]"
        if reference is not None:
            self._met[reference] = "[Circular]"
        plain = read(self, inner)
        if reference is not None:
            self._met[reference] = plain
        return plain

    def _array(self, items: list[Any]) -> Any:
        return [self.value(item) for item in items]

    def _set(self, items: list[Any]) -> Any:
        return {f"[Set({len(items)})]": self._array(items)}

    def _pairs(self, pairs: list[Any]) -> list[tuple[Any, Any]]:
        return [(pair[0], pair[1]) for pair in pairs if isinstance(pair, list) and len(pair) == 2]

    def _object(self, pairs: list[Any]) -> Any:
        members: dict[str, Any] = {}
        for name, inner in self._pairs(pairs):
            value = self.value(inner)
            hidden = isinstance(value, str) and value and is_secret_name(str(name))
            members[safe_text(name, _NAME_CHARS)] = REDACTED if hidden else value
        return members

    def _map(self, pairs: list[Any]) -> Any:
        entries = []
        for key, inner in self._pairs(pairs):
            # String keys come as plain strings.
            name = safe_text(key, _NAME_CHARS) if isinstance(key, str) else self.value(key)
            value = self.value(inner)
            hidden = isinstance(value, str) and isinstance(name, str) and is_secret_name(name)
            entries.append([name, REDACTED if hidden else value])
        return {f"[Map({len(entries)})]": entries}

    _read: dict[str, Callable[["_Reading", list[Any]], Any]] = {  # noqa: RUF012 - never changed
        "array": _array,
        "nodelist": _array,
        "htmlcollection": _array,
        "set": _set,
        "object": _object,
        "map": _map,
    }


def _number(inner: Any) -> Any:
    # NaN, Infinity and -0 come as strings. Keep them as strings: JSON has no such numbers.
    return inner if isinstance(inner, int | float) else safe_text(inner, 20)


def _string(inner: Any) -> str:
    return safe_logged(str(inner), pilot_limits.RESULT_TEXT_CHARS)


def _regexp(inner: Any) -> str:
    inner = inner if isinstance(inner, dict) else {}
    return safe_text(f"/{inner.get('pattern', '')}/{inner.get('flags', '')}", 500)


def _node(inner: Any) -> str:
    """An element as tag, id and classes; other nodes as their kind."""
    inner = inner if isinstance(inner, dict) else {}
    name = inner.get("localName")
    if not name:
        return {3: "[Text]", 8: "[Comment]", 9: "[Document]", 11: "[Fragment]"}.get(inner.get("nodeType", 0), "[Node]")
    attributes = inner.get("attributes") if isinstance(inner.get("attributes"), dict) else {}
    marks = f"#{attributes['id']}" if attributes.get("id") else ""
    marks += "".join(f".{word}" for word in str(attributes.get("class", "")).split())
    return safe_text(f"<{name}{marks}>", 300)


# Types without contents, or shown without them.
_LEAVES: dict[str, Callable[[Any], Any]] = {
    "undefined": lambda _: None,
    "null": lambda _: None,
    "boolean": bool,
    "number": _number,
    "string": _string,
    "bigint": lambda inner: f"{safe_text(inner, 1000)}n",
    "date": _string,
    "regexp": _regexp,
    "node": _node,
}

_NAMES = {
    "arraybuffer": "ArrayBuffer",
    "typedarray": "TypedArray",
    "weakmap": "WeakMap",
    "weakset": "WeakSet",
    "platformobject": "Platform object",
}
