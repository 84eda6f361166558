"""An error on a page reaches real MCP clients of both eras: as a notification, and in their next answer."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
import trio
from mcp.client import Client
from mcp.client.extension import ClientExtension, NotificationBinding
from mcp.client.stdio import stdio_client
from pydantic import BaseModel, ConfigDict

from gasoline_cdp.tools.streaming import EVENTS_URI, LISTEN_KEY, NOTIFICATION
from tests.processes import AS_PROGRAM, HEADLESS, drive, open_command, until
from tests.protocol.test_mcp import INITIALIZED, _by_hand, _call, _initialize, _parameters
from tests.support import PATIENCE

pytestmark = pytest.mark.requirement("F3-STREAM-CLIENTS")


class Params(BaseModel):
    """Whatever a notification brings."""

    model_config = ConfigDict(extra="allow")


class Ear(ClientExtension):
    """Hears our notifications, as an editor that knows of them would."""

    identifier = LISTEN_KEY

    def __init__(self) -> None:
        self._say, self._heard = trio.open_memory_channel[dict[str, Any]](100)
        self.acknowledged = trio.Event()
        self.honoured: dict[str, Any] = {}
        self.updated: list[str] = []
        self.one_updated = trio.Event()

    async def _take(self, params: Params) -> None:
        await self._say.send(params.model_dump(by_alias=True))

    def notifications(self) -> list[NotificationBinding[Params]]:
        return [NotificationBinding(method=NOTIFICATION, params_type=Params, handler=self._take)]

    async def other(self, message: Any) -> None:
        if isinstance(message, types.SubscriptionsAcknowledgedNotification):
            self.honoured = message.params.notifications.model_dump(by_alias=True, exclude_none=True)
            self.acknowledged.set()
        elif isinstance(message, types.ResourceUpdatedNotification):
            self.updated.append(message.params.uri)
            self.one_updated.set()

    async def next(self) -> dict[str, Any]:
        with trio.fail_after(PATIENCE):
            return await self._heard.receive()


@asynccontextmanager
async def _server(way: str, tmp_path: Path) -> AsyncIterator[tuple[list[str], Path]]:
    """The arguments by which an editor starts its server, and the profile of the browser it gets."""
    profile = tmp_path / "profile"
    browser = [*HEADLESS, "--profile", str(profile), "--debug-port", "0"]
    if way == "standalone":
        yield ["mcp", *AS_PROGRAM, "--standalone", *browser], profile
        return
    async with open_command("launch", *browser) as running:
        await running.said("Watching Chrome/")
        yield ["mcp", *AS_PROGRAM], profile


async def _browser_runs(client: Client) -> None:
    async def runs() -> bool:
        return bool((await _call(client, "observe", what="status"))["browser"]["state"] == "running")

    await until(runs)


async def listen(client: Client, wanted: dict[str, Any]) -> None:
    filter_ = types.SubscriptionFilter.model_validate(wanted)
    request = types.SubscriptionsListenRequest(params=types.SubscriptionsListenRequestParams(notifications=filter_))
    await client.session.send_request(request, types.SubscriptionsListenResult)


@pytest.mark.parametrize("way", ["standalone", "daemon"])
async def test_an_error_is_heard_by_a_client_of_the_handshake_era(way: str, site: str, tmp_path: Path) -> None:
    ear = Ear()
    async with _server(way, tmp_path) as (arguments, profile):
        transport = stdio_client(_parameters(*arguments, tmp_path=tmp_path))
        async with Client(transport, mode="legacy", extensions=[ear]) as client:
            await _browser_runs(client)
            on = await _call(client, "configure_streaming", enabled=True)
            assert on["delivered"]["notifications"] == NOTIFICATION
            await drive(profile, f"{site}page/one-error")
            told = await ear.next()
            assert told["category"] == "errors"
            assert told["message"] == "New error: the lone error"
            assert told["_meta"] == {"gasoline-cdp/page_content": True}
            answer = await _call(client, "observe", what="tabs")
            assert [entry["message"] for entry in answer["events"]["entries"]] == ["New error: the lone error"]
            assert "events" not in await _call(client, "observe", what="tabs")
            status = await _call(client, "observe", what="status")
            assert status["streaming"]["sent"] == 1


@pytest.mark.parametrize("way", ["standalone", "daemon"])
async def test_an_error_is_heard_by_a_client_of_the_new_era(way: str, site: str, tmp_path: Path) -> None:
    ear = Ear()
    async with _server(way, tmp_path) as (arguments, profile):
        transport = stdio_client(_parameters(*arguments, tmp_path=tmp_path))
        async with Client(transport, mode="2026-07-28", extensions=[ear], message_handler=ear.other) as client:
            await _browser_runs(client)
            on = await _call(client, "configure_streaming", enabled=True)
            assert LISTEN_KEY in on["delivered"]["notifications"]
            wanted = {LISTEN_KEY: {"events": ["errors"], "throttle_seconds": 1}, "resourceSubscriptions": [EVENTS_URI]}
            async with trio.open_nursery() as nursery:
                nursery.start_soon(listen, client, wanted)
                with trio.fail_after(PATIENCE):
                    await ear.acknowledged.wait()
                assert ear.honoured == {
                    LISTEN_KEY: {"events": ["errors"], "throttle_seconds": 1.0},
                    "resourceSubscriptions": [EVENTS_URI],
                }
                await drive(profile, f"{site}page/one-error")
                told = await ear.next()
                assert told["message"] == "New error: the lone error"
                assert told["_meta"]["gasoline-cdp/page_content"] is True
                assert "io.modelcontextprotocol/subscriptionId" in told["_meta"]
                with trio.fail_after(PATIENCE):
                    await ear.one_updated.wait()
                assert ear.updated == [EVENTS_URI]
                answer = await _call(client, "observe", what="tabs")
                assert [entry["message"] for entry in answer["events"]["entries"]] == ["New error: the lone error"]
                # The client has heard enough: the stream ends, the connection does not.
                nursery.cancel_scope.cancel()

            async def only_the_connection_is_left() -> bool:
                status = await _call(client, "observe", what="status")
                return len(status["streaming"]["subscribers"]) == 1

            await until(only_the_connection_is_left)


async def test_a_listen_filter_that_cannot_be_used_is_refused(tmp_path: Path) -> None:
    async with _server("standalone", tmp_path) as (arguments, _):
        transport = stdio_client(_parameters(*arguments, tmp_path=tmp_path))
        with trio.fail_after(PATIENCE):
            async with Client(transport, mode="2026-07-28") as client:
                with pytest.raises(Exception, match=r"throttle_seconds must be at most 60") as refused:
                    await listen(client, {LISTEN_KEY: {"throttle_seconds": 100}})
                assert "MCPError" in type(refused.value).__name__


@pytest.mark.requirement("S28")
async def test_the_wire_carries_a_notification_as_one_line_of_its_own(site: str, tmp_path: Path) -> None:
    """By hand, as the seed has it: method and params, no id, written to standard output between answers."""
    async with _server("standalone", tmp_path) as (arguments, profile), _by_hand(*arguments) as (_, exchange):
        number = 1

        async def call(tool: str, **given: Any) -> Any:
            nonlocal number
            number += 1
            params = {"name": tool, "arguments": given}
            request = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
            answer = await exchange(json.dumps(request).encode())
            assert answer["id"] == number
            return answer["result"]["structuredContent"]

        await exchange(_initialize(), INITIALIZED)

        async def runs() -> bool:
            return bool((await call("observe", what="status"))["browser"]["state"] == "running")

        await until(runs)
        await call("configure_streaming", enabled=True, throttle_seconds=1)
        await drive(profile, f"{site}page/errors")
        notification = await exchange()
        assert set(notification) == {"jsonrpc", "method", "params"}
        assert notification["method"] == NOTIFICATION
        params = notification["params"]
        assert {"category", "severity", "message", "timestamp", "context"} <= set(params)
        # The page goes wrong in several ways at once: they come together.
        assert params["count"] > 1
        assert {event["category"] for event in params["events"]} == {"errors"}
        events = (await call("observe", what="tabs"))["events"]
        assert events["total"] >= params["count"]
        off = await call("configure_streaming", enabled=False)
        assert off["streaming"]["enabled"] is False
