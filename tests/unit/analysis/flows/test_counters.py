"""Numbers that depend on what was there before."""

import pytest
from attrs import evolve

from gasoline_cdp.analysis.flows.counters import COUNTED, Counters
from tests.recorded import acted, called, showed, steps_of, went

pytestmark = pytest.mark.requirement("F6-FLOWS")


def counted(text: str) -> str:
    return text.replace("N", COUNTED)


@pytest.mark.parametrize(
    ("gone", "came", "marked"),
    [
        ("2 items in the list", "3 items in the list, added Milk", "N items in the list, added Milk"),
        ("1 item", "2 items", "N items"),
        ("Cart (1,024)", "Cart (1,025)", "Cart (N)"),
        # Nothing was counted: the same number, other words, no words.
        ("3 items", "3 items in all", "3 items in all"),
        ("2 lamps", "3 desks", "3 desks"),
        ("2", "3", "3"),
    ],
)
def test_a_number_that_went_up_may_be_another_one(gone: str, came: str, marked: str) -> None:
    counters = Counters()
    counters.learn([gone], [came])
    assert counters.mark(came) == counted(marked)


def test_a_total_is_the_same_number_wherever_it_stands() -> None:
    counters = Counters()
    counters.learn(["Total: £60.00"], ["Total: £90.00", "Your cart is worth £90.00"])
    assert counters.mark("Your cart is worth £90.00") == counted("Your cart is worth £N")
    assert counters.mark("9 of 10") == "9 of 10"


def test_what_was_typed_comes_again() -> None:
    counters = Counters()
    counters.type("12 lamps")
    counters.learn(["Room 11"], ["Room 12"])
    assert counters.mark("Room 12") == "Room 12"
    assert counters.mark("Order #12", wrote=True) == "Order #12"


@pytest.mark.parametrize(
    ("text", "marked"), [("Order 1042 placed", "Order N placed"), ("Ticket: #7", "Ticket: #N"), ("4 lamps", "4 lamps")]
)
def test_a_server_numbers_what_it_makes(text: str, marked: str) -> None:
    assert Counters().mark(text, wrote=True) == counted(marked)
    assert Counters().mark(text) == text


def test_only_a_step_that_wrote_to_the_server_counts_up() -> None:
    shots = [showed(5, {"text": "3 items"}, {"role": "gone", "text": "2 items"})]
    for method, expected in (("POST", [(counted("N items"), False)]), ("GET", [("3 items", False), ("2 items", True)])):
        steps = steps_of(went(0), acted(5), snapshots=shots, network=[called(5.1, "/api/items", method)])
        assert [(shown.text, shown.gone) for shown in steps[-1].shows] == expected


@pytest.mark.parametrize(
    ("sent", "secret", "expected"),
    [("POST", "", "Basket: N of 30"), ("GET", "", "Basket: 2 of 30"), ("POST", "Password", "Basket: 2 of 30")],
)
def test_on_a_page_loaded_after_a_write_new_numbers_may_be_others(sent: str, secret: str, expected: str) -> None:
    """A basket of an account is fuller in each run. A login fills nothing."""
    shots = [
        showed(1, {"role": "heading", "text": "Lamp 30", "selector": "h2"}, trigger="load"),
        showed(9, {"role": "heading", "text": "Basket: 2 of 30", "selector": "h1"}, trigger="load"),
    ]
    field = acted(3, "input", secret or "Name", value="[redacted]" if secret else "Ann", input_type="text")
    form = called(5.1, "/basket", sent)
    form = evolve(form, type="Document")
    steps = steps_of(went(0), field, acted(5), went(5.4, "/basket"), snapshots=shots, network=[form])
    assert [shown.text for shown in steps[-1].shows] == [counted(expected)]
