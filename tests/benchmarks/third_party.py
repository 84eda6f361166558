"""What masking changes in the code of other people's packages: `launcher/run bench third-party DIR…`."""

import argparse
import os
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console

from gasoline_cdp.detect.scan import find

_SUFFIXES = {".js", ".mjs", ".cjs", ".css", ".html", ".htm"}
_LARGEST = 6_000_000


def _files(directories: Sequence[Path]) -> Iterator[Path]:
    for directory in directories:
        for folder, _, names in os.walk(directory):
            for name in names:
                path = Path(folder, name)
                if path.suffix in _SUFFIXES and path.is_file() and 0 < path.stat().st_size < _LARGEST:
                    yield path


def main(arguments: Sequence[str]) -> int:
    """List every change with what stands around it, then the totals."""
    parser = argparse.ArgumentParser(prog="launcher/run bench third-party", description=__doc__)
    parser.add_argument("directory", nargs="+", type=Path, help="unpacked packages, such as a node_modules")
    parser.add_argument("--files", type=int, default=2000, help="how many, chosen by chance")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    console = Console(soft_wrap=True, highlight=False, markup=False)
    files = sorted(_files(options.directory))
    random.Random(options.seed).shuffle(files)
    chars, changed, changes, begun = 0, 0, 0, time.process_time()
    for path in files[: options.files]:
        text = path.read_text(errors="replace")
        chars += len(text)
        found = find(text)
        changed, changes = changed + bool(found), changes + len(found)
        for one in found[:3]:
            around = (
                text[max(0, one.start - 40) : one.start],
                text[one.start : one.end][:60],
                text[one.end : one.end + 10],
            )
            console.print(f"{path}: {one.kind} {one.name} {around}")
    spent = time.process_time() - begun
    console.print(
        f"{min(len(files), options.files)} files, {chars / 1e6:.0f} MB: {changed} changed, {changes} places; "
        f"{spent / max(1, chars) * 1e9:.0f} ns a character"
    )
    return 0
