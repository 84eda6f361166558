"""Requests of a real page: every end a request can come to, told apart."""

import uuid

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from gasoline_cdp.frontends.http.loopback import serve_app
from gasoline_cdp.records import NetworkRecord
from tests.support import Watch

pytestmark = pytest.mark.requirement("F1-CAPTURE")


@pytest.fixture
async def page(watch: Watch, site: str) -> Watch:
    await watch.open(f"{site}page/blank")
    return watch


async def test_a_document_request_is_complete(watch: Watch, site: str) -> None:
    await watch.go(f"{site}page/blank")
    record = await watch.request("/page/blank")
    assert (record.method, record.status, record.outcome, record.type) == ("GET", 200, "ok", "Document")
    assert record.mime == "text/html"
    assert record.remote_address.startswith("127.0.0.1:")
    assert record.protocol == "http/1.1"
    assert record.duration_ms is not None
    assert record.duration_ms > 0
    assert record.timing is not None
    assert record.timing.wait >= 0
    assert record.decoded_bytes > 50
    assert record.encoded_bytes > record.decoded_bytes
    assert record.response_headers["content-type"].startswith("text/html")
    assert "user-agent" in record.request_headers


async def test_statuses_are_told_apart(page: Watch) -> None:
    for code in (200, 204, 404, 500, 503):
        await page.evaluate(f"fetch('/status/{code}').then(r => r.text())")
    outcomes = {code: (await page.request(f"/status/{code}")).outcome for code in (200, 204, 404, 500, 503)}
    assert outcomes == {200: "ok", 204: "ok", 404: "http_error", 500: "http_error", 503: "http_error"}


async def test_each_hop_of_a_redirect_is_an_entry(page: Watch) -> None:
    await page.evaluate("fetch('/redirect/2').then(r => r.text())")
    await page.request("end=redirect")
    hops = [record for record in page.telemetry.network.newest() if "redirect" in record.url][::-1]
    assert [(hop.url.split("/", 3)[3], hop.status, hop.outcome) for hop in hops] == [
        ("redirect/2", 302, "redirect"),
        ("redirect/1", 302, "redirect"),
        ("json?end=redirect", 200, "ok"),
    ]
    assert hops[0].redirect_to.endswith("/redirect/1")
    assert hops[2].redirected_from.endswith("/redirect/1")
    assert hops[0].response_headers["location"] == "/redirect/1"
    assert len({hop.id for hop in hops}) == 3


async def test_an_aborted_request_is_no_failure_of_the_server(page: Watch) -> None:
    await page.evaluate(
        "(() => { const c = new AbortController(); fetch('/never', {signal: c.signal}).catch(() => {});"
        " setTimeout(() => c.abort(), 20); })()"
    )
    record = await page.request("/never")
    assert (record.outcome, record.status) == ("aborted", None)
    errors = await page.call("observe", what="errors", url_filter="/never")
    assert errors["entries"] == []


async def test_a_cors_refusal_says_so(page: Watch, site: str) -> None:
    other = site.replace("127.0.0.1", "localhost")
    await page.evaluate(f"fetch('{other}json?cors').catch(() => {{}})")
    record = await page.request("?cors")
    assert record.outcome == "cors_blocked"
    assert "MissingAllowOriginHeader" in record.failure


async def test_a_refused_connection_is_a_failure(page: Watch) -> None:
    await page.evaluate("fetch('http://127.0.0.1:1/nobody').catch(() => {})")
    record = await page.request("/nobody")
    assert record.outcome == "failed"
    assert record.failure.startswith("net::ERR_")


async def test_a_request_without_end_is_shown_as_pending(page: Watch) -> None:
    await page.evaluate("void fetch('/never?pending').catch(() => {})")
    await page.evaluate("fetch('/json?after').then(r => r.text())")
    await page.request("?after")
    answer = await page.call("observe", what="network")
    assert [entry["url"].split("?")[1] for entry in answer["pending"]] == ["pending"]
    assert answer["pending"][0]["outcome"] == "pending"


async def test_closing_the_tab_ends_its_requests(page: Watch) -> None:
    await page.evaluate("void fetch('/never?closing').catch(() => {})")
    await page.close(page.tab)
    record = await page.request("?closing")
    assert record.outcome == "aborted"


async def test_the_initiator_names_script_and_line(watch: Watch, site: str) -> None:
    await watch.go(f"{site}page/fetching")
    record = await watch.request("/json?from-script")
    assert record.initiator.startswith("script ")
    assert record.initiator.endswith("/page/fetching:5")


