"""Variables that closures keep alive though no code that still runs reads them, as DevTools finds them.

Chromium writes down which scopes declare variables in contexts, and which functions inside them use these. A variable
is unused in a context if no closure or generator that can reach the context has code that reads it.
"""

from typing import TYPE_CHECKING

import attrs
import numpy as np

from gasoline_cdp.analysis.heap.edges import InternalEdges
from gasoline_cdp.analysis.heap.scopes import ClosureScope, Variable, read_scopes

if TYPE_CHECKING:
    from gasoline_cdp.analysis.heap.graph import HeapGraph

_CONTEXT = "system / Context"
_SCRIPT = "system / Script"
_SCOPE_INFO = "system / ScopeInfo"
_FUNCTION_INFO = "system / SharedFunctionInfo"
_GENERATORS = {"JS_GENERATOR_OBJECT_TYPE", "JS_ASYNC_FUNCTION_OBJECT_TYPE", "JS_ASYNC_GENERATOR_OBJECT_TYPE"}
_ENDED = -1
_OUTERMOST = -2
"""The scope of a whole script."""


@attrs.frozen
class UnusedVariable:
    """A variable in a context that nothing reads any more."""

    name: str
    context: int
    value: int
    retained_size: int


@attrs.frozen
class ScopeFinding:
    """A function or block whose contexts hold variables that nothing reads."""

    scope_info: int
    script: str
    function: str
    start: int
    """Where it begins in the script, in characters."""
    end: int
    variables: tuple[UnusedVariable, ...]
    """What retains most comes first."""

    @property
    def retained_size(self) -> int:
        """What the variables retain, added up."""
        return sum(variable.retained_size for variable in self.variables)


def unused_variables(graph: "HeapGraph") -> list[ScopeFinding]:
    """Every scope with unused variables, what retains most first."""
    return _Search(graph).findings()


