"""Stacks in an answer: the page's own frames as lines, library code as a number."""

from collections.abc import Sequence
from itertools import groupby

from gasoline_cdp.analysis.frames import is_library, place_of
from gasoline_cdp.records import StackFrame
from gasoline_cdp.tools.wording import number_of


def show_stack(frames: Sequence[StackFrame], most: int) -> list[str]:
    """The page's own frames, so many at most; each run of library code as its number of frames."""
    shown: list[str] = []
    own = 0
    for of_library, run in groupby(frames, key=is_library):
        if of_library:
            shown.append(f"({number_of(len(list(run)), 'library frame')})")
            continue
        kept = list(run)[: most - own]
        own += len(kept)
        shown += [place_of(frame) for frame in kept]
        if own >= most:
            break
    return shown
