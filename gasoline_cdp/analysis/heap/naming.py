"""How nodes and edges are called: as DevTools calls them."""

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gasoline_cdp.analysis.heap.graph import HeapGraph

_MOST_STRING = 1024
_MOST_OBJECT = 100
_UNUSUAL = re.compile("[,'\"{}]")
_NUMBER = re.compile(r"\s*([+-]?[0-9]+)")


class Names:
    """The names in one graph."""

    def __init__(self, graph: "HeapGraph") -> None:
        self._graph = graph
        header = graph.header
        self._cons = header.node_type("concatenated string")
        self._object = header.node_type("object")
        self._native = header.node_type("native")
        self._internal = header.edge_type("internal")
        self._property = header.edge_type("property")
        self._shortcut = header.edge_type("shortcut")
        numbered = {header.edge_type("element"), header.edge_type("hidden")}
        self._parts: dict[int, tuple[str, ...]] = {}
        self.is_named = [kind not in numbered for kind in range(len(header.edge_types))]

    def raw(self, node: int) -> str:
        """The name in the snapshot, and that it is detached."""
        graph = self._graph
        name = graph.strings[int(graph.node_name[node])]
        if graph.adds_prefix and graph.detachedness[node] == 2 and graph.node_type[node] == self._native:
            return f"Detached {name}"
        return name

    def node(self, node: int) -> str:
        """The name to show."""
        kind = self._graph.node_type[node]
        if kind == self._cons:
            return self._whole_string(node)
        name = self.raw(node)
        return self._by_properties(node) if kind == self._object and name == "Object" else name

    def edge(self, edge: int) -> str:
        """The name to show."""
        graph = self._graph
        if not self.is_named[graph.edge_type[edge]]:
            return str(int(graph.edge_name[edge]))
        name = graph.strings[int(graph.edge_name[edge])]
        if graph.edge_type[edge] == self._shortcut:
            number = _NUMBER.match(name)
            return str(int(number[1])) if number else name
        return name

    def edge_number(self, edge: int) -> int | None:
        """The number that an edge is called by, or begins with."""
        graph = self._graph
        if not self.is_named[graph.edge_type[edge]]:
            return int(graph.edge_name[edge])
        number = _NUMBER.match(graph.strings[int(graph.edge_name[edge])])
        return int(number[1]) if number else None

    def _whole_string(self, node: int) -> str:
        """Put together from its parts, up to a length. Strings built in a loop share them: they are remembered."""
        begun: set[int] = set()
        todo = [node]
        while todo:
            part = todo.pop()
            if part in self._parts:
                continue
            halves = self._halves(part)
            if part not in begun:
                begun.add(part)
                todo.append(part)
                todo += [half for half in halves if self._is_cons(half) and half not in begun]
                continue
            texts: list[str] = []
            length = 0
            for text in (text for half in halves for text in self._known_parts(half)):
                if length >= _MOST_STRING:
                    break
                texts.append(text)
                length += utf16_length(text)
            self._parts[part] = tuple(texts)
        return "".join(self._parts[node])

    def _is_cons(self, node: int) -> bool:
        return bool(self._graph.node_type[node] == self._cons)

    def _known_parts(self, node: int) -> tuple[str, ...]:
        # What is not known yet is a part of itself, which only a damaged file has.
        return self._parts.get(node, ()) if self._is_cons(node) else (self.raw(node),)

    def _halves(self, node: int) -> tuple[int, int]:
        graph = self._graph
        first = second = 0
        for edge in graph.edges(node):
            if graph.edge_type[edge] == self._internal:
                label = graph.strings.raw(int(graph.edge_name[edge]))
                if label == b"first":
                    first = int(graph.edge_to[edge])
                elif label == b"second":
                    second = int(graph.edge_to[edge])
            if first and second:
                break
        return first, second

    def _by_properties(self, node: int) -> str:
        """{a, b, …, y, z}: from both ends, as much as fits."""
        graph = self._graph
        names = [
            format_property(label)
            for edge in graph.edges(node)
            if graph.edge_type[edge] == self._property
            if (label := graph.strings[int(graph.edge_name[edge])]) != "__proto__"
        ]
        head, tail = "{", "}"
        front, back = 0, len(names)
        from_back = False
        while front < back:
            name = names[back - 1] if from_back else names[front]
            if len(head) > 1 and utf16_length(head) + utf16_length(tail) + utf16_length(name) > _MOST_OBJECT:
                break
            if from_back:
                back -= 1
                tail = name + (", " if len(tail) > 1 else "") + tail
            else:
                front += 1
                head += (", " if len(head) > 1 else "") + name
            from_back = not from_back
        if front < back:
            head += ", …"
        if len(tail) > 1:
            head += ", "
        return head + tail


def format_property(name: str) -> str:
    """A property's name, quoted if it could be mistaken for more than a name."""
    return json.dumps(name, ensure_ascii=False) if _UNUSUAL.search(name) else name


def utf16_length(text: str) -> int:
    """How long JavaScript says it is."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
