"""Secrets are seen through every encoding that whoever receives the text would undo."""

import base64
import html
import json
from urllib.parse import quote, quote_plus

import pytest

from gasoline_cdp.detect.encodings import end_of_word, stretches, text_in_base64
from gasoline_cdp.detect.scan import find
from gasoline_cdp.detect.secret_match import ReportedSpans, SecretMatch
from gasoline_cdp.detect.work import Work
from gasoline_cdp.redact import redact

pytestmark = pytest.mark.requirement("F5-SECRETS")

VALUE = "h7Gk29Lm" + "Qx41ZpRtW8"
LINE = "MIIEowIBAAKCAQEA7bq8Zk3vXo5YtQ2mR1s9"
PEM = f"-----BEGIN PRIVATE KEY-----\n{LINE}\n{LINE[::-1]}\n-----END PRIVATE KEY-----"
OBJECT = json.dumps({"user": "al", "password": VALUE})


@pytest.mark.parametrize(
    "text",
    [
        '{"db":"postgres:\\/\\/u:' + VALUE + '@h\\/d"}',
        '{"a":"https:\\/\\/h.test\\/p?token=' + VALUE + '"}',
        quote(OBJECT),
        quote(quote(OBJECT)),
        "x=" + quote_plus(OBJECT),
        "x=" + quote_plus(OBJECT.replace(": ", ":   ")),
        html.escape(OBJECT),
        OBJECT.replace('"', "&#34;"),
        OBJECT.replace('"', "\\u0022"),
        "a?password\\u003d" + VALUE,
        "password\\x3d" + VALUE,
        json.dumps({"inner": OBJECT}),
        json.dumps({"inner": json.dumps({"inner": OBJECT})}),
        json.dumps({"password": 'x"' + VALUE}),
        json.dumps({"inner": json.dumps({"password": 'x"' + VALUE})}),
        json.dumps(json.dumps({"inner": json.dumps({"password": 'x"' + VALUE})})),
        '{"password":\n      "' + VALUE + '"}',
    ],
)
def test_a_value_is_masked_in_every_encoding(text: str) -> None:
    assert VALUE in text
    assert VALUE not in redact(text)


@pytest.mark.parametrize(
    "text", [quote(PEM), quote_plus(PEM), quote(quote(PEM)), json.dumps(PEM), json.dumps(json.dumps(PEM))]
)
def test_a_private_key_is_masked_in_every_encoding(text: str) -> None:
    assert LINE not in redact("x=" + text)


@pytest.mark.parametrize("inner", [OBJECT, f"Authorization: Bearer {VALUE}", f"API_KEY={VALUE}\n"])
def test_base64_of_a_text_with_a_secret_is_masked(inner: str) -> None:
    encoded = base64.b64encode(inner.encode()).decode()
    assert encoded not in redact(f"data={encoded} end")
    assert text_in_base64(encoded) == inner


@pytest.mark.parametrize(
    "value", ["short", base64.b64encode(bytes(range(128, 200))).decode(), "an_identifier_of_some_length"]
)
def test_other_base64_is_left_alone(value: str) -> None:
    assert text_in_base64(value) == ""


def test_places_are_told_of_the_text_itself() -> None:
    text = "x" * 1000 + "a\\/b%22c&quot;d" + "y" * 1000 + "%3D" + "z" * 10
    first, second = stretches(text, len(text))
    for part, wanted in ((first, 'a/b"c"d'), (second, "=zzz")):
        place = part.decoded().index(wanted)
        start, end = part.original(place), part.original(place + len(wanted))
        assert text[start:end] in ("a\\/b%22c&quot;d", "%3Dzzz")


SENTRY = "sntrys_eyJ" + "pYXQiOMz1wwNpa2H2ue3UhiM0X4hbb9uUZwWBhBCI2m4iW0eF" + "_" + "h7Gk29LmQx41ZpRtW8" * 2 + "Zk4tQ9v"
assert len(SENTRY.rpartition("_")[2]) == 43


@pytest.mark.parametrize("position", range(14, len(SENTRY) - 3, 5))
@pytest.mark.parametrize("sign", ["/", "+"])
def test_a_value_is_masked_up_to_its_end_behind_each_of_its_escapes(position: int, sign: str) -> None:
    """Also where the text itself shows the beginning of a secret that goes on behind an escape."""
    value = SENTRY[:position] + quote(sign, safe="") + SENTRY[position + 1 :]
    if SENTRY[position] == "_":
        value = quote(SENTRY, safe="")
    for text in (f"x={value}", f"https://h.test/?token={value}&a=1", f'{{"a": "{value}"}}'):
        assert SENTRY[-20:] not in redact(text), text


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        (f"token={VALUE}%2B{VALUE}", ["token"]),
        (f"token={VALUE}%26password=x9{VALUE[::-1]}", ["token"]),
        (f"%7B%22token%22:%22{VALUE}%22,%22password%22:%22{VALUE[::-1]}%22%7D", ["token", "password"]),
        (f"x=%41 token={VALUE} y=%42", ["token"]),
    ],
)
def test_what_decoding_does_not_change_is_reported_once(text: str, kinds: list[str]) -> None:
    assert [one.kind for one in find(text) if one.reportable] == kinds


def test_a_value_that_decoding_does_not_change_takes_no_second_judgement() -> None:
    steps = []
    for text in (f"x=(A) token={VALUE} y=(B)", f"x=%41 token={VALUE} y=%42"):
        work = Work(1000)
        find(text, None, work)
        steps.append(1000 - work.left)
    # Going over the decoded text, and looking for the value behind the name.
    assert steps[1] - steps[0] < 10


def test_a_word_ends_at_spaces_quotes_and_tags() -> None:
    assert end_of_word("a.b/c%41-d e", 1) == 10
    assert end_of_word('"abc"', 1) == 4
    # Of a very long word the end is not looked for.
    assert end_of_word("a" * 2000 + " b", 0) == 2002


def test_what_is_reported_covers_what_lies_within() -> None:
    spans = ReportedSpans(
        SecretMatch(kind="token", start=start, end=end, reportable=reportable)
        for start, end, reportable in ((10, 50, True), (20, 30, True), (60, 70, False))
    )
    covered = [
        (start, end) for start, end in ((10, 50), (25, 45), (9, 12), (49, 51), (62, 65)) if spans.cover(start, end)
    ]
    assert covered == [(10, 50), (25, 45)]
    assert not ReportedSpans([])
