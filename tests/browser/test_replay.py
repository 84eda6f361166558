"""The events of a real page, recorded and told again in other orders: the records are the same."""

from random import Random
from typing import Any

import attrs
import pytest

from gasoline_cdp.capture.network import NetworkTracker
from gasoline_cdp.capture.pending_request import PendingRequest
from gasoline_cdp.records import NetworkRecord
from tests.fakes import PAGE
from tests.support import Watch

pytestmark = pytest.mark.requirement("F2-NETWORK")

Event = tuple[str, dict[str, Any]]

# What the page's process tells of a request, in this order; the network's tells the rest beside it.
OF_PAGE = ("requestWillBeSent", "requestServedFromCache", "responseReceived", "dataReceived")
OF_PAGE_LAST = ("loadingFinished", "loadingFailed")
OF_WIRE = ("requestWillBeSentExtraInfo", "responseReceivedExtraInfo")
ORDERS = 40

REQUESTS = """(async () => {
    const text = (...given) => fetch(...given).then((reply) => reply.text());
    await Promise.all([
        text('/redirect/3?replayed'), text('/status/500?replayed'), text('/json?replayed'),
        text('/echo?replayed', {method: 'POST', body: 'sent'}), text('/large/300?replayed'),
        text('OTHERallowed?replayed', {method: 'PUT', headers: {'x-custom': '1'}}),
        text('OTHERjson?replayed').catch(() => {}), text('http://no-such-host.invalid/replayed').catch(() => {}),
    ]);
    await text('/cached?replayed');
    await text('/cached?replayed');
    const control = new AbortController();
    const reply = await fetch('/trickle?replayed', {signal: control.signal});
    await reply.body.getReader().read();
    control.abort();
})()"""


def told_to(events: list[Event]) -> list[NetworkRecord]:
    """The records that a tracker makes of events."""
    pending_requests: list[PendingRequest] = []
    tracker = NetworkTracker(pending_requests.append)
    handlers = {
        "requestWillBeSent": lambda params: tracker.request(params, PAGE, None),
        "responseReceived": lambda params: tracker.response(params, None),
        "requestServedFromCache": tracker.served_from_cache,
        "dataReceived": tracker.data,
        "loadingFinished": tracker.loaded,
        "loadingFailed": tracker.failed,
        "requestWillBeSentExtraInfo": tracker.request_extra,
        "responseReceivedExtraInfo": tracker.response_extra,
    }
    for name, params in events:
        handlers[name](params)
    assert list(tracker.in_flight()) == []
    # Their names are given in the order in which they are heard of.
    records = [attrs.evolve(pending.record(0), id="", preflight_for="") for pending in pending_requests]
    return sorted(records, key=lambda record: (record.url, record.ts, record.method))


def another_order(events: list[Event], random: Random) -> list[Event]:
    """What each process tells of each request stays in its order; all else may come as it likes."""
    streams: dict[tuple[str, bool], list[Event]] = {}
    for name, params in events:
        streams.setdefault((params["requestId"], name in OF_WIRE), []).append((name, params))
    mixed: list[Event] = []
    waiting = [stream[:] for stream in streams.values()]
    while waiting:
        stream = random.choice(waiting)
        mixed.append(stream.pop(0))
        if not stream:
            waiting.remove(stream)
    return mixed


async def test_recorded_events_make_the_same_records_in_any_legal_order(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/blank")
    recorded: list[Event] = []

    def record(name: str) -> None:
        watch.tab.session.on(f"Network.{name}", lambda params: recorded.append((name, params)))

    for name in (*OF_PAGE, *OF_PAGE_LAST, *OF_WIRE):
        record(name)
    await watch.evaluate(REQUESTS.replace("OTHER", site.replace("127.0.0.1", "localhost")))
    await watch.request("/trickle")
    await watch.until(lambda: not list(watch.daemon.capture.network.in_flight()))
    whole = {params["requestId"] for name, params in recorded if name == "requestWillBeSent"}
    # As if all had happened within a moment: how long to wait for the wire is another matter.
    events = [
        (name, {**params, "timestamp": 1 + params["timestamp"] / 1e6} if "timestamp" in params else params)
        for name, params in recorded
        if params["requestId"] in whole
    ]
    expected = told_to(events)
    assert {"ok", "http_error", "redirect", "failed", "aborted", "cors_blocked"} <= {r.outcome for r in expected}
    for seed in range(ORDERS):
        assert told_to(another_order(events, Random(seed))) == expected, f"order {seed}"
