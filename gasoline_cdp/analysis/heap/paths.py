"""Paths that a person reads: `script variable registry (panel.js) Map → Panel.el <div.panel>`."""

import re
from functools import cached_property

from attrs import define

from gasoline_cdp.analysis.heap.activities import PENDING
from gasoline_cdp.analysis.heap.walk import MARKERS, ReadableHeap

# Longer paths lose their middle: the ends say who holds, and what.
_STEPS = 7
_STEP_CHARS = 100
_SCOPES = {"SCRIPT_SCOPE": "script variable", "MODULE_SCOPE": "module variable"}
# Classes that say nothing beside the name of a property.
_PLAIN = frozenset({"Object", "closure scope", "string", "number"})
# How V8 names a property that is a symbol.
_SYMBOL = re.compile(r"<symbol (.*)>", re.DOTALL)
_ACCESSOR = re.compile(r"\w+#\w+Accessor$")
_OF_BROWSER = re.compile(r"Window\b|\w+GlobalScope\b|blink::")
_MINIFIED = re.compile(r" variable \w{1,2}(?![\w$])")
# A path into the document begins at the element.
_DOCUMENT = frozenset({"HTMLDocument", "<html>", "<head>", "<body>"})


@define
class _Access:
    """How the next shown node is reached: the first telling edge since the last shown node."""

    kind: str = ""
    label: str = ""
    source: int = -1
    marker: int = 0


class Paths:
    """Renders paths in one heap."""

    def __init__(self, heap: ReadableHeap) -> None:
        self.heap = heap
        self._graph = heap.graph

    @cached_property
    def is_of_browser(self) -> bool:
        """Whether it is the heap of a page, frame or worker, and not of Node."""
        return bool(self.heap.names(_OF_BROWSER, "native", "object").any())

    def to(self, node: int, start: int | None = None) -> list[str]:
        """The steps to a node, from a root or from a node on its path."""
        edges = self.heap.path(node)
        if start is not None:
            sources = [int(self.heap.edge_from[edge]) for edge in edges]
            edges = edges[sources.index(start) :] if start in sources else edges
            steps: list[str] = []
        else:
            steps = self._root(int(self.heap.edge_from[edges[0]]) if edges else node)
        access = _Access()
        for edge in edges:
            access = self._add(steps, edge, access)
        return steps

    def text(self, steps: list[str]) -> str:
        """The steps as one text. It begins at the last variable with a name, or at the last element of the document."""
        # A minified name says nothing without what leads to it.
        named = (
            index
            for index in range(len(steps) - 1, -1, -1)
            if " variable " in steps[index][:40] and not _MINIFIED.search(steps[index])
        )
        last = next(named, 0)
        steps = steps[last:]
        if len(steps) > 1 and steps[0] == "window" and steps[1].startswith("HTMLDocument"):
            steps = [step for index, step in enumerate(steps[1:]) if step not in _DOCUMENT or index == len(steps) - 2]
            steps = [re.sub(r"^HTMLDocument\b", "document", step) for step in steps]
        if len(steps) > _STEPS:
            steps = [*steps[:3], "…", *steps[-(_STEPS - 4) :]]
        return " → ".join(step if len(step) <= _STEP_CHARS else f"{step[: _STEP_CHARS - 1]}…" for step in steps)

    def label(self, node: int) -> str:
        """By which name its holder refers to a node: a variable or property; empty for an entry of a collection."""
        access = _Access()
        edges: list[int] = []
        while (edge := int(self.heap.parent_edge[node])) >= 0:
            edges.append(edge)
            node = int(self.heap.edge_from[edge])
            if not self.heap.transparent[node]:
                break
        for edge in reversed(edges):
            access = self._follow(access, edge)
        if access.marker or access.kind not in ("context", "property"):
            return ""
        return self._variable(access.source, access.label) if access.kind == "context" else f".{access.label}"

    def _root(self, node: int) -> list[str]:
        name = self._graph.names.raw(node)
        if name.startswith("Window"):
            return ["window"]
        if "GlobalScope" in name:
            return ["self"]
        if name == PENDING:
            return ["the browser, while it is open"]
        if name.startswith("system / NativeContext"):
            return []
        return ["the browser" if self.is_of_browser else "V8 itself"]

    def _follow(self, access: _Access, edge: int) -> _Access:
        """The access that an edge adds to. A name is not replaced by the inner edges of a box around the value."""
        heap, graph = self.heap, self._graph
        kind = graph.header.edge_types[graph.edge_type[edge]]
        source = int(heap.edge_from[edge])
        if access.kind not in ("context", "property"):
            named = kind == "context" or (kind == "property" and not heap.transparent[source])
            access = _Access(kind, graph.edge_label(edge) if named else "", source, access.marker)
        access.marker = int(heap.marker[graph.edge_to[edge]]) or access.marker
        return access

    def _add(self, steps: list[str], edge: int, access: _Access) -> _Access:
        """Add the step that ends with this edge, if its target is shown."""
        heap, graph = self.heap, self._graph
        target = int(graph.edge_to[edge])
        access = self._follow(access, edge)
        if heap.transparent[target]:
            return access
        class_ = heap.class_of(target)
        shown = "" if class_ in _PLAIN or class_.startswith("function ") else class_
        if access.marker:
            steps.append(f"{MARKERS[access.marker - 1][0]} {heap.function_of(target)}")
        elif access.kind == "context":
            steps.append(f"{self._variable(access.source, access.label)} {shown}".strip())
        elif access.kind == "property" and access.label:
            self._property(steps, access.label, shown)
        elif class_ == "closure scope" or (access.kind == "internal" and class_ in _PLAIN):
            pass
        elif class_.startswith("Window"):
            if not steps:
                steps.append("window")
        elif access.kind == "element" and heap.class_of(access.source) == "Array":
            steps.append(f"[…] {shown}".strip())
        elif not steps or steps[-1] != class_:
            steps.append(class_)
        return _Access()

    def _variable(self, context: int, name: str) -> str:
        kind, function, file = self.heap.described.scope(context, name)
        where = f" ({file})" if file else ""
        if kind in _SCOPES:
            return f"{_SCOPES[kind]} {name}{where}"
        return f"closure variable {name}{f' of {function}' if function else ''}{where}"

    def _property(self, steps: list[str], name: str, shown: str) -> None:
        symbol = _SYMBOL.fullmatch(name)
        if symbol and _ACCESSOR.match(symbol[1]):
            # Where V8 remembers what `window.document` gave.
            steps.append(shown)
            return
        plain = name.replace("_", "a").replace("$", "a").isalnum()
        access = f".{name}" if plain else f"[Symbol({symbol[1][:40]})]" if symbol else f"[{name[:40]!r}]"
        text = f"{access} {shown}".strip()
        if steps and not steps[-1].endswith("…"):
            steps[-1] += text
        else:
            steps.append(text)
