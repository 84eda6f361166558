"""Findings as SARIF: relative places, and fingerprints that stay when lines move."""

import json
from typing import Any

import attrs
import pytest

from gasoline_cdp.artifacts.sarif import SARIF_RESULTS, AuditReport, make_sarif, merge_sarif
from gasoline_cdp.artifacts.source_paths import component_of, page_path, source_path
from gasoline_cdp.findings import Finding, Location, SourceLocation

pytestmark = pytest.mark.requirement("F11-SARIF")

ALT = Finding(
    rule="image-alt",
    severity="critical",
    category="accessibility",
    title="Images must have alternative text",
    location=Location(page="http://app.test/cart/7", path="/cart/7", selector="img.a"),
    affected=[{"selector": "img.a", "html": "<img>", "fix": "Add alt."}, {"selector": "img.b", "html": "<img>"}],
    reference={"wcag": "1.1.1", "url": "https://www.w3.org/WAI/WCAG21/Understanding/non-text-content"},
    count=2,
)
TOKEN = Finding(
    rule="token_in_console",
    severity="high",
    category="credentials",
    title="A token on the console",
    location=Location(
        path="/cart/7", endpoint="/cart/:id", source=SourceLocation(url="webpack://app/./src/a.ts", line=3)
    ),
    reference={"cwe": "CWE-532"},
)


def results(*findings: Finding, kind: str = "accessibility") -> list[dict[str, Any]]:
    log = make_sarif([AuditReport(kind=kind, findings=findings)], "1.0.0")
    found: list[dict[str, Any]] = log["runs"][0]["results"]
    return found


def fingerprints(*findings: Finding) -> list[str]:
    return [one["partialFingerprints"]["gasolineFinding/v1"] for one in results(*findings)]


def test_every_place_is_a_relative_path_with_a_line() -> None:
    places = [one["locations"][0]["physicalLocation"] for one in results(ALT, TOKEN)]
    assert places == [
        {"artifactLocation": {"uri": "cart/7"}, "region": {"startLine": 1}},
        {"artifactLocation": {"uri": "cart/7"}, "region": {"startLine": 1}},
        {"artifactLocation": {"uri": "src/a.ts"}, "region": {"startLine": 3}},
    ]


def test_a_component_s_attribute_names_the_file() -> None:
    html = '<img data-source="src/Cart.tsx:12:4">'
    finding = attrs.evolve(ALT, affected=[{"selector": "img.a", "html": html}])
    place = results(finding)[0]["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "src/Cart.tsx"}, "region": {"startLine": 12}}
    assert component_of('<p data-component="Cart">') is None


def test_fingerprints_stay_when_lines_hosts_and_ids_change_and_differ_between_elements() -> None:
    moved = attrs.evolve(TOKEN, location=attrs.evolve(TOKEN.location, source=SourceLocation(url="b.ts", line=90)))
    elsewhere = attrs.evolve(ALT, location=Location(page="http://other/cart/8", path="/cart/8", selector="img.a"))
    assert fingerprints(ALT, TOKEN) == fingerprints(elsewhere, moved)
    assert len(set(fingerprints(ALT, TOKEN))) == 3
    # Equal rows of a table are told apart by their order.
    assert len(set(fingerprints(ALT, ALT))) == 4


def test_rules_are_listed_once_with_help_and_tags() -> None:
    run = make_sarif([AuditReport(kind="security", findings=[TOKEN, TOKEN])], "1.0.0")["runs"][0]
    (rule,) = run["tool"]["driver"]["rules"]
    assert rule["helpUri"] == "https://cwe.mitre.org/data/definitions/532.html"
    assert rule["properties"] == {
        "tags": ["security", "credentials", "external/cwe/cwe-532"],
        "security-severity": "8.0",
    }
    assert {one["ruleIndex"] for one in run["results"]} == {0}
    assert {one["level"] for one in run["results"]} == {"error"}


def test_the_worst_come_first_and_what_is_left_out_is_counted() -> None:
    many = [attrs.evolve(TOKEN, severity="low") for _ in range(SARIF_RESULTS)]
    run = make_sarif([AuditReport(kind="security", findings=[*many, TOKEN])], "1.0.0")["runs"][0]
    assert len(run["results"]) == SARIF_RESULTS
    assert run["results"][0]["level"] == "error"
    assert "1 results are left out" in json.dumps(run["invocations"])


def test_shards_are_joined_and_equal_results_are_one() -> None:
    first = make_sarif([AuditReport(kind="security", findings=[TOKEN], audited=["/a"], not_audited=["/b"])], "1")
    second = make_sarif(
        [
            AuditReport(kind="security", findings=[TOKEN, attrs.evolve(TOKEN, rule="other")], audited=["/b"]),
            AuditReport(kind="accessibility", findings=[ALT]),
        ],
        "1",
    )
    joined = {run["automationDetails"]["id"]: run for run in merge_sarif([first, second])["runs"]}
    security = joined["gasoline-cdp/security/"]
    assert [one["ruleId"] for one in security["results"]] == ["token_in_console", "other"]
    assert [rule["id"] for rule in security["tool"]["driver"]["rules"]] == ["token_in_console", "other"]
    assert security["properties"] == {"pagesAudited": ["/a", "/b"], "pagesNotAudited": []}
    assert len(joined["gasoline-cdp/accessibility/"]["results"]) == 2


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("http://localhost:3000/src/a%20b.ts?t=1#x", "src/a%20b.ts"),
        ("webpack:///./src/a.ts", "src/a.ts"),
        ("webpack-internal:///(app)/./src/a.ts", "(app)/src/a.ts"),
        ("../../etc/passwd", "etc/passwd"),
        ("/abs/a.ts", "abs/a.ts"),
        ("src\\a.ts", "src/a.ts"),
        ("", "index.html"),
    ],
)
def test_a_source_is_a_path_inside_the_repository(address: str, path: str) -> None:
    assert source_path(address) == path
    assert page_path("/") == "index.html"
    assert page_path("/a:b/c") == "a%3Ab/c"
