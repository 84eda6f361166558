"""One finding in the words of each tool: the field names are the contract with assistants."""

from gasoline_cdp import wire
from gasoline_cdp.answers.finding_entries import audit_entry, page_entry, security_entry, violation_entry
from gasoline_cdp.findings import Finding, Location

FOUND = Finding(
    rule="weak_thing",
    severity="high",
    category="headers",
    title="A weak thing",
    description="A weak thing at https://shop.io.",
    evidence={"url": "https://shop.io"},
    affected=[{"name": "sid"}],
    fix="Make it strong.",
    reference={"cwe": "CWE-693"},
    count=2,
)


def test_as_security_audit_tells_it() -> None:
    assert wire.dump(security_entry(FOUND)) == {
        "severity": "warning",
        "category": "headers",
        "title": "A weak thing",
        "description": "A weak thing at https://shop.io.",
        "evidence": {"url": "https://shop.io"},
        "recommendation": "Make it strong.",
        "cwe": "CWE-693",
        "count": 2,
    }


def test_as_analyze_security_tells_it() -> None:
    assert wire.dump(page_entry(FOUND)) == {
        "severity": "high",
        "category": "headers",
        "issue": "weak_thing",
        "message": "A weak thing",
        "affected": ["sid"],
        "guidance": "Make it strong.",
    }


def test_as_analyze_audit_tells_it() -> None:
    assert audit_entry(FOUND) == {
        "id": "weak_thing",
        "severity": "high",
        "category": "headers",
        "message": "A weak thing",
        "count": 2,
        "fix": "Make it strong.",
        "affected": [{"name": "sid"}],
        "reference": {"cwe": "CWE-693"},
    }
    plain = Finding(rule="r", severity="low", category="seo", title="t")
    assert audit_entry(plain) == {
        "id": "r", "severity": "low", "category": "seo", "message": "t", "count": 1, "affected": [],
    }  # fmt: skip


def test_as_validate_api_tells_it() -> None:
    times = {"expected_count": 4, "violation_count": 1, "first_seen": 0.0, "last_violation": 1.0}
    broken = Finding(
        rule="type_change",
        severity="medium",
        category="contracts",
        title="Field 'id' changed from number to string.",
        location=Location(endpoint="GET /users/:id", name="id"),
        evidence={"field": "id", "expected_type": "number", "actual_type": "string", "occurrences": times},
    )
    assert violation_entry(broken) == {
        "endpoint": "GET /users/:id",
        "type": "type_change",
        "severity": "warning",
        "description": "Field 'id' changed from number to string.",
        "field": "id",
        "expected_type": "number",
        "actual_type": "string",
        "occurrences": {
            "expected_count": 4,
            "violation_count": 1,
            "first_seen": "1970-01-01T00:00:01.000Z",
            "last_violation": "1970-01-01T00:00:01.000Z",
        },
    }
