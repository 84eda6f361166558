"""What `gasoline-cdp heap` shows on a terminal."""

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from gasoline_cdp.analysis.heap.classes import ClassChange
from gasoline_cdp.analysis.heap.summary import HeapSummary, ObjectDetails
from gasoline_cdp.answers.amounts import size
from gasoline_cdp.frontends.cli.terminal import cut, open_console

_SHOWN = 20
# Classes of Blink have names of several lines.
_STEP = 70


def show_heap(path: Path, summary: HeapSummary, changes: Sequence[ClassChange] | None) -> None:
    """What is in a heap, or what changed."""
    console = open_console()
    console.print(Text(f"{path.name}: {size(summary.size)} in {summary.nodes:,} objects", style="bold"))
    parts = [
        f"native {size(summary.native_size)}",
        f"strings {size(summary.string_size)}",
        f"code {size(summary.code_size)}",
        f"detached elements {summary.detached_elements:,}",
    ]
    if summary.engine == "fallback":
        parts.append("engine: fallback (no compiled kernel, so this was slower)")
    console.print(Text(", ".join(parts), style="dim"))
    if changes is not None:
        _show_changes(console, changes)
        return
    table = _table("class", "objects", "own size", "retained")
    for one in summary.classes[:_SHOWN]:
        table.add_row(_name(console, one.name), f"{one.count:,}", size(one.self_size), size(one.retained_size))
    console.print(table)
    _show_rest(console, len(summary.classes))


def _show_changes(console: Console, changes: Sequence[ClassChange]) -> None:
    if not changes:
        console.print("Nothing was added or removed.")
        return
    table = _table("class", "added", "removed", "size")
    for one in changes[:_SHOWN]:
        style = "red" if one.size_delta > 0 else "green"
        sign = "+" if one.size_delta > 0 else "-" if one.size_delta < 0 else ""
        delta = Text(f"{sign}{size(abs(one.size_delta))}", style=style)
        table.add_row(_name(console, one.name), f"{one.added:,}", f"{one.removed:,}", delta)
    console.print(table)
    _show_rest(console, len(changes))


def show_object(details: ObjectDetails, *, called: str, held_by: str) -> None:
    """One object, and what holds it: as a person would say it, then step by step."""
    console = open_console()
    state = ", detached" if details.detached else ""
    name = called if details.type == "closure" else details.name
    console.print(Text(f"{_one_line(name) or '(no name)'} @{details.id}", style="bold"), soft_wrap=True)
    console.print(f"{details.type}{state}, {size(details.self_size)}, retains {size(details.retained_size)}")
    if not details.path:
        is_root = not details.dominators and details.type == "synthetic"
        shown = "It is the root of the heap." if is_root else "Only weak references lead to it: nothing keeps it alive."
        console.print(shown)
        return
    if held_by:
        console.print(Text.assemble("Held by: ", (_one_line(held_by), "cyan")), soft_wrap=True)
    console.print("Step by step, from the root:")
    for step in details.path:
        line = Text.assemble(
            f"  {_one_line(step.edge)} ", (f"{cut(_one_line(step.name), _STEP) or '(no name)'} @{step.id}", "cyan")
        )
        console.print(line, soft_wrap=True)


def _table(first: str, *others: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(first, no_wrap=True)
    for other in others:
        table.add_column(other, justify="right", no_wrap=True)
    return table


def _show_rest(console: Console, count: int) -> None:
    if count > _SHOWN:
        console.print(Text(f"and {count - _SHOWN:,} more classes (--json shows all)", style="dim"))


def _name(console: Console, name: str) -> Text:
    return Text(cut(_one_line(name), max(20, console.width - 45)))


def _one_line(text: str) -> str:
    """Text of a page: no control characters, and of a length that can be read."""
    shown = text if len(text) <= 200 else text[:199] + "…"
    return "".join(sign if sign.isprintable() else "�" for sign in shown)
