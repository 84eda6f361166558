"""Tabs have small numbers, are remembered for a while, and are picked by number or by last use."""

import pytest

from gasoline_cdp import limits
from gasoline_cdp.cdp.connection import Connection
from gasoline_cdp.cdp.tabs import Tab, Tabs
from gasoline_cdp.cdp.targets import Target
from gasoline_cdp.errors import Code, GasolineError
from tests.fakes import FakeTransport


def open_tab(tabs: Tabs, target_id: str, url: str = "http://app.test/", title: str = "App") -> Tab:
    connection = Connection(FakeTransport())
    session = connection.open_session(f"S-{target_id}", connection.root)
    target = Target(target_id=target_id, kind="page", url=url, title=title, opener_id="", browser_context_id="")
    return tabs.opened(session, target, seen_from_start=True)


def test_numbers_go_up_and_are_never_used_again() -> None:
    tabs = Tabs()
    first, second = open_tab(tabs, "A"), open_tab(tabs, "B")
    second.state = "closed"
    third = open_tab(tabs, "C")
    assert [tab.tab_id for tab in (first, second, third)] == [1, 2, 3]


def test_what_is_shown_of_a_tab_is_safe_and_what_reopens_it_is_not_changed() -> None:
    tab = open_tab(Tabs(), "A", "http://app.test/?token=abcdefgh1234", "Title\x1b[31m\u202e of a page" + "x" * 300)
    assert tab.source.url == "http://app.test/?token=[REDACTED]"
    assert tab.raw_url == "http://app.test/?token=abcdefgh1234"
    assert tab.title.startswith("Title of a page")
    assert len(tab.title) == limits.TITLE_CHARS + 1


def test_the_tab_used_last_is_meant_when_none_is_named() -> None:
    tabs = Tabs()
    first, second = open_tab(tabs, "A"), open_tab(tabs, "B")
    assert tabs.pick(None) is second
    tabs.used(first)
    assert tabs.pick(None) is first
    assert tabs.pick(0) is first
    assert tabs.pick(2) is second
    assert list(tabs.open()) == [first, second]


def test_a_crashed_tab_is_still_open() -> None:
    tabs = Tabs()
    tab = open_tab(tabs, "A")
    tab.state = "crashed"
    assert tabs.pick(None) is tab
    tab.moved("http://app.test/again", navigated=True)
    assert tab.state == "open"


def test_no_such_tab_says_which_there_are() -> None:
    tabs = Tabs()
    open_tab(tabs, "A")
    open_tab(tabs, "B").state = "closed"
    with pytest.raises(GasolineError, match=r"Tab 2 was closed; open tabs: 1\.") as closed:
        tabs.pick(2)
    assert closed.value.code is Code.NO_SUCH_TAB
    assert closed.value.details == {"open_tabs": [1]}
    with pytest.raises(GasolineError, match="Tab 7 does not exist"):
        tabs.pick(7)
    tabs.all_closed("b1")
    with pytest.raises(GasolineError, match="No tab is open") as none:
        tabs.pick(None)
    assert none.value.code is Code.NO_SUCH_TAB


def test_a_navigation_opens_a_new_chapter_and_a_move_within_does_not() -> None:
    tab = open_tab(Tabs(), "A")
    before = tab.source
    tab.moved("http://app.test/#cart", navigated=False)
    assert (tab.source.navigation, tab.source.url) == (before.navigation, "http://app.test/#cart")
    tab.moved("http://app.test/pay", navigated=True)
    assert tab.source.navigation == before.navigation + 1
    # Records made before still say where they were made.
    assert before.url == "http://app.test/"


def test_a_target_seen_again_after_a_lost_connection_keeps_its_number() -> None:
    tabs = Tabs()
    old = open_tab(tabs, "A")
    assert tabs.open_targets("b1") == {"A"}
    tabs.all_closed("b1")
    assert tabs.open_targets("b1") == frozenset()
    new = open_tab(tabs, "A")
    assert tabs.by_target("A") is new is old
    assert (new.tab_id, new.state) == (1, "open")
    assert tabs.by_target("nobody") is None


def test_closed_tabs_are_forgotten_in_the_end_and_open_ones_never() -> None:
    tabs = Tabs()
    kept = open_tab(tabs, "kept")
    for number in range(limits.TABS_REMEMBERED + 50):
        open_tab(tabs, f"T{number}").state = "closed"
    assert tabs.pick(kept.tab_id) is kept
    assert tabs.by_target("T0") is None
    newest = f"T{limits.TABS_REMEMBERED + 49}"
    found = tabs.by_target(newest)
    assert found is not None
    assert found.tab_id == limits.TABS_REMEMBERED + 51
    assert len(tabs._tabs) <= limits.TABS_REMEMBERED
