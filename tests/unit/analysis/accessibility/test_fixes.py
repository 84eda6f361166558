"""What to change."""

import re
from typing import Any

import pytest

from gasoline_cdp.analysis.accessibility.fixes import fix_for
from gasoline_cdp.assets import vendored
from tests.accessibility.failing import FAILING


def node(
    html: str = "<p>", data: Any = None, *, check: str = "some", related: tuple[str, ...] = (), **more: Any
) -> dict[str, Any]:
    found = {
        "id": check,
        "message": "Something is missing",
        "data": data,
        "related": [{"target": [selector], "html": f"<{selector}>"} for selector in related],
    }
    return {"target": ["#it"], "html": html, "any": [found], "all": [], "none": [], **more}


def contrast(text: str, ground: str, required: str = "4.5:1", **facts: Any) -> dict[str, Any]:
    return node(data={"fgColor": text, "bgColor": ground, "expectedContrastRatio": required}, facts=facts or None)


def said(rule: str, found: dict[str, Any]) -> str:
    return fix_for(rule, found).sentence()


@pytest.mark.parametrize(
    ("found", "fix"),
    [
        (
            contrast("#999999", "#ffffff"),
            "Set color: #767676 (4.54:1 on #ffffff), or set background-color: #323232; now 2.85:1, 4.5:1 required",
        ),
        (
            contrast("#a6a6a6", "#ffffff", mixed=True),
            "Set color: #767676 (4.54:1 on #ffffff); now 2.43:1, 4.5:1 required",
        ),
        (
            contrast("#999999", "#ffffff", undecidable="filter on `#a` changes the colours"),
            "No colour can be computed: filter on `#a` changes the colours; compare the colours on a screenshot",
        ),
        (contrast("#777777", "#777777", "21:1"), "No colour alone gives enough contrast: now 1.00:1, 21:1 required"),
        (contrast("none", "#777777"), "No ready-made fix: Something is missing"),
    ],
)
def test_contrast_is_computed(found: dict[str, Any], fix: str) -> None:
    assert said("color-contrast", found) == fix


def test_contrast_through_an_opacity() -> None:
    white = {"background": [255, 255, 255, 1], "opacity": 1, "path": ""}
    faded = {"background": [0, 0, 0, 0], "opacity": 0.5, "path": "#card"}
    inner = {"background": [0, 0, 0, 0], "opacity": 1, "path": ""}
    found = contrast("#808080", "#ffffff", "3:1", faded=True, color=[0, 0, 0, 1], layers=[white, faded, inner])
    assert said("color-contrast", found) == (
        "Set color: #000000 (3.95:1), or set opacity: 1 on `#card`; now 3.95:1, 3:1 required"
    )


@pytest.mark.parametrize(
    ("rule", "found", "fix"),
    [
        (
            "label",
            node("<INPUT id=a>"),
            'Put it inside a <label> with its name, or set aria-label="…" that says what it is for',
        ),
        ("link-name", node("<a href=x>"), 'Put text inside it, or set aria-label="…" that says where it leads'),
        ("object-alt", node("<object>"), 'Set aria-label="…" that describes what it shows'),
        (
            "aria-hidden-focus",
            node("<div aria-hidden=true>", related=("a", "button")),
            'Set tabindex="-1" on `a`, `button`, or remove aria-hidden',
        ),
        (
            "aria-hidden-focus",
            node("<div aria-hidden=true>", related=tuple(f"a{n}" for n in range(8))),
            'Set tabindex="-1" on `a0`, `a1`, `a2`, `a3`, `a4` and 3 more, or remove aria-hidden',
        ),
        (
            "aria-required-attr",
            node("<div role=checkbox>", ["aria-checked"], check="aria-required-attr"),
            'Set aria-checked="…" with its state: "true" or "false", or remove the role attribute',
        ),
        ("heading-order", node("<h4>", facts={"previous": 2}), "Change it to <h3>; the heading before it has level 2"),
        (
            "heading-order",
            node("<h4>"),
            "Use the level after that of the heading before it: no level may be skipped",
        ),
        ("landmark-no-duplicate-main", node("<main>", related=("main.b",)), "Change `main.b` to <div>"),
        ("duplicate-id-aria", node("<p id=a>", related=("b",)), 'Set id="…" of its own on `b`'),
        ("aria-roles", node("<div role=buton>"), 'Set role="button", or remove the role attribute'),
        ("aria-valid-attr", node("<p aria-foo=1>", ["aria-foo"], check="aria-valid-attr"), "Remove aria-foo"),
        ("target-size", node("<a>"), "Set min-width: 24px and min-height: 24px"),
        ("meta-viewport", node("<meta content='a=1, user-scalable=no'>"), 'Set content="a=1"'),
        ("new-rule", node(), "No ready-made fix: Something is missing"),
    ],
)
def test_sentences(rule: str, found: dict[str, Any], fix: str) -> None:
    assert said(rule, found) == fix


def test_every_rule_of_axe_has_advice_of_its_own() -> None:
    rules = set(
        re.findall(r'\{id:"([a-z][a-z-]+)",(?:selector|impact|enabled|reviewOnFail|matches)', vendored("axe.min.js"))
    )
    assert len(rules) > 90
    assert rules >= FAILING.keys()
    # Of these the axe check tells what is wrong, and the test in the browser has them.
    without = {rule for rule in rules - FAILING.keys() if said(rule, node()).startswith("No ready-made")}
    assert not without


@pytest.mark.parametrize(
    "html",
    [
        "",
        "<",
        "no tag",
        "<p",
        "<p a",
        "<p a=",
        '<p a="',
        "<p a='>b",
        "<x:y-z ::=1 =>",
        "<p " + 'a="b" ' * 200,
        "<p " + '"' * 700,
    ],
)
def test_odd_markup_breaks_nothing(html: str) -> None:
    for rule in FAILING:
        assert said(rule, node(html))