async def test_the_true_headers_are_joined_and_their_values_kept_back(page: Watch) -> None:
    await page.evaluate("fetch('/cookie').then(r => r.text())")
    await page.evaluate(
        "fetch('/json?with-cookie', {headers: {Authorization: 'Bearer abcdefghijkl'}}).then(r => r.text())"
    )
    first, second = await page.request("/cookie"), await page.request("?with-cookie")
    assert first.response_headers["set-cookie"] == "sid=[REDACTED]; HttpOnly; Path=/; SameSite=lax"
    assert second.request_headers["cookie"] == "sid=[REDACTED]"
    assert second.request_headers["authorization"] == "[REDACTED]"
    assert second.has_auth_header
    assert not first.has_auth_header


async def test_one_request_can_be_seen_in_detail(page: Watch) -> None:
    await page.evaluate("fetch('/status/503').then(r => r.text())")
    record = await page.request("/status/503")
    detail = await page.call("observe", what="network", request_id=record.id)
    assert detail["request"]["status"] == 503
    assert detail["response_headers"]["content-type"] == "application/json"
    assert detail["timing_ms"]["wait"] >= 0
    missing = await page.error("observe", what="network", request_id="r999999")
    assert missing["error"] == "no_such_request"


async def test_the_browsers_own_requests_are_listed_when_asked_for_and_never_errors(watch: Watch) -> None:
    async def answer(request: Request) -> Response:
        page = '<title>x</title><link rel="icon" href="/img/logo.png">' if request.url.path == "/named" else "<title>x"
        return HTMLResponse(page, status_code=404 if "." in request.url.path else 200)

    async with serve_app(Starlette(routes=[Route("/{path:path}", answer)])) as served:
        # Chrome does not ask again for an icon that it could not have: no earlier test had this host.
        url = served.replace("127.0.0.1", f"{uuid.uuid4().hex}.localhost")
        for path, icon in (("", "favicon.ico"), ("named", "img/logo.png")):
            await watch.open(url + path)
            await watch.request(icon)
        assert (await watch.call("observe", what="errors"))["entries"] == []
        listed = await watch.call("observe", what="network")
        assert {entry["type"] for entry in listed["entries"]} == {"Document"}
        assert "+2 requests of the browser's own (include_static)" in listed["summary"]
        everything = await watch.call("observe", what="network", include_static=True)
        assert sum(entry.get("status") == 404 for entry in everything["entries"]) == 2


async def test_static_assets_are_counted_unless_asked_for(watch: Watch, site: str) -> None:
    await watch.go(f"{site}page/console")
    await watch.log("console page done")
    answer = await watch.call("observe", what="network")
    assert [entry["type"] for entry in answer["entries"]] == ["Document"]
    assert answer["static"] == {"Script": 1}
    everything = await watch.call("observe", what="network", include_static=True)
    assert {entry["type"] for entry in everything["entries"]} == {"Document", "Script"}


def _by_number(records: list[NetworkRecord]) -> dict[int, NetworkRecord]:
    return {int(record.url.rsplit("/", 1)[1].split("?")[0]): record for record in records if "/number/" in record.url}


@pytest.mark.requirement("F1-PARALLEL")
@pytest.mark.parametrize("attach_config", ["all"], indirect=True)
async def test_five_hundred_parallel_requests_lose_nothing(page: Watch) -> None:
    """Every entry is there; the bodies kept are right, byte for byte."""
    await page.evaluate(
        "Promise.all(Array.from({length: 500}, (_, n) => fetch(`/number/${n}?times=${n}`).then(r => r.text())))"
    )
    await page.until(lambda: len(_by_number(list(page.telemetry.network.newest()))) == 500)
    await page.bodies_read()
    entries = _by_number(list(page.telemetry.network.newest()))
    assert set(entries) == set(range(500))
    assert all(record.outcome == "ok" and record.status == 200 for record in entries.values())
    assert page.telemetry.network.dropped == 0
    bodies = [record for record in page.telemetry.bodies.newest() if "/number/" in record.url]
    assert len(bodies) == 100
    for record in bodies:
        number = int(record.url.rsplit("/", 1)[1].split("?")[0])
        assert record.response_body == f"body {number:05d} " * number
        assert not record.response_truncated
    assert page.telemetry.bodies.dropped >= 400
    assert page.daemon.capture.bodies.skipped == 0
    answer = await page.call("get_network_bodies")
    assert answer["dropped"] >= 400
