"""Credentials in headers: told where a browser should not have them, and not where they belong."""

import json
from random import Random
from typing import Any

import pytest

from gasoline_cdp.capture.pending_request import PendingRequest
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.records import Source
from gasoline_cdp.tools.registry import TOOLS
from tests.fakes import make_context
from tests.made_formats import fill
from tests.unit.tools.test_security import AWS, GITHUB, JWT, STRIPE

pytestmark = pytest.mark.requirement("F5-SECURITY")

PAGE = Source(1, "page", "https://app.shop.io/cart", 1, "T1")
OPENAI = fill(Random(5), "sk-proj-<an:40>T3BlbkFJ<an:40>")
TRIED = STRIPE.replace("live", "test")
PLAIN = "h7Gk29LmQx41ZpRt88"
OPAQUE = fill(Random(6), "<an:40>")


@pytest.fixture
def context() -> Context:
    return make_context()


def call(
    context: Context,
    url: str,
    headers: dict[str, str] | None = None,
    answered: dict[str, str] | None = None,
    page: Source = PAGE,
) -> None:
    """A request as capture takes it."""
    pending = PendingRequest("r", "1", page, None, 0.0, 0.0, "GET", url, "Fetch")
    pending.request_headers, pending.response_headers = headers or {}, answered or {}
    pending.status, pending.outcome = 200, "ok"
    record = pending.record(context.telemetry.next_seq())
    context.telemetry.add(record)
    context.capture.bodies.inspection.sent(pending, record, bodies=True)


async def findings(context: Context) -> list[dict[str, Any]]:
    given = {"checks": ["credentials"], "severity_min": "info", "limit": 100}
    result = await call_tool(TOOLS, context, "security_audit", given)
    assert not result.is_error, result.data
    found: list[dict[str, Any]] = result.data["findings"]
    return found


@pytest.mark.parametrize(
    ("url", "headers", "pattern", "severity"),
    [
        ("https://api.openai.com/v1/chat", {"Authorization": f"Bearer {OPENAI}"}, "openai_key", "critical"),
        ("https://api.stripe.com/v1/charges", {"Authorization": f"Bearer {STRIPE}"}, "stripe_key", "critical"),
        ("https://api.shop.io/x", {"X-Debug": f"key {AWS}"}, "aws_access_key", "critical"),
        ("https://api.shop.io/x", {"X-Github": GITHUB}, "github_token", "critical"),
        ("https://weather.example.net/now", {"X-Api-Key": PLAIN}, "api_key", "warning"),
        ("https://other.net/v1", {"X-Client-Secret": OPAQUE}, "secret", "warning"),
        ("http://api.shop.io/x", {"Authorization": f"Bearer {OPAQUE}"}, "bearer_token", "critical"),
        ("http://api.shop.io/x", {"X-Api-Key": PLAIN}, "api_key", "critical"),
        ("https://api.stripe.com/v1", {"Authorization": f"Bearer {TRIED}"}, "stripe_key", "info"),
        ("https://ads.example.net/p", {"Referer": f"https://app.shop.io/cb?access_token={OPAQUE}"}, "token", "warning"),
    ],
    ids=["model key", "payment key", "in a text", "in a header of its own", "third party", "secret to third party",
         "session over http", "key over http", "test key", "referrer"],
)  # fmt: skip
async def test_what_a_request_gives_away(
    context: Context, url: str, headers: dict[str, str], pattern: str, severity: str
) -> None:
    call(context, url, headers)
    call(context, url, headers)
    (found,) = await findings(context)
    assert (found["evidence"]["pattern"], found["severity"]) == (pattern, severity)
    assert found["evidence"]["header"] == next(iter(headers)).lower()
    assert found["evidence"]["place"] == "request_header"
    assert found["count"] == 2
    said = json.dumps(found)
    assert not [value for value in (OPENAI, STRIPE, AWS, GITHUB, PLAIN, OPAQUE) if value in said]
    assert ("unencrypted" in found["title"]) is url.startswith("http:")


@pytest.mark.parametrize(
    ("url", "headers"),
    [
        ("https://api.shop.io/me", {"Authorization": f"Bearer {JWT}"}),
        ("https://api.shop.io/me", {"Authorization": f"Bearer {OPAQUE}"}),
        ("https://api.shop.io/me", {"X-Api-Key": PLAIN, "X-Auth-Token": OPAQUE, "X-CSRF-Token": OPAQUE}),
        ("https://shop.eu.auth0.com/userinfo", {"Authorization": f"Bearer {JWT}"}),
        ("https://ab.supabase.co/rest/v1/x", {"apikey": JWT, "Authorization": f"Bearer {JWT}"}),
        ("https://x.algolia.net/1/indexes", {"X-Algolia-API-Key": "0123456789abcdef0123456789abcdef"}),
        ("https://maps.googleapis.com/x", {"X-Goog-Api-Key": fill(Random(7), "AIza<url:35>")}),
        ("https://api.stripe.com/v1", {"Authorization": "Bearer pk_live_4eC39HqLyjWDarjtT1zdp7dc"}),
        ("https://api.github.com/user", {"Authorization": "Bearer gho_" + GITHUB[4:]}),
        ("https://s3.amazonaws.com/b", {"Authorization": f"AWS4-HMAC-SHA256 Credential=ASIA{AWS[4:]}/x"}),
        ("http://localhost:3000/api", {"Authorization": f"Bearer {JWT}", "X-Api-Key": PLAIN}),
        ("https://api.shop.io/me", {"Cookie": f"session={OPAQUE}", "Referer": f"https://app.shop.io/?token={OPAQUE}"}),
        ("wss://api.shop.io/s", {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}),
        ("https://cdn.net/a.js", {"If-None-Match": f'W/"{OPAQUE}"', "X-Request-Id": OPAQUE}),
    ],
)  # fmt: skip
async def test_what_belongs_in_a_header_is_not_told(context: Context, url: str, headers: dict[str, str]) -> None:
    call(context, url, headers)
    assert await findings(context) == []
    assert len(context.telemetry.sightings) == 0


async def test_what_an_answer_gives_away(context: Context) -> None:
    call(context, "https://api.shop.io/x", answered={"X-Debug-Env": f"AWS={AWS}", "X-Internal-Secret": OPAQUE})
    found = {one["evidence"]["header"]: one for one in await findings(context)}
    assert found["x-debug-env"]["severity"] == "critical"
    assert found["x-internal-secret"]["severity"] == "warning"
    assert {one["cwe"] for one in found.values()} == {"CWE-200"}


async def test_what_belongs_in_an_answer_is_not_told(context: Context) -> None:
    answered = {
        "Set-Cookie": f"session={OPAQUE}; Secure", "X-Auth-Token": OPAQUE, "Authorization": f"Bearer {JWT}",
        "ETag": f'"{OPAQUE}"', "Surrogate-Key": OPAQUE, "X-Cache-Key": OPAQUE, "X-CSRF-Token": OPAQUE,
        "Location": f"https://app.shop.io/cb?access_token={OPAQUE}", "X-Amz-Cf-Id": OPAQUE,
    }  # fmt: skip
    call(context, "https://api.shop.io/x", answered=answered)
    assert await findings(context) == []
