"""Fitting an audit into an answer."""

from typing import Any

import pytest

from gasoline_cdp import wire
from gasoline_cdp.audits.axe_runs import spread, steps_of


def entries(*sizes: int) -> list[dict[str, Any]]:
    return [{"id": f"r{place}", "nodes": [f"n{n}" * 10 for n in range(size)]} for place, size in enumerate(sizes)]


def test_everything_is_shown_where_there_is_room() -> None:
    given = entries(3, 1, 0)
    assert spread(given, "nodes", 10_000) == (given, 0)


@pytest.mark.parametrize("budget", [120, 200, 400])
def test_each_gets_one_before_any_gets_two(budget: int) -> None:
    shown, left_out = spread(entries(10, 10, 10), "nodes", budget)
    counts = [len(entry["nodes"]) for entry in shown if "nodes" in entry]
    assert len(wire.encode(shown)) <= budget + 2
    assert len(counts) + left_out == 3
    assert max(counts) - min(counts) <= 1


def test_what_does_not_fit_is_named() -> None:
    shown, left_out = spread(entries(*[3] * 20), "nodes", 400)
    assert [entry["id"] for entry in shown] == [f"r{place}" for place in range(20)]
    assert left_out == sum("nodes" not in entry for entry in shown) > 10
    assert len(wire.encode(shown)) <= 402


def test_what_cannot_even_be_named_is_counted() -> None:
    assert spread(entries(1, 1), "nodes", 5) == ([], 2)


def test_steps() -> None:
    assert steps_of(None) == ()
    assert steps_of("a >>> b>>>c") == ("a", "b", "c")
