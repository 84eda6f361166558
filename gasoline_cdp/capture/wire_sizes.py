"""How many bytes a request and its response had on the wire, as far as Chrome tells."""

from collections.abc import Mapping
from typing import Any, Protocol

from gasoline_cdp.measures import WireSizes

# `GET /path HTTP/1.1` and its line end, besides method and path; `: ` and the line end of a header; the empty line.
_REQUEST_LINE = 12
_HEADER = 4
_EMPTY_LINE = 2


class SentRequest(Protocol):
    """What is read of a request. See `PendingRequest`."""

    method: str
    path_chars: int
    from_cache: bool
    has_post_data: bool
    encoded_bytes: int
    header_text_bytes: int
    request_headers: dict[str, Any]
    response_headers: dict[str, Any]
    response: dict[str, Any]
    status: int | None


def wire_sizes(sent: SentRequest) -> WireSizes:
    """The sizes. If no response came over the wire, only that of the request's body may be known.

    Later versions of HTTP compress headers, so their size is not that of a text: it is not known then.
    """
    response = sent.response
    protocol = str(response.get("protocol", ""))
    cached = sent.from_cache or response.get("fromDiskCache")
    if not response or cached or not protocol.startswith(("http", "h2", "h3")):
        return WireSizes(request_body=_request_body(sent))
    headers = sent.header_text_bytes
    length = response.get("encodedDataLength")
    received = (
        headers if headers >= 0 else int(length) if isinstance(length, (int, float)) and 0 < length < 2**53 else -1
    )
    plain = protocol.startswith("http/1")
    return WireSizes(
        request_headers=_request_headers(sent) if plain else -1,
        request_body=_request_body(sent),
        response_headers=received if plain else -1,
        response_body=_response_body(sent, received),
    )


def path_length(url: str) -> int:
    """The length of what a request line names of a URL."""
    # Called for every request, so without a parser.
    start = url.find("/", url.find("://") + 3)
    return max(1, len(url.partition("#")[0]) - start) if start >= 0 else 1


def _request_headers(sent: SentRequest) -> int:
    line = len(sent.method) + sent.path_chars + _REQUEST_LINE
    headers = sum(len(str(name)) + len(str(value)) + _HEADER for name, value in sent.request_headers.items())
    return line + headers + _EMPTY_LINE


def _request_body(sent: SentRequest) -> int:
    length = _header(sent.request_headers, "content-length")
    return int(length) if length.isascii() and length.isdigit() else -1 if sent.has_post_data else 0


def _response_body(sent: SentRequest, received: int) -> int:
    if 300 <= (sent.status or 0) < 400:
        # Chrome does not read the body of a redirect, and a 304 has none.
        length = _header(sent.response_headers, "content-length")
        return int(length) if length.isascii() and length.isdigit() and sent.status != 304 else 0
    return max(0, sent.encoded_bytes - received) if received >= 0 else -1


def _header(headers: Mapping[str, Any], wanted: str) -> str:
    return next((str(value) for name, value in headers.items() if str(name).lower() == wanted), "")
