"""A tool's answer for people on a terminal: the summary, the entries a line each, the rest as names and values."""

from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.frontends.cli.terminal import cut, live_line

# Entries of no kind we know become a table: of values that fit into a line, and so many of them.
_COLUMNS = 6
_CELL = 60
_WHOLE = 24
# Elements of a finding.
_NODES = 3
_GRADES = {
    "critical": "bold red",
    "error": "red",
    "high": "red",
    "serious": "red",
    "warning": "yellow",
    "medium": "yellow",
    "moderate": "yellow",
}
_SHOWN_FIRST = ("notice", "summary")
_DEPTH = 4


def show_answer(console: Console, data: dict[str, Any]) -> None:
    """Print an answer. Nothing is left out silently: what has no room in a line is in the JSON."""
    if data.get("notice"):
        console.print(Text(str(data["notice"]), style="yellow"))
    if summary := data.get("summary"):
        # Some tools sum up in numbers rather than in a sentence.
        counted = isinstance(summary, dict)
        console.print(Text(_counts(summary) if counted else str(summary), style="bold"))
    for name, value in data.items():
        if name in _SHOWN_FIRST or name in {"cursor", "left_out"} or (name == "dropped" and not value):
            continue
        if _is_entries(value):
            _show_entries(console, name, value)
        else:
            for line in _lines(name, value, 0):
                console.print(Text(line))
    if data.get("left_out"):
        more = f" More: --cursor {data['cursor']}" if data.get("cursor") else ""
        console.print(Text(f"{_left_out(data['left_out'])}.{more}", style="dim"), soft_wrap=True)


def _counts(summary: dict[str, Any]) -> str:
    """`{"total": 5, "scanned": {"requests": 6}}` → `total 5; scanned: requests 6`, in one line."""
    plain = [f"{name} {_word(value)}" for name, value in summary.items() if not isinstance(value, dict)]
    nested = [f"{name}: {_counts(value)}" for name, value in summary.items() if isinstance(value, dict)]
    return "; ".join(part for part in (", ".join(plain), *nested) if part).replace("_", " ")


def _left_out(count: Any) -> str:
    if isinstance(count, dict):
        return f"Left out: {_counts(count)}"
    return f"{number_of(count, 'record') if isinstance(count, int) else count} left out"


def _is_entries(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _show_entries(console: Console, name: str, entries: list[dict[str, Any]]) -> None:
    lines = [_entry_line(entry, console.width) for entry in entries]
    shown = [line for line in lines if line is not None]
    if len(shown) == len(lines):
        for line in shown:
            console.print(line)
        return
    if name != "entries":
        console.print(Text(f"{name}:"))
    if all(_graded(entry) for entry in entries):
        _show_findings(console, entries)
        return
    columns = [key for key in entries[0] if any(_is_plain(entry.get(key)) for entry in entries)][:_COLUMNS]
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        # Names and numbers are of no use when cut: the room is taken from sentences and addresses.
        whole = max(cell_len(_cell(entry.get(column))) for entry in entries) <= _WHOLE
        table.add_column(column, no_wrap=whole)
    for entry in entries:
        table.add_row(*(Text(_cell(entry.get(column)), no_wrap=True, overflow="ellipsis") for column in columns))
    console.print(table)


def _graded(entry: dict[str, Any]) -> str | None:
    """How bad a finding of an audit is; None for entries that are none."""
    grade = entry.get("severity") or entry.get("impact")
    return grade if isinstance(grade, str) and _headline(entry) else None


def _headline(entry: dict[str, Any]) -> str:
    # On its second page, a rule is told by its name alone.
    return str(entry.get("title") or entry.get("message") or entry.get("description") or entry.get("id") or "")


def _show_findings(console: Console, entries: list[dict[str, Any]]) -> None:
    """What is wrong, where, and how to mend it: whole sentences, which a table would cut."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for entry in entries:
        grade, headline = str(_graded(entry)), _headline(entry)
        table.add_row(Text(grade, style=_GRADES.get(grade, "default")), Text(headline, style="bold"))
        nodes = [node for node in entry.get("nodes") or () if isinstance(node, dict)]
        described = entry.get("description") if entry.get("description") != headline else None
        for told in (described, *(node.get("selector") for node in nodes[:_NODES])):
            if told:
                table.add_row("", Text(str(told)))
        if (more := entry.get("nodeCount", 0) - len(nodes[:_NODES])) > 0:
            table.add_row("", Text(f"and {more} more", style="dim"))
        advice = entry.get("recommendation") or entry.get("guidance") or entry.get("fix")
        for fix in dict.fromkeys([advice, *(node.get("fix") for node in nodes[:_NODES])]):
            if fix:
                table.add_row("", Text(f"→ {fix}", style="green"))
    console.print(table)


def _entry_line(entry: dict[str, Any], width: int) -> Text | None:
    """A line of the live view, with how often it happened at its end."""
    times = f"  ×{entry['count']}" if entry.get("count", 1) > 1 else ""
    line = live_line({"record": kind_of(entry), **entry}, width - cell_len(times))
    if line is not None:
        line.append(times, style="dim")
    return line


def kind_of(entry: dict[str, Any]) -> str | None:
    """Which line of the live view shows an entry, told by the fields that only this kind has."""
    for kind, names in (
        ("log", ("ts", "level", "message", "kind")),
        ("network", ("ts", "method", "outcome", "url", "type")),
        ("action", ("ts", "type", "selectors", "fields")),
    ):
        if all(name in entry for name in names):
            return kind
    if entry.get("type") in ("websocket", "eventsource"):
        return "websocket" if "event" in entry else None
    return (
        "timeline"
        if entry.get("event") in ("action", "request", "error", "warning", "change") and "ts" in entry
        else None
    )


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int | float) and not (isinstance(value, str) and len(value) > 2 * _CELL)


def _cell(value: Any) -> str:
    return cut(" ".join(_word(value).split()), _CELL) if value is not None else ""


def _lines(name: str, value: Any, depth: int) -> list[str]:
    """A value under its name, indented by its depth."""
    indent = "  " * depth
    if isinstance(value, dict) and value and depth < _DEPTH:
        return [f"{indent}{name}:", *(line for key in value for line in _lines(str(key), value[key], depth + 1))]
    if isinstance(value, list) and value and depth < _DEPTH:
        lines = [f"{indent}{name}:"]
        for item in value:
            if isinstance(item, dict):
                lines += _lines("-", item, depth + 1)
            else:
                lines.append(f"{indent}  {_word(item)}")
        return lines
    return [f"{indent}{name}: {_word(value)}"]


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        # Not what binary fractions make of it: 715.6999999997206.
        return f"{round(value, 4):.10g}"
    if isinstance(value, dict) and value:
        return ", ".join(f"{name} {_word(item)}" for name, item in value.items())
    if isinstance(value, list) and value:
        return ", ".join(map(_word, value))
    return "–" if value is None or value in ([], {}, "") else str(value)
