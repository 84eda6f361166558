"""What led to an issue, by the records around it."""

from typing import Any, Literal

import pytest
from attrs import evolve

from gasoline_cdp.analysis.compare.causes import Causes
from gasoline_cdp.analysis.compare.occurrences import Opened, Records, socket_name
from gasoline_cdp.analysis.compare.triggers import Retries, Try, is_same, load_of, to_retry, tries_needed
from gasoline_cdp.records import ActionRecord, LogRecord, SocketRecord
from tests.fakes import PAGE, log_record, network_record

LOADED_AT = 1000.0


def act(ts: float, name: str = "Save", kind: str = "click", **changes: Any) -> ActionRecord:
    selectors = {"role": {"role": "button", "name": name}, "css": f"#{name}"}
    given: dict[str, Any] = {"selectors": selectors, "fields": {}, "source": PAGE}
    return ActionRecord(seq=int(ts * 10), ts=ts, type=kind, **{**given, **changes})


def load(ts: float = LOADED_AT, navigation: int = 1, path: str = "/cart", **fields: Any) -> ActionRecord:
    fields = {"to_url": f"http://app.test{path}", "within_document": False, **fields}
    source = evolve(PAGE, navigation=navigation)
    return act(ts, kind="navigate", selectors={}, fields=fields, source=source)


def error(ts: float, during: float | None = None, navigation: int = 1) -> LogRecord:
    return log_record(1, "x is undefined", ts=ts, during=during, source=evolve(PAGE, navigation=navigation))


def among(*actions: ActionRecord, now: float = 2000.0, **more: Any) -> Causes:
    loaded = {(1, a.source.navigation): a.ts + 0.5 for a in actions if a.type == "navigate"}
    return Causes.among(Records(actions=actions, loaded=loaded, **more), now)


def words(causes: Causes, *errors: LogRecord) -> str:
    return to_retry(causes.of_logs(errors))


def test_an_error_while_a_page_loads_needs_a_load() -> None:
    assert words(among(load()), error(1000.2)) == "load /cart"


def test_an_error_long_after_a_load_needs_as_much_time_after_one() -> None:
    assert words(among(load()), error(1004.5)) == "load /cart and wait 5 s"


def test_an_error_in_a_handler_needs_that_action_whatever_else_was_done() -> None:
    causes = among(load(), act(1001.0, "Other"), act(1001.1))
    assert words(causes, error(1001.12, during=1001.1)) == 'click button "Save"'


def test_of_two_clicks_a_few_milliseconds_apart_the_one_that_was_being_handled_led_to_it() -> None:
    clicks = act(1001.0, "Sum"), act(1001.008, "Order")
    # What a page tells of one event bears one time, but for rounding.
    for during in (1001.0076, 1001.008, 1001.0084):
        request = network_record(
            5, "http://app.test/api/order", method="POST", ts=1001.009, duration_ms=3.0, during=during
        )
        causes = among(load(), *clicks, network=[request])
        assert words(causes, error(1001.0125)) == 'click button "Order" so that POST /api/order is called'
        assert words(causes, error(1001.01, during=during)) == 'click button "Order"'


def test_what_comes_of_pressing_a_button_is_not_of_the_click_just_before() -> None:
    causes = among(load(), act(1001.0, "Sum"), act(1001.05, "Order"))
    assert words(causes, error(1001.01, during=1001.005)) == 'click button "Order"'


@pytest.mark.parametrize(
    ("clicked", "thrown", "expected"),
    [
        # In a page at rest what comes soon after an action comes of it.
        (1010.0, 1010.3, 'click button "Save"'),
        # One that has just loaded may have had a timer of its own.
        (1001.0, 1001.3, 'load /cart, click button "Save"'),
        # And so may one that comes long after the action.
        (1010.0, 1030.0, 'load /cart and wait 37 s, click button "Save" and wait 25 s'),
    ],
)
def test_an_error_after_an_action_that_no_handler_explains(clicked: float, thrown: float, expected: str) -> None:
    assert words(among(load(), act(clicked)), error(thrown)) == expected


def test_of_two_actions_either_may_have_led_to_what_came_later() -> None:
    causes = among(load(), act(1010.0), act(1010.5, "Other"))
    assert words(causes, error(1010.9)) == 'click button "Other", click button "Save"'


def test_what_happened_again_and_led_to_nothing_is_not_suspected() -> None:
    causes = among(load(), act(1001.0), act(1001.1, "Other"), act(1008.0, "Other"))
    assert words(causes, error(1001.4)) == 'load /cart, click button "Save"'


def test_an_action_that_led_to_nothing_before_is_no_more_suspect_than_the_load() -> None:
    causes = among(load(), act(1010.0), act(1020.0))
    assert words(causes, error(1020.3)) == 'load /cart, click button "Save"'
    assert words(causes, error(1020.3), error(1010.3)) == 'click button "Save"'


