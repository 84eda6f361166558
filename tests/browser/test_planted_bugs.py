"""verify_fix on applications with planted bugs: what it says of each is what was planted, mended and tried."""

from pathlib import Path

import pytest

from gasoline_cdp import limits
from tests.planted import App, Run, open_desk, open_plain, perform
from tests.planted_chat import open_chat
from tests.support import Watch

pytestmark = pytest.mark.requirement("F6-COMPARE")


@pytest.fixture(autouse=True)
def _quick_hands(monkeypatch: pytest.MonkeyPatch) -> None:
    # People take their time; those here need not.
    monkeypatch.setattr(limits, "LOAD_REST_SECONDS", 0.5)
    monkeypatch.setattr(limits, "ACTION_EFFECT_SECONDS", 0.4)


async def _as_planted(app: App, watch: Watch, run: Run) -> None:
    verdict, states, answer = await perform(app, watch, run)
    assert (verdict, states) == (run.verdict(app), run.expected(app)), str(answer["result"])


@pytest.mark.long
async def test_react_under_a_development_server(watch: Watch, tmp_path: Path) -> None:
    async with open_desk(tmp_path) as desk:
        everything = frozenset(desk.bugs)
        for run in (
            Run(fixed=everything, steps=("navigate", "cart", "save", "prices", "reports")),
            # By hot updates alone, in the page that was open all the time.
            Run(fixed=frozenset({"cart"}), steps=("cart",)),
            Run(fixed=everything, steps=("prices", "save", "reports")),
            # Nearly nothing mended, and nothing clicked.
            Run(fixed=frozenset({"feed"}), steps=("load",)),
        ):
            await _as_planted(desk, watch, run)


@pytest.mark.long
async def test_a_site_of_several_pages(watch: Watch) -> None:
    async with open_plain(servers=2) as plain:
        for run in (
            Run(fixed=frozenset(plain.bugs), steps=plain.steps, server=1),
            Run(fixed=frozenset({"user", "order", "cart", "send"}), steps=("home", "order", "contact")),
        ):
            await _as_planted(plain, watch, run)


async def test_messages_that_answer_a_click(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_chat() as chat:
        with monkeypatch.context() as patient:
            # Nobody answers the poll, so this is waited for to the end.
            patient.setattr(limits, "VERIFY_SETTLE_SECONDS", 1.0)
            # The load that opened the socket and made the request is no retry of the click.
            await _as_planted(chat, watch, Run(fixed=frozenset(), steps=("load",)))
        for run in (
            Run(fixed=frozenset(chat.bugs), steps=("load", "nudge")),
            # The page stays: what the click sent is answered by the open socket.
            Run(fixed=frozenset({"ask"}), steps=("ask",)),
        ):
            await _as_planted(chat, watch, run)
