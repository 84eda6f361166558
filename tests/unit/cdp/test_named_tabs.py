"""Only the tabs that a person named are attached to."""

import pytest

from gasoline_cdp.cdp.named_tabs import ALL_TABS, NamedTabs

pytestmark = pytest.mark.requirement("F2-EVERYDAY")

NAMED = NamedTabs(("http://localhost:3000/app", "https://shop.test/"))


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:3000/app",
        "http://localhost:3000/app/",
        "http://localhost:3000/app/list?page=2#top",
        "https://shop.test",
        "https://shop.test:443/cart",
    ],
)
def test_pages_at_or_below_a_named_address_are_meant(url: str) -> None:
    assert NAMED.include(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:3000/",
        "http://localhost:3000/apple",
        "http://localhost:3001/app",
        "https://localhost:3000/app",
        "http://localhost:3000@bank.test/app",
        "https://shop.test.bank.test/",
        "https://bank.test/?next=https://shop.test/",
        "about:blank",
        "http://[::1",
    ],
)
def test_all_others_are_not(url: str) -> None:
    assert not NAMED.include(url)


def test_a_worker_belongs_to_its_origin() -> None:
    assert NAMED.include("http://localhost:3000/worker.js", worker=True)
    assert not NAMED.include("http://localhost:3001/app/worker.js", worker=True)


def test_a_file_is_meant_exactly() -> None:
    named = NamedTabs(("file:///srv/a.html",))
    assert named.include("file:///srv/a.html")
    assert not named.include("file:///srv/a.html/b")


def test_without_names_there_is_no_choice() -> None:
    assert not ALL_TABS
    assert NAMED
