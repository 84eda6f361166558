"""The scopes of a snapshot's scripts: which variables they declare in contexts, and which scopes use those."""

from itertools import repeat
from typing import Any

import attrs

from gasoline_cdp.analysis.heap.columns import Columns
from gasoline_cdp.analysis.heap.header import HeapFormatError


@attrs.define(eq=False)
class Variable:
    """A variable that lives in a context."""

    name: str
    users: "list[ClosureScope]" = attrs.field(factory=list)
    """The scopes whose code names it."""


@attrs.define(eq=False)
class ClosureScope:
    """A function, block or script."""

    number: int
    """Unique within its script."""
    parent: "ClosureScope | None"
    variables: list[Variable]

    def variable(self, name: str) -> Variable | None:
        """The variable that it declares under this name."""
        return next((variable for variable in self.variables if variable.name == name), None)


def read_scopes(columns: Columns) -> dict[tuple[int, int], ClosureScope]:
    """By script (its node) and number. Raises HeapFormatError if the tables do not fit together."""
    table = columns.scopes
    needed = ("script_node_index", "scope_id", "depth", "scope_context_vars_count", "scope_uses_count")
    if not set(needed) <= set(table) or not len(table["scope_id"]):
        return {}
    rows = list(zip(*(table[name].tolist() for name in needed), strict=True))
    width = len(columns.header.node_fields)
    names = iter(columns.scope_variables["name"].tolist() if "name" in columns.scope_variables else ())
    scopes: dict[tuple[int, int], ClosureScope] = {}
    path: list[ClosureScope] = []
    current: int | None = None
    for index, number, depth, variables, _ in rows:
        script = index // width
        if script != current:
            current, path = script, []
        if not 0 <= depth <= len(path) or variables < 0:
            raise HeapFormatError(f'"scopes" has a scope of depth {depth} within {len(path)} others.')
        declared = [Variable(_string(columns, _next(names, "scope_context_vars"))) for _ in repeat(None, variables)]
        scope = ClosureScope(number, path[depth - 1] if depth else None, declared)
        path[depth:] = [scope]
        scopes[script, number] = scope
    _add_users(columns, scopes, [(index // width, number, uses) for index, number, _, _, uses in rows])
    return scopes


def _add_users(columns: Columns, scopes: dict[tuple[int, int], ClosureScope], rows: list[tuple[int, int, int]]) -> None:
    table = columns.scope_uses
    if not {"declaring_scope_id", "slot_index"} <= set(table):
        return
    uses = iter(zip(table["declaring_scope_id"].tolist(), table["slot_index"].tolist(), strict=True))
    for script, number, count in rows:
        user = scopes[script, number]
        for _ in repeat(None, max(count, 0)):
            declaring, slot = _next(uses, "scope_uses")
            declared = scopes.get((script, declaring))
            if declared is None or not 0 <= slot < len(declared.variables):
                continue
            users = declared.variables[slot].users
            if user not in users:
                users.append(user)


def _next(rows: Any, name: str) -> Any:
    try:
        return next(rows)
    except StopIteration:
        raise HeapFormatError(f'"{name}" has fewer rows than "scopes" says.') from None


def _string(columns: Columns, index: int) -> str:
    if not 0 <= index < len(columns.strings):
        raise HeapFormatError(f"A variable is named by string {index}, but there are only {len(columns.strings)}.")
    return columns.strings[index]
