"""Templates of ARIA snapshots: YAML in which every text of a page is only a text."""

import pytest

from gasoline_cdp.analysis.flows.locators import Locator
from gasoline_cdp.analysis.flows.outlines import Outline, OutlineNode
from gasoline_cdp.artifacts.playwright.aria import template

pytestmark = pytest.mark.requirement("F6-TESTS")


def lines(*nodes: OutlineNode | str) -> list[str]:
    return template(Outline(Locator("css", "#rows"), nodes))


def test_nodes_are_nested() -> None:
    box = OutlineNode(role="checkbox", checked=True)
    row = OutlineNode(role="listitem", children=("Milk", box))
    heading = OutlineNode(role="heading", name="Items", level=2)
    assert lines(
        heading, OutlineNode(role="list", children=(row, OutlineNode(role="listitem", children=("Bread",))))
    ) == [
        '- heading "Items" [level=2]',
        "- list:",
        "  - listitem:",
        "    - text: Milk",
        "    - checkbox [checked]",
        "  - listitem: Bread",
    ]


@pytest.mark.parametrize(
    ("text", "value", "name"),
    [
        ("Milk", "Milk", '- button "Milk"'),
        ("yes", '"yes"', '- button "yes"'),
        ("a: b", '"a: b"', "- 'button \"a: b\"'"),
        ("- x", '"- x"', "- 'button \"- x\"'"),
        ('it\'s "so"', '"it\'s \\"so\\""', "- 'button \"it''s \\\"so\\\"\"'"),
        ("{a} # b", '"{a} # b"', "- 'button \"{a} # b\"'"),
        ("12", '"12"', "- 'button \"12\"'"),
    ],
)
def test_texts_are_quoted_where_yaml_needs_it(text: str, value: str, name: str) -> None:
    assert lines(OutlineNode(role="paragraph", children=(text,))) == [f"- paragraph: {value}"]
    assert lines(OutlineNode(role="button", name=text)) == [name]
