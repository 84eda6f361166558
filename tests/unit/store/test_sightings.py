"""Sightings: grouped, bounded, and without values."""

import pytest
from attrs import evolve

from gasoline_cdp import limits
from gasoline_cdp.redact import collect_masked, redact
from gasoline_cdp.sightings import SightingLocation
from gasoline_cdp.store.sightings import Sightings

pytestmark = pytest.mark.requirement("F5-SECURITY")

SECRET = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"


def place(endpoint: str = "GET /x") -> SightingLocation:
    return SightingLocation(kind="response_body", endpoint=endpoint, url="https://h/x", page_url="https://h/", tab_id=1)


def test_secrets_of_one_kind_at_one_endpoint_are_one_sighting() -> None:
    sightings = Sightings()
    for number, text in enumerate((SECRET, f"again {SECRET}", SECRET.replace("4eC3", "5eC3"))):
        with collect_masked() as collected:
            redact(text)
        sightings.add_secrets(place(), collected, float(number))
    (sighting,) = sightings.newest()
    assert sighting.count == 3
    assert len(sighting.fingerprints) == 2
    assert SECRET not in repr(sightings.newest())


def test_one_endpoint_does_not_push_out_others() -> None:
    sightings = Sightings()
    with collect_masked() as live:
        redact(SECRET)
    sightings.add_secrets(place("GET /pay"), live, 0.0)
    for number in range(2 * limits.SIGHTINGS):
        sightings.add_secrets(place("GET /keys"), [evolve(live[0], fingerprint=str(number))], float(number))
    assert [sighting.location.endpoint for sighting in sightings.newest()] == ["GET /keys", "GET /pay"]
    assert len(sightings.newest()[0].fingerprints) == limits.VALUES_TOLD_APART


def test_answers_with_and_without_credentials_are_told_apart() -> None:
    sightings = Sightings()
    for authenticated in (False, True):
        sightings.add_personal(evolve(place(), authenticated=authenticated), [("email", False)], 0.0)
    assert [sighting.location.authenticated for sighting in sightings.newest()] == [True, False]


def test_what_nobody_asks_for_is_not_collected() -> None:
    with collect_masked() as outer:
        with collect_masked() as inner:
            redact(SECRET)
        assert len(inner) == 1
    assert outer == []


def test_the_oldest_goes_and_is_counted() -> None:
    sightings = Sightings()
    for number in range(limits.SIGHTINGS + 5):
        sightings.add_personal(place(f"GET /{number}x"), [("email", False)], float(number))
    assert len(sightings) == limits.SIGHTINGS
    assert sightings.dropped == 5
    assert sightings.newest()[0].location.endpoint == f"GET /{limits.SIGHTINGS + 4}x"
    assert sightings.clear() == limits.SIGHTINGS


def test_secrets_told_of_one_text_are_bounded_and_all_masked() -> None:
    text = " ".join(f"AKIAZ7XQJ5KLMN{number:06d}" for number in range(300))
    with collect_masked() as collected:
        masked = redact(text)
    assert len(collected) == limits.SECRETS_PER_TEXT
    assert "AKIAZ7XQJ5KLMN000299" not in masked
