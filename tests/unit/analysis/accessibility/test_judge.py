"""What is made of axe-core's words."""

from typing import Any

import pytest

from gasoline_cdp.analysis.accessibility.judge import (
    judge_accessibility,
    level,
    reference,
    related_to,
    rule_finding,
    selector_of,
    show_node,
    show_rule,
)


def rule(name: str = "image-alt", impact: str | None = "critical", **more: Any) -> dict[str, Any]:
    node = {
        "target": ["img"],
        "html": "<img>",
        "any": [{"id": "a", "message": "No alt", "data": None}],
        "all": [],
        "none": [],
    }
    return {
        "id": name,
        "impact": impact,
        "description": "Ensure",
        "help": "Images must have alternative text",
        "helpUrl": "https://example.org/image-alt?application=axeAPI",
        "tags": ["cat.text-alternatives", "wcag2a", "wcag111"],
        "nodeCount": 3,
        "nodes": [node],
        **more,
    }


@pytest.mark.parametrize(
    ("target", "selector"),
    [
        (["#a"], "#a"),
        (["iframe", "p > b"], "iframe >>> p > b"),
        ([["#host", "button"]], "#host >>> button"),
        (["iframe", [".x", "i"]], "iframe >>> .x >>> i"),
    ],
)
def test_paths_are_selectors_of_ours(target: list[Any], selector: str) -> None:
    assert selector_of(target) == selector


@pytest.mark.parametrize(
    ("tags", "expected"),
    [(["wcag2a"], "A"), (["wcag21aa", "wcag134"], "AA"), (["wcag2aaa"], "AAA"), (["best-practice"], None)],
)
def test_the_level(tags: list[str], expected: str | None) -> None:
    assert level(tags) == expected


def test_the_reference_names_the_criterion() -> None:
    assert reference(rule()) == {
        "wcag": "1.1.1",
        "level": "A",
        "url": "https://www.w3.org/WAI/WCAG21/Understanding/non-text-content",
    }
    assert reference(rule(tags=["wcag22aa", "wcag258"]))["url"].endswith("WCAG22/Understanding/target-size-minimum")
    assert reference(rule(tags=["best-practice"])) == {"url": "https://example.org/image-alt"}


def test_a_violation_as_it_is_told() -> None:
    shown = show_rule(rule_finding(rule()))
    assert shown["wcag"] == ["wcag2a", "1.1.1"]
    assert shown["nodeCount"] == 3
    node = show_node("image-alt", rule()["nodes"][0])
    assert node["failureSummary"] == "No alt"
    assert node["fix"] == 'Set alt="…" that describes the image, or set alt="" if it is decoration'
    assert "related" not in node


def test_related_elements_are_named() -> None:
    node = rule()["nodes"][0]
    node["any"][0] |= {"related": [{"target": ["img"]}, {"target": ["iframe", "#b"]}], "related_more": 4}
    assert related_to(node) == ["iframe >>> #b", "4 more"]
    assert show_node("image-alt", node)["related"] == ["iframe >>> #b", "4 more"]


def test_advice_for_all_elements_of_a_finding_is_given_once() -> None:
    found = rule(nodes=rule()["nodes"] * 3)
    (finding,) = judge_accessibility({"violations": [found], "incomplete": []})
    assert finding.fix == 'Set alt="…" that describes the image, or set alt="" if it is decoration'
    assert finding.affected == [{"selector": "img", "html": "<img>"}] * 3


@pytest.mark.parametrize(
    ("impact", "severity"),
    [("critical", "critical"), ("serious", "high"), ("moderate", "medium"), ("minor", "low"), (None, "medium")],
)
def test_impact_becomes_severity(impact: str | None, severity: str) -> None:
    (finding,) = judge_accessibility({"violations": [rule(impact=impact)], "incomplete": []})
    assert (finding.severity, finding.category, finding.count) == (severity, "accessibility", 3)


def test_what_needs_a_person_is_information() -> None:
    (finding,) = judge_accessibility({"violations": [], "incomplete": [rule()]})
    assert finding.severity == "info"
    assert finding.affected == [{"selector": "img", "review": "No alt"}]
