"""Names that make their value secret."""

import pytest

from gasoline_cdp.detect.names import is_secret_name, is_weak_name, kind_of_name

pytestmark = pytest.mark.requirement("F5-SECRETS")


@pytest.mark.parametrize(
    "name",
    [
        "password", "apiKey", "access_token", "client-secret", "user.password", "session_id", "pwd", "passwd",
        "adminPwd", "api_key", "API-KEY", "X-Api-Key", "private_key", "privateKey", "card_number",
        "cardNumber", "creditCard", "pin", "cvv", "bearer", "sig", "authenticity_token", "csrf_token",
        "X-CSRF", "x-auth", "Proxy-Authorization", "sessionId", "password_confirmation", "user[password]",
        "duo_skey", "signingKey", "JSESSIONID", "newPassword", "oldpwd", "reset_token",
    ],
)  # fmt: skip
def test_telling_names(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "token_type", "max_tokens", "key", "monkey", "token_count", "isolation", "credentialId", "tokenId",
        "passwordHint", "shipping", "secretary", "tokenizer", "publicKey", "hasPassword", "forgot-password",
        "keyboard", "author", "assignment", "design", "discard", "cardinality", "password_reset_url",
        "publishable_key", "secretsmanager", "PasswordLastUsed", "passwordValidationRegex", "password_changed",
        "token_last_refreshed", "formula-token-1-color", "signatureByteCode",
    ],
)  # fmt: skip
def test_names_about_secrets_are_none(name: str) -> None:
    assert not is_secret_name(name)


@pytest.mark.parametrize("name", ["sl-key", "clou_pw", "db_pass", "signingKey", "key"])
def test_weak_names(name: str) -> None:
    assert is_weak_name(name)


@pytest.mark.parametrize("name", ["cacheKey", "public_key", "primary_key", "monkey", "bypass"])
def test_no_weak_names(name: str) -> None:
    assert not is_weak_name(name)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("password", "password"), ("db_pass", "password"), ("apiKey", "api_key"), ("client_secret", "secret"),
        ("access_token", "token"), ("aws_secret_access_key", "aws_secret_key"), ("csrf_token", ""), ("publicKey", ""),
        ("nextPageToken", ""), ("skipToken", ""), ("$skiptoken", ""), ("ClientRequestToken", ""), ("uploadToken", ""),
        ("correlationKey", ""), ("InstrumentationKey", ""), ("sig", ""), ("githubToken", "token"),
        ("primarySharedKey", "api_key"),
    ],
)  # fmt: skip
def test_kinds(name: str, kind: str) -> None:
    assert kind_of_name(name) == kind


@pytest.mark.parametrize(
    "name", ["browshot_key", "returnly_token", "hashnodeToken", "X-Statuspage-Key", "reactive_secret"]
)
def test_an_excuse_counts_only_as_a_word(name: str) -> None:
    assert kind_of_name(name)


@pytest.mark.parametrize("name", ["hotKey", "hot_key", "nextpagetoken", "sec-websocket-key", "sentry_key", "xsrfToken"])
def test_names_that_nobody_needs_to_be_told_of(name: str) -> None:
    assert not kind_of_name(name)
