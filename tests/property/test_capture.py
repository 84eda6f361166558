"""Whatever Chrome says: nothing raises, every record can be shown, and the order of events does not matter."""

from collections.abc import Callable
from typing import Any

import attrs
import orjson
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gasoline_cdp import wire
from gasoline_cdp.answers.log_entries import show_log
from gasoline_cdp.answers.network_entries import show_network, show_network_detail
from gasoline_cdp.answers.socket_entries import show_socket
from gasoline_cdp.capture.console import ParsedLog, parse_console, parse_exception, parse_log_entry
from gasoline_cdp.capture.network import NetworkTracker
from gasoline_cdp.capture.pending_request import PendingRequest
from gasoline_cdp.capture.websocket import SocketTracker
from gasoline_cdp.records import NetworkRecord, SocketRecord
from gasoline_cdp.store.telemetry import Telemetry
from tests.fakes import PAGE

# JSON as the lenient parser reads it: halves of surrogate pairs, integers of any size, NaN.
TEXT = st.text(alphabet=st.characters(exclude_categories=()), max_size=12)
NUMBER = (
    st.integers() | st.floats() | st.sampled_from([-1, 0, 1e11, 1e12, 1e15, 2**53 - 1, -1e15, 2**64, 10**400, 1e308])
)
SCALAR = st.none() | st.booleans() | NUMBER | TEXT
JSON = st.recursive(
    SCALAR, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=6
)


