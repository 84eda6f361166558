"""Objects of console calls against a Chrome that says what the test tells it to."""

from random import Random
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from gasoline_cdp import limits
from gasoline_cdp.capture.console import console_text
from gasoline_cdp.capture.previews import PreviewFetcher
from gasoline_cdp.cdp.connection import Session, open_connection
from gasoline_cdp.records import Level
from gasoline_cdp.store.telemetry import Telemetry
from tests.fakes import FakeTransport, log_record, settled
from tests.made_material import MAKERS

# ruff: noqa: ARG001 - a test that names the clock has time pass when nothing else does
pytestmark = pytest.mark.requirement("F2-CONSOLE")

SHALLOW = {"name": "a", "type": "object", "value": "Object"}
INNER = {"type": "object", "description": "Object", "properties": [{"name": "b", "type": "number", "value": "1"}]}


def preview(part: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "description": "Object", "overflow": False, "properties": [part]}


def called(number: int = 1) -> dict[str, Any]:
    value = {"type": "object", "description": "Object", "objectId": str(number), "preview": preview(SHALLOW)}
    return {"type": "error", "args": [value]}


def hear(previews: PreviewFetcher, session: Session, number: int = 1, level: Level = "error") -> None:
    previews.offer(session, called(number), log_record(number, "{a: {…}}", level=level), console_text)


async def test_a_look_gives_a_better_text(autojump_clock: MockClock) -> None:
    chrome, telemetry = FakeTransport(), Telemetry()
    previews = PreviewFetcher(telemetry)
    async with open_connection(chrome, strict=True) as connection, trio.open_nursery() as nursery:
        nursery.start_soon(previews.run)
        hear(previews, connection.root)
        record = log_record(1, "{a: {…}}")
        assert telemetry.known(record).text == "{a: {…}}"
        await settled()
        look = chrome.last("Runtime.callFunctionOn")
        assert look["params"]["objectId"] == "1"
        assert look["params"]["throwOnSideEffect"] is True
        chrome.answer(look, {"result": {"value": [preview({**SHALLOW, "valuePreview": INNER})]}})
        await previews.backlog.wait_idle()
        assert telemetry.known(record).text == "{a: {b: 1}}"
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize(
    "reply",
    [
        {},
        {"result": {}},
        {"result": {"value": "text"}},
        {"result": {"value": []}},
        {"result": {"value": [None, 7]}},
        {"result": {"value": [{}]}, "exceptionDetails": {"text": "Uncaught"}},
        {"result": {"value": [preview({"name": "a", "type": "number", "value": "2"})]}},
    ],
)
async def test_a_look_without_result_leaves_the_text(reply: dict[str, Any], autojump_clock: MockClock) -> None:
    chrome, telemetry = FakeTransport(), Telemetry()
    previews = PreviewFetcher(telemetry)
    async with open_connection(chrome, strict=True) as connection, trio.open_nursery() as nursery:
        nursery.start_soon(previews.run)
        hear(previews, connection.root)
        await settled()
        chrome.answer(chrome.last("Runtime.callFunctionOn"), reply)
        await previews.backlog.wait_idle()
        assert telemetry.known(log_record(1, "as it was")).text == "as it was"
        nursery.cancel_scope.cancel()


async def test_a_page_that_refuses_or_hangs_does_not_end_the_looking(autojump_clock: MockClock) -> None:
    chrome, telemetry = FakeTransport(), Telemetry()
    previews = PreviewFetcher(telemetry)
    async with open_connection(chrome, strict=True) as connection, trio.open_nursery() as nursery:
        nursery.start_soon(previews.run)
        for number in (1, 2, 3):
            hear(previews, connection.root, number)
        await settled()
        chrome.refuse(chrome.last("Runtime.callFunctionOn"), -32000, "Could not find object with given id")
        # The second is never answered: its time runs out.
        await trio.sleep(limits.PREVIEW_SECONDS + 1)
        look = chrome.last("Runtime.callFunctionOn")
        assert look["params"]["objectId"] == "3"
        chrome.answer(look, {"result": {"value": [preview({**SHALLOW, "valuePreview": INNER})]}})
        await previews.backlog.wait_idle()
        assert telemetry.known(log_record(3)).text == "{a: {b: 1}}"
        nursery.cancel_scope.cancel()


