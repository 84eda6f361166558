"""Names that were replaced because nobody in this field would guess them do not come back."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
PACKAGE = CHECKOUT / "gasoline_cdp"

# A word in any name, with what it is called now.
_WORDS = {
    "finders": "snapshot_checks",
    "glance": "inspect_only",
    "intake": "request_limiter",
    "last_words": "stderr_tail, log_tail",
    "notebook": "ExpiringStore",
    "noticed": "MaskedSecret",
    "noticing": "collect_masked",
    "pump": "bridge_loop",
    "reception": "client_registry",
    "take_moment": "capture_snapshot",
}
# A whole name: as a part of others it says what it should.
_NAMES = {
    "Flight": "PendingRequest",
    "Kept": "PageBaseline",
    "Moments": "TimeWindow",
    "Notes": "SavedItems",
    "Objects": "PreviewFetcher",
    "Said": "ParsedLog",
    "_both": "paired",
    "_lit": "has_ax_tree",
    "flight": "pending",
}
# Names that say nothing by themselves.
_VAGUE = {
    "found": "match, result, findings, …",
    "heard": "what handles the event",
    "lit": "has_ax_tree",
    "moment": "timestamp, wall_time, …",
    "moments": "timestamps",
    "place": "index, location, frame, node, …",
    "places": "locations, frames, …",
    "retold": "reworded",
    "told": "reported, described, message, …",
}
_PRECISE_ROOMS = (
    "analysis", "answers", "artifacts", "audits", "browser", "capture", "cdp", "chrome", "comparisons", "frontends",
    "operations", "probe", "store", "tools", "unlisted", "views", "assets.py", "bounded.py", "config.py", "daemon.py",
    "errors.py", "findings.py", "limits.py", "measures.py", "nurseries.py", "records.py", "sightings.py",
    "streaming.py", "wire.py",
)  # fmt: skip
# Fields that a daemon and a command line of another version send each other: a new name would lose them.
_SENT = {
    "answers/lines.py": {"place"},
    "answers/text.py": {"place"},
    "answers/log_entries.py": {"place"},
    "answers/network_entries.py": {"place"},
    "answers/timeline_entries.py": {"place"},
    "frontends/cli/answers.py": {"place"},
    "unlisted/files.py": {"place"},
}
_MODULES = {
    "finders": "snapshot_checks",
    "kept": "site_data",
    "noticing": "collect_masked",
    "refusal": "http_errors",
}


def _names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.keyword(arg=str() as name):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.alias(name=name, asname=alias):
                yield alias or name.rpartition(".")[2]


def _old_words(name: str) -> set[str]:
    """Which of the old words a name is made of."""
    parts = "_" + re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("_") + "_"
    return {word for word in _WORDS if f"_{word}_" in parts} | {name} & _NAMES.keys()


def _found() -> dict[str, set[str]]:
    """The old words, each with the files that have it."""
    found: dict[str, set[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        file = path.relative_to(PACKAGE).as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        old = {word for name in {path.stem, *_names(tree)} for word in _old_words(name)}
        for word in old | ({path.stem} & _MODULES.keys()):
            found.setdefault(word, set()).add(file)
    return found


def _vague_names(names: set[str]) -> set[str]:
    return {name for name in names if name.lower().strip("_") in _VAGUE}


def test_no_vague_name_in_these_rooms() -> None:
    found: dict[str, set[str]] = {}
    for room in _PRECISE_ROOMS:
        path = PACKAGE / room
        files = [path] if path.suffix else sorted(path.rglob("*.py"))
        assert files, room
        for file in files:
            if vague := _vague_names(set(_names(ast.parse(file.read_text(encoding="utf-8"))))):
                found[file.relative_to(PACKAGE).as_posix()] = vague
    assert found == _SENT


def test_no_vague_name_in_the_page_scripts() -> None:
    declared = re.compile(r"\b(?:const|let|var|function)\s+(\w+)|\(_, (\w+)\) =>")
    scripts = sorted((PACKAGE / "page").glob("*.js"))
    names = {
        name for script in scripts for pair in declared.findall(script.read_text("utf-8")) for name in pair if name
    }
    assert "selectorsOf" in names
    assert _vague_names(names) == set()


@pytest.mark.parametrize("name", ["found", "_told", "Place", "_LIT"])
def test_vague_names_are_recognised(name: str) -> None:
    assert _vague_names({name, "background", "placed_at", "untold"}) == {name}


def test_no_old_word_is_a_name() -> None:
    better = _WORDS | _NAMES | _MODULES
    assert {f"{word} (now {better[word]})": sorted(files) for word, files in _found().items()} == {}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("_glance_forever", {"glance"}),
        ("take_moment", {"take_moment"}),
        ("StillNoticed", {"noticed"}),
        ("Flight", {"Flight"}),
        ("in_flight", set()),
        ("unnoticed", set()),
        ("moment", set()),
    ],
)
def test_words_are_recognised(name: str, words: set[str]) -> None:
    assert _old_words(name) == words
