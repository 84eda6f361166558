"""Tells clients that a resource they subscribed to has changed: at most once a second each, in both eras."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import trio

from gasoline_cdp import limits
from gasoline_cdp.frontends.resources import CHANGING, changed_by, no_such_resource, refusal
from gasoline_cdp.records import Record
from gasoline_cdp.store.telemetry import Telemetry
from gasoline_cdp.tools.spec import Context


class Changes:
    """Which of some resources have changed and not been told of. One client's, read by one task."""

    def __init__(self) -> None:
        self.uris: set[str] = set()
        self._changed: set[str] = set()
        self._told_at: dict[str, float] = {}
        self._arrived = trio.Event()

    def hear(self, record: Record) -> None:
        """A record came; sync, and nothing but set operations, as every record passes here."""
        touched = self.uris.intersection(changed_by(record))
        if touched:
            self._changed |= touched
            self._arrived.set()

    async def next(self) -> str:
        """Wait for a change that may be told now."""
        while True:
            now = trio.current_time()
            due = {uri: self._told_at.get(uri, -math.inf) + limits.RESOURCE_UPDATE_SECONDS for uri in self._changed}
            ready = min(due, key=lambda uri: due[uri], default=None)
            if ready is None:
                self._arrived = trio.Event()
                await self._arrived.wait()
            elif due[ready] <= now:
                self._changed.discard(ready)
                self._told_at[ready] = now
                return ready
            else:
                await trio.sleep_until(due[ready])


class Subscriptions:
    """What one connection of the handshake era has subscribed to, and the task that tells it."""

    def __init__(self, telemetry: Telemetry) -> None:
        self._telemetry = telemetry
        self._changes = Changes()
        self._session: Any = None
        self._wanted = trio.Event()

    def add(self, uri: str, session: Any) -> None:
        """Tell of this one from now on."""
        self._changes.uris.add(uri)
        self._session = session
        self._wanted.set()

    def remove(self, uri: str) -> None:
        """Tell of this one no more."""
        self._changes.uris.discard(uri)

    async def run(self) -> None:
        """Tell until cancelled; nothing listens before the first subscription."""
        await self._wanted.wait()
        with self._telemetry.listening(self._changes.hear):
            while True:
                uri = await self._changes.next()
                if uri in self._changes.uris:
                    await self._session.send_resource_updated(uri)


# Whose subscriptions a task of a connection works for. Set by whoever serves the connection, and runs them.
connection: ContextVar[Subscriptions] = ContextVar("subscriptions")


@contextmanager
def _hearing(context: Context, uris: set[str]) -> Iterator[Changes]:
    changes = Changes()
    changes.uris = uris
    with context.telemetry.listening(changes.hear):
        yield changes


def handlers(context: Context) -> dict[str, Any]:
    """What the library's server calls."""
    import mcp_types as types  # noqa: PLC0415 - imported in a thread, by now
    from mcp.shared.exceptions import MCPError  # noqa: PLC0415 - as above
    from mcp.shared.subscriptions import SUBSCRIPTION_ID_META_KEY  # noqa: PLC0415 - as above

    def subscriptions_of_caller() -> Subscriptions:
        if (subscriptions := connection.get(None)) is None:
            raise MCPError(types.METHOD_NOT_FOUND, "Subscriptions need a lasting connection; read the resource again.")
        return subscriptions

    async def subscribe(ctx: Any, params: Any) -> Any:
        if params.uri not in CHANGING:
            raise refusal(no_such_resource(params.uri), params.uri, ctx.protocol_version)
        subscriptions_of_caller().add(params.uri, ctx.session)
        return types.EmptyResult()

    async def unsubscribe(_ctx: Any, params: Any) -> Any:
        subscriptions_of_caller().remove(params.uri)
        return types.EmptyResult()

    async def listen(ctx: Any, params: Any) -> Any:
        """The new era: the request stays open, and what it asked for is sent on its stream."""
        uris = set(params.notifications.resource_subscriptions or ()) & CHANGING.keys()
        meta: dict[str, Any] = {SUBSCRIPTION_ID_META_KEY: ctx.request_id}

        async def tell(notification: Any) -> None:
            await ctx.session.send_notification(notification, related_request_id=ctx.request_id)

        # Listening before the acknowledgement: what comes between is told after it.
        with _hearing(context, uris) as changes:
            honoured = types.SubscriptionFilter(resource_subscriptions=sorted(uris) or None)
            acknowledged = types.SubscriptionsAcknowledgedNotificationParams(notifications=honoured, _meta=meta)
            await tell(types.SubscriptionsAcknowledgedNotification(params=acknowledged))
            while True:
                changed = types.ResourceUpdatedNotificationParams(uri=await changes.next(), _meta=meta)
                await tell(types.ResourceUpdatedNotification(params=changed))

    return {
        "on_subscribe_resource": subscribe,
        "on_unsubscribe_resource": unsubscribe,
        "on_subscriptions_listen": listen,
    }
