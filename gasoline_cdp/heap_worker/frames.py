"""What daemon and worker send each other: frames of a kind, a length, and that many bytes."""

import struct
from typing import Any

import orjson

_HEAD = struct.Struct(">cI")
HEAD_BYTES = _HEAD.size
# A command or reply as JSON, and a piece of a snapshot's text.
MESSAGE, CHUNK = b"M", b"C"


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