def shaped(*names: str, **nested: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Objects with the names that Chrome uses and any value behind each, or something else altogether."""
    fields = dict.fromkeys(names, JSON) | {name: strategy | JSON for name, strategy in nested.items()}
    return st.fixed_dictionaries(fields) | st.fixed_dictionaries({}, optional=fields)


STACK = shaped(callFrames=st.lists(shaped("functionName", "url", "lineNumber", "columnNumber") | JSON, max_size=2))
KINDS = st.sampled_from(["object", "string", "number", "bigint", "boolean", "undefined", "symbol", "function"])
PART = shaped("name", "value", "description", type=KINDS, valuePreview=shaped("description", "properties", "overflow"))
PREVIEW = shaped(
    "description",
    "overflow",
    subtype=st.sampled_from(["array", "map", "node", "typedarray", "error", "null"]),
    properties=st.lists(PART | JSON, max_size=3),
    entries=st.lists(shaped(key=PART, value=PART) | JSON, max_size=2),
)
VALUE = shaped("value", "description", "unserializableValue", "subtype", type=KINDS, preview=PREVIEW)
FORMAT = st.sampled_from(["%s", "%d %c", "100%", "%%", "%o %O %i %f"])
FORMATTED = st.fixed_dictionaries({"type": st.just("string"), "value": FORMAT})
CALLED = shaped("type", "timestamp", args=st.lists(FORMATTED | VALUE | JSON, max_size=4), stackTrace=STACK)
DETAILS = shaped("text", "url", "lineNumber", "columnNumber", exception=VALUE, stackTrace=STACK)
THROWN = shaped("timestamp", exceptionDetails=DETAILS)
ENTRY = shaped("source", "level", "text", "timestamp", "url", "lineNumber", "networkRequestId", stackTrace=STACK)
LOGGED = shaped(entry=ENTRY)


def assert_shown(shown: object) -> None:
    """An answer of this can be sent: orjson takes neither lone surrogates nor integers beyond 64 bits."""
    assert orjson.loads(wire.encode(wire.dump(shown)))


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.data(), st.sampled_from([(parse_console, CALLED), (parse_exception, THROWN), (parse_log_entry, LOGGED)]))
def test_any_words_of_a_page_become_a_record_that_can_be_shown(
    data: st.DataObject, case: tuple[Callable[[Any], ParsedLog | None], st.SearchStrategy[Any]]
) -> None:
    parse, payload = case
    params = data.draw(payload | st.dictionaries(TEXT, JSON, max_size=3))
    if said := parse(params):
        record = said.record(1, PAGE)
        assert_shown(show_log(record))
        assert record.size > 0


TIMES = st.floats(0, 100) | NUMBER | JSON
RESPONSE = shaped(
    "status",
    "statusText",
    "mimeType",
    "protocol",
    "remoteIPAddress",
    "remotePort",
    "fromDiskCache",
    "encodedDataLength",
    headers=st.dictionaries(TEXT, JSON, max_size=3),
    requestHeaders=st.dictionaries(TEXT, JSON, max_size=2),
    timing=shaped("requestTime", "dnsStart", "dnsEnd", "sendStart", "sendEnd", "receiveHeadersEnd"),
)
REQUEST = shaped(
    "method", "urlFragment", "postData", "hasPostData", url=TEXT, headers=st.dictionaries(TEXT, JSON, max_size=3)
)
IDS = st.sampled_from(["1", "2"]) | JSON
NETWORK_EVENTS: dict[str, st.SearchStrategy[Any]] = {
    "request": shaped(
        "documentURL",
        "type",
        "redirectHasExtraInfo",
        requestId=IDS,
        request=REQUEST,
        timestamp=TIMES,
        wallTime=TIMES,
        redirectResponse=RESPONSE,
        initiator=shaped("type", "url", "lineNumber", stack=STACK),
    ),
    "request_extra": shaped(requestId=IDS, headers=st.dictionaries(TEXT, JSON, max_size=2)),
    "response_extra": shaped("statusCode", requestId=IDS, headers=st.dictionaries(TEXT, JSON, max_size=2)),
    "served_from_cache": shaped(requestId=IDS),
    "response": shaped("type", "hasExtraInfo", requestId=IDS, response=RESPONSE),
    "data": shaped("dataLength", "encodedDataLength", requestId=IDS),
    "loaded": shaped("encodedDataLength", requestId=IDS, timestamp=TIMES),
    "failed": shaped(
        "errorText",
        "canceled",
        "blockedReason",
        requestId=IDS,
        timestamp=TIMES,
        corsErrorStatus=shaped("corsError", "failedParameter"),
    ),
}


def tell(tracker: NetworkTracker, event: str, params: Any) -> None:
    match event:
        case "request":
            tracker.request(params, PAGE, "owner")
        case "response":
            tracker.response(params, "owner")
        case _:
            getattr(tracker, event)(params)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.data(), st.lists(st.sampled_from(sorted(NETWORK_EVENTS)), min_size=1, max_size=8))
def test_any_events_of_the_network_become_records_that_can_be_shown(data: st.DataObject, events: list[str]) -> None:
    pending_requests: list[PendingRequest] = []
    tracker = NetworkTracker(pending_requests.append)
    sent = 0
    for event in ["request", *events]:
        params = data.draw(NETWORK_EVENTS[event] | st.dictionaries(TEXT, JSON, max_size=2), label=event)
        tell(tracker, event, params)
        sent += event == "request"
    under_way = list(tracker.in_flight())
    tracker.all_gone("the browser went away")
    assert list(tracker.in_flight()) == []
    # Every hop is told once; at most one is told for each request (Chrome's own are skipped).
    assert len({pending.id for pending in pending_requests}) == len(pending_requests) <= sent
    for pending in (*pending_requests, *under_way):
        record = pending.record(1)
        assert_shown(show_network(record))
        assert_shown(show_network_detail(record))
        assert record.size > 0


SOCKET_EVENTS: dict[str, st.SearchStrategy[Any]] = {
    "created": shaped("url", requestId=IDS),
    "handshake_sent": shaped(requestId=IDS, wallTime=TIMES, timestamp=TIMES),
    "handshake_answered": shaped("timestamp", requestId=IDS, response=RESPONSE),
    "frame_received": shaped(requestId=IDS, timestamp=TIMES, response=shaped("payloadData", "opcode", "mask")),
    "frame_sent": shaped(requestId=IDS, timestamp=TIMES, response=shaped("payloadData", opcode=st.integers(0, 10))),
    "frame_error": shaped("errorMessage", requestId=IDS, timestamp=TIMES),
    "closed": shaped(requestId=IDS, timestamp=TIMES),
    "event_source_message": shaped("eventName", "eventId", "data", requestId=IDS, timestamp=TIMES),
}


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.data(), st.lists(st.sampled_from(sorted(SOCKET_EVENTS)), max_size=8))
def test_any_events_of_sockets_become_records_that_can_be_shown(data: st.DataObject, events: list[str]) -> None:
    telemetry = Telemetry()
    records: list[SocketRecord] = []
    tracker = SocketTracker(telemetry)
    with telemetry.listening(lambda record: records.append(record) if isinstance(record, SocketRecord) else None):
        for event in ["created", *events]:
            params = data.draw(SOCKET_EVENTS[event] | st.dictionaries(TEXT, JSON, max_size=2), label=event)
            if event == "created":
                tracker.created(params, PAGE, "owner", 1.0)
            elif event == "event_source_message":
                tracker.event_source_message(params, "http://app.test/stream", PAGE, "owner", 1.0)
            else:
                getattr(tracker, event)(params)
        tracker.browser_gone("b1", "the browser went away", 99.0)
    for record in records:
        assert_shown(show_socket(record))
        assert record.size > 0
    assert all(connection.closed is not None for connection in tracker.connections())


@attrs.frozen
class Story:
    """One request as it went: what its page's process told, and what the network's told, each in its order."""

    main: list[tuple[str, Any]]
    # Each with the place in `main` before which it cannot come.
    extras: list[tuple[int, str, Any]]


def _response(name: str, status: int) -> dict[str, Any]:
    return {"status": status, "headers": {"name": name}, "mimeType": "text/plain", "timing": {"requestTime": 10.1}}


@st.composite
def stories(draw: st.DrawFn, number: int) -> Story:
    hops = draw(st.integers(1, 4))
    # The wire's headers are promised by a flag that comes with the hop's answer. A hop that never reached the wire has
    # none; what comes after it cannot be told apart from its own before that is known.
    on_wire = [draw(st.booleans()) for _ in range(hops)]
    end = draw(st.sampled_from(["loaded", "aborted", "refused", "cached"]))
    if end in {"refused", "cached"}:
        on_wire[-1] = False
    main: list[tuple[str, Any]] = []
    extras: list[tuple[int, str, Any]] = []
    for hop in range(hops):
        name, start = f"{number}.{hop}", 10 + number / 100 + hop / 1000
        sent = {
            "requestId": f"17867.{number}",
            "request": {"url": f"http://app.test/{name}", "method": "GET", "headers": {"page": name}},
            "timestamp": start,
            "wallTime": 1_790_000_000 + start,
            "type": "Fetch",
        }
        if hop:
            sent |= {
                "redirectResponse": _response(f"{number}.{hop - 1}", 302),
                "redirectHasExtraInfo": on_wire[hop - 1],
            }
        not_before = 0 if all(on_wire[:hop]) else len(main) + 1
        main.append(("request", sent))
        if on_wire[hop]:
            of_hop = {"requestId": f"17867.{number}", "headers": {"wire": name}}
            status = 302 if hop < hops - 1 else 200
            extras.append((not_before, "request_extra", of_hop))
            extras.append((not_before, "response_extra", {**of_hop, "statusCode": status}))
    of_request = {"requestId": f"17867.{number}", "timestamp": 10.5}
    if end == "refused":
        main.append(("failed", {**of_request, "errorText": "net::ERR_CONNECTION_REFUSED"}))
        return Story(main, extras)
    if end == "cached":
        main.append(("served_from_cache", of_request))
    answer = _response(f"{number}.{hops - 1}", 200)
    main.append(("response", {**of_request, "type": "Fetch", "response": answer, "hasExtraInfo": on_wire[-1]}))
    lengths = draw(st.lists(st.integers(0, 1000), max_size=2))
    main += [("data", {**of_request, "dataLength": length, "encodedDataLength": length}) for length in lengths]
    if end == "aborted":
        main.append(("failed", {**of_request, "errorText": "net::ERR_ABORTED", "canceled": True}))
    else:
        main.append(("loaded", {**of_request, "encodedDataLength": 500}))
    return Story(main, extras)


@st.composite
def interleaved(draw: st.DrawFn, told: list[Story]) -> list[tuple[str, Any]]:
    """All events, with each process' words about each request in their order."""
    heads = [[0, 0] for _ in told]
    events: list[tuple[str, Any]] = []
    while True:
        ready = []
        for place, (story, (main, extra)) in enumerate(zip(told, heads, strict=True)):
            if main < len(story.main):
                ready.append((place, 0))
            if extra < len(story.extras) and story.extras[extra][0] <= main:
                ready.append((place, 1))
        if not ready:
            return events
        place, stream = draw(st.sampled_from(ready))
        events.append(told[place].main[heads[place][0]] if stream == 0 else told[place].extras[heads[place][1]][1:])
        heads[place][stream] += 1


def _records(events: list[tuple[str, Any]]) -> list[NetworkRecord]:
    pending_requests: list[PendingRequest] = []
    tracker = NetworkTracker(pending_requests.append)
    for event, params in events:
        tell(tracker, event, params)
    assert list(tracker.in_flight()) == []
    records = [attrs.evolve(pending.record(0), id="") for pending in pending_requests]
    return sorted(records, key=lambda record: record.url)


def _in_order(told: list[Story]) -> list[tuple[str, Any]]:
    """One request after the other, the wire's headers last."""
    return [event for story in told for event in (*story.main, *(extra[1:] for extra in story.extras))]


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.data(), st.integers(1, 4))
def test_the_records_are_the_same_in_whatever_order_events_come(data: st.DataObject, number: int) -> None:
    told = [data.draw(stories(place)) for place in range(number)]
    expected = _records(_in_order(told))
    assert len(expected) == sum(1 for story in told for event, _ in story.main if event == "request")
    assert all(record.outcome != "pending" for record in expected)
    for record in expected:
        name = record.url.rsplit("/", 1)[1]
        assert set(record.request_headers.values()) == {name}
        assert set(record.response_headers.values()) <= {name}
    events = data.draw(interleaved(told))
    assert _records(events) == expected
