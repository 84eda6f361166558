#!/usr/bin/env python3
"""Draws what a command printed, in colour, as an SVG file: `FORCE_COLOR=1 … | draw_terminal.py FILE [TITLE]`."""

import re
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

# rich names fonts on a server of others; the reader's own monospace font does as well.
_FONT_FACE = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)


def draw(printed: str, title: str) -> str:
    """The picture of a terminal of 80 columns."""
    with Path("/dev/null").open("w", encoding="utf-8") as nowhere:
        console = Console(record=True, width=80, file=nowhere, force_terminal=True, legacy_windows=False)
        console.print(Text.from_ansi(printed), highlight=False)
        # A fixed name: it is part of every class in the file, and would differ from run to run.
        drawn = console.export_svg(title=title, unique_id="terminal")
    return _FONT_FACE.sub("", drawn).replace("Fira Code", "ui-monospace, DejaVu Sans Mono, Menlo, Consolas")


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(draw(sys.stdin.read(), " ".join(sys.argv[2:])), encoding="utf-8")
