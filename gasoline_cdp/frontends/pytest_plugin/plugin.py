"""What pytest loads at every start: the options, and nothing else unless evidence was asked for.

Standard library and pytest only. The rest is imported when `gasoline-cdp ci` runs the tests, or with --gasoline.
"""

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from gasoline_cdp.frontends.pytest_plugin.leaks import LeakChecker

_SESSION = "gasoline-cdp session"
_MARKER = (
    "gasoline(allow=[...], fail_on=[...]): fail this test on these gates of gasoline-cdp, "
    "except for what the allowances match"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the plugin."""
    group = parser.getgroup("gasoline", "gasoline-cdp: what the browser of a failing test saw")
    group.addoption(
        "--gasoline",
        action="store_true",
        help="use the gasoline-cdp that is running; under `gasoline-cdp ci -- pytest` this is the default",
    )
    group.addoption(
        "--gasoline-output",
        default="test-results",
        metavar="DIR",
        help="where the evidence of tests goes that have no directory of pytest-playwright (default: test-results)",
    )
    parser.addini("gasoline_fail_on", "gates that fail a test which passed, such as console-errors", type="args")
    parser.addini("gasoline_allow", "messages of console errors that fail no test", type="linelist")


def pytest_configure(config: pytest.Config) -> None:
    """Watch the browsers of the tests, if somebody wants it."""
    config.addinivalue_line("markers", _MARKER)
    if config.getoption("--gasoline") or "GASOLINE_URL" in os.environ:
        from gasoline_cdp.frontends.pytest_plugin.session import open_session

        session = open_session(config)
        if session is not None:
            config.pluginmanager.register(session, _SESSION)


@pytest.fixture
def expect_no_leaks(pytestconfig: pytest.Config) -> "LeakChecker":
    """Repeat an action that ends where it began, and fail if the page keeps more after each round."""
    from gasoline_cdp.frontends.pytest_plugin.leaks import LeakChecker

    session = pytestconfig.pluginmanager.get_plugin(_SESSION)
    return LeakChecker(None if session is None else session.watcher)
