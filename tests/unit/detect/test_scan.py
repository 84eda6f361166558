"""The engine: what is found is masked, what is reported is plausible, and no text takes long."""

import time
from random import Random

import pytest

from gasoline_cdp.detect.formats import FORMATS, TITLES
from gasoline_cdp.detect.scan import find
from gasoline_cdp.redact import mask, redact
from tests import made_formats, made_material

pytestmark = pytest.mark.requirement("F5-SECRETS")

AWS = "AKIA" + "Z7XQJ5KLMNOPQRST"
GITHUB = "ghp_" + "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"

PEM = (
    "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEowIBAAKCAQEA7bq8Zk3vXo5YtQ2mR1s9" * 3 + "\n-----END RSA PRIVATE KEY-----"
)


def kinds(text: str) -> list[str]:
    return [found.kind for found in find(text) if found.real]


@pytest.mark.parametrize(("kind", "text"), list(made_material.secrets(2)))
def test_what_is_found_is_masked(kind: str, text: str) -> None:
    found = [one for one in find(text) if one.real]
    assert found, kind
    masked = redact(text)
    for one in found:
        value = text[one.start : one.end]
        assert value not in masked
        assert one.kind in TITLES


@pytest.mark.parametrize(("kind", "text"), list(dict(made_material.clean_texts()).items()))
def test_ordinary_text_is_not_reported(kind: str, text: str) -> None:
    assert kinds(text) == [], kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (AWS, "aws_access_key"),
        (GITHUB, "github_token"),
        ("sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc", "stripe_key"),
        (PEM, "private_key"),
        ("mysql://app:s3cr3tP4ss@db.internal/x", "connection_string"),
        ("https://deploy:s3cr3tP4ss@git.internal/x", "url_credentials"),
        ("aws said wJalrXUtnFEMIK7MDENGbPxRfiCYabc12345kEy9", "aws_secret_key"),
        ("?api_key=h7Gk29LmQx41ZpRt", "api_key"),
        ('{"password": "hunter2!"}', "password"),
    ],
)  # fmt: skip
def test_a_secret_is_told_by_its_kind(text: str, kind: str) -> None:
    assert kinds(text) == [kind]


@pytest.mark.parametrize(
    "text",
    [
        "AKIAIOSFODNN7" + "EXAMPLE",
        "api_key=YOUR_API_KEY_12345",
        "token: ${TOKEN_FROM_ENV_123}",
        'secret="<insert your secret 1>"',
        "password=changeme1",
        "ghp_" + "x" * 36,
        "https://user:{password}@host",
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        "eyJBB.eyJCC.eyJDDDD",
        "const apiKey = process.env.API_KEY_2",
        'token: "settings.auth.token2"',
        'allows: ["/' + GITHUB + '/"]',
    ],
)
def test_placeholders_documentation_and_code_are_not_reported(text: str) -> None:
    assert kinds(text) == []


def test_a_test_key_is_told_as_one() -> None:
    (found,) = find("sk_test_" + "4eC39HqLyjWDarjtT1zdp7dc")
    assert found.real
    assert found.test_mode


def test_a_wrong_checksum_makes_a_token_doubtful() -> None:
    assert [found.doubtful for found in find(GITHUB)] == [False]
    assert [found.doubtful for found in find(GITHUB[:-1] + "y")] == [True]


def test_a_name_and_a_format_are_one_finding() -> None:
    (found,) = find(f'{{"github_token": "{GITHUB}"}}')
    assert (found.kind, found.name) == ("github_token", "github_token")


def test_what_a_query_holds_is_known() -> None:
    (found,) = find("https://h.test/p?a=1&access_token=h7Gk29LmQx41ZpRt&b=2")
    assert found.in_query
    assert found.name == "access_token"


def test_short_values_show_nothing() -> None:
    assert mask("hunter2hunter2") == "[REDACTED]"
    assert mask(GITHUB) == f"{GITHUB[:6]}…{GITHUB[-3:]}"


def test_every_format_has_a_title_and_marks() -> None:
    for form in FORMATS:
        assert form.title
        assert all(form.marks)


