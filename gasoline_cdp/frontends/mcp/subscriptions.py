"""Sends what clients subscribed to: events, and changes of resources, at most once a second for each resource.

In the handshake era a connection subscribes to resources one by one, and the server of the connection writes its
events. Since 2026-07-28 a client asks for everything with one `subscriptions/listen`, and is notified on that request's
stream.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import trio

from gasoline_cdp.errors import GasolineError
from gasoline_cdp.frontends import limits as frontend_limits
from gasoline_cdp.frontends.mcp.resources import CHANGING, changed_by, no_such_resource, refusal
from gasoline_cdp.frontends.mcp.streamed import PAGE_CONTENT, RESOURCE_UPDATED, acknowledged_settings, asked_settings
from gasoline_cdp.nurseries import open_hidden_nursery
from gasoline_cdp.operations.context import Context
from gasoline_cdp.records import Record
from gasoline_cdp.store.telemetry import Telemetry
from gasoline_cdp.streaming import StreamSettings, Subscription
from gasoline_cdp.tools.streaming import EVENTS_URI, LISTEN_KEY, NOTIFICATION


class Changes:
    """The resources that have changed since the last notification. For one client, read by one task."""

    def __init__(self) -> None:
        self.uris: set[str] = set()
        self._changed: set[str] = set()
        self._notified_at: dict[str, float] = {}
        self._arrived = trio.Event()

    def hear(self, record: Record) -> None:
        """Note a record. Only set operations, since every record passes here."""
        touched = self.uris.intersection(changed_by(record))
        if touched:
            self._changed |= touched
            self._arrived.set()

    async def next(self) -> str:
        """Wait for a change that may be sent now."""
        while True:
            now = trio.current_time()
            due = {
                uri: self._notified_at.get(uri, -math.inf) + frontend_limits.RESOURCE_UPDATE_SECONDS
                for uri in self._changed
            }
            ready = min(due, key=lambda uri: due[uri], default=None)
            if ready is None:
                self._arrived = trio.Event()
                await self._arrived.wait()
            elif due[ready] <= now:
                self._changed.discard(ready)
                self._notified_at[ready] = now
                return ready
            else:
                await trio.sleep_until(due[ready])


class Subscriptions:
    """The subscriptions of one connection of the handshake era, and the task that sends their notifications."""

    def __init__(self, telemetry: Telemetry) -> None:
        self._telemetry = telemetry
        self._changes = Changes()
        self._session: Any = None
        self._greeted = trio.Event()
        self._wanted = trio.Event()

    def greeted(self, session: Any) -> None:
        """The client is ready, and may get notifications."""
        self._session = session
        self._greeted.set()

    async def push(self, stream: Subscription) -> None:
        """Send a stream's events through the library until cancelled: for connections that the library writes to."""
        import mcp_types as types  # noqa: PLC0415 - imported by now

        await self._greeted.wait()
        async for event in stream:
            if stream.settings.enabled:
                params = {**event, "_meta": PAGE_CONTENT}
                message = types.Notification[dict[str, Any], str](method=NOTIFICATION, params=params)
                await self._session.send_notification(message)
            if stream.follows_resource:
                await self._session.send_resource_updated(EVENTS_URI)

    def add(self, uri: str, session: Any) -> None:
        """Notify of changes to this resource from now on."""
        self._changes.uris.add(uri)
        self._session = session
        self._wanted.set()

    def remove(self, uri: str) -> None:
        """Stop notifications about this resource."""
        self._changes.uris.discard(uri)

    async def run(self) -> None:
        """Send notifications until cancelled. Listens to records only after the first subscription."""
        await self._wanted.wait()
        with self._telemetry.listening(self._changes.hear):
            while True:
                uri = await self._changes.next()
                if uri in self._changes.uris:
                    await self._session.send_resource_updated(uri)


# The subscriptions of the connection that a task works for. Set by the server of the connection.
connection: ContextVar[Subscriptions | None] = ContextVar("subscriptions", default=None)


@contextmanager
def subscribing_for(subscriptions: Subscriptions | None) -> Iterator[None]:
    """In this block, new subscriptions belong to this connection. None: they are refused."""
    token = connection.set(subscriptions)
    try:
        yield
    finally:
        connection.reset(token)


