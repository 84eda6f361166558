"""One finding in the words of each tool: the field names are the contract with assistants."""

import pytest
from attrs import evolve

from gasoline_cdp import wire
from gasoline_cdp.answers.finding_entries import (
    SecurityFindingEntry,
    audit_entry,
    page_entry,
    security_entry,
    security_lines,
    security_sizes,
    violation_entry,
)
from gasoline_cdp.answers.marked_lines import line_bytes
from gasoline_cdp.answers.shared_facts import SharedFacts
from gasoline_cdp.answers.text import write_lines
from gasoline_cdp.findings import Finding, Location
from tests.page_words import CLAIM, HOSTILE, ours

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


def lines_of(*entries: SecurityFindingEntry) -> list[str]:
    return [str(line) for line in security_lines(entries, SharedFacts(origin="https://shop.io"))]


def test_a_finding_of_the_whole_site_needs_no_place() -> None:
    assert lines_of(evolve(security_entry(FOUND), count=1)) == [
        "warning headers CWE-693 | A weak thing",
        "  fix | Make it strong.",
    ]


def test_findings_that_differ_in_their_place_share_their_words() -> None:
    entries = [
        SecurityFindingEntry(
            severity="critical",
            category="credentials",
            title="AWS access key in a response",
            description=f"GET {path}: an AWS access key{named}, in a response.",
            evidence={
                "place": "response_body",
                "pattern": "aws_access_key",
                "url": f"{origin}{path}",
                "method": "GET",
                "redacted_value": "AKIA…",
                "page_url": "https://shop.io/cart",
            },
            recommendation="Keep it on the server.",
            count=count,
        )
        for origin, path, named, count in (
            ("https://shop.io", "/a", "", 3),
            ("https://api.shop.io", "/b", " as 'key'", 1),
        )
    ]
    assert lines_of(*entries) == [
        "critical credentials | AWS access key in a response",
        "  fix | Keep it on the server.",
        "  GET /a 3 times on /cart redacted_value=AKIA…",
        "  GET https://api.shop.io/b on /cart redacted_value=AKIA…",
        "    | GET /b: an AWS access key as 'key', in a response.",
    ]
    assert line_bytes(security_lines(entries, SharedFacts())) <= sum(map(security_sizes(), entries))


def test_names_that_the_title_leaves_out() -> None:
    entry = SecurityFindingEntry(
        severity="warning",
        category="cookies",
        title="Cookie 'sid' readable by scripts",
        description="Cookie 'sid' readable by scripts at https://shop.io.",
        evidence={"issue": "session_cookie_for_scripts", "url": "https://shop.io", "affected": ["sid"]},
        recommendation="Set HttpOnly.",
    )
    assert lines_of(entry) == [
        "warning cookies session_cookie_for_scripts | Cookie 'sid' readable by scripts",
        "  fix | Set HttpOnly.",
    ]
    more = evolve(entry, evidence={**entry.evidence, "affected": ["sid", "two words"]})
    assert lines_of(more)[2:] == ['  affected=[sid "two words"]']
    # Beside another origin each is named.
    there = entry.description.replace("shop", "other")
    other = evolve(entry, evidence={**entry.evidence, "url": "https://other.io"}, description=there)
    assert lines_of(entry, other)[2:] == ["  https://shop.io", "  https://other.io"]


@pytest.mark.requirement("S20")
@pytest.mark.parametrize("hostile", HOSTILE)
def test_no_page_writes_a_line_of_a_finding(hostile: str) -> None:
    names = ("url", "method", "issue", "redacted_value", "source")
    entry = SecurityFindingEntry(
        severity="warning",
        category="cookies",
        title=f"Cookie '{hostile}' readable",
        description=f"At {hostile}: another thing.",
        evidence={**dict.fromkeys(names, hostile), "page_url": f"p{hostile}", "affected": [f"a{hostile}"]},
        recommendation="Mend it.",
    )
    lines = list(security_lines([entry], SharedFacts()))
    text = write_lines(lines)
    assert len(text.splitlines()) == len(lines)
    # Its rule, its title, where it is, what it rests on, and its description.
    assert text.count(CLAIM) == 7
    assert CLAIM not in ours(text)
