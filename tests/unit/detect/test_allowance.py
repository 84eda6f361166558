"""One source of texts cannot use up the time of the others."""

import pytest

from gasoline_cdp import limits, redact
from gasoline_cdp.detect.allowance import Allowances, charge_to
from gasoline_cdp.detect.work import Work

pytestmark = pytest.mark.requirement("F5-LINEAR")


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redact, "_allowances", Allowances())
    monkeypatch.setattr("gasoline_cdp.detect.allowance.time.monotonic", lambda: 100.0)


def test_a_flood_is_cut_and_said_and_others_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SEARCH_STEPS_AT_ONCE", 20_000)
    charge_to("loud")
    text = ("a line of a log with token=h7Gk29LmQx41ZpRt in it" + ", and more words" * 16 + ". ") * 12
    kept: list[str] = []
    while not kept or "not searched" not in kept[-1]:
        kept.append(redact.safe_text(text))
    shown = kept[-1]
    # What is shown was looked through, and begins as before.
    assert shown.startswith("a line of a log with token=[REDACTED] in it, and")
    assert "h7Gk29LmQx41ZpRt" not in shown
    assert len(shown) < limits.SEARCH_HEAD_CHARS + 100
    assert len(kept) > 30
    assert redact.safe_text("a short one") == "a short one"
    charge_to("quiet")
    assert redact.safe_text(text) == kept[0]


def test_the_allowance_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gasoline_cdp.detect.allowance.time.monotonic", lambda: 100.0)
    charge_to("a page")
    allowances = Allowances()
    allowances.spend(limits.SEARCH_STEPS_AT_ONCE + 100_000)
    assert allowances.left() == -100_000
    monkeypatch.setattr("gasoline_cdp.detect.allowance.time.monotonic", lambda: 101.0)
    assert allowances.left() == limits.SEARCH_STEPS_PER_SECOND - 100_000
    monkeypatch.setattr("gasoline_cdp.detect.allowance.time.monotonic", lambda: 200.0)
    assert allowances.left() == limits.SEARCH_STEPS_AT_ONCE


def test_sources_are_bounded() -> None:
    allowances = Allowances()
    for number in range(limits.SEARCH_SOURCES + 50):
        charge_to(str(number))
        allowances.spend(1)
    assert len(allowances._left) == limits.SEARCH_SOURCES


@pytest.mark.parametrize("before", range(limits.SEARCH_HEAD_CHARS - 45, limits.SEARCH_HEAD_CHARS + 5, 3))
def test_no_secret_is_cut_in_two_where_the_search_ends(before: int) -> None:
    charge_to("loud")
    redact._allowances.spend(2 * limits.SEARCH_STEPS_AT_ONCE)
    token = "ghp_" + "q1W2e3R4t5Y6u7I8o9P0a1S2d3F4g5H6j7K8"[:36]
    shown = redact.safe_text(("word " * 200)[: before - 1] + " " + token + " more" * 300)
    assert "not searched" in shown
    assert token[8:20] not in shown
    assert token[20:32] not in shown


def _settings(many: int) -> str:
    return "\n".join(f"SERVICE{number}_TOKEN=h7Gk29LmQx41ZpRt{number}" for number in range(many))


def test_a_short_text_full_of_secrets_is_looked_through() -> None:
    charge_to("settings")
    assert redact.redact(_settings(12)).count(redact.REDACTED) == 12


def test_a_flood_of_them_takes_no_more_than_its_length_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SEARCH_EXTRA_AT_ONCE", 1000)
    charge_to("flood")
    text = _settings(12)
    kept = [redact.redact(text) for _ in range(20)]
    assert "not searched" in kept[-1]
    assert "h7Gk29LmQx41ZpRt" not in "".join(kept)
    charge_to("other")
    assert redact.redact(text) == kept[0]


def test_a_flood_of_short_texts_takes_no_more_steps_than_one_long_text() -> None:
    """However short: no text has steps for itself, beyond what all texts of the source share."""
    charge_to("flood")
    text = "token=h7Gk29LmQx41ZpRt "
    redact._allowances.spend(0, limits.SEARCH_EXTRA_AT_ONCE)
    assert Work.for_text("pw=1", redact._allowances.extra()).left == 0
    kept = {redact.redact(text) for _ in range(50)}
    assert all("not searched" in one and "h7Gk29LmQx41ZpRt" not in one for one in kept)


def test_what_a_caller_asks_for_is_on_nobodys_account() -> None:
    """Answers are bounded by their own limits, and a caller who reads much is no page that floods."""
    charge_to("")
    allowances = Allowances()
    allowances.spend(10 * limits.SEARCH_STEPS_AT_ONCE, 10 * limits.SEARCH_EXTRA_AT_ONCE)
    assert allowances.left() == limits.SEARCH_STEPS_AT_ONCE
    assert allowances.extra() == limits.SEARCH_EXTRA_AT_ONCE
