"""Elements as they may be shown."""

import pytest

from gasoline_cdp.analysis.markup import safe_attributes, safe_markup


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ('<input type="password" value="hunter2">', '<input type="password" value="[REDACTED]">'),
        ("<input value='hunter2' type='PASSWORD'>", "<input value=\"[REDACTED]\" type='PASSWORD'>"),
        (
            '<form><input name="card-number" value="4111"></form>',
            '<form><input name="card-number" value="[REDACTED]"></form>',
        ),
        ('<input name="city" value="Oslo">', '<input name="city" value="Oslo">'),
        ('<textarea name="secret">abc</textarea>', '<textarea name="secret">[REDACTED]</textarea>'),
        ('<div data-token="abcdefghijklmnopqrstuvwxyz">', '<div data-token="[REDACTED]">'),
        ("<b>\u202eplain</b>", "<b>plain</b>"),
        ('<button accesskey="s" data-x=1>Save</button>', '<button accesskey="s" data-x=1>Save</button>'),
        ("<a ACCESSKEY=s>x</a>", "<a ACCESSKEY=s>x</a>"),
        ("<a accesskey=sesame-opens>x</a>", "<a accesskey=[REDACTED]>x</a>"),
        (None, ""),
    ],
)
def test_markup(html: object, shown: str) -> None:
    assert safe_markup(html, 200) == shown


def test_markup_is_cut_to_its_length() -> None:
    assert len(safe_markup("<p>" + "x" * 900, 200)) == 200


def test_attributes() -> None:
    assert safe_attributes({"type": "password", "value": "x", "id": "pw"})["value"] == "[REDACTED]"
    assert safe_attributes({"data-api-key": "abc", "class": "token"}) == {
        "data-api-key": "[REDACTED]",
        "class": "token",
    }
    assert safe_attributes({"href": "/a?token=abcdefghijklmnop"})["href"] == "/a?token=[REDACTED]"
    assert safe_attributes({"type": "submit", "name": "card", "value": "Pay"})["value"] == "Pay"
