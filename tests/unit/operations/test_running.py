"""The one path of every call: gate, arguments, deadline, answer; and each way in which it can go wrong."""

import logging
import sys
import time
from types import FrameType
from typing import Any

import attrs
import pytest
import trio
import trio.testing

from gasoline_cdp import limits, wire
from gasoline_cdp.answers.log_entries import LogEntry, show_log
from gasoline_cdp.cdp.targets import Target
from gasoline_cdp.errors import CATALOGUE, Code, GasolineError
from gasoline_cdp.operations.answer import Answer
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.jobs import Pending
from gasoline_cdp.operations.operation import Needs, Operation, Tool
from gasoline_cdp.operations.running import call_tool, run_operation
from gasoline_cdp.records import LogRecord
from gasoline_cdp.tools.registry import TOOLS
from gasoline_cdp.views import console
from tests.fakes import log_record, make_context, quiet_session

pytestmark = pytest.mark.requirement("F1-TOOLS")


@attrs.frozen(kw_only=True)
class Args:
    how: str = wire.arg("how", default="well")
    limit: int | None = wire.arg("at most", default=None, minimum=1)


@attrs.frozen(kw_only=True)
class Done:
    text: str
    more: int = 0


class Recorder:
    """A tool's function that remembers its calls."""

    def __init__(self, outcome: object = None) -> None:
        self.calls: list[Args] = []
        self.outcome = outcome if outcome is not None else Done(text="done")

    async def __call__(self, args: Args, _: Context) -> Any:
        self.calls.append(args)
        await trio.lowlevel.checkpoint()
        if isinstance(self.outcome, BaseException):
            raise self.outcome
        return self.outcome


def tools_with(run: Any, **changes: Any) -> dict[str, Tool]:
    tool = Tool(name="act", title="Act", description="Acts.", args=Args, answer=Done, run=run)
    return {"act": attrs.evolve(tool, **changes)}


async def call(run: Any, arguments: object = None, context: Context | None = None, **changes: Any) -> Answer:
    return await call_tool(tools_with(run, **changes), context or make_context(), "act", arguments)


async def test_a_call_that_goes_well() -> None:
    run = Recorder()
    answer = await call(run, {"how": "fast"})
    assert run.calls == [Args(how="fast")]
    assert (answer.data, answer.is_error) == ({"text": "done"}, False)


async def test_a_tool_that_does_not_exist() -> None:
    answer = await call_tool(tools_with(Recorder()), make_context(), "ac\nt" * 50, {})
    assert answer.is_error
    assert answer.data["error"] == "unknown_tool"
    assert answer.data["details"] == {"tools": ["act"]}
    assert "\n" not in answer.data["message"]
    assert len(answer.data["message"]) < 150


async def test_wrong_arguments_never_reach_the_tool() -> None:
    run = Recorder()
    answer = await call(run, {"limit": 0, "hwo": 1})
    assert run.calls == []
    assert answer.is_error
    assert answer.data["error"] == "invalid_params"
    assert len(answer.data["details"]["problems"]) == 2


async def test_with_the_pilot_off_a_gated_tool_does_nothing() -> None:
    run = Recorder()
    # Not even the arguments are looked at.
    for arguments in ({"how": "now"}, {"unknown": 1}, None):
        answer = await call(run, arguments, needs=Needs(pilot=True))
        assert answer.is_error
        assert answer.data == {
            "status": "error",
            "error": "ai_web_pilot_disabled",
            "message": "act acts on the page, and the pilot is off. A person can start gasoline-cdp with --pilot.",
        }
    assert run.calls == []


async def test_with_the_pilot_on_a_gated_tool_acts() -> None:
    run = Recorder()
    answer = await call(run, None, make_context(pilot=True), needs=Needs(pilot=True))
    assert not answer.is_error
    assert len(run.calls) == 1


async def test_a_tool_that_takes_too_long_is_ended(autojump_clock: trio.testing.MockClock) -> None:
    ended = False

    async def hang(_: Args, __: Context) -> None:
        nonlocal ended
        try:
            await trio.sleep_forever()
        finally:
            ended = True

    start = autojump_clock.current_time()
    answer = await call(hang, needs=Needs(deadline=7.0))
    assert ended
    assert autojump_clock.current_time() - start == pytest.approx(7.0)
    assert answer.data == {
        "status": "error",
        "error": "page_hung",
        "message": "act did not finish in 7 s. Try again, or reload the page.",
    }