@contextmanager
def _listening(context: Context, uris: set[str]) -> Iterator[Changes]:
    changes = Changes()
    changes.uris = uris
    with context.telemetry.listening(changes.hear):
        yield changes


def handlers(context: Context, stream_of_caller: Callable[[], Subscription | None]) -> dict[str, Any]:
    """The handlers for the library's server. `stream_of_caller` returns the events of the calling connection."""
    import mcp_types as types  # noqa: PLC0415 - imported in a thread, by now
    from mcp.shared.exceptions import MCPError  # noqa: PLC0415 - as above

    def of_caller() -> tuple[Subscriptions, Subscription]:
        subscriptions, stream = connection.get(), stream_of_caller()
        if subscriptions is None or stream is None:
            raise MCPError(types.METHOD_NOT_FOUND, "Subscriptions need a lasting connection; read the resource again.")
        return subscriptions, stream

    async def subscribe(ctx: Any, params: Any) -> Any:
        if params.uri != EVENTS_URI and params.uri not in CHANGING:
            raise refusal(no_such_resource(params.uri), params.uri, ctx.protocol_version)
        subscriptions, stream = of_caller()
        if params.uri == EVENTS_URI:
            stream.follow_resource(follow=True)
        else:
            subscriptions.add(params.uri, ctx.session)
        return types.EmptyResult()

    async def unsubscribe(_ctx: Any, params: Any) -> Any:
        subscriptions, stream = of_caller()
        if params.uri == EVENTS_URI:
            stream.follow_resource(follow=False)
        else:
            subscriptions.remove(params.uri)
        return types.EmptyResult()

    async def listen(ctx: Any, params: Any) -> Any:
        stream = stream_of_caller()
        try:
            settings = asked_settings(
                (params.notifications.model_extra or {}).get(LISTEN_KEY), stream.settings if stream else None
            )
        except GasolineError as error:
            raise MCPError(types.INVALID_PARAMS, f"{LISTEN_KEY}: {error.message}") from error
        return await _listen(context, ctx, set(params.notifications.resource_subscriptions or ()), settings)

    return {
        "on_subscribe_resource": subscribe,
        "on_unsubscribe_resource": unsubscribe,
        "on_subscriptions_listen": listen,
    }


async def _listen(context: Context, ctx: Any, wanted: set[str], settings: StreamSettings) -> Any:
    """The new era: the request stays open, and its notifications are sent on its stream until the client cancels it."""
    import mcp_types as types  # noqa: PLC0415 - imported in a thread, by now
    from mcp.shared.subscriptions import SUBSCRIPTION_ID_META_KEY  # noqa: PLC0415 - as above

    meta = {SUBSCRIPTION_ID_META_KEY: ctx.request_id}
    uris, follows = wanted & CHANGING.keys(), EVENTS_URI in wanted

    async def notify(method: str, body: dict[str, Any]) -> None:
        message = types.Notification[dict[str, Any], str](method=method, params=body)
        await ctx.session.send_notification(message, related_request_id=ctx.request_id)

    async def notify_changes(changes: Changes) -> None:
        while True:
            await notify(RESOURCE_UPDATED, {"uri": await changes.next(), "_meta": meta})

    # Listen before the acknowledgement, so that nothing in between is lost: it is sent after it.
    with _listening(context, uris) as changes, context.streaming.subscribe(settings) as subscription:
        if follows:
            subscription.follow_resource(follow=True)
        honoured: dict[str, Any] = {LISTEN_KEY: acknowledged_settings(settings)} if settings.enabled else {}
        if resources := sorted(uris | ({EVENTS_URI} if follows else set())):
            honoured["resourceSubscriptions"] = resources
        await notify("notifications/subscriptions/acknowledged", {"notifications": honoured, "_meta": meta})
        async with open_hidden_nursery() as nursery:
            nursery.start_soon(notify_changes, changes)
            async for event in subscription:
                if settings.enabled:
                    await notify(NOTIFICATION, {**event, "_meta": {**meta, **PAGE_CONTENT}})
                if follows:
                    await notify(RESOURCE_UPDATED, {"uri": EVENTS_URI, "_meta": meta})
            nursery.cancel_scope.cancel()
    return {"resultType": "complete", "_meta": meta}
