"""Every kind of target, from its first instruction: what one page can do, each of them is seen to do."""

import pytest

from gasoline_cdp import limits
from gasoline_cdp.records import NetworkRecord, SocketRecord
from tests.support import Watch

pytestmark = pytest.mark.requirement("F2-TARGETS")

# What the target is called by the page, and by us.
TARGETS = {
    "page": "page",
    "popup": "page",
    "other_popup": "page",
    "frame": "iframe",
    "other_frame": "iframe",
    "worker": "worker",
    "nested_worker": "worker",
    "shared_worker": "shared_worker",
    "service_worker": "service_worker",
}


@pytest.fixture(params=TARGETS)
def place(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def click_popup(watch: Watch) -> None:
    """Open the page's popup as a click would: without one Chrome blocks it."""
    await watch.log("targets ready")
    await watch.tab.session.send("Runtime.evaluate", {"expression": "openPopup()", "userGesture": True})


@pytest.fixture
async def done(watch: Watch, site: str, place: str) -> Watch:
    """A watch whose target of that kind has done everything."""
    await watch.go(f"{site}page/matrix?as=page" if place == "page" else f"{site}page/targets?{place}")
    if "popup" in place:
        await click_popup(watch)
    await watch.log(f"done in {place}")
    await watch.log(f"exception in {place}")
    await watch.log(f"rejection in {place}")
    await watch.request(f"events?stay&in-{place}")
    return watch


async def test_everything_is_seen_in_every_kind_of_target(done: Watch, place: str) -> None:
    kind = TARGETS[place]
    logs = {record.text: record for record in done.telemetry.logs.newest()}
    assert logs[f"log in {place}"].level == "log"
    assert logs[f"error in {place}"].level == "error"
    assert logs[f"Uncaught Error: exception in {place}"].kind == "exception"
    assert logs[f"Uncaught (in promise) Error: rejection in {place}"].kind == "rejection"
    for text in (f"log in {place}", f"Uncaught Error: exception in {place}"):
        source = logs[text].source
        assert source.kind == kind
        assert source.tab_id > 0 or kind in {"shared_worker", "service_worker"}
        assert f"as={place}" in source.url or place == "nested_worker"
    requests = [record for record in done.telemetry.network.newest() if f"in-{place}" in record.url]
    found = {(record.url.split("?")[0].rsplit("/", 1)[1], record.outcome, record.status) for record in requests}
    expected = {("json", "ok", 200), ("500", "http_error", 500), ("1", "redirect", 302), ("events", "aborted", 200)}
    assert found == expected
    assert {record.source.kind for record in requests} == {kind}
    await done.bodies_read()
    bodies = {record.url: record.response_body for record in done.telemetry.bodies.newest()}
    failing = next(body for url, body in bodies.items() if f"failing-in-{place}" in url)
    assert failing is not None
    assert "this is a 500" in failing


async def test_sockets_are_seen_in_every_kind_of_target(done: Watch, place: str) -> None:
    records = [record for record in done.telemetry.sockets.newest() if f"in-{place}" in record.url][::-1]
    told = [(record.event, record.direction, record.data) for record in records if record.kind == "websocket"]
    assert told == [
        ("open", None, ""),
        ("message", "outgoing", f"text from {place}"),
        ("message", "outgoing", "[Binary: 5 bytes]"),
        ("message", "incoming", f"text from {place}"),
        ("message", "incoming", "[Binary: 5 bytes]"),
        ("message", "outgoing", "bye"),
        ("close", None, ""),
    ]
    opened = next(record for record in records if record.kind == "websocket").details
    assert opened["headers"]["upgrade"].lower() == "websocket"
    assert opened["request_headers"]["origin"].startswith("http://")
    streamed = [(r.event, r.data, r.details.get("event")) for r in records if r.kind == "eventsource"]
    assert streamed == [
        ("message", "plain message", "message"),
        ("message", '{"n": 1}', "tick"),
        ("close", "", None),
    ]
    answer = await done.call("get_websocket_events", url_filter=f"in-{place}")
    connections = {connection["type"]: connection for connection in answer["connections"]}
    socket = connections["websocket"]
    assert (socket["state"], socket["status"], socket["sent"], socket["received"]) == ("closed", 101, 3, 2)
    assert socket["bytes_received"] == len(f"text from {place}") + 5
    assert (connections["eventsource"]["received"], connections["eventsource"]["state"]) == (2, "closed")


async def test_a_refused_socket_says_with_what_it_asked(watch: Watch, site: str) -> None:
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    await watch.open(f"{site}page/blank")
    # Reading waits for what was written: a cookie is set beside the page, and the socket would not wait for it.
    await watch.evaluate(f"""new Promise((resolve) => {{
            document.cookie = 'basket=7; path=/json';
            void document.cookie;
            new WebSocket('/json?no-socket', ['chat', '{token}']).onerror = resolve;
        }}).then(() => document.cookie = 'basket=; path=/json; max-age=0')""")
    await watch.until(lambda: next(watch.telemetry.sockets.newest(), None))
    refused = list(watch.telemetry.sockets.newest())[-1]
    assert (refused.event, refused.details["status"]) == ("error", 403)
    asked = refused.details["request_headers"]
    # Other tests leave cookies of their own.
    assert "basket=[REDACTED]" in asked["cookie"].split("; ")
    assert asked["sec-websocket-protocol"] == f"chat, {token[:6]}…{token[-3:]}"
    answer = await watch.call("get_websocket_events", url_filter="no-socket")
    assert [connection["status"] for connection in answer["connections"]] == [403]
    assert token not in str(answer)
    audit = await watch.call("security_audit", checks=["credentials"])
    (finding,) = [one for one in audit["findings"] if one["evidence"].get("header") == "sec-websocket-protocol"]
    # Made up for this test: its checksum is wrong.
    assert finding["severity"] == "warning"


async def test_a_worker_s_own_script_is_one_complete_entry(watch: Watch, site: str) -> None:
    await watch.go(f"{site}page/targets?worker")
    await watch.log("done in worker")
    scripts = [record for record in watch.telemetry.network.newest() if "matrix.js?as=worker" in record.url]
    assert [(record.status, record.outcome) for record in scripts] == [(200, "ok")]


async def test_a_service_worker_answering_is_marked(watch: Watch, site: str) -> None:
    await watch.go(f"{site}page/targets?service_worker")
    await watch.log("worker active")
    await watch.evaluate("""new Promise((resolve) => {
            const workers = navigator.serviceWorker;
            workers.controller ? resolve() : (workers.oncontrollerchange = resolve);
        }).then(() => fetch('/json?made-up')).then((reply) => reply.text())""")
    record: NetworkRecord = await watch.until(
        lambda: next(
            (r for r in watch.telemetry.network.newest() if "made-up" in r.url and r.source.kind == "page"), None
        )
    )
    assert record.from_service_worker
    assert record.outcome == "ok"


async def test_pages_say_which_tab_opened_them(watch: Watch, site: str) -> None:
    await watch.go(f"{site}page/targets?popup")
    await click_popup(watch)
    await watch.log("done in popup")
    answer = await watch.call("observe", what="tabs")
    popup = next(tab for tab in answer["tabs"] if "as=popup" in tab["url"])
    opener = next(tab for tab in answer["tabs"] if "targets?popup" in tab["url"])
    assert popup["opener_tab_id"] == opener["tab_id"]
    assert popup["complete_from"] == "start"


@pytest.mark.requirement("F2-FLOOD")
@pytest.mark.long
async def test_floods_do_not_push_out_a_lone_error(watch: Watch, site: str) -> None:
    """Messages and frames from two targets, many times what the buffers hold; a third logs one error."""
    lines, frames = 30 * limits.LOG_ENTRIES, 15 * limits.SOCKET_ENTRIES
    await watch.go(f"{site}page/targets?other_frame")
    await watch.log("done in other_frame")
    await watch.evaluate(
        f"""new Promise((resolve) => {{
            const frame = document.createElement('iframe');
            frame.src = '{site}page/one-error';
            document.documentElement.append(frame);
            frame.onload = resolve;
        }})"""
    )
    await watch.log("the lone error")
    await watch.evaluate(
        f"""new Promise((resolve) => {{
            const socket = new WebSocket('{site.replace("http", "ws")}socket?flooding');
            let got = 0;
            socket.onopen = () => socket.send('flood {frames}');
            socket.onmessage = () => {{ if (++got === {frames}) resolve(); }};
            for (let line = 0; line < {lines}; line++) console.log('flood', line);
        }})"""
    )
    await watch.until(lambda: any(c.messages["incoming"] == frames for c in watch.daemon.capture.sockets.connections()))
    await watch.log(f"flood {lines - 1}")
    errors = await watch.call("observe", what="errors", limit=100)
    assert "the lone error" in [entry.get("message") for entry in errors["entries"]]
    sockets: list[SocketRecord] = list(watch.telemetry.sockets.newest())
    assert any("in-other_frame" in record.url for record in sockets)
    status = await watch.call("observe", what="status")
    assert status["buffers"]["logs"]["received"] >= lines
    assert status["buffers"]["websockets"]["received"] >= frames
    noisiest = status["buffers"]["logs"]["by_source"][0]
    assert noisiest["received"] >= lines
    assert noisiest["kept"] < 1000
