"""The capture script in real pages: what it reports, and that the page does not notice."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio

from gasoline_cdp.frontends.http.access import Access, read_access
from tests.http_client import Http
from tests.node_tools import NODE, install_packages
from tests.suites.running import SUITES, open_gasoline, open_site, suite_environment
from tests.support import PATIENCE

CHECKOUT = Path(__file__).parents[2]
_FILE = re.compile(r"<!-- file: (\S+) -->\n\n```js\n(.*?)```", re.DOTALL)

pytestmark = [pytest.mark.long, pytest.mark.requirement("F11-CAPTURE-SCRIPT")]


@pytest.fixture
def shop() -> Iterator[str]:
    with open_site() as url:
        yield url


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The files that the documentation shows, and what drives them."""
    project = tmp_path / "project"
    project.mkdir()
    for name, text in _FILE.findall((CHECKOUT / "docs" / "test-runners.md").read_text(encoding="utf-8")):
        (project / name).write_text(text, encoding="utf-8")
    shutil.copy(CHECKOUT / "launcher" / "capture" / "gasoline-ci.js", project)
    for driver in (SUITES / "puppeteer").iterdir():
        shutil.copy(driver, project)
    (project / "node_modules").symlink_to(install_packages(SUITES / "playwright"))
    return project


def _access() -> Access:
    access = read_access()
    assert access is not None
    return access


async def _drive(project: Path, driver: str, shop: str) -> Any:
    """Run a driver; what it found."""
    access = _access()
    environment = suite_environment(
        shop, GASOLINE_URL=access.url, GASOLINE_TOKEN=access.token or "", GASOLINE_INGEST_KEY=access.ingest_key
    )
    run = partial(subprocess.run, [NODE, driver], cwd=project, env=environment, capture_output=True, text=True)
    done = await trio.to_thread.run_sync(partial(run, check=False, timeout=4 * PATIENCE))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


async def _snapshot() -> dict[str, Any]:
    snapshot: dict[str, Any] = (await Http(_access()).ask("GET", "/snapshot")).json
    return snapshot


async def test_the_page_does_not_notice_the_script(project: Path, shop: str) -> None:
    async with open_gasoline():
        found = await _drive(project, "invariants.mjs", shop)
        snapshot = await _snapshot()
    assert found.pop("text of a failed answer") == '{"error":"page is out of stock"}'
    assert [name for name, holds in found.items() if holds is not True] == []
    messages = [entry["message"] for entry in snapshot["logs"]]
    assert "an object {a: 1, danger: (…), list: [1, 2]}" in messages
    assert "3 of three 100%" in messages
    assert sum("only once" in message for message in messages) == 1, "loaded twice, reported once"
    urls = [entry["url"] for entry in snapshot["network_bodies"]]
    assert not any("aborted" in url for url in urls)
    (posted,) = [entry for entry in snapshot["network_bodies"] if "api/xhr" in entry["url"]]
    assert posted["requestBody"] == "question"
    assert "xhr is out of stock" in posted["responseBody"]
    events = [(entry["event"], entry.get("direction")) for entry in reversed(snapshot["websocket_events"])]
    assert ("error", None) in events


async def test_puppeteer_as_documented(project: Path, shop: str) -> None:
    async with open_gasoline():
        assert await _drive(project, "puppeteer.mjs", shop) == "done"
        snapshot = await _snapshot()
    messages = {(entry["message"], entry.get("ingested_from", "")) for entry in snapshot["logs"]}
    assert ("by-script cannot draw the cart", shop) in messages
    assert ("by-protocol cannot draw the cart", "") in messages


async def test_a_window_as_cypress_hands_it_over(project: Path, shop: str) -> None:
    async with open_gasoline():
        assert await _drive(project, "cypress.mjs", shop) == "done"
        snapshot = await _snapshot()
    messages = [entry["message"] for entry in snapshot["logs"]]
    assert messages.count("in the tested window") == 1
    assert "of the runner itself" not in messages
    assert any(entry["url"].endswith("/api/cypress/fail") for entry in snapshot["network_bodies"])


async def test_batches_that_do_not_arrive_are_counted(project: Path, shop: str) -> None:
    async with open_gasoline():
        await _drive(project, "gaps.mjs", shop)
        status = (await Http(_access()).ask("POST", "/tools/observe", {"what": "status"})).json
        snapshot = await _snapshot()
    assert "after the gap" in [entry["message"] for entry in snapshot["logs"]]
    assert status["ingested"]["missing"] == 1
