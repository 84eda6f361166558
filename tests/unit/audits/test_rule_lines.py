"""Rules of an accessibility audit as lines, and whole audits of them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gasoline_cdp import wire
from gasoline_cdp.answers.marked_lines import line_bytes
from gasoline_cdp.answers.text import write_lines
from gasoline_cdp.audits.audit_pages import fill_audit_page
from gasoline_cdp.audits.rule_lines import passed_lines, rule_lines
from tests.made_audits import made_node, made_rule, made_run
from tests.page_words import CLAIM, HOSTILE, ours


def lines_of(rule: dict[str, Any]) -> list[str]:
    return [str(line) for line in rule_lines(rule)]


def shown(rule: dict[str, Any], kind: str = "violations") -> dict[str, Any]:
    run = made_run([rule]) if kind == "violations" else made_run([], rule)
    (entry,) = getattr(fill_audit_page(run, 0, 50_000), kind)
    return dict(entry)


def test_a_rule_says_its_words_once() -> None:
    assert lines_of(shown(made_rule("image-alt", 3))) == [
        "critical image-alt 3 elements WCAG 1.1.1 A | Wrong 0",
        '  fix | Set alt="…" that describes the image, or set alt="" if it is decoration',
        "  html | <img>",
        "  | #image-alt-0, #image-alt-1, #image-alt-2",
    ]


def test_one_element_needs_no_number() -> None:
    assert lines_of(shown(made_rule("x", 1)))[0] == "critical x WCAG 1.1.1 A | Wrong 0"


def test_elements_with_other_words_stand_below_those() -> None:
    lines = lines_of(shown(made_rule("image-alt", 5, words=2)))
    assert lines[3:] == [
        "  | #image-alt-0, #image-alt-2, #image-alt-4",
        "  why | Wrong 1",
        "  | #image-alt-1, #image-alt-3",
    ]


def test_what_a_person_looks_at_says_why() -> None:
    assert lines_of(shown(made_rule("x", 2), "incomplete")) == ["x 2 elements | Wrong 0", "  | #x-0, #x-1"]


def test_a_word_of_the_rule_that_does_not_hold_for_an_element() -> None:
    nodes = [{"selector": "#a", "html": "<b>"}, {"selector": "#c", "html": "<b>", "fix": None, "related": ["#d", "#e"]}]
    rule = {"id": "x", "impact": None, "nodeCount": 2, "fix": "Mend it", "nodes": nodes}
    assert lines_of(rule) == [
        "x 2 elements",
        "  fix | Mend it",
        "  | #a",
        "  fix: none known",
        "  related | #d, #e",
        "  | #c",
    ]


def test_passed_rules_share_lines() -> None:
    rules = [{"id": f"p{place}", "description": "Passed", "nodeCount": place} for place in range(3)]
    assert [str(line) for line in passed_lines(rules)] == ["  | p0 0, p1 1, p2 2"]


@given(
    st.lists(st.tuples(st.integers(1, 40), st.integers(1, 4)), min_size=1, max_size=6),
    st.lists(st.integers(1, 12), max_size=3),
    st.integers(0, 30),
    st.integers(1100, 20_000),
)
def test_every_element_is_in_the_lines_of_some_page_and_each_page_fits(
    violations: list[tuple[int, int]], incomplete: list[int], passes: int, budget: int
) -> None:
    run = made_run(
        [made_rule(f"v{place}", count, words=words) for place, (count, words) in enumerate(violations)],
        *(made_rule(f"i{place}", count) for place, count in enumerate(incomplete)),
        passes=passes,
    )
    seen: list[str] = []
    start = 0
    while True:
        page = fill_audit_page(run, start, budget, "lines")
        told = [line for rule in (*page.violations, *page.incomplete) for line in rule_lines(rule)]
        told += passed_lines(page.passes)
        assert line_bytes(told) <= budget
        lists = [line.text.removeprefix("| ") for line in told if line.text.startswith("| ") and not line.tag]
        seen += [name for row in lists for name in row.split(", ")]
        if not page.left_out:
            break
        assert page.end > start
        start = page.end
    expected = [f"#v{place}-{node}" for place, (count, _) in enumerate(violations) for node in range(count)]
    expected += [f"#i{place}-{node}" for place, count in enumerate(incomplete) for node in range(count)]
    assert sorted(seen) == sorted([*expected, *(f"p{place} 1" for place in range(passes))])


def test_lines_take_less_than_half_and_hold_twice_as_many_elements() -> None:
    run = made_run([made_rule(name, 10) for name in ("image-alt", "button-name", "label", "link-name", "region")])
    for rule in run.result["violations"]:
        # As long as elements are on real pages.
        rule["nodes"] = [
            made_node(f".{rule['id']}-list > li:nth-child({place})", "Wrong", f'<li class="card" data-id="{place}">')
            for place in range(10)
        ]
    page = fill_audit_page(run, 0, 50_000)
    assert page.end == 50
    lines = line_bytes(line for rule in page.violations for line in rule_lines(rule))
    assert 2 * lines < len(wire.encode(page.violations))
    assert fill_audit_page(run, 0, 1500, "lines").end > 2 * fill_audit_page(run, 0, 1500).end


@pytest.mark.requirement("S20")
@pytest.mark.parametrize("hostile", HOSTILE)
def test_no_page_writes_a_line_of_a_rule(hostile: str) -> None:
    rule = {
        "id": "x",
        "impact": "minor",
        "description": "Help",
        "nodeCount": 3,
        "failureSummary": hostile,
        "fix": hostile,
        "nodes": [
            {"selector": f"a{hostile}", "html": hostile},
            {"selector": f"b{hostile}", "html": hostile, "fix": f"2 {hostile}", "related": [hostile]},
            {"selector": f"c{hostile}", "html": hostile, "same_as": f"b{hostile}"},
        ],
    }
    lines = list(rule_lines(rule))
    text = write_lines(lines)
    assert len(text.splitlines()) == len(lines)
    assert text.count(CLAIM) == 8
    assert CLAIM not in ours(text)
