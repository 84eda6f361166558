"""The full bodies of one request: as much as fits, and a cursor for the rest."""

import base64

from attrs import evolve, frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.answers.body_entries import BodyEntry, body_resource
from gasoline_cdp.answers.paging import iso, start_of
from gasoline_cdp.capture.bodies import WholeBodies
from gasoline_cdp.redact import EDGE, collect_masked, safe_body

# Room for the summary, a notice and a cursor.
_ENVELOPE = 1024


@frozen
class ShownBodies:
    """The part of the bodies in one answer."""

    entry: BodyEntry
    summary: str
    cursor: str | None
    # Nothing is missing.
    complete: bool


def show_whole_bodies(whole: WholeBodies, cursor: str | None, most: int = limits.ANSWER_BYTES_MAX) -> ShownBodies:
    """The request body, then the response body, in `most` bytes. A cursor is an offset into both together.

    The first answer describes a binary response, and its cursor reads it as base64.
    """
    record = whole.record
    sent = whole.request.text if whole.request else ""
    described = whole.content is not None and cursor is None
    as_base64 = whole.content is not None and not described
    got = base64.b64encode(whole.content).decode() if whole.content is not None and as_base64 else whole.response.text
    start = start_of(cursor) or 0
    entry = BodyEntry(
        ts=iso(record.ts),
        id=record.id,
        method=record.method,
        url=record.url,
        status=record.status,
        contentType=record.mime or None,
        duration=record.duration_ms,
        encoding="base64" if as_base64 else None,
        tab_id=record.source.tab_id,
        mocked=record.mocked,
    )
    room = most - _ENVELOPE - len(wire.encode(wire.dump(entry)))
    pieces, end = _take(sent, got, start, room)
    if as_base64 and _shows_secret(whole.content or b"", max(0, start - len(sent)), pieces.get("responseBody", "")):
        pieces["responseBody"] = ""
        entry = evolve(entry, missing="this part holds what looks like a secret")
    total = len(sent) + len(got)
    lost = whole.response.truncated or bool(whole.request and whole.request.truncated)
    resource = body_resource(record.id, sent="responseBody" not in pieces)
    entry = evolve(
        entry,
        truncated=lost or start > 0 or end < total,
        resource=resource if end < total and not as_base64 else None,
        requestBody=pieces.get("requestBody"),
        responseBody=pieces.get("responseBody"),
    )
    if described:
        after: int | None = len(sent)
    else:
        after = end if end < total else None
    return ShownBodies(
        entry,
        _summary(whole, start, end, total, described=described),
        None if after is None else str(after),
        complete=not (described or lost or start or end < total),
    )


def _take(sent: str, got: str, start: int, room: int) -> tuple[dict[str, str], int]:
    """The pieces of both texts from `start` that fit, and the offset where they end."""
    pieces: dict[str, str] = {}
    offset, begin = start, 0
    for name, text in (("requestBody", sent), ("responseBody", got)):
        end = begin + len(text)
        if begin <= offset < end:
            pieces[name] = _fitting_text(text[offset - begin :], room)
            room -= len(wire.encode(pieces[name]))
            offset += len(pieces[name])
            if offset < end:
                break
        begin = end
    if not got and offset >= begin:
        pieces["responseBody"] = ""
    return pieces, offset


def _fitting_text(text: str, room: int) -> str:
    """As much of a text as fits into `room` bytes of JSON, where quotes and line ends take two each."""
    part = text[: max(0, min(room, limits.FULL_BODY_CHARS))]
    while part and len(wire.encode(part)) > room:
        part = part[: len(part) * 9 // 10]
    # Whole groups of base64, so that each part can be decoded on its own.
    return part if len(part) == len(text) else part[: len(part) // 4 * 4]


def _shows_secret(content: bytes, offset: int, part: str) -> bool:
    """Whether these bytes contain a secret."""
    first = offset // 4 * 3
    return holds_secret(content[max(0, first - EDGE) : first + len(part) // 4 * 3 + EDGE])


def holds_secret(content: bytes) -> bool:
    """Whether bytes contain a secret as text. It cannot be masked inside binary data."""
    with collect_masked() as masked:
        safe_body(content.decode("latin-1"), limits.WHOLE_BODY_BYTES)
    return bool(masked)


def _summary(whole: WholeBodies, start: int, end: int, total: int, *, described: bool) -> str:
    name = whole.record.id
    if described:
        return f"The body of {name} is binary. cursor reads it as base64."
    known = ""
    if whole.request and whole.request.truncated:
        known += " Only the beginning of the request is known."
    if whole.response.truncated:
        known += " The response broke off, or is longer than can be read."
    if start > 0 or end < total:
        more = "; cursor reads on" if end < total else ""
        return f"The body of {name}, characters {start} to {end} of {total}{more}.{known}"
    return f"The body of {name}, as far as it is known.{known}" if known else f"The body of {name}, complete."