async def test_a_caller_who_gives_up_is_not_answered() -> None:
    with trio.move_on_after(0) as scope:
        await call(Recorder())
    assert scope.cancelled_caught


async def test_what_a_tool_refuses_has_one_shape() -> None:
    plain = await call(Recorder(GasolineError(Code.NO_SUCH_TAB, "No tab.")))
    assert plain.is_error
    assert plain.data == {"status": "error", "error": "no_such_tab", "message": "No tab."}
    detailed = await call(Recorder(GasolineError(Code.NO_SUCH_TAB, "No tab.", open_tabs=[1])))
    assert detailed.data["details"] == {"open_tabs": [1]}


async def test_a_defect_is_told_without_its_details(caplog: pytest.LogCaptureFixture) -> None:
    run = Recorder(KeyError("token=abcdefgh12345678"))
    with caplog.at_level(logging.ERROR):
        answer = await call(run, context=make_context(strict=False))
    assert answer.data == {
        "status": "error",
        "error": "internal_error",
        "message": "act failed inside gasoline-cdp (KeyError). Nothing captured is lost.",
    }
    assert "operation act failed" in caplog.text


async def test_under_tests_a_defect_is_fatal() -> None:
    with pytest.raises(KeyError):
        await call(Recorder(KeyError("unforeseen")), context=make_context(strict=True))


async def test_an_answer_that_cannot_be_sent_is_a_defect_of_ours() -> None:
    for text in ("half \ud800 a pair", 2**80):
        answer = await call(Recorder(Done(text=text)), context=make_context(strict=False))  # type: ignore[arg-type]
        assert answer.data["error"] == "internal_error"


async def test_no_answer_is_larger_than_any_client_takes() -> None:
    answer = await call(Recorder(Done(text="漢" * 100_000, more=7)), context=make_context(note="It was gone."))
    assert len(wire.encode(answer.data)) <= limits.ANSWER_BYTES_MAX
    assert answer.data["shortened"] is True
    assert (answer.data["more"], answer.data["notice"]) == (7, "It was gone.")
    assert answer.data["text"].endswith("…")


async def test_what_happened_to_the_browser_is_said_first_and_for_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    context = make_context(note="The browser crashed.")
    answer = await call(Recorder(), context=context)
    assert list(answer.data.items()) == [("notice", "The browser crashed."), ("text", "done")]
    later = time.monotonic() + 61
    monkeypatch.setattr(time, "monotonic", lambda: later)
    assert "notice" not in (await call(Recorder(), context=context)).data
    # While it is away, every answer says so.
    context.browser.state = "gone"
    assert (await call(Recorder(), context=context)).data["notice"] == "The browser crashed."


async def test_a_browser_to_which_nothing_happened_is_not_mentioned() -> None:
    assert (await call(Recorder())).data == {"text": "done"}


def test_every_code_is_explained() -> None:
    assert set(CATALOGUE) == set(Code)
    assert all(meaning.endswith(".") and remedy.endswith(".") for meaning, remedy in CATALOGUE.values())


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS.keys())
def test_tools_are_well_described(tool: Tool) -> None:
    assert TOOLS[tool.name] is tool
    assert tool.title
    assert tool.description.endswith(".")
    assert tool.every_call.deadline < 60, "clients give up after a minute"


@pytest.mark.parametrize("on", [False, True])
async def test_a_call_needs_the_pilot_for_what_it_does_and_not_by_its_name(*, on: bool) -> None:
    run, context = Recorder(), make_context(pilot=on)

    def needs(args: Args, _: Context) -> Needs:
        return Needs(pilot=args.how == "deep")

    assert not (await call(run, {"how": "well"}, context, needs=needs)).is_error
    answer = await call(run, {"how": "deep"}, context, needs=needs)
    assert answer.is_error is not on
    assert [args.how for args in run.calls] == (["well", "deep"] if on else ["well"])
    assert answer.data.get("error") == (None if on else "ai_web_pilot_disabled")
    assert [event.what for event in context.pilot.events if event.tool] == (["allowed"] if on else ["refused"])