class _Search:
    def __init__(self, graph: "HeapGraph") -> None:
        self._graph = graph
        self._inside = InternalEdges(graph)
        self._scopes = read_scopes(graph.columns)
        self._contexts = self._named(_CONTEXT)
        self._is_context = set(self._contexts)
        self._scripts = self._named(_SCRIPT, whole=False)
        self._script_of_info = self._scripts_of_infos()
        self._reading: dict[tuple[int, int], set[int]] = {}
        """By script and scope: the contexts that a live function of that scope can reach."""
        self._find_live_functions()

    def findings(self) -> list[ScopeFinding]:
        graph, inside = self._graph, self._inside
        by_scope: dict[int, list[UnusedVariable]] = {}
        of_info: dict[int, tuple[int, ClosureScope] | None] = {}
        kind = graph.header.edge_type("context")
        info_of = inside.targets("scope_info")
        for context in self._contexts:
            info = info_of.get(context)
            if info is None:
                continue
            if info not in of_info:
                of_info[info] = self._scope(info)
            known = of_info[info]
            if known is None:
                continue
            script, scope = known
            for edge in graph.edges(context):
                if graph.edge_type[edge] != kind:
                    continue
                name = graph.edge_label(edge)
                variable = scope.variable(name)
                if variable is None or self._is_read(script, context, variable):
                    continue
                value = int(graph.edge_to[edge])
                retained = int(graph.retained_size[value])
                by_scope.setdefault(info, []).append(UnusedVariable(name, context, value, retained))
        findings = [self._finding(info, variables) for info, variables in by_scope.items()]
        return sorted(findings, key=lambda finding: (-finding.retained_size, finding.scope_info))

    def _finding(self, info: int, variables: list[UnusedVariable]) -> ScopeFinding:
        graph, inside = self._graph, self._inside
        script = self._script_of(info)
        assert script is not None  # noqa: S101 - else its scope would not be known
        function = inside.targets("function_name").get(info)
        return ScopeFinding(
            scope_info=info,
            script=self._script_name(script),
            function=graph.name(function) if function is not None else "",
            start=inside.as_int(inside.targets("start_position").get(info)) or 0,
            end=inside.as_int(inside.targets("end_position").get(info)) or 0,
            variables=tuple(sorted(variables, key=lambda variable: (-variable.retained_size, variable.context))),
        )

    def _named(self, name: str, *, whole: bool = True) -> list[int]:
        """The nodes of this name, or of one that continues it."""
        graph = self._graph
        raw = name.encode()
        begins = [
            index
            for index in graph.strings.find_beginning(raw)
            if not whole or graph.strings.raw(index) == raw or graph.strings.raw(index).startswith(raw + b" / ")
        ]
        named = np.isin(graph.node_name, np.array(begins, np.uint32))
        nodes: list[int] = np.flatnonzero(named).tolist()
        return nodes

    def _script_name(self, script: int) -> str:
        name = self._graph.names.raw(script).removeprefix(_SCRIPT).removeprefix(" / ")
        if name:
            return name
        url = self._inside.targets("source_url").get(script)
        return self._graph.name(url) if url is not None else ""

    # --- which script a scope is of -------------------------------------------------------------------------------

    def _is_info(self, node: int | None) -> bool:
        return node is not None and self._graph.names.raw(node) == _SCOPE_INFO

    def _scope_id(self, node: int) -> int | None:
        return self._inside.as_int(self._inside.targets("scope_id").get(node))

    def _scripts_of_infos(self) -> dict[int, int]:
        graph, targets = self._graph, self._inside.targets
        script_of: dict[int, int] = {}
        for script in self._scripts:
            infos = targets("infos").get(script)
            if infos is None:
                continue
            outside = targets("eval_from_scope_info").get(script)
            for edge in graph.edges(infos):
                node = int(graph.edge_to[edge])
                name = graph.names.raw(node)
                info: int | None = None
                if name == _SCOPE_INFO:
                    info = node
                elif name.startswith(_FUNCTION_INFO):
                    info = targets("name_or_scope_info").get(node)
                    if not self._is_info(info):
                        number = self._scope_id(node)
                        outer = targets("raw_outer_scope_info_or_feedback_metadata").get(node)
                        info = None if number is None or number == _OUTERMOST else outer
                while info is not None and self._is_info(info) and info not in script_of:
                    if info == outside:
                        break
                    script_of[info] = script
                    info = None if self._scope_id(info) == _OUTERMOST else targets("outer_scope_info").get(info)
        return script_of

    def _script_of(self, info: int) -> int | None:
        seen: set[int] = set()
        here: int | None = info
        while here is not None and here not in seen:
            if here in self._script_of_info:
                return self._script_of_info[here]
            seen.add(here)
            if self._scope_id(here) == _OUTERMOST:
                return None
            here = self._inside.targets("outer_scope_info").get(here)
        return None

    def _scope(self, info: int) -> tuple[int, ClosureScope] | None:
        number = self._scope_id(info)
        script = self._script_of(info) if number is not None else None
        if script is None or number is None:
            return None
        scope = self._scopes.get((script, number))
        return None if scope is None else (script, scope)

    # --- which functions live -------------------------------------------------------------------------------------

    def _find_live_functions(self) -> None:
        graph, targets = self._graph, self._inside.targets
        closure = graph.header.node_type("closure")
        ended: set[int] = set()
        shared, context = targets("shared"), targets("context")
        live: list[tuple[int, int, int]] = [
            (node, shared[node], context[node])
            for node in np.flatnonzero(graph.node_type == closure).tolist()
            if node in shared and node in context
        ]
        for node in self._generators():
            continuation = self._inside.as_int(targets("continuation").get(node))
            function = targets("function").get(node, _ENDED)
            if continuation is None or function not in shared or graph.node_type[function] != closure:
                continue
            if continuation == _ENDED:
                if self._scope_id(shared[function]) == _OUTERMOST:
                    ended.add(function)
            elif node in context:
                live.append((node, shared[function], context[node]))
        for owner, function, reached in live:
            script = targets("script").get(function)
            number = self._scope_id(function)
            if owner not in ended and script is not None and number is not None:
                self._reach(script, number, reached)

    def _reach(self, script: int, scope: int, context: int | None) -> None:
        contexts = self._reading.setdefault((script, scope), set())
        while context is not None and context not in contexts and context in self._is_context:
            contexts.add(context)
            context = self._inside.targets("previous").get(context)

    def _generators(self) -> list[int]:
        graph, targets = self._graph, self._inside.targets
        names = targets("instance_type_name")
        maps = {node for node, name in names.items() if graph.names.raw(name) in _GENERATORS}
        kind = graph.header.node_type("object")
        return sorted(node for node, of in targets("map").items() if of in maps and graph.node_type[node] == kind)

    def _is_read(self, script: int, context: int, variable: Variable) -> bool:
        for user in variable.users:
            scope: ClosureScope | None = user
            while scope is not None:
                if context in self._reading.get((script, scope.number), ()):
                    return True
                scope = scope.parent
        return False
