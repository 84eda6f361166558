"""Original function names, from before a minifier shortened them."""

import re

from gasoline_cdp.analysis.sourcemaps.source_map import SourceMap

# How minifiers define a function called NAME.
_DEFINITIONS = (
    r"(?:\bfunction\s*\*?\s*|\bclass\s+)(NAME)(?![\w$])"
    r"|(?<![\w$.])(NAME)\s*[=:]\s*(?:async\b\s*)?(?:function\b|class\b|[\w$]+\s*=>|\([^()]{0,300}\)\s*=>)"
    r"|(?<![\w$.])(NAME)\([^()]{0,300}\)\s*\{"
)
# A longer function is a whole module, and its name says little.
_FUNCTION_CHARS = 200_000
_BRACKETS = re.compile(r"[{}()\[\];,]")
# Brackets counted per lookup, over all candidate definitions; a fifth of a second.
_BRACKETS_READ = 500_000
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]{0,100}\Z")


def written_name(script: str, source_map: SourceMap, line: int, column: int, function: str) -> str:
    """The original name of the function around a generated position.

    A map says what is at a position, not in which function it is. So search backwards for a definition with the short
    name (and of the class before the dot) that has not ended at our position, and look up the name there in the map.
    """
    end = _offset_of(script, line, column)
    if end is None:
        return function
    kind, space, name = function.partition(" [as ")[0].rpartition(" ")
    owner, dot, short = name.rpartition(".")
    return f"{kind}{space}{_defined(script, source_map, line, end, owner)}{dot}" + _defined(
        script, source_map, line, end, short
    )


def _defined(script: str, source_map: SourceMap, line: int, end: int, short: str) -> str:
    """The original name of `short`, from its definition around `end` in this line; or `short` itself."""
    if not _IDENTIFIER.match(short):
        return short
    pattern = re.compile(_DEFINITIONS.replace("NAME", re.escape(short)))
    patience = _BRACKETS_READ
    for definition in reversed(list(pattern.finditer(script, max(0, end - _FUNCTION_CHARS), end))):
        at = next(group for group in range(1, 4) if definition.start(group) >= 0)
        is_open, read = _is_open(script, definition.end(at), end)
        patience -= read
        if patience < 0:
            break
        if is_open:
            start = definition.start(at)
            lines_back = script.count("\n", start, end)
            written = source_map.find(line - lines_back, start - script.rfind("\n", 0, start))
            return written.name if written and written.name else short
    return short


def _offset_of(script: str, line: int, column: int) -> int | None:
    start = 0
    for _ in range(line - 1):
        start = script.find("\n", start) + 1
        if start == 0:
            return None
    return start + column - 1 if start + column - 1 <= len(script) else None


def _is_open(script: str, start: int, end: int) -> tuple[bool, int]:
    """Whether a definition that starts here is still open there, and how many brackets were counted.

    Strings are not distinguished from code, so it is a guess.
    """
    depth = read = 0
    for bracket in _BRACKETS.finditer(script, start, end):
        read += 1
        if bracket[0] in "{([":
            depth += 1
        elif bracket[0] in "})]":
            depth -= 1
        if depth < 0 or (depth == 0 and bracket[0] in ";,}"):
            return False, read
        if read > _BRACKETS_READ:
            break
    return True, read
