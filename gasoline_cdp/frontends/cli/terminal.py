"""Output on a terminal: coloured if the terminal can; text of pages is never taken for markup."""

from typing import NoReturn

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from gasoline_cdp.frontends.editors.known import editor_configuration
from gasoline_cdp.frontends.invocation import as_typed


class _Console(Console):
    def on_broken_pipe(self) -> NoReturn:
        """Let the command line handle it: a reader who closes the pipe is no failure."""
        raise BrokenPipeError


def open_console(*, stderr: bool = False) -> Console:
    """Colour on a terminal, plain text elsewhere. Markup and emoji codes in page text are printed literally."""
    return _Console(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=False)


def cut(text: str, width: int) -> str:
    """Cut text to the given number of terminal columns. A Chinese character takes two."""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, max(0, width - 1)).rstrip() + "…" if width > 0 else ""


def show_next_steps(console: Console) -> None:
    """Show a newcomer what to do next: open the own app, set up the editor. Commands are not wrapped, to be copied."""
    for number, title, command in (
        ("1", "Open your own app", as_typed("gasoline-cdp launch http://localhost:3000")),
        ("2", "Add this to your editor's MCP servers", editor_configuration()),
    ):
        console.print(Text.assemble((f"\n{number}  ", "bold cyan"), (title, "bold")))
        console.print()
        for line in command.splitlines():
            console.print(Text(f"   {line}", style="green"), soft_wrap=True)
    console.print(Text.assemble(("\n3  ", "bold cyan"), ("Ask your assistant what is wrong with the page", "bold")))
