"""Makes the HAR file of captured requests. It needs little else: a test runner asks for one of each failing test."""

from collections.abc import Callable
from typing import Any

import orjson

from gasoline_cdp import __version__
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.artifacts.har import HarRecords, make_har
from gasoline_cdp.comparisons.generate_args import Document, GenerateArgs
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.record_filters import is_named
from gasoline_cdp.records import NetworkRecord
from gasoline_cdp.store.boundaries import RecordFilter
from gasoline_cdp.views.listing import requested_window


def make_requests_document(args: GenerateArgs, context: Context) -> Document:
    """A HAR file of the captured requests that the arguments select."""
    window = requested_window(args.since, RecordFilter(test_id=args.test_id, retry=args.retry), context)
    chosen = [one for one in context.telemetry.network.newest() if one in window and _is_wanted(one, args)]
    narrowed = bool(args.method) or args.status_min is not None or args.status_max is not None
    captured = _captured(
        context,
        chosen,
        # The record is one of ours; a filter for requests leaves out sockets.
        lambda one: not narrowed and one in window and is_named(args.url_filter, getattr(one, "url", "")),
    )
    har = make_har(captured, include_bodies=args.include_bodies)
    count = number_of(len(har["log"]["entries"]), "request")
    return json_document(har, f"HAR 1.2 with {count}.", ".har")


def _is_wanted(record: NetworkRecord, args: GenerateArgs) -> bool:
    status = record.status or 0
    return (
        is_named(args.url_filter, record.url)
        and (args.method is None or record.method == args.method.upper())
        and (args.status_min is None or status >= args.status_min)
        and (args.status_max is None or status <= args.status_max)
    )


def _captured(context: Context, chosen: list[NetworkRecord], selects: Callable[[Any], bool]) -> HarRecords:
    """The chosen requests, and what else a HAR file tells about them."""
    telemetry = context.telemetry
    bodies = {one.id: body for one in chosen if (body := telemetry.body_of(one.id)) is not None}
    return HarRecords(
        requests=[telemetry.known(one) for one in chosen],
        bodies=bodies,
        sockets=[one for one in telemetry.sockets.newest() if selects(one)],
        loads=[one for one in telemetry.performance.newest() if selects(one)],
        dropped=telemetry.network.dropped + telemetry.sockets.dropped,
        body_mode=context.capture.bodies.mode,
        browser=context.browser.version,
        version=__version__,
    )


def json_document(content: dict[str, Any], summary: str, suffix: str, *, sort: bool = False) -> Document:
    """A document of JSON that people can read."""
    options = orjson.OPT_INDENT_2 | (orjson.OPT_SORT_KEYS if sort else 0)
    return Document(text=orjson.dumps(content, option=options), summary=summary, content=content, suffix=suffix)