async def test_a_time_out_names_the_analysis_that_keeps_the_page_busy(
    autojump_clock: trio.testing.MockClock,  # noqa: ARG001 - the clock of the test
) -> None:
    context = make_context()
    target = Target(target_id="T", kind="page", url="http://a.test", title="", opener_id="", browser_context_id="")
    tab = context.tabs.opened(quiet_session(), target, seen_from_start=True)
    tab.analysis = "an accessibility audit"

    async def hang(_: Args, __: Context) -> None:
        await trio.sleep_forever()

    answer = await call(hang, {}, context)
    assert answer.data["message"] == (
        "act did not finish in 10 s. Tab 1 does not answer while an accessibility audit runs in it. Call again when "
        "that has ended; a reload would end it without a result."
    )


async def test_an_answer_comes_with_its_record_and_is_encoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    done = Done(text="done", more=3)
    answer = await call(Recorder(done))
    assert answer.record is done
    encoded: list[object] = []
    monkeypatch.setattr(wire, "encode", encoded.append)
    assert (answer.json, answer.json) == (b'{"text":"done","more":3}',) * 2
    assert encoded == []


async def test_what_is_not_listed_takes_the_same_path() -> None:
    run, context = Recorder(), make_context(note="The browser crashed.")
    operation = Operation(name="/act", args=Args, answer=Done, run=run)
    assert (await run_operation(operation, context, {})).data == {"notice": "The browser crashed.", "text": "done"}
    refused = await run_operation(operation, context, {"hwo": 1})
    assert refused.data["details"]["problems"] == ["'hwo' is not an argument of /act; did you mean 'how'?"]
    gated = attrs.evolve(operation, needs=Needs(pilot=True))
    assert (await run_operation(gated, context, {})).data["error"] == "ai_web_pilot_disabled"
    # Nothing of the browser is in it, and so nothing is said of it.
    apart = attrs.evolve(operation, needs=Needs(browser=False))
    assert (await run_operation(apart, context, {})).data == {"text": "done"}


async def test_what_tells_of_a_browser_that_never_came_is_an_error() -> None:
    context = make_context()
    context.browser.failure = GasolineError(Code.BROWSER_FAILED, "No browser.")
    operation = Operation(name="/act", args=Args, answer=Done, run=Recorder())
    assert (await run_operation(operation, context, {})).data["error"] == "browser_failed"
    apart = attrs.evolve(operation, needs=Needs(browser=False))
    assert not (await run_operation(apart, context, {})).is_error


async def test_a_whole_document_is_not_cut() -> None:
    operation = Operation(name="/act", args=Args, answer=Done, run=Recorder(Done(text="x" * 200_000)))
    assert len((await run_operation(operation, make_context(), {})).data["text"]) == 200_000


async def test_a_caller_who_waits_to_the_end_is_never_told_that_work_is_pending(
    autojump_clock: trio.testing.MockClock,  # noqa: ARG001 - only as an argument it becomes the clock of the test
) -> None:
    async def slow(_: Args, __: Context) -> Done:
        await trio.sleep(limits.PENDING_SECONDS * 3)
        return Done(text="done")

    context = make_context()
    operation = Operation(name="/act", args=Args, answer=Done, run=slow, needs=Needs(slow=True, deadline=60))
    async with trio.open_nursery() as nursery:
        await nursery.start(context.jobs.run)
        assert (await run_operation(operation, context, {})).data == {"text": "done"}
        pending = attrs.evolve(operation, may_be_pending=True)
        answer = await run_operation(pending, context, {})
        assert isinstance(answer.record, Pending)
        nursery.cancel_scope.cancel()


async def test_a_console_error_reaches_its_answer_through_few_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever looks for where a field of an answer is made reads them all."""
    passed: list[str] = []

    def spy(record: LogRecord) -> LogEntry:
        frame: FrameType | None = sys._getframe(1)
        passed.append(show_log.__name__)
        while frame is not None and frame.f_code is not run_operation.__code__:
            # A comprehension is a part of the function around it.
            if not frame.f_code.co_name.startswith("<"):
                passed.append(frame.f_code.co_name)
            frame = frame.f_back
        return show_log(record)

    monkeypatch.setattr(console, "show_log", spy)
    context = attrs.evolve(make_context(), form="lines")
    context.telemetry.add(log_record(1, "it broke", level="error"))
    answer = await call_tool(TOOLS, context, "observe", {"what": "errors"})
    assert '"it broke"' in answer.text
    # The frontend's own function is the eighth.
    assert [*passed, "run_operation"] == [
        "show_log", "show", "fill_page", "list_errors", "observe", "_perform", "run_operation",
    ]  # fmt: skip
