"""Conditions, seen from inside pages: also in those that open later, in frames of other sites and in workers."""

import json
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
import trio
from attrs import evolve
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from gasoline_cdp.frontends.http.loopback import serve_app
from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.records import NetworkRecord
from gasoline_cdp.tools.registry import TOOLS
from tests.pilot import record_traffic
from tests.support import PATIENCE, Watch

pytestmark = pytest.mark.requirement("F1-TOOLS")

SEEN = """(async () => [
    matchMedia('(prefers-color-scheme: dark)').matches, matchMedia('(prefers-reduced-motion: reduce)').matches,
    matchMedia('print').matches, navigator.language, Intl.NumberFormat().resolvedOptions().locale,
    Intl.DateTimeFormat().resolvedOptions().timeZone, navigator.userAgent, 'ontouchstart' in window, devicePixelRatio,
])()"""
ALL: dict[str, Any] = {
    "viewport": "390x844@3 mobile",
    "media": {"color_scheme": "dark", "reduced_motion": "reduce", "print": True},
    "locale": "de-DE",
    "timezone": "Asia/Tokyo",
    "user_agent": "Tester/1.0",
}
UNDER_ALL = [True, True, True, "de-DE", "de-DE", "Asia/Tokyo", "Tester/1.0"]


@pytest.fixture
async def page(watch: Watch, site: str) -> AsyncIterator[Watch]:
    watch.context.pilot.switch(on=True, by="person")
    await watch.open(f"{site}page/blank")
    yield watch
    watch.context.pilot.switch(on=False, by="person")


async def in_frame(page: Watch, url: str, script: str) -> Any:
    """Evaluate in a frame of another site, in a process of its own."""
    await page.evaluate(
        f"new Promise((done) => {{ const frame = document.createElement('iframe'); frame.src = '{url}';"
        " frame.onload = () => done(1); document.body.append(frame); })"
    )
    with trio.fail_after(PATIENCE):
        while not (sessions := list(page.tab.session.below())):
            await page.evaluate("1")
    reply = await sessions[-1].send(
        "Runtime.evaluate", {"expression": script, "awaitPromise": True, "returnByValue": True}
    )
    return reply["result"]["value"]


def other(site: str) -> str:
    return site.replace("127.0.0.1", "localhost")


async def test_a_page_its_frames_and_later_tabs_see_the_conditions(page: Watch, site: str) -> None:
    normal = await page.evaluate(SEEN)
    answer = await page.call("set_conditions", **ALL)
    assert answer["conditions"][0] == "viewport 390x844@3 mobile touch"
    assert (await page.evaluate(SEEN))[:7] == UNDER_ALL
    # After a navigation, in a frame of another process, and in another tab.
    await page.open(f"{other(site)}page/form")
    assert (await page.evaluate(SEEN))[:9] == [*UNDER_ALL, True, 3]
    assert (await in_frame(page, f"{site}page/blank", SEEN))[:7] == UNDER_ALL
    first = page.tab
    await page.call("act", steps=[{"do": "new_tab", "value": f"{site}page/form"}])
    assert page.tab is not first
    assert (await page.evaluate(SEEN))[:9] == [*UNDER_ALL, True, 3]
    # Only what is named changes.
    await page.call("set_conditions", timezone="default", media={})
    assert (await page.evaluate(SEEN))[3:7] == [*UNDER_ALL[3:5], normal[5], "Tester/1.0"]
    assert (await page.call("set_conditions", reset=True))["summary"] == "No conditions are in force."
    for tab in (page.tab, first):
        await page.open(f"{site}page/blank?again", tab)
        assert await page.evaluate(SEEN, tab) == normal


async def test_requests_carry_headers_the_user_agent_and_the_language(page: Watch, site: str) -> None:
    answer = await page.call(
        "set_conditions", headers={"X-Feature": "planted-sk-1234567890abcdef"}, user_agent="Tester/2", locale="fr-FR"
    )
    # A header may be a credential: only its name is told.
    assert "planted-sk" not in str(answer) + str(await page.call("observe", what="status"))

    async def echoed(request: Request) -> JSONResponse:
        return JSONResponse(dict(request.headers))

    async with serve_app(Starlette(routes=[Route("/headers", echoed)])) as url:
        await page.open(f"{url}headers")
        headers = json.loads(await page.evaluate("document.body.innerText"))
        await page.open(f"{site}page/blank")
    assert (headers["x-feature"], headers["user-agent"]) == ("planted-sk-1234567890abcdef", "Tester/2")
    assert headers["accept-language"].startswith("fr-FR")
    worker = "postMessage([navigator.userAgent, navigator.language, Intl.DateTimeFormat().resolvedOptions().locale])"
    seen = await page.evaluate(
        f"new Promise((done) => {{ new Worker(URL.createObjectURL(new Blob(['{worker}'])))"
        ".onmessage = (event) => done(event.data); })"
    )
    assert seen == ["Tester/2", "fr-FR", "fr-FR"]


