"""An assistant before anything was loaded: what it can do, or whom it asks for what."""

import pytest

from gasoline_cdp.browser.status import BrowserStatus
from gasoline_cdp.operations.nothing_loaded import nothing_loaded, what_to_ask_for
from tests.fakes import log_record, make_context


@pytest.mark.parametrize(
    ("browser", "pilot", "told"),
    [
        (BrowserStatus(headless=True), False, "no window: ask the person to run `gasoline-cdp launch URL`"),
        (BrowserStatus(headless=False), False, "to open the app in the window of gasoline-cdp"),
        (BrowserStatus(mode="attached"), False, "in the browser that gasoline-cdp is attached to"),
        (BrowserStatus(headless=True), True, "Open one: execute_javascript"),
    ],
)
def test_what_is_asked_for_is_what_can_be_done(browser: BrowserStatus, pilot: bool, told: str) -> None:
    assert told in what_to_ask_for(browser, pilot=pilot)


def test_without_a_tab_it_is_not_for_us_to_say() -> None:
    context = make_context()
    assert not nothing_loaded(context.capture, context.telemetry)
    context.telemetry.add(log_record(1, "something"))
    assert not nothing_loaded(context.capture, context.telemetry)
