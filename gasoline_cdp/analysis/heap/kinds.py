"""Which nodes are of one kind: they get the same class, whatever interfaces plain objects are sorted into."""

from typing import TYPE_CHECKING

import attrs
import numpy as np

from gasoline_cdp.analysis.heap import interfaces
from gasoline_cdp.analysis.heap.columns import Words, decode
from gasoline_cdp.analysis.heap.interfaces import Interface, Shape

if TYPE_CHECKING:
    from gasoline_cdp.analysis.heap.graph import HeapGraph

_BY_TYPE = {"hidden": "(system)", "code": "(compiled code)", "closure": "Function", "regexp": "RegExp"}
_DETACHED = b"Detached "


@attrs.frozen
class Kind:
    """The name of a kind of node, or the shape of plain objects; and where they were constructed, if that is known."""

    name: str
    shape: int | None = None
    location: tuple[int, int, int] | None = None


@attrs.frozen(eq=False)
class Kinds:
    """The kinds of a snapshot's nodes."""

    kind_of: Words
    kinds: list[Kind]
    shapes: list[Shape]

    def classify(self, definitions: list[Interface]) -> list[tuple[str, str]]:
        """The class of each kind: its key, which tells classes of one name apart by their location, and its name."""
        names = list(interfaces.match(self.shapes, definitions))
        classes = []
        for kind in self.kinds:
            name = kind.name if kind.shape is None else names[kind.shape] or kind.name
            position = "" if kind.location is None else ",".join(map(str, kind.location))
            classes.append((f"{position},{name}", name))
        return classes


def find_kinds(graph: "HeapGraph") -> Kinds:
    """Sort the nodes by type and name; elements by tag, plain objects by shape, other objects by location as well."""
    kinds: list[Kind] = []
    kind_of = _by_name(graph, kinds)
    shapes = _by_shape(graph, kinds, kind_of)
    _by_location(graph, kinds, kind_of)
    return Kinds(kind_of, kinds, shapes)


def _by_name(graph: "HeapGraph", kinds: list[Kind]) -> Words:
    header, strings = graph.header, graph.strings
    native, plain = header.node_type("native"), header.node_type("object")
    # A number for every type, every name, and every name of what is detached.
    types = len(header.node_types)
    named = types + len(strings)
    group = graph.node_type.astype(np.uint32)
    is_native = graph.node_type == native
    by_name = is_native | (graph.node_type == plain)
    group[by_name] = graph.node_name[by_name] + np.uint32(types)
    if graph.adds_prefix:
        detached = np.flatnonzero(is_native & (graph.detachedness == 2))
        group[detached] = graph.node_name[detached] + np.uint32(named)
    used = np.zeros(named + len(strings), bool)
    used[group] = True
    number = np.zeros(len(used), np.uint32)
    of_tag: dict[bytes, int] = {}
    for value in np.flatnonzero(used).tolist():
        if value < types:
            kind = header.node_types[value]
            tag, name = None, _BY_TYPE.get(kind, f"({kind})")
        else:
            raw = strings.raw(value - types) if value < named else _DETACHED + strings.raw(value - named)
            tag = _tag(raw)
            name = decode(raw if tag is None else tag)
        if tag is not None and tag in of_tag:
            number[value] = of_tag[tag]
            continue
        number[value] = len(kinds)
        if tag is not None:
            of_tag[tag] = len(kinds)
        kinds.append(Kind(name))
    return number[group]


def _tag(raw: bytes) -> bytes | None:
    """Elements are named by all of their attributes: the tag says what they are."""
    skip = len(_DETACHED) if raw.startswith(_DETACHED + b"<") else 0
    if not raw.startswith(b"<", skip):
        return None
    space = raw.find(b" ", skip)
    return raw if space < 0 else raw[:space] + b">"


def _by_shape(graph: "HeapGraph", kinds: list[Kind], kind_of: Words) -> list[Shape]:
    plain = graph.strings.find(b"Object")
    if plain is None:
        return []
    is_plain = (graph.node_type == graph.header.node_type("object")) & (graph.node_name == plain)
    objects = np.flatnonzero(is_plain).astype(np.uint32)
    kind = graph.header.edge_type("property")
    like = graph.columns.engine.find_shapes(graph.columns, objects, kind=kind)
    firsts = np.flatnonzero(like == np.arange(len(like), dtype=np.uint32))
    shape_of = np.zeros(len(like), np.uint32)
    shape_of[firsts] = np.arange(len(firsts))
    shape_of = shape_of[like]
    counts = np.bincount(shape_of, minlength=len(firsts))
    kind_of[objects] = shape_of + np.uint32(len(kinds))
    labels: dict[int, str] = {}
    shapes: list[Shape] = []
    for node, count in zip(objects[firsts].tolist(), counts.tolist(), strict=True):
        edges = slice(int(graph.first_edge[node]), int(graph.first_edge[node + 1]))
        names = graph.edge_name[edges][graph.edge_type[edges] == kind].tolist()
        labels |= {name: graph.strings[name] for name in names if name not in labels}
        properties = [labels[name] for name in names]
        has_proto = "__proto__" in properties
        shown = tuple(label for label in properties if label != "__proto__") if has_proto else tuple(properties)
        kinds.append(Kind("Object", shape=len(shapes)))
        shapes.append(Shape(shown, has_proto=has_proto, count=count))
    return shapes


def _by_location(graph: "HeapGraph", kinds: list[Kind], kind_of: Words) -> None:
    locations = graph.columns.locations
    of_object = graph.node_type[locations.node] == graph.header.node_type("object")
    if len(locations.node):
        # Of two for one node, the last.
        of_object[:-1] &= locations.node[:-1] != locations.node[1:]
    nodes = locations.node[of_object]
    if not len(nodes):
        return
    engine = graph.columns.engine
    columns = (locations.script_id, locations.line, locations.column)
    # One number for each position, then one for each position and kind.
    position = locations.line[of_object].astype(np.uint64) << np.uint64(32) | locations.column[of_object].view(
        np.uint32
    )
    position, _ = engine.number_codes(position)
    script = locations.script_id[of_object].view(np.uint32).astype(np.uint64)
    position, _ = engine.number_codes(script << np.uint64(32) | position)
    groups, firsts = engine.number_codes(kind_of[nodes].astype(np.uint64) << np.uint64(32) | position)
    of_group = kind_of[nodes[firsts]].tolist()
    kind_of[nodes] = groups + np.uint32(len(kinds))
    positions = zip(*(column[of_object][firsts].tolist() for column in columns), strict=True)
    for kind, location in zip(of_group, positions, strict=True):
        kinds.append(attrs.evolve(kinds[kind], location=location))
