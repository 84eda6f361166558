"""Answers for the pages of the tools: made by hand, rendered by the code that renders every answer."""
# ruff: noqa: INP001 - a module of the checkout, which is no package

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gasoline_cdp.answers.body_entries import BodyEntry
from gasoline_cdp.answers.finding_entries import SecurityFindingEntry
from gasoline_cdp.answers.lines import Rendered
from gasoline_cdp.answers.log_entries import LogEntry
from gasoline_cdp.answers.network_entries import NetworkEntry
from gasoline_cdp.answers.socket_entries import SocketEntry
from gasoline_cdp.answers.text import write_lines
from gasoline_cdp.comparisons.verify_answers import BaselineEntry, ErrorDetail, VerifyAnswer
from gasoline_cdp.tools.contracts import ContractsAnswer
from gasoline_cdp.tools.dom import DomAnswer, Match
from gasoline_cdp.tools.security import AuditAnswer, AuditSummary, Scanned
from gasoline_cdp.views.bodies import BodiesAnswer
from gasoline_cdp.views.listing import Listing
from gasoline_cdp.views.page import FormInfo, PageInfo
from gasoline_cdp.views.websockets import ConnectionEntry, SocketsAnswer

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
    brief="3 errors, last 2s ago.",
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
_INFO = PageInfo(
    url=_PAGE,
    title="Checkout",
    tab_id=1,
    viewport={"width": 1280, "height": 800},
    scroll={"x": 0, "y": 0},
    documentHeight=1460,
    forms=[FormInfo(id="pay", action="/api/orders", fields=["name", "card", "coupon"])],
    headings=["Checkout", "Your cart", "Payment"],
    links=12,
    images=3,
    interactiveElements=19,
    readyState="complete",
    language="en",
    formCount=1,
    headingCount=3,
)
_ELEMENTS = DomAnswer(
    url=_PAGE,
    title="Checkout",
    tab_id=1,
    matches=[
        Match(
            selector="#pay > button",
            tag="button",
            attributes={"type": "submit", "disabled": ""},
            text="Pay now",
            boundingBox={"x": 40, "y": 612, "width": 120, "height": 32},
            visible=True,
            role="button",
            name="Pay now",
            styles={"display": "inline-block", "cursor": "not-allowed"},
        )
    ],
    matchCount=1,
    returnedCount=1,
)
_SOCKET: dict[str, Any] = {"url": "ws://localhost:3000/live", "tab_id": 1}
_SOCKETS = SocketsAnswer(
    summary="2 messages, last 2s ago.",
    connections=[
        ConnectionEntry(
            id="ws1",
            type="websocket",
            state="open",
            opened="2026-01-15T09:30:01.000Z",
            status=101,
            sent=1,
            received=2,
            bytes_sent=26,
            bytes_received=61,
            **_SOCKET,
        )
    ],
    entries=[
        SocketEntry(
            ts=f"2026-01-15T09:30:{second}.000Z",
            event="message",
            id="ws1",
            type="websocket",
            direction="incoming",
            data=data,
            size=len(data),
            **_SOCKET,
        )
        for second, data in (("11", '{"sku":"PSP-104","stock":0}'), ("09", '{"sku":"PSP-104","stock":3}'))
    ],
    total=2,
    dropped=0,
)
_CONTRACTS = ContractsAnswer(
    action="analyze",
    summary="1 violation on 1 of 4 endpoints.",
    violations=[
        {
            "endpoint": "GET /api/orders/:id",
            "type": "type_change",
            "severity": "warning",
            "description": "Field 'id' changed from number to string.",
            "expected_shape": {"id": "number", "total": "number"},
            "actual_shape": {"id": "string", "total": "number"},
            "occurrences": {"violation_count": 4, "last_violation": "2026-01-15T09:30:12.180Z"},
        }
    ],
    total_requests_analyzed=31,
)
_FINDINGS = AuditAnswer(
    summary=AuditSummary(
        total=1,
        critical=1,
        warning=0,
        info=0,
        scanned=Scanned(network_requests=31, console_entries=5, unique_endpoints=4, websocket_events=2),
    ),
    findings=[
        SecurityFindingEntry(
            severity="critical",
            category="credentials",
            title="Access token in a URL",
            description="GET /api/orders: an access token as 'token', in a URL.",
            evidence={"method": "GET", "url": "http://localhost:3000/api/orders?token=[REDACTED]", "page_url": _PAGE},
            recommendation="Send it in a header or a request body instead: addresses are logged and kept.",
            cwe="CWE-598",
            count=3,
        )
    ],
)
_STARTED = VerifyAnswer(
    session_id="verify-Q3kT8mZr",
    status="baseline_captured",
    message="2 issues remembered. Change the code, then call watch, try the scenario again, and compare.",
    baseline=BaselineEntry(
        captured_at="2026-01-15T09:30:20.000Z",
        console_errors=1,
        network_errors=1,
        error_details=[
            ErrorDetail(
                type="network",
                method="POST",
                url="/api/orders",
                status=503,
                retry='click button "Pay now"',
            ),
            ErrorDetail(
                type="console",
                message="Uncaught TypeError: Cannot read properties of undefined (reading 'percent')",
                retry='click button "Pay now"',
            ),
        ],
    ),
)
_ANSWERS: dict[str, Rendered] = {
    "observe": _ERRORS,
    "get_network_bodies": _BODIES,
    "get_page_info": _INFO,
    "query_dom": _ELEMENTS,
    "get_websocket_events": _SOCKETS,
    "validate_api": _CONTRACTS,
    "security_audit": _FINDINGS,
    "verify_fix": _STARTED,
}
