"""Everything captured in one answer, as a CI job attaches it to a failed test."""

import time
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import trio

from gasoline_cdp import wire
from gasoline_cdp.analysis.requests import went_wrong
from gasoline_cdp.tools.entries import show_action, show_body, show_log, show_socket
from gasoline_cdp.tools.listing import asked_moments
from gasoline_cdp.tools.paging import Listed, iso
from gasoline_cdp.tools.spec import Context

# So many records are made ready before others get a turn: a millisecond or two.
_AT_ONCE = 50

R = TypeVar("R", bound=Listed)


async def take_snapshot(context: Context, since: str | None, test_id: str | None) -> dict[str, Any]:
    """All records of the time asked for, newest first. What is in it is fixed at once; making it ready takes turns."""
    moments = asked_moments(since, test_id, context)
    context.capture.settle()
    await context.capture.wait_known()
    telemetry = context.telemetry

    def chosen(records: Iterable[R]) -> list[R]:
        return [record for record in records if record.ts in moments]

    logs, sockets = chosen(telemetry.logs.newest()), chosen(telemetry.sockets.newest())
    bodies, actions = chosen(telemetry.bodies.newest()), chosen(telemetry.actions.newest())
    failures = sum(went_wrong(record) for record in chosen(telemetry.network.newest()))
    answer = {
        "timestamp": iso(time.time()),
        "stats": {
            "error_count": sum(record.level == "error" for record in logs),
            "warning_count": sum(record.level == "warning" for record in logs),
            "network_failures": failures,
            "ws_connections": len({record.connection_id for record in sockets if record.kind == "websocket"}),
        },
        # What memory could not keep since the start, of any time and test.
        "dropped": {name: ring.dropped for name, ring in telemetry.rings().items() if ring.dropped},
        "logs": await _shown(logs, lambda record: show_log(record, context.capture)),
        "websocket_events": await _shown(sockets, show_socket),
        "network_bodies": await _shown(bodies, show_body),
        "enhanced_actions": await _shown(actions, show_action),
    }
    return answer if test_id is None else {**answer, "test_id": test_id}


async def _shown(records: list[R], show: Callable[[R], object]) -> list[Any]:
    entries = []
    for place, record in enumerate(records):
        if place % _AT_ONCE == 0:
            await trio.lowlevel.checkpoint()
        entries.append(wire.dump(show(record)))
    return entries
