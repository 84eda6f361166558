"""A browser behind a remote endpoint: slow, gone for a while, silent, or refusing us."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio

from gasoline_cdp import remote_limits
from gasoline_cdp.browser.attached import Attached
from gasoline_cdp.config import CaptureOptions, Config
from gasoline_cdp.errors import Code, GasolineError
from tests.remote_endpoint import Remote, open_remote
from tests.support import PATIENCE, Watch, open_watch

pytestmark = pytest.mark.requirement("F2-REMOTE")


def config_of(remote: Remote, **options: Any) -> Config:
    return Config(
        browser=Attached(ws_endpoint=remote.address, **options),
        capture=CaptureOptions(bodies="all"),
        url="about:blank",
        strict=True,
    )


@asynccontextmanager
async def open_behind(remote: Remote) -> AsyncIterator[Watch]:
    """A daemon behind the endpoint, with a tab of its own that is closed afterwards."""
    async with open_watch(config_of(remote)) as watch:
        try:
            yield watch
        finally:
            if watch.daemon.root is not None:
                await watch.close_tabs()


async def test_after_a_drop_the_gap_is_told_and_the_tab_goes_on(chromium: str, site: str) -> None:
    async with open_remote(chromium) as remote, open_behind(remote) as watch:
        await watch.open(f"{site}page/console")
        tab, before = watch.tab, list(watch.telemetry.logs.newest())
        assert before
        remote.drop()
        await watch.log("It is there again")
        assert remote.connections == 2
        assert watch.tab is tab
        after = {log.seq for log in watch.telemetry.logs.newest()}
        assert {log.seq for log in before} <= after
        told = await watch.call("observe", what="errors")
        assert "The connection to the browser was lost from 20" in told["notice"]
        assert "the connection broke" in told["notice"]
        status = await watch.call("observe", what="status")
        assert status["browser"]["state"] == "running"
        assert [gap["reason"] for gap in status["browser"]["gaps"]] == ["the connection broke"]
        assert status["browser"]["gaps"][0]["since"] < status["browser"]["gaps"][0]["until"]
        await watch.evaluate("console.log('after the gap')")
        assert (await watch.log("after the gap")).source.tab_id == tab.tab_id
        listed = await watch.call("observe", what="tabs")
        assert {one["tab_id"]: one["complete_from"] for one in listed["tabs"]}[tab.tab_id] == "attach"


async def test_the_next_answer_tells_of_a_gap_however_late_it_is_asked(chromium: str) -> None:
    async with open_remote(chromium) as remote, open_behind(remote) as watch:
        remote.drop()
        await watch.log("It is there again")
        watch.context.browser.noted_at -= 3600
        assert "was lost from" in (await watch.call("observe", what="logs"))["notice"]


async def test_a_silent_connection_is_given_up_and_made_again(
    chromium: str, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_limits, "PING_SECONDS", 0.5)
    async with open_remote(chromium) as remote, open_behind(remote) as watch:
        await watch.open(f"{site}page/console")
        tab = watch.tab
        remote.fall_silent()
        await watch.log("It is there again")
        assert watch.tab is tab
        (gap,) = watch.context.browser.gaps
        assert gap.reason == "it was silent for 2 s"
        # What came last is older than the moment at which we noticed.
        assert gap.until - gap.since >= 2
        await watch.evaluate("console.log('after the silence')")
        await watch.log("after the silence")


async def test_requests_of_the_gap_that_a_page_remembers_are_listed(chromium: str, site: str) -> None:
    async with open_remote(chromium) as remote, open_behind(remote) as watch:
        await watch.open(f"{site}page/console")
        await watch.evaluate("setTimeout(() => fetch('/json?in=the+gap'), 100)")
        remote.reject = 503
        remote.drop()
        # The next attempt is refused. By then the page has asked.
        await remote.until_connections(2)
        remote.reject = 0
        record = await watch.request("in=the+gap")
        assert record.before_attach


async def test_the_attempts_are_counted_and_end(chromium: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gasoline_cdp.browser.reconnecting.RECONNECT_PAUSES", (0.01, 0.02, 0.04))
    async with open_remote(chromium) as remote, open_behind(remote) as watch:
        remote.reject = 503
        remote.drop()
        with trio.fail_after(PATIENCE):
            await watch.daemon.over.wait()
        assert remote.connections == 4
        assert watch.daemon.failed is not None
        assert "could not be made again after 3 attempts" in watch.daemon.failed.message
        assert watch.context.browser.state == "gone"
        assert "HTTP 503" in (await watch.call("observe", what="status"))["summary"]


async def test_a_session_that_its_service_ended_is_not_asked_for_again(chromium: str) -> None:
    async with open_remote(chromium) as remote, open_behind(remote) as watch:
        await remote.close(4001, "session timed out")
        with trio.fail_after(PATIENCE):
            await watch.daemon.over.wait()
        assert remote.connections == 1
        assert watch.daemon.failed is not None
        assert "code 4001: session timed out" in watch.daemon.failed.message


async def test_a_page_with_500_requests_and_bodies_loses_none_behind_100_ms(chromium: str, site: str) -> None:
    """And it takes at most three times as long as without them, in the same run."""
    seconds: dict[float, float] = {}
    for delay in (0.0, 0.05):
        async with open_remote(chromium, delay=delay) as remote, open_behind(remote) as watch:
            await watch.open(f"{site}page/console")
            began = trio.current_time()
            script = (
                f"Promise.all([...Array(500).keys()].map(n => fetch(`/json?n=${{n}}&of={delay}`).then(r => r.text())))"
            )
            script += ".then(() => 1)"
            await watch.evaluate(script)
            await watch.bodies_read()
            seconds[delay] = trio.current_time() - began
            names = {f"/json?n={number}&of={delay}" for number in range(500)}
            listed = {record.url for record in watch.telemetry.network.newest()}
            assert {name for name in names if not any(url.endswith(name) for url in listed)} == set()
            assert watch.telemetry.bodies.received >= 500
            kept = [body for body in watch.telemetry.bodies.newest() if f"of={delay}" in body.url]
            assert len(kept) == 100
            assert all(body.response_body for body in kept)
            assert watch.daemon.capture.bodies.skipped == 0
    assert seconds[0.05] <= 3 * seconds[0.0], seconds


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "Check the credentials"),
        (403, "Check the credentials"),
        (404, "The session is closed, or the address is an old one"),
        (302, "It sends us to https://elsewhere.example/login?…"),
        (503, "try again later"),
    ],
)
async def test_each_refusal_has_its_words_and_shows_no_credentials(chromium: str, status: int, words: str) -> None:
    async with open_remote(chromium) as remote:
        remote.reject, remote.location = status, "https://elsewhere.example/login?token=hush-3"
        address = remote.address.replace("ws://", "ws://ada:hush-1@") + "?token=hush-2"
        config = Config(browser=Attached(ws_endpoint=address, headers=(("X-Key", "hush-4"),)), strict=True)
        with pytest.raises(GasolineError, match=f"HTTP {status}") as refusal:
            async with open_watch(config):
                pytest.fail("it was let in")
        assert refusal.value.code is Code.NO_BROWSER
        assert words in refusal.value.message
        assert "hush" not in json.dumps(refusal.value.shape())
        assert "hush" not in repr(config)
        assert remote.connections == 1
