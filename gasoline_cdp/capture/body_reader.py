"""Reads the bodies of one request from Chrome: cut and described for the store, or whole for a caller."""

import base64
import binascii
import codecs
import re

from attrs import frozen

from gasoline_cdp import limits
from gasoline_cdp.capture.masking import safe_answer
from gasoline_cdp.capture.pending_request import NULL_BODY_STATUSES, Body, is_binary, is_unsure
from gasoline_cdp.capture.request_bodies import content_type, describe_body
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Session
from gasoline_cdp.cdp.response_body import response_body
from gasoline_cdp.cdp.worker_script import worker_script
from gasoline_cdp.records import NetworkRecord
from gasoline_cdp.redact import safe_body

# Characters that no text file contains. Escape is allowed: it begins terminal colours in some logs.
_NOT_TEXT = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f]")
# Files with the servers' default type are read up to this size to see whether they are text.
_SNIFFED_BYTES = 256 * limits.KB
_SNIFFED_CHARS = 64 * limits.KB


@frozen(eq=False)
class BodyHandle:
    """What is needed to ask Chrome for the bodies of a request."""

    session: Session
    request_id: str
    record: NetworkRecord
    post_data: Body | None
    has_post_data: bool
    # What a slow response had delivered when it ended, with its secrets masked.
    partial: Body | None = None


@frozen
class ReadBody:
    """A response as far as it arrived: as text, as bytes that are not text, or why there is none."""

    text: str | None
    missing: str = ""
    broken_off: bool = False
    content: bytes | None = None


async def read_response(handle: BodyHandle, *, whole: bool = False, received: bytes | None = None) -> ReadBody:
    """Read the response. Binary content is described; with `whole` it is returned.

    `received` is what had arrived when it ended. Only the first caller has it: afterwards just its masked text is
    known.
    """
    record = handle.record
    described = _described(record)
    if record.method == "HEAD" or record.page_status in NULL_BODY_STATUSES:
        return ReadBody("")
    unread = is_binary(record.mime) or (is_unsure(record.mime) and record.decoded_bytes > _SNIFFED_BYTES)
    if unread and not whole:
        return ReadBody(described)
    try:
        reply = await response_body(handle.session, handle.request_id)
    except CdpClosed as error:
        return _partial(handle, received, error.reason)
    except CdpError:
        if whole and _is_worker_script(record):
            script = await worker_script(handle.session, record.url)
            return ReadBody(script, "the worker has stopped" if script is None else "")
        return _partial(handle, received, _why_missing(handle))
    body = str(reply.get("body", ""))
    doubtful = is_binary(record.mime) or is_unsure(record.mime)
    if not doubtful and not reply.get("base64Encoded"):
        return ReadBody(body)
    try:
        # Chrome uses base64 for what it cannot decode as text, and only for that.
        content = base64.b64decode(body) if reply.get("base64Encoded") else body.encode("utf-8", "surrogatepass")
    except binascii.Error:
        return ReadBody(described)
    # Asked for in full, an image that is text is shown as such: an error page in its place, for example.
    text = as_text(content) if whole or not is_binary(record.mime) else None
    return ReadBody(described, content=content) if text is None else ReadBody(text)


async def read_request(handle: BodyHandle, limit: int = limits.REQUEST_BODY_BYTES) -> Body | None:
    """The request body up to a limit: the known one, or Chrome's if that is not enough."""
    known = handle.post_data
    if not handle.has_post_data or (known is not None and not (known.truncated and limit > limits.REQUEST_BODY_BYTES)):
        return known
    # Blobs and streams: Chrome says that there was data, but does not have it.
    return await _post_data(handle, limit) or known or Body("[unavailable: not kept by the browser]")


async def _post_data(handle: BodyHandle, limit: int) -> Body | None:
    try:
        reply = await handle.session.send("Network.getRequestPostData", {"requestId": handle.request_id})
    except (CdpError, CdpClosed):
        return None
    raw = str(reply.get("postData", ""))
    data = base64.b64decode(raw) if reply.get("base64Encoded") else raw.encode(errors="replace")
    return Body(*safe_body(describe_body(data, content_type(dict(handle.record.request_headers))), limit))


def as_text(content: bytes) -> str | None:
    """Bytes as text if they are text, whatever their declared type."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return None
    return None if _NOT_TEXT.search(text, 0, _SNIFFED_CHARS) else text


def _is_worker_script(record: NetworkRecord) -> bool:
    return record.source.kind == "service_worker" and record.type == "Script"


def _why_missing(handle: BodyHandle) -> str:
    record = handle.record
    if _is_worker_script(record):
        return "Chrome keeps a service worker's script with the worker; full_body asks it"
    if record.status == 304:
        return "the answer was 304 and the browser no longer has the cached body"
    if record.outcome == "aborted":
        return "it was cancelled before its body was known"
    return "the browser has no body for this request" if record.failure else "the page has moved on"


def _partial(handle: BodyHandle, received: bytes | None, missing: str) -> ReadBody:
    """What arrived before a response broke off, or why there is nothing."""
    if received:
        return ReadBody(_partial_text(received, handle.record), broken_off=True)
    return ReadBody(handle.partial.text, broken_off=True) if handle.partial else ReadBody(None, missing)


def masked_partial(received: bytes, record: NetworkRecord) -> Body:
    """What arrived before a response ended, redacted so that it can be kept."""
    return Body(*safe_answer(_partial_text(received, record), record.mime, limits.RESPONSE_BODY_BYTES))


def _partial_text(received: bytes, record: NetworkRecord) -> str:
    try:
        # The last character may be incomplete.
        return codecs.getincrementaldecoder("utf-8")().decode(received)
    except UnicodeDecodeError:
        return _described(record)


def _described(record: NetworkRecord) -> str:
    return f"[Binary: {record.decoded_bytes} bytes, {record.mime}]"
