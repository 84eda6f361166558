"""The rules: what is told, what is not, and that the memory for it is bounded."""

from typing import Any

import attrs
import pytest

from gasoline_cdp import event_limits, limits
from gasoline_cdp.analysis.events.event import Event
from gasoline_cdp.analysis.events.significance import Significance, learn, reworded
from gasoline_cdp.analysis.performance.baselines import Baseline
from gasoline_cdp.analysis.performance.loads import sum_up
from gasoline_cdp.measures import LoadTiming, LongTasks
from gasoline_cdp.records import ActionRecord, PerformanceRecord, Record, SocketRecord, Source, StackFrame, VitalsRecord
from tests.fakes import PAGE, body_record, log_record, network_record

pytestmark = pytest.mark.requirement("F3-STREAM-RULES")

OTHER_TAB = Source(2, "page", "http://app.test/other", 1, "T2")
START = 1_790_000_000.0


def late(rules: Significance, now: float) -> list[str]:
    return [event.message for event in rules.due(START + now)]


def judge(*records: Record, rules: Significance | None = None) -> list[Event]:
    rules = rules or Significance()
    return [event for record in records for event in rules.judge(record, record.ts)]


def messages(*records: Record, rules: Significance | None = None) -> list[str]:
    return [event.message for event in judge(*records, rules=rules)]


def action(kind: str, ts: float, source: Source = PAGE, **changes: Any) -> ActionRecord:
    given: dict[str, Any] = {"selectors": {"id": "pay", "css": "#pay"}, "fields": {}}
    return ActionRecord(seq=1, ts=START + ts, source=source, type=kind, **{**given, **changes})


def submit(ts: float, **fields: str) -> ActionRecord:
    return action("submit", ts, fields={"action": "http://app.test/orders", "method": "post", **fields})


# --- errors -----------------------------------------------------------------------------------------


def test_a_new_error_is_told_once_in_a_session() -> None:
    rules = Significance()
    one = log_record(1, "Cannot read item 17", frames=(StackFrame("f", "http://app.test/app.js", 3, 9),))
    (event,) = judge(one, rules=rules)
    assert (event.category, event.severity, event.message) == ("errors", "error", "New error: Cannot read item 17")
    assert event.context == {
        "kind": "console",
        "url": "http://app.test/cart",
        "tab_id": 1,
        "at": "f (http://app.test/app.js:3:9)",
    }
    assert judge(log_record(2, "Cannot read item 18"), log_record(3, "Cannot read item 17"), rules=rules) == []
    assert messages(log_record(4, "Cannot read user 17"), rules=rules) == ["New error: Cannot read user 17"]


@pytest.mark.parametrize("level", ["warning", "info", "log", "debug"])
def test_what_is_no_error_is_not_told(level: str) -> None:
    assert judge(log_record(1, "careful", level=level)) == []


def test_an_exception_and_what_the_browser_says_are_errors_too() -> None:
    told = messages(log_record(1, "Uncaught E: x", kind="exception"), log_record(2, "Refused by CSP", kind="browser"))
    assert told == ["New error: Uncaught E: x", "New error: Refused by CSP"]


def test_an_unhandled_rejection_is_told_each_time_under_one_key() -> None:
    events = judge(log_record(1, "gone 1", kind="rejection"), log_record(2, "gone 2", kind="rejection"))
    assert [event.message for event in events] == ["Unhandled rejection: gone 1", "Unhandled rejection: gone 2"]
    assert events[0].key == events[1].key


def test_a_crash_is_told_in_our_words() -> None:
    text = "The tab crashed: its renderer process is gone. Reload it to go on."
    assert messages(log_record(1, text, kind="event"), log_record(2, text, kind="event")) == [text, text]
    assert judge(log_record(1, "Navigated to x", kind="event", level="info")) == []


def test_a_message_is_its_first_line_and_bounded() -> None:
    (message,) = messages(log_record(1, "E: " + "x" * 5000 + "\n  at y"))
    assert len(message) == event_limits.STREAM_MESSAGE_CHARS + len("New error: ")
    assert messages(log_record(1, "E: short\n    at y")) == ["New error: E: short"]


# --- requests ---------------------------------------------------------------------------------------


def failed(seq: int, status: int, path: str = "/api/users/1", **changes: Any) -> Any:
    return network_record(seq, f"http://app.test{path}", status=status, outcome="http_error", **changes)


