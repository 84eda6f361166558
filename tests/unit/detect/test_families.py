"""Tokens of issuers that no table knows, by the prefix they share with the rest."""

import pytest

from gasoline_cdp.detect.families import issued_token
from gasoline_cdp.detect.scan import find
from gasoline_cdp.detect.work import Work

pytestmark = pytest.mark.requirement("F5-SECRETS")

RANDOM = "Zk4tQ9vL2mXc7RbW8nHs5JpD3fYg"


@pytest.mark.parametrize(
    "prefix", ["acme_pat_", "acme_sk_live_", "acme-api-key-", "acme_secret_v1_", "acme_live_", "secret_", "Acme-api-"]
)
def test_an_issuers_word_before_chance_is_a_token(prefix: str) -> None:
    text = f'{{"value":"{prefix}{RANDOM}","n":1}}'
    (found,) = find(text)
    assert (text[found.start : found.end], found.reportable, found.test_mode) == (prefix + RANDOM, True, False)


def test_a_token_for_trying_things_out_is_known_as_one() -> None:
    assert [(one.reportable, one.test_mode) for one in find(f"acme_test_{RANDOM}")] == [(True, True)]


@pytest.mark.parametrize(
    "text",
    [
        # Identifiers, keys for browsers, and what a page's address carries.
        f"user_{RANDOM}", f"evt_1{RANDOM}", f"pk_prod_{RANDOM}", f"acme_pub_live_{RANDOM}", f"cs_live_a1{RANDOM}",
        f"pi_3{RANDOM[:23]}_secret_{RANDOM}", f"sk_1{RANDOM[:23]}",
        # Words, dates and versions.
        "acme_api_key_is_rejected_when_it_has_expired_2", "prod-eu-west-1-backup-2026-01-02-at-10-30-15",
        "acme_live_preview_of_the_checkout_page_v2_1_3", "acme_secret_xxxxxxxxxxxxxxxxxxxxxxxx1x2x3",
        # Too short, and no end.
        f"acme_pat_{RANDOM[:16]}", "acme_pat_" + RANDOM * 20,
    ],
)  # fmt: skip
def test_identifiers_and_words_are_none(text: str) -> None:
    assert issued_token(text, 0, Work(100)) is None


def test_what_ends_in_a_checksum_is_no_token_with_one_character_more() -> None:
    token = "cfat_" + RANDOM + RANDOM[:12] + "03fa099b"
    assert [one.reportable for one in find(token)] == [True]
    assert [one.reportable for one in find(token + "Z")] == [False]


def test_a_key_for_browsers_is_none_of_a_format_that_begins_alike() -> None:
    assert not any(one.reportable for one in find(f"pk_live_{RANDOM}{RANDOM}"))
