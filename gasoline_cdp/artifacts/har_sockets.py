"""WebSockets in a HAR file: one entry for each connection, with its messages as Chrome writes them."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from gasoline_cdp.artifacts.har_parts import header_list, query_list, sent_cookies, when
from gasoline_cdp.records import SocketRecord

_TEXT, _BINARY = 1, 2


def socket_entries(
    records: Iterable[SocketRecord], page_of: Callable[[SocketRecord], str], *, include_bodies: bool
) -> list[dict[str, Any]]:
    """One entry for each connection. EventSources are requests, so they are entries already."""
    connections: dict[str, list[SocketRecord]] = defaultdict(list)
    for record in sorted(records, key=lambda one: one.seq):
        if record.kind == "websocket":
            connections[record.connection_id].append(record)
    return [_entry(events, page_of(events[0]), include_bodies=include_bodies) for events in connections.values()]


def _entry(events: list[SocketRecord], page_id: str, *, include_bodies: bool) -> dict[str, Any]:
    first, last = events[0], events[-1]
    handshake = next((one.details for one in events if "status" in one.details), {})
    sent = handshake.get("request_headers", {})
    status = int(handshake.get("status") or 0)
    took = round(max(0.0, last.ts - first.ts) * 1000, 1)
    messages = [_message(one) for one in events if one.event == "message"] if include_bodies else []
    return {
        **({"pageref": page_id} if page_id else {}),
        "startedDateTime": when(first.ts),
        "time": took,
        "request": {
            "method": "GET",
            "url": first.url,
            "httpVersion": "HTTP/1.1",
            "cookies": sent_cookies(sent),
            "headers": header_list(sent),
            "queryString": query_list(first.url),
            "headersSize": -1,
            "bodySize": 0,
        },
        "response": {
            "status": status,
            "statusText": "Switching Protocols" if status == 101 else "",
            "httpVersion": "HTTP/1.1",
            "cookies": [],
            "headers": header_list(handshake.get("headers", {})),
            "content": {"size": 0, "mimeType": "x-unknown"},
            "redirectURL": "",
            "headersSize": -1,
            "bodySize": -1,
            **({"_error": error} if (error := _error(events)) else {}),
        },
        "cache": {},
        "timings": {"blocked": -1, "dns": -1, "connect": -1, "ssl": -1, "send": 0, "wait": 0, "receive": took},
        "_resourceType": "websocket",
        "_webSocketMessages": messages,
        **(
            {}
            if first.event == "open" or status
            else {"comment": "Its beginning was not captured, or had to make room."}
        ),
    }


def _message(record: SocketRecord) -> dict[str, Any]:
    message = {
        "type": "send" if record.direction == "outgoing" else "receive",
        "time": round(record.ts, 6),
        "opcode": _BINARY if record.data.startswith("[Binary: ") else _TEXT,
        "data": record.data,
    }
    return {**message, "comment": f"The first of {record.bytes} bytes."} if record.truncated else message


def _error(events: Iterable[SocketRecord]) -> str:
    return next((str(one.details.get("message", "")) for one in events if one.event == "error"), "")