def test_a_server_error_is_told() -> None:
    (event,) = judge(failed(1, 500, "/api/users?x=1", method="POST"))
    assert (event.category, event.severity) == ("network_errors", "error")
    assert event.message == "Server error: POST /api/users → 500"
    assert event.context["status"] == 500
    assert event.context["method"] == "POST"
    assert event.context["url"] == "http://app.test/api/users?x=1"
    assert event.context["request_id"] == "r1"


def test_another_host_is_named() -> None:
    assert messages(network_record(1, "https://api.test/x", status=503, outcome="http_error")) == [
        "Server error: GET https://api.test/x → 503"
    ]


def test_a_client_error_is_told_where_it_went_well_before() -> None:
    rules = Significance()
    assert judge(network_record(1, "http://app.test/api/users/7"), rules=rules) == []
    (event,) = judge(failed(2, 403, "/api/users/8"), rules=rules)
    assert event.message == "Auth/access issue: GET /api/users/8 → 403 (was 200)"
    assert event.context["previous_status"] == 200
    # That it still fails is no news; that it fails again after it went well is.
    assert judge(failed(3, 403, "/api/users/8"), rules=rules) == []
    assert len(judge(network_record(4, "http://app.test/api/users/9"), failed(5, 401), rules=rules)) == 1
    # An answer out of the browser's cache is one that went well.
    cached = network_record(6, "http://app.test/api/users/9", status=304, cached_status=200)
    assert len(judge(cached, failed(7, 401), rules=rules)) == 1


def test_a_client_error_alone_is_not_told() -> None:
    assert judge(failed(1, 404)) == []
    # Another method or another host is another endpoint.
    rules = Significance()
    judge(network_record(1, "http://app.test/api/users/1", method="POST"), rules=rules)
    judge(network_record(2, "http://cdn.test/api/users/1"), rules=rules)
    assert judge(failed(3, 404), rules=rules) == []


def test_a_request_that_got_no_answer_is_told_unless_the_page_gave_it_up() -> None:
    (event,) = judge(network_record(1, outcome="failed", status=None, failure="net::ERR_CONNECTION_REFUSED"))
    assert event.category == "network_errors"
    assert event.message == "Request failed: GET /api (net::ERR_CONNECTION_REFUSED)"
    assert judge(network_record(1, outcome="aborted", status=None), network_record(2, outcome="unknown")) == []
    assert len(judge(network_record(1, outcome="cors_blocked", status=None))) == 1


def test_a_preflight_leaves_the_telling_to_its_request() -> None:
    assert judge(network_record(1, outcome="failed", status=None, preflight_for="r2")) == []


def test_what_went_well_is_not_told() -> None:
    assert judge(network_record(1), network_record(2, status=304), network_record(3, status=302)) == []


# --- security ---------------------------------------------------------------------------------------


def test_a_secret_in_a_new_request_is_told_once_an_endpoint() -> None:
    rules = Significance()
    (event,) = judge(network_record(1, "http://app.test/api/1?token=[REDACTED]"), rules=rules)
    assert (event.category, event.severity) == ("security", "warning")
    assert event.message == "Possible credential exposure in GET /api/1"
    assert event.context["where"] == "url"
    assert judge(network_record(2, "http://app.test/api/2?token=[REDACTED]"), rules=rules) == []


def test_a_key_in_a_request_body_is_told_and_a_password_is_not() -> None:
    assert messages(body_record(1, request_body='{"key": "AKIAQW…FGH"}')) == [
        "Possible credential exposure in POST /api/orders"
    ]
    assert judge(body_record(1, request_body='{"password": "[REDACTED]"}', response_body="AKIAQW…FGH")) == []


# --- performance ------------------------------------------------------------------------------------

TIMING = LoadTiming(**dict.fromkeys((field.name for field in attrs.fields(LoadTiming)), None))


def load(page_id: str, ms: float | None) -> PerformanceRecord:
    return PerformanceRecord(
        seq=1,
        ts=START,
        source=PAGE,
        page_id=page_id,
        url="http://app.test/cart?x",
        path="/cart",
        soft_navigation=False,
        timing=attrs.evolve(TIMING, load=ms),
        network=sum_up([], complete=True),
        long_tasks=LongTasks(count=0, total_blocking_time=0, longest=0),
        cumulative_layout_shift=None,
    )