async def test_the_network_is_gone_slow_or_blocked(page: Watch, site: str) -> None:
    ask = "fetch('/json?asked').then((reply) => reply.status, (error) => error.name)"
    await page.call("set_conditions", network="offline")
    assert await page.evaluate(f"Promise.all([{ask}, navigator.onLine])") == ["TypeError", False]
    in_worker = f"fetch('{site}json').then((reply) => postMessage(reply.status), () => postMessage('failed'))"
    started = (
        f"(done) => {{ new Worker(URL.createObjectURL(new Blob([`{in_worker}`]))).onmessage = (e) => done(e.data); }}"
    )
    assert await page.evaluate(f"new Promise({started})") == "failed"
    await page.call("set_conditions", network="latency_ms=300")
    assert await page.evaluate(f"(begun => {ask}.then(() => performance.now() - begun))(performance.now())") >= 290
    await page.call("set_conditions", network="default", blocked=["/json"])
    assert await page.evaluate(f"Promise.all([{ask}, navigator.onLine])") == ["TypeError", True]
    await page.call("set_conditions", blocked=[])
    assert await page.evaluate(ask) == 200


async def test_a_place_and_permissions(page: Watch) -> None:
    asked = "navigator.permissions.query({name: 'geolocation'}).then((status) => status.state)"
    answer = await page.call("set_conditions", geolocation="52.5,13.4")
    assert "permissions" in answer["notes"][0]
    await page.call("set_conditions", permissions={"geolocation": "granted", "camera": "denied"})
    assert await page.evaluate(asked) == "granted"
    # A secure context: 127.0.0.1 counts as one.
    where = "new Promise((done) => navigator.geolocation.getCurrentPosition((at) => done(at.coords.latitude), done))"
    assert await page.evaluate(where) == 52.5
    await page.call("set_conditions", reset=True)
    assert await page.evaluate(asked) != "granted"


async def test_a_slower_processor(page: Watch) -> None:
    answer = await page.call("set_conditions", cpu=4)
    assert answer["conditions"] == ["cpu 4 times slower"]
    answer = await page.call("set_conditions", cpu=1)
    assert "conditions" not in answer


async def test_all_that_is_wrong_is_said_at_once_and_nothing_is_changed(page: Watch) -> None:
    refused = await page.error(
        "set_conditions",
        viewport="iphone 51",
        network="slow 5g",
        media={"colour_scheme": "dark"},
        timezone="Berlin",
        geolocation="91,0",
        permissions={"camara": "granted"},
        blocked=["^/api/.*$"],
        mocks=[{"ulr": "/x"}, {"url": "/y", "body": "x" * 2_000_000}],
    )
    problems = "\n".join(refused["details"]["problems"])
    for hint in (
        "'iphone 15'",
        "'slow 4g'",
        "'color_scheme'",
        "'Europe/Berlin'",
        "latitude",
        "'camera'",
        "'/api/*'",
        "'url'",
    ):
        assert hint in problems, hint
    assert "2000000 bytes" in problems
    assert "r9999999" in (await page.error("set_conditions", mocks=[{"from": "r9999999"}]))["message"]
    assert (await page.call("set_conditions"))["summary"] == "No conditions are in force."


async def test_status_and_every_answer_say_that_conditions_are_in_force(page: Watch) -> None:
    await page.call("set_conditions", network="fast 3g")
    assert "network latency" in (await page.call("observe", what="status"))["conditions"]
    assert "Under conditions: network" in (await page.call("observe", what="errors"))["notice"]
    await page.call("set_conditions", reset=True)
    assert "notice" not in await page.call("observe", what="errors")


