"""The search for source maps against a Chrome that says what the test tells it to."""

import base64
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import attrs
import pytest
import trio
from trio.testing import MockClock

from gasoline_cdp import limits
from gasoline_cdp.capture.sourcemaps import SourceMaps
from gasoline_cdp.cdp.connection import Session, open_connection
from gasoline_cdp.cdp.tabs import Tabs
from gasoline_cdp.records import LogRecord, Source, StackFrame
from gasoline_cdp.store.telemetry import Telemetry
from tests.fakes import PAGE, FakeTransport, log_record, make_context, network_record, settled

# ruff: noqa: ARG001 - a test that names the clock has time pass when nothing else does
pytestmark = pytest.mark.requirement("F2-SOURCEMAPS")

APP = "http://app.test/dist/app.js"
MAP = {"version": 3, "sources": ["../src/cart.ts"], "names": [], "mappings": "AAAA;AACA"}
WRITTEN = StackFrame("f", "src/cart.ts", 1, 1)


def trouble(url: str = APP, line: int = 1, source: Source = PAGE, **changes: Any) -> LogRecord:
    # One record for each place: asked for again, it has the same number.
    seq = hash((url, line, source))
    return log_record(seq, frames=(StackFrame("f", url, line, 1),), source=source, **changes)


def response(url: str = APP, request_id: str = "7.1", **headers: str) -> dict[str, Any]:
    return {"type": "Script", "requestId": request_id, "response": {"url": url, "headers": headers}}


@attrs.define
class Bench:
    """The search, and the Chrome that it talks to."""

    chrome: FakeTransport
    maps: SourceMaps
    session: Session
    telemetry: Telemetry

    def wanted(self, record: LogRecord) -> None:
        self.maps.wanted(record, self.session)

    def found(self, record: LogRecord) -> StackFrame | None:
        known = self.telemetry.known(record)
        return None if known is record else known.frames[0]

    async def answer(self, method: str, result: dict[str, Any]) -> dict[str, Any]:
        await settled()
        command = self.chrome.last(method)
        self.chrome.answer(command, result)
        await settled()
        return command

    async def load(self, script: str = "f()\n//# sourceMappingURL=app.js.map", whole: Any = MAP) -> None:
        """Answer all that it takes to get a map."""
        await self.answer("Network.getResponseBody", {"body": script})
        await self.answer("Network.getSecurityIsolationStatus", {"status": {"csp": []}})
        await self.answer("Network.loadNetworkResource", {"resource": {"success": True, "stream": "s1"}})
        await self.answer("IO.read", {"data": json.dumps(whole), "eof": True})
        await self.maps.backlog.wait_idle()


@asynccontextmanager
async def open_bench() -> AsyncIterator[Bench]:
    chrome, telemetry = FakeTransport(), Telemetry()
    async with open_connection(chrome, strict=True) as connection, trio.open_nursery() as nursery:
        bench = Bench(chrome, SourceMaps(Tabs(), telemetry), connection.root, telemetry)
        nursery.start_soon(bench.maps.run)
        yield bench
        nursery.cancel_scope.cancel()


async def test_a_place_is_found_through_the_script_and_its_map() -> None:
    async with open_bench() as bench:
        bench.maps.script_loaded(response(), PAGE, bench.session)
        record = trouble()
        bench.wanted(record)
        assert bench.found(record) is None
        await bench.load()
        assert bench.found(record) == WRITTEN
        loaded = bench.chrome.last("Network.loadNetworkResource")["params"]
        assert (loaded["url"], loaded["frameId"]) == (f"{APP}.map", PAGE.target_id)
        assert bench.chrome.last("IO.close")["params"] == {"handle": "s1"}
        # Neither the same place nor another of the same script is worth another word with Chrome.
        sent = len(bench.chrome.sent)
        bench.wanted(record)
        bench.wanted(trouble(line=2))
        await bench.maps.backlog.wait_idle()
        assert bench.found(trouble(line=2)) == StackFrame("f", "src/cart.ts", 2, 1)
        assert len(bench.chrome.sent) == sent


@pytest.mark.parametrize("level", ["log", "info", "debug"])
async def test_only_trouble_is_looked_up(level: str) -> None:
    async with open_bench() as bench:
        bench.maps.script_loaded(response(), PAGE, bench.session)
        bench.wanted(trouble(level=level))
        assert len(bench.maps.backlog) == 0


