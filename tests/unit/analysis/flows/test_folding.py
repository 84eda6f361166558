"""Which actions a test has to repeat."""

import pytest

from gasoline_cdp.analysis.flows.folding import fold
from tests.recorded import acted

pytestmark = pytest.mark.requirement("F6-FLOWS")


@pytest.mark.parametrize(
    ("actions", "kept"),
    [
        ([acted(1), acted(1.1, "input", value="a")], ["input"]),
        ([acted(1, name="Other"), acted(1.1, "input", value="a")], ["click", "input"]),
        ([acted(1, checked=True), acted(1.1, "input", value="a")], ["click", "input"]),
        ([acted(1), acted(1.2, "submit", name="form")], ["click"]),
        ([acted(1, "keypress", key="Enter"), acted(1.2, "submit", name="form")], ["keypress"]),
        ([acted(1, "keypress", key="Escape"), acted(1.2, "submit", name="form")], ["keypress", "submit"]),
        ([acted(1), acted(5, "submit", name="form")], ["click", "submit"]),
        ([acted(1), acted(1.2), acted(1.21, "dblclick")], ["dblclick"]),
        ([acted(1, "keypress", key="Tab"), acted(2, "input", value="a")], ["input"]),
        ([acted(1, "keypress", key="Tab")], ["keypress"]),
        ([acted(1, "input", value="7", input_type="range"), acted(1.1)], ["input"]),
        ([acted(1, "input", value="7", input_type="text"), acted(1.1)], ["input", "click"]),
        ([acted(1, "drag"), acted(1.01)], ["drag"]),
        ([acted(1), acted(1.4, "select", selected_value="a")], ["select"]),
    ],
)
def test_what_one_action_says_is_not_repeated_by_another(actions: list, kept: list[str]) -> None:
    assert [folded.action.type for folded in fold(actions)] == kept


def test_corrections_are_part_of_the_last_value() -> None:
    typed = [
        acted(1, "input", value="abc"),
        acted(2, "keypress", key="Backspace"),
        acted(3, "input", value="ab"),
        acted(4, "input", "Other", value="x"),
    ]
    assert [folded.action.fields["value"] for folded in fold(typed)] == ["ab", "x"]


def test_a_click_into_a_field_that_led_to_something_is_repeated() -> None:
    click, typed = acted(1), acted(1.1, "input", value="a")
    assert [folded.action.type for folded in fold([click, typed], {click.seq})] == ["click", "input"]


def test_a_step_knows_the_actions_that_it_stands_for() -> None:
    actions = [acted(1), acted(1.2), acted(1.21, "dblclick")]
    (double,) = fold(actions)
    assert double.all == actions
