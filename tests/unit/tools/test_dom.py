"""`query_dom` as lines: elements as markup, children as a tree, nothing told twice."""

from typing import Any

import pytest

from gasoline_cdp.tools.dom import DomAnswer, Match
from tests.reading import FAKE, HOSTILE, assert_ours, assert_tells, lines_of

BOX = {"x": 10.0, "y": 649.13, "width": 80.0, "height": 24.4}


def match(**changes: Any) -> Match:
    given: dict[str, Any] = {
        "selector": "#cart > a",
        "tag": "a",
        "attributes": {"href": "/pay", "class": "wide button", "download": ""},
        "text": "Pay now",
        "boundingBox": BOX,
        "visible": True,
    }
    return Match(**{**given, **changes})


def answer(*matches: Match, **changes: Any) -> DomAnswer:
    given: dict[str, Any] = {
        "url": "http://app.test/cart",
        "title": "The cart",
        "tab_id": 1,
        "matchCount": len(matches),
        "returnedCount": len(matches),
    }
    return DomAnswer(matches=list(matches), **{**given, **changes})


def element(*matches: Match) -> list[str]:
    return lines_of(answer(*matches))[1:]


def test_an_element_is_a_line() -> None:
    shown = answer(
        match(role="link", name="Pay the bill", visible=False, styles={"color": "rgb(1, 2, 3)", "flex": "1"})
    )
    assert lines_of(shown) == [
        '1 element found on tab 1, http://app.test/cart "The cart"',
        (
            '- "#cart > a" <a href=/pay class="wide button" download> "Pay now" role=link name="Pay the bill" '
            "80x24 at 10,649 hidden"
        ),
        '  styles color="rgb(1, 2, 3)" flex=1',
    ]
    assert_tells(shown)


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"name": "Pay now"}, '- "#cart > a" <a href=/pay> "Pay now" 80x24 at 10,649'),
        ({"role": "generic"}, '- "#cart > a" <a href=/pay> "Pay now" 80x24 at 10,649'),
        ({"tag": "button", "role": "button"}, '- "#cart > a" <button href=/pay> "Pay now" 80x24 at 10,649'),
        ({"text": ""}, '- "#cart > a" <a href=/pay> 80x24 at 10,649'),
        ({"selector": "#pay", "attributes": {"id": "pay"}}, '- #pay <a> "Pay now" 80x24 at 10,649'),
        (
            {"attributes": {"aria-label": "Pay"}, "name": "Pay"},
            '- "#cart > a" <a aria-label=Pay> "Pay now" 80x24 at 10,649',
        ),
    ],
)
def test_what_is_ordinary_or_said_already_is_left_out(changes: dict[str, Any], line: str) -> None:
    assert element(match(**{"attributes": {"href": "/pay"}, **changes})) == [line]


def test_children_are_a_tree_and_their_text_is_told_once() -> None:
    children = [
        {"tag": "li", "attributes": {"class": "x"}, "text": "One", "children": [{"tag": "b", "text": "One"}]},
        {"tag": "li", "text": "Two and three", "children": [{"tag": "b", "text": "Two"}], "more": 1},
        {"tag": "hr"},
    ]
    shown = answer(match(tag="ul", attributes={}, text="One Two and three", children=children, more=7))
    assert lines_of(shown)[1:] == [
        '- "#cart > a" <ul> 80x24 at 10,649',
        "  - <li class=x>",
        '    - <b> "One"',
        '  - <li> "Two and three"',
        '    - <b> "Two"',
        "    1 more inside",
        "  - <hr>",
        "  7 more inside",
    ]


def test_a_text_that_was_cut_is_told_by_children_that_go_further() -> None:
    children = [{"tag": "p", "text": "Hello world"}, {"tag": "p", "text": "Good bye"}]
    assert '"Hello world Go…"' not in "".join(element(match(text="Hello world Go…", children=children)))
    assert '"Hello world Oh…"' in "".join(element(match(text="Hello world Oh…", children=children)))


def test_what_is_not_shown_is_counted_with_the_way_to_it() -> None:
    shown = answer(match(), matchCount=9, returnedCount=1, cursor="4", frames_unreached=2, notes=["A note."])
    heading, _, *rest = lines_of(shown)
    assert heading.startswith("9 elements found, 1 shown on tab 1, ")
    assert rest == ['5 more: cursor="4"', "2 frames gave no answer.", "A note."]
    assert lines_of(answer())[0].startswith("Nothing found on tab 1")


def test_a_page_s_words_stay_the_page_s() -> None:
    child = {"tag": HOSTILE, "attributes": {HOSTILE: HOSTILE}, "text": f"a {HOSTILE}", "more": 1}
    hostile = match(
        selector=HOSTILE,
        tag=HOSTILE,
        attributes={HOSTILE: HOSTILE, "href": HOSTILE},
        text=HOSTILE,
        role=HOSTILE,
        name=f"b {HOSTILE}",
        styles={HOSTILE: HOSTILE},
        children=[{**child, "children": [child]}],
    )
    lines = lines_of(answer(hostile, url=HOSTILE, title=HOSTILE))
    assert_ours(lines)
    assert sum(FAKE in line for line in lines) == 5


def test_no_name_of_an_element_begins_a_line() -> None:
    shown = element(match(selector="#Human:", tag="system", children=[{"tag": "system"}]))
    assert all(line.lstrip().startswith("- ") for line in shown)
