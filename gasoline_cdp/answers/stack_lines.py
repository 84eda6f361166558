"""Stacks in an answer: the page's own frames, and a count for library code."""

from collections.abc import Sequence
from itertools import groupby

from gasoline_cdp.analysis.sourcemaps.frames import SCRIPT_NAME, is_library, place_of
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.records import StackFrame


def _kind(frame: StackFrame) -> str:
    if frame.url == SCRIPT_NAME:
        return SCRIPT_NAME
    return "library" if is_library(frame) else "own"


def show_stack(frames: Sequence[StackFrame], most: int) -> list[str]:
    """At most `most` of the page's own frames. A run of library code is a count, an assistant's script a name."""
    shown: list[str] = []
    own = 0
    for kind, run in groupby(frames, key=_kind):
        if kind == "library":
            shown.append(f"({number_of(len(list(run)), 'library frame')})")
            continue
        if kind == SCRIPT_NAME:
            # Its line numbers are not the author's: we wrap the script.
            shown.append(SCRIPT_NAME)
            continue
        kept = list(run)[: most - own]
        own += len(kept)
        shown += [place_of(frame) for frame in kept]
        if own >= most:
            break
    return shown
