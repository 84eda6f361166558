"""What an element is called."""

from typing import Any

import pytest

from gasoline_cdp.analysis.elements import element_of


@pytest.mark.parametrize(
    ("selectors", "element"),
    [
        (
            {"test_id": {"attribute": "data-cy", "value": "x"}, "role": {"role": "button", "name": "Buy"}},
            'button "Buy"',
        ),
        ({"label": "Name", "id": "n"}, '"Name"'),
        ({"test_id": {"attribute": "data-cy", "value": "x"}, "id": "n"}, "[data-cy=x]"),
        ({"id": "n", "css": "p"}, "#n"),
        ({"css": "p"}, "p"),
        ({}, None),
    ],
)
def test_an_element_is_called_by_what_says_most(selectors: dict[str, Any], element: str | None) -> None:
    assert element_of(selectors) == element
