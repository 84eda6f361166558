"""What callers write as conditions: read in many spellings, refused with a hint."""

from typing import Any

import pytest

from gasoline_cdp.analysis.conditions.parsing import parse_settings
from gasoline_cdp.analysis.conditions.problems import Problems
from gasoline_cdp.analysis.conditions.settings import NORMAL, Geolocation, NetworkThrottle, Screen, Settings


def read(before: Settings = NORMAL, **given: Any) -> Settings:
    problems = Problems()
    settings = parse_settings(before, given, problems)
    assert problems.all == []
    return settings


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("390x844", Screen(width=390, height=844)),
        ("390 x 844@2.5", Screen(width=390, height=844, scale=2.5)),
        ("390x844@3 mobile", Screen(width=390, height=844, scale=3, mobile=True, touch=True)),
        ("800x600 touch", Screen(width=800, height=600, touch=True)),
        ("iPhone 15", Screen(width=393, height=852, scale=3, mobile=True, touch=True)),
    ],
)
def test_screens(given: str, expected: Screen) -> None:
    assert read(viewport=given).viewport == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("Offline", NetworkThrottle(offline=True)),
        ("slow 3g", NetworkThrottle(latency_ms=2000, down_kbps=400, up_kbps=400)),
        ("latency_ms=30 up_kbps=9", NetworkThrottle(latency_ms=30, up_kbps=9)),
        ('{"latency_ms": 30, "down_kbps": 500}', NetworkThrottle(latency_ms=30, down_kbps=500)),
    ],
)
def test_networks(given: str, expected: NetworkThrottle) -> None:
    assert read(network=given).network == expected


def test_the_rest() -> None:
    settings = read(
        cpu=4,
        media={"prefers-color-scheme": "dark", "reduced_motion": True, "print": True},
        locale="de_DE",
        timezone="asia/tokyo",
        geolocation="52.5, 13.4, 5",
        permissions={"camera": "denied"},
        headers={"X-Own": "secret"},
        blocked=["*.png"],
    )
    assert settings.media == (
        ("prefers-color-scheme", "dark"), ("prefers-reduced-motion", "reduce"), ("type", "print"),
    )  # fmt: skip
    assert (settings.locale, settings.timezone) == ("de-DE", "Asia/Tokyo")
    assert settings.geolocation == Geolocation(latitude=52.5, longitude=13.4, accuracy=5)
    assert "secret" not in " ".join(settings.words())
    assert next(settings.words()) == "cpu 4 times slower"


def test_only_what_is_named_changes_and_each_can_be_undone() -> None:
    before = read(cpu=2, locale="fr", blocked=["a"])
    assert read(before, locale="default") == read(cpu=2, blocked=["a"])
    assert read(before, cpu=1, blocked=[], locale="") == NORMAL
    assert before.changed(NORMAL) == {"cpu", "locale", "blocked"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"viewport": "iphone 16"}, "did you mean 'iphone 15'?"),
        ({"viewport": "390x844@3 mobil"}, "did you mean 'mobile'?"),
        ({"viewport": "10x10"}, "a side has 100 to 8000 pixels"),
        ({"viewport": "390x"}, "must read like"),
        ({"network": "3g"}, "did you mean"),
        ({"network": "latency=3"}, "did you mean 'latency_ms'?"),
        ({"cpu": 0.5}, "1 to 100"),
        ({"media": {"dark": True}}, "known: print"),
        ({"media": {"color_scheme": "drak"}}, "did you mean 'dark'?"),
        ({"locale": "german please"}, "de-DE"),
        ({"timezone": "Berlin"}, "did you mean 'Europe/Berlin'?"),
        ({"geolocation": "Berlin"}, "52.52,13.40"),
        ({"permissions": {"camera": "yes"}}, "known: granted, denied, prompt"),
        ({"headers": {"bad name": "x"}}, "is no name of a header"),
        ({"headers": {"x": "a\nb"}}, "one line of text"),
        ({"blocked": ["^/api/.*"]}, "did you mean '/api/*'?"),
        ({"user_agent": "a\nb"}, "one line"),
    ],
)
def test_what_is_wrong_is_said_with_what_to_do(given: dict[str, Any], said: str) -> None:
    problems = Problems()
    assert parse_settings(NORMAL, given, problems) is NORMAL
    assert said in "\n".join(problems.all)