def test_an_error_when_an_answer_came_needs_what_led_to_the_request() -> None:
    request = network_record(5, "http://app.test/api/prices", ts=1010.01, duration_ms=900.0, during=1010.0)
    causes = among(load(), act(1010.0), act(1010.8, "Other"), network=[request])
    (trigger,) = causes.of_logs([error(1010.92)])
    assert (trigger.via, trigger.seconds) == ("GET /api/prices", 0.0)
    assert to_retry([trigger]) == 'click button "Save" so that GET /api/prices is called'


def test_an_error_when_a_socket_broke_needs_what_opened_it() -> None:
    opened = Opened("ws1", "ws://app.test/feed", PAGE, 1010.0, 1010.0)
    broke = SocketRecord(seq=1, ts=1010.4, source=PAGE, connection_id="ws1", url=opened.url, event="error")
    causes = among(load(), act(1010.0), sockets=[broke], opened=[opened])
    assert words(causes, error(1010.41)) == 'click button "Save" so that WebSocket /feed is called'


def message(ts: float, direction: Literal["incoming", "outgoing"]) -> SocketRecord:
    return SocketRecord(
        seq=int(ts * 10),
        ts=ts,
        source=PAGE,
        connection_id="ws1",
        url="ws://app.test/chat",
        event="message",
        direction=direction,
    )


@pytest.mark.parametrize(
    ("clicked", "direction", "expected"),
    [
        # Nobody had done anything: an open socket may say this by itself.
        (None, "incoming", "load /cart and wait 23 s"),
        # It may answer what the click sent.
        (1018.9, "incoming", 'load /cart and wait 23 s, click button "Save"'),
        (1010.0, "incoming", 'load /cart and wait 23 s, click button "Save" and wait 11 s'),
        # What the page itself sent led to nothing.
        (1018.9, "outgoing", 'click button "Save"'),
    ],
)
def test_an_error_when_a_message_came_may_answer_an_action(
    clicked: float | None, direction: Any, expected: str
) -> None:
    opened = Opened("ws1", "ws://app.test/chat", PAGE, 1000.4)
    actions = [act(clicked)] if clicked else []
    causes = among(load(), *actions, sockets=[message(1019.0, direction)], opened=[opened])
    assert words(causes, error(1019.02)) == expected


@pytest.mark.parametrize(
    ("clicked", "sent", "expected"),
    [
        (1018.9, 1018.95, 'click button "Save"'),
        # Sent before the click; sent long after it.
        (1018.9, 1018.5, 'load /cart and wait 23 s, click button "Save"'),
        (1010.0, 1018.95, 'load /cart and wait 23 s, click button "Save" and wait 11 s'),
    ],
)
def test_a_message_answers_the_click_that_sent_something(clicked: float, sent: float, expected: str) -> None:
    opened = Opened("ws1", "ws://app.test/chat", PAGE, 1000.4)
    messages = [message(1019.0, "incoming"), message(sent, "outgoing")]
    causes = among(load(), act(clicked), sockets=messages, opened=[opened])
    assert words(causes, error(1019.02)) == expected


def test_a_message_soon_after_the_load_may_come_of_either() -> None:
    opened = Opened("ws1", "ws://app.test/chat", PAGE, 1000.4)
    messages = [message(1001.9, "incoming"), message(1001.81, "outgoing")]
    causes = among(load(), act(1001.8), sockets=messages, opened=[opened])
    assert words(causes, error(1001.92)) == 'load /cart and wait 2 s, click button "Save"'


def test_an_error_when_a_poll_came_back_may_come_of_a_click_since() -> None:
    poll = network_record(5, "http://app.test/api/poll", ts=1019.0, duration_ms=900.0)
    causes = among(load(), act(1019.8), network=[poll])
    assert words(causes, error(1019.92)) == 'load /cart, click button "Save"'
    # Not so soon after it: the poll may have been answered at its own time.
    causes = among(load(), act(1017.8), network=[evolve(poll, ts=1017.0, duration_ms=2900.0)])
    assert words(causes, error(1019.92)) == 'load /cart and wait 24 s, click button "Save" and wait 3 s'


def test_what_no_action_tells_of_cannot_be_tried_again_by_another() -> None:
    causes = among(load(), act(1001.0))
    (trigger,) = causes.of_logs([error(1005.01, during=1005.0)])
    assert to_retry([trigger]) == "repeat what was done on /cart"
    assert causes.tries
    assert Retries(causes.tries, 2000.0).missing([trigger])


def test_pressing_belongs_to_the_click_that_ends_it_and_a_key_to_what_it_typed() -> None:
    assert words(among(load(), act(1010.6)), error(1010.01, during=1010.0)) == 'click button "Save"'
    typed = act(1010.0, "Name", "input", fields={"value": "ab"})
    assert words(among(load(), typed, act(1011.0)), error(1010.7, during=1010.7)) == 'type "ab" into button "Name"'


