"""Which nodes are of one kind: they get the same class, whatever interfaces plain objects are sorted into."""

from typing import TYPE_CHECKING

import attrs
import numpy as np

from gasoline_cdp.analysis.heap import interfaces
from gasoline_cdp.analysis.heap.columns import Words
from gasoline_cdp.analysis.heap.interfaces import Interface, Shape

if TYPE_CHECKING:
    from gasoline_cdp.analysis.heap.graph import HeapGraph

_BY_TYPE = {"hidden": "(system)", "code": "(compiled code)", "closure": "Function", "regexp": "RegExp"}
_DETACHED = "Detached "


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
            place = "" if kind.location is None else ",".join(map(str, kind.location))
            classes.append((f"{place},{name}", name))
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
    of_name: dict[str, int] = {}
    for value in np.flatnonzero(used).tolist():
        if value < types:
            name = _BY_TYPE.get(header.node_types[value], f"({header.node_types[value]})")
            merge = True
        else:
            name = strings[value - types] if value < named else _DETACHED + strings[value - named]
            merge, name = _tag(name)
        if merge and name in of_name:
            number[value] = of_name[name]
            continue
        number[value] = len(kinds)
        if merge:
            of_name[name] = len(kinds)
        kinds.append(Kind(name))
    return number[group]


def _tag(name: str) -> tuple[bool, str]:
    """Elements are named by all of their attributes: the tag says what they are."""
    skip = len(_DETACHED) if name.startswith(_DETACHED + "<") else 0
    if not name.startswith("<", skip):
        return False, name
    space = name.find(" ", skip)
    return True, name if space < 0 else f"{name[:space]}>"


def _by_shape(graph: "HeapGraph", kinds: list[Kind], kind_of: Words) -> list[Shape]:
    plain = graph.strings.find(b"Object")
    if plain is None:
        return []
    is_plain = (graph.node_type == graph.header.node_type("object")) & (graph.node_name == plain)
    objects = np.flatnonzero(is_plain).astype(np.uint32)
    kind = graph.header.edge_type("property")
    like = graph.columns.engine.find_shapes(graph.columns, objects, kind=kind)
    firsts, inverse, counts = np.unique(like, return_inverse=True, return_counts=True)
    kind_of[objects] = inverse.astype(np.uint32) + np.uint32(len(kinds))
    labels: dict[int, str] = {}
    shapes = []
    for node, count in zip(objects[firsts].tolist(), counts.tolist(), strict=True):
        edges = slice(int(graph.first_edge[node]), int(graph.first_edge[node + 1]))
        names = graph.edge_name[edges][graph.edge_type[edges] == kind].tolist()
        properties = [labels.setdefault(name, "") or _remember(labels, name, graph.strings[name]) for name in names]
        has_proto = "__proto__" in properties
        shown = tuple(label for label in properties if label != "__proto__") if has_proto else tuple(properties)
        kinds.append(Kind("Object", shape=len(shapes)))
        shapes.append(Shape(shown, has_proto=has_proto, count=count))
    return shapes


def _remember(labels: dict[int, str], name: int, label: str) -> str:
    labels[name] = label
    return label


def _by_location(graph: "HeapGraph", kinds: list[Kind], kind_of: Words) -> None:
    locations = graph.columns.locations
    of_object = graph.node_type[locations.node] == graph.header.node_type("object")
    if len(locations.node):
        # Of two for one node, the last.
        of_object[:-1] &= locations.node[:-1] != locations.node[1:]
    nodes = locations.node[of_object]
    if not len(nodes):
        return
    rows = np.stack(
        [column[of_object].astype(np.int64) for column in (locations.script_id, locations.line, locations.column)]
        + [kind_of[nodes].astype(np.int64)],
        axis=1,
    )
    groups, inverse = np.unique(rows, axis=0, return_inverse=True)
    kind_of[nodes] = inverse.ravel().astype(np.uint32) + np.uint32(len(kinds))
    for script, line, column, kind in groups.tolist():
        kinds.append(attrs.evolve(kinds[kind], location=(script, line, column)))
