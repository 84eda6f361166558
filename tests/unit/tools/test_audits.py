"""Fitting an audit into an answer."""

from typing import Any

import pytest

from gasoline_cdp import wire
from gasoline_cdp.tools.audits import spread, steps_of


def entries(*sizes: int) -> list[dict[str, Any]]:
    return [{"id": f"r{place}", "nodes": [f"n{n}" * 10 for n in range(size)]} for place, size in enumerate(sizes)]


def test_everything_is_shown_where_there_is_room() -> None:
    given = entries(3, 1, 0)
    assert spread(given, "nodes", 10_000) == (given, 0)


@pytest.mark.parametrize("budget", [120, 200, 400])
def test_each_gets_one_before_any_gets_two(budget: int) -> None:
    shown, left_out = spread(entries(10, 10, 10), "nodes", budget)
    counts = [len(entry["nodes"]) for entry in shown]
    assert len(wire.encode(shown)) <= budget + 2
    assert len(shown) + left_out == 3
    assert max(counts) - min(counts) <= 1


def test_what_does_not_fit_at_all_is_counted() -> None:
    assert spread(entries(1, 1), "nodes", 5) == ([], 2)


def test_steps() -> None:
    assert steps_of(None) == ()
    assert steps_of("a >>> b>>>c") == ("a", "b", "c")
