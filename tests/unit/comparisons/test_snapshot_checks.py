"""Findings come into a snapshot by their own key, whatever server they were found on."""

import pytest

from gasoline_cdp.analysis.compare.sessions import compare_sessions
from gasoline_cdp.analysis.compare.snapshots import SessionSnapshot, issue_of
from gasoline_cdp.comparisons.session_snapshot import TimeSpan
from gasoline_cdp.comparisons.snapshot_checks import SNAPSHOT_CHECKS
from gasoline_cdp.findings import Finding, Location
from gasoline_cdp.operations.context import Context
from tests.fakes import make_context

LEAK = Finding(
    rule="stripe_key_in_response_body",
    severity="critical",
    category="credentials",
    title="Stripe key in a response body",
    description="GET /config: a Stripe key, in a response body.",
    location=Location(page="http://localhost:1/cart", path="/cart", method="GET", endpoint="GET /config", name="key"),
    evidence={"method": "POST", "url": "http://elsewhere.test/"},
    count=3,
)


def test_a_finding_in_a_snapshot() -> None:
    issue = issue_of(LEAK, "security", shown_by="GET /config")
    assert issue.key == LEAK.key == "stripe_key_in_response_body GET /config key"
    assert (issue.message, issue.count, issue.type, issue.page) == (LEAK.description, 3, "security", "/cart")
    plain = Finding(rule="missing_csp", severity="high", category="headers", title="No policy")
    assert issue_of(plain, "security").message == "No policy"


def learned(origin: str, *values: object) -> Context:
    context = make_context()
    for number, value in enumerate(values):
        context.telemetry.contracts.observe("GET /users/:id", f"{origin}/users/{number}", 200, value, 1.0)
    return context


async def snapshot_of(context: Context) -> SessionSnapshot:
    found = await SNAPSHOT_CHECKS["contracts"](TimeSpan(), context)
    return SessionSnapshot(captured_at=1.0, findings={"contracts": found})


@pytest.mark.requirement("F5-CONTRACTS")
async def test_the_same_break_on_another_port_is_not_new() -> None:
    broken = [{"id": 1}] * 4 + [{"id": "x"}]
    before, after = [
        await snapshot_of(learned(origin, *broken)) for origin in ("http://localhost:5173", "http://localhost:4000")
    ]
    (issue,) = before.findings["contracts"]
    assert (issue.key, issue.type, issue.shown_by) == ("type_change GET /users/:id id", "contract", "GET /users/:id")
    diff = compare_sessions(before, after).findings["contracts"]
    assert (len(diff.new), len(diff.resolved), len(diff.unchanged)) == (0, 0, 1)
