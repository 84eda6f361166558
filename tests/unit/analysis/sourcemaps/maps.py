"""Source maps made by hand."""

import json
from typing import Any

from gasoline_cdp.analysis.sourcemaps.source_map import SourceMap, parse_source_map
from tests.unit.analysis.sourcemaps.test_source_map import BASE, Segment, encode


def source_map(code: str, source: str, *places: tuple[Any, ...]) -> SourceMap:
    """A map of a script in one line: each place is some of its code, then line and column (from 0) and perhaps a name.

    Each is looked for behind the one before it.
    """
    segments: list[Segment] = []
    names: list[str] = []
    at = -1
    for text, line, column, *name in places:
        at = code.index(text, at + 1)
        names += name
        segments.append((at, 0, line, column, *([len(names) - 1] if name else [])))
    document = {"version": 3, "sources": [source], "names": names, "mappings": encode([segments])}
    return parse_source_map(json.dumps(document).encode(), BASE)
