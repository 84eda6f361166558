"""Redaction: planted secrets disappear, ordinary text stays, and nothing a page writes makes it slow."""

import json
import time

import pytest

import gasoline_cdp.redact as redaction
from gasoline_cdp import limits
from gasoline_cdp.redact import (
    clean,
    collect_masked,
    has_auth_header,
    mask,
    mask_named,
    redact,
    safe_body,
    safe_headers,
    safe_text,
    safe_url,
    safe_word,
    shows_mask,
)

# Built at run time, so that no scanner mistakes this file for a leak.
AWS_KEY = "AKIA" + "QWERTYUIOPASDFGH"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
FORMATS = {
    "aws": "AKIA" + "Z7XQJ5KLMNOPQRST"[:16],
    "aws temporary": "ASIA" + "Z7XQJ5KLMNOPQRST"[:16],
    "github": "ghp_" + "a1B2c3D4e5F6" * 3,
    "github fine-grained": "github_pat_" + "11ABCDEFG0123456789_abcdefghij",
    "gitlab": "glpat-" + "x1Y2z3A4b5C6d7E8f9G0",
    "stripe": "sk_live_" + "51H8xYzAbCdEfGhIj",
    "slack": "xoxb-" + "1234567890-abcdefghij",
    "google": "AIza" + "SyD1234567890abcdefghijklmnopqrstuv",
    "model provider": "sk-proj-" + "AbCdEfGhIjKlMnOpQrSt1234",
    "npm": "npm_" + "a1B2c3D4e5F6" * 3,
    "sendgrid": "SG." + "abcdefghijklmnopqrstuv" + "." + "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG",
    "jwt": JWT,
}


@pytest.mark.parametrize("secret", FORMATS.values(), ids=FORMATS.keys())
@pytest.mark.parametrize(
    "place",
    [
        "{}",
        "key is {} ok",
        '{{"x":"{}"}}',
        "https://h/p?x={}&y=1",
        "'{}'",
        "a={}",
        "[{}, {}]",
        "/p?q=%7B%22{}%22%7D",
        "{}\n",
    ],
)
def test_known_formats_are_masked_wherever_they_stand(secret: str, place: str) -> None:
    assert secret not in redact(place.format(secret, secret))


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ('{"password":"hunter2"}', "hunter2"),
        ('{"user":{"apiKey": "abc"}}', '"abc"'),
        ('{"body":"{\\"client_secret\\":\\"s3cr3t\\"}"}', "s3cr3t"),
        ("grant_type=password&password=hunter2&x=1", "hunter2"),
        ("access_token=abc&y=2", "=abc"),
        ("{password: 'it is long', b: 1}", "it is long"),
        ("login with token: a8f7d6e5c4", "a8f7d6e5c4"),
        ("Authorization: Basic dXNlcjpwYXNzd29yZA==", "dXNlcjpwYXNzd29yZA"),
        ("authorization: Bearer abcdefghijklmnop.qrst", "abcdefghijklmnop"),
        ("https://user:pa55@example.org/x", "pa55"),
        ("postgres://app:pa55@db/x", "pa55"),
        ('{"otp":"123456"}', "123456"),
        ("session_id=deadbeef", "deadbeef"),
        ("/x?q=%7B%22password%22%3A%22hunter2%22%7D&y=1", "hunter2"),
        ("state=redirect%3Dhome%26token%3Dabcdef&y=1", "abcdef"),
    ],
)
def test_telling_names_and_places_are_masked(text: str, secret: str) -> None:
    assert secret not in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "Unexpected token < in JSON at position 0",
        "Unexpected token: }",
        '{"token_type":"Bearer","max_tokens":4096,"expires_in":3600}',
        '{"tokens": 12, "key": "value", "monkey": "banana"}',
        "password: required",
        '{"password":null,"secret":false}',
        "basic understanding of responsibilities",
        "https://example.org/a/b?page=2&sort=name#top",
        "Loaded 12 items in 34 ms",
        "user@example.org wrote at 10:30",
        "see eyJ for details, sk-ip to the end, ghp_ is a prefix",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert redact(text) == text


def test_the_rest_of_a_body_stays_readable() -> None:
    assert redact('{"user":"al","password":"x1","n":1}') == '{"user":"al","password":"[REDACTED]","n":1}'


