"""What to change."""

import re
from typing import Any

import pytest

from gasoline_cdp.analysis.accessibility_fixes import fix_for
from gasoline_cdp.assets import vendored


def node(html: str = "<p>", data: Any = None) -> dict[str, Any]:
    return {"html": html, "any": [{"message": "Something is missing", "data": data}], "all": [], "none": []}


def contrast(text: str, ground: str, required: str = "4.5:1") -> dict[str, Any]:
    return node(data={"fgColor": text, "bgColor": ground, "expectedContrastRatio": required})


@pytest.mark.parametrize(
    ("found", "fix"),
    [
        (
            contrast("#999999", "#ffffff"),
            (
                "Change the text colour from #999999 to #767676 (4.54:1 on #ffffff), or the background to #323232; "
                "2.85:1 now, 4.5:1 required"
            ),
        ),
        (contrast("#777777", "#777777", "21:1"), "Change what the rule names: Something is missing"),
        (contrast("none", "#777777"), "Change what the rule names: Something is missing"),
    ],
)
def test_contrast_is_computed(found: dict[str, Any], fix: str) -> None:
    assert fix_for("color-contrast", found) == fix


def test_the_element_is_named() -> None:
    assert "<input>" in fix_for("label", node("<INPUT id=a>"))
    assert "<select>" in fix_for("select-name", node("<select>"))


def test_a_rule_we_do_not_know_is_told_in_its_own_words() -> None:
    assert fix_for("new-rule", node()) == "Change what the rule names: Something is missing"


def test_most_rules_of_axe_have_advice_of_their_own() -> None:
    rules = set(re.findall(r'\{id:"([a-z][a-z-]+)",(?:selector|impact)', vendored("axe.min.js")))
    without = {rule for rule in rules if fix_for(rule, node()).startswith("Change what")}
    assert len(rules) > 80
    assert len(without) < 25, without
