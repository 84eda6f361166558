"""Outlines: what may be expected to be there again."""

from functools import partial
from typing import Any

import pytest
from attrs import evolve

from gasoline_cdp.analysis.flows.locators import Locator
from gasoline_cdp.analysis.flows.outlines import Outline, OutlineNode, outline_of, without_known_messages
from gasoline_cdp.analysis.flows.volatile import SeenTexts
from gasoline_cdp.records import DomSnapshotRecord
from tests.recorded import showed

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


def test_a_number_that_differs_between_loads_is_left_out() -> None:
    def loaded(ts: float, *texts: str) -> DomSnapshotRecord:
        nodes = {"region": {"kind": "body", "value": "body"}, "nodes": [item(text) for text in texts]}
        return evolve(showed(ts, trigger="load"), outline=nodes)

    seen = SeenTexts([loaded(1, "Visitor 17", "3 items", "Milk"), loaded(9, "Visitor 18", "3 items", "Bread")])
    url = showed(1).source.url
    assert [text for text in ("Visitor 18", "3 items", "Bread") if seen.varies(url, text)] == ["Visitor 18"]
    reported = {"region": {"kind": "id", "value": "a"}, "nodes": ["Visitor 18", item("Milk"), "Bread"]}
    made = outline_of(reported, partial(seen.varies, url))
    assert made is not None
    assert made.texts == {"Milk", "Bread"}


def page_shown(ts: float, heading: str, *links: str) -> DomSnapshotRecord:
    nodes = [{"role": "heading", "name": heading, "level": 1}, *({"role": "link", "name": link} for link in links)]
    return evolve(showed(ts, trigger="load"), outline={"region": {"kind": "body", "value": "body"}, "nodes": nodes})


def test_what_leads_on_from_every_page_is_left_out_but_what_a_page_tells_is_not() -> None:
    first, second = page_shown(1, "Books", "Home", "Add"), page_shown(5, "Books", "Home", "Hunger")
    # What was a link in a list is what the next page is about.
    second.outline["nodes"].append({"role": "cell", "name": "Add"})  # type: ignore[index]
    seen = SeenTexts([first, second])
    assert {text for text in ("Books", "Home", "Add", "Hunger") if seen.left_out(second)(text)} == {"Home"}
    assert not any(seen.left_out(first)(text) for text in ("Books", "Home", "Add"))
    # An action that changes a part of the page may well bring a text that another page had.
    assert not seen.left_out(evolve(second, trigger="action"))("Home")


def test_an_outline_has_as_many_nodes_as_somebody_would_read() -> None:
    made = outline({"role": "list", "children": [item(f"Row {number}a") for number in range(40)]})
    assert made is not None
    # The list and nine whole items; of the tenth, only the element would be left.
    assert made.texts == {f"Row {number}a" for number in range(9)}
    (rows,) = made.nodes
    assert isinstance(rows, OutlineNode)
    assert len(rows.children) == 9


@pytest.mark.parametrize(
    "text", ["·", "› »", "19th November 2026 at 3:41am", "November 2026", "Thu, 19", "at 3:41 p.m."]
)
def test_punctuation_and_dates_say_nothing(text: str) -> None:
    made = outline(item("Milk"), item(text), item("Bread"))
    assert made is not None
    assert made.texts == {"Milk", "Bread"}


def test_a_message_is_expected_of_the_step_that_brought_it_only() -> None:
    made = outline({"role": "alert", "children": ["Saved"]}, {"role": "dialog", "children": ["Really?", "Yes"]})
    assert made is not None
    assert without_known_messages(made, set()) == made
    later = without_known_messages(made, {"Saved", "Yes"})
    assert later is not None
    assert later.texts == {"Really?", "Yes"}
    message = outline({"role": "status", "children": ["Saved", {"role": "link", "name": "Undo"}]})
    assert without_known_messages(message, {"Saved", "Undo"}) is None
