"""Every module has a test of its name, or a test that is named for it; and every unit test has its module."""

import re
from pathlib import Path

import pytest

from tests.tested_by import IMPORTS, TESTED_BY

CHECKOUT = Path(__file__).parents[2]
PACKAGE = CHECKOUT / "gasoline_cdp"
TESTS = CHECKOUT / "tests"
UNIT = TESTS / "unit"

# Tests of no module of the package.
_OF_THE_TESTS = {"test_requirements.py"}
MODULES = sorted(
    path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py") if not path.name.startswith("__")
)


def _mirrored(module: str) -> Path:
    path = UNIT / module
    return path.with_name(f"test_{path.name}")


def _imports(test: str, module: str) -> bool:
    package, _, name = "gasoline_cdp/{}".format(module.removesuffix(".py")).replace("/", ".").rpartition(".")
    whole = re.escape(f"{package}.{name}")
    # `import …` may stand in a program that the test runs.
    spelled = rf"(?:from|import) [^\n]*{whole}\b|from {re.escape(package)} import [^\n]*\b{name}\b"
    return re.search(spelled, test) is not None


def test_unit_tests_stand_where_their_module_stands() -> None:
    strays = []
    for test in UNIT.rglob("test_*.py"):
        place = test.relative_to(UNIT)
        module = PACKAGE / place.with_name(place.name.removeprefix("test_"))
        if not module.is_file() and place.as_posix() not in _OF_THE_TESTS:
            strays.append(f"tests/unit/{place}: there is no {module.relative_to(CHECKOUT)}")
    assert strays == []


def test_every_module_has_a_unit_test_or_says_what_tests_it() -> None:
    untested = [module for module in MODULES if not _mirrored(module).is_file() and module not in TESTED_BY]
    assert untested == [], "write tests/unit/…/test_NAME.py, or name another test in tests/tested_by.py"


def test_the_table_names_only_what_needs_it() -> None:
    assert [module for module in TESTED_BY if module not in MODULES] == []
    assert [module for module in TESTED_BY if _mirrored(module).is_file()] == []
    assert list(TESTED_BY) == sorted(TESTED_BY)


@pytest.mark.parametrize("module", TESTED_BY)
def test_the_named_test_has_to_do_with_the_module(module: str) -> None:
    file, word = TESTED_BY[module]
    test = (TESTS / file).read_text(encoding="utf-8")
    assert "def test_" in test
    if word == IMPORTS:
        assert _imports(test, module)
    else:
        assert word in test
        assert word in (PACKAGE / module).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("from gasoline_cdp.probe.dom import ask_page", True),
        ("from gasoline_cdp.probe import badge, dom", True),
        ('"import sys, gasoline_cdp.probe.dom\\n"', True),
        ("from gasoline_cdp.probe.dom_tree import x", False),
        ("from gasoline_cdp.probe import domino", False),
    ],
)
def test_imports_are_recognised(line: str, found: bool) -> None:
    assert _imports(line, "probe/dom.py") == found
