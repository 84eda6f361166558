"""`expect_no_leaks`: repeats an action of a test, and fails if the page keeps more after each round.

Standard library only. For Playwright, sync and async, and for Selenium.
"""

from collections.abc import Callable
from typing import Any

from gasoline_cdp.frontends.pytest_plugin.daemon_client import DaemonError
from gasoline_cdp.frontends.pytest_plugin.playwright_browsers import drive, drive_async
from gasoline_cdp.frontends.pytest_plugin.watcher import Watcher

# As many as the daemon advises: few things that are no leak happen seven times.
_ROUNDS = 7
# The page was loaded again, or the question cannot be asked like this: for the project to correct.
_MISTAKES = {400, 409}


class LeakChecker:
    """What the fixture gives to a test. Without a daemon the action is only repeated."""

    def __init__(self, watcher: Watcher | None) -> None:
        self._watcher = watcher

    def __call__(self, page: Any, action: Callable[[], Any], *, rounds: int = _ROUNDS) -> Any:
        """Repeat an action that ends where it began. Await it with Playwright's async interface."""
        steps = self._check(page, action, rounds)
        is_async = type(page).__module__.startswith("playwright.async_api")
        return drive_async(steps) if is_async else drive(steps)

    def _check(self, page: Any, action: Callable[[], Any], rounds: int) -> Any:
        # The first round fills what is filled once.
        yield action
        question = {"target_id": (yield from _target_of(page))} if self._watcher is not None else {}
        begun = self._ask({**question, "action": "begin"})
        for _ in range(rounds):
            yield action
        if begun is None:
            return
        answer = self._ask({**question, "action": "check", "rounds": rounds})
        if answer is not None and not answer["passed"]:
            raise AssertionError(f"gasoline-cdp: the page leaks memory.\n{answer['message']}")

    def _ask(self, question: dict[str, Any]) -> dict[str, Any] | None:
        if self._watcher is None:
            return None
        try:
            return self._watcher.daemon.expect_no_leaks(question)
        except DaemonError as error:
            if error.status in _MISTAKES:
                raise AssertionError(f"gasoline-cdp: {error}") from None
            self._watcher.warn(f"not checked: leaks: {error}")
            return None


def _target_of(page: Any) -> Any:
    """The id that the DevTools Protocol gives the page."""
    if hasattr(page, "execute_cdp_cmd"):
        return page.execute_cdp_cmd("Target.getTargetInfo", {})["targetInfo"]["targetId"]
    session = yield lambda: page.context.new_cdp_session(page)
    target = yield lambda: session.send("Target.getTargetInfo")
    yield session.detach
    return target["targetInfo"]["targetId"]
