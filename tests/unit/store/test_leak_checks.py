"""What gates know of checks for leaks."""

from gasoline_cdp.findings import Finding
from gasoline_cdp.records import Source
from gasoline_cdp.store.leak_checks import LeakChecks


def test_a_check_of_the_same_page_and_name_replaces_the_one_before() -> None:
    checks = LeakChecks()
    leak = Finding(rule="memory_leak", severity="high", category="memory", title="7 × place")
    page, other = (Source(1, "page", "http://app.test/", 0, target) for target in ("A", "B"))
    checks.add(page, "dialog", (leak,))
    checks.add(other, "dialog", (leak,))
    checks.add(page, "dialog", ())
    assert {check.source.target_id: check.findings for check in checks} == {"A": (), "B": (leak,)}
