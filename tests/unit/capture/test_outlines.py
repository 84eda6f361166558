"""Outlines that pages report: in bounds, of known kinds, and never with a text that had to be cut or masked."""

from typing import Any

import pytest

from gasoline_cdp import limits
from gasoline_cdp.capture.outlines import exact_text, parse_outline

pytestmark = pytest.mark.requirement("F6-FLOWS")

REGION = {"kind": "id", "value": "rows"}
TOKEN = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"


def nodes(*given: Any) -> list[Any]:
    parsed = parse_outline({"region": REGION, "nodes": list(given)})
    return parsed["nodes"] if parsed else []


def test_what_is_known_is_kept() -> None:
    row = {"role": "listitem", "children": ["Milk", {"role": "checkbox", "checked": True, "children": []}]}
    assert nodes({"role": "heading", "name": "Items", "level": 2, "extra": 1}, row) == [
        {"role": "heading", "name": "Items", "level": 2},
        {"role": "listitem", "children": ["Milk", {"role": "checkbox", "checked": True}]},
    ]


@pytest.mark.parametrize(
    "region",
    [None, {}, {"kind": "xpath", "value": "a"}, {"kind": "id", "value": ""}, {"kind": "id", "value": TOKEN},
     {"kind": "test_id", "value": "a", "attribute": "onclick"}],
)  # fmt: skip
def test_a_region_that_cannot_be_found_again_is_none(region: Any) -> None:
    assert parse_outline({"region": region, "nodes": ["Milk"]}) is None


@pytest.mark.parametrize("given", [None, 5, "text", [], {"region": REGION}, {"region": REGION, "nodes": [5, None]}])
def test_malformed_outlines_are_none(given: Any) -> None:
    assert parse_outline(given) is None


def test_secrets_and_cut_texts_are_left_out() -> None:
    long = "x y " * limits.ACTION_VALUE_CHARS
    assert nodes(TOKEN, long, {"role": "button", "name": TOKEN}, "Milk") == [{"role": "button"}, "Milk"]
    assert exact_text(f"token {TOKEN}", 500) is None


def test_roles_are_words() -> None:
    assert nodes({"role": "a: b"}, {"role": 5}, {"name": "no role"}, "Milk") == ["Milk"]


def test_an_outline_is_bounded() -> None:
    deep: dict[str, Any] = {"role": "list"}
    for _ in range(50):
        deep = {"role": "list", "children": [deep]}
    (node,) = nodes(deep)
    levels = 0
    while node:
        node, levels = (node.get("children") or [None])[0], levels + 1
    assert levels == limits.OUTLINE_LEVELS
    wide = {"role": "list", "children": [{"role": "listitem", "children": ["a"]}] * 500}
    assert len(nodes(wide)[0]["children"]) <= limits.OUTLINE_NODES
