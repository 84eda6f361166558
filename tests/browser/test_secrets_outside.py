"""Planted secrets and the running program: its commands, HTTP, MCP, streams, files and log."""

from random import Random

import pytest

from tests.planting import PLACES, Planted
from tests.planting_outside import leaks_outside

# Beside what `observe` tells: values that only scripts of an assistant, source maps and commands can bring out.
_CHOSEN = (
    "source map, file", "source map, name", "text area", "hidden field", "name of a stored key", "localStorage",
    "console table", "exception", "response JSON, slashes escaped", "socket, received", "url query, encoded twice",
)  # fmt: skip


@pytest.mark.requirement("S19")
@pytest.mark.long
async def test_nothing_planted_shows_outside() -> None:
    places = tuple(place for place in PLACES if place.name in _CHOSEN)
    assert len(places) == len(_CHOSEN)
    planted = Planted()
    assert await leaks_outside(Random(12), 1, planted, places, views=("errors",)) == []
    assert len(planted.found) == len(places)
