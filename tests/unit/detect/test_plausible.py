"""Checks of single values."""

import pytest

from gasoline_cdp.detect.plausible import (
    crc_matches,
    entropy,
    github_checksum,
    is_code,
    is_jwt,
    is_key_material,
    is_placeholder,
    looks_chosen,
    looks_random,
    luhn,
)

pytestmark = pytest.mark.requirement("F5-SECRETS")

VALID = "ghp_" + "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"


def test_checksums_of_tokens() -> None:
    assert github_checksum(VALID)
    assert not github_checksum(VALID.replace("wWPw", "wWPx"))
    assert crc_matches(VALID[4:34], VALID[34:])


def test_check_digits_of_cards() -> None:
    assert luhn("4242424242424242")
    assert not luhn("4242424242424241")


def test_a_jwt_must_decode() -> None:
    head, claims = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9", "eyJzdWIiOiIxMjM0NTY3ODkwIn0"
    assert is_jwt(f"{head}.{claims}.dozjgNryP4J3jVmNHl0w5N")
    assert is_jwt(f"{head}.{claims}")
    assert not is_jwt(f"{head[:-1]}.{claims}.dozjgNryP4J3jVmNHl0w5N")
    assert not is_jwt("eyJAAAA.eyJBBB.x")


@pytest.mark.parametrize(
    "value",
    [
        "your-api-key",
        "AKIAEXAMPLE",
        "xxxxxxxx",
        "aaaaaaaa",
        "changeme",
        "${SECRET}",
        "{{secret}}",
        "<token>",
        "$TOKEN",
        "...",
    ],
)
def test_placeholders(value: str) -> None:
    assert is_placeholder(value)


@pytest.mark.parametrize("value", ["hunter2", "s3cr3tP4ss", "abcd1234abcd1234", "Z7XQJ5KLMNOPQRST"])
def test_values_are_no_placeholders(value: str) -> None:
    assert not is_placeholder(value)


@pytest.mark.parametrize(
    "value", ["process.env.KEY", "getToken()", "core_1.crypto.createKey", "a => b", "base64.b64encode"]
)
def test_expressions_are_code(value: str) -> None:
    assert is_code(value)


def test_random_and_chosen() -> None:
    assert looks_random("h7Gk29LmQx41ZpRt")
    assert looks_random("abcd1234abcd1234abcd1234")
    assert not looks_random("Ed25519PrivateKey")
    assert not looks_random("a sentence with 1 number")
    assert not looks_random("internationalization")
    assert looks_chosen("hunter2")
    assert not looks_chosen("Passwort")
    assert not looks_chosen("Forgot password?")


def test_entropy() -> None:
    assert entropy("") == 0
    assert entropy("aaaa") == 0
    assert entropy("abcd") == 2


def test_key_material_is_more_than_dots() -> None:
    assert not is_key_material("\n***\n-----END PRIVATE KEY-----")
    assert is_key_material("\n" + "MIIEowIBAAKCAQEA7bq8Zk3vXo5YtQ2mR1s9" * 2 + "\n-----END PRIVATE KEY-----")


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("config.db.password", True),
        ("document.getElementById", True),
        ("base64.b64encode", True),
        ("core.crypto.createKey", True),
        ("EgFFEOyxgCFbd78.dOX", False),
        ("ucsPhdQgvaWtn14.6H9", False),
        ("WMXhuZEwnraO443.gc5", False),
        ("QNLEAON6el3u083.TQL", False),
    ],
)
def test_names_of_a_program_are_made_of_words(value: str, *, code: bool) -> None:
    assert is_code(value) is code
