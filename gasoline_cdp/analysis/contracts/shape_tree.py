"""The common shape of many answers: the types of each node, optional fields, dictionaries.

Only names and types are kept, never values. Arrays have one shape for all their elements.
"""

import re
from collections.abc import Container, Iterator
from typing import Any, Literal

from attrs import define, field, frozen

from gasoline_cdp.analysis.normalise import is_id
from gasoline_cdp.redact import clean, redact

DEPTH = 5
SHOWN_DEPTH = 3
_ELEMENTS = 200
_FIELDS = 300
_LEARNED = 3
_HABIT = 20
_KEY_CHARS = 80
_DATA_KEY_CHARS = 200
# Answers repeat their keys. Remember the harmless ones, so that each is searched for secrets once.
_NAMES_REMEMBERED = 4000
_names: set[str] = set()
# Keys that identify one of many: a version, a time, an address.
_DATA_KEY = re.compile(r"\d+(?:\.\d+)+(?:[-+].{0,40})?|\d{4}-\d\d-\d\d[T ].{5,30}|/.{0,200}|https?://.{1,200}")
_PAGING = re.compile(r"(?:next|prev|cursor)[^.\[\]]*$", re.IGNORECASE)

DiffKind = Literal["missing_field", "new_field", "type_change", "null_field"]


@define(eq=False)
class Node:
    """One node of the shape: a position in the answers of an endpoint."""

    types: set[str] = field(factory=set)
    fields: dict[str, "Node"] = field(factory=dict)
    items: "Node | None" = None
    # The shape of the values, if it is a dictionary whose keys are ids.
    values: "Node | None" = None
    # For a field: some object did not have it.
    optional: bool = False
    # How many answers had a value here, and how many objects were seen here.
    seen: int = 0
    objects: int = 0
    turn: int = -1

    @property
    def mixed(self) -> bool:
        """Whether objects of several kinds occur here, so that another kind is no deviation."""
        return any(member.optional for member in self.fields.values())


@frozen
class Diff:
    """How an answer deviates from what was learned."""

    kind: DiffKind
    path: str
    was: str = ""
    now: str = ""
    # The value at this path, from which the caller makes a redacted sample.
    value: Any = field(default=None, eq=False, repr=False)


_NAMES = {
    dict: "object", list: "array", bool: "boolean", int: "number", float: "number", str: "string", type(None): "null",
}  # fmt: skip
_CONTAINERS = {"object", "array"}


def type_of(value: object) -> str:
    """The JSON type. Integers and other numbers are one type."""
    return _NAMES.get(type(value), "null")


def learn(
    node: Node, value: Any, turn: int, skip: Container[tuple[str, str]] = (), path: str = "", depth: int = 0
) -> None:
    """Add an answer to the shape, without the deviations in `skip` (kind and path)."""
    if node.turn != turn:
        node.turn = turn
        node.seen += 1
    kind = type_of(value)
    if kind not in node.types:
        if ("type_change", path) in skip or ("null_field", path) in skip:
            return
        node.types.add(kind)
    if depth >= DEPTH:
        return
    if isinstance(value, list):
        for element in value[:_ELEMENTS]:
            if node.items is None:
                node.items = Node()
            learn(node.items, element, turn, skip, f"{path}[]", depth + 1)
    elif isinstance(value, dict):
        _learn_object(node, value, turn, skip, path, depth)


def _learn_object(
    node: Node, value: dict[str, Any], turn: int, skip: Container[tuple[str, str]], path: str, depth: int
) -> None:
    if node.values is None and value and not node.fields and all(_is_data_key(key) for key in value):
        _become_map(node)
    if node.values is not None:
        for member in list(value.values())[:_ELEMENTS]:
            learn(node.values, member, turn, skip, f"{path}{{}}", depth + 1)
        return
    _learn_fields(node, value, turn, skip, path, depth)
    node.objects += 1
    if node.objects >= 2 and _keys_are_data(node):
        _become_map(node)


def _learn_fields(
    node: Node, value: dict[str, Any], turn: int, skip: Container[tuple[str, str]], path: str, depth: int
) -> None:
    for key in node.fields.keys() - value.keys():
        if ("missing_field", join(path, key)) not in skip:
            node.fields[key].optional = True
    for key, member in value.items():
        known = node.fields.get(key)
        if known is None:
            if ("new_field", join(path, key)) in skip or len(node.fields) >= _FIELDS or not is_name(key):
                continue
            known = node.fields[key] = Node(optional=node.objects > 0)
        elif known.turn == turn and (kind := type_of(member)) in known.types and kind not in _CONTAINERS:
            continue
        learn(known, member, turn, skip, join(path, key), depth + 1)


def _is_data_key(key: str) -> bool:
    return len(key) <= _DATA_KEY_CHARS and (is_id(key) or _DATA_KEY.fullmatch(key) is not None)


