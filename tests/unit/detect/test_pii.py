"""Personal data, and the numbers that only look like it."""

import time

import pytest

from gasoline_cdp.detect.pii import find_fields, find_pii

pytestmark = pytest.mark.requirement("F5-PII")


def kinds(text: str) -> list[str]:
    return [kind for kind, _, _ in find_pii(text)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("mail ada@corp.io now", "email"),
        ("call +49 30 901820 11", "phone"),
        ("(415) 867-5309", "phone"),
        ("415-867-5309", "phone"),
        ("SSN 536-22-1234", "ssn"),
        ("card 4539578763621486", "credit_card"),
        ("4539 5787 6362 1486", "credit_card"),
        ('{"number": "4539578763621486"}', "credit_card"),
        ('{"pan":"378734493671000"}', "credit_card"),
        ("my ssn is 536221234", "ssn"),
        ("social security: 536 22 1234", "ssn"),
        ("SSN: 536-221234", "ssn"),
        ("IBAN DE44 5001 0517 5407 3249 31", "iban"),
        ("pay to NL91ABNA0417164300 today", "iban"),
        ("FR76 3000 6000 0112 3456 7890 189 BIC", "iban"),
    ],
)
def test_personal_data(text: str, kind: str) -> None:
    assert kinds(text) == [kind]


@pytest.mark.parametrize(
    "text",
    [
        "icon@2x.png", "axe-core@4.10.2", "git@github.com:a/b", "4539578763621486", "card 4539578763621487",
        "2026-01-15T10:30:00+00:00", "192.168.1.10", "550e8400-e29b-41d4-a716-446655440000", "ISBN 978-3-16-148410-0",
        "1790000000000", "M780 724 1650z", "x=1e+1234567890", "000-12-3456", "078-05-1120",
        '{"id": "4539578763621486"}', '{"orderId":"4539578763621486"}', "536 22 1234", "536221234",
        "DE44 5001 0517 5407 3249 32", "AB12 3456 7890 1234",
    ],
)  # fmt: skip
def test_what_is_none(text: str) -> None:
    assert kinds(text) == []


def test_made_up_data_is_told_as_such() -> None:
    assert [mock for _, _, mock in find_pii("card 4242424242424242, jane@example.com")] == [True, True]


def test_fields_are_told_by_name_and_value() -> None:
    value = {
        "user": {"email": "a@b.io", "phoneNumber": "12345", "address": {"street": "x"}},
        "list": [{"dob": "1990-01-01"}],
    }
    assert find_fields(value) == {"email": False, "phone": False, "address": False, "date_of_birth": False}
    none = {"email": "", "phone": None, "address": "0xabc", "ip_address": "1.2.3.4", "password": False}
    assert find_fields(none) == {}


@pytest.mark.parametrize(
    "value",
    [
        {"address": {"street": None, "city": None, "zip": ""}},
        {"billing_address": {"host": "db", "port": 5432}},
        # Labels of a form in some language.
        {"password": "Passwort", "email": "E-Mail", "phone": "Telefon", "address": "Adresse", "birthday": "Geburtstag"},
        {"password": "Enter your password"},
        {"password": "********"},
        {"password": {"type": "string"}},
    ],
)
def test_fields_that_hold_nothing_of_a_person(value: object) -> None:
    assert find_fields(value) == {}


def test_fields_that_look_made_up() -> None:
    assert find_fields({"email": "jane@example.com", "phone": "+1 212 555 0147"}) == {"email": True, "phone": True}
    assert find_fields([{"email": "jane@example.com"}, {"email": "ada@corp.io"}]) == {"email": False}
    assert find_fields({"password": "hunter2!x", "card_number": "4242424242424242"}) == {
        "password": False,
        "credit_card": True,
    }


def test_deep_and_wide_values_end() -> None:
    deep: object = {"email": "a@b.io"}
    for _ in range(50):
        deep = {"x": deep}
    assert find_fields(deep) == {}
    assert find_fields([{"email": "a@b.io"}] * 100_000) == {"email": False}


@pytest.mark.requirement("F5-LINEAR")
@pytest.mark.parametrize(
    "unit",
    [
        "1",
        "a@",
        "a.",
        "1-",
        "+1 ",
        "(2",
        "4539 ",
        "a@b.",
        "1" * 19 + " ",
        "123-45-",
        ".",
        "DE44500105175407324931 ",
        "DE44 ",
    ],
)
def test_no_text_takes_more_than_its_length(unit: str) -> None:
    def cost(size: int) -> float:
        text = (unit * (size // len(unit) + 1))[:size]
        best = float("inf")
        for _ in range(3):
            begun = time.process_time()
            list(find_pii(text))
            best = min(best, time.process_time() - begun)
        return best

    assert cost(80_000) < 24 * max(cost(10_000), 0.002)