async def test_a_flood_is_looked_into_only_so_far_and_counted() -> None:
    chrome, telemetry = FakeTransport(), Telemetry()
    previews = PreviewFetcher(telemetry)
    async with open_connection(chrome, strict=True) as connection:
        for number in range(limits.PREVIEW_BACKLOG + 30):
            hear(previews, connection.root, number)
        assert (len(previews.backlog), previews.backlog.skipped) == (limits.PREVIEW_BACKLOG, 30)


async def test_a_secret_at_the_edge_of_a_string_is_masked_before_the_string_is_cut(autojump_clock: MockClock) -> None:
    chrome, telemetry = FakeTransport(), Telemetry()
    previews = PreviewFetcher(telemetry)
    secret = MAKERS["shopify"](Random(11))
    long = {"name": "b", "type": "string", "value": "x" * 180 + " " + secret + " rest"}
    async with open_connection(chrome, strict=True) as connection, trio.open_nursery() as nursery:
        nursery.start_soon(previews.run)
        hear(previews, connection.root)
        await settled()
        look = chrome.last("Runtime.callFunctionOn")
        assert look["params"]["arguments"][0]["value"]["string"] > 200 + len(secret)
        inner = {**INNER, "properties": [long]}
        chrome.answer(look, {"result": {"value": [preview({**SHALLOW, "valuePreview": inner})]}})
        await previews.backlog.wait_idle()
        text = telemetry.known(log_record(1, "{a: {…}}")).text
        assert "x" * 180 in text
        assert secret[6:14] not in text
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("level", ["log", "info", "debug"])
async def test_what_is_no_trouble_is_looked_into_where_there_is_time(level: Level, autojump_clock: MockClock) -> None:
    chrome, telemetry = FakeTransport(), Telemetry()
    previews = PreviewFetcher(telemetry)
    async with open_connection(chrome, strict=True) as connection, trio.open_nursery() as nursery:
        for number in range(3):
            hear(previews, connection.root, number, level=level)
        assert (len(previews.backlog), previews.backlog.skipped) == (1, 0)
        nursery.start_soon(previews.run)
        await settled()
        look = chrome.last("Runtime.callFunctionOn")
        assert look["params"]["arguments"][0]["value"]["levels"] == 3
        chrome.answer(look, {"result": {"value": [preview({**SHALLOW, "valuePreview": INNER})]}})
        await previews.backlog.wait_idle()
        hear(previews, connection.root, 4, level=level)
        assert len(previews.backlog) == 0
        await trio.sleep(limits.PREVIEW_LOGS_SECONDS)
        hear(previews, connection.root, 5, level=level)
        assert len(previews.backlog) == 1
        nursery.cancel_scope.cancel()


async def test_chrome_is_told_to_let_go_after_every_hundred() -> None:
    chrome, telemetry = FakeTransport(), Telemetry()
    previews = PreviewFetcher(telemetry)
    async with open_connection(chrome, strict=True) as connection:
        for number in range(3 * limits.OBJECTS_HELD - 1):
            hear(previews, connection.root, number, level="log")
            previews.offer(connection.root, {"type": "log", "args": [{"type": "string"}]}, log_record(0), console_text)
        await settled()
        assert chrome.methods() == ["Runtime.releaseObjectGroup"] * 2


async def test_chrome_holds_what_waits_for_a_look_but_not_for_ever() -> None:
    chrome, telemetry = FakeTransport(), Telemetry()
    previews = PreviewFetcher(telemetry)
    async with open_connection(chrome, strict=True) as connection:
        for number in range(10 * limits.OBJECTS_HELD - 1):
            hear(previews, connection.root, number)
        await settled()
        assert chrome.methods() == []
        hear(previews, connection.root)
        await settled()
        assert chrome.methods() == ["Runtime.releaseObjectGroup"]


async def test_the_better_texts_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ANNOTATIONS", 3)
    monkeypatch.setattr(limits, "PREVIEW_PAUSE_SECONDS", 0)
    chrome, telemetry = FakeTransport(), Telemetry()
    previews = PreviewFetcher(telemetry)
    async with open_connection(chrome, strict=True) as connection, trio.open_nursery() as nursery:
        nursery.start_soon(previews.run)
        for number in range(10):
            hear(previews, connection.root, number)
            await settled()
            deeper = preview({**SHALLOW, "valuePreview": INNER})
            chrome.answer(chrome.last("Runtime.callFunctionOn"), {"result": {"value": [deeper]}})
            await previews.backlog.wait_idle()
        assert [telemetry.known(log_record(number, "-")).text for number in (6, 7, 9)] == [
            "-",
            "{a: {b: 1}}",
            "{a: {b: 1}}",
        ]
        nursery.cancel_scope.cancel()