@pytest.mark.parametrize(
    "url",
    ["", "blob:http://app.test/1", "app-internal:///./src/a.ts", "chrome-extension://x/a.js", "data:,x", "/gen.js"],
)
async def test_only_scripts_with_an_address_of_their_own_have_a_map(url: str) -> None:
    async with open_bench() as bench:
        bench.wanted(trouble(url))
        assert len(bench.maps.backlog) == 0


async def test_a_script_inside_the_document_is_left_alone() -> None:
    async with open_bench() as bench:
        bench.wanted(trouble(PAGE.url))
        assert len(bench.maps.backlog) == 0
        worker = Source(1, "worker", APP, 1, "W1")
        bench.wanted(trouble(APP, source=worker))
        assert len(bench.maps.backlog) == 1


async def test_a_script_that_was_not_seen_is_asked_of_the_page() -> None:
    async with open_bench() as bench:
        record = trouble()
        bench.wanted(record)
        inline = base64.b64encode(json.dumps(MAP).encode()).decode()
        script = f"f()\n//# sourceMappingURL=data:application/json;base64,{inline}"
        asked = await bench.answer("Page.getResourceContent", {"content": script, "base64Encoded": False})
        assert asked["params"] == {"frameId": PAGE.target_id, "url": APP}
        await bench.maps.backlog.wait_idle()
        assert bench.found(record) == WRITTEN


async def test_a_masked_address_is_asked_for_by_its_true_one() -> None:
    secret = f"{APP}?token=abcdefgh12345678"
    async with open_bench() as bench:
        shown = f"{APP}?token=[REDACTED]"
        bench.wanted(trouble(shown))
        assert len(bench.maps.backlog) == 0
        bench.maps.script_loaded(response(secret), PAGE, bench.session)
        bench.wanted(trouble(shown))
        await bench.load()
        assert bench.found(trouble(shown)) == WRITTEN


@pytest.mark.parametrize("script", ["f()", "", "f()\n//# sourceMappingURL=http://[", "//# sourceMappingURL=ftp://a/b"])
async def test_a_script_without_a_usable_map_is_asked_once(script: str) -> None:
    async with open_bench() as bench:
        bench.maps.script_loaded(response(), PAGE, bench.session)
        bench.wanted(trouble())
        await bench.answer("Network.getResponseBody", {"body": script})
        await bench.maps.backlog.wait_idle()
        sent = len(bench.chrome.sent)
        bench.wanted(trouble(line=5))
        bench.wanted(trouble(line=6))
        assert (len(bench.maps.backlog), len(bench.chrome.sent)) == (0, sent)
        assert bench.found(trouble()) is None


async def test_another_navigation_is_another_script() -> None:
    async with open_bench() as bench:
        later = attrs.evolve(PAGE, navigation=2)
        bench.maps.script_loaded(response(), PAGE, bench.session)
        bench.wanted(trouble())
        await bench.load()
        bench.maps.script_loaded(response(request_id="8.1"), later, bench.session)
        assert bench.found(trouble(source=later)) is None
        bench.wanted(trouble(source=later))
        await bench.load("f(2)\n//# sourceMappingURL=app.js.map", {**MAP, "sources": ["../src/new.ts"]})
        assert bench.found(trouble()) == WRITTEN
        assert bench.found(trouble(source=later)) == attrs.evolve(WRITTEN, url="src/new.ts")


async def test_the_same_script_needs_no_second_request() -> None:
    async with open_bench() as bench:
        later = attrs.evolve(PAGE, navigation=2)
        bench.maps.script_loaded(response(), PAGE, bench.session)
        bench.wanted(trouble())
        await bench.load()
        bench.maps.script_loaded(response(request_id="8.1"), later, bench.session)
        bench.wanted(trouble(source=later))
        await bench.answer("Network.getResponseBody", {"body": "f()\n//# sourceMappingURL=app.js.map"})
        await bench.maps.backlog.wait_idle()
        assert bench.found(trouble(source=later)) == WRITTEN
        assert bench.chrome.methods().count("Network.loadNetworkResource") == 1


async def test_a_map_that_comes_too_late_is_still_closed(autojump_clock: MockClock) -> None:
    async with open_bench() as bench:
        bench.maps.script_loaded(response(), PAGE, bench.session)
        bench.wanted(trouble())
        await bench.answer("Network.getResponseBody", {"body": "f()\n//# sourceMappingURL=app.js.map"})
        await bench.answer("Network.getSecurityIsolationStatus", {"status": {"csp": []}})
        await trio.sleep(limits.SOURCE_MAP_SECONDS + 1)
        assert len(bench.maps.backlog) == 0
        await bench.answer("Network.loadNetworkResource", {"resource": {"success": True, "stream": "late"}})
        await bench.answer("IO.read", {"data": "{}", "eof": True})
        assert bench.chrome.last("IO.close")["params"] == {"handle": "late"}
        assert bench.found(trouble()) is None


