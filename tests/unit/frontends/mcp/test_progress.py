"""Progress grows, comes seldom, and never after the call."""

from typing import Any

from trio.testing import MockClock, wait_all_tasks_blocked

from gasoline_cdp.frontends import limits as frontend_limits
from gasoline_cdp.frontends.mcp.progress import open_progress
from gasoline_cdp.operations.client import no_progress


class Caller:
    """A client that asked for progress, or did not, and what it was told."""

    def __init__(self, token: object = "t") -> None:
        self.meta = {} if token is None else {"progress_token": token}
        self.session = self
        self.told: list[tuple[float, float | None, str]] = []

    async def report_progress(self, done: float, total: float | None, message: str) -> None:
        self.told.append((done, total, message))


async def test_who_did_not_ask_is_told_nothing() -> None:
    caller = Caller(token=None)
    async with open_progress(caller) as report:
        assert report is no_progress
        report(1, 2, "x")
    assert caller.told == []


async def test_a_short_call_says_its_last_word_before_it_ends() -> None:
    caller = Caller(token=0)
    async with open_progress(caller) as report:
        report(1, 3, "one")
        report(2, 3, "two")
    assert caller.told == [(2, 3, "two")]


async def test_words_come_seldom_and_only_the_newest(mock_clock: MockClock) -> None:
    caller: Any = Caller()
    async with open_progress(caller) as report:
        report(1, None, "one")
        await wait_all_tasks_blocked()
        report(2, None, "two")
        report(3, None, "three")
        await wait_all_tasks_blocked()
        assert [word for _, _, word in caller.told] == ["one"]
        mock_clock.jump(frontend_limits.PROGRESS_SECONDS)
        await wait_all_tasks_blocked()
    assert [word for _, _, word in caller.told] == ["one", "three"]


async def test_what_does_not_grow_is_left_out_and_long_words_are_cut(mock_clock: MockClock) -> None:
    caller = Caller()
    async with open_progress(caller) as report:
        report(5, 9, "x" * 1000)
        await wait_all_tasks_blocked()
        report(5, 9, "again")
        report(4, 9, "back")
        mock_clock.jump(frontend_limits.PROGRESS_SECONDS)
        await wait_all_tasks_blocked()
    assert caller.told == [(5, 9, "x" * frontend_limits.PROGRESS_CHARS)]
