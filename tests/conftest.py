"""One Chromium for the run; each test attaches to it and gets a tab of its own."""

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from gasoline_cdp.capture.bodies import BodyMode
from gasoline_cdp.chrome.find import find_browser
from gasoline_cdp.chrome.flags import chrome_flags
from gasoline_cdp.daemon import Config
from gasoline_cdp.frontends.http.loopback import serve_app
from tests.node_tools import NpmError, install_packages
from tests.processes import end_daemon
from tests.site.app import site_app
from tests.support import Watch, open_watch

# The same examples in every run, however busy the machine: a failure is a defect, never the weather.
settings.register_profile("gasoline", deadline=None, derandomize=True)
settings.load_profile("gasoline")
# A run in the background of a shell is deaf to Ctrl-C, and so would be every program that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _own_directories(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Keep a developer's running daemon and profile out of the tests, and the tests out of theirs."""
    monkeypatch.setenv("GASOLINE_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("GASOLINE_STRICT", "1")
    yield
    end_daemon()


# Puts the pipe where Chrome looks for it. In a process of its own, since the run has threads when it is split in two.
_WITH_PIPE = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(os.open(os.devnull, os.O_WRONLY), 4)
for end in (3, 4):
    os.set_inheritable(end, True)
os.execv(sys.argv[2], sys.argv[2:])
"""


@pytest.fixture(scope="session")
def chromium() -> Iterator[str]:
    """The debugging address of a headless Chromium that lives as long as the run."""
    profile = Path(tempfile.mkdtemp(prefix="gasoline-tests-"))
    flags = chrome_flags(profile=profile, headless=True, pipe=True, debug_port=0, no_sandbox=True, small_shm=True)
    # Nobody speaks on the pipe: it is there because Chrome goes when it closes, however the run ends.
    chrome_reads, ours = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-c", _WITH_PIPE, str(chrome_reads), str(find_browser()), *flags],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        pass_fds=[chrome_reads],
    )
    os.close(chrome_reads)
    try:
        assert process.stderr is not None
        # Nobody reads on once Chrome has said where it listens: leave room for all that it says in a run.
        fcntl.fcntl(process.stderr, fcntl.F_SETPIPE_SZ, 1024 * 1024)
        listening = next(line for line in process.stderr if b"DevTools listening on" in line)
        yield listening.split()[-1].decode()
    finally:
        os.close(ours)
        os.killpg(process.pid, 9)
        process.wait()
        if process.stderr:
            process.stderr.close()
        shutil.rmtree(profile, ignore_errors=True)


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
    return Config(mode="attach", ws_endpoint=chromium, url="about:blank", bodies=bodies, strict=True)


@pytest.fixture
async def watch(attach_config: Config) -> AsyncIterator[Watch]:
    """A daemon with a tab of its own, which is closed afterwards."""
    async with open_watch(attach_config) as watch:
        yield watch
        await watch.close_tabs()
