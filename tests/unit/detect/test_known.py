"""What was recognised once is masked where it comes back without the name that gave it away."""

import json

import pytest

from gasoline_cdp.detect.known import Known
from gasoline_cdp.detect.scan import find
from gasoline_cdp.redact import redact

pytestmark = pytest.mark.requirement("F5-SECRETS")

VALUE = "h7Gk29Lm" + "Qx41ZpRtW8"


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"token": VALUE, "echo": VALUE}),
        json.dumps({"echo": VALUE, "token": VALUE}),
        f"api_key={VALUE} then /reset/{VALUE}/now and {VALUE}",
        f"Authorization: Bearer {VALUE}\n\nyou sent {VALUE}",
        json.dumps({"password": "s3cure!pw", "echo": "s3cure!pw"}),
        f"?bearer={VALUE}&x={VALUE}",
    ],
)
def test_a_value_is_masked_wherever_it_stands_in_a_text(text: str) -> None:
    masked = redact(text)
    assert VALUE not in masked
    assert "s3cure!pw" not in masked


def test_a_value_is_masked_in_later_texts() -> None:
    value = "q9Wz" + "81LmTr55XcVb02"
    assert value in redact(f"plain {value}")
    redact(json.dumps({"access_token": value}))
    assert value not in redact(f"answer: {value} and ?x={value}&y")


def test_an_echo_is_not_told_again() -> None:
    assert [one.reportable for one in find(json.dumps({"token": VALUE, "echo": VALUE}))] == [True, False]


def test_words_are_no_echoes() -> None:
    assert redact('{"token":"disabled","status":"disabled"}').endswith('"status":"disabled"}')


def test_the_oldest_is_forgotten() -> None:
    known = Known(2)
    values = [f"{letter * 6}1234567890" for letter in "abc"]
    for value in values:
        known.add(value)
    assert [known.end_of(value, 0) for value in values] == [0, 16, 16]
    assert set(known.beginnings) == {"bbbbbb", "cccccc"}


def test_only_runs_of_some_length_are_kept() -> None:
    known = Known(2)
    known.add("short1")
    known.add("has a space in it, this one")
    assert known.beginnings == {}


def test_many_values_of_one_beginning_cost_little() -> None:
    known = Known(300)
    for length in range(20, 320):
        known.add("a" * 6 + "b" * length)
    assert known.end_of("a" * 6 + "b" * 500, 0) == 6 + 319
    assert known.end_of("a" * 6 + "c" * 500, 0) == 0