def test_a_repeated_error_is_told_by_its_first_time() -> None:
    causes = among(load(), act(1003.0))
    assert words(causes, error(1004.0), error(1003.1), error(1002.5)) == "load /cart and wait 3 s"


def test_a_page_from_the_back_forward_cache_was_not_loaded() -> None:
    causes = among(load(), load(1010.0, 2, "/other"), load(1020.0, 3, restored=True))
    assert [one.cause.path for one in causes.tries] == ["/other", "/cart"]
    assert causes.tries[1].until == 1010.0


def test_a_rewritten_address_is_still_the_document_that_was_loaded() -> None:
    moved = evolve(PAGE, url="http://app.test/login?next=/cart")
    record = log_record(1, "x", ts=1000.2, source=moved)
    assert words(among(load()), record) == "load /cart"


# Retries


def trigger_of(causes: Causes, record: LogRecord) -> Any:
    (trigger,) = causes.of_logs([record])
    return trigger


def test_the_same_element_on_another_port_with_other_numbers() -> None:
    before = trigger_of(among(load(), act(1010.0)), error(1010.01, during=1010.0))
    selectors = {"role": {"role": "button", "name": "Save"}, "css": "#other"}
    elsewhere = evolve(PAGE, url="http://app.test:5174/cart")
    again = among(act(1500.0, selectors=selectors, source=elsewhere))
    assert not Retries(again.tries, 1500.0).missing([before])
    assert Retries(among(act(1500.0, "Delete")).tries, 1500.0).missing([before])


@pytest.mark.parametrize(
    ("now", "loaded", "until", "missing"),
    [
        (1504.0, 1501.0, None, True),
        (1507.0, 1501.0, None, False),
        # Left before its time.
        (1600.0, 1501.0, 1502.0, True),
        # Not complete yet; and one that never is.
        (1502.0, None, None, True),
        (1600.0, None, None, False),
    ],
)
def test_a_load_needs_its_time(now: float, loaded: float | None, until: float | None, missing: bool) -> None:
    trigger = trigger_of(among(load()), error(1004.5))
    one = Try(cause=load_of("/cart"), ts=1500.0, loaded=loaded, until=until)
    assert bool(Retries((one,), now).missing([trigger])) is missing


def test_a_request_on_its_way_is_waited_for() -> None:
    request = network_record(5, "http://app.test/api/x", ts=1000.1, duration_ms=100.0)
    trigger = trigger_of(among(load(), network=[request]), error(1000.21))
    one = Try(cause=load_of("/cart"), ts=1500.0, loaded=1501.0)
    waiting = Retries((one,), 1600.0, frozenset(), frozenset({"GET /api/x"}))
    assert waiting.missing([trigger])
    assert waiting.seconds_short([trigger])
    assert not Retries((one,), 1600.0).missing([trigger])


@pytest.mark.parametrize(("seen", "tried", "needed"), [(1, 1, 1), (3, 3, 1), (1, 2, 5), (1, 3, 8), (1, 50, 10)])
def test_what_comes_rarely_is_to_be_tried_more_than_once(seen: int, tried: int, needed: int) -> None:
    assert tries_needed(seen, tried) == needed


def test_a_rare_error_counts_the_times_since_it_came_first() -> None:
    clicks = [act(1010.0 + 10 * number) for number in range(4)]
    trigger = trigger_of(among(load(), *clicks), error(1020.01, during=1020.0))
    assert (trigger.tries, to_retry([trigger])) == (8, 'click button "Save" 8 times')


def test_values_and_keys_make_another_action() -> None:
    one, other = (among(act(1.0, kind="input", fields={"value": value})).tries[0].cause for value in ("a", "b"))
    assert not is_same(one, other)


def test_sockets_of_the_page_s_own_server_are_known_on_any_port() -> None:
    assert socket_name("ws://127.0.0.1:5174/feed", "http://127.0.0.1:5174/") == "WebSocket /feed"
    assert socket_name("ws://127.0.0.1:1/", "http://127.0.0.1:5174/") == "WebSocket 127.0.0.1:1/"


def test_what_an_assistant_s_script_caused_needs_that_script_again() -> None:
    def script(ts: float, digest: str) -> ActionRecord:
        return act(ts, kind="script", selectors={}, fields={"script": digest, "characters": 9}, by="ai")

    causes = among(load(), script(1010.0, "aaaa0000"), script(1030.0, "bbbb1111"))
    (trigger,) = causes.of_logs([error(1010.2)])
    assert to_retry([trigger]) == "run the same script again (execute_javascript, aaaa0000)"
    assert not is_same(trigger.cause, causes.tries[0].cause)
    assert is_same(trigger.cause, causes.tries[1].cause)
