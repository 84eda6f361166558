"""Reads gates and allow-lists from a TOML file. Mistakes are named with their line."""

import re
from collections.abc import Mapping, Sequence

from attrs import field, frozen

from gasoline_cdp.analysis.gates.allowances import Allowance, AllowanceError, parse_allowance
from gasoline_cdp.analysis.gates.gate import Gate, parse_gate
from gasoline_cdp.analysis.performance.budgets import DEFAULT, is_below
from gasoline_cdp.analysis.toml_tables import read_table
from gasoline_cdp.errors import Code, GasolineError

_KEYS = ("budgets", "gates", "allow")


@frozen(kw_only=True)
class GateSettings:
    """Which gates apply to which paths, and what is allowed."""

    gates: Mapping[str, tuple[Gate, ...]] = field(factory=dict)
    allowances: tuple[Allowance, ...] = ()

    def for_path(self, path: str) -> tuple[Gate, ...]:
        """The gates of the longest matching path, or the default ones."""
        fitting = [route for route in self.gates if route != DEFAULT and is_below(path, route)]
        return self.gates.get(max(fitting, key=len) if fitting else DEFAULT, ())

    def all_gates(self) -> list[Gate]:
        """Every gate that applies somewhere."""
        return list(dict.fromkeys(gate for gates in self.gates.values() for gate in gates))


def read_settings(text: str, *, name: str, section: Sequence[str]) -> GateSettings | None:
    """The gates and allowances in a file; None if it has none. `bad_settings` names the line of a mistake."""
    tables = read_table(text, name, section, Code.BAD_SETTINGS)
    if not isinstance(tables, dict):
        return None
    if unknown := next((key for key in tables if key not in _KEYS), None):
        raise _bad(text, name, unknown, f"is not known here; known: {', '.join(_KEYS)}")
    if not {"gates", "allow"} & tables.keys():
        return None
    return GateSettings(
        gates=_gates(tables.get("gates", {}), text, name), allowances=_allowances(tables.get("allow", []), text, name)
    )


def _gates(tables: object, text: str, name: str) -> dict[str, tuple[Gate, ...]]:
    if not isinstance(tables, dict):
        raise _bad(text, name, "gates", "must be a table of tables such as [gates.default]")
    gates = {}
    for route, table in tables.items():
        if not isinstance(table, dict):
            raise _bad(text, name, route, "must stand in a table such as [gates.default]")
        if route != DEFAULT and not route.startswith("/"):
            raise _bad(text, name, route, f"must be {DEFAULT!r} or a path that begins with /")
        for key, value in table.items():
            if key != "fail_on":
                raise _bad(text, name, key, "is not known here; known: fail_on", after=route)
            if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
                raise _bad(text, name, key, 'must be a list such as ["console-errors"]', after=route)
            try:
                gates[route] = tuple(parse_gate(one) for one in value)
            except ValueError as error:
                raise _bad(text, name, key, f"has a mistake: {error}", after=route) from error
    return gates


def _allowances(tables: object, text: str, name: str) -> tuple[Allowance, ...]:
    if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
        raise _bad(text, name, "allow", "must be tables: [[allow]]")
    starts = [number for number, line in enumerate(text.splitlines(), 1) if re.match(r"\s*\[\[.*allow\"?\s*\]\]", line)]
    read = []
    for index, table in enumerate(tables):
        # Tables written in one line, as `allow = [{…}]`, have no line of their own.
        start = starts[index] if len(starts) == len(tables) else 0
        try:
            read.append(parse_allowance(table, f"{name}, line {start}" if start else name))
        except AllowanceError as problem:
            raise _bad(text, name, problem.key, problem.problem, line=start) from problem
    return tuple(read)


def _bad(text: str, name: str, key: str, problem: str, *, line: int = 0, after: str = "") -> GasolineError:
    """The error, with the line of the key: the first one behind a line, or behind the table `after`."""
    lines = text.splitlines()
    begin = line or (_line_of(lines, after, 0) if after else 0)
    number = _line_of(lines, key, begin) or begin
    where = f"{name}, line {number}" if number else name
    return GasolineError(Code.BAD_SETTINGS, f"{where}: {key!r} {problem}{'' if problem.endswith('?') else '.'}")


def _line_of(lines: Sequence[str], key: str, begin: int) -> int:
    # Escapes of a quoted key are not undone: such a key has no line.
    wanted = re.compile(rf"""(?:^|[\s.\[{{,"'])["']?{re.escape(key)}["']?\s*(?:=|\]|\.)""")
    return next((number for number, line in enumerate(lines, 1) if number >= begin and wanted.search(line)), 0)
