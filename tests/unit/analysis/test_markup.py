"""Elements as they may be shown."""

import pytest

from gasoline_cdp.analysis.markup import is_secret_field, safe_attributes, safe_logged, safe_markup, safe_selector


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


def test_markup_in_what_is_said() -> None:
    html = '<input value="Oslo-1984!" name="pin"><textarea name="secret">abc</textarea>'
    masked = '<input value="[REDACTED]" name="pin"><textarea name="secret">[REDACTED]</textarea>'
    assert safe_logged(html) == masked
    assert safe_logged("x" * 60 + html, 70) == "x" * 60 + masked[:10] + "…"
    assert safe_logged("1 < 2") == "1 < 2"


@pytest.mark.parametrize(
    "name", ["api_key", "apiKey", "private_key", "X-Api-Key", "pwd", "card_number", "csrf_token", "userPin", "otp"]
)
def test_fields_by_their_names(name: str) -> None:
    assert is_secret_field({"name": name})
    assert is_secret_field({"id": name, "type": "text"})
    assert safe_attributes({"name": name, "content": "abc"})["content"] == "[REDACTED]"
    assert safe_attributes({"name": name, "value": "abc"})["value"] == "[REDACTED]"


@pytest.mark.parametrize("name", ["shipping", "opinion", "keyword", "city", "author", "max_tokens", "hotpot"])
def test_fields_that_hold_no_secret(name: str) -> None:
    assert not is_secret_field({"name": name})


def test_attributes_by_their_names() -> None:
    assert safe_attributes({"accesskey": "s", "auth-token": "abc", "aria-label": "Token"}) == {
        "accesskey": "s",
        "auth-token": "[REDACTED]",
        "aria-label": "Token",
    }


@pytest.mark.parametrize(
    ("selector", "shown"),
    [
        ('input[value="red"]', 'input[value="red"]'),
        ('input[name="a"][value="PEiGGcufp\\!HY4J42"]', 'input[name="a"][value]'),
        ("input[value='9f86d081884c7d65']", "input[value]"),
        ("#login > input", "#login > input"),
    ],
)
def test_selectors(selector: str, shown: str) -> None:
    assert safe_selector(selector) == shown


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


def test_a_field_with_more_names_than_any_has_is_masked_unread() -> None:
    # A page could have thousands of them judged.
    assert is_secret_field({"id": " ".join("abcdefghijklm")})
    assert is_secret_field({"name": "a" * 101})
    assert not is_secret_field({"id": " ".join("abcdefghijkl")})
    assert not is_secret_field({"name": "a" * 101, "type": "submit"})
