"""Which lines of a page an answer of act shows."""

from types import SimpleNamespace
from typing import Any

from gasoline_cdp.acting.page_tree import PageTree, compare_pages
from gasoline_cdp.analysis.accessibility.tree_lines import TreeLine

OPEN: Any = SimpleNamespace(dialog="", state="open", raw_url="http://shop.test/")
LEFT = PageTree(1, "abc", ())


def line(depth: int, role: str, name: str = "", *, text: str = "", control: bool = False, states: str = "") -> TreeLine:
    key = f"{role}{name}{text}"
    return TreeLine(
        depth=depth, key=key, role=role, name=name, text=text, states=states, ref=f"@{role}1", control=control
    )


def test_of_another_document_only_what_can_be_clicked_has_a_reference() -> None:
    lines = (
        line(0, "document", '"Shop"', states="focused"),
        line(1, "navigation"),
        line(2, "li", text='"/"'),
        line(3, "link", '"Home"', control=True),
        line(1, "row", text='"Lamp 10"'),
        line(2, "button", '"Buy"', control=True),
    )
    shown = compare_pages(OPEN, LEFT, PageTree(1, "xyz", lines), same_document=False)
    assert shown.whole
    assert shown.lines == (
        'document "Shop"',
        " navigation",
        '   link "Home" @link1',
        ' row: "Lamp 10" @row1',
        '  button "Buy" @button1',
    )


def test_a_page_that_could_not_be_read_is_not_said_to_be_unchanged() -> None:
    assert compare_pages(OPEN, LEFT, None, same_document=True).unread
    assert compare_pages(OPEN, None, LEFT, same_document=True).unread
    # There is nothing to be read while a dialog is open.
    asked: Any = SimpleNamespace(dialog="alert", state="open", raw_url="http://shop.test/")
    assert not compare_pages(asked, LEFT, None, same_document=True).unread
    assert not compare_pages(OPEN, LEFT, LEFT, same_document=True).unread