async def test_without_conditions_nothing_is_sent(watch: Watch, site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = record_traffic(monkeypatch)
    await watch.open(f"{site}page/blank")
    assert not [method for method in sent if method.startswith(("Emulation.", "Fetch.", "Browser."))]


async def test_the_pilot_off_ends_them_at_once(page: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    await page.call("set_conditions", timezone="Asia/Tokyo", mocks=[{"url": "/held", "delay_ms": 60_000}])
    await page.evaluate("window.held = fetch('/json?/held').then((reply) => reply.json()); 1")
    with trio.fail_after(PATIENCE):
        while not page.context.conditions.mocking._waiting:
            await page.evaluate("1")
    page.context.pilot.switch(on=False, by="person")
    sent = record_traffic(monkeypatch)
    # The request that waited was sent on as it is.
    assert (await page.evaluate("held"))["ok"] is True
    assert await page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone") != "Asia/Tokyo"
    assert (await page.error("set_conditions", cpu=2))["error"] == "ai_web_pilot_disabled"
    assert not [method for method in sent if method.startswith(("Emulation.", "Fetch."))]
    assert page.context.conditions.words == ()


async def test_the_pilot_off_in_the_middle_of_a_call(page: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    send = page.tab.session.send

    async def switched_off(method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        reply = await send(method, params)
        if method == "Emulation.setCPUThrottlingRate":
            page.context.pilot.switch(on=False, by="person")
        return reply

    monkeypatch.setattr(page.tab.session, "send", switched_off)
    refused = await page.error("set_conditions", timezone="Asia/Tokyo", cpu=2)
    assert refused["error"] == "ai_web_pilot_disabled"
    assert "ended all conditions" in refused["message"]
    assert page.context.conditions.words == ()
    monkeypatch.undo()
    assert await page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone") != "Asia/Tokyo"


async def test_a_full_page_picture_leaves_the_viewport(page: Watch) -> None:
    await page.call("set_conditions", viewport="500x400")
    await page.evaluate("document.body.style.height = '3000px'; 1")
    await page.call("observe", what="screenshot", full_page=True)
    assert await page.evaluate("[innerWidth, innerHeight]") == [500, 400]


async def asked(page: Watch, part: str) -> NetworkRecord:
    await page.until(lambda: not list(page.daemon.capture.network.in_flight()))
    return await page.request(part)


async def test_mocks_answer_and_are_marked_everywhere(page: Watch, site: str) -> None:
    await page.evaluate("fetch('/json?real=1').then((reply) => reply.json())")
    real = await asked(page, "real=1")
    await page.bodies_read()
    learned = len(page.telemetry.contracts)
    mocks = [
        {
            "url": "/api/cart",
            "method": "POST",
            "status": 503,
            "headers": {"X-Why": "planted"},
            "body": {"error": "full"},
        },
        {"url": f"{other(site)}*", "method": "PUT", "body": {"far": True}},
        {"url": "/never-comes", "fail": "timed_out"},
        {"from": real.id, "set": {"ok": "changed"}},
    ]
    await page.call("diff_sessions", action="capture", name="before")
    answer = await page.call("set_conditions", mocks=mocks)
    assert answer["conditions"][0] == "mock POST /api/cart → 503"
    said = await page.evaluate("fetch('/api/cart', {method: 'POST'}).then(async (r) => [r.status, await r.json()])")
    assert said == [503, {"error": "full"}]
    # Of another site, with a preflight, and in a frame of that site.
    far = f"fetch('{other(site)}api/far', {{method: 'PUT', headers: {{'x-own': '1'}}}}).then((r) => r.json())"
    assert await page.evaluate(far) == {"far": True}
    assert await in_frame(page, f"{other(site)}page/blank", far) == {"far": True}
    assert await page.evaluate("fetch('/never-comes').catch((error) => error.name)") == "TypeError"
    assert (await page.evaluate("fetch('/json?real=1').then((r) => r.json())"))["ok"] == "changed"
    worker = f"fetch('{site}json?real=1').then((r) => r.json()).then((answer) => postMessage(answer.ok))"
    started = (
        f"(done) => {{ new Worker(URL.createObjectURL(new Blob([`{worker}`]))).onmessage = (e) => done(e.data); }}"
    )
    assert await page.evaluate(f"new Promise({started})") == "changed"
    await asked(page, "never-comes")
    entries = {entry["id"]: entry for entry in (await page.call("observe", what="network"))["entries"]}
    mocked = {entry["url"].partition("?")[0].rpartition("/")[2] for entry in entries.values() if entry.get("mocked")}
    assert mocked == {"cart", "far", "never-comes", "json"}
    assert "mocked" not in entries[real.id]
    await page.bodies_read()
    [body] = [e for e in (await page.call("get_network_bodies"))["entries"] if e["url"].endswith("/api/cart")]
    assert body["mocked"] is True
    # Nothing is learned of an API from answers that no server gave.
    assert len(page.telemetry.contracts) == learned
    assert (await page.call("set_conditions"))["mocked_requests"] >= 6
    compared = await page.call("diff_sessions", action="compare", compare_a="before")
    assert "Mocks answered" in compared["message"]
    # What a step led to, and as an assistant reads it.
    await page.evaluate(
        "document.body.innerHTML = '<button>Pay</button>';"
        "document.querySelector('button').onclick = () => fetch('/api/cart', {method: 'POST'}); 1"
    )
    steps = [{"do": "click", "target": 'button "Pay"'}]
    acted = await call_tool(TOOLS, evolve(page.context, form="lines"), "act", {"steps": steps})
    assert re.search(r"POST 503 .*mocked", acted.text), acted.text


async def test_a_mock_whose_tab_goes_away_holds_nothing(page: Watch, site: str) -> None:
    await page.call("set_conditions", mocks=[{"url": "/held", "delay_ms": 200, "body": "late"}])
    await page.call("act", steps=[{"do": "new_tab", "value": f"{site}page/blank?leaving"}])
    leaving = page.tab
    await page.evaluate("fetch('/json?/held').catch(() => {}); 1", leaving)
    await page.close(leaving)
    assert await page.evaluate("fetch('/json?/held').then((reply) => reply.text())") == "late"
    with trio.fail_after(PATIENCE):
        while page.context.conditions.mocking._waiting:
            await page.evaluate("1")
