"""Streamed events on their way out: as lines of the handshake era, by a listen filter, by the query of a GET."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from gasoline_cdp import wire
from gasoline_cdp.streaming import Streaming, StreamSettings, Subscription
from gasoline_cdp.tools.streaming import EVENTS_URI, NOTIFICATION, StreamingArgs, settings_from

RESOURCE_UPDATED = "notifications/resources/updated"
# Told of every notification that holds what a page wrote.
PAGE_CONTENT = {"gasoline-cdp/page_content": True}


def notification_lines(subscription: Subscription, event: dict[str, Any]) -> list[bytes]:
    """What to write to a client of the handshake era: the event if it streams, a hint if it follows the resource."""
    lines = []
    if subscription.settings.enabled:
        lines.append(_line(NOTIFICATION, {**event, "_meta": PAGE_CONTENT}))
    if subscription.follows_resource:
        lines.append(_line(RESOURCE_UPDATED, {"uri": EVENTS_URI}))
    return lines


def _line(method: str, params: dict[str, Any]) -> bytes:
    return wire.encode({"jsonrpc": "2.0", "method": method, "params": params})


def asked_settings(value: Any, own: StreamSettings | None) -> StreamSettings:
    """What the key of a listen filter asks for: `true`, or the arguments of configure_streaming.

    `own` are the settings of the client's connection, which `true` means if streaming is on there. Anything false is
    not asking.
    """
    if not value:
        return StreamSettings()
    if value is True:
        return own if own is not None and own.enabled else StreamSettings(enabled=True)
    return settings_from(wire.parse(StreamingArgs, value), StreamSettings(enabled=True))


def told_settings(settings: StreamSettings) -> dict[str, Any]:
    """Settings as an acknowledgement names them."""
    return {
        "events": list(settings.events),
        "throttle_seconds": settings.throttle_seconds,
        **({"url_filter": settings.url_filter} if settings.url_filter else {}),
    }


@contextmanager
def subscribed_by_query(streaming: Streaming, query: Mapping[str, str]) -> Iterator[Subscription]:
    """Be told what `?events=errors,security&throttle_seconds=5&url_filter=/api` asks for; asking is switching it on."""
    given: dict[str, Any] = dict(query)
    if "events" in given:
        given["events"] = [name for name in given["events"].split(",") if name]
    if "throttle_seconds" in given:
        # What is no number stays what it is, and is refused in the same words as everything else.
        with suppress(ValueError):
            given["throttle_seconds"] = float(given["throttle_seconds"])
    settings = settings_from(wire.parse(StreamingArgs, given), StreamSettings(enabled=True))
    with streaming.subscribe(settings) as subscription:
        yield subscription
