"""Mocks: which requests they are for, what they answer, and what cannot be one."""

from typing import Any

import orjson
import pytest

from gasoline_cdp import pilot_limits
from gasoline_cdp.analysis.conditions.mocks import (
    CapturedAnswer,
    Mock,
    chrome_pattern,
    filled,
    matches_url,
    parse_mocks,
)
from gasoline_cdp.analysis.conditions.problems import Problems

URL = "http://app.test/api/cart/7?page=1"


@pytest.mark.parametrize(
    ("pattern", "fits"),
    [
        ("/api/cart", True),
        ("page=1", True),
        ("/api/order", False),
        ("*/api/*", True),
        ("/api/*?page=1", True),
        ("http://app.test/*", True),
        ("http://app.test/*/7", False),
        ("https://*", False),
        ("*cart*cart*", False),
        ("*page=1", True),
        ("*1*1", False),
    ],
)
def test_patterns(pattern: str, fits: bool) -> None:
    assert matches_url(pattern, URL) is fits


def test_a_pattern_with_many_stars_costs_linear_time() -> None:
    assert not matches_url("*".join("a" * 200) + "b", "a" * 100_000)


def test_chrome_reads_a_question_mark_as_any_character() -> None:
    assert chrome_pattern("/api?x=1") == "*/api\\?x=1*"
    assert chrome_pattern("http://app.test/*") == "http://app.test/*"
    assert chrome_pattern("/api/*") == "*/api/*"


def parsed(*given: dict[str, Any]) -> tuple[Mock, ...]:
    problems = Problems()
    mocks = parse_mocks(list(given), problems)
    assert problems.all == []
    return mocks


def test_bodies_have_their_type() -> None:
    texts = parsed({"url": "a", "body": {"x": 1}}, {"url": "a", "body": "[1]"}, {"url": "a", "body": "hello"})
    assert [dict(mock.headers)["content-type"].partition(";")[0] for mock in texts] == [
        "application/json", "application/json", "text/plain",
    ]  # fmt: skip
    [own] = parsed({"url": "a", "body": {}, "headers": {"Content-Type": "text/x-own"}})
    assert own.headers == (("Content-Type", "text/x-own"),)


def test_a_repeated_answer_goes_to_its_own_origin_and_keeps_what_is_not_masked() -> None:
    answer = CapturedAnswer(
        method="GET",
        url=URL,
        status=201,
        headers={"content-type": "application/json", "set-cookie": "a=[REDACTED]", "x-key": "[REDACTED]", "etag": "1"},
        body=orjson.dumps({"items": [{"price": 3}], "token": "t"}),
    )
    problems = Problems()
    [mock] = parsed({"from": "r44", "set": {"items.0.price": 5}})
    mock = filled(mock, "mocks[0]", answer, problems)
    assert problems.all == []
    assert orjson.loads(mock.body) == {"items": [{"price": 5}], "token": "t"}
    assert (mock.status, dict(mock.headers)) == (201, {"content-type": "application/json", "etag": "1"})
    assert mock.answers("GET", URL)
    assert not mock.answers("POST", URL)
    assert not mock.answers("GET", URL.replace("app.test", "evil.test"))
    assert mock.words == f"GET {URL} → 201 from r44 with items.0.price changed"
    [wrong] = parsed({"from": "r44", "set": {"items.3.price": 5}})
    filled(wrong, "mocks[0]", answer, problems)
    assert problems.all == ["mocks[0].set: the answer has no field 'items.3.price'"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "needs url, or from"),
        ({"url": " "}, "must be a part of an address"),
        ({"urls": "a", "url": "b"}, "did you mean 'url'?"),
        ({"url": "a", "status": 42}, "from 200 to 599"),
        ({"url": "a", "method": "GTE"}, "is not known"),
        ({"url": "a", "fail": "timeout"}, "did you mean 'timed_out'?"),
        ({"url": "a", "fail": True, "status": 500}, "goes without status"),
        ({"url": "a", "delay_ms": 10**9}, "from 0 to 60000"),
        ({"url": "a", "set": {"x": 1}}, "changes an answer that from names"),
        ({"from": "r1", "body": "x"}, "brings its own body"),
        ({"from": 44}, "such as r44"),
        ({"url": "a", "body": "x" * (pilot_limits.MOCK_BODY_BYTES + 1)}, "the most are 1048576"),
    ],
)
def test_what_is_wrong_is_said(given: dict[str, Any], said: str) -> None:
    problems = Problems()
    parse_mocks([given], problems)
    assert said in "\n".join(problems.all)


def test_their_number_and_size_are_bounded() -> None:
    problems = Problems()
    parse_mocks([{"url": "a"}] * (pilot_limits.MOCKS + 1), problems)
    parse_mocks([{"url": "a", "body": "x" * pilot_limits.MOCK_BODY_BYTES}] * 5, problems)
    assert [problem.partition(",")[0] for problem in problems.all] == [
        "mocks: at most 20", "mocks: bodies of 5242880 bytes in all; the most are 4194304",
    ]  # fmt: skip
