"""One Chromium for the run; each test attaches to it and gets a tab of its own."""

import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from gasoline_cdp import limits, redact
from gasoline_cdp.browser.attached import Attached
from gasoline_cdp.capture.bodies import BodyMode
from gasoline_cdp.config import CaptureOptions, Config
from gasoline_cdp.detect.allowance import charge_to
from gasoline_cdp.detect.known import Known
from gasoline_cdp.frontends.http.loopback import serve_app
from tests.chromium import open_chromium
from tests.node_tools import NpmError, install_packages
from tests.processes import end_daemon
from tests.site.app import site_app
from tests.support import Watch, open_watch

# The same examples in every run, however busy the machine: a failure is a defect, never the weather.
settings.register_profile("gasoline", deadline=None, derandomize=True)
settings.load_profile("gasoline")
# A run in the background of a shell is deaf to Ctrl-C, and so would be every program that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)


# Other projects' tests, as it were: some of them fail, and they need packages that we do not.
collect_ignore = ["suites/pytest", "suites/selenium", "suites/gates"]

# Those that start browsers and programs take longest; unit tests fill what is left of each worker's time at the end.
_ORDER = ("browser", "protocol", "packaging", "property", "unit")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Longest first, so that no worker is left alone with a long test at the end."""
    rooms = {Path(__file__).parent / room: place for place, room in enumerate(_ORDER)}

    def place(item: pytest.Item) -> tuple[bool, int]:
        room = next((place for room, place in rooms.items() if item.path.is_relative_to(room)), len(rooms))
        return item.get_closest_marker("long") is None, room

    items.sort(key=place)


@pytest.fixture(autouse=True)
def _own_directories(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Keep a developer's running daemon and profile out of the tests, and the tests out of theirs."""
    monkeypatch.setenv("GASOLINE_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("GASOLINE_STRICT", "1")
    yield
    end_daemon()


@pytest.fixture(autouse=True)
def _own_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one test made known as a secret, or used up of the search, is not held against the next."""
    charge_to("")
    monkeypatch.setattr(redact, "_known", Known(limits.SECRETS_KNOWN))


@pytest.fixture(scope="session")
def chromium() -> Iterator[str]:
    """The debugging address of a headless Chromium that lives as long as the run."""
    with open_chromium() as address:
        yield address


@pytest.fixture(scope="session")
def node_modules() -> Path:
    """What tests/node names, installed. Needs the network the first time, and without it the test fails."""
    try:
        return install_packages(Path(__file__).parent / "node")
    except NpmError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture
async def site() -> AsyncIterator[str]:
    """The address of the test site, ending in a slash."""
    async with serve_app(site_app()) as url:
        yield url


@pytest.fixture
def attach_config(chromium: str, request: pytest.FixtureRequest) -> Config:
    """Attach to the run's Chromium and open one tab; parametrize it indirectly with a mode for bodies."""
    bodies: BodyMode = getattr(request, "param", "errors")
    return Config(
        browser=Attached(ws_endpoint=chromium), capture=CaptureOptions(bodies=bodies), url="about:blank", strict=True
    )


@pytest.fixture
async def watch(attach_config: Config) -> AsyncIterator[Watch]:
    """A daemon with a tab of its own, which is closed afterwards."""
    async with open_watch(attach_config) as watch:
        yield watch
        await watch.close_tabs()
