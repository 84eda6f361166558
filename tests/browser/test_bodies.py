"""Bodies: which are kept, how much of them, and how the whole is had."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
import trio
from attrs import evolve

from gasoline_cdp.cdp.connection import Params
from gasoline_cdp.operations.answer import Answer
from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.records import BodyRecord
from gasoline_cdp.tools.registry import TOOLS
from tests.processes import until
from tests.site.app import noise_png
from tests.support import PATIENCE, Watch

pytestmark = pytest.mark.requirement("F1-BODIES")


@pytest.fixture
async def page(watch: Watch, site: str) -> Watch:
    await watch.open(f"{site}page/blank")
    return watch


async def _kept(watch: Watch, part: str) -> list[dict[str, object]]:
    await watch.request(part)
    await watch.bodies_read()
    answer = await watch.call("get_network_bodies", url_filter=part, max_bytes=50_000)
    entries: list[dict[str, object]] = answer["entries"]
    return entries


async def test_by_default_only_failures_keep_their_bodies(page: Watch) -> None:
    await page.evaluate("fetch('/status/200').then(r => r.text())")
    await page.evaluate("fetch('/echo?status=422', {method: 'POST', body: JSON.stringify({a: 1})}).then(r => r.text())")
    (entry,) = await _kept(page, "/echo")
    assert entry["requestBody"] == '{"a":1}'
    assert json.loads(str(entry["responseBody"])) == {"method": "POST", "body": '{"a":1}'}
    assert entry["contentType"] == "application/json"
    assert entry["status"] == 422
    assert await _kept(page, "/status/200") == []


@pytest.mark.parametrize("attach_config", ["off"], indirect=True)
async def test_off_reads_nothing(page: Watch) -> None:
    await page.evaluate("fetch('/status/500').then(r => r.text())")
    assert await _kept(page, "/status/500") == []
    answer = await page.call("get_network_bodies")
    assert "--bodies off" in answer["summary"]
    record = await page.request("/status/500")
    failure = await page.error("get_network_bodies", request_id=record.id, full_body=True)
    assert "--bodies off" in failure["message"]


@pytest.mark.parametrize("attach_config", ["all"], indirect=True)
async def test_all_keeps_every_body_within_its_limit(page: Watch) -> None:
    await page.evaluate("fetch('/large/100').then(r => r.text())")
    await page.evaluate("fetch('/echo', {method: 'POST', body: 'z'.repeat(20000)}).then(r => r.text())")
    (large,) = await _kept(page, "/large/100")
    assert large["responseBody"] == "0123456789abcdef" * 1024
    assert large["truncated"] is True
    (echo,) = await _kept(page, "/echo")
    assert echo["requestBody"] == "z" * 8192
    assert echo["truncated"] is True


@pytest.mark.parametrize("attach_config", ["all"], indirect=True)
async def test_post_data_too_large_for_the_event_is_fetched(page: Watch) -> None:
    await page.evaluate("fetch('/echo?big', {method: 'POST', body: 'q'.repeat(200000)}).then(r => r.text())")
    (entry,) = await _kept(page, "?big")
    assert entry["requestBody"] == "q" * 8192


@pytest.mark.parametrize("attach_config", ["all"], indirect=True)
@pytest.mark.parametrize("kind", ["image/png", "font/woff2", "application/wasm", "video/mp4"])
async def test_binary_is_described(page: Watch, kind: str) -> None:
    await page.evaluate(f"fetch('/typed?type={kind}&content=12345').then(r => r.arrayBuffer())")
    (entry,) = await _kept(page, "/typed")
    assert entry["responseBody"] == f"[Binary: 5 bytes, {kind}]"


@pytest.mark.parametrize("attach_config", ["all"], indirect=True)
async def test_text_is_told_by_its_content(page: Watch) -> None:
    """Servers give types of their own to what they do not know."""
    await page.evaluate(
        """Promise.all([
            fetch('/typed?type=image/svg%2Bxml&content=<svg><text>hi</text></svg>'),
            fetch('/typed?type=video/mp2t&content=declare const a: number'),
            fetch('/typed?type=application/octet-stream&content={"cells": []}'),
            fetch('/typed?type=application/octet-stream&content=%00%01%02'),
        ].map((call) => call.then((reply) => reply.arrayBuffer())))"""
    )
    await page.until(lambda: sum("/typed" in r.url for r in page.telemetry.network.newest()) == 4)
    entries = await _kept(page, "/typed")
    assert {str(entry["responseBody"]) for entry in entries} == {
        "<svg><text>hi</text></svg>",
        "declare const a: number",
        '{"cells": []}',
        "[Binary: 3 bytes, application/octet-stream]",
    }


@pytest.mark.parametrize("attach_config", ["all"], indirect=True)
async def test_an_answer_that_was_not_modified_has_the_cached_body(page: Watch) -> None:
    await page.evaluate("fetch('/etag?v=1').then(r => r.json()).then(() => fetch('/etag?v=1')).then(r => r.json())")
    await page.until(lambda: sum("/etag" in r.url for r in page.telemetry.network.newest()) == 2)
    second, first = await _kept(page, "/etag")
    assert (first["status"], second["status"]) == (200, 304)
    assert first["responseBody"] == second["responseBody"]
    # A page that asks by itself is told that nothing changed, and gets nothing.
    await page.evaluate("fetch('/etag?v=1', {headers: {'If-None-Match': '\"1\"'}}).then(r => r.text())")
    await page.until(lambda: sum("/etag" in r.url for r in page.telemetry.network.newest()) == 3)
    assert (await _kept(page, "/etag"))[0]["responseBody"] == ""


async def _pages(watch: Watch, request_id: str, cursor: str | None = None) -> list[dict[str, Any]]:
    """All of a body, answer by answer."""
    entries = []
    while True:
        more = {} if cursor is None else {"cursor": cursor}
        answer = await watch.call("get_network_bodies", request_id=request_id, full_body=True, **more)
        entries.append(answer["entries"][0])
        cursor = answer.get("cursor")
        if cursor is None:
            return entries


async def test_large_bodies_are_read_on_by_cursor(page: Watch) -> None:
    await page.evaluate("fetch('/echo?both', {method: 'POST', body: 'q'.repeat(12000)}).then(r => r.text())")
    (both,) = await _pages(page, (await page.request("?both")).id)
    assert both["requestBody"] == "q" * 12000
    assert json.loads(both["responseBody"])["body"] == "q" * 12000
    assert "truncated" not in both
    await page.evaluate("fetch('/large/1200').then(r => r.text())")
    pieces = await _pages(page, (await page.request("/large/1200")).id)
    assert "".join(piece["responseBody"] for piece in pieces) == "0123456789abcdef" * 64 * 1200
    assert all(piece["truncated"] for piece in pieces)


async def test_a_binary_body_is_read_as_base64_by_cursor(page: Watch) -> None:
    await page.evaluate("fetch('/picture').then(r => r.arrayBuffer())")
    record = await page.request("/picture")
    answer = await page.call("get_network_bodies", request_id=record.id, full_body=True)
    assert answer["entries"][0]["responseBody"] == f"[Binary: {record.decoded_bytes} bytes, image/png]"
    pieces = await _pages(page, record.id, answer["cursor"])
    assert b"".join(base64.b64decode(piece["responseBody"]) for piece in pieces) == noise_png(120, 80)
    assert {piece["encoding"] for piece in pieces} == {"base64"}


async def test_a_secret_inside_a_binary_body_is_not_handed_out(page: Watch) -> None:
    secret = "ghp_" + "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"
    await page.evaluate(f"fetch('/typed?type=application/zip&content=%00%01 {secret} %00').then(r => r.text())")
    record = await page.request("/typed")
    (piece,) = await _pages(page, record.id, "0")
    assert piece["responseBody"] == ""
    assert "secret" in piece["missing"]


async def test_the_whole_body_can_be_read_while_chrome_has_it(page: Watch) -> None:
    await page.evaluate("fetch('/large/30').then(r => r.text())")
    record = await page.request("/large/30")
    answer = await page.call("get_network_bodies", request_id=record.id, full_body=True)
    (entry,) = answer["entries"]
    assert entry["responseBody"] == "0123456789abcdef" * 64 * 30
    assert "truncated" not in entry


async def test_one_body_that_is_not_kept_is_read_from_chrome(page: Watch) -> None:
    await page.evaluate("fetch('/large/30?unkept').then(r => r.text())")
    record = await page.request("/large/30?unkept")
    assert (await page.call("observe", what="network_bodies"))["total"] == 0
    first = await page.call("get_network_bodies", request_id=record.id)
    pieces = [first["entries"][0]["responseBody"]]
    assert len(pieces[0]) < 8192
    while "cursor" in first:
        first = await page.call("get_network_bodies", request_id=record.id, cursor=first["cursor"])
        pieces.append(first["entries"][0]["responseBody"])
    assert "".join(pieces) == "0123456789abcdef" * 64 * 30
    assert (await page.error("get_network_bodies", request_id="r99999"))["error"] == "no_such_request"


async def test_a_body_that_is_gone_says_so(page: Watch, site: str) -> None:
    """What never left the page goes with it."""
    await page.evaluate("fetch('data:text/plain,gone').then(r => r.text())")
    record = await page.request("data:text/plain,gone")
    assert (await page.call("get_network_bodies", request_id=record.id, full_body=True))["entries"][0]["responseBody"]
    await page.open(f"{site}page/blank?next")
    failure = await page.error("get_network_bodies", request_id=record.id, full_body=True)
    assert failure["error"] == "body_unavailable"
    unknown = await page.error("get_network_bodies", request_id="r99999", full_body=True)
    assert unknown["error"] == "no_such_request"


async def test_bodies_survive_navigation(page: Watch, site: str) -> None:
    await page.evaluate("fetch('/status/500').then(r => r.text())")
    await page.request("/status/500")
    await page.bodies_read()
    await page.go(f"{site}page/blank?next")
    await page.log("?next")
    (entry,) = await _kept(page, "/status/500")
    assert "this is a 500" in str(entry["responseBody"])


async def test_a_lone_body_fills_the_answer(page: Watch) -> None:
    await page.evaluate("fetch('/typed?status=500&content=' + 'x'.repeat(5000)).then(r => r.text())")
    await page.request("/typed")
    await page.bodies_read()
    (entry,) = (await page.call("get_network_bodies"))["entries"]
    assert entry["responseBody"] == "x" * 5000
    assert "truncated" not in entry


async def test_a_service_worker_s_script_is_listed_and_has_its_body(controlled: Watch) -> None:
    record = await controlled.request("service-worker.js")
    assert (record.type, record.status, record.source.kind) == ("Script", 200, "service_worker")
    answer = await controlled.call("get_network_bodies", request_id=record.id, full_body=True)
    assert answer["entries"][0]["responseBody"].startswith('importScripts("/script/matrix.js')


async def test_a_listing_shows_the_head_of_each_and_stays_small(page: Watch) -> None:
    for number in range(12):
        await page.evaluate(f"fetch('/typed?status=500&n={number}&content=' + 'x'.repeat(4000)).then(r => r.text())")
    await page.request("n=11")
    await page.bodies_read()
    answer = await page.call("get_network_bodies")
    assert len(json.dumps(answer)) <= 8192
    assert answer["left_out"] > 0
    assert answer["entries"][0]["truncated"] is True
    rest = await page.call("get_network_bodies", cursor=answer["cursor"])
    assert {entry["id"] for entry in rest["entries"]}.isdisjoint({entry["id"] for entry in answer["entries"]})


CONTROLLED = """navigator.serviceWorker.ready.then(() => new Promise((resolve) => {
    const workers = navigator.serviceWorker;
    workers.controller ? resolve() : (workers.oncontrollerchange = resolve);
}))"""


@pytest.fixture
async def controlled(watch: Watch, site: str) -> Watch:
    """A page whose requests go through a service worker."""
    await watch.open(f"{site}page/targets?service_worker")
    await watch.evaluate(CONTROLLED)
    return watch


async def test_a_service_worker_s_own_error_has_its_body(controlled: Watch) -> None:
    await controlled.evaluate("fetch('/json?made-up&answer=503').then(r => r.text())")
    (entry,) = await _kept(controlled, "made-up")
    assert (entry["status"], entry["responseBody"]) == (503, '{"made":"up"}')


async def _stop_service_worker(watch: Watch, site: str) -> None:
    stopped = trio.Event()

    def updated(params: Params) -> None:
        ours = [version for version in params["versions"] if version["scriptURL"].startswith(site)]
        if any(version["runningStatus"] == "stopped" for version in ours):
            stopped.set()

    session = watch.tab.session
    with session.listening("ServiceWorker.workerVersionUpdated", updated), trio.fail_after(PATIENCE):
        await session.send("ServiceWorker.enable")
        await session.send("ServiceWorker.stopAllWorkers")
        await stopped.wait()


@pytest.mark.parametrize("worker", ["service_worker", "shared_worker"])
async def test_a_worker_that_has_stopped_is_not_asked(watch: Watch, site: str, worker: str) -> None:
    """Chromium ends when it is."""
    await watch.open(f"{site}page/targets?{worker}")
    await watch.log(f"done in {worker}")
    record = await watch.request(f"failing-in-{worker}")
    assert record.source.kind == worker
    if worker == "service_worker":
        await _stop_service_worker(watch, site)
    # A shared worker ends with its last page. Another site has another process.
    await watch.open(f"{site.replace('127.0.0.1', 'localhost')}page/blank")
    whole = await watch.daemon.capture.bodies.read_in_full(record.id)
    assert "this is a 500" in whole.response.text
    assert watch.daemon.root is not None
    assert await watch.daemon.root.send("Browser.getVersion")


@pytest.mark.parametrize("attach_config", ["all"], indirect=True)
async def test_what_a_service_worker_takes_from_its_cache_has_its_body(controlled: Watch) -> None:
    await controlled.evaluate("fetch('/json?from-cache').then(r => r.text())")
    await controlled.evaluate("fetch('/json?from-network').then(r => r.text())")
    (entry,) = await _kept(controlled, "from-cache")
    assert entry["responseBody"] == "out of the worker's cache"
    assert (await controlled.request("from-cache")).from_service_worker
    (entry,) = await _kept(controlled, "from-network")
    assert json.loads(str(entry["responseBody"]))["ok"] is True


@pytest.mark.parametrize("attach_config", ["all"], indirect=True)
@pytest.mark.parametrize("address", ["data:text/plain,within%20the%20page", "blob:"])
async def test_what_never_leaves_the_page_has_its_body(page: Watch, address: str) -> None:
    made = "URL.createObjectURL(new Blob(['within the page']))" if address == "blob:" else repr(address)
    await page.evaluate(f"fetch({made}).then(r => r.text())")
    (entry,) = await _kept(page, address)
    assert entry["responseBody"] == "within the page"


async def _last_body(watch: Watch, part: str) -> BodyRecord:
    found = await watch.until(lambda: next((r for r in watch.telemetry.bodies.newest() if part in r.url), None))
    assert isinstance(found, BodyRecord)
    return found


async def test_a_popup_that_closes_itself_at_once_leaves_its_body(page: Watch) -> None:
    await page.tab.session.send(
        "Runtime.evaluate",
        {
            "expression": "open('/page/blank?popup').onload = (event) => event.target.defaultView.eval("
            "\"fetch('/status/500?last-words').then((reply) => reply.text()).then(() => close())\")",
            "userGesture": True,
        },
    )
    body = await _last_body(page, "last-words")
    assert body.missing == ""
    assert "this is a 500" in str(body.response_body)


@pytest.mark.parametrize("attach_config", ["all"], indirect=True)
async def test_bodies_outlive_their_tab(page: Watch) -> None:
    """The page is closed while its bodies are still to be read: they are asked for by way of another."""
    await page.evaluate(
        "Promise.all(Array.from({length: 60}, (_, n) => fetch(`/number/${n}?closing`).then(r => r.text())))"
    )
    await page.close(page.tab)
    await page.until(lambda: sum("?closing" in r.url for r in page.telemetry.bodies.newest()) == 60)
    await page.bodies_read()
    bodies = [record for record in page.telemetry.bodies.newest() if "?closing" in record.url]
    assert [(r.url, r.missing) for r in bodies if not (r.response_body or "").startswith("body ")] == []
    record = await page.request("/number/7?closing")
    answer = await page.call("get_network_bodies", request_id=record.id, full_body=True)
    assert answer["entries"][0]["responseBody"].startswith("body 00007")


@pytest.mark.parametrize("attach_config", ["all"], indirect=True)
async def test_what_came_of_an_answer_that_broke_off_is_kept(page: Watch) -> None:
    await page.evaluate(
        """(async () => {
            self.control = new AbortController();
            const reply = await fetch('/trickle', {signal: control.signal});
            await reply.body.getReader().read();
        })()"""
    )

    async def followed() -> bool:
        return page.daemon.capture.bodies.partials.known > 0

    await until(followed)
    await page.evaluate("control.abort()")
    (entry,) = await _kept(page, "/trickle")
    assert entry["responseBody"] == "the first piece"
    assert entry["truncated"] is True
    answer = await page.call("get_network_bodies", request_id=entry["id"], full_body=True)
    assert answer["entries"][0]["responseBody"] == "the first piece"
    assert "broke off" in answer["summary"]


async def test_whole_bodies_are_written_to_files(page: Watch, tmp_path: Path) -> None:
    context = evolve(page.context, artifacts=tmp_path)

    async def write(record_id: str, output: str) -> Answer:
        return await call_tool(TOOLS, context, "get_network_bodies", {"request_id": record_id, "output": output})

    await page.evaluate(
        "fetch('/echo?file', {method: 'POST', body: 'token=hunter2&' + 'q'.repeat(60000)}).then(r => r.text())"
    )
    both = await write((await page.request("?file")).id, "echo.json")
    assert json.loads((tmp_path / "echo.json").read_text())["body"].endswith("q" * 60000)
    assert (tmp_path / "echo-request.txt").read_text().endswith("q" * 60000)
    assert both.data["output"] == str(tmp_path / "echo.json")
    assert "hunter2" not in (tmp_path / "echo.json").read_text() + (tmp_path / "echo-request.txt").read_text()
    await page.evaluate("fetch('/picture').then(r => r.arrayBuffer())")
    picture = (await page.request("/picture")).id
    await write(picture, "deep/picture.png")
    assert (tmp_path / "deep" / "picture.png").read_bytes() == noise_png(120, 80)
    # No page decides what kind of file it becomes.
    assert "must end in .png" in (await write(picture, "picture.html")).data["message"]
    assert "inside the artifacts" in (await write(picture, "../picture.png")).data["message"]
    assert "--artifacts" in (await page.error("get_network_bodies", request_id=picture, output="x.png"))["message"]
    assert "request_id" in (await page.error("get_network_bodies", output="x.png"))["message"]
    secret = "ghp_" + "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"
    await page.evaluate(f"fetch('/typed?file&type=application/zip&content=%00%01 {secret} %00').then(r => r.text())")
    assert "secret" in (await write((await page.request("?file&type")).id, "x.zip")).data["message"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["deep", "echo-request.txt", "echo.json"]


async def test_pictures_that_are_text_are_read_as_text(page: Watch) -> None:
    for kind, text in (("image/svg%2Bxml", "<svg><title>Drawn</title></svg>"), ("image/png", "<h1>No picture</h1>")):
        await page.evaluate(f"fetch('/typed?type={kind}&content={text}').then(r => r.text())")
        record = await page.request(f"type={kind}")
        answer = await page.call("get_network_bodies", request_id=record.id, full_body=True)
        assert answer["entries"][0]["responseBody"] == text
