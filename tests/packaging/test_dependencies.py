"""What the package imports is what it declares, and of others it uses only what they offer."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import files, packages_distributions
from pathlib import Path
from typing import Any

import pytest

CHECKOUT = Path(__file__).parents[2]
PACKAGE = CHECKOUT / "gasoline_cdp"
TESTS = CHECKOUT / "tests"
# Other projects' tests and programs, as it were, with requirements of their own.
_SUITES = {TESTS / "suites" / name for name in ("gates", "pytest", "selenium")} | {
    TESTS / "benchmarks" / "flow_programs"
}

# Plugins, which pytest finds by itself, and a command.
_NOT_IMPORTED_BY_TESTS = {"check-jsonschema", "pytest-trio", "pytest-xdist"}
# Of the standard library: two that it documents, and two of argparse, which offers no other way and has had them since
# its beginning.
_OF_THE_STANDARD_LIBRARY = {"_asdict", "_exit", "_actions", "_action_max_length"}


# OpenTelemetry documents its logs under these names: the signal has no others in Python.
_OFFERED = {
    "opentelemetry._logs",
    "opentelemetry.sdk._logs",
    "opentelemetry.sdk._logs.export",
    "opentelemetry.exporter.otlp.proto.http._log_exporter",
}


@cache
def _trees(root: Path) -> dict[Path, ast.Module]:
    return {
        path: ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(root.rglob("*.py"))
        if path.parent not in _SUITES
    }


@cache
def _project() -> dict[str, Any]:
    return tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))


def _declared(requirements: list[Any]) -> set[str]:
    named = [re.match(r"[\w.-]+", requirement) for requirement in requirements if isinstance(requirement, str)]
    return {name[0].lower() for name in named if name}


def _imported(tree: ast.AST) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Modules, each with the names that are taken from it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, ()
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module, tuple(alias.name for alias in node.names)


def _third_party(module: str) -> bool:
    top = module.partition(".")[0]
    return top not in {*sys.stdlib_module_names, "gasoline_cdp", "launcher", "tests"}


@cache
def _packages() -> dict[str, list[str]]:
    return dict(packages_distributions())


@cache
def _modules_of(distribution: str) -> set[str]:
    """The modules that a distribution brings."""
    names = set()
    for file in files(distribution) or ():
        if file.suffix == ".py":
            parts = file.with_suffix("").parts
            names.add(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return names


def _distributions_of(module: str, names: tuple[str, ...]) -> list[str]:
    """The distributions of a module, or of the modules that are imported from a namespace which several share."""
    known = _packages().get(module.partition(".")[0], [])
    modules = {module, *(f"{module}.{name}" for name in names)}
    return [one for one in known if len(known) == 1 or modules & _modules_of(one)] or [f"{module} (not installed)"]


def _distributions(root: Path) -> set[str]:
    """The distributions that the modules below a directory import from."""
    return {
        distribution.lower()
        for tree in _trees(root).values()
        for module, names in _imported(tree)
        if _third_party(module)
        for distribution in _distributions_of(module, names)
    }


def test_the_package_imports_what_it_declares_and_declares_what_it_imports() -> None:
    # The plugin runs inside pytest, which whoever uses it has; only recording needs what the other extra brings.
    extras = {name for extra in _project()["project"]["optional-dependencies"].values() for name in _declared(extra)}
    assert _distributions(PACKAGE) == _declared(_project()["project"]["dependencies"]) | extras


def test_the_tests_import_what_is_declared_and_all_that_is_declared_for_them() -> None:
    own = _declared(_project()["dependency-groups"]["test"])
    imported = _distributions(TESTS)
    assert imported - own - _declared(_project()["project"]["dependencies"]) == set()
    assert own - imported == _NOT_IMPORTED_BY_TESTS


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def _own_names(trees: dict[Path, ast.Module]) -> set[str]:
    """Every private name that the package gives to something."""
    names: set[str] = set()
    for tree in trees.values():
        for node in ast.walk(tree):
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                    names.add(node.name)
                case ast.Attribute(ctx=ast.Store()):
                    names.add(node.attr)
                case ast.Name(ctx=ast.Store()):
                    names.add(node.id)
    return {name for name in names if _is_private(name)}


def _foreign_private_names(trees: dict[Path, ast.Module], own: set[str]) -> Iterator[str]:
    for path, tree in trees.items():
        for module, names in _imported(tree):
            if _third_party(module) and any(map(_is_private, [*module.split("."), *names])) and module not in _OFFERED:
                yield f"{path.name}: {module} {names}"
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and _is_private(node.attr) and node.attr not in own:
                yield f"{path.name}: {node.attr}"


def test_the_package_uses_no_private_name_of_another() -> None:
    trees = _trees(PACKAGE)
    own = _own_names(trees) | _OF_THE_STANDARD_LIBRARY
    assert list(_foreign_private_names(trees, own)) == []


@pytest.mark.parametrize(
    "code",
    [
        "from h11._state import DONE",
        "from h11 import _events",
        "import trio._core",
        "living = sessions._server_instances",
        "class Own(h11.Connection):\n    def f(self):\n        return self._receive_buffer",
    ],
)
def test_a_private_name_would_be_found(code: str) -> None:
    trees = {Path("x.py"): ast.parse(code)}
    assert len(list(_foreign_private_names(trees, _own_names(trees)))) == 1
