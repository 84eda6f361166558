"""What leads to an issue, and whether it happened again."""

from typing import Any

import pytest

from gasoline_cdp import limits
from gasoline_cdp.analysis.compare.triggers import (
    UNKNOWN_ACTION,
    Cause,
    Retries,
    Trigger,
    Try,
    action_of,
    is_same,
    load_of,
    merged,
    to_retry,
    tries_needed,
)
from gasoline_cdp.records import ActionRecord
from tests.fakes import PAGE

SAVE = Cause(kind="action", path="/cart", action="click", element=("id=save", "text=Save"), shown="#save")


def click(selectors: dict[str, Any], **changes: Any) -> ActionRecord:
    given: dict[str, Any] = {"type": "click", "fields": {}, "by": "human"}
    return ActionRecord(seq=1, ts=1.0, source=PAGE, selectors=selectors, **{**given, **changes})


def test_loads_of_one_page_are_one_cause_whatever_ids_are_in_its_path() -> None:
    assert load_of("/orders/17") == load_of("/orders/18")
    assert load_of("/orders") != load_of("/carts")


def test_an_action_is_known_by_its_element_and_its_value() -> None:
    cause = action_of(click({"id": "save", "role": {"role": "button", "name": "Save"}}, fields={"value": ["a", "b"]}))
    assert cause.element == ("id=save", "role=button Save")
    assert (cause.kind, cause.path, cause.action, cause.value) == ("action", "/cart", "click", "a, b")


@pytest.mark.parametrize("numbered", [":r1:", "«r2»", "8f14e45f-ceea-467f-a8a1-12d0c1f0f2aa"])
def test_ids_that_a_framework_makes_up_name_no_element(numbered: str) -> None:
    assert action_of(click({"id": numbered, "text": "Save"})).element == ("text=Save",)


def test_the_surest_name_that_both_have_decides() -> None:
    renamed = Cause(kind="action", path="/cart", action="click", element=("id=save", "text=Store"))
    other = Cause(kind="action", path="/cart", action="click", element=("id=cancel", "text=Save"))
    unnamed = Cause(kind="action", path="/cart", action="click", element=("text=Save",))
    assert is_same(SAVE, renamed)
    assert not is_same(SAVE, other)
    assert is_same(SAVE, unnamed)
    assert not is_same(SAVE, Cause(kind="action", path="/cart", action="click"))


@pytest.mark.parametrize(("seen", "tried", "needed"), [(1, 1, 1), (3, 2, 1), (1, 2, 5), (1, 1000, limits.TRIES_NEEDED)])
def test_what_comes_seldom_has_to_be_tried_often(seen: int, tried: int, needed: int) -> None:
    assert tries_needed(seen, tried) == min(needed, limits.TRIES_NEEDED)


def test_words_say_what_to_do_each_once() -> None:
    typed = Cause(kind="action", path="/cart", action="input", shown="#city", value="Bern")
    unknown = Cause(kind="action", path="/cart", action=UNKNOWN_ACTION)
    triggers = [
        Trigger(cause=load_of("/cart")),
        Trigger(cause=load_of("/cart")),
        Trigger(cause=SAVE, seconds=4.0, tries=3, via="POST /save"),
        Trigger(cause=typed),
        Trigger(cause=unknown),
        Trigger(cause=Cause(kind="worker", path="/w.js")),
    ]
    assert to_retry(triggers) == (
        "load /cart, click #save 3 times and wait 5 s so that POST /save is called, "
        f'type "Bern" into #city, {UNKNOWN_ACTION} on /cart, have the worker /w.js do it again'
    )


def test_merging_keeps_the_longest_and_the_most_with_loads_first() -> None:
    clicks = Trigger(cause=SAVE, seconds=1.0, tries=4, via="x"), Trigger(cause=SAVE, seconds=2.0)
    found = merged([clicks[0], Trigger(cause=load_of("/cart")), clicks[1]])
    assert found == (Trigger(cause=load_of("/cart")), Trigger(cause=SAVE, seconds=2.0, tries=4))


def test_an_action_counts_once_it_has_had_its_time() -> None:
    trigger = Trigger(cause=SAVE, seconds=2.0)
    early = Retries((Try(cause=SAVE, ts=10.0),), now=12.0)
    assert early.missing([trigger]) == (trigger,)
    assert early.seconds_short([trigger]) == pytest.approx(0.7)
    assert Retries((Try(cause=SAVE, ts=10.0),), now=12.8).missing([trigger]) == ()


def test_a_page_that_was_left_too_early_shows_nothing_however_long_one_waits() -> None:
    trigger = Trigger(cause=SAVE, seconds=2.0)
    left = Retries((Try(cause=SAVE, ts=10.0, until=11.0),), now=99.0)
    assert left.missing([trigger]) == (trigger,)
    assert left.seconds_short([trigger]) is None


def test_a_request_in_between_must_have_been_reached_and_not_be_pending() -> None:
    trigger = Trigger(cause=SAVE, via="POST /save")
    tried = (Try(cause=SAVE, ts=10.0),)
    assert Retries(tried, now=20.0).missing([trigger]) == (trigger,)
    assert Retries(tried, 20.0, reached=frozenset({"POST /save"})).missing([trigger]) == ()
    both = frozenset({"POST /save"})
    assert Retries(tried, 20.0, reached=both, pending=both).missing([trigger]) == (trigger,)


def test_what_a_page_asks_again_and_again_was_answered_if_one_of_its_calls_ended_since() -> None:
    polled = Trigger(cause=load_of("/cart"), via="GET /poll")
    clicked = Trigger(cause=SAVE, via="GET /poll")
    tried = (Try(cause=SAVE, ts=10.0), Try(cause=load_of("/cart"), ts=5.0, loaded=6.0))
    poll = frozenset({"GET /poll"})
    # Made before the click, and by the document that was loaded.
    before = Retries(tried, 20.0, reached=poll, pending=poll, answered={"GET /poll": (4.99, 8.0)})
    assert before.missing([polled, clicked]) == (clicked,)
    # The document before this one had an answer.
    assert Retries(tried, 20.0, reached=poll, pending=poll, answered={"GET /poll": (1.0, 4.0)}).missing([polled])
    since = Retries(tried, 20.0, reached=poll, pending=poll, answered={"GET /poll": (10.0, 10.5)})
    assert since.missing([polled, clicked]) == ()


def test_a_load_that_never_says_it_is_complete_is_given_patience() -> None:
    trigger = Trigger(cause=load_of("/cart"))
    tried = (Try(cause=load_of("/cart"), ts=10.0),)
    assert Retries(tried, now=10.1).missing([trigger]) == (trigger,)
    assert Retries(tried, now=10.1 + limits.LOAD_PATIENCE_SECONDS).missing([trigger]) == ()
    assert Retries((Try(cause=load_of("/cart"), ts=10.0, loaded=10.05),), now=10.1).missing([trigger]) == ()
