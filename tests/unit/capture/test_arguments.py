"""A secret whose name is in another argument or cell, or around it, is masked; and the audit hears of it."""

from typing import Any

import pytest

from gasoline_cdp.capture.console import console_text, parse_console
from gasoline_cdp.redact import REDACTED, collect_masked

pytestmark = pytest.mark.requirement("S19")

VALUE = "zx81Quantum" + "Kettle77"
JWT = (
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"
    ".eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkFkYSBMb3ZlbGFjZSIsImlhdCI6MTUxNjIzOTAyMn0"
    ".SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"
)
NAMES = (
    "password", "passwd", "pwd", "passphrase", "secret", "client_secret", "token", "access_token", "api_key", "apiKey",
    "private_key", "credential", "authorization", "session_id", "jwt", "otp", "cvv",
)  # fmt: skip


def text(value: str) -> dict[str, Any]:
    return {"type": "string", "value": value}


def prop(name: str, kind: str, value: str = "", **more: Any) -> dict[str, Any]:
    return {"name": name, "type": kind, "value": value, **more}


def preview(*properties: dict[str, Any], description: str = "Object", **more: Any) -> dict[str, Any]:
    return {"type": "object", "description": description, "overflow": False, "properties": list(properties), **more}


def thing(*properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "preview": preview(*properties, **more), **more}


def said(*arguments: dict[str, Any], method: str = "log") -> str:
    parsed = parse_console({"type": method, "args": list(arguments), "timestamp": 1e12})
    assert parsed is not None
    return parsed.text


def shortened(value: str) -> str:
    """As Chrome shows a long string inside an object."""
    return f"{value[:50]}…{value[-49:]}"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", ["{}", "{}:", "user.{}", "the {} ="])
def test_a_value_after_its_name(name: str, form: str) -> None:
    shown = said(text(form.format(name)), text(VALUE))
    assert VALUE not in shown
    assert shown.startswith(form.format(name))


def test_a_value_after_its_name_among_others() -> None:
    shown = said(text("login"), text("ada"), text("password"), text(VALUE), text("done"))
    assert shown == f"login ada password {REDACTED} done"
    number = {"type": "number", "value": 4711, "description": "4711"}
    assert "4711" not in said(text("otp"), number)
    assert "4711" in said(text("attempts"), number)


def test_a_value_in_a_template() -> None:
    assert VALUE not in said(text("password %s"), text(VALUE))
    assert VALUE not in said(text("with token %o"), text(VALUE))
    assert said(text("%c styled %s"), text("color: red"), text("words")) == " styled words"


@pytest.mark.parametrize(
    ("first", "second"),
    [("Unexpected token", "expired"), ("Wrong password", "try again"), ("token", "null"), ("page", "chapter-12")],
)
def test_prose_stays(first: str, second: str) -> None:
    assert said(text(first), text(second)) == f"{first} {second}"


def test_a_table_is_masked_by_its_columns_and_by_its_rows() -> None:
    row = preview(prop("user", "string", "ada"), prop("password", "string", VALUE), prop("pin", "number", "4711"))
    table = said(thing(prop("0", "object", "Object", valuePreview=row), subtype="array"), method="table")
    assert VALUE not in table
    assert "ada" in table
    assert VALUE not in said(thing(prop("password", "string", VALUE), prop("user", "string", "ada")), method="table")


def test_the_members_of_arrays_and_maps() -> None:
    members = preview(prop("0", "string", VALUE), description="Array(1)", subtype="array")
    assert VALUE not in said(thing(prop("passwords", "object", "Array(1)", valuePreview=members)))
    assert VALUE not in said(text("passwords"), {"type": "object", "subtype": "array", "preview": members})
    pair = preview(prop("0", "string", "password"), prop("1", "string", VALUE), description="Array(2)", subtype="array")
    assert said({"type": "object", "subtype": "array", "preview": pair}) == f"['password', '{REDACTED}']"
    key, value = {"type": "string", "description": "token"}, {"type": "string", "description": VALUE}
    entries = {"type": "object", "description": "Map(1)", "subtype": "map", "entries": [{"key": key, "value": value}]}
    assert VALUE not in said({"type": "object", "subtype": "map", "preview": entries})


def test_the_audit_hears_of_a_token_that_chrome_has_shortened() -> None:
    with collect_masked() as masked:
        shown = said(text("x"), thing(prop("access_token", "string", shortened(JWT))))
    assert shown == f"x {{access_token: '{REDACTED}'}}"
    assert [one.kind for one in masked] == ["token"]
    assert masked[0].name == "access_token"


def test_what_is_masked_once_is_not_told_twice() -> None:
    with collect_masked() as masked:
        console_text({"type": "log", "args": [thing(prop("api_key", "string", VALUE))]})
    assert len(masked) == 1
