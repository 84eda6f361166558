"""Streamed events on an MCP connection: bare notifications in the handshake era, a listen stream since 2026-07-28."""

from typing import Any

from gasoline_cdp import wire
from gasoline_cdp.errors import GasolineError
from gasoline_cdp.streaming import Streaming, StreamSettings, Subscription
from gasoline_cdp.tools.streaming import EVENTS_URI, LISTEN_KEY, NOTIFICATION, StreamingArgs, settings_from

_RESOURCE_UPDATED = "notifications/resources/updated"
# Told of every notification that holds what a page wrote.
_PAGE_CONTENT = {"gasoline-cdp/page_content": True}


def notification_lines(subscription: Subscription, event: dict[str, Any]) -> list[bytes]:
    """What to write to a client of the handshake era: the event if it streams, a hint if it follows the resource."""
    lines = []
    if subscription.settings.enabled:
        lines.append(_line(NOTIFICATION, {**event, "_meta": _PAGE_CONTENT}))
    if subscription.follows_resource:
        lines.append(_line(_RESOURCE_UPDATED, {"uri": EVENTS_URI}))
    return lines


def _line(method: str, params: dict[str, Any]) -> bytes:
    return wire.encode({"jsonrpc": "2.0", "method": method, "params": params})


async def serve_listen(streaming: Streaming, own: StreamSettings | None, ctx: Any, params: Any) -> Any:
    """`subscriptions/listen`: acknowledge what will be told, and tell it until the client has heard enough.

    `own` are the settings of the client's connection, which `true` in the filter means if streaming is on there.
    """
    import mcp_types as types  # noqa: PLC0415 - imported by now, and not before it is needed
    from mcp.shared.exceptions import MCPError  # noqa: PLC0415 - as above
    from mcp.shared.subscriptions import SUBSCRIPTION_ID_META_KEY  # noqa: PLC0415 - as above

    asked = params.notifications
    try:
        settings = _asked_settings((asked.model_extra or {}).get(LISTEN_KEY), own)
    except GasolineError as error:
        raise MCPError(types.INVALID_PARAMS, f"{LISTEN_KEY}: {error.message}") from error
    follows = EVENTS_URI in (asked.resource_subscriptions or ())
    meta = {SUBSCRIPTION_ID_META_KEY: ctx.request_id}

    async def tell(method: str, body: dict[str, Any]) -> None:
        message = types.Notification[dict[str, Any], str](method=method, params=body)
        await ctx.session.send_notification(message, related_request_id=ctx.request_id)

    # Subscribed before the client hears of it, so that nothing is lost in between.
    with streaming.subscribe(settings) as subscription:
        if follows:
            subscription.follow_resource(follow=True)
        honoured = {
            **({LISTEN_KEY: _told(settings)} if settings.enabled else {}),
            **({"resourceSubscriptions": [EVENTS_URI]} if follows else {}),
        }
        await tell("notifications/subscriptions/acknowledged", {"notifications": honoured, "_meta": meta})
        async for event in subscription:
            if settings.enabled:
                await tell(NOTIFICATION, {**event, "_meta": {**meta, **_PAGE_CONTENT}})
            if follows:
                await tell(_RESOURCE_UPDATED, {"uri": EVENTS_URI, "_meta": meta})
    return {"resultType": "complete", "_meta": meta}


def _asked_settings(value: Any, own: StreamSettings | None) -> StreamSettings:
    """`true`, or the arguments of configure_streaming; anything false is not asking."""
    if not value:
        return StreamSettings()
    if value is True:
        return own if own is not None and own.enabled else StreamSettings(enabled=True)
    return settings_from(wire.parse(StreamingArgs, value), StreamSettings(enabled=True))


def _told(settings: StreamSettings) -> dict[str, Any]:
    return {
        "events": list(settings.events),
        "throttle_seconds": settings.throttle_seconds,
        **({"url_filter": settings.url_filter} if settings.url_filter else {}),
    }
