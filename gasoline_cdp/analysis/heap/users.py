"""Which functions use a variable of a scope, as Chromium wrote it down: they tell where in a bundle it belongs."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from gasoline_cdp.analysis.heap.edges import InternalEdges
from gasoline_cdp.analysis.heap.scopes import Scope, read_scopes

if TYPE_CHECKING:
    from gasoline_cdp.analysis.heap.graph import HeapGraph


class VariableUsers:
    """The users of variables in one heap."""

    def __init__(self, graph: "HeapGraph") -> None:
        self._graph = graph
        self.inside = InternalEdges(graph)

    @cached_property
    def _scopes(self) -> dict[tuple[int, int], Scope]:
        return read_scopes(self._graph.columns)

    def of(self, closures: Sequence[int], info: int, name: str) -> list[int]:
        """Those of some functions, made in the scope of this info, whose code names a variable of the scope."""
        targets, number_of = self.inside.targets, self.inside.as_int
        declaring = number_of(targets("scope_id").get(info))
        if declaring is None:
            return []
        using: dict[int | None, set[int]] = {}
        users = []
        for closure in closures:
            shared = targets("shared").get(closure)
            if shared is None:
                continue
            script = targets("script").get(shared)
            if script not in using:
                using[script] = self._numbers(script, declaring, name)
            number = number_of(targets("scope_id").get(shared))
            if number is not None and number in using[script]:
                users.append(closure)
        return users

    def _numbers(self, script: int | None, declaring: int, name: str) -> set[int]:
        """The scopes below the declaring one that use the variable, or have others inside that do."""
        scope = self._scopes.get((script, declaring)) if script is not None else None
        variable = scope.variable(name) if scope is not None else None
        numbers: set[int] = set()
        for user in variable.users if variable is not None else ():
            inner: Scope | None = user
            while inner is not None and inner is not scope and inner.number not in numbers:
                numbers.add(inner.number)
                inner = inner.parent
        return numbers
