"""Outlines: what may be expected to be there again."""

from typing import Any

import pytest

from gasoline_cdp.analysis.flows.locators import Locator
from gasoline_cdp.analysis.flows.outlines import Outline, OutlineNode, outline_of

pytestmark = pytest.mark.requirement("F6-FLOWS")


def outline(*nodes: Any, kind: str = "id", value: str = "rows", **more: str) -> Outline | None:
    return outline_of({"region": {"kind": kind, "value": value, **more}, "nodes": list(nodes)})


def item(*children: Any) -> dict[str, Any]:
    return {"role": "listitem", "children": list(children)}


def test_what_varies_is_left_out() -> None:
    made = outline(item("Milk"), item("at 12:05"), item("Bread", {"role": "button", "name": "order 8842917"}))
    assert made is not None
    assert made.nodes == (
        OutlineNode(role="listitem", children=("Milk",)),
        OutlineNode(role="listitem", children=("Bread",)),
    )
    assert made.texts == {"Milk", "Bread"}


def test_one_text_alone_is_no_outline() -> None:
    assert outline_of(None) is None
    assert outline(item("Milk")) is None
    assert outline(item("Milk"), item("12:05")) is None


def test_a_box_that_is_checked_says_something_without_a_name() -> None:
    made = outline(item("Milk"), item("Bread", {"role": "checkbox", "checked": True}))
    assert made is not None
    assert made.nodes[1] == OutlineNode(role="listitem", children=("Bread", OutlineNode(role="checkbox", checked=True)))


@pytest.mark.parametrize(
    ("region", "locator"),
    [
        ({"kind": "id", "value": "rows"}, Locator("css", "#rows")),
        ({"kind": "body", "value": "body"}, Locator("css", "body")),
        ({"kind": "role", "value": "dialog"}, Locator("role", "", "dialog")),
        ({"kind": "test_id", "value": "rows", "attribute": "data-cy"}, Locator("test_id", "rows", "data-cy")),
    ],
)
def test_the_region_is_found_again(region: dict[str, str], locator: Locator) -> None:
    made = outline(item("Milk"), item("Bread"), **region)
    assert made is not None
    assert made.region == locator


def test_the_role_of_the_region_is_not_repeated() -> None:
    made = outline({"role": "main", "children": [item("Milk"), item("Bread")]}, kind="role", value="main")
    assert made is not None
    assert [node.role for node in made.nodes if isinstance(node, OutlineNode)] == ["listitem", "listitem"]