def test_a_long_secret_keeps_its_ends_and_a_short_one_nothing() -> None:
    assert mask("abcdefghijklmnopqrstuvwxyz") == "abcdef…xyz"
    assert mask("abcdefghijklm") == "[REDACTED]"


def test_private_keys_are_masked_even_when_cut_off() -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\ndef\n-----END RSA PRIVATE KEY-----"
    assert "MIIEabc" not in redact(f"x {key} y")
    assert redact(f"x {key} y").endswith(" y")
    assert "MIIEabc" not in redact(key[:45])


def test_a_secret_on_the_edge_of_the_cut_is_not_shown_in_part() -> None:
    secret = FORMATS["github"]
    body, cut = safe_body("x" * 90 + " " + secret, 100)
    assert cut
    assert secret[:12] not in body


def test_headers_lose_values_and_keep_what_the_checks_need() -> None:
    headers = safe_headers(
        {
            "Authorization": "Bearer abc",
            "Cookie": "sid=abc; theme=dark",
            "Set-Cookie": "sid=abc; Path=/; HttpOnly\ntheme=dark",
            "X-CSRF-Token": "abc",
            "X-My-Secret": "abc",
            "Location": "/next?access_token=abc",
            "Content-Type": "text/html",
        }
    )
    assert headers == {
        "authorization": "[REDACTED]",
        "cookie": "sid=[REDACTED]; theme=[REDACTED]",
        "set-cookie": "sid=[REDACTED]; Path=/; HttpOnly\ntheme=[REDACTED]",
        "x-csrf-token": "[REDACTED]",
        "x-my-secret": "[REDACTED]",
        "location": "/next?access_token=[REDACTED]",
        "content-type": "text/html",
    }
    assert has_auth_header(["Accept", "AUTHORIZATION"])
    assert not has_auth_header(["Accept"])


def _given(value: str) -> dict[str, object]:
    """Headers as Chrome sends them: strings of their own each time."""
    given: dict[str, object] = json.loads(
        json.dumps({"User-Agent": "Mozilla/5.0 (X11)", "Location": f"/next?id={value}"})
    )
    return given


def test_requests_share_the_headers_that_they_have_in_common() -> None:
    one, other = safe_headers(_given("5")), safe_headers(_given("5"))
    assert one == other == {"user-agent": "Mozilla/5.0 (X11)", "location": "/next?id=5"}
    assert all(value is other[name] for name, value in one.items())


def test_a_secret_in_a_header_is_told_each_time() -> None:
    for _ in range(2):
        with collect_masked() as masked:
            headers = safe_headers(_given(FORMATS["github"]))
        assert FORMATS["github"] not in headers["location"]
        assert [secret.kind for secret in masked] == ["github_token"]


def test_shared_headers_are_bounded() -> None:
    for number in range(2 * limits.TEXTS_SHARED):
        safe_headers({f"x-{number}": "v" * 200, f"y-{number}": "v" * 1000})
    assert len(redaction._harmless_headers) == limits.TEXTS_SHARED
    assert all(sum(map(len, known)) <= limits.SHARED_CHARS for known in redaction._harmless_headers)
    assert safe_headers({"x-0": "new"}) == {"x-0": "new"}


def test_a_word_is_cut_and_cleaned_as_any_text() -> None:
    for _ in range(2):
        assert safe_word("P\u202eOST", 20) == "POST"
        assert safe_word("x" * 30, 20) == "x" * 20 + "…"
        assert safe_word("x" * 30, 40) == "x" * 30
        assert safe_word(["GET"], 20) == "['GET']"


def test_a_secret_word_is_told_each_time() -> None:
    for _ in range(2):
        with collect_masked() as masked:
            assert FORMATS["github"] not in safe_word(FORMATS["github"], 200)
        assert [secret.kind for secret in masked] == ["github_token"]


def test_shared_words_are_bounded() -> None:
    for number in range(2 * limits.TEXTS_SHARED):
        safe_word(f"word {number}", 100)
        safe_word(f"{number}" + "w" * 400, 1000)
    assert len(redaction._harmless_words) == limits.TEXTS_SHARED
    assert all(len(known) <= limits.SHARED_CHARS for known in redaction._harmless_words)


def test_headers_are_bounded() -> None:
    headers = safe_headers({f"x-{number}": "v" * 5000 for number in range(500)})
    assert len(headers) == 60
    assert all(len(value) <= 1001 for value in headers.values())


