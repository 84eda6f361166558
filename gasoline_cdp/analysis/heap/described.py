"""What nodes and steps of a path are called: classes, functions with their location, closure variables."""

import re
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gasoline_cdp.analysis.heap.users import VariableUsers

if TYPE_CHECKING:
    from gasoline_cdp.analysis.heap.walk import ReadableHeap

_TAG = re.compile(r"<([\w-]+)(?: id=\"([^\"]*)\")?(?: class=\"([^\"]*)\")?")
_ORIGIN = re.compile(r" / [a-z-]+://\S*$")
_SCOPED = re.compile(r"system / Context")
_NUMBERS = re.compile(r"\d+")
_SEVERAL = ("", 0, 0)
# Functions of one scope that are looked at. If they are further apart than this, the scope is that of a bundle.
_CLOSURES = 500
_BUNDLE_LINES = 1500
_BUNDLE_COLUMNS = 20_000


def element_name(name: str) -> str:
    """`<div id="root" class="a b">` as `<div#root.a.b>`."""
    tag = _TAG.match(name)
    if tag is None:
        return name[:80]
    classes = "".join(f".{one}" for one in (tag[3] or "").split()[:3])
    return f"<{tag[1]}{'#' + tag[2] if tag[2] else ''}{classes}>"


class Described:
    """Names of the nodes of one heap."""

    def __init__(self, heap: "ReadableHeap") -> None:
        self._heap = heap
        self._graph = heap.graph
        # The positions behind the locations that were named, for source maps.
        self.locations: dict[str, tuple[str, int, int]] = {}
        self._classes: dict[int, str] = {}

    def class_of(self, node: int) -> str:
        """The class of a node."""
        matching = self._classes.get(node)
        if matching is None:
            matching = self._classes[node] = self._class_of(node)
        return matching

    def _class_of(self, node: int) -> str:
        graph = self._graph
        kind: str = graph.header.node_types[graph.node_type[node]]
        name = graph.names.raw(node)
        if kind == "closure":
            return f"function {(graph.names.raw(self.bound(node)) if name == 'native_bind' else name) or '(anonymous)'}"
        if kind in ("string", "concatenated string", "sliced string"):
            return "string"
        if kind in ("number", "symbol", "bigint", "regexp"):
            return str(kind)
        if name.startswith("Detached "):
            name = name.removeprefix("Detached ")
        if name.startswith("<"):
            # Ids are mostly numbered: rows of one list are one class.
            return _NUMBERS.sub("", element_name(name))
        if _SCOPED.match(name):
            return "closure scope"
        return _ORIGIN.sub("", name)[:80] or str(kind)

    def edge_target(self, node: int, label: str) -> int | None:
        """The node that an edge of this name leads to."""
        graph = self._graph
        for edge in range(int(graph.first_edge[node]), int(graph.first_edge[node + 1])):
            if (
                graph.header.edge_types[graph.edge_type[edge]] not in ("element", "hidden")
                and graph.edge_label(edge) == label
            ):
                return int(graph.edge_to[edge])
        return None

    def location(self, node: int) -> str:
        """`panel.js:42:7` where a function, or the class of an object, is written; empty if unknown."""
        matching = self.position(node)
        if matching is None or not (file := short_file(matching[0])):
            return ""
        # With the column: all code of a bundle is in one line.
        location = f"{file}:{matching[1]}:{matching[2]}"
        if self.locations.setdefault(location, matching) != matching:
            # Two files of one name: a source map of one of them says nothing.
            self.locations[location] = _SEVERAL
        return location

    def position(self, node: int) -> tuple[str, int, int] | None:
        """The URL of the script, line and column (from 1) of the code of a function or of an object's class."""
        locations = self._graph.columns.locations
        at = int(np.searchsorted(locations.node, node))
        if locations.script_index is None or at == len(locations.node) or locations.node[at] != node:
            return None
        script = int(locations.script_index[at]) // len(self._graph.header.node_fields)
        url = self._graph.names.raw(script).removeprefix("system / Script").removeprefix(" / ")
        return (url, int(locations.line[at]) + 1, int(locations.column[at]) + 1) if url else None

    def function_of(self, node: int) -> str:
        """A callback by the function and its location, so that two functions of one name are told apart."""
        if self._graph.header.node_types[self._graph.node_type[node]] != "closure":
            return self.class_of(node)
        bound = self.bound(node)
        location = self.location(bound)
        return f"{self._graph.names.raw(bound) or '(anonymous)'}{f' ({location})' if location else ''}"

    def bound(self, node: int) -> int:
        """The function behind `bind`; otherwise the node itself."""
        inner = self.edge_target(node, "bound_function") if self._graph.names.raw(node) == "native_bind" else None
        return node if inner is None else inner

    def scope(self, context: int, variable: str) -> tuple[str, str, str]:
        """Of a context: the type of its scope, the function that it belongs to, and the location of a variable."""
        graph = self._graph
        info = self.edge_target(context, "scope_info")
        if info is None:
            return "", "", ""
        kind, strings = "", list[str]()
        for edge in range(int(graph.first_edge[info]), int(graph.first_edge[info + 1])):
            type_ = graph.header.edge_types[graph.edge_type[edge]]
            target = int(graph.edge_to[edge])
            if type_ == "hidden" and graph.header.node_types[graph.node_type[target]].endswith("string"):
                strings.append(graph.names.raw(target))
            elif type_ == "internal" and graph.edge_label(edge) == "scope_type_name":
                kind = graph.names.raw(target)
        variables = {
            graph.edge_label(edge)
            for edge in range(int(graph.first_edge[context]), int(graph.first_edge[context + 1]))
            if graph.header.edge_types[graph.edge_type[edge]] == "context"
        }
        name = (
            next((text for text in reversed(strings) if text not in variables), "") if kind == "FUNCTION_SCOPE" else ""
        )
        return kind, name, self.scope_location(context, variable)

    def scope_location(self, context: int, variable: str) -> str:
        """Where the function of a scope is written, or one that was made in it and uses a variable. Empty if unknown.

        If none is known to use it, and it is the scope of a bundle, the line of some function, and its file in a source
        map, say nothing of a variable: there it is the file only.
        """
        graph = self._graph
        info = self.edge_target(context, "scope_info")
        owner = self._function_of_scope.get(info) if info is not None else None
        if owner is not None and (location := self.location(owner)):
            return location
        retainers = slice(int(graph.first_retainer[context]), int(graph.first_retainer[context + 1]))
        sources = graph.retainer_from[retainers]
        closures = sources[graph.node_type[sources] == graph.header.node_type("closure")][:_CLOSURES].tolist()
        users = self._users.of(closures, info, variable) if info is not None else []
        # What a module has is written before what is made of it.
        first = min(users, key=lambda node: (self.position(node) or ("",))[1:], default=None)
        if first is not None and (location := self.location(first)):
            return location
        location = next((location for source in closures if (location := self.location(source))), "")
        return location.split(":", 1)[0] if location and self._spans_files(closures) else location

    def _spans_files(self, closures: list[int]) -> bool:
        """Whether functions of one scope are so far apart that it is that of a whole bundle, made of many files."""
        positions = [position for closure in closures if (position := self.position(closure)) is not None]
        lines, columns = [line for _, line, _ in positions], [column for _, _, column in positions]
        in_one_line = min(lines) == max(lines)
        return max(columns) - min(columns) > _BUNDLE_COLUMNS if in_one_line else max(lines) - min(lines) > _BUNDLE_LINES

    @cached_property
    def _users(self) -> VariableUsers:
        return VariableUsers(self._graph)

    @cached_property
    def _function_of_scope(self) -> dict[int, int]:
        """A living function by the scope that its calls open."""
        inside = self._users.inside
        scopes = inside.targets("name_or_scope_info")
        closure = self._graph.header.node_type("closure")
        return {
            scopes[shared]: function
            for function, shared in inside.targets("shared").items()
            if shared in scopes and self._graph.node_type[function] == closure
        }


def short_file(url: str) -> str:
    """The last part of a URL's path, without its query."""
    if not url or url.startswith(("native ", "extensions::")):
        return ""
    path = url.split("?", 1)[0].split("#", 1)[0].rstrip("/")
    return path.rsplit("/", 1)[-1][:80] or url[:80]
