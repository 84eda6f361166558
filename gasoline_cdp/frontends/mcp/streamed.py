"""Streamed events as notifications, and the settings from a listen filter or from the query of a GET."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from gasoline_cdp import wire
from gasoline_cdp.streaming import Streaming, StreamSettings, Subscription
from gasoline_cdp.tools.streaming import EVENTS_URI, NOTIFICATION, StreamingArgs, settings_from

RESOURCE_UPDATED = "notifications/resources/updated"
# Marks every notification that contains text of a page.
PAGE_CONTENT = {"gasoline-cdp/page_content": True}


def notification_lines(subscription: Subscription, event: dict[str, Any]) -> list[bytes]:
    """Lines for a client of the handshake era: the event if it streams, an update if it follows the resource."""
    lines = []
    if subscription.settings.enabled:
        lines.append(_line(NOTIFICATION, {**event, "_meta": PAGE_CONTENT}))
    if subscription.follows_resource:
        lines.append(_line(RESOURCE_UPDATED, {"uri": EVENTS_URI}))
    return lines


def _line(method: str, params: dict[str, Any]) -> bytes:
    return wire.encode({"jsonrpc": "2.0", "method": method, "params": params})


def asked_settings(value: Any, own: StreamSettings | None) -> StreamSettings:
    """The settings that a listen filter asks for: `true`, or the arguments of configure_streaming.

    `own` are the settings of the client's connection. `true` means these, if streaming is on there. A false value asks
    for nothing.
    """
    if not value:
        return StreamSettings()
    if value is True:
        return own if own is not None and own.enabled else StreamSettings(enabled=True)
    return settings_from(wire.parse(StreamingArgs, value), StreamSettings(enabled=True))


def acknowledged_settings(settings: StreamSettings) -> dict[str, Any]:
    """The settings in the form of an acknowledgement."""
    return {
        "events": list(settings.events),
        "throttle_seconds": settings.throttle_seconds,
        **({"url_filter": settings.url_filter} if settings.url_filter else {}),
    }


@contextmanager
def subscribed_by_query(streaming: Streaming, query: Mapping[str, str]) -> Iterator[Subscription]:
    """Subscribe as `?events=errors,security&throttle_seconds=5&url_filter=/api` asks. Streaming is always on."""
    given: dict[str, Any] = dict(query)
    if "events" in given:
        given["events"] = [name for name in given["events"].split(",") if name]
    if "throttle_seconds" in given:
        # Leave text that is not a number: the parser reports it like every other wrong value.
        with suppress(ValueError):
            given["throttle_seconds"] = float(given["throttle_seconds"])
    settings = settings_from(wire.parse(StreamingArgs, given), StreamSettings(enabled=True))
    with streaming.subscribe(settings) as subscription:
        yield subscription
