"""Findings: their order, their score, their key, and how they are told in one line."""

from attrs import evolve

from gasoline_cdp.findings import (
    SEVERITIES,
    Finding,
    Location,
    Severity,
    SourceLocation,
    alert_level,
    by_alert_level,
    by_severity,
    count_severities,
    score,
)


def finding(severity: Severity, count: int = 1) -> Finding:
    return Finding(rule=f"{severity}-{count}", severity=severity, category="seo", title="m", count=count)


LEAK = Finding(
    rule="api_key_in_url",
    severity="critical",
    category="credentials",
    title="API key in a URL",
    description="GET /pay: an API key as 'key', in a URL.",
    location=Location(
        page="http://localhost:5173/cart",
        path="/cart",
        url="http://localhost:5173/pay?key=[REDACTED]",
        method="GET",
        endpoint="GET /pay",
        name="key",
    ),
    fix="Send it in a header.",
)


def test_the_worst_come_first() -> None:
    ordered = by_severity([finding("info"), finding("high"), finding("critical"), finding("high", 5)])
    assert [one.rule for one in ordered] == ["critical-1", "high-5", "high-1", "info-1"]


def test_three_steps_are_a_rendering_of_five() -> None:
    assert [alert_level(severity) for severity in SEVERITIES] == ["critical", "warning", "warning", "info", "info"]
    found = [finding("info"), finding("medium"), finding("high"), finding("critical"), finding("low")]
    assert [one.severity for one in by_alert_level(found)] == ["critical", "medium", "high", "info", "low"]
    assert [one.severity for one in by_alert_level(found, "warning")] == ["critical", "medium", "high"]


def test_every_severity_is_counted() -> None:
    assert count_severities([finding("low"), finding("low", 9)]) == {
        "critical": 0, "high": 0, "medium": 0, "low": 2, "info": 0,
    }  # fmt: skip


def test_scores() -> None:
    assert score([]) == 100
    assert score([finding("info")] * 50) == 100
    assert score([finding("critical"), finding("low")]) == 73
    assert score([finding("critical")] * 9) == 0


def test_a_key_has_what_stays() -> None:
    assert LEAK.key == "api_key_in_url GET /pay key"
    again = evolve(
        LEAK,
        severity="medium",
        title="Other words",
        description="",
        count=7,
        location=evolve(LEAK.location, page="http://localhost:3000/", path="/", url="http://localhost:3000/pay"),
    )
    assert again.key == LEAK.key
    others = [evolve(LEAK.location, name="id"), evolve(LEAK.location, endpoint="POST /pay")]
    assert LEAK.key not in {evolve(LEAK, location=location).key for location in others}
    assert evolve(LEAK, rule="password_in_url").key != LEAK.key


def test_a_finding_in_one_line() -> None:
    assert LEAK.text() == "API key in a URL (GET /pay). Fix: Send it in a header."
    source = SourceLocation(url="http://localhost/app.js", line=12)
    assert (
        evolve(LEAK, location=Location(page="http://localhost/", source=source))
        .text()
        .startswith("API key in a URL (http://localhost/app.js:12). ")
    )
    image = Location(page="http://localhost/cart", path="/cart", selector="img.hero")
    assert image.text() == "img.hero on http://localhost/cart"
    assert finding("low").text() == "m"
