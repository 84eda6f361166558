"""Answers are handed on in the order in which their requests ended, however they come."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gasoline_cdp import limits
from gasoline_cdp.capture.answer_order import AnswerOrder

pytestmark = pytest.mark.requirement("F5-CONTRACTS")


@given(st.permutations(range(8)), st.sets(st.integers(0, 7)))
def test_each_endpoint_keeps_its_order(arrival: list[int], given_up: set[int]) -> None:
    order, told = AnswerOrder(), list[int]()
    turns = [order.next_turn(number % 2) for number in range(8)]
    for number in arrival:
        order.done(turns[number], None if number in given_up else partial(told.append, number), 10)
    for endpoint in (0, 1):
        assert [n for n in told if n % 2 == endpoint] == [
            n for n in range(8) if n % 2 == endpoint and n not in given_up
        ]


def test_one_that_never_comes_does_not_hold_up_more_than_there_is_room_for() -> None:
    order, told = AnswerOrder(), list[int]()
    hung = order.next_turn("a")
    for number in range(3):
        order.done(order.next_turn("a"), partial(told.append, number), limits.ANSWERS_HELD_BYTES // 2)
    assert told == [0, 1, 2]
    order.done(hung, partial(told.append, 9))
    assert told == [0, 1, 2, 9]
