"""Budgets of a project: found by path, held against a load, and refused with the line that is wrong."""

import pytest
from attrs import evolve

from gasoline_cdp.analysis.performance.budgets import Budgets, broken_budgets, read_budgets
from gasoline_cdp.errors import Code, GasolineError
from tests.fakes import NO_TIMING
from tests.fakes import performance_record as snapshot

FILE = """
[budgets.default]
load_ms = 3000
cls = 0.1

[budgets."/shop"]
load_ms = 2000

[budgets."/shop/cart"]
total_transfer_kb = 100
"""


def read(text: str) -> Budgets | None:
    return read_budgets(text, name="gasoline.toml", section=("budgets",))


def limits_of(path: str) -> dict[str, tuple[float, str]]:
    budgets = read(FILE)
    assert budgets is not None
    return budgets.for_path(path)


def test_the_longest_prefix_wins_and_default_fills_in() -> None:
    assert limits_of("/") == {"load_ms": (3000, "default"), "cls": (0.1, "default")}
    assert limits_of("/shop/x")["load_ms"] == (2000, "/shop")
    assert limits_of("/shop/cart")["load_ms"] == (3000, "default")
    assert limits_of("/shop/cart")["total_transfer_kb"] == (100, "/shop/cart")
    assert limits_of("/shopping")["load_ms"] == (3000, "default")


def test_a_file_without_budgets_has_none() -> None:
    assert read("[project]\nname = 'x'\n") is None


def test_a_load_over_its_budget() -> None:
    record = snapshot(1, "/shop", timing=evolve(NO_TIMING, load=2500.0))
    budgets = read(FILE)
    assert budgets is not None
    (broken,) = broken_budgets(budgets, record)
    assert (broken.key, broken.limit, broken.actual, broken.route) == ("load_ms", 2000, 2500, "/shop")


def test_what_was_not_measured_breaks_nothing() -> None:
    assert broken_budgets(Budgets({"default": {"lcp_ms": 1}}), snapshot(1, "/")) == []


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("[budgets.default]\nload_ms = 1\nspeed = 3\n", 3, "'speed' is not a budget"),
        ("[budgets.default]\n\nload_ms = 'fast'\n", 3, "must be a number"),
        ("[budgets.default]\nload_ms = -1\n", 2, "must be a number"),
        ("\n[budgets.shop]\nload_ms = 1\n", 2, "'shop' must be 'default' or a path"),
        ("[budgets]\nload_ms = 1\n", 2, "must stand in a table"),
    ],
)
def test_what_cannot_be_used_is_named_with_its_line(text: str, line: int, words: str) -> None:
    with pytest.raises(GasolineError, match=words) as caught:
        read(text)
    assert caught.value.code is Code.BAD_BUDGETS
    assert f"gasoline.toml, line {line}:" in caught.value.message


def test_what_is_not_toml_is_said_so() -> None:
    with pytest.raises(GasolineError, match=r"gasoline\.toml is not TOML: .*line 1"):
        read("= 3")
