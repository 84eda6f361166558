"""Source maps (ECMA-426, version 3): from a position in a generated script to the original position."""

import posixpath
import re
from array import array
from base64 import b64decode
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Any
from urllib.parse import SplitResult, unquote_to_bytes, urljoin, urlsplit

import orjson
from attrs import frozen

from gasoline_cdp import limits

_DIGITS = {
    character: value
    for value, character in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
}
_HALF = 2**32 - 1
# Marks a segment without a source: larger than any source number.
_NOWHERE = _HALF << 32
_SOURCES = 100_000

_COMMENT = "sourceMappingURL="
# A line without code stands for the next one with code, if that is as near as this.
_NEAR_LINES = 20
_COMMENT_URL = re.compile(r"[^\s'\"`*<>\\]+")


class BadSourceMap(Exception):  # noqa: N818 - what it is, not what went wrong
    """Not a source map, or one beyond our limits. The text says why."""


@frozen
class Original:
    """An original position, counted from 1, and the original name if there is one.

    `ignored`: the map lists this source as library code that debuggers should skip.
    """

    source: str
    line: int
    column: int
    name: str
    ignored: bool = False


class SourceMap:
    """A parsed map.

    Each segment is three numbers with two halves each, sorted by generated position: generated line and column; source
    (or none) and its line; its column, and the name's index plus one (or 0). All count from 0.
    """

    def __init__(self, base: str) -> None:
        self._base = base
        self._positions = array("Q")
        self._lines = array("Q")
        self._columns = array("Q")
        self._sources: list[tuple[str, str]] = []
        self._names: list[str] = []
        self._ignored: set[int] = set()

    @property
    def size(self) -> int:
        """Approximate memory in bytes."""
        texts = sum(len(root) + len(source) + 120 for root, source in self._sources)
        return 24 * len(self._positions) + texts + sum(len(name) + 60 for name in self._names)

    def find(self, line: int, column: int) -> Original | None:
        """The original position of a generated one (counted from 1); None if there is none."""
        if line < 1 or column < 1 or max(line, column) > _HALF:
            return None
        at = bisect_right(self._positions, (line - 1) << 32 | (column - 1)) - 1
        if at < 0 or self._positions[at] >> 32 != line - 1:
            return None
        number, source_line = self._lines[at] >> 32, self._lines[at] & _HALF
        root, source = self._sources[number] if number < len(self._sources) else ("", "")
        if not source:
            return None
        source_column, name = self._columns[at] >> 32, self._columns[at] & _HALF
        written = self._names[name - 1] if 0 < name <= len(self._names) else ""
        name_of = source_name(source, root, self._base)
        return Original(name_of, source_line + 1, source_column + 1, written, number in self._ignored)

    def find_generated(self, path: str, line: int) -> tuple[int, int, Original] | None:
        """Where the code of an original line (counted from 1) begins, counted from 0, and what is written there.

        The line itself, or the next one that has code. `path` is the end of the source's path.
        """
        wanted = f"/{path.lstrip('/')}"
        numbers = {
            number
            for number, (root, source) in enumerate(self._sources)
            if source and f"/{source_name(source, root, self._base)}".endswith(wanted)
        }
        best: tuple[int, bool, int] | None = None
        before = _NOWHERE
        for at, packed in enumerate(self._lines):
            number, source_line = packed >> 32, packed & _HALF
            if number in numbers and source_line >= line - 1:
                # Compilers insert code, such as imports, that they map to a line far below: prefer what follows the
                # code of the lines above it.
                apart = before >> 32 != number or not source_line - _NEAR_LINES <= before & _HALF <= source_line
                candidate = (source_line, apart, self._positions[at])
                best = candidate if best is None else min(best, candidate)
            before = packed
        if best is None or best[0] - (line - 1) > _NEAR_LINES:
            return None
        generated_line, generated_column = best[2] >> 32, best[2] & _HALF
        original = self.find(generated_line + 1, generated_column + 1)
        return (generated_line, generated_column, original) if original is not None else None

    def places_between(self, begin: tuple[int, int], end: tuple[int, int]) -> Iterator[tuple[int, int]]:
        """The generated places (line and column, counted from 1) that the map knows, from one up to another."""
        first, last = ((line - 1) << 32 | (column - 1) for line, column in (begin, end))
        at = bisect_right(self._positions, first) - 1
        if at >= 0 and self._positions[at] >> 32 == begin[0] - 1 and self._lines[at] != _NOWHERE:
            # The code at the beginning belongs to the place before it.
            yield begin
        for packed in self._positions[at + 1 : bisect_left(self._positions, last)]:
            yield (packed >> 32) + 1, (packed & _HALF) + 1

    def names_between(self, begin: tuple[int, int], end: tuple[int, int]) -> Iterator[tuple[int, int, str]]:
        """The generated places (line and column, counted from 1) that have a name of their own, and that name."""
        first, last = ((line - 1) << 32 | (column - 1) for line, column in (begin, end))
        for at in range(bisect_left(self._positions, first), bisect_left(self._positions, last)):
            if 0 < (name := self._columns[at] & _HALF) <= len(self._names):
                yield (self._positions[at] >> 32) + 1, (self._positions[at] & _HALF) + 1, self._names[name - 1]

    def add(self, part: dict[str, Any], first_line: int, first_column: int) -> None:
        """Add a map, or one section of an indexed map, at an offset in the generated script."""
        mappings = part.get("mappings")
        sources, names = part.get("sources"), part.get("names", [])
        if not isinstance(mappings, str) or not isinstance(sources, list) or not isinstance(names, list):
            raise BadSourceMap("it has no mappings, or no sources")
        segments = mappings.count(",") + mappings.count(";") + 1
        if max(len(self._positions) + segments, len(self._names) + len(names)) > limits.SOURCE_MAP_SEGMENTS:
            raise BadSourceMap("it has too many mappings or names")
        if len(self._sources) + len(sources) > _SOURCES:
            raise BadSourceMap("it has too many sources")
        root = part.get("sourceRoot")
        root = root if isinstance(root, str) else ""
        sources_before, names_before = len(self._sources), len(self._names)
        self._sources += [(root, source) if isinstance(source, str) else ("", "") for source in sources]
        self._names += [name if isinstance(name, str) else "" for name in names]
        ignored = part.get("ignoreList", part.get("x_google_ignoreList"))
        if isinstance(ignored, list):
            self._ignored |= {sources_before + number for number in ignored[:_SOURCES] if isinstance(number, int)}
        try:
            self._decode(mappings, first_line, first_column, sources_before, names_before)
        except OverflowError as error:
            raise BadSourceMap("a mapping points outside of everything") from error

    def _decode(self, mappings: str, line: int, first_column: int, source: int, name: int) -> None:
        """Sum the differences in the segments."""
        segments = _Segments()
        add_position, add_line, add_column = self._positions.append, self._lines.append, self._columns.append
        source_line = source_column = 0
        in_order = True
        for text in mappings.split(";"):
            column = (line << 32) + first_column
            for segment in text.split(",") if text else ():
                moved, of_source, of_line, of_column, of_name, fields = segments[segment]
                column += moved
                if moved < 0:
                    in_order = False
                    if column < line << 32:
                        raise BadSourceMap("a mapping points before its line")
                add_position(column)
                if fields == 1:
                    add_line(_NOWHERE)
                    add_column(0)
                    continue
                source += of_source
                source_line += of_line
                source_column += of_column
                name += of_name
                add_line(source << 32 | source_line)
                add_column(source_column << 32 | (name + 1 if fields == 5 else 0))
            line, first_column = line + 1, 0
        if not in_order:
            self.sort()

    def sort(self) -> None:
        """Sort the segments by generated position. They nearly always are sorted already."""
        order = sorted(range(len(self._positions)), key=self._positions.__getitem__)
        for one in (self._positions, self._lines, self._columns):
            one[:] = array("Q", [one[at] for at in order])


