"""The shortest run that leads to an error."""

import pytest

from gasoline_cdp.analysis.flows.reproduce import FoundError, find_error, leading_to
from tests.fakes import log_record
from tests.recorded import BEGIN, acted, called, flow_of, went

pytestmark = pytest.mark.requirement("F6-REPRODUCTION")


def error(text: str, ts: float, **more: object) -> object:
    return log_record(1, text, level="error", kind="exception", ts=BEGIN + ts, **more)


def test_the_newest_error_or_the_one_asked_for() -> None:
    logs = [error("Uncaught TypeError: a is null\n at x", 1), error("Uncaught (in promise) Error: b", 2)]
    assert find_error(logs).text == "Error: b"  # type: ignore[arg-type, union-attr]
    assert find_error(logs, "IS NULL").text == "TypeError: a is null"  # type: ignore[arg-type, union-attr]
    assert find_error(logs, "other") is None  # type: ignore[arg-type]


def test_it_begins_with_the_document_of_the_error_and_ends_with_it() -> None:
    flow = flow_of(
        went(0), acted(5, name="Shop"), went(5.5, "/shop"), acted(10), acted(20, name="Later"),
        network=[called(10.1, "/api/a")],
    )  # fmt: skip
    found = find_error([error("boom", 10.2)])  # type: ignore[list-item]
    assert found is not None
    cut = leading_to(flow, found)
    assert [(step.kind, step.value or step.element) for step in cut.steps] == [
        ("open", "http://app.test/shop"),
        ("click", 'button "Save"'),
    ]
    assert all(not step.calls for step in cut.steps)
    assert "after 1 earlier steps" in cut.warnings[-1]


def test_an_error_of_the_first_page_needs_no_warning() -> None:
    found = find_error([error("boom", 5.1)])  # type: ignore[list-item]
    assert found is not None
    assert leading_to(flow_of(went(0), acted(5)), found).warnings == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("TypeError: a is null", "a is null"),
        ("MyOwn: TypeError: a", "TypeError: a"),
        ("boom", "boom"),
        ("Error: ", "Error: "),
        ("cannot save: 500", "cannot save: 500"),
    ],
)
def test_the_message_has_no_name_of_a_class(text: str, message: str) -> None:
    assert FoundError(text=text, ts=0.0).message == message
