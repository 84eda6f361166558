#!/usr/bin/env python3
"""Draws the coloured output of a command as an SVG file: `FORCE_COLOR=1 … | draw_terminal.py FILE [TITLE]`."""

import re
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

# rich refers to fonts on a third-party server. The reader's own monospace font is enough.
_FONT_FACE = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)


def draw(printed: str, title: str) -> str:
    """The picture of a terminal with 80 columns."""
    with Path("/dev/null").open("w", encoding="utf-8") as nowhere:
        console = Console(record=True, width=80, file=nowhere, force_terminal=True, legacy_windows=False)
        console.print(Text.from_ansi(printed), highlight=False)
        # A fixed id: it is part of every class name in the file, and would differ from run to run.
        drawn = console.export_svg(title=title, unique_id="terminal")
    return _FONT_FACE.sub("", drawn).replace("Fira Code", "ui-monospace, DejaVu Sans Mono, Menlo, Consolas")


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(draw(sys.stdin.read(), " ".join(sys.argv[2:])), encoding="utf-8")
