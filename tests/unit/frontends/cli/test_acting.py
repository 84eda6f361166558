"""Steps as they are typed in a shell."""

import pytest

from gasoline_cdp.frontends.cli.acting import parse_step
from gasoline_cdp.frontends.invocation import UsageError


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("open localhost:3000", {"do": "open", "value": "localhost:3000"}),
        ('click button "Save"', {"do": "click", "target": 'button "Save"'}),
        ("click #a = right", {"do": "click", "target": "#a", "value": "right"}),
        ("fill #email = a = b", {"do": "fill", "target": "#email", "value": "a = b"}),
        ("press Enter", {"do": "press", "value": "Enter"}),
        ("press #a = Enter", {"do": "press", "target": "#a", "value": "Enter"}),
        ("wait element:#done", {"do": "wait", "value": "element:#done"}),
        ("back", {"do": "back"}),
    ],
)
def test_a_step_is_typed_in_one_text(text: str, step: dict[str, str]) -> None:
    assert parse_step(text) == step


def test_an_unknown_step_is_refused() -> None:
    with pytest.raises(UsageError, match="'tap' is no step"):
        parse_step("tap #a")
