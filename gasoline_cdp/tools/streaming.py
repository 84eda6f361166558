"""`configure_streaming`: sends significant events without being asked, and adds a digest to answers."""

from collections.abc import Iterator

from attrs import frozen

from gasoline_cdp import event_limits, limits, wire
from gasoline_cdp.analysis.events.event import Category
from gasoline_cdp.answers.lines import Line
from gasoline_cdp.answers.quoting import quoted
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Tool
from gasoline_cdp.streaming import StreamSettings

EVENTS_URI = "gasoline://events"
NOTIFICATION = "notifications/gasoline/event"
# In MCP from 2026-07-28 on, the key in a `subscriptions/listen` filter that asks for notifications.
LISTEN_KEY = "gasoline-cdp/events"


@frozen(kw_only=True)
class StreamingArgs:
    """Arguments of configure_streaming. Omitted ones keep their setting."""

    enabled: bool | None = wire.arg("Whether to send events (initially false).", default=None)
    events: list[Category] | None = wire.arg("Kinds of events to send (initially all).", default=None)
    throttle_seconds: float | None = wire.arg(
        "Shortest time between two notifications (initially 5).",
        default=None,
        minimum=event_limits.STREAM_THROTTLE_SECONDS_MIN,
        maximum=event_limits.STREAM_THROTTLE_SECONDS_MAX,
    )
    url_filter: str | None = wire.arg("Send only events whose URL or page URL contains this text.", default=None)


@frozen(kw_only=True)
class SettingsEntry:
    """The current settings of this client."""

    enabled: bool
    events: list[str]
    throttle_seconds: float
    url_filter: str = ""


@frozen(kw_only=True)
class StreamingAnswer:
    """The current settings, and where events arrive."""

    summary: str
    streaming: SettingsEntry
    delivered: dict[str, str]

    def render(self) -> Iterator[Line]:
        """Whether streaming is on, for which events, and where they arrive."""
        yield Line(self.summary, tone="heading")
        settings = self.streaming
        words = (
            " ".join(settings.events),
            f"every {settings.throttle_seconds:g} s at most",
            f"url_filter={quoted(settings.url_filter, limits.URL_CHARS)}" if settings.url_filter else "",
        )
        yield Line("; ".join(filter(None, words)), tag="events")
        for channel, how in self.delivered.items():
            yield Line(how, tag=f"{channel}:")


def settings_from(args: StreamingArgs, before: StreamSettings) -> StreamSettings:
    """The settings after the changes of the arguments."""
    if args.events is not None and not args.events:
        raise GasolineError(
            Code.INVALID_PARAMS,
            "events must name at least one category. To be told of nothing, use enabled=false.",
            problems=["events is empty"],
        )
    if args.url_filter is not None and len(args.url_filter) > limits.URL_CHARS:
        raise GasolineError(
            Code.INVALID_PARAMS,
            f"url_filter is longer than {limits.URL_CHARS} characters. A part of the URL is enough.",
            problems=["url_filter is too long"],
        )
    return StreamSettings(
        enabled=before.enabled if args.enabled is None else args.enabled,
        events=before.events if args.events is None else tuple(dict.fromkeys(args.events)),
        throttle_seconds=before.throttle_seconds if args.throttle_seconds is None else args.throttle_seconds,
        url_filter=before.url_filter if args.url_filter is None else args.url_filter,
    )


async def configure_streaming(args: StreamingArgs, context: Context) -> StreamingAnswer:
    """Change which events this client receives. What is captured does not change."""
    subscription = context.streaming.of(context.client)
    if subscription is None:
        settings_from(args, StreamSettings())
        return StreamingAnswer(
            summary=(
                "Nothing was changed: streaming belongs to a connection, and this one ends with this answer. "
                "To be told of events, use one of these."
            ),
            streaming=_shown(StreamSettings()),
            delivered={
                "command line": "gasoline-cdp watch, or watch --errors --json",
                "HTTP": "GET /events/stream; or name yourself in the header X-Gasoline-Client, and call again",
                "MCP": "configure_streaming over gasoline-cdp mcp",
            },
        )
    subscription.configure(settings_from(args, subscription.settings))
    settings = subscription.settings
    if not settings.enabled:
        return StreamingAnswer(
            summary="Streaming is off for this connection.", streaming=_shown(settings), delivered={}
        )
    return StreamingAnswer(
        summary=(
            f"Streaming is on for this connection: what is new and significant, at most every "
            f"{settings.throttle_seconds:g} s and {event_limits.STREAM_PER_MINUTE} times a minute."
        ),
        streaming=_shown(settings),
        delivered={
            "answers": "`events` in each answer of this connection: those since the last call",
            "notifications": NOTIFICATION
            if subscription.pushes
            else f'subscriptions/listen with {{"{LISTEN_KEY}": true}} in its filter: {NOTIFICATION}',
            "resource": f"{EVENTS_URI}: subscribe to it for resources/updated",
        },
    )


def _shown(settings: StreamSettings) -> SettingsEntry:
    return SettingsEntry(
        enabled=settings.enabled,
        events=list(settings.events),
        throttle_seconds=settings.throttle_seconds,
        url_filter=settings.url_filter,
    )


TOOLS = (
    Tool(
        name="configure_streaming",
        title="Configure streaming",
        description="Be told of events in later answers, and by notification.",
        args=StreamingArgs,
        answer=StreamingAnswer,
        run=configure_streaming,
        page_content=False,
    ),
)
