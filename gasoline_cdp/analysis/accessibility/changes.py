"""Changes to a document that repair an accessibility finding, as data. The sentence for the reader is built from them.

The tests apply the same data to a page and run axe-core again, so every sentence describes a change that helps.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any, Literal

from attrs import evolve, frozen

Kind = Literal[
    "set", "remove", "rename", "style", "not_important", "text", "tag", "delete", "insert", "wrap", "wrap_content",
    "move_out", "move_after",
]  # fmt: skip
Where = Literal["itself", "children", "parent"]
Path = tuple[str, ...]

# How many of the affected elements a sentence names.
_NAMED = 5
# Placeholder for a text that only the author knows.
SAMPLE = "Sample text"
_TAG = re.compile(r"<([a-zA-Z][\w:-]{0,40})")
_ATTRIBUTE = re.compile(r"([^\s\"'<>/=]+)(?:\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s\"'>]+))?")
# Skips quoted attribute values, so that a `>` inside one does not end the tag.
_START_TAG = re.compile(r"<[a-zA-Z][\w:-]*((?:[^<>\"']|\"[^\"]*\"|'[^']*')*)")


@frozen(kw_only=True)
class Change:
    """One step. If `hint` is set, `value` is only a sample: the author has to choose it, and the hint says how."""

    kind: Kind
    # An attribute, a CSS property, or a tag.
    name: str = ""
    value: str = ""
    hint: str = ""
    # When this change is the right one. For the reader only.
    when: str = ""
    # Paths of other elements to change; empty for the element itself. Sample values are numbered if there are several.
    on: tuple[Path, ...] = ()
    # How many elements are affected beyond those in `on`.
    more: int = 0
    where: Where = "itself"
    # The value is the id of another element.
    refers: bool = False

    @property
    def object(self) -> str:
        """The element that is changed, as the object of the sentence."""
        if self.where != "itself":
            return "its children" if self.where == "children" else "its parent"
        if not self.on:
            return "it"
        named = ", ".join(f"`{' >>> '.join(path)}`" for path in self.on[:_NAMED])
        rest = len(self.on) - _NAMED + self.more if len(self.on) > _NAMED else self.more
        return f"{named} and {rest} more" if rest else named

    @property
    def of(self) -> str:
        """` on `a``, if another element is changed."""
        return "" if self.object == "it" else f" on {self.object}"


def _value(change: Change) -> str:
    if change.hint:
        return f'{change.name}="…" {change.hint}'.rstrip()
    # The purpose is shared with the next alternative, which states it.
    return f'{change.name}="{"…" if change.value == SAMPLE else change.value}"'


def _attribute_name(name: str) -> str:
    return name if name.startswith("aria-") else f"the {name} attribute"


# Kinds whose changes at one element are joined into one sentence.
_SEVERAL: dict[Kind, Callable[[Sequence[Change]], str]] = {
    "set": lambda changes: f"set {_listed(_value(one) for one in changes)}{changes[0].of}",
    "remove": lambda changes: (
        f"remove {_listed(_attribute_name(one.name) for one in changes)}{changes[0].of.replace(' on ', ' from ', 1)}"
    ),
    "rename": lambda changes: f"rename {_listed(f'{one.name} to {one.value}' for one in changes)}{changes[0].of}",
    "style": lambda changes: f"set {_listed(f'{one.name}: {one.value}' for one in changes)}{changes[0].of}",
    "not_important": lambda changes: (
        f"remove !important from {_listed(one.name for one in changes)} in the style attribute"
    ),
}
_SINGLE: dict[Kind, Callable[[Change], str]] = {
    "text": lambda change: f"put text inside {change.object} {change.hint}",
    "tag": lambda change: f"change {change.object} to <{change.name}>",
    "delete": lambda change: f"delete {'this element' if change.object == 'it' else change.object}",
    "insert": lambda change: " ".join(part for part in ("add", change.value, change.name, change.hint) if part),
    "wrap": lambda change: f"put {change.object} inside {change.hint or f'an element with {change.value}'}",
    "wrap_content": lambda change: f"put the main content of the page inside <{change.name}>",
    "move_out": lambda change: f"move {change.object} out of {change.hint or f'`{change.name}`'}",
    "move_after": lambda change: f"move {change.object} out of this element",
}


def _sentence(changes: Sequence[Change]) -> str:
    """Changes of one kind at one element: imperative, lower case, no full stop."""
    change = changes[0]
    text = _SEVERAL[change.kind](changes) if change.kind in _SEVERAL else _SINGLE[change.kind](change)
    return " ".join(part for part in (text.rstrip(), changes[-1].when) if part)


def _listed(parts: Iterable[str]) -> str:
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


def _alternative(changes: Iterable[Change]) -> str:
    groups = groupby(
        enumerate(changes),
        lambda numbered: (
            numbered[1].kind,
            numbered[1].object,
            # The purpose ends a sentence, so a new sentence starts after it.
            None if numbered[1].kind in _SEVERAL and not numbered[1].hint else numbered[0],
        ),
    )
    return " and ".join(_sentence([change for _, change in group]) for _, group in groups)


@frozen(kw_only=True)
class Fix:
    """What to do. Each entry of `ways` is enough on its own. Without one, `note` says what a person has to decide."""

    ways: tuple[tuple[Change, ...], ...] = ()
    note: str = ""

    def sentence(self) -> str:
        """The fix as a sentence for a reader."""
        ways = ", or ".join(_alternative(way) for way in _purposes_once(self.ways))
        text = "; ".join(part for part in (ways, self.note) if part)
        return text[:1].upper() + text[1:]


def _purposes_once(ways: tuple[tuple[Change, ...], ...]) -> Iterable[tuple[Change, ...]]:
    """The alternatives. If two neighbours share a purpose, only the second states it."""
    following: tuple[Change, ...]
    for way, following in zip(ways, (*ways[1:], ()), strict=False):
        same = len(way) == len(following) == 1 and [one.hint for one in way] == [one.hint for one in following]
        yield (evolve(way[0], hint=""),) if same and way[0].kind != "wrap" else way


def either(*ways: Change | Iterable[Change] | None, note: str = "") -> Fix:
    """A fix with several alternatives, each one change or several. None marks one that does not apply."""
    steps = [(way,) if isinstance(way, Change) else tuple(way) for way in ways if way is not None]
    return Fix(ways=tuple(way for way in steps if way), note=note)


def put(name: str, value: str = SAMPLE, hint: str = "", **more: Any) -> Change:
    """Set an attribute."""
    return Change(kind="set", name=name, value=value, hint=hint, **more)


def drop(*names: str, **more: Any) -> tuple[Change, ...]:
    """Remove attributes."""
    return tuple(Change(kind="remove", name=name, **more) for name in names)


def named(hint: str) -> Change:
    """Name it with aria-label."""
    return put("aria-label", hint=hint)


def inside(hint: str) -> Change:
    """Put text inside it."""
    return Change(kind="text", value=SAMPLE, hint=hint)


def style(name: str, value: str, **more: Any) -> Change:
    """Set a CSS property."""
    return Change(kind="style", name=name, value=value, **more)


class Element:
    """The element that failed, and what axe's checks measured."""

    def __init__(self, node: dict[str, Any]) -> None:
        """Take a node in the short form that the page script sends."""
        self.node = node
        self.tag = tag_of(node["html"])
        self.attributes = attributes_of(node["html"])
        self.facts: dict[str, Any] = node.get("facts") or {}
        self.path = path_of(node.get("target") or [])

    @property
    def checks(self) -> list[dict[str, Any]]:
        """All failed checks."""
        return [check for part in ("none", "all", "any") for check in self.node[part]]

    def check(self, *names: str) -> dict[str, Any]:
        """The first failed check with one of these names; empty if none failed."""
        return next((check for check in self.checks if not names or check["id"] in names), {})

    def data(self, *names: str) -> Any:
        """What the check measured."""
        return self.check(*names).get("data")

    def others(self, *names: str) -> list[dict[str, Any]]:
        """Related elements of the checks with these names (default: all), each once, without the element itself."""
        by_path = {
            path: related
            for check in self.checks
            if not names or check["id"] in names
            for related in check.get("related") or []
            if (path := path_of(related["target"])) != self.path
        }
        return list(by_path.values())

    def related(self, *names: str) -> dict[str, Any]:
        """The same, as arguments of a change. Empty if only the element itself is related."""
        others = self.others(*names)
        if not others:
            return {}
        more = sum(int(check.get("related_more") or 0) for check in self.checks if not names or check["id"] in names)
        return {"on": tuple(path_of(other["target"]) for other in others), "more": more}


def tag_of(html: str) -> str:
    """`<A href=…>` → `a`."""
    match = _TAG.match(html)
    return match[1].lower() if match else "element"


def attributes_of(html: str) -> dict[str, str]:
    """The attributes of the first tag."""
    start = _START_TAG.match(html)
    return {part[1].lower(): (part[2] or "").strip("\"'") for part in _ATTRIBUTE.finditer(start[1])} if start else {}


def path_of(target: list[Any]) -> Path:
    """Axe's path to an element as a flat tuple: steps into frames and shadow roots look alike."""
    return tuple(step for part in target for step in ([part] if isinstance(part, str) else part))