ADVERSARIAL = [
    "eyJ", "eyJaaaaaaaaa.", "-----BEGIN PRIVATE KEY-----", "://a:b", "://a:", "key=", "key:'", "token=a", "--key ",
    "AccountKey=", "hooks.slack.com/services/", "xox", "xoxb-1", "SG.a",
    "M" * 24 + ".aaaaaa.", ".aaaaaa.", ":A", "-us1",
    "Q~", "aws" + "a" * 40, "password\": \"\\", "PuTTY-User-Key-File-2: a", "whsec_/", "bearer ", "glpat-", "%22ghp_",
    "A" * 22, "0" * 40, "a.b.c.", "secret,\"", "api_key>", "dp.pt.", "hvs.", "sk-a-", "sk.eyJ", "t" * 50,
    "ghp_", "a-ghp_", "x_", "-", "sk_live_", "AzSe", "+ACR", "|", "$6$", "$2b$", "A" * 42 + "AzSe",
    ":APA91b", "oauth:", ".acc-",     "kty\"d\":\"", "curl -u a:b ", "login a password ", "mnemonic abc abc ", "basic ",
    "LS0tLS1CRUdJTi", "ZXlK", "IQoJb3JpZ2lu",     "token\": \"\\u00fc", "key: string = ",
    "password</key><string>", "name\",\"value\":", "<password>", "api key: ", "eyJhbGciOi", "+1 ",
]  # fmt: skip


@pytest.mark.parametrize(("kind", "text"), list(made_formats.glued()))
def test_a_secret_in_the_middle_of_a_word_is_masked(kind: str, text: str) -> None:
    template = next(template for template in made_formats.GLUED if kind.endswith(template[:6]))
    secret = text[text.index(template.partition("<")[0]) :].partition('"')[0].removesuffix("/x")
    assert secret not in redact(text)


@pytest.mark.parametrize(
    ("before", "told"), [("x-", True), ("app_", True), ("0", True), ("v1.", True), ("word", False), ("X", False)]
)
def test_what_is_glued_to_a_letter_is_masked_and_not_told(before: str, told: bool) -> None:
    (found,) = find(before + "gsk_" + "aBcDeFgHiJkLmNoPqRsT1234567890abcdefghijklmnopqrstuv")
    assert found.start == len(before)
    assert found.real is told


def test_a_right_checksum_is_told_even_after_a_letter() -> None:
    assert [one.real for one in find("token" + GITHUB)] == [True]
    assert [one.real for one in find("token" + GITHUB[:-1] + "y")] == [False]


@pytest.mark.parametrize(
    "text",
    [
        "monkey-" + "0123456789abcdef" * 2,
        "local_" + "0123456789abcdef" * 2,
        "favico-" + "0123456789abcdef" * 2,
        "/assets/lambda2-0123456789abcdef0123456789.js",
        "commit-hash-" + "0123456789abcdef" * 2 + "01234567",
    ],
)
def test_common_words_before_a_hash_make_no_secret(text: str) -> None:
    assert find(text) == []


@pytest.mark.requirement("F5-LINEAR")
@pytest.mark.parametrize("unit", ADVERSARIAL)
def test_no_text_takes_more_than_its_length(unit: str) -> None:
    def cost(size: int) -> float:
        text = (unit * (size // len(unit) + 1))[:size]
        best = float("inf")
        for _ in range(3):
            begun = time.process_time()
            find(text)
            best = min(best, time.process_time() - begun)
        return best

    # Eight times the text: quadratic work would take 64 times as long. The floor keeps clock noise out.
    assert cost(80_000) < 24 * max(cost(10_000), 0.002)


@pytest.mark.parametrize(
    "before", ["<!--", "--key--", "-", " _", "\\n", "\\\\t", "\\u0026", "\\x26", "%22", "a: '", "/"]
)
@pytest.mark.parametrize("kind", ["github", "aws", "stripe", "npm", "jwt"])
@pytest.mark.parametrize("after", ["", "-->", "\\n", " "])
def test_what_stands_right_before_a_secret_does_not_hide_it(before: str, kind: str, after: str) -> None:
    secret = made_material.MAKERS[kind](Random(3))
    found = find(f"x {before}{secret}{after}")
    assert [one for one in found if one.end - one.start >= len(secret)], found
