"""Several browsers in one daemon, and tests that overlap: each has exactly its own records."""

import json
import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio

from gasoline_cdp.browser.no_browser import NoBrowser
from gasoline_cdp.cdp.connection import Connection, Session, open_connection
from gasoline_cdp.cdp.websocket import open_websocket
from gasoline_cdp.chrome.find import find_browser
from gasoline_cdp.config import Config
from gasoline_cdp.frontends.http.loopback import serve_app
from tests.chromium import open_chromium
from tests.contexts.site import PLACES, contexts_app
from tests.http_client import Http, open_http
from tests.node_tools import NODE, install_packages
from tests.support import PATIENCE, Watch, open_watch

_HERE = Path(__file__).parent.parent


@pytest.fixture
async def watch() -> AsyncIterator[Watch]:
    """A daemon without a browser of its own."""
    async with open_watch(Config(browser=NoBrowser(), strict=True)) as watch:
        yield watch


@pytest.fixture
async def http(watch: Watch) -> AsyncIterator[Http]:
    async with open_http(watch.context) as http:
        yield http


@pytest.fixture
async def contexts() -> AsyncIterator[str]:
    async with serve_app(contexts_app()) as url:
        yield url


class Runner:
    """A test runner's own connection to its browser."""

    def __init__(self, connection: Connection, name: str) -> None:
        self.connection = connection
        self.root = connection.root
        # As the daemon calls its browser.
        self.name = name

    async def context(self) -> str:
        return str((await self.root.send("Target.createBrowserContext"))["browserContextId"])

    async def page(self, context_id: str, url: str) -> Session:
        made = await self.root.send("Target.createTarget", {"url": "about:blank", "browserContextId": context_id})
        attached = await self.root.send("Target.attachToTarget", {"targetId": made["targetId"], "flatten": True})
        session = self.connection.open_session(attached["sessionId"], self.root, made["targetId"])
        await session.send("Page.navigate", {"url": url})
        return session


@asynccontextmanager
async def runner_of(address: str, http: Http) -> AsyncIterator[Runner]:
    """Attach the daemon to a browser, and connect to it as its test runner does."""
    attached = await http.ask("POST", "/browsers", {"ws_endpoint": address})
    assert attached.status == 200, attached.json
    assert attached.json["state"] == "running"
    async with open_websocket(address) as transport, open_connection(transport) as connection:
        yield Runner(connection, attached.json["browser"])


async def _snapshot(http: Http, **filters: Any) -> Any:
    query = "&".join(f"{name}={value}" for name, value in filters.items())
    reply = await http.ask("GET", f"/snapshot?{query}")
    assert reply.status == 200, reply.json
    return reply.json


