"""Performance budgets: reads them from a TOML file, selects those of a path, and checks a load against them."""

import re
from collections.abc import Mapping

from attrs import frozen

from gasoline_cdp.analysis.toml_tables import read_table
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.limits import KB
from gasoline_cdp.records import PerformanceRecord

DEFAULT = "default"
# Key of a budget → the metric it limits.
_KEYS = {
    "load_ms": "load",
    "fcp_ms": "first_contentful_paint",
    "lcp_ms": "largest_contentful_paint",
    "cls": "cumulative_layout_shift",
    "inp_ms": "interaction_to_next_paint",
    "ttfb_ms": "time_to_first_byte",
    "total_transfer_kb": "transfer_size",
    "script_transfer_kb": "script_size",
    "image_transfer_kb": "image_size",
}


@frozen(kw_only=True)
class Broken:
    """A budget that a load exceeded."""

    key: str
    limit: float
    actual: float
    # The table of the budget: a path, or `default`.
    route: str


@frozen
class Budgets:
    """Limits by path prefix. `default` applies where a path has no limit of its own."""

    tables: Mapping[str, Mapping[str, float]]

    def for_path(self, path: str) -> dict[str, tuple[float, str]]:
        """Each limit that applies to a path, and the table it comes from."""
        fitting = [route for route in self.tables if route != DEFAULT and is_below(path, route)]
        limits = {key: (value, DEFAULT) for key, value in self.tables.get(DEFAULT, {}).items()}
        if fitting:
            route = max(fitting, key=len)
            limits |= {key: (value, route) for key, value in self.tables[route].items()}
        return limits


def read_budgets(text: str, *, name: str, section: tuple[str, ...]) -> Budgets | None:
    """The budgets in a TOML file; None if it has none. `bad_budgets` names the line of an unusable entry."""
    tables = read_table(text, name, section, Code.BAD_BUDGETS)
    if tables is None:
        return None
    if not isinstance(tables, dict):
        raise _bad(text, name, section[-1], "must be a table of tables")
    for route, table in tables.items():
        if key_and_problem := _problem(route, table):
            raise _bad(text, name, *key_and_problem)
    return Budgets(tables)


def _problem(route: str, table: object) -> tuple[str, str] | None:
    """The first unusable key of a table, and why."""
    if not isinstance(table, dict):
        return route, "must stand in a table such as [budgets.default]"
    if route != DEFAULT and not route.startswith("/"):
        return route, f"must be {DEFAULT!r} or a path that begins with /"
    for key, value in table.items():
        if key not in _KEYS:
            return key, f"is not a budget; known: {', '.join(_KEYS)}"
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
            return key, "must be a number that is not negative"
    return None


def broken_budgets(budgets: Budgets, record: PerformanceRecord) -> list[Broken]:
    """The budgets that a load exceeded. Metrics that were not measured exceed nothing."""
    values = _values(record)
    broken = []
    for key, (limit, route) in budgets.for_path(record.path).items():
        actual = values[_KEYS[key]]
        if actual is not None:
            actual = round(actual / KB, 1) if key.endswith("_kb") else round(actual, 4 if key == "cls" else 1)
        if actual is not None and actual > limit:
            broken.append(Broken(key=key, limit=limit, actual=actual, route=route))
    return broken


def _values(record: PerformanceRecord) -> dict[str, float | None]:
    timing, network = record.timing, record.network
    return {
        "load": timing.load,
        "first_contentful_paint": timing.first_contentful_paint,
        "largest_contentful_paint": timing.largest_contentful_paint,
        "interaction_to_next_paint": timing.interaction_to_next_paint,
        "time_to_first_byte": timing.time_to_first_byte,
        "cumulative_layout_shift": record.cumulative_layout_shift,
        "transfer_size": network.transfer_size,
        "script_size": network.by_type["script"].size if "script" in network.by_type else 0,
        "image_size": network.by_type["image"].size if "image" in network.by_type else 0,
    }


def is_below(path: str, route: str) -> bool:
    """Whether a path equals the route or lies below it: /shopping is not below /shop."""
    bare = route.rstrip("/")
    return path == bare or path.startswith(f"{bare}/") or route == "/"


def _bad(text: str, name: str, key: str, problem: str) -> GasolineError:
    wanted = re.compile(rf"""^\s*(?:\[.*["'.\[]?)?["']?{re.escape(key)}["']?\s*(?:=|\]|\.)""")
    line = next((number for number, line in enumerate(text.splitlines(), 1) if wanted.search(line)), None)
    where = f"{name}, line {line}" if line else name
    return GasolineError(Code.BAD_BUDGETS, f"{where}: {key!r} {problem}.")
