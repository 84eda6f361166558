"""Precision and recall on labelled material; `python -m tests.accuracy` prints them by kind."""

import pytest

from gasoline_cdp.detect.scan import find
from tests.accuracy import (
    SAMPLES,
    read_rows,
    score_contracts,
    score_issuers,
    score_made_formats,
    score_made_secrets,
    score_personal,
    score_secrets,
)
from tests.made_bodies import api_bodies

pytestmark = pytest.mark.requirement("F5-ACCURACY")


def test_secrets_of_other_scanners_tests() -> None:
    scores = score_secrets(read_rows(SAMPLES / "secrets.jsonl.gz"))
    assert scores["all"].recall >= 0.80
    assert scores["all"].precision >= 0.98
    # Of the seed's formats one is missed: the key of the provider's documentation, which is not to be reported.
    assert [row.split()[1] for row in scores["tier covered"].wrong] == ["detect-secrets/aws_key"]


def test_secrets_made_by_their_documentation() -> None:
    scores = score_made_secrets()
    assert scores["seed's formats"].recall >= 0.95, scores["seed's formats"].wrong
    assert scores["all"].recall >= 0.95, scores["all"].wrong
    assert scores["all"].precision >= 0.95, scores["all"].wrong


def test_secrets_by_the_shapes_and_syntaxes_that_public_rule_sets_know() -> None:
    scores = score_made_formats()
    for group in ("formats", "syntaxes", "authorization"):
        assert scores[f"all {group}"].recall >= 0.95, scores[f"all {group}"].wrong
    assert scores["all"].precision >= 0.99, scores["all clean"].wrong


@pytest.mark.parametrize(("part", "least"), [("dev", 0.93), ("held", 0.90), ("fresh", 0.95), ("other", 0.93)])
def test_secrets_of_issuers_in_what_a_browser_sees(part: str, least: float) -> None:
    scores = score_issuers()
    assert scores[part].recall >= least, scores[part].wrong
    # A name is enough for most of them, whatever the shape.
    assert scores[f"{part} named"].recall >= 0.97, scores[f"{part} named"].wrong


def test_answers_of_public_apis_hold_nothing_to_act_on() -> None:
    told = [
        (shape, found.kind, text[found.start : found.end])
        for shape, text in api_bodies()
        for found in find(text)
        if found.reportable and not found.low_risk
    ]
    assert told == []


def test_personal_data() -> None:
    scores = score_personal()
    assert scores["all"].precision >= 0.95, scores["all"].wrong
    assert scores["all"].recall >= 0.90, scores["all"].wrong


def test_changes_of_real_payloads() -> None:
    scores = score_contracts(read_rows(SAMPLES / "contract-mutations.jsonl.gz"))
    assert scores["all"].recall >= 0.95, scores["all"].wrong
    assert scores["all"].false_alarm_rate < 0.02, scores["all"].wrong
