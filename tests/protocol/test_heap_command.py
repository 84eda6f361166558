"""gasoline-cdp heap: on a terminal, as JSON, as a page; and what it says of a bad file."""

import json
from pathlib import Path

import pytest

from gasoline_cdp.errors import GasolineError
from gasoline_cdp.frontends.cli.heap import with_enough_memory
from tests.heap_snapshots import Node, write_snapshot
from tests.memory.corpus import serve_pages
from tests.processes import HEADLESS, open_command, run_command, run_on_terminal

pytestmark = pytest.mark.requirement("F10-FILES")


def _heap(users: int) -> bytes:
    made = [Node("object", "User <b>", 100, [("property", "name", 2)]) for _ in range(users)]
    edges = [("element", index, 3 + index) for index in range(users)]
    return write_snapshot(
        [
            Node("synthetic", "", 0, [("element", 1, 1)]),
            Node("object", "Window\n\x1b[31m", 8, [("property", "users", 2), *edges]),
            Node("native", "<li class=x>", 16, detachedness=2),
            *made,
        ]
    )


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    before, after = tmp_path / "before.heapsnapshot", tmp_path / "after.heapsnapshot"
    before.write_bytes(_heap(2))
    after.write_bytes(_heap(5))
    return str(before), str(after)


async def test_a_terminal_shows_a_table_and_json_has_it_all(files: tuple[str, str]) -> None:
    before, after = files
    code, shown = await run_on_terminal("heap", after)
    assert code == 0
    assert "after.heapsnapshot: 524B in 8 objects" in shown
    assert "detached elements 1" in shown
    assert "User <b>" in shown
    assert "[31m" not in shown.replace("�[31m", "")
    done = await run_command("heap", after, "--compare", before, "--json")
    answer = json.loads(done.stdout)
    assert answer["size"] == 524
    assert [(one["name"], one["added"], one["size_delta"]) for one in answer["changes"]] == [("User <b>", 3, 300)]
    assert {one["name"]: one["count"] for one in answer["classes"]}["User <b>"] == 5


async def test_why_names_the_way_from_the_root(files: tuple[str, str]) -> None:
    done = await run_command("heap", files[0], "--why", "5")
    assert done.returncode == 0
    lines = done.stdout.decode().splitlines()
    assert lines[0] == "Detached <li class=x> @5"
    assert "Held by: the browser.users <li>" in lines
    assert lines[-1] == "  users Detached <li class=x> @5"
    # The id as answers name it.
    told = json.loads((await run_command("heap", files[0], "--why", "@5", "--json")).stdout)
    assert (told["id"], told["held_by"]) == (5, "the browser.users <li>")
    root = await run_command("heap", files[0], "--why", "@1")
    assert b"It is the root of the heap." in root.stdout
    missing = await run_command("heap", files[0], "--why", "4")
    assert (missing.returncode, b"no object with the id 4" in missing.stderr) == (1, True)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("--why", "abc"), "must be the id of an object, such as @1234"),
        (("--rounds", "3"), "--rounds works only with --leaks"),
        (("--leaks", "--of", "worker"), "--of works only with --save"),
        (("--why", "5", "--html", "x.html"), "--html does not work with --why"),
        (("--save", "--compare", "x"), "--compare does not work with --save"),
    ],
)
async def test_an_option_that_would_do_nothing_is_refused(
    files: tuple[str, str], given: tuple[str, ...], told: str
) -> None:
    done = await run_command("heap", files[0], *given)
    assert (done.returncode, done.stdout) == (2, b"")
    assert told in done.stderr.decode()


async def test_the_page_needs_no_script_and_takes_no_text_for_markup(files: tuple[str, str], tmp_path: Path) -> None:
    before, after = files
    page = tmp_path / "heap.html"
    done = await run_command("heap", after, "--compare", before, "--html", str(page))
    assert done.returncode == 0, done.stderr
    text = page.read_text(encoding="utf-8")
    assert "Retained size by class" in text
    assert "Growth since before.heapsnapshot" in text
    assert "<svg" in text
    assert "User &lt;b&gt;" in text
    assert "default-src 'none'" in text
    assert "<script" not in text
    assert "<b>" not in text
    assert "\x1b" not in text


async def test_a_bad_file_gives_one_line(tmp_path: Path) -> None:
    bad = tmp_path / "bad.heapsnapshot"
    bad.write_bytes(_heap(2)[:300])
    done = await run_command("heap", str(bad))
    assert done.returncode == 1
    assert b"cut short" in done.stderr
    assert b"take it again" in done.stderr
    assert done.stderr.count(b"\n") == 1
    gone = await run_command("heap", str(tmp_path / "none"))
    assert (gone.returncode, b"No such file" in gone.stderr) == (1, True)


def test_too_little_memory_is_no_internal_error() -> None:
    told = pytest.raises(GasolineError, match=r"not enough memory to analyse a.heapsnapshot\. Close")
    with told, with_enough_memory(Path("a.heapsnapshot")):
        raise MemoryError


async def test_what_leaks_is_said_of_files(files: tuple[str, str]) -> None:
    _, after = files
    done = await run_command("heap", after, "--leaks")
    assert done.returncode == 0, done.stderr
    assert b"Only detached trees are looked for" in done.stdout
    alone = await run_command("heap", after, "--leaks", "--rounds", "3")
    assert (alone.returncode, b"need --compare" in alone.stderr) == (1, True)


async def _said(*arguments: str) -> str:
    done = await run_command(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


async def test_a_page_is_saved_three_times_and_its_leak_found_in_the_files(tmp_path: Path) -> None:
    first, second, third = (str(tmp_path / f"{name}.heapsnapshot") for name in ("first", "second", "third"))
    act = ("call", "execute_javascript", "--script")
    async with (
        serve_pages() as url,
        open_command("launch", f"{url}window_listener", *HEADLESS, "--pilot", "--temporary-profile") as running,
    ):
        await running.said("Watching Chrome/")
        await _said(*act, "await round()")
        assert (await _said("heap", first, "--save")).startswith(f"Wrote {first} (")
        # Five times an action that leaks seven panels.
        await _said(*act, "for (let i = 0; i < 35; i += 1) await round()")
        await _said("heap", second, "--save")
        await _said("heap", third, "--save")
        loaded = await _said("heap", first, "--load", "first")
        assert "analyze(action='memory', scope='classes', name='first')" in loaded
    asked = ("heap", third, "--leaks", "--compare", first, "--between", second, "--rounds", "5", "--json")
    page = tmp_path / "heap.html"
    await _said("heap", third, "--html", str(page))
    largest = page.read_text(encoding="utf-8").partition("Largest objects")[2]
    assert "(window_listener.js:3)" in largest
    assert "(prototype)" not in largest
    found = json.loads(await _said(*asked))["findings"]
    assert (found[0]["kind"], found[0]["count"], found[0]["per_round"]) == ("listener", 35, 7.0)
    assert "listener on window" in found[0]["held_by"]
    assert "7 per round" in found[0]["message"]
    assert found[0]["location"].startswith("window_listener.js:")
