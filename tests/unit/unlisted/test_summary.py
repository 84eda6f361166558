"""A test's summary: the lines of observe, what was not answered, and what is not sure."""

import pytest
from attrs import evolve

from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.running import run_operation
from gasoline_cdp.records import Source
from gasoline_cdp.tools.registry import TOOLS
from gasoline_cdp.unlisted.summary import SUMMARY
from tests.fakes import PAGE, log_record, make_context, network_record

pytestmark = pytest.mark.requirement("F11-ISOLATION")


def _page(context_id: str) -> Source:
    return evolve(PAGE, context_id=context_id)


@pytest.fixture
def context() -> Context:
    context = evolve(make_context(), form="lines")
    context.telemetry.add(log_record(1, "mine failed", source=_page("A"), level="error"))
    context.telemetry.add(log_record(2, "not mine", source=_page("B"), level="error"))
    context.boundaries.mark("a", "start", 0.0, retry=0, context=("b1", "A"))
    context.boundaries.mark('said "b"\nhere', "start", 0.0)
    return context


async def test_a_summary_has_the_lines_of_observe_and_only_of_its_test(context: Context) -> None:
    summary = (await run_operation(SUMMARY, context, {"test_id": "a", "retry": 0})).text
    observed = (await run_operation(TOOLS["observe"], context, {"what": "errors", "test_id": "a", "retry": 0})).text
    lines = summary.splitlines()
    assert lines[0] == 'Test "a"'
    assert set(observed.splitlines()[1:]) <= set(lines)
    assert "mine failed" in summary
    assert "not mine" not in summary
    params = {"requestId": "1", "timestamp": 1.0, "wallTime": 1.0, "request": {"url": "http://app.test/slow"}}
    context.capture.network.of("b1").request(params, _page("A"), None)
    waiting = (await run_operation(SUMMARY, context, {"test_id": "a"})).text
    assert "Requests without an answer:" in waiting
    assert "/slow" in waiting


async def test_a_summary_says_what_is_not_sure(context: Context) -> None:
    answer = await run_operation(SUMMARY, context, {"test_id": 'said "b"\nhere'})
    lines = answer.text.splitlines()
    assert lines[0] == 'Test "said \\"b\\"\\nhere"'
    assert lines[-1].startswith("Assigned by time: this test named no browser context. 1 other test ran")
    assert (await run_operation(SUMMARY, context, {"test_id": "c"})).data["error"] == "no_such_test"
    # What others were shown last does not change.
    newest = (await run_operation(TOOLS["observe"], context, {"what": "errors", "since": "last"})).text
    assert "mine failed" in newest


async def test_a_summary_without_errors_says_what_happened_last(context: Context) -> None:
    context.telemetry.add(network_record(3, "http://app.test/api/cart", source=_page("A"), ts=2.0))
    failed = (await run_operation(SUMMARY, context, {"test_id": "a"})).text
    assert "What happened last" not in failed, "its error is what matters"
    context.boundaries.mark("quiet", "start", 0.0, retry=0, context=("b1", "C"))
    for number in range(9):
        context.telemetry.add(network_record(10 + number, f"http://app.test/api/{number}", source=_page("C")))
    lines = (await run_operation(SUMMARY, context, {"test_id": "quiet"})).text.splitlines()
    begin = lines.index("What happened last, newest first:")
    assert lines[1] == "No errors."
    assert "/api/8" in lines[begin + 2]
    assert "/api/3" in lines[begin + 7]
    assert not any("/api/2" in line or "cart" in line for line in lines)
