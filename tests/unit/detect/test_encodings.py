"""Secrets are seen through every encoding that whoever receives the text would undo."""

import base64
import html
import json
from urllib.parse import quote, quote_plus

import pytest

from gasoline_cdp.detect.encodings import stretches, text_in_base64
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
