"""Fields that a page's script posted: read as they should be, or named as a problem that holds no value."""

import time
from typing import Any

import pytest

from gasoline_cdp.capture.posted import Posted, written

SECRET = "hunter2-is-not-told"


def read(value: Any) -> tuple[Posted, list[str]]:
    problems: list[str] = []
    return Posted(value, "entries[0]", problems), problems


def test_the_first_name_that_is_there_counts() -> None:
    posted, problems = read({"message": None, "text": "x", "n": 3, "on": True, "level": "warn", "more": {"a": 1}})
    assert posted.text("message", "text") == "x"
    assert (posted.number("n"), posted.count("n"), posted.flag("on")) == (3.0, 3, True)
    assert posted.choice(("level",), {"warn": "warning"}, "log") == "warning"
    assert posted.part("more").count("a") == 1
    assert posted.anything("nothing", "more") == {"a": 1}
    assert posted.sound
    assert problems == []


def test_what_is_missing_has_its_default() -> None:
    posted, problems = read({})
    assert (posted.text("a", default="d"), posted.number("a"), posted.count("a")) == ("d", None, 0)
    assert not posted.flag("a")
    assert posted.part("a").text("b") == ""
    assert posted.needed_text("message", "text") == ""
    assert problems == ["entries[0].message is missing"]
    assert not posted.sound


@pytest.mark.parametrize("value", [[], "x", None, 3])
def test_an_entry_is_an_object(value: Any) -> None:
    posted, problems = read(value)
    assert posted.needed_text("message") == ""
    assert problems == ["entries[0] must be an object"]


@pytest.mark.parametrize("value", [-1, True, 2**53, "3", float("nan"), float("inf")])
def test_numbers_are_from_zero_on(value: Any) -> None:
    posted, problems = read({"n": value})
    assert posted.number("n", default=7.0) == 7.0
    assert problems == ["entries[0].n must be a number from 0 on"]


def test_problems_name_the_field_and_never_its_value() -> None:
    posted, problems = read({"a": [SECRET], "b": SECRET, "c": SECRET, "d": SECRET, "e": SECRET})
    posted.text("a")
    posted.flag("b")
    posted.choice(("c",), {"x": 1, "y": 2}, 0)
    posted.part("d")
    posted.timestamp("e")
    posted.only("a", "b")
    assert [problem.split()[0] for problem in problems] == [f"entries[0].{name}" for name in "abcdecde"]
    assert SECRET not in str(problems)


def test_unknown_fields_are_named_in_small_number() -> None:
    posted, problems = read(dict.fromkeys(["x" * 500, *"bcdefgh"]))
    posted.only("a")
    assert len(problems) == 5
    assert len(problems[0]) < 150


def test_times_come_as_iso_or_milliseconds_and_absurd_ones_are_now() -> None:
    now = time.time()
    for value in (now * 1000 - 5000, time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now - 5))):
        posted, problems = read({"ts": value})
        assert posted.timestamp("ts") == pytest.approx(now - 5, abs=2)
        assert problems == []
    posted, problems = read({"ts": 0})
    assert posted.timestamp("ts") == pytest.approx(now, abs=5)
    assert problems == []
    posted.recent_timestamp("ts")
    assert problems == ["entries[0].ts must be within 24 hours of now; without it, now is taken"]


def test_what_a_console_call_printed() -> None:
    assert written(["a", 1, {"b": None}]) == 'a 1 {"b":null}'
    assert written("plain") == "plain"
