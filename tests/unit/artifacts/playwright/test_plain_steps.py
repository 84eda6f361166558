"""A flow as sentences."""

import pytest

from gasoline_cdp.artifacts.playwright.plain_steps import write_steps
from tests.recorded import acted, flow_of, went

pytestmark = pytest.mark.requirement("F6-REPRODUCTION")


def test_each_step_is_a_sentence_and_the_error_ends_them() -> None:
    flow = flow_of(
        went(0),
        acted(1, "input", "Title", value="Milk"),
        acted(2, "input", "Password", value="[redacted]"),
        acted(9),
        acted(9.1, "dialog", dialog="confirm", message="Sure?", accepted=True),
    )
    assert write_steps(flow, "boom\nat x").splitlines() == [
        "1. Open http://app.test/",
        "2. Fill button \"Title\" with 'Milk'",
        '3. Fill button "Password" with the value of TEST_PASSWORD',
        "   [7 s pause]",
        '4. Click button "Save"',
        "   The page asks (confirm): Sure?",
        "# Error: boom at x",
    ]
    assert "Error" not in write_steps(flow)
