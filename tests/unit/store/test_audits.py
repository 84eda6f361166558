"""The memory of audits."""

import trio
from trio.testing import MockClock

from gasoline_cdp import limits
from gasoline_cdp.store.audits import Audits


async def test_an_audit_is_fresh_for_a_while(autojump_clock: MockClock) -> None:
    assert autojump_clock.autojump_threshold == 0
    audits = Audits()
    audits.keep("key", "found")
    await trio.sleep(9)
    assert audits.fresh("key", 10) == "found"
    await trio.sleep(2)
    assert audits.fresh("key", 10) is None
    assert audits.fresh("key", 30) == "found"
    assert audits.fresh("other", 30) is None


async def test_the_oldest_goes() -> None:
    audits = Audits()
    for number in range(limits.AUDITS_KEPT + 1):
        audits.keep(number, "found")
    assert audits.fresh(0, 10) is None
    assert audits.fresh(1, 10) == "found"


async def test_many_elements_make_the_oldest_go_too() -> None:
    audits = Audits()
    numbers = [audits.keep(name, name, limits.AUDIT_ELEMENTS_KEPT // 2) for name in "abc"]
    assert numbers == [1, 2, 3]
    assert list(audits.kept()) == ["b", "c"]
    audits.keep("d", "d", limits.AUDIT_ELEMENTS_KEPT * 2)
    assert list(audits.kept()) == ["d"]


async def test_a_tab_has_one_turn_and_a_spoiled_world_is_not_used_again() -> None:
    audits = Audits()
    assert audits.turn(1) is audits.turn(1)
    assert audits.turn(1) is not audits.turn(2)
    assert audits.generation(1) == 0
    audits.spoil(1, running=True)
    assert audits.generation(1) == 1
    assert audits.generation(2) == 0
    assert audits.stuck == {1}