async def test_a_flood_of_scripts_is_counted_and_leaves_room_for_known_ones() -> None:
    async with open_connection(FakeTransport(), strict=True) as connection:
        # Nobody reads: the queue stays as full as it gets.
        telemetry = Telemetry()
        bench = Bench(FakeTransport(), SourceMaps(Tabs(), telemetry), connection.root, telemetry)
        for number in range(1000):
            bench.wanted(trouble(f"http://app.test/gen/{number}.js"))
        assert len(bench.maps.backlog) == limits.SOURCE_MAP_BACKLOG // 2
        for number in range(1000):
            url = f"http://app.test/dist/{number}.js"
            bench.maps.script_loaded(response(url), PAGE, bench.session)
            bench.wanted(trouble(url))
        assert len(bench.maps.backlog) == limits.SOURCE_MAP_BACKLOG
        assert bench.maps.backlog.skipped == 1000 - limits.SOURCE_MAP_BACKLOG // 2


async def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, most in (("SCRIPTS_REMEMBERED", 5), ("POSITIONS_REMEMBERED", 7), ("SOURCE_MAPS", 2)):
        monkeypatch.setattr(limits, name, most)
    async with open_bench() as bench:
        for number in range(20):
            url = f"http://app.test/dist/{number}.js"
            bench.maps.script_loaded(response(url), PAGE, bench.session)
            bench.wanted(trouble(url))
            await bench.load(f"f({number})\n//# sourceMappingURL=a.map")
            assert bench.found(trouble(url)) == WRITTEN
        assert (len(bench.maps._scripts), len(bench.maps._written), len(bench.maps._maps)) == (5, 7, 2)
        assert len(bench.maps._waiting) == 0


async def test_large_maps_make_room_for_the_newest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SOURCE_MAPS_BYTES", 1)
    async with open_bench() as bench:
        for number in range(3):
            url = f"http://app.test/dist/{number}.js"
            bench.maps.script_loaded(response(url), PAGE, bench.session)
            bench.wanted(trouble(url))
            await bench.load(f"f({number})\n//# sourceMappingURL=a.map")
            assert bench.found(trouble(url)) == WRITTEN
            assert len(bench.maps._maps) == 1


async def test_a_page_that_is_gone_is_not_asked() -> None:
    async with open_bench() as bench:
        bench.maps.script_loaded(response(), PAGE, bench.session)
        bench.wanted(trouble())
        await settled()
        bench.session.close("the page was closed")
        await bench.maps.backlog.wait_idle()
        assert bench.found(trouble()) is None


async def test_every_record_that_waits_is_annotated_once_the_map_is_there() -> None:
    """Also those whose frames an earlier one has asked for, and requests by the code that made them."""
    async with open_bench() as bench:
        bench.maps.script_loaded(response(), PAGE, bench.session)
        records = [attrs.evolve(trouble(), seq=number) for number in range(1, 4)]
        request = network_record(4, initiator_frames=(StackFrame("f", APP, 2, 1),))
        for record in records:
            bench.wanted(record)
        bench.maps.wanted(request, bench.session)
        await bench.load()
        assert [bench.telemetry.known(record).frames for record in records] == [(WRITTEN,)] * 3
        assert bench.telemetry.known(request).initiator_frames == (attrs.evolve(WRITTEN, line=2),)
        # What comes when the map is there does not wait.
        later = attrs.evolve(trouble(), seq=5, logged=StackFrame("f", APP, 1, 1))
        bench.wanted(later)
        assert (bench.telemetry.known(later).frames, bench.telemetry.known(later).logged) == ((WRITTEN,), WRITTEN)


async def test_a_map_that_hangs_delays_one_question_and_no_more(autojump_clock: MockClock) -> None:
    context = make_context()
    async with open_connection(FakeTransport(), strict=True) as connection, trio.open_nursery() as nursery:
        maps = context.capture.source_maps
        nursery.start_soon(maps.run)
        maps.script_loaded(response(), PAGE, connection.root)
        maps.wanted(trouble(), connection.root)
        await settled()
        start = trio.current_time()
        await context.capture.wait_known()
        assert trio.current_time() - start == limits.KNOWN_SECONDS
        for _ in range(3):
            await context.capture.wait_known()
        assert trio.current_time() - start == limits.KNOWN_SECONDS
        nursery.cancel_scope.cancel()
