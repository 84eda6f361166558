"""Saved states: bounded in number and size, and silent about what they hold."""

from typing import Any

import pytest

from gasoline_cdp import pilot_limits
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.store.states import SavedState, SavedStates

pytestmark = pytest.mark.requirement("F4-STATE")


def state(name: str, **changes: Any) -> SavedState:
    given: dict[str, Any] = {
        "ts": 1.0,
        "url": "http://app.test/?token=verysecret",
        "origin": "http://app.test",
        "site": "app.test",
        "cookies": ({"name": "sid", "value": "cookiesecret"},),
        "storage": '{"local":[["k","storagesecret"]],"session":[]}',
        "local_items": 1,
        "session_items": 0,
    }
    return SavedState(name=name, **{**given, **changes})


def test_kept_replaced_listed_and_deleted() -> None:
    states = SavedStates()
    states.save(state("one"))
    states.save(state("two", ts=2.0))
    states.save(state("one", ts=3.0))
    assert [kept.name for kept in states.newest()] == ["one", "two"]
    assert states.get("one").ts == 3.0
    states.delete("one")
    assert len(states) == 1
    for ask in (states.get, states.delete):
        with pytest.raises(GasolineError) as caught:
            ask("one")
        assert (caught.value.code, caught.value.details) == (Code.NO_SUCH_STATE, {"saved": ["two"]})


def test_bounded_in_number() -> None:
    states = SavedStates()
    for place in range(pilot_limits.STATES):
        states.save(state(f"n{place}"))
    with pytest.raises(GasolineError) as caught:
        states.save(state("one too many"))
    assert caught.value.code is Code.STATE_TOO_LARGE
    # In place of one that is there it fits.
    states.save(state("n0", ts=9.0))
    assert len(states) == pilot_limits.STATES


def test_bounded_in_size() -> None:
    states = SavedStates()
    states.save(state("one", storage="x" * (pilot_limits.STATES_BYTES - 1000)))
    with pytest.raises(GasolineError) as caught:
        states.save(state("two", storage="x" * 2000))
    assert caught.value.code is Code.STATE_TOO_LARGE
    assert [kept.name for kept in states.newest()] == ["one"]


def test_a_state_does_not_show_what_it_holds() -> None:
    assert "secret" not in repr(state("one"))
