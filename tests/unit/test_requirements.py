"""Every requirement is shown to hold by a test, and tests name no other."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.requirements import REQUIREMENTS

TESTS = Path(__file__).parents[1]


def _marks(source: str) -> Iterator[str]:
    """The ids in `pytest.mark.requirement(…)`, wherever it stands: decorator, `pytestmark`, `pytest.param`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "requirement":
            for argument in node.args:
                assert isinstance(argument, ast.Constant), "name requirements by plain strings"
                assert isinstance(argument.value, str), "name requirements by plain strings"
                yield argument.value


@cache
def _named() -> dict[str, list[str]]:
    named: dict[str, list[str]] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        if "node_modules" not in path.parts and path != Path(__file__):
            for name in _marks(path.read_text(encoding="utf-8")):
                named.setdefault(name, []).append(str(path.relative_to(TESTS)))
    return named


def test_tests_name_only_requirements_that_exist() -> None:
    assert {name: places for name, places in _named().items() if name not in REQUIREMENTS} == {}


def test_every_requirement_is_named_by_a_test() -> None:
    assert [name for name in REQUIREMENTS if name not in _named()] == []


def test_a_requirement_is_a_sentence() -> None:
    for name, sentence in REQUIREMENTS.items():
        assert sentence.rstrip(")").endswith(".") or "(" in sentence, name


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ('@pytest.mark.requirement("A", "B")\ndef test(): ...', ["A", "B"]),
        ('pytestmark = pytest.mark.requirement("A")', ["A"]),
        ('pytestmark = [pytest.mark.slow, pytest.mark.requirement("A")]', ["A"]),
        ('x = pytest.param(1, marks=pytest.mark.requirement("A"))', ["A"]),
        ('class T:\n    @pytest.mark.requirement("A")\n    async def test(self): ...', ["A"]),
        ("@pytest.mark.slow\ndef test(): ...", []),
    ],
)
def test_marks_are_found_wherever_they_stand(source: str, names: list[str]) -> None:
    assert list(_marks(source)) == names