@pytest.mark.parametrize(
    ("text", "readable"),
    [
        ("plain", "plain"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("bell\x07 nul\x00", "bell nul"),
        ("safe\u202egnp.exe", "safegnp.exe"),
        ("hidden\U000e0041\U000e0042", "hidden"),
        ("half \ud800 pair", "half  pair"),
        ("naïve 日本 👩‍💻", "naïve 日本 👩‍💻"),
    ],
)
def test_unreadable_characters_are_removed(text: str, readable: str) -> None:
    assert clean(text) == readable


def test_an_invisible_character_does_not_hide_a_secret() -> None:
    secret = FORMATS["github"]
    assert secret not in safe_text(secret[:10] + "\u202e" + secret[10:])


def test_bodies_are_cut_in_bytes_at_a_character() -> None:
    body, cut = safe_body("é" * 100, 101)
    assert (body, cut) == ("é" * 50, True)
    assert safe_body("é" * 50, 100) == ("é" * 50, False)


def test_data_urls_are_shown_by_their_head_only() -> None:
    assert len(safe_url("data:image/png;base64," + "A" * 10_000)) <= 61


ADVERSARIAL = [
    '"', "password", "password=", 'password":"', "eyJ", "eyJaaaaaaaa.", "\\", '\\"', "-----BEGIN PRIVATE KEY-----",
    'a="', "://", "://a:", 'secret:"\\', "_", "a-", "sk-", "sk-a-", "bearer ", "xox", "token:'\\'", "-----BEGIN ",
]  # fmt: skip


@pytest.mark.parametrize("unit", ADVERSARIAL)
def test_time_grows_with_length_and_no_faster(unit: str) -> None:
    def cost(size: int) -> float:
        text = (unit * size)[:size]
        best = float("inf")
        for _ in range(3):
            begun = time.process_time()
            redact(text)
            best = min(best, time.process_time() - begun)
        return best

    # Eight times the text: quadratic work would take 64 times as long. The floor keeps clock noise out.
    assert cost(64_000) < 24 * max(cost(8_000), 0.002)


@pytest.mark.parametrize(
    ("names", "carried"),
    [
        (["Authorization"], True),
        (["x-api-key"], True),
        (["X-Auth-Token", "cookie"], True),
        (["Cookie"], False),
        (["x-csrf-token", "Sec-WebSocket-Key", "Idempotency-Key"], False),
    ],
)
def test_a_cookie_is_no_auth_header(names: list[str], *, carried: bool) -> None:
    assert has_auth_header(names) is carried


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("password", "hunter2", "[REDACTED]"),
        ("pin", "4711", "[REDACTED]"),
        ("secret", "2", "2"),
        ("city", "Oslo", "Oslo"),
        ("token", "null", "null"),
        ("db_pass", "h7Gk29LmQx41ZpRt", "[REDACTED]"),
        ("sort_key", "name", "name"),
        ("note", 'say "hi" \\', 'say "hi" \\'),
        ("secret", 'a"b\\', "[REDACTED]"),
    ],
)
def test_a_value_apart_from_its_name(name: str, value: str, shown: str) -> None:
    assert mask_named(name, value) == shown


@pytest.mark.parametrize(
    "url",
    [
        f"https://app.test/x?k={AWS_KEY}",
        "https://app.test/x?api_key=abcdef",
        "https://me:pass123@app.test/",
        f"https://app.test/x?t={JWT}",
    ],
)
def test_a_secret_in_an_address(url: str) -> None:
    assert shows_mask(safe_url(url), by_name=True)


@pytest.mark.parametrize(
    "url", ["https://app.test/x?page=2", "https://app.test/" + "long/" * 1000, "data:text/plain," + "x" * 500]
)
def test_addresses_without_one(url: str) -> None:
    assert not shows_mask(safe_url(url), by_name=True)


def test_in_a_body_only_keys_of_a_known_make_count() -> None:
    assert shows_mask(safe_body(f'{{"note": "{AWS_KEY}"}}', 1000)[0], by_name=False)
    assert not shows_mask(safe_body('{"user": "a", "password": "hunter2hunter2"}', 1000)[0], by_name=False)
    assert not shows_mask(safe_body(f'{{"id": "{JWT}"}}', 1000)[0], by_name=False)
    assert not shows_mask("wait…and see", by_name=False)
