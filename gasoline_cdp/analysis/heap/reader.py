"""Reads a heap snapshot while it streams: any pieces of its text in, compact columns out.

The text is never held as a whole, nor made into a tree of JSON values.
"""

import codecs
import re
from collections.abc import Callable
from typing import Any

from gasoline_cdp.analysis.heap.columns import Columns
from gasoline_cdp.analysis.heap.engines import Engine, best_engine
from gasoline_cdp.analysis.heap.header import Header, HeapFormatError, parse_header
from gasoline_cdp.analysis.heap.sections import make_columns, table_of
from gasoline_cdp.analysis.heap.tables import RowsParser, StringsParser, SyntaxAt

__all__ = ["HeapFormatError", "SnapshotReader"]

_BLANK = rb"[ \t\r\n]*"
_OPENING = re.compile(_BLANK + rb"\{")
_MEMBER = re.compile(_BLANK + rb"(,?)" + _BLANK + rb'"([^"\\]{0,100})"' + _BLANK + rb":" + _BLANK + rb"([^ \t\r\n])")
_CLOSING = re.compile(_BLANK + rb"\}")
_ALL_BLANK = re.compile(_BLANK + rb"\Z")
_BRACKETS = re.compile(rb'["\[\]{}]')
_IN_STRING = re.compile(rb'["\\]')
_SCALAR_END = re.compile(rb"[,}\]]")
# V8 writes about 2 KB.
_MOST_HEADER = 1 << 20
# Strings that are names of neither nodes nor edges: variables in scopes, functions in traces.
_OTHER_STRINGS = 1 << 17
# What stands between two members, at most.
_MOST_BETWEEN = 4096


