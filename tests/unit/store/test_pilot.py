"""The pilot's switch remembers who moved it and who asked."""

from typing import get_args

import pytest

from gasoline_cdp import pilot_limits
from gasoline_cdp.store.pilot import Pilot, SwitchTab

CLOSED = "A person can start gasoline-cdp with --pilot, or start it again and use the switch in its own tab."


def told(pilot: Pilot) -> list[tuple[str, str, str]]:
    return [(event.what, event.by, event.tool) for event in pilot.events]


def test_it_is_off_and_has_nothing_to_tell() -> None:
    pilot = Pilot()
    assert not pilot.on
    assert told(pilot) == []


def test_the_start_flag_is_on_record() -> None:
    pilot = Pilot(on=True)
    assert pilot.on
    assert told(pilot) == [("switched_on", "start", "")]


def test_moving_it_to_where_it_stands_is_nothing_new() -> None:
    pilot = Pilot()
    pilot.switch(on=False, by="person")
    pilot.switch(on=True, by="person")
    pilot.switch(on=True, by="person")
    assert told(pilot) == [("switched_on", "person", "")]


@pytest.mark.parametrize(("on", "what"), [(True, "allowed"), (False, "refused")])
def test_a_call_is_answered_and_remembered(on: bool, what: str) -> None:
    pilot = Pilot(on=on)
    assert pilot.asked("execute_javascript", "mcp") is on
    assert told(pilot)[-1] == (what, "mcp", "execute_javascript")


def test_the_ring_is_bounded_and_the_count_is_not() -> None:
    pilot = Pilot()
    for _ in range(pilot_limits.PILOT_EVENTS + 5):
        pilot.asked("highlight_element", "cli")
    assert len(pilot.events) == pilot_limits.PILOT_EVENTS
    assert pilot.total == pilot_limits.PILOT_EVENTS + 5


@pytest.mark.requirement("S17")
@pytest.mark.parametrize("end", ["browser_gone", "switch_closed"])
@pytest.mark.parametrize("at_start", [True, False])
def test_the_end_of_the_switch_takes_a_click_back_and_never_switches_on(at_start: bool, end: str) -> None:
    pilot = Pilot(on=at_start)
    pilot.switch_tab = "open"
    # A person used the switch: on, or, where the command line said on, off.
    pilot.switch(on=not at_start, by="person")
    getattr(pilot, end)()
    assert not pilot.on
    assert told(pilot)[-1][1] == ("person" if at_start else end)
    assert pilot.how_to_switch_on() == CLOSED


@pytest.mark.requirement("S17")
def test_what_the_command_line_said_needs_no_switch() -> None:
    pilot = Pilot(on=True)
    pilot.switch_tab = "open"
    pilot.switch_closed()
    assert pilot.on


def test_listeners_hear_of_every_event() -> None:
    pilot = Pilot()
    heard: list[bool] = []
    pilot.listeners.append(lambda: heard.append(pilot.on))
    pilot.switch(on=True, by="person")
    pilot.asked("execute_javascript", "mcp")
    pilot.switch(on=True, by="person")
    assert heard == [True, True]


def test_what_a_person_can_do_depends_on_the_tab() -> None:
    pilot = Pilot()
    said: dict[str, str] = {}
    for state in get_args(SwitchTab):
        pilot.switch_tab = state
        said[state] = pilot.how_to_switch_on()
        assert "--pilot" in said[state]
    assert len(set(said.values())) == 3
