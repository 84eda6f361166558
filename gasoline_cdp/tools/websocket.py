"""`get_websocket_events`: messages of WebSockets and EventSources."""

from typing import Literal

from attrs import frozen

from gasoline_cdp import wire
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Tool
from gasoline_cdp.store.boundaries import RecordFilter
from gasoline_cdp.views.listing import SinceArgs, view_window
from gasoline_cdp.views.websockets import SocketsAnswer, list_socket_events


@frozen(kw_only=True)
class SocketArgs(SinceArgs):
    """Arguments of get_websocket_events."""

    connection_id: str | None = wire.arg("Include only this connection.", default=None)
    direction: Literal["incoming", "outgoing"] | None = wire.arg(
        "Include only messages in this direction.", default=None
    )


async def get_websocket_events(args: SocketArgs, context: Context) -> SocketsAnswer:
    """Answer from the store."""
    return list_socket_events(
        args,
        context,
        view_window("websockets", args.since, RecordFilter(), args.tab_id, context),
        connection_id=args.connection_id,
        direction=args.direction,
    )


TOOLS = (
    Tool(
        name="get_websocket_events",
        title="WebSocket events",
        description="WebSocket and EventSource connections, and their incoming and outgoing messages.",
        args=SocketArgs,
        answer=SocketsAnswer,
        run=get_websocket_events,
    ),
)