class SnapshotReader:
    """One snapshot that is being read: feed() its text in pieces, then finish()."""

    def __init__(self, engine: Engine | None = None) -> None:
        self._engine = engine or best_engine()
        self._step: Callable[[bytes, int], int] = self._read_opening
        self._where = "before its first member"
        self._at = 0
        self._pending = b""
        self._header: Header | None = None
        self._sections: dict[str, Any] = {}
        self._parser: RowsParser | StringsParser | None = None
        self._kept: bytearray | None = None
        self._depth = 0
        self._in_string = self._escaped = False
        self._utf8 = codecs.getincrementaldecoder("utf-8")()

    @property
    def bytes_read(self) -> int:
        """How much of the text came so far."""
        return self._at + len(self._pending)

    def feed(self, chunk: bytes) -> None:
        """The next piece of the text, of any size. Raises HeapFormatError."""
        text = self._pending + chunk if self._pending else bytes(chunk)
        position = 0
        try:
            while position < len(text):
                step = self._step
                stop = step(text, position)
                if stop == position and self._step == step:
                    break  # more of the text is needed
                position = stop
        except SyntaxAt as error:
            raise self._unexpected(text, error.position) from None
        self._pending = text[position:]
        self._at += position

    def finish(self) -> Columns:
        """The whole snapshot. Raises HeapFormatError if it is not whole."""
        if self._step != self._read_end:
            if not self.bytes_read:
                raise HeapFormatError("The file is empty.")
            raise HeapFormatError(f"The file ends after {self.bytes_read} bytes, {self._where}: it was cut short.")
        if self._header is None:
            raise HeapFormatError('This is no heap snapshot: it has no member "snapshot".')
        missing = [name for name in ("nodes", "edges", "strings") if name not in self._sections]
        if missing:
            raise HeapFormatError(f"This is no heap snapshot: it has no {' and no '.join(missing)}.")
        sections, self._sections = self._sections, {}
        return make_columns(self._header, sections, self._engine)

    def _unexpected(self, text: bytes, at: int) -> HeapFormatError:
        shown = ascii(text[at : at + 20].decode("latin-1"))
        return HeapFormatError(f"At byte {self._at + at}, {self._where}: {shown} does not belong there.")

    # Each step reads on from a position and returns where it stopped; it sets the step that comes next. A step that
    # neither moves nor changes needs more text.

    def _read_opening(self, text: bytes, position: int) -> int:
        if text.startswith(codecs.BOM_UTF8, position):
            position += len(codecs.BOM_UTF8)
        opening = _OPENING.match(text, position)
        if opening:
            self._step = self._read_member
            return opening.end()
        if _ALL_BLANK.match(text, position) or codecs.BOM_UTF8.startswith(text[position:]):
            return position if len(text) < _MOST_BETWEEN else len(text)
        raise HeapFormatError(f"This is no heap snapshot: it begins with {text[:20].decode('latin-1')!a}.")

    def _read_member(self, text: bytes, position: int) -> int:
        member = _MEMBER.match(text, position)
        first = self._where.startswith("before")
        if member and bool(member[1]) != first:
            self._open_member(member[2].decode("latin-1"), member[3])
            return member.end() - 1
        closing = _CLOSING.match(text, position)
        if closing:
            self._step = self._read_end
            self._where = "at its end"
            return closing.end()
        if member or len(text) - position > _MOST_BETWEEN:
            raise SyntaxAt(position)
        return position

    def _open_member(self, name: str, opens: bytes) -> None:
        self._where = f'in "{name}"'
        if name in self._sections or (name == "snapshot" and self._header is not None):
            raise HeapFormatError(f'The file has "{name}" twice.')
        self._parser = None
        self._kept = None
        self._depth = 0
        self._in_string = self._escaped = False
        self._step = self._read_value
        if name == "snapshot" and opens == b"{":
            self._kept = bytearray()
            return
        if self._header is None:
            if name in {"nodes", "edges", "strings"}:
                raise HeapFormatError(f'This is no heap snapshot: "{name}" stands before "snapshot".')
            return
        if name == "strings":
            if opens != b"[":
                raise HeapFormatError('"strings" is no array.')
            most = self._header.node_count + self._header.edge_count + _OTHER_STRINGS
            self._parser = self._engine.strings(most)
        else:
            table = table_of(name, self._header)
            if table is None:
                return
            if opens != b"[":
                raise HeapFormatError(f'"{name}" is no array.')
            self._parser = self._engine.rows(table)
        self._sections[name] = self._parser
        self._step = self._read_bracket

    def _read_bracket(self, _text: bytes, position: int) -> int:
        self._step = self._read_array
        return position + 1

    def _read_array(self, text: bytes, position: int) -> int:
        assert self._parser is not None  # noqa: S101 - told to the type checker
        stop = self._parser.feed(text, position)
        if self._where == 'in "strings"' and not text.isascii():
            self._check_utf8(text[position:stop], position)
        if self._parser.closed:
            self._check_utf8(b"", stop, final=True)
            self._step = self._read_member
        return stop

    def _check_utf8(self, piece: bytes, position: int, *, final: bool = False) -> None:
        try:
            self._utf8.decode(piece, final)
        except UnicodeDecodeError as error:
            raise HeapFormatError(f"At byte {self._at + position + error.start}: this is not UTF-8.") from error

    def _read_value(self, text: bytes, position: int) -> int:
        """A value that is not kept, or the header."""
        stop, ended = self._skip(text, position)
        if self._kept is not None:
            self._kept += text[position:stop]
            if len(self._kept) > _MOST_HEADER:
                raise HeapFormatError("The header is too long for one of a heap snapshot.")
        if ended:
            self._step = self._read_member
            if self._kept is not None:
                self._header = parse_header(bytes(self._kept))
                self._kept = None
        return stop

    def _skip(self, text: bytes, at: int) -> tuple[int, bool]:
        """Where the value ends, and whether it does."""
        while at < len(text):
            if self._escaped:
                self._escaped = False
                at += 1
                continue
            if self._depth == 0 and not self._in_string and text[at] not in b'"[{':
                end = _SCALAR_END.search(text, at)
                return (end.start(), True) if end else (len(text), False)
            match = (_IN_STRING if self._in_string else _BRACKETS).search(text, at)
            if not match:
                return len(text), False
            at = match.end()
            mark = match[0]
            if mark == b"\\":
                self._escaped = True
            elif mark == b'"':
                self._in_string = not self._in_string
            else:
                self._depth += 1 if mark in b"[{" else -1
            if self._depth == 0 and not self._in_string and not self._escaped:
                return at, True
        return at, False

    @staticmethod
    def _read_end(text: bytes, position: int) -> int:
        if not _ALL_BLANK.match(text, position):
            raise SyntaxAt(position)
        return len(text)
