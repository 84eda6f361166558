"""Findings, their order and their score."""

from gasoline_cdp.findings import Finding, Severity, by_severity, count_severities, score


def finding(severity: Severity, count: int = 1) -> Finding:
    return Finding(id=f"{severity}-{count}", severity=severity, category="seo", message="m", count=count)


def test_the_worst_come_first() -> None:
    ordered = by_severity([finding("info"), finding("high"), finding("critical"), finding("high", 5)])
    assert [one.id for one in ordered] == ["critical-1", "high-5", "high-1", "info-1"]


def test_every_severity_is_counted() -> None:
    assert count_severities([finding("low"), finding("low", 9)]) == {
        "critical": 0, "high": 0, "medium": 0, "low": 2, "info": 0,
    }  # fmt: skip


def test_scores() -> None:
    assert score([]) == 100
    assert score([finding("info")] * 50) == 100
    assert score([finding("critical"), finding("low")]) == 73
    assert score([finding("critical")] * 9) == 0
