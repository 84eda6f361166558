"""The daemon keeps a browser of any provider: it knows them by their interface alone."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import ClassVar

import pytest
import trio
import trio.testing
from attrs import field, frozen

from gasoline_cdp.browser.provider import BrowserLife, Ending, Say
from gasoline_cdp.browser.status import Mode
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, open_connection
from gasoline_cdp.config import Config
from gasoline_cdp.daemon import open_daemon
from gasoline_cdp.errors import Code, GasolineError
from tests.fakes import FakeTransport
from tests.support import PATIENCE


class Chrome(FakeTransport):
    """Does all that it is told, until it hangs up."""

    async def send(self, messages: Sequence[bytes]) -> None:
        await super().send(messages)
        for command in self.sent[-len(messages) :]:
            self.answer(command, {"product": "Chrome/1"} if command["method"] == "Browser.getVersion" else {})


@frozen(kw_only=True)
class Life(BrowserLife):
    how: Ending

    async def start_error(self, error: CdpClosed | CdpError) -> GasolineError:
        return GasolineError(Code.BROWSER_FAILED, f"no first words: {error}")

    async def ending(self) -> Ending:
        return self.how


@frozen
class Scripted:
    """A third kind of provider: each life ends as it is told to."""

    mode: ClassVar[Mode] = "attached"
    owned: ClassVar[bool] = False
    may_restart: ClassVar[bool] = True
    question: ClassVar[str] = ""

    endings: list[Ending]
    chromes: list[Chrome] = field(factory=list)

    @asynccontextmanager
    async def open(self, browser_id: str, say: Say, *, strict: bool) -> AsyncIterator[Life]:
        say("Fetching a browser.")
        chrome = Chrome()
        async with open_connection(chrome, browser_id=browser_id, strict=strict) as connection:
            self.chromes.append(chrome)
            yield Life(connection=connection, how=self.endings[len(self.chromes) - 1])


class Unlasting(Scripted):
    may_restart = False


async def _run(provider: Scripted) -> tuple[list[str], GasolineError | None, int]:
    said: list[str] = []
    with trio.fail_after(PATIENCE):
        async with open_daemon(Config(browser=provider, strict=True), said.append) as daemon:
            daemon.when_closed = "Read on."
            await daemon.ready.wait()
            for number in range(len(provider.endings)):
                while len(provider.chromes) <= number or daemon.root is None:
                    await trio.testing.wait_all_tasks_blocked()
                provider.chromes[number].hang_up()
                await trio.testing.wait_all_tasks_blocked()
            await daemon.over.wait()
            assert daemon.browser.state == "gone"
            events = [record.source.browser_id for record in daemon.context.telemetry.logs.newest()]
            assert set(events) == {"b1"}
            return said, daemon.failed, daemon.browser.restarts


async def test_one_that_a_person_closed_is_not_started_again() -> None:
    said, failed, restarts = await _run(Scripted([Ending("closed", "It was closed.")]))
    assert (said, failed, restarts) == (["Fetching a browser.", "It was closed. Read on."], None, 0)


async def test_after_a_crash_another_life_follows_and_is_not_announced_again() -> None:
    crash = Ending("crashed", "It crashed.")
    said, failed, restarts = await _run(Scripted([crash, crash, Ending("gone", "It went away.")]))
    assert said == ["Fetching a browser.", "It crashed.", "It crashed."]
    assert restarts == 2
    assert failed is not None
    assert (failed.code, failed.message) == (Code.BROWSER_CRASHED, "It went away.")


@pytest.mark.parametrize("kind", ["crashed", "gone"])
async def test_a_provider_that_may_not_start_again_fails(kind: str) -> None:
    said, failed, restarts = await _run(Unlasting([Ending(kind, "It went away.")]))  # type: ignore[arg-type]
    assert (said, restarts) == (["Fetching a browser."], 0)
    assert failed is not None
    assert failed.message == "It went away."
