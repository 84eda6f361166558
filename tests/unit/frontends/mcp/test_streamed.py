"""What is written to a client of the handshake era."""

import json
from typing import Any

import pytest

from gasoline_cdp.frontends.mcp.streamed import notification_lines
from gasoline_cdp.operations.client import Client
from gasoline_cdp.store.telemetry import Telemetry
from gasoline_cdp.streaming import Streaming, StreamSettings
from gasoline_cdp.tools.streaming import EVENTS_URI, NOTIFICATION

EVENT = {"category": "errors", "severity": "error", "message": "New error: x\n\u2028", "timestamp": "t", "context": {}}
TOLD = {
    "jsonrpc": "2.0",
    "method": NOTIFICATION,
    "params": {**EVENT, "_meta": {"gasoline-cdp/page_content": True}},
}
UPDATED = {"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": EVENTS_URI}}


@pytest.mark.requirement("F3-STREAM-CLIENTS")
@pytest.mark.parametrize(
    ("enabled", "follows", "lines"),
    [(True, False, [TOLD]), (False, True, [UPDATED]), (True, True, [TOLD, UPDATED]), (False, False, [])],
)
async def test_the_event_to_who_streams_and_a_hint_to_who_follows_the_resource(
    enabled: bool, follows: bool, lines: list[dict[str, Any]]
) -> None:
    with Streaming(Telemetry()).subscribe(StreamSettings(enabled=enabled), Client("mcp")) as subscription:
        subscription.follow_resource(follow=follows)
        written = notification_lines(subscription, EVENT)
    assert [json.loads(line) for line in written] == lines
    assert all(b"\n" not in line for line in written)
