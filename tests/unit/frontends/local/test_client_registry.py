"""What is told at the door, and when nobody is left."""

from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from gasoline_cdp import __version__, limits
from gasoline_cdp.browser.launched import Launched
from gasoline_cdp.config import CaptureOptions, Config, ServeOptions
from gasoline_cdp.frontends.client_options import CORE, DEFAULTS, ClientOptions
from gasoline_cdp.frontends.local.bridge import PROTOCOL
from gasoline_cdp.frontends.local.client_registry import ClientRegistry, not_applied


def _registry(**changes: Any) -> tuple[ClientRegistry, list[str]]:
    opened: list[str] = []
    given = {
        "config": Config(browser=Launched(headless=True)),
        "pid": 7,
        "for_editors": True,
        "open_page": opened.append,
    }
    return ClientRegistry(**{**given, **changes}), opened


def _hello(**changes: Any) -> dict[str, Any]:
    return {"version": __version__, "protocol": PROTOCOL, "arguments": [], "directory": "/", **changes}


def test_who_asks_for_nothing_is_welcome() -> None:
    registry, _ = _registry()
    assert registry.admit(_hello())[0] == {"welcome": {"version": __version__, "pid": 7, "notes": []}}


def test_what_a_client_asks_for_itself_is_its_own() -> None:
    registry, _ = _registry()
    told, options = registry.admit(_hello(arguments=["--headless", "--tools", "core", "--answers", "json"]))
    assert told["welcome"]["notes"] == []
    assert options == ClientOptions(tools=CORE, answers="json")
    assert registry.admit(_hello())[1] == DEFAULTS
    told, options = registry.admit(_hello(arguments=["--tools", "observ"]))
    assert "did you mean 'observe'?" in told["usage"]
    assert options == DEFAULTS


def test_options_that_hold_already_are_no_news() -> None:
    registry, opened = _registry()
    assert registry.admit(_hello(arguments=["--headless", "--bodies", "errors"]))[0]["welcome"]["notes"] == []
    (note,) = registry.admit(_hello(arguments=["--headed", "--no-websockets", "localhost:1"]))[0]["welcome"]["notes"]
    assert "without: --headed, --no-websockets." in note
    assert opened == ["http://localhost:1"]


def test_paths_are_those_of_the_client(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("x")
    registry, opened = _registry(config=Config(browser=Launched(profile=tmp_path / "profile")))
    told = registry.admit(_hello(arguments=["--profile", "profile", "page.html"], directory=str(tmp_path)))[0]
    assert told["welcome"]["notes"] == []
    assert opened == [(tmp_path / "page.html").as_uri()]


@pytest.mark.parametrize(
    "arguments", [["--bodis"], ["--bodies", "some"], ["not an address"], ["x" * 5000], ["-hh"], ["--help"]]
)
def test_wrong_usage_is_told(arguments: list[str]) -> None:
    registry, opened = _registry()
    assert registry.admit(_hello(arguments=arguments))[0]["usage"].startswith("gasoline-cdp mcp: ")
    assert opened == []


def test_another_version_is_told_or_makes_room() -> None:
    used, _ = _registry()
    with used.present():
        (note,) = used.admit(_hello(version="9"))[0]["welcome"]["notes"]
        assert "gasoline-cdp stop" in note
        assert used.admit(_hello(version="9", protocol=9))[0]["error"] == "daemon_running"
        assert not used.leave.is_set()
    assert used.admit(_hello(version="9"))[0] == {"leaving": 7}
    assert used.leave.is_set()
    person_s, _ = _registry(for_editors=False)
    assert person_s.admit(_hello(version="9"))[0]["welcome"]["notes"]
    assert not person_s.leave.is_set()


async def test_it_is_idle_when_nobody_has_been_there_for_so_long(
    autojump_clock: trio.testing.MockClock,  # noqa: ARG001 - time goes as fast as it can
) -> None:
    registry, _ = _registry()

    async def visit(after: float, stay: float) -> None:
        await trio.sleep(after)
        with registry.present():
            await trio.sleep(stay)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(visit, 0, 1000)
        nursery.start_soon(visit, 500, 700)
        nursery.start_soon(visit, 1700, 1)
        await trio.testing.wait_all_tasks_blocked()
        begun = trio.current_time()
        await registry.wait_idle(600)
    assert trio.current_time() - begun == pytest.approx(1701 + 600)
    assert registry.clients == 0


async def test_one_that_nobody_ever_visits_is_idle_too(
    autojump_clock: trio.testing.MockClock,  # noqa: ARG001 - as above
) -> None:
    registry, _ = _registry()
    begun = trio.current_time()
    await registry.wait_idle(600)
    assert trio.current_time() - begun == pytest.approx(600)


def test_options_are_named_as_they_are_typed() -> None:
    asked = Config(
        browser=Launched(headless=False, extra=("--x",), debug_port=0, browser="/b"),
        capture=CaptureOptions(bodies="all", websockets=False),
        serve=ServeOptions(pilot=True),
        url="u",
    )
    assert not_applied(asked, Config()) == [
        "--headed",
        "--browser /b",
        "--debug-port 0",
        "flags for Chrome behind --",
        "--bodies all",
        "--no-websockets",
        "--pilot",
    ]
    assert not_applied(asked, asked) == []


@pytest.mark.requirement("F9-CHANGE")
def test_whoever_comes_back_has_been_shown_the_same() -> None:
    registry, _ = _registry()
    first = registry.client_of(_hello(client="bridge"), "mcp")
    again = registry.client_of(_hello(client="bridge"), "mcp")
    assert first.shown is again.shown
    # An old connection may not have ended yet: what else belongs to a client is each one's own.
    assert first is not again
    assert registry.client_of(_hello(client="other"), "mcp").shown is not first.shown
    assert registry.client_of(_hello(), "mcp").shown is not registry.client_of(_hello(client=""), "cli").shown


@pytest.mark.requirement("F9-CHANGE")
def test_who_has_not_been_here_for_long_is_forgotten() -> None:
    registry, _ = _registry()
    first = registry.client_of(_hello(client="first"), "cli")
    for number in range(limits.CLIENTS_REMEMBERED - 1):
        registry.client_of(_hello(client=f"shell {number}"), "cli")
        assert registry.client_of(_hello(client="first"), "cli").shown is first.shown
    for number in range(limits.CLIENTS_REMEMBERED):
        registry.client_of(_hello(client=["no", "name", number]), "cli")
    assert registry.client_of(_hello(client="first"), "cli").shown is not first.shown
