"""A hostile page in a real Chromium against the daemon's HTTP: it can neither read nor control anything."""

import json
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import trio

from gasoline_cdp.browser.launched import Launched
from gasoline_cdp.config import Config
from tests.fakes import log_record
from tests.http_client import Http, open_http
from tests.support import Watch, open_watch

ATTACK = (Path(__file__).parents[1] / "site" / "attack.js").read_text(encoding="utf-8")
PATHS = ["/snapshot", "/events/stream", "/mcp", "/clear", "/tools/observe", "/test-boundary", "/browsers", "/health"]
PLANTED = "planted-marker-of-this-test"


@contextmanager
def _subscribe(_: Mapping[str, str]) -> Iterator[AsyncIterator[Mapping[str, Any]]]:
    async def notifications() -> AsyncIterator[Mapping[str, Any]]:
        while True:
            yield {"message": PLANTED}
            await trio.sleep(0.1)

    yield notifications()


async def _attack(watch: Watch, target: str) -> list[dict[str, str]]:
    got: list[dict[str, str]] = await watch.evaluate(f"({ATTACK})({json.dumps(target)}, {json.dumps(PATHS)})")
    return got


def _statuses(watch: Watch, http: Http) -> set[int | None]:
    """What our server answered, by the browser's own account."""
    return {
        record.status
        for record in watch.telemetry.network.newest()
        if f":{http.access.port}/" in record.url and record.status is not None
    }


@pytest.mark.requirement("S08")
@pytest.mark.parametrize("no_token", [False, True], ids=["token", "no-token"])
@pytest.mark.parametrize("page_host", ["127.0.0.1", "localhost"])
async def test_a_page_of_another_origin_gets_nothing(no_token: bool, page_host: str, watch: Watch, site: str) -> None:
    """Also without a token: then the gate's other rules have to hold alone."""
    async with open_http(watch.context, no_token=no_token, subscribe=_subscribe) as http:
        await watch.open(f"{site.replace('127.0.0.1', page_host)}page/blank")
        watch.telemetry.add(log_record(watch.telemetry.next_seq(), PLANTED))
        got = await _attack(watch, http.access.url)
        # An opaque answer says nothing, not even its status.
        assert [entry for entry in got if not entry["what"].startswith("opaque 0 ")] == []
        statuses = _statuses(watch, http)
        assert statuses <= {401, 403, 404, 405}, statuses
        assert 403 in statuses
        assert any(record.text == PLANTED for record in watch.telemetry.logs.newest()), "the page has cleared it"
        assert len(watch.context.boundaries) == 0
        assert http.frontend.event_streams == 0
        # The same requests from a program get through: it is the page that was refused.
        assert (await http.ask("GET", "/snapshot")).status == 200


@pytest.mark.requirement("S08")
async def test_the_attack_would_be_seen_to_succeed(watch: Watch, site: str) -> None:
    """Against a server that lets everybody in, so that the tests above cannot pass for want of trying."""
    await watch.open(f"{site}page/blank")
    got: list[dict[str, str]] = await watch.evaluate(f"({ATTACK})({json.dumps(site)}, ['json', 'status/200'])")
    assert {"cors", "post-no-referrer", "iframe"} <= {entry["how"] for entry in got}


@pytest.mark.requirement("S09")
async def test_dns_rebinding_is_misdirected() -> None:
    config = Config(
        browser=Launched(
            headless=True,
            no_sandbox=True,
            temporary_profile=True,
            extra=("--host-resolver-rules=MAP evil.test 127.0.0.1",),
        ),
        strict=True,
    )
    async with open_watch(config) as watch, open_http(watch.context, no_token=True, subscribe=_subscribe) as http:
        target = f"http://evil.test:{http.access.port}"
        # A document of the attacker's origin that came from this machine, as after rebinding; what our own policy
        # forbids it to load, his would not.
        await watch.tab.session.send("Page.setBypassCSP", {"enabled": True})
        await watch.open(f"{target}/attack")
        assert await watch.evaluate("location.origin") == target
        watch.telemetry.add(log_record(watch.telemetry.next_seq(), PLANTED))
        got = await _attack(watch, target)
        assert got, "a page may read what its own origin answers"
        assert PLANTED not in json.dumps(got)
        assert all("misdirected_request" in entry["what"] for entry in got), got
        assert _statuses(watch, http) == {421}
        assert any(record.text == PLANTED for record in watch.telemetry.logs.newest())
        assert http.frontend.event_streams == 0
        assert len(watch.context.boundaries) == 0