@pytest.mark.requirement("F11-BROWSERS")
async def test_two_browsers_do_not_mix_and_the_death_of_one_touches_no_other(
    chromium: str, watch: Watch, http: Http, contexts: str
) -> None:
    with open_chromium() as mortal:
        async with runner_of(chromium, http) as first, runner_of(mortal, http) as second:
            assert first.name != second.name
            again = await http.ask("POST", "/browsers", {"ws_endpoint": mortal.replace("127.0.0.1", "localhost")})
            assert again.json["browser"] == second.name
            own = {first.name: await first.context(), second.name: await second.context()}
            await first.page(own[first.name], f"{contexts}page?name=steady")
            doomed = await second.page(own[second.name], f"{contexts}page?name=doomed")
            for runner, name in ((first, "steady"), (second, "doomed")):
                await watch.until(partial(_has_spoken, watch, name))
                captured = await _snapshot(http, browser=runner.name, browser_context_id=own[runner.name])
                assert _names(captured) == {name}
                # Each body is the answer to its own request, whatever ids the browsers use.
                assert [json.loads(body["responseBody"]) for body in captured["network_bodies"]] == [{"refused": name}]
            listed = {tab.tab_id for tab in watch.context.tabs.open()}
            assert len(listed) == sum(1 for _ in watch.context.tabs.open())

            await doomed.send("Runtime.evaluate", {"expression": "new WebSocket('ws://127.0.0.1:1')"})
            process = await second.root.send("SystemInfo.getProcessInfo")
            (pid,) = [one["id"] for one in process["processInfo"] if one["type"] == "browser"]
            os.kill(pid, 9)
            await watch.log("went away with open pages")
            told = await _snapshot(http, browser=second.name, browser_context_id=own[second.name])
            assert told["logs"][0]["message"] == "The browser went away while this page was open."
            states = {one["browser"]: one["state"] for one in (await http.ask("GET", "/browsers")).json["browsers"]}
            assert states == {first.name: "running", second.name: "gone"}
            status = await watch.call("observe", what="status")
            assert {one["browser"]: one["state"] for one in status["browsers"]} == states

            # The other one goes on as if nothing had happened.
            await first.page(own[first.name], f"{contexts}say?place=page&name=later")
            await watch.log("page later")
            assert "went away" not in json.dumps(await _snapshot(http, browser=first.name))
            detached = await http.ask("DELETE", f"/browsers/{first.name}")
            assert detached.json["state"] == "detached"
            assert (await first.root.send("Browser.getVersion"))["product"]
            await first.root.send("Target.disposeBrowserContext", {"browserContextId": own[first.name]})


def _has_spoken(watch: Watch, name: str) -> bool:
    places = {log.text.split()[0] for log in watch.telemetry.logs.newest() if log.text.endswith(f" {name}")}
    bodies = [body.response_body or "" for body in watch.telemetry.bodies.newest()]
    return places >= PLACES - {"popup"} and any(name in body for body in bodies)


def _names(captured: Any) -> set[str]:
    """The names of the tests of which anything was captured."""
    return set(re.findall(r"\b(alpha|beta|gamma|delta|steady|doomed|later)\b", json.dumps(captured)))


@pytest.mark.requirement("F11-ISOLATION")
async def test_tests_that_overlap_in_playwright_never_see_each_others_events(http: Http, contexts: str) -> None:
    packages = install_packages(_HERE / "accessibility")
    script = _HERE / "contexts" / "overlapping.mjs"
    command = [NODE, script, contexts, f"http://{http.authority}", http.access.token, find_browser()]
    with trio.fail_after(2 * PATIENCE):
        done = await trio.run_process(
            list(map(str, command)), capture_stdout=True, env={**os.environ, "PACKAGES": str(packages)}
        )
    told = json.loads(done.stdout)
    assert [one["name"] for one in told] == ["alpha", "beta", "gamma", "delta"]
    for one in told:
        captured = one["snapshot"]
        assert _names(captured) == {one["name"]}
        said = {log["message"] for log in captured["logs"] if log["kind"] == "console"}
        assert said == {f"{place} {one['name']}" for place in PLACES}
        assert captured["attribution"] == "context"
        assert captured["stats"]["network_failures"] == 1
    # Without the number of the run: both runs of the test.
    assert _names(await _snapshot(http, test_id="three")) == {"gamma", "delta"}
    assert _names(await _snapshot(http, worker="1")) == {"delta"}
    observed = (await http.ask("POST", "/tools/observe", {"what": "errors", "test_id": "three", "retry": 1})).json
    assert _names(observed) == {"delta"}

    summary = await http.ask("GET", "/snapshot?test_id=one&retry=0&format=summary")
    assert summary.header("content-type") == "text/plain; charset=utf-8"
    lines = summary.body.decode().splitlines()
    assert lines[0] == 'Test "one"'
    assert '{"refused":"alpha"}' in summary.body.decode()
    assert not re.search("beta|gamma|delta", summary.body.decode())

    cleared = (await http.ask("POST", "/clear", {"test_id": "three", "retry": 0})).json
    assert cleared["entries_removed"] > len(PLACES)
    assert _names(await _snapshot(http)) == {"alpha", "beta", "delta"}
