"""Requests of every kind that a browser makes by itself or for a page."""

import json

import pytest

from tests.processes import until
from tests.support import Watch

pytestmark = pytest.mark.requirement("F2-NETWORK")

PLACE = {"file": "/app/src/App.jsx", "line": 2, "column": 19}


@pytest.fixture
async def page(watch: Watch, site: str) -> Watch:
    await watch.open(f"{site}page/blank")
    return watch


async def test_a_form_post_is_a_document_request_with_its_body(page: Watch) -> None:
    await page.evaluate(
        """(() => {
            const form = document.createElement('form');
            form.method = 'post'; form.action = '/echo?form&status=422';
            form.innerHTML = '<input name="city" value="Köln"><input name="password" value="hunter2">';
            document.body.append(form); form.submit();
        })()"""
    )
    record = await page.request("/echo?form")
    assert (record.method, record.type, record.status) == ("POST", "Document", 422)
    await page.bodies_read()
    (entry,) = (await page.call("get_network_bodies", method="POST"))["entries"]
    assert entry["requestBody"] == "city=K%C3%B6ln&password=[REDACTED]"


@pytest.mark.parametrize("attach_config", ["all"], indirect=True)
async def test_multipart_is_described_part_by_part(page: Watch) -> None:
    await page.evaluate(
        """(() => {
            const data = new FormData();
            data.append('name', 'Ada');
            data.append('password', 'hunter2');
            data.append('photo', new Blob([new Uint8Array(5000)], {type: 'image/png'}), 'me.png');
            return fetch('/echo?multipart', {method: 'POST', body: data}).then(r => r.text());
        })()"""
    )
    await page.request("?multipart")
    await page.bodies_read()
    (entry,) = (await page.call("get_network_bodies", url_filter="?multipart"))["entries"]
    body = entry["requestBody"]
    assert "name: Ada" in body
    assert "hunter2" not in body
    assert "photo: [File: me.png, image/png, 5000 bytes]" in body


@pytest.mark.parametrize("attach_config", ["all"], indirect=True)
@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("new Blob(['blob text'], {type: 'text/plain'})", "blob text"),
        ("new URLSearchParams({a: '1', token: 'abcdef'})", "a=1&token=[REDACTED]"),
        ("new Uint8Array([0, 255, 128, 7])", "[Binary: 4 bytes]"),
        ("JSON.stringify({deep: {api_key: 'abcdef'}})", '{"deep":{"api_key":"[REDACTED]"}}'),
    ],
)
async def test_request_bodies_of_every_kind(page: Watch, body: str, told: str) -> None:
    await page.evaluate(f"fetch('/echo?kind', {{method: 'POST', body: {body}}}).then(r => r.text())")
    await page.request("?kind")
    await page.bodies_read()
    (entry,) = (await page.call("get_network_bodies", url_filter="?kind"))["entries"]
    assert entry["requestBody"] == told


async def test_a_preflight_is_told_with_its_request(page: Watch, site: str) -> None:
    other = site.replace("127.0.0.1", "localhost")
    await page.evaluate(
        f"fetch('{other}allowed?put', {{method: 'PUT', headers: {{'x-custom': '1'}}}}).then(r => r.text())"
    )
    await page.until(lambda: sum("allowed?put" in r.url for r in page.telemetry.network.newest()) == 2)
    by_method = {record.method: record for record in page.telemetry.network.newest() if "allowed?put" in record.url}
    preflight, actual = by_method["OPTIONS"], by_method["PUT"]
    assert preflight.type == "Preflight"
    assert preflight.outcome == actual.outcome == "ok"
    assert preflight.preflight_for == actual.id
    answer = await page.call("observe", what="network", url_filter="allowed")
    assert [entry["method"] for entry in answer["entries"]] == ["PUT"]
    assert answer["entries"][0]["preflight"]["status"] == 200


async def test_a_failed_preflight_is_told_by_itself(page: Watch, site: str) -> None:
    other = site.replace("127.0.0.1", "localhost")
    await page.evaluate(f"fetch('{other}json?refused', {{method: 'PUT'}}).catch(() => {{}})")
    await page.until(
        lambda: any(r.method == "PUT" and r.outcome == "cors_blocked" for r in page.telemetry.network.newest())
    )
    errors = await page.call("observe", what="errors", url_filter="?refused")
    assert any(entry["kind"] == "network" and entry["outcome"] == "cors_blocked" for entry in errors["entries"])


async def test_beacons_and_keepalive_requests_at_unload_are_seen(page: Watch, site: str) -> None:
    """A page that Chrome keeps for going back is silent from here on; this one it does not keep."""
    await page.evaluate(
        """addEventListener('unload', () => {});
        addEventListener('pagehide', () => {
            console.log('said in pagehide');
            navigator.sendBeacon('/echo?beacon', 'beacon body');
            fetch('/echo?keepalive', {method: 'POST', keepalive: true, body: 'alive'});
        })"""
    )
    await page.go(f"{site}page/blank?away")
    await page.log("said in pagehide")

    async def told() -> dict[str, dict[str, object]]:
        """Chrome tells the end of such requests or does not: they are listed as ended, as pending, or as unknown."""
        answer = await page.call("observe", what="network", url_filter="/echo")
        seen = [*answer["entries"], *answer.get("pending", [])]
        found = {str(entry["url"]).split("?")[1]: entry for entry in seen}
        return found if len(found) == 2 else {}

    found = await until(told)
    assert (found["beacon"]["type"], found["beacon"]["method"]) == ("Ping", "POST")
    assert found["keepalive"]["method"] == "POST"