def is_name(key: str) -> bool:
    """Whether a key may be kept and shown: a name, not a secret or a long text used as a key."""
    if key in _names:
        return True
    if len(key) > _KEY_CHARS or clean(key) != key or redact(key) != key:
        return False
    if len(_names) >= _NAMES_REMEMBERED:
        _names.clear()
    _names.add(key)
    return True


def _keys_are_data(node: Node) -> bool:
    """Few keys per object and all values alike: the keys are data, as in `{"USD": 1.1, "SEK": 0.1}`."""
    members = list(node.fields.values())
    optional = sum(member.optional for member in members)
    # Objects of strings may as well be records without their empty fields.
    enough = len(members) if any("string" in member.types for member in members) else len(members) / 2
    return (
        len(members) >= 4
        and optional >= enough
        and len({frozenset(member.types) for member in members}) == 1
        and len({frozenset(member.fields) for member in members}) <= 2
    )


def _become_map(node: Node) -> None:
    values = Node()
    for member in node.fields.values():
        absorb(values, member)
    values.optional = False
    node.values, node.fields = values, {}


def absorb(into: Node, other: Node) -> None:
    """Merge the node `other` into this one. `other` is neither changed nor shared."""
    into.types |= other.types
    into.seen = max(into.seen, other.seen)
    for key, member in other.fields.items():
        known = into.fields.get(key)
        if known is None:
            known = into.fields[key] = Node(optional=into.objects > 0, turn=member.turn)
        absorb(known, member)
        known.optional |= member.optional
    for key, known in into.fields.items():
        if other.objects and key not in other.fields:
            known.optional = True
    into.objects += other.objects
    for name in ("items", "values"):
        others = getattr(other, name)
        if others is not None:
            if getattr(into, name) is None:
                setattr(into, name, Node())
            absorb(getattr(into, name), others)


def compare(node: Node, value: Any, path: str = "", depth: int = 0, *, in_array: bool = False) -> Iterator[Diff]:
    """How an answer deviates from the shape, at nodes that were seen often enough."""
    if node.types and type_of(value) not in node.types:
        yield from _compare_types(node, value, path)
        return
    if depth >= DEPTH:
        return
    if isinstance(value, list) and node.items is not None:
        for element in value[:_ELEMENTS]:
            yield from compare(node.items, element, f"{path}[]", depth + 1, in_array=True)
    elif isinstance(value, dict) and node.values is not None:
        for member in list(value.values())[:_ELEMENTS]:
            yield from compare(node.values, member, f"{path}{{}}", depth + 1, in_array=True)
    elif isinstance(value, dict):
        yield from _compare_keys(node, value, path, in_array=in_array)
        for key, member in value.items():
            known = node.fields.get(key)
            # Most members have the type they always had, and contain nothing further.
            if known is not None and ((kind := type_of(member)) in _CONTAINERS or kind not in known.types):
                yield from compare(known, member, join(path, key), depth + 1)


def _compare_types(node: Node, value: Any, path: str) -> Iterator[Diff]:
    # A node that was always null says nothing about what else may come.
    if node.seen >= _LEARNED and node.types != {"null"}:
        kind = type_of(value)
        if kind == "null" and _PAGING.search(path):
            # The last page of a list has no next page.
            return
        was = " or ".join(sorted(node.types - {"null"}))
        yield Diff("null_field" if kind == "null" else "type_change", path, was, kind, value)


def _compare_keys(node: Node, value: dict[str, Any], path: str, *, in_array: bool) -> Iterator[Diff]:
    if node.seen < _LEARNED or not node.fields:
        return
    # An API that leaves out some fields is likely to leave out others.
    firm = not node.mixed or node.objects >= _HABIT
    for key in node.fields.keys() - value.keys() if firm else ():
        known = node.fields[key]
        if not known.optional:
            yield Diff("missing_field", join(path, key), " or ".join(sorted(known.types)))
    if in_array and node.mixed:
        return
    if len(node.fields) < _FIELDS:
        for key in value.keys() - node.fields.keys():
            if is_name(key):
                yield Diff("new_field", join(path, key), "", type_of(value[key]))


def join(path: str, key: str) -> str:
    """`a.b[].c`."""
    return f"{path}.{key}" if path else key


def shown(node: Node, depth: int = SHOWN_DEPTH) -> Any:
    """The shape for a reader: types by field, a question mark for optional fields, alternatives joined by `|`."""
    if depth < 0:
        return "..."
    simple = sorted(node.types - {"object", "array"})
    parts: list[Any] = []
    if "object" in node.types:
        if node.values is not None:
            parts.append({"{id}": shown(node.values, depth - 1)})
        else:
            parts.append(
                {f"{key}?" if member.optional else key: shown(member, depth - 1) for key, member in node.fields.items()}
            )
    if "array" in node.types:
        parts.append([shown(node.items, depth - 1)] if node.items is not None else [])
    if parts and simple == ["null"]:
        # Nullable object: show the object.
        simple = []
    if not parts:
        return "|".join(simple)
    return parts[0] if len(parts) == 1 and not simple else [*parts, *simple]