def test_a_load_twice_as_slow_as_usual_is_told_once() -> None:
    rules, usual = Significance(), Baseline(samples=1, values={"load": 400.0}, counts={"load": 1})
    (event,) = rules.judge(load("p1", 1000), 0, usual)
    assert event.category == "performance"
    assert event.message == "Performance regression: /cart loaded in 1000 ms (baseline: 400 ms)"
    # The same snapshot with a late vital.
    assert rules.judge(load("p1", 1000), 1, usual) == []
    assert len(rules.judge(load("p2", 801), 2, usual)) == 1


def test_a_load_without_baseline_or_not_slow_enough_is_not_told() -> None:
    usual = Baseline(samples=1, values={"load": 400.0}, counts={"load": 1})
    rules = Significance()
    assert rules.judge(load("p1", 9000), 0, None) == []
    assert rules.judge(load("p2", 800), 0, usual) == []
    assert rules.judge(load("p3", None), 0, usual) == []
    assert rules.judge(load("p4", 9000), 0, Baseline(samples=3)) == []


def vitals(count: int, blocking: float, longest: float) -> VitalsRecord:
    return VitalsRecord(
        seq=1,
        ts=START,
        source=PAGE,
        page_id="p1",
        soft_navigation=False,
        navigation_type="navigate",
        url="http://app.test/cart",
        hidden=False,
        vitals={},
        long_tasks=LongTasks(count=count, total_blocking_time=blocking, longest=longest),
    )


def test_a_long_task_over_half_a_second_is_told_once_each() -> None:
    rules = Significance()
    assert judge(vitals(1, 100, 150), rules=rules) == []
    assert messages(vitals(2, 950, 900), rules=rules) == ["Main thread blocked for 900ms"]
    assert judge(vitals(2, 950, 900), rules=rules) == []
    # Shorter than the longest so far, and still long: what was added to the blocking time tells.
    assert messages(vitals(3, 1500, 900), rules=rules) == ["Main thread blocked for 600ms"]
    assert judge(vitals(5, 1900, 900), rules=rules) == []


# --- frustration ------------------------------------------------------------------------------------


def clicks(*moments: float, rules: Significance | None = None, **changes: Any) -> list[str]:
    rules = rules or Significance()
    judge(*(action("click", at, **changes) for at in moments), rules=rules)
    return late(rules, moments[-1] + 1)


def test_three_clicks_on_one_element_in_five_seconds_are_told() -> None:
    rules = Significance()
    judge(action("click", 0), action("click", 2), rules=rules)
    assert rules.next_due() is None
    judge(action("click", 5), rules=rules)
    # Something may come of them yet.
    assert rules.due(START + 5.9) == []
    (event,) = rules.due(START + 6)
    assert (event.category, event.severity) == ("user_frustration", "warning")
    assert event.message == "Repeated clicks on #pay — handler may be broken"
    # The browser names the element a moment after the click.
    assert isinstance(event.record, ActionRecord)
    named = attrs.evolve(event.record, selectors={"role": {"role": "button", "name": "Pay"}, "css": "#pay"})
    assert reworded(event, named).message == 'Repeated clicks on button "Pay" — handler may be broken'
    assert reworded(event, named).context["element"] == 'button "Pay"'
    assert event.context["clicks"] == 3
    # The fourth begins anew.
    assert clicks(6.1, 6.2, rules=rules) == []


@pytest.mark.parametrize(
    "answer",
    [
        network_record(1, ts=START + 0.2),
        network_record(1, ts=START + 2.1),
        action("navigate", 2.2),
        SocketRecord(seq=1, ts=START + 1, source=PAGE, connection_id="c", url="ws://app.test", event="message"),
    ],
    ids=["a request of the first", "a request of the last", "a navigation", "a message"],
)
def test_clicks_that_something_comes_of_are_not_told(answer: Record) -> None:
    rules = Significance()
    judge(action("click", 0), action("click", 1), action("click", 2), answer, rules=rules)
    assert late(rules, 10) == []


def test_clicks_whose_requests_take_long_are_not_told() -> None:
    rules = Significance()
    judge(*(action("click", at) for at in range(3)), rules=rules)
    assert rules.due(START + 3, [network_record(1, ts=START + 2.1, outcome="pending")]) == []
    judge(*(action("click", at) for at in range(10, 13)), rules=rules)
    assert len(rules.due(START + 13, [network_record(1, ts=START + 2.1, outcome="pending")])) == 1


