"""What daemon and worker send each other: frames of a kind, a length, and that many bytes."""

import json
import struct
from typing import Any

import orjson

_HEAD = struct.Struct(">cI")
HEAD_BYTES = _HEAD.size
# A command or reply as JSON; a piece of a snapshot's text; and one as it stands in a JSON string, without the quotes.
MESSAGE, CHUNK, ESCAPED = b"M", b"C", b"E"


def head(kind: bytes, size: int) -> bytes:
    """What precedes the bytes of a frame."""
    return _HEAD.pack(kind, size)


def parse_head(data: bytes) -> tuple[bytes, int]:
    """Kind and length."""
    kind, size = _HEAD.unpack(data)
    return kind, size


def message(content: dict[str, Any]) -> bytes:
    """A whole frame with a command or reply."""
    data = orjson.dumps(content)
    return head(MESSAGE, len(data)) + data


def unescape(text: bytes) -> bytes:
    """The text that a JSON string without its quotes stands for. Raises `ValueError` if it is none."""
    if b"\\" not in text:
        # Most of a snapshot: numbers.
        return text
    quoted = b'"%b"' % text
    try:
        decoded = orjson.loads(quoted)
    except orjson.JSONDecodeError:
        # Half of a surrogate pair, which only the lenient parser accepts.
        decoded = json.loads(quoted.decode("utf-8", errors="replace"))
    return str(decoded).encode(errors="replace")
