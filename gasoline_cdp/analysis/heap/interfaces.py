"""Classes for plain objects, which have none: those of the same properties get an interface, {a, b}, as in DevTools."""

from collections.abc import Iterable, Iterator, Sequence

import attrs

from gasoline_cdp.analysis.heap.naming import format_property, utf16_length

_MOST_NAME = 120
_FEWEST_OBJECTS = 2
_OBJECTS_PER_INTERFACE = 1000


@attrs.frozen
class Shape:
    """The names of an object's properties, in order, without __proto__; and how many objects are like this."""

    properties: tuple[str, ...]
    has_proto: bool
    count: int


@attrs.frozen
class Interface:
    """An inferred class of plain objects."""

    name: str
    properties: tuple[str, ...]


def infer(shapes: Iterable[Shape]) -> list[Interface]:
    """The interfaces that enough objects have, the most frequent first. shapes: in the order of their first objects."""
    candidates: dict[str, tuple[Interface, int]] = {}
    objects = 0
    for shape in shapes:
        objects += shape.count
        name = ""
        properties = []
        length = 1
        for label in shape.properties:
            shown = format_property(label)
            if length > 1 and length + utf16_length(shown) > _MOST_NAME:
                break
            name += f", {shown}" if length != 1 else shown
            length = 1 + utf16_length(name)
            properties.append(label)
        if not properties:
            continue
        name = f"{{{name}}}"
        interface, count = candidates.get(name, (Interface(name, tuple(properties)), 0))
        candidates[name] = interface, count + shape.count
    enough = max(_FEWEST_OBJECTS, objects / _OBJECTS_PER_INTERFACE)
    frequent = sorted(candidates.values(), key=lambda counted: -counted[1])
    return [interface for interface, count in frequent if count >= enough]


def match(shapes: Sequence[Shape], interfaces: Sequence[Interface]) -> Iterator[str | None]:
    """For each shape, the name of the interface with the most properties that it has all of; the first of several."""
    tree = _Tree()
    for rank, interface in enumerate(interfaces):
        tree.add(interface, rank)
    keys: dict[str, bytes] = {}
    for shape in shapes:
        labels = [*shape.properties, "__proto__"] if shape.has_proto else shape.properties
        yield tree.best(sorted(keys.setdefault(label, _sort_key(label)) for label in labels))


def _sort_key(label: str) -> bytes:
    """Sorts as JavaScript does."""
    return label.encode("utf-16-be", "surrogatepass")


class _Tree:
    """Interfaces by their sorted properties."""

    def __init__(self) -> None:
        self.next: dict[bytes, _Tree] = {}
        self.last = b""
        """The greatest of next."""
        self.match: tuple[int, int, str] | None = None
        """Properties and rank, negative: the greater the better; and the name."""

    def add(self, interface: Interface, rank: int) -> None:
        here = self
        for key in sorted(map(_sort_key, interface.properties)):
            if key not in here.next:
                here.next[key] = _Tree()
                here.last = max(here.last, key)
            here = here.next[key]
        if here.match is None:
            here.match = len(interface.properties), -rank, interface.name

    def best(self, keys: Sequence[bytes]) -> str | None:
        states = {id(self): self}
        best = self.match
        for key in keys:
            for state in list(states.values()):
                if key >= state.last:
                    states.pop(id(state), None)
                further = state.next.get(key)
                if further is not None:
                    states[id(further)] = further
                    if further.match is not None and (best is None or further.match > best):
                        best = further.match
        return best[2] if best is not None else None
