"""The rules of the house that no linter knows."""

import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
PACKAGE = CHECKOUT / "gasoline_cdp"

# Of a module of the package: more cannot be held in mind at once.
_LINES = 350
# A script that runs in pages is one function expression, which cannot be spread over files.
_SCRIPT_LINES = 400
# Those that are longer, with the size that they may not outgrow. The list may only shrink.
_LONGER: dict[str, int] = {}
_MEANINGLESS = re.compile(r"(utils?|helpers?|common|managers?|base)", re.IGNORECASE)
# In parts, so that this file does not break the rule it checks.
_REGISTRIES = [
    ".".join(parts)
    for parts in (
        ("npmjs", "org"),
        ("npmjs", "com"),
        ("yarnpkg", "com"),
        ("pypi", "org"),
        ("pypi", "python"),
        ("pythonhosted", "org"),
        ("debian", "org"),
        ("ubuntu", "com"),
        ("docker", "io"),
        ("ghcr", "io"),
        ("quay", "io"),
    )
]
_REGISTRY = re.compile("|".join(re.escape(name) for name in _REGISTRIES), re.IGNORECASE)
# `me` is nobody: tests of other systems' paths live there.
_HOME = re.compile(r"/({0}|{1})/(?!me\b)[\w.-]+/|(?<![\w.~])/{2}/|[A-Z]:\\+{1}\\".format("home", "Users", "root"))


@cache
def _files() -> list[Path]:
    """Every file of the checkout that is in git, or would be."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=True).stdout
    return [path for name in listed.split("\0") if name and (path := CHECKOUT / name).is_file()]


def _matches(pattern: re.Pattern[str]) -> Iterator[str]:
    for path in _files():
        text = path.read_text(encoding="utf-8", errors="replace")
        for match in pattern.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{path.relative_to(CHECKOUT)}:{line}: {match.group()}"


def test_no_file_names_a_registry() -> None:
    assert list(_matches(_REGISTRY)) == []


def test_locks_hold_no_address_of_a_package() -> None:
    locks = [path for path in _files() if path.name == "package-lock.json" or path.suffix == ".lock"]
    assert len(locks) >= 3
    for lock in locks:
        text = lock.read_text(encoding="utf-8")
        assert '"resolved"' not in text, lock
        if lock.suffix == ".lock":
            assert "://" not in text, lock


def test_no_file_names_somebody_s_home() -> None:
    assert list(_matches(_HOME)) == []


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (_REGISTRY, f"https://registry.{_REGISTRIES[0]}/x"),
        (_HOME, "see /{}/ada/x".format("home")),
        (_HOME, "'/{}/ada/x'".format("Users")),
        (_HOME, "='/{}/x'".format("root")),
        (_HOME, "C:\\{}\\ada".format("Users")),
    ],
)
def test_the_patterns_find_what_they_are_for(pattern: re.Pattern[str], text: str) -> None:
    assert pattern.search(text)


def _too_long(allowed: dict[str, int]) -> dict[str, int]:
    sizes = {path.relative_to(PACKAGE): path.read_text(encoding="utf-8").count("\n") for path in _modules()}
    return {
        module.as_posix(): size
        for module, size in sizes.items()
        if size > allowed.get(module.as_posix(), _LINES if module.suffix == ".py" else _SCRIPT_LINES)
    }


def _modules() -> list[Path]:
    return [path for pattern in ("*.py", "*.js") for path in PACKAGE.rglob(pattern)]


def test_modules_stay_small() -> None:
    assert _too_long(_LONGER) == {}


def test_the_list_of_longer_modules_only_shrinks() -> None:
    assert sorted(_LONGER.keys() - _too_long({}).keys()) == []


def test_names_say_something() -> None:
    rooms = [
        path for root in (PACKAGE, CHECKOUT / "tests") for path in root.rglob("*") if "node_modules" not in path.parts
    ]
    named = [path for path in rooms if (path.is_dir() or path.suffix in {".py", ".js"}) and path.name != "__pycache__"]
    assert [path for path in named if _MEANINGLESS.fullmatch(path.stem.removeprefix("test_"))] == []


def test_imports_go_through_the_doors() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"\n{done.stdout}{done.stderr}"
