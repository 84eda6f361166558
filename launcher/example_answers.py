"""Answers for the pages of the tools: made by hand, rendered by the code that renders every answer."""
# ruff: noqa: INP001 - a module of the checkout, which is no package

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from gasoline_cdp.answers.body_entries import BodyEntry
from gasoline_cdp.answers.lines import Rendered
from gasoline_cdp.answers.log_entries import LogEntry
from gasoline_cdp.answers.network_entries import NetworkEntry
from gasoline_cdp.answers.text import write_lines
from gasoline_cdp.views.bodies import BodiesAnswer
from gasoline_cdp.views.listing import Listing

_PAGE = "http://localhost:3000/checkout"
_BODY = '{"error":"inventory_unavailable","message":"Stock service timed out"}'


def example_lines(tool: str) -> str:
    """An answer of a tool as an assistant reads it; nothing for tools whose answers need no example."""
    if tool not in _ANSWERS:
        return ""
    with _in_utc():
        return write_lines(_ANSWERS[tool].render())


@contextmanager
def _in_utc() -> Iterator[None]:
    """Lines show local times: the pages are the same wherever they are made."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = "UTC"
    time.tzset()
    try:
        yield
    finally:
        if before is None:
            del os.environ["TZ"]
        else:
            os.environ["TZ"] = before
        time.tzset()


_ERRORS = Listing(
    summary="3 errors (1 exception, 1 failed request, 1 rejection), last 2s ago.",
    entries=[
        LogEntry(
            ts="2026-01-15T09:30:12.410Z",
            level="error",
            kind="exception",
            message="Uncaught TypeError: Cannot read properties of undefined (reading 'percent')",
            at="applyCoupon (http://localhost:3000/src/cart.ts:197:38)",
            stack=["submit (http://localhost:3000/src/checkout.ts:58:5)"],
            tab_id=1,
            page=_PAGE,
        ),
        NetworkEntry(
            ts="2026-01-15T09:30:12.180Z",
            id="r44",
            kind="network",
            method="POST",
            url="http://localhost:3000/api/orders",
            status=503,
            outcome="http_error",
            type="Fetch",
            at="submit (http://localhost:3000/src/checkout.ts:61:22)",
            body=_BODY,
            tab_id=1,
        ),
        LogEntry(
            ts="2026-01-15T09:30:10.002Z",
            level="error",
            kind="rejection",
            message="Uncaught (in promise) Error: no review feed",
            at="load (http://localhost:3000/src/reviews.worker.ts:20:11)",
            tab_id=1,
            page="http://localhost:3000/src/reviews.worker.ts",
            worker="worker http://localhost:3000/src/reviews.worker.ts",
            count=3,
            first_ts="2026-01-15T09:29:50.000Z",
        ),
    ],
    total=5,
    dropped=0,
)
_BODIES = BodiesAnswer(
    summary="1 with bodies.",
    entries=[
        BodyEntry(
            ts="2026-01-15T09:30:12.180Z",
            id="r44",
            method="POST",
            url="http://localhost:3000/api/orders",
            status=503,
            requestBody='{"items":[{"sku":"PSP-104","count":2}]}',
            responseBody=_BODY,
            contentType="application/json",
            duration=118.2,
            tab_id=1,
        )
    ],
    total=1,
    dropped=0,
)
_ANSWERS: dict[str, Rendered] = {"observe": _ERRORS, "get_network_bodies": _BODIES}
