"""A request's body as text for a reader: multipart by part, binary by size."""

import base64
import binascii
import re
from typing import TYPE_CHECKING, Any

from gasoline_cdp.redact import REDACTED, is_secret_name

if TYPE_CHECKING:
    from email.message import Message

_BOUNDARY = re.compile(r'boundary="?([^";,]{1,100})', re.IGNORECASE)
_PARTS = 50
_PART_CHARS = 500


def sent_body(request: dict[str, Any], headers: dict[str, Any]) -> str | None:
    """The body in the request event. None if it must be fetched, or if there is none."""
    raw = _raw(request)
    return None if raw is None else describe_body(raw, content_type(headers))


def content_type(headers: dict[str, Any]) -> str:
    """The declared content type."""
    return next((str(value) for name, value in headers.items() if str(name).lower() == "content-type"), "")


def describe_body(raw: bytes, kind: str) -> str:
    """Text unchanged, multipart by part, anything else by its size."""
    if kind.lower().startswith("multipart/") and (boundary := _BOUNDARY.search(kind)):
        return _describe_parts(raw, boundary[1])
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return f"[Binary: {len(raw)} bytes]"


def _raw(request: dict[str, Any]) -> bytes | None:
    """The bytes: exact if Chrome sends entries, otherwise encoded from the text."""
    entries = request.get("postDataEntries")
    if isinstance(entries, list) and entries and all(isinstance(entry, dict) and "bytes" in entry for entry in entries):
        try:
            return b"".join(base64.b64decode(str(entry["bytes"])) for entry in entries)
        except (binascii.Error, ValueError):
            return None
    text = request.get("postData")
    return text.encode(errors="replace") if isinstance(text, str) else None


def _describe_parts(raw: bytes, boundary: str) -> str:
    pieces = raw.split(b"--" + boundary.encode())[1:]
    lines = []
    for piece in pieces[:_PARTS]:
        if piece.startswith(b"--"):
            break
        lines.append(_describe_part(piece.removeprefix(b"\r\n").removesuffix(b"\r\n")))
    if len(pieces) > _PARTS + 1:
        lines.append(f"… {len(pieces) - _PARTS - 1} more parts")
    return "\n".join(lines)


def _describe_part(piece: bytes) -> str:
    from email.message import Message  # noqa: PLC0415 - half a megabyte, and few pages send files

    head, _, content = piece.partition(b"\r\n\r\n")
    message = Message()
    for line in head.decode(errors="replace").split("\r\n"):
        name, _, value = line.partition(":")
        if name.strip():
            message[name.strip()] = value.strip()
    name = _parameter(message, "name") or "?"
    filename = _parameter(message, "filename")
    if filename is not None:
        return f"{name}: [File: {filename}, {message.get_content_type()}, {len(content)} bytes]"
    if is_secret_name(name):
        return f"{name}: {REDACTED}"
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return f"{name}: [Binary: {len(content)} bytes]"
    return f"{name}: {text[:_PART_CHARS]}{'…' if len(text) > _PART_CHARS else ''}"


def _parameter(message: "Message", name: str) -> str | None:
    value = message.get_param(name, header="content-disposition")
    return value if isinstance(value, str) else None