class _Segments(dict[str, tuple[int, int, int, int, int, int]]):
    """The differences that each segment adds to column, source, line, column and name, and its number of fields.

    Most segments of a map are among a thousand or so different ones, so each is decoded once.
    """

    def __missing__(self, segment: str) -> tuple[int, int, int, int, int, int]:
        fields = _decode_fields(segment)
        if len(fields) not in (1, 4, 5):
            raise BadSourceMap("a mapping has a wrong number of fields")
        column, source, source_line, source_column, name = (*fields, 0, 0, 0, 0)[:5]
        self[segment] = (column, source, source_line, source_column, name, len(fields))
        return self[segment]


def _decode_fields(segment: str) -> list[int]:
    """Base 64 VLQ: five bits per character, lowest first. The first character also has the sign."""
    fields: list[int] = []
    value = shift = 0
    for character in segment:
        digit = _DIGITS.get(character)
        if digit is None or shift > 30:
            raise BadSourceMap("its mappings are not in base 64 VLQ")
        value |= (digit & 31) << shift
        shift += 5
        if not digit & 32:
            fields.append(-(value >> 1) if value & 1 else value >> 1)
            value = shift = 0
    if shift:
        raise BadSourceMap("its mappings end inside a number")
    return fields


def parse_source_map(raw: bytes, base: str) -> SourceMap:
    """Parse a map. `base` is its address, or that of the script that contains it. Raises only `BadSourceMap`."""
    if len(raw) > limits.SOURCE_MAP_BYTES:
        raise BadSourceMap("it is too large")
    if raw.startswith(b")]}'"):
        # Servers may prepend a line that prevents the JSON from running as a script.
        raw = raw.partition(b"\n")[2]
    try:
        whole = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise BadSourceMap("it is not JSON") from error
    if not isinstance(whole, dict) or whole.get("version") not in (3, "3"):
        raise BadSourceMap("it is not of version 3")
    result = SourceMap(base)
    sections = whole.get("sections")
    if not isinstance(sections, list):
        result.add(whole, 0, 0)
        return result
    for section in sections:
        part = section.get("map") if isinstance(section, dict) else None
        offset = section.get("offset") if isinstance(section, dict) else None
        if not isinstance(part, dict) or not isinstance(offset, dict):
            raise BadSourceMap("a section has no map, or no offset")
        result.add(part, _offset(offset.get("line")), _offset(offset.get("column")))
    # Sections should be in order. Python's sort is fast if they are.
    result.sort()
    return result


