"""Two runs compared by files: `snapshot`, `diff`, and the page that shows it."""

import json
from pathlib import Path

import pytest
from attrs import frozen

from gasoline_cdp import wire
from gasoline_cdp.analysis.compare.snapshots import SessionIssue, SessionSnapshot
from gasoline_cdp.assets import vendored
from gasoline_cdp.frontends.cli.snapshot_files import read_kept, write_baseline, write_snapshot
from gasoline_cdp.frontends.http.loopback import serve_app
from tests.processes import HEADLESS, call, drive, open_command, run_command, until
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
        await until(_called)
        taken = await command("snapshot", str(file), *options)
        assert taken.returncode == 0, taken.stderr
        assert taken.stdout.startswith(f"Wrote {file} (")


@pytest.mark.long
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

        async def learned() -> bool:
            return bool((await call("validate_api", action="report"))["endpoints"])

        await until(learned)
        done = await command("generate", "--format", "openapi", "--output", str(document))
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(f"Wrote {document} (")
        assert "1 operation." in done.stdout
        wrong = await command("generate", "--format", "openapi", "--output", str(tmp_path / "none" / "x.json"))
        assert (wrong.returncode, wrong.stderr.count("\n")) == (1, 1)
    found = json.loads(document.read_text())
    assert found["openapi"].startswith("3.1")
    assert list(found["paths"]) == ["/api/cart/{id}"]


async def test_a_large_file_comes_through_the_door(tmp_path: Path) -> None:
    errors = tuple(SessionIssue(key=str(number), message="x" * 300) for number in range(4000))
    file = tmp_path / "large.json"
    assert write_snapshot(file, wire.dump(SessionSnapshot(captured_at=1, errors=errors))) > 1_300_000
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


ANALYZE = ("call", "analyze", "--action", "regression", "--name", "main", "--scope")


@pytest.mark.long
async def test_a_baseline_goes_from_one_run_to_another(tmp_path: Path) -> None:
    """As in CI: the base branch's baseline in a file, and another run held against it."""
    version, file, profile = Version(), tmp_path / "baseline.json", tmp_path / "profile"
    launch = ("launch", *HEADLESS, "--pilot", "--profile", str(profile), "--debug-port", "0")
    async with serve_app(shop_app(version)) as url:
        async with open_command(*launch) as running:
            await running.said("Watching Chrome/")
            await drive(profile, url)
            none = await command("snapshot", str(file), "--baseline", "main")
            assert none.returncode == 1
            assert "There is no baseline 'main'." in none.stderr
            assert not file.exists()
            await until(_called)
            assert (await command(*ANALYZE, "baseline")).returncode == 0
            written = await command("snapshot", str(file), "--baseline", "main")
            assert written.returncode == 0, written.stderr
            assert written.stdout.startswith(f"Wrote {file} (")
            assert written.stdout.endswith("the baseline of /\n")
        version.become(errors=("cart {id} failed",), cart_status=500)
        async with open_command(*launch) as running:
            await running.said("Watching Chrome/")
            loaded = await command("snapshot", str(file), "--load", "main")
            assert loaded.returncode == 0, loaded.stderr
            assert "--action regression --scope compare --name main" in loaded.stdout
            await drive(profile, url)
            await until(_called)
            compared = json.loads((await command(*ANALYZE, "compare")).stdout)
    assert compared["verdict"] == "regression_detected"
    assert "2 new errors" in compared["summary"]
    assert compared["baseline"]["name"] == "main"


async def _called() -> bool:
    return any("/api/cart/" in entry["url"] for entry in (await call("observe", what="network"))["entries"])


async def test_a_large_baseline_comes_out_as_it_went_in(tmp_path: Path) -> None:
    errors = tuple(SessionIssue(key=str(number), message="x" * 300) for number in range(4000))
    snapshot = wire.dump(SessionSnapshot(captured_at=1, errors=errors))
    file, again = tmp_path / "large.json", tmp_path / "again.json"
    pages = [{"path": "/", "snapshot": snapshot}, {"path": "/cart", "snapshot": snapshot}]
    assert write_baseline(file, pages) > 2_600_000
    async with open_command("launch", *HEADLESS, "--temporary-profile") as running:
        await running.said("Watching Chrome/")
        assert (await command("snapshot", str(file), "--load", "main")).returncode == 0
        written = await command("snapshot", str(again), "--baseline", "main")
        assert written.returncode == 0, written.stderr
        assert written.stdout.endswith("the baseline of /, /cart\n")
    assert read_kept(again) == read_kept(file)


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
