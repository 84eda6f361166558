"""From actions to the steps of a test."""

from typing import Any

import pytest
from attrs import evolve

from gasoline_cdp.analysis.flows.drafts import FlowRecords
from gasoline_cdp.analysis.flows.steps import make_flow, secret_name
from tests.fakes import PAGE, log_record
from tests.recorded import BEGIN, acted, flow_of, in_tab, steps_of, went

pytestmark = pytest.mark.requirement("F6-FLOWS")


def kinds(*actions: Any, **more: Any) -> list[str]:
    return [step.kind for step in steps_of(*actions, **more)]


def test_a_navigation_that_nothing_led_to_is_opened_and_one_after_a_click_is_checked() -> None:
    steps = steps_of(went(0), acted(10), went(10.5, "/cart"))
    assert [(step.kind, step.value, step.url_after) for step in steps] == [
        ("open", "http://app.test/", ""),
        ("click", "", "http://app.test/cart"),
    ]
    assert steps[1].loads
    assert kinds(went(0), acted(10), went(30, "/cart")) == ["open", "click", "open"]


def test_a_recording_that_begins_in_the_middle_begins_at_the_page_of_its_first_action() -> None:
    first = steps_of(acted(1))[0]
    assert (first.kind, first.value) == ("open", PAGE.url)


@pytest.mark.parametrize(
    ("how", "path", "kind"), [("reload", "/b", "reload"), ("history", "/a", "back"), ("history", "/new", "forward")]
)
def test_moves_of_the_browser_itself(how: str, path: str, kind: str) -> None:
    assert kinds(went(0, "/a"), went(20, "/b"), went(40, path, how=how))[-1] == kind


@pytest.mark.parametrize(("how", "kind"), [("reload", "reload"), ("address", "open")])
def test_what_the_browser_was_told_to_do_is_no_effect_of_the_click_before(how: str, kind: str) -> None:
    steps = steps_of(went(0, "/a"), acted(10), went(10.5, "/a", how=how))
    assert [(step.kind, step.url_after) for step in steps[:2]] == [("open", ""), ("click", "")]
    assert steps[2].kind == kind


def test_a_frame_of_another_process_may_navigate_the_page() -> None:
    inside = acted(10)
    inside = evolve(inside, source=evolve(inside.source, frame_id="F1"))
    steps = steps_of(went(0, "/a"), inside, went(10.5, "/b", how="address"))
    assert [(step.kind, step.url_after) for step in steps] == [("open", ""), ("click", "http://app.test/b")]


def test_back_and_forward_again() -> None:
    actions = went(0, "/a"), went(20, "/b"), went(40, "/a", how="history"), went(60, "/b", how="history")
    assert kinds(*actions) == ["open", "open", "back", "forward"]


def test_clicking_a_checkbox_sets_it() -> None:
    steps = steps_of(went(0), acted(5, checked=True), acted(8, checked=False))
    assert [step.kind for step in steps] == ["open", "check", "uncheck"]


@pytest.mark.parametrize(
    ("kind", "count", "button"), [("dblclick", 2, "left"), ("contextmenu", 1, "right"), ("auxclick", 1, "middle")]
)
def test_other_clicks(kind: str, count: int, button: str) -> None:
    step = steps_of(went(0), acted(5, kind))[-1]
    assert (step.kind, step.count, step.button) == ("click", count, button)


def test_masked_values_come_from_the_environment_and_are_named() -> None:
    flow = flow_of(went(0), acted(5, "input", "Card number", value="[redacted]", input_type="text"))
    assert (flow.steps[-1].secret, flow.steps[-1].value) == ("TEST_CARD_NUMBER", "")
    assert "set TEST_CARD_NUMBER" in flow.warnings[0]
    assert secret_name("") == "TEST_VALUE"


def test_a_value_that_was_cut_is_not_typed_as_it_is() -> None:
    assert steps_of(went(0), acted(5, "input", value="long…", input_type="text"))[-1].secret


def test_what_cannot_be_found_again_becomes_a_comment_with_a_warning() -> None:
    flow = flow_of(went(0), evolve(acted(5), selectors={}))
    assert flow.steps[-1].kind == "comment"
    assert "no selector was unique" in flow.warnings[0]


def test_an_element_that_is_found_by_its_position_only_is_told() -> None:
    flow = flow_of(went(0), evolve(acted(5), selectors={"css": "li:nth-of-type(2)"}))
    assert flow.steps[-1].kind == "click"
    assert "by its position" in flow.warnings[0]


def test_a_popup_is_opened_by_the_last_step_of_its_opener() -> None:
    first, second = acted(5), in_tab(acted(9), 2)
    steps = steps_of(went(0), first, in_tab(went(5.3, "/help"), 2), second, openers={2: 1})
    assert [(step.kind, step.page, step.opens) for step in steps] == [
        ("open", 0, None),
        ("click", 0, 1),
        ("click", 1, None),
    ]


def test_actions_in_unrelated_tabs_are_left_out_and_counted() -> None:
    flow = flow_of(in_tab(went(0), 7), in_tab(acted(1), 7), went(2), acted(3))
    assert len(flow.steps) == 2
    assert flow.warnings == ("1 actions in other tabs are left out; tab_id chooses another tab.",)


def test_dialogs_and_downloads_belong_to_the_step_before() -> None:
    asked = acted(5.2, "dialog", dialog="confirm", message="Sure?", accepted=True)
    step = steps_of(went(0), acted(5), asked, acted(5.4, "download", filename="a.csv"))[-1]
    assert [(dialog.type, dialog.accepted) for dialog in step.dialogs] == [("confirm", True)]
    assert step.download == "a.csv"


def test_errors_of_the_recording_are_listed_once_and_without_those_before() -> None:
    logs = [log_record(n, "boom\n at x", level="error", ts=BEGIN + ts) for n, ts in enumerate((-5, 2, 3))]
    assert flow_of(went(0), acted(1), logs=logs).errors == ("boom",)


def test_nothing_recorded_is_no_flow() -> None:
    assert make_flow(FlowRecords(actions=())) is None
