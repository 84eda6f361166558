"""What gates stop, what is allowed, and which allowances are of no use."""

from datetime import date
from typing import Any

import pytest

from gasoline_cdp.analysis.gates.allowances import Allowance, GateFinding, parse_allowance
from gasoline_cdp.analysis.gates.failures import is_failure, log_finding, request_finding
from gasoline_cdp.analysis.gates.gate import parse_gate
from gasoline_cdp.analysis.gates.settings import GateSettings
from gasoline_cdp.analysis.gates.verdict import Verdict, judge
from gasoline_cdp.findings import Finding, Location
from tests.fakes import log_record, network_record

pytestmark = pytest.mark.requirement("F11-GATES")
TODAY = date(2026, 11, 18)


def judged(found: list[GateFinding], gates: str, *allowances: Allowance) -> Verdict:
    default = tuple(parse_gate(one) for one in gates.split(",") if one)
    return judge(found, GateSettings(gates={"default": default}, allowances=allowances), today=TODAY)


def failed_request(url: str = "http://app.test/api/cart/7", status: int = 500) -> GateFinding:
    record = network_record(1, url, outcome="http_error", status=status, method="GET")
    return request_finding(record, test="shop > pays")


def test_only_what_a_gate_names_fails() -> None:
    error, request = log_finding(log_record(1, "boom", level="error")), failed_request()
    verdict = judged([error, request], "console-errors")
    assert verdict.failures == (error,)
    assert verdict.others == (request,)
    assert verdict.summary() == "1 console error"
    assert judged([error, request], "").passed


@pytest.mark.parametrize(
    ("gate", "severity", "stopped"),
    [
        ("a11y:serious", "high", True),
        ("a11y:serious", "medium", False),
        ("a11y:minor", "low", True),
        ("a11y:critical", "high", False),
        ("security:critical", "critical", True),
        ("security:critical", "high", False),
        ("security:warning", "medium", True),
        ("security:info", "info", True),
    ],
)
def test_a_level_stops_itself_and_what_is_worse(gate: str, severity: Any, stopped: bool) -> None:
    name: Any = gate.partition(":")[0]
    finding = Finding(rule="r", severity=severity, category=name, title="wrong")
    assert judged([GateFinding(gate=name, finding=finding)], gate).passed is not stopped


@pytest.mark.parametrize(
    ("given", "allowed"),
    [
        ({"message": "/api/cart"}, True),
        ({"message": "/api/card"}, False),
        ({"pattern": r"cart/\d+ → 5\d\d"}, True),
        ({"url": "http://app.test/api/*"}, True),
        ({"url": "/api/"}, True),
        ({"url": "/api/*"}, False),
        ({"status": 500}, True),
        ({"status": [404, 503]}, False),
        ({"rule": "http_error"}, True),
        ({"test": "* pays"}, True),
        ({"test": "other"}, False),
        ({"path": "/cart"}, True),
        ({"path": "/car"}, False),
        ({"status": 500, "gate": "console-errors"}, False),
        ({"status": 500, "url": "nowhere"}, False),
        ({"status": 500, "until": "2026-11-18"}, True),
        ({"status": 500, "until": "2026-11-17"}, False),
    ],
)
def test_an_allowance_allows_what_has_all_that_it_gives(given: dict[str, Any], allowed: bool) -> None:
    allowance = parse_allowance(given)
    verdict = judged([failed_request()], "network-errors", allowance)
    assert verdict.passed is allowed
    assert (allowance in verdict.unused) is (not allowed and not verdict.expired)


def test_an_expired_allowance_says_how_many_it_would_allow() -> None:
    allowance = parse_allowance({"status": 500, "until": "2020-01-01"})
    verdict = judged([failed_request(), failed_request("http://app.test/api/x")], "network-errors", allowance)
    assert verdict.expired == ((allowance, 2),)
    assert verdict.unused == ()


def test_the_browser_s_own_requests_and_cancelled_ones_are_no_failures() -> None:
    icon = network_record(1, "http://app.test/favicon.ico", outcome="http_error", status=404, type="Other")
    assert not is_failure(icon)
    assert not is_failure(network_record(1, outcome="aborted"))
    assert is_failure(network_record(1, outcome="cors_blocked"))
    assert not is_failure(log_record(1, level="error", kind="event"))
    assert not is_failure(log_record(1, level="warning"))


def test_a_finding_has_the_key_of_its_endpoint() -> None:
    assert failed_request("http://a.test/api/cart/7").finding.key == failed_request("http://b/api/cart/8").finding.key
    page = Location(page="http://app.test/cart", path="/cart")
    assert failed_request().finding.location.path == page.path
