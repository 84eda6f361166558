"""The words of findings about secrets."""

import pytest

from gasoline_cdp.analysis.security.credentials import with_article
from gasoline_cdp.detect.formats import TITLES


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("password", "a password"),
        ("secret", "a secret"),
        ("private_key", "a private key"),
        ("password_hash", "a password hash"),
        ("api_key", "an API key"),
        ("token", "an access token"),
        ("github_token", "a GitHub token"),
        ("npm_token", "an npm token"),
        ("aws_access_key", "an AWS access key id"),
    ],
)
def test_titles_in_a_sentence(kind: str, words: str) -> None:
    assert with_article(TITLES[kind]) == words
