"""Two runs compared by files: `snapshot`, `diff`, and the page that shows it."""

import json
from pathlib import Path

import pytest
from attrs import frozen

from gasoline_cdp import wire
from gasoline_cdp.analysis.snapshots import Issue, Snapshot
from gasoline_cdp.assets import vendored
from gasoline_cdp.frontends.cli.snapshot_files import write_snapshot
from gasoline_cdp.frontends.http.loopback import serve_app
from tests.processes import HEADLESS, drive, open_command, run_command, until
from tests.site.versions import Version, shop_app
from tests.support import Watch

pytestmark = pytest.mark.requirement("F6-COMPARE")


@frozen
class Done:
    """How a command ended, as text."""

    returncode: int
    stdout: str
    stderr: str


async def command(*arguments: str) -> Done:
    done = await run_command(*arguments)
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


async def _taken(profile: Path, url: str, file: Path, *options: str) -> None:
    """A browser of its own visits the shop, and what it saw goes into a file."""
    async with open_command("launch", *HEADLESS, "--profile", str(profile), "--debug-port", "0") as running:
        await running.said("Watching Chrome/")
        await drive(profile, url)

        async def seen() -> bool:
            told = await command("observe", "network", "--json")
            return "/api/cart/" in told.stdout

        await until(seen)
        taken = await command("snapshot", str(file), *options)
        assert taken.returncode == 0, taken.stderr
        assert taken.stdout.startswith(f"Wrote {file} (")


async def test_two_runs_are_compared_by_their_files(tmp_path: Path, watch: Watch) -> None:
    version = Version()
    before, after, page = tmp_path / "main.json", tmp_path / "branch.json", tmp_path / "diff.html"
    async with serve_app(shop_app(version)) as url:
        await _taken(tmp_path / "one", url, before, "--include", "accessibility")
        # Slower in all that is measured, by more than a busy machine could make up for.
        version.become(errors=("cart {id} failed",), cart_status=500, page_ms=1000, busy_ms=500)
        await _taken(tmp_path / "two", url, after, "--include", "accessibility")
    compared = await command("diff", str(before), str(after), "--html", str(page), "--fail-on", "regressed")
    assert compared.returncode == 3
    assert "regressed" in compared.stdout
    assert "GET /api/cart/:id → 500" in compared.stdout
    assert "is regressed against" in compared.stderr
    back = json.loads((await command("diff", str(after), str(before), "--json")).stdout)
    assert back["summary"]["verdict"] == "improved"
    # What only one of them was checked for is named, not taken for mended.
    unchecked = json.loads(after.read_text())
    unchecked["snapshot"]["findings"] = {}
    after.write_text(json.dumps(unchecked))
    assert (
        "not compared, since only one of the two was checked for it: accessibility"
        in (await command("diff", str(before), str(after))).stdout
    )
    # The page for people: self-contained, and without a violation of its own.
    text = page.read_text(encoding="utf-8")
    assert "http-equiv" in text
    assert "src=" not in text
    await watch.open(page.as_uri())
    await watch.evaluate(vendored("axe.min.js") + ";0")
    found = await watch.evaluate("axe.run().then((result) => result.violations.map((rule) => rule.id))")
    assert found == []


async def test_a_document_is_written_for_a_person(tmp_path: Path) -> None:
    document, profile = tmp_path / "api.json", tmp_path / "profile"
    async with (
        serve_app(shop_app(Version())) as url,
        open_command("launch", *HEADLESS, "--profile", str(profile), "--debug-port", "0") as running,
    ):
        await running.said("Watching Chrome/")
        await drive(profile, url)

        async def written() -> bool:
            done = await command("generate", "--format", "openapi", "--output", str(document))
            assert done.returncode == 0, done.stderr
            assert done.stdout.startswith(f"Wrote {document} (")
            return "1 operation." in done.stdout

        await until(written)
        wrong = await command("generate", "--format", "openapi", "--output", str(tmp_path / "none" / "x.json"))
        assert (wrong.returncode, wrong.stderr.count("\n")) == (1, 1)
    found = json.loads(document.read_text())
    assert found["openapi"].startswith("3.1")
    assert list(found["paths"]) == ["/api/cart/{id}"]


async def test_a_large_file_comes_through_the_door(tmp_path: Path) -> None:
    errors = tuple(Issue(key=str(number), message="x" * 300) for number in range(4000))
    file = tmp_path / "large.json"
    assert write_snapshot(file, wire.dump(Snapshot(captured_at=1, errors=errors))) > 1_300_000
    async with open_command("launch", *HEADLESS, "--temporary-profile") as running:
        await running.said("Watching Chrome/")
        loaded = await command("snapshot", str(file), "--load", "large")
        assert loaded.returncode == 0, loaded.stderr


async def test_a_file_can_be_given_to_assistants(tmp_path: Path) -> None:
    version, file = Version(), tmp_path / "main.json"
    async with serve_app(shop_app(version)) as url:
        await _taken(tmp_path / "one", url, file)
    async with open_command("launch", *HEADLESS, "--temporary-profile") as running:
        await running.said("Watching Chrome/")
        loaded = await command("snapshot", str(file), "--load", "main")
        assert loaded.returncode == 0, loaded.stderr
        told = await command("call", "diff_sessions", "--action", "compare", "--compare_a", "main", "--json")
        assert json.loads(told.stdout)["summary"]["verdict"] == "unchanged"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["snapshot", "x.json"], "No gasoline-cdp is running"),
        (["diff", "none.json", "none.json"], "Cannot read none.json"),
        (["snapshot", "none.json", "--load", "x"], "Cannot read none.json"),
    ],
)
async def test_failures_are_one_line(arguments: list[str], words: str) -> None:
    done = await command(*arguments)
    assert done.returncode == 1
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
