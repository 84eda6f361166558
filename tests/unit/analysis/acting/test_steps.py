"""The words of a step."""

from typing import Any

import pytest

from gasoline_cdp.analysis.acting.steps import (
    Click,
    check_step,
    parse_address,
    parse_answer,
    parse_click,
    parse_offset,
    parse_scroll,
    parse_target,
    parse_waiting,
)
from gasoline_cdp.errors import GasolineError


@pytest.mark.parametrize(
    ("text", "reference", "role", "name", "css"),
    [
        ("@kfd12", "@kfd12", "", "", ""),
        ('button "Save" focused @kfd12', "@kfd12", "", "", ""),
        ('button "Save"', "", "button", "Save", ""),
        ('h2 "A  b"', "", "h2", "A b", ""),
        ('button ""', "", "button", "", ""),
        ("#save", "", "", "", "#save"),
        ('a[title="x y"]', "", "", "", 'a[title="x y"]'),
        ("#frame >>> #save", "", "", "", "#frame >>> #save"),
    ],
)
def test_a_target_is_one_of_three(text: str, reference: str, role: str, name: str, css: str) -> None:
    target = parse_target(text)
    assert (target.reference, target.role, target.name, target.css) == (reference, role, name, css)


@pytest.mark.parametrize(
    ("value", "click"),
    [
        ("", Click()),
        ("right", Click(button="right")),
        ("double", Click(count=2)),
        ("Control+Shift", Click(modifiers=10)),
        ("at 10,20 middle ctrl", Click(button="middle", modifiers=2, at=(10, 20))),
    ],
)
def test_how_to_click(value: str, click: Click) -> None:
    assert parse_click(value) == click


def test_what_to_wait_for() -> None:
    waits = [parse_waiting(text) for text in ("idle", "text:Saved", "element:#a", "request:/api", "Note: saved")]
    assert [(one.kind, one.value) for one in waits] == [
        ("idle", ""),
        ("text", "Saved"),
        ("element", "#a"),
        ("request", "/api"),
        ("text", "Note: saved"),
    ]


def test_values_of_other_steps() -> None:
    assert (parse_scroll(""), parse_scroll("bottom"), parse_scroll("0,-40")) == ("", "bottom", (0, -40))
    assert (parse_offset("by 10,0"), parse_offset("#zone")) == ((10, 0), None)
    assert [parse_answer(one) for one in ("", "accept", "accept: Ada", "dismiss")] == [
        (True, None),
        (True, None),
        (True, "Ada"),
        (False, None),
    ]


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("localhost:5173/a", "http://localhost:5173/a"),
        ("https://example.org", "https://example.org"),
        ("about:blank", "about:blank"),
    ],
)
def test_addresses_of_the_web(typed: str, address: str) -> None:
    assert parse_address(typed) == address


@pytest.mark.parametrize("typed", ["file:///etc/passwd", "javascript:1", "chrome://settings", "data:text/html,x", ""])
def test_other_addresses_are_not_opened(typed: str) -> None:
    if typed:
        with pytest.raises(GasolineError):
            parse_address(typed)
    assert check_step("open", None, None) == "open needs a value"


@pytest.mark.parametrize(
    ("step", "problem"),
    [
        (("click", None, None), "click needs a target"),
        (("click", "#a", "sideways"), "'sideways'"),
        (("fill", "#a", None), "fill needs a value"),
        (("fill", "#a", ""), ""),
        (("back", "#a", None), "takes no target"),
        (("wait", None, None), "wait needs"),
        (("dialog", None, "maybe"), "dialog takes"),
        (("scroll", None, "sideways"), "scroll takes"),
        (("new_tab", None, None), ""),
        (("open", None, "file:///x"), "only http"),
    ],
)
def test_steps_are_checked(step: Any, problem: str) -> None:
    reported = check_step(*step)
    assert problem in reported
    assert bool(problem) == bool(reported)
