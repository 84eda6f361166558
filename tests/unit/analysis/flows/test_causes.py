"""Which action led to what."""

import pytest
from attrs import evolve

from gasoline_cdp.analysis.flows.causes import RequestCauses
from gasoline_cdp.analysis.flows.drafts import FlowRecords
from tests.recorded import BEGIN, acted, called, showed, went

pytestmark = pytest.mark.requirement("F6-FLOWS")

TYPED = evolve(acted(1, "input", value="abc"), until=BEGIN + 1.6)
CLICK = acted(2)
CAUSES = RequestCauses([TYPED, CLICK])
TAB = TYPED.source.tab_id


@pytest.mark.parametrize(
    ("ts", "cause"),
    [(0.999, TYPED), (1.0, TYPED), (1.4, TYPED), (1.6, TYPED), (1.8, CLICK), (2.0, CLICK), (2.2, None), (-0.8, None)],
)
def test_an_event_is_part_of_an_action_or_its_beginning(ts: float, cause: object) -> None:
    assert CAUSES.of_event(TAB, BEGIN + ts) == cause


def test_other_tabs_have_other_actions() -> None:
    assert CAUSES.of_event(TAB + 1, BEGIN + 2) is None


def test_a_change_belongs_to_no_action_that_came_later() -> None:
    assert CAUSES.of_change(showed(1.8)) is None
    assert CAUSES.of_change(showed(1.4)) == TYPED
    assert CAUSES.of_change(showed(2)) == CLICK


def test_actions_that_led_to_something() -> None:
    records = FlowRecords(
        actions=[TYPED, CLICK],
        network=[called(1.9, "/a", during=BEGIN + 1.7), called(9, "/b")],
        snapshots=[showed(1.2), showed(1.2, {"text": "Saved"}, trigger="load")],
    )
    assert CAUSES.eventful(records) == {CLICK.seq}


def test_a_call_while_the_page_goes_back_is_not_the_clicks_before_it() -> None:
    back = went(4, "/products", within_document=True, how="history")
    causes = RequestCauses([CLICK, back])
    # The page hears of it a moment before the browser reports it.
    assert causes.of_event(TAB, BEGIN + 3.8) == back
    assert causes.of_event(TAB, BEGIN + 2) == CLICK
    assert RequestCauses([CLICK, went(4, "/products")]).of_event(TAB, BEGIN + 3.8) is None