def _offset(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < _HALF:
        raise BadSourceMap("a section has no map, or no offset")
    return value


def source_name(source: str, root: str, base: str) -> str:
    """The name of a source: its path in the project if it can be derived, otherwise its full address."""
    if root and not _split(source).scheme and not source.startswith("/"):
        source = f"{root.rstrip('/')}/{source}"
    source = source.partition("?")[0]
    parts = _split(source)
    if parts.scheme in ("", "http", "https", "file"):
        try:
            source = urljoin(base, source)
        except ValueError:
            return source
        parts, home = _split(source), _split(base)
        if parts.scheme == "file":
            return parts.path
        return parts.path.lstrip("/") if parts.netloc == home.netloc else source
    if "://" not in source:
        return source
    # webpack://shop/./src/cart.ts, turbopack:///[project]/src/cart.ts
    path = source.partition("://")[2].partition("/")[2].removeprefix("[project]/")
    return posixpath.normpath(path).lstrip("/") if path else source


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:
        # An unclosed bracket in the host: not a URL.
        return SplitResult("", "", "", "", "")


def mapping_url(script: str) -> str:
    """The address in the last `//# sourceMappingURL=` comment of a script; empty if there is none."""
    at = script.rfind(_COMMENT)
    while at > 3:
        match = _COMMENT_URL.match(script, at + len(_COMMENT))
        # If a line end spelled \n follows, the comment is inside a string for `eval`, not of this script.
        of_string = match is not None and script[match.end() : match.end() + 2] == "\\n"
        if script[at - 4 : at] in ("//# ", "//@ ", "/*# ", "/*@ ", "//#\t") and not of_string:
            return match[0] if match else ""
        at = script.rfind(_COMMENT, 0, at)
    return ""


def evaluated_map(script: str, name: str) -> str:
    """The data: URL with the map of a module that `script` passes to `eval` under this name; empty if there is none."""
    named = f"sourceURL={name}"
    at = script.find(named)
    while at >= 0:
        if script[at + len(named) : at + len(named) + 1] in ("\\", "\n", '"', "'", "`"):
            comment = script.rfind(_COMMENT, max(0, script.rfind("eval(", 0, at)), at)
            match = _COMMENT_URL.match(script, comment + len(_COMMENT)) if comment >= 0 else None
            return match[0] if match and match[0].startswith("data:") else ""
        at = script.find(named, at + 1)
    return ""


def inline_map(url: str) -> bytes:
    """The map inside a data: URL. Raises `BadSourceMap`."""
    head, comma, data = url.partition(",")
    if not comma:
        raise BadSourceMap("its data: URL has no data")
    if not head.lower().endswith(";base64"):
        return unquote_to_bytes(data)
    try:
        return b64decode(unquote_to_bytes(data) if "%" in data else data)
    except ValueError as error:
        raise BadSourceMap("its data: URL is not base 64") from error
