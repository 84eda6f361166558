"""`highlight_element` as lines."""

from gasoline_cdp.tools.highlight import Highlight
from tests.reading import HOSTILE, assert_ours, assert_tells, lines_of

BOUNDS = {"x": 1.25, "y": 20, "width": 80, "height": 24}


def test_what_is_marked_where() -> None:
    marked = Highlight(success=True, selector="#pay", bounds=BOUNDS, tab_id=3, note="It is outside.")
    assert lines_of(marked) == ["Highlighted #pay 80x24 at 1.2,20 on tab 3", "It is outside."]
    assert_tells(marked)


def test_a_selector_stays_a_selector() -> None:
    assert_ours(lines_of(Highlight(success=True, selector=HOSTILE, bounds=BOUNDS, tab_id=3)))