async def test_cached_answers_are_marked(page: Watch) -> None:
    await page.evaluate("fetch('/cached').then(r => r.text()).then(() => fetch('/cached')).then(r => r.text())")
    await page.until(lambda: sum("/cached" in r.url for r in page.telemetry.network.newest()) == 2)
    second, first = (record for record in page.telemetry.network.newest() if "/cached" in record.url)
    assert (first.from_cache, second.from_cache) == (False, True)
    assert second.status == 200


async def test_preloads_and_prefetches_are_seen(page: Watch) -> None:
    await page.evaluate(
        """for (const [rel, as] of [['preload', 'fetch'], ['prefetch', '']]) {
            const link = document.createElement('link');
            link.rel = rel; link.href = '/json?' + rel; if (as) { link.as = as; link.crossOrigin = 'anonymous'; }
            document.head.append(link);
        }"""
    )
    assert (await page.request("?preload")).outcome == "ok"
    assert (await page.request("?prefetch")).outcome == "ok"


async def test_what_csp_blocks_says_so(watch: Watch, site: str) -> None:
    await watch.go(f"{site}page/csp")
    record = await watch.request("/typed?type=image/png")
    assert (record.outcome, record.failure) == ("blocked", "blocked: csp")


async def test_a_name_that_does_not_resolve_says_so(page: Watch) -> None:
    await page.evaluate("fetch('http://no-such-host.invalid/x').catch(() => {})")
    record = await page.request("no-such-host")
    assert record.outcome == "failed"
    assert "ERR_NAME_NOT_RESOLVED" in record.failure


@pytest.mark.parametrize("attach_config", ["all"], indirect=True)
async def test_bodies_survive_navigation_and_the_closing_of_the_page(watch: Watch, site: str) -> None:
    """The page reads forty answers and leaves at once."""
    await watch.go(f"{site}page/leaving")
    await watch.log("?left")
    await watch.until(lambda: sum("/number/" in r.url for r in watch.telemetry.network.newest()) == 40)
    await watch.bodies_read()
    kept = {record.url: record for record in watch.telemetry.bodies.newest() if "/number/" in record.url}
    assert len(kept) == 40
    missing = [record.url for record in kept.values() if record.response_body is None]
    assert missing == []


async def test_an_answer_aborted_half_way_is_told_as_such(page: Watch) -> None:
    await page.evaluate(
        """(() => {
            const control = new AbortController();
            return fetch('/trickle', {signal: control.signal}).then(async (reply) => {
                const reader = reply.body.getReader();
                await reader.read();
                control.abort();
            });
        })()"""
    )
    record = await page.request("/trickle")
    assert (record.outcome, record.status) == ("aborted", 200)


async def test_sizes_protocol_address_and_security_are_told(page: Watch) -> None:
    await page.evaluate("fetch('/large/10').then(r => r.text())")
    record = await page.request("/large/10")
    assert record.decoded_bytes == 10 * 1024
    assert record.encoded_bytes > 10 * 1024
    detail = await page.call("observe", what="network", request_id=record.id)
    assert detail["protocol"] == "http/1.1"
    assert detail["remote_address"].startswith("127.0.0.1:")
    assert detail["security"] in {"secure", "neutral", "insecure"}
    assert detail["initiator_stack"]


async def test_answers_without_a_body_that_nobody_reads_are_fine(page: Watch) -> None:
    await page.evaluate(
        """Promise.all([
            fetch('/api/saved?status=204', {method: 'POST'}),
            fetch('/status/200?head', {method: 'HEAD'}),
        ]).then(() => 1)"""
    )
    saved, head = await page.request("/api/saved"), await page.request("?head")
    assert (saved.status, saved.outcome, saved.failure) == (204, "ok", "")
    assert (head.status, head.outcome) == (200, "ok")


async def test_a_module_whose_server_fails_is_among_the_errors_with_its_body(page: Watch) -> None:
    await page.evaluate(
        """new Promise((onerror) => {
            const src = '/typed?status=500&content=unexpected token, line 3';
            document.head.append(Object.assign(document.createElement('script'), {type: 'module', src, onerror}));
        }).then(() => 1)"""
    )
    record = await page.request("/typed?status=500")
    assert (record.type, record.outcome) == ("Script", "http_error")
    await page.bodies_read()
    (entry,) = (await page.call("get_network_bodies", url_filter="/typed"))["entries"]
    assert entry["responseBody"] == "unexpected token, line 3"
    errors = await page.call("observe", what="errors", url_filter="/typed")
    assert record.id in {found.get("id") for found in errors["entries"]}


async def test_a_failed_build_that_the_dev_server_tells_its_page_is_among_the_errors(page: Watch, site: str) -> None:
    """The server of this test says back what it hears."""
    failed = {"type": "error", "err": {"message": "Unexpected token (2:19)", "id": "/app/src/App.jsx", "loc": PLACE}}
    await page.evaluate(
        f"""new Promise((done) => {{
            const socket = new WebSocket('{site.replace("http", "ws")}socket', 'vite-hmr');
            socket.onopen = () => socket.send({json.dumps(json.dumps(failed))});
            socket.onmessage = () => done(1);
        }})"""
    )
    await page.log("Unexpected token (2:19)")
    (entry,) = (await page.call("observe", what="errors", tab_id=page.tab.tab_id))["entries"]
    assert (entry["kind"], entry["at"]) == ("build", "/app/src/App.jsx:2:19")
    assert (await page.call("observe", what="errors"))["summary"].startswith("1 error (1 build error)")
