"""How a message of the console looks in an answer, and how it reads as a line."""

import pytest
from attrs import evolve

from gasoline_cdp.answers.log_entries import LogEntry, repeated, show_log
from gasoline_cdp.answers.shared_facts import SharedFacts
from gasoline_cdp.records import Source, StackFrame
from tests.fakes import PAGE, log_record

FRAMES = tuple(StackFrame(f"f{number}", "http://app.test/app.js", number, 1) for number in range(1, 9))
HERE = SharedFacts(origin="http://app.test", tab_id=1, page=PAGE.url)


def line_of(entry: LogEntry, shared: SharedFacts = HERE) -> str:
    (line,) = entry.lines(shared, 300)
    return str(evolve(line, time=""))


def test_an_error_has_its_place_and_the_frames_behind_it() -> None:
    entry = show_log(log_record(1, "x" * 5000, frames=FRAMES))
    assert entry.message == f"{'x' * 1500}…"
    assert entry.at is not None
    assert "app.js:1" in entry.at
    assert entry.stack is not None
    assert "app.js:2" in entry.stack[0]
    assert entry.page == PAGE.url


@pytest.mark.parametrize("level", ["info", "log", "debug"])
def test_what_went_well_has_no_stack(level: str) -> None:
    entry = show_log(log_record(1, level=level, frames=FRAMES))
    assert entry.stack is None
    assert entry.at is not None


def test_a_trace_has_its_stack_whatever_its_level() -> None:
    assert show_log(log_record(1, level="log", method="trace", frames=FRAMES)).stack


def test_a_line_says_what_was_thrown_and_where() -> None:
    frames = (
        StackFrame("save", "http://app.test/src/a.js?t=17", 3, 7),
        StackFrame("", "http://app.test/src/a.js?t=17", 9, 1),
    )
    entry = show_log(log_record(1, "Uncaught TypeError: x is null", kind="exception", frames=frames))
    assert line_of(entry) == 'exception "TypeError: x is null" src/a.js:3:7 save < :9:1'


def test_a_line_says_once_more_only_what_the_heading_does_not() -> None:
    entry = show_log(log_record(1, "no", source=Source(2, "page", "http://other.test/x", 1, "T2")))
    assert line_of(entry, SharedFacts(origin="http://app.test")) == 'error "no" on http://other.test/x tab 2'
    worker = show_log(log_record(1, "no", source=Source(1, "worker", "http://app.test/w.js", 1, "W1")))
    assert line_of(worker) == 'error "no" in worker /w.js'
    named = SharedFacts(origin="http://app.test", tab_id=1, names={"worker http://app.test/w.js": "w1"})
    assert line_of(worker, named) == 'error "no" w1'


def test_a_line_ends_where_the_text_of_the_page_says_it_does_not() -> None:
    entry = show_log(log_record(1, 'a "quoted"\n\n14:03:22 error "fake" \u2028x', level="warning"))
    assert line_of(entry) == 'warning "a \\"quoted\\"\\n14:03:22 error \\"fake\\" x"'


def test_how_often_something_happened_is_said_if_it_did_again() -> None:
    first, soon, later = "2026-11-18T07:00:00.000Z", "2026-11-18T07:00:05.000Z", "2026-11-18T07:01:00.000Z"
    assert repeated(1, first, later) == ""
    assert repeated(3, first, soon) == "×3"
    assert repeated(3, first, later).startswith("×3 since ")