def test_clicks_that_change_the_page_are_not_told() -> None:
    assert clicks(0, 1, 2, 3, page_changed=True) == []


def test_a_form_that_is_reported_late_is_told_in_time() -> None:
    rules = Significance()
    rules.judge(submit(0), START + 3, late=3.0)
    assert rules.next_due() == START + 5


def test_slow_clicks_or_clicks_on_different_elements_are_not() -> None:
    assert clicks(0, 2.6, 5.2, 7.8) == []
    rules = Significance()
    for at, name in enumerate(("a", "b", "a", "b")):
        assert clicks(at, rules=rules, selectors={"css": f"#{name}"}) == []
    rules = Significance()
    judge(action("click", 0), action("click", 1), action("click", 2, OTHER_TAB), rules=rules)
    assert late(rules, 10) == []


def test_the_same_words_on_two_elements_are_two_elements() -> None:
    rules = Significance()
    for at in range(3):
        assert clicks(at, rules=rules, selectors={"text": "Add", "css": f"li:nth-of-type({at})"}) == []


def test_a_form_without_response_is_told_after_five_seconds() -> None:
    rules = Significance()
    judge(submit(0), rules=rules)
    assert rules.next_due() == START + 5
    assert late(rules, 4.9) == []
    assert late(rules, 5) == ["Form submit to http://app.test/orders — no response after 5s"]
    assert late(rules, 60) == []
    assert rules.next_due() is None


@pytest.mark.parametrize(
    "answer",
    [
        network_record(1, ts=START + 0.2, type="Document"),
        network_record(1, ts=START + 0.2, type="Fetch", url="http://app.test/elsewhere"),
        network_record(1, ts=START + 0.2, outcome="failed", status=None),
        action("navigate", 0.3),
        SocketRecord(seq=1, ts=START + 0.3, source=PAGE, connection_id="c", url="ws://app.test", event="message"),
    ],
    ids=["document", "fetch", "failed", "navigation", "socket"],
)
def test_a_form_that_is_answered_is_not_told(answer: Record) -> None:
    rules = Significance()
    judge(submit(0), answer, rules=rules)
    assert late(rules, 10) == []
    # The action may be reported after its answer: its element is asked about first.
    rules = Significance()
    judge(answer, submit(0), rules=rules)
    assert late(rules, 10) == []


@pytest.mark.parametrize(
    "other",
    [
        network_record(1, ts=START - 3),
        network_record(1, ts=START + 1, type="Image"),
        network_record(1, ts=START + 1, source=OTHER_TAB),
    ],
    ids=["sent before", "a picture", "another tab"],
)
def test_other_requests_answer_no_form(other: Record) -> None:
    rules = Significance()
    judge(submit(0), other, rules=rules)
    assert len(late(rules, 10)) == 1


def test_a_form_of_a_dialog_waits_for_nothing() -> None:
    rules = Significance()
    judge(submit(0, method="dialog"), rules=rules)
    assert rules.next_due() is None


# --- memory -----------------------------------------------------------------------------------------


def test_what_was_there_before_is_known_and_no_news() -> None:
    rules = Significance()
    learn(rules, [failed(3, 403), network_record(2, "http://app.test/api/users/1"), log_record(1, "old")], 0.0)
    assert judge(log_record(4, "old"), failed(5, 403), rules=rules) == []
    assert len(judge(log_record(6, "new"), rules=rules)) == 1


def test_memory_is_bounded() -> None:
    rules = Significance()
    for number in range(event_limits.STREAM_REMEMBERED + 500):
        word = "".join(chr(97 + int(digit)) for digit in str(number))
        judge(
            log_record(number, f"error {word}"),
            network_record(number, f"http://{word}.test/{word}?token=[REDACTED]"),
            action("click", number, selectors={"css": f"#{word}"}),
            attrs.evolve(vitals(1, 1, 1), page_id=word),
            submit(number),
            rules=rules,
        )
    for remembered in (rules._messages, rules._statuses, rules._secrets, rules._tasks, rules._clicks):
        assert len(remembered) == event_limits.STREAM_REMEMBERED
    assert len(rules._waiting) <= event_limits.FORMS_WAITING
    assert len(rules._answered) <= limits.TABS_REMEMBERED
