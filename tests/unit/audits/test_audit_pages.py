"""An accessibility audit, page by page."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gasoline_cdp import wire
from gasoline_cdp.audits.audit_pages import fill_audit_page
from gasoline_cdp.probe.accessibility import AxeRun
from tests.made_audits import made_rule, made_run


def _read(run: AxeRun, budget: int) -> tuple[list[str], int]:
    """All selectors and passed rules, by cursor, and the number of pages."""
    seen: list[str] = []
    start = pages = 0
    while True:
        page = fill_audit_page(run, start, budget)
        assert page.end > start or not page.left_out
        for rule in (*page.violations, *page.incomplete):
            seen += [node["selector"] for node in rule["nodes"]]
        seen += [rule["id"] for rule in page.passes]
        pages += 1
        if not page.left_out:
            return seen, pages
        start = page.end


@given(
    st.lists(st.integers(1, 40), max_size=6),
    st.lists(st.integers(1, 12), max_size=3),
    st.integers(0, 9),
    st.integers(1100, 20_000),
)
def test_every_element_is_told_once(violations: list[int], incomplete: list[int], passes: int, budget: int) -> None:
    run = made_run(
        [made_rule(f"v{place}", count, words=3) for place, count in enumerate(violations)],
        *(made_rule(f"i{place}", count) for place, count in enumerate(incomplete)),
        passes=passes,
    )
    seen, _ = _read(run, budget)
    assert Counter(seen).total() == len(set(seen)) == sum(violations) + sum(incomplete) + passes


@pytest.mark.parametrize("budget", [1200, 3000, 7000])
def test_the_first_page_names_every_rule_with_its_count(budget: int) -> None:
    run = made_run([made_rule(f"rule-{place}", 30, words=30) for place in range(25)])
    page = fill_audit_page(run, 0, budget)
    shown = Counter({rule["id"]: len(rule["nodes"]) for rule in page.violations})
    told = shown + Counter(page.left_out["violations"])
    assert told.total() == 750
    if "others" not in told:
        assert told == {f"rule-{place}": 30 for place in range(25)}
    listed = {"violations": page.violations, "left_out": page.left_out}
    assert len(wire.encode(listed)) <= budget + 60


def test_the_worst_come_first_and_each_rule_before_second_elements() -> None:
    run = made_run([made_rule("mild", 2, "minor"), made_rule("bad", 3, "critical"), made_rule("other", 1, "serious")])
    page = fill_audit_page(run, 0, 900)
    assert [rule["id"] for rule in page.violations][:2] == ["bad", "other"]


def test_the_same_words_are_told_once_per_rule() -> None:
    (rule,) = fill_audit_page(made_run([made_rule("image-alt", 4)]), 0, 7000).violations
    assert rule["failureSummary"] == "Wrong 0"
    assert rule["fix"].startswith("Set alt=")
    assert rule["nodes"] == [{"selector": f"#image-alt-{place}", "html": "<img>"} for place in range(4)]
    (mixed,) = fill_audit_page(made_run([made_rule("image-alt", 3, words=2)]), 0, 7000).violations
    assert [node.get("failureSummary") for node in mixed["nodes"]] == [None, "Wrong 1", None]
    (again,) = fill_audit_page(made_run([made_rule("image-alt", 4, words=2)]), 0, 7000).violations
    assert again["nodes"][3] == {"selector": "#image-alt-3", "html": "<img>", "same_as": "#image-alt-1"}


def test_later_pages_tell_of_a_rule_in_few_words() -> None:
    run = made_run([made_rule("image-alt", 60)])
    first = fill_audit_page(run, 0, 1500)
    (rule,) = fill_audit_page(run, first.end, 1500).violations
    assert "helpUrl" in first.violations[0]
    assert "helpUrl" not in rule
    assert rule["nodeCount"] == 60
    assert rule["fix"] == first.violations[0]["fix"]


def test_elements_that_were_not_kept_are_counted() -> None:
    page = fill_audit_page(made_run([made_rule("image-alt", 2, unlisted=7)]), 0, 7000)
    assert page.beyond == 7
    assert not page.left_out
