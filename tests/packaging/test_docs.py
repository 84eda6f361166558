"""The documentation: generated pages are fresh, links lead somewhere, and names and numbers are those of the code."""

import ast
import builtins
import importlib
import pkgutil
import re
from functools import cache
from pathlib import Path

import pytest

import gasoline_cdp
from gasoline_cdp.frontends.listed_tools import LIST_FILE
from launcher.generate_docs import generate, list_file

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "gasoline_cdp"
DOCS = ROOT / "docs"
WRITTEN = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md"))]
UNITS = {"": 1, "s": 1, "KB": 1024, "MB": 1024 * 1024}


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def _sources() -> dict[Path, str]:
    found = [
        *PACKAGE.rglob("*.py"),
        *PACKAGE.rglob("*.js"),
        *(ROOT / "tests").rglob("*.py"),
        *(ROOT / "launcher").iterdir(),
        *(ROOT / "launcher").rglob("*.js"),
    ]
    return {path: path.read_text(encoding="utf-8") for path in found if path.is_file()}


@cache
def _words() -> set[str]:
    """Every word of the source, with or without leading underscore."""
    return {word for text in _sources().values() for word in re.findall(r"\w+", text)}


# --- generated pages --------------------------------------------------------------------------------


@pytest.mark.requirement("F1-DOCS")
def test_generated_pages_are_fresh(tmp_path: Path) -> None:
    generate(tmp_path)
    fresh = {str(path.relative_to(tmp_path)): path.read_text() for path in tmp_path.rglob("*.md")}
    written = [*(DOCS / "tools").glob("*.md"), DOCS / "errors.md", DOCS / "decisions" / "README.md"]
    kept = {str(path.relative_to(DOCS)): path.read_text() for path in written}
    assert fresh == kept, "stale: run ./launcher/run docs"


@pytest.mark.requirement("F3-MCP")
def test_the_list_that_clients_read_is_fresh() -> None:
    assert LIST_FILE.read_text(encoding="utf-8") == list_file(), "stale: run ./launcher/run docs"


@pytest.mark.requirement("F1-DOCS")
def test_the_generator_removes_pages_of_tools_that_are_gone(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "gone.md").write_text("gone")
    generate(tmp_path)
    assert not (tmp_path / "tools" / "gone.md").exists()
    assert (tmp_path / "tools" / "observe.md").exists()


# --- links ------------------------------------------------------------------------------------------


@pytest.mark.requirement("F1-DOCS")
@pytest.mark.parametrize("page", WRITTEN, ids=_name)
def test_links_lead_somewhere(page: Path) -> None:
    text = _without_code(page.read_text(encoding="utf-8"))
    broken = [target for target in re.findall(r"\]\(([^)]+)\)", text) if not _resolves(page, target)]
    assert broken == []


def _resolves(page: Path, target: str) -> bool:
    path, _, anchor = target.partition("#")
    file = (page.parent / path).resolve() if path else page
    if not file.exists() or not file.is_relative_to(ROOT):
        return False
    return not anchor or anchor in _anchors(file)


def _anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def _without_code(text: str) -> str:
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.requirement("F1-DOCS")
@pytest.mark.parametrize("page", sorted((DOCS / "decisions").glob("0*.md")), ids=_name)
def test_a_decision_says_why_and_what_follows(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"# {page.name[:4]} ")
    assert [part for part in ("Context", "Decision", "Consequence") if f"\n**{part}.** " not in text] == []


# --- names ------------------------------------------------------------------------------------------


@pytest.mark.requirement("F1-DOCS")
@pytest.mark.parametrize(
    "page",
    [*(DOCS / name for name in ("design.md", "glossary.md", "contributing.md")), *sorted(DOCS.glob("decisions/0*.md"))],
    ids=_name,
)
def test_names_are_those_of_the_code(page: Path) -> None:
    quoted = re.findall(r"`([^`\n]+)`", _without_code(page.read_text(encoding="utf-8")))
    assert [name for name in quoted if not _exists(name)] == []


def _exists(name: str) -> bool:
    if re.fullmatch(r"[\w./*-]+\.(py|js|lock)|\w+/|(gasoline_cdp|tests|docs)/[\w/]+", name):
        # A file or directory: in the package, or in the checkout. NAME stands for one that a reader makes.
        name = name.replace("NAME", "*")
        return name == "uv.lock" or any([*place.glob(name.rstrip("/"))] for place in (PACKAGE, ROOT))
    if dotted := re.fullmatch(r"([A-Za-z_]\w*)\.(\w+)", name):
        owner, member = dotted.groups()
        members = _members().get(owner)
        # Chrome's own names, such as Network.enable, stand in our source as text.
        return member in members if members is not None else any(name in text for text in _sources().values())
    if re.fullmatch(r"\w+", name):
        return name in _words() or hasattr(builtins, name)
    return True


@cache
def _members() -> dict[str, set[str]]:
    """The members of every class and module of the package, by its name."""
    members: dict[str, set[str]] = {}
    for path, text in _sources().items():
        if path.suffix != ".py" or not path.is_relative_to(PACKAGE):
            continue
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                members.setdefault(node.name, set()).update(_defined(node))
        members.setdefault(path.stem, set()).update(_defined(tree))
    return members


def _defined(node: ast.ClassDef | ast.Module) -> set[str]:
    names = {
        child.name for child in node.body if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }
    for child in node.body:
        if isinstance(child, ast.AnnAssign) and isinstance(child.target, ast.Name):
            names.add(child.target.id)
        elif isinstance(child, ast.Assign):
            names |= {target.id for target in child.targets if isinstance(target, ast.Name)}
    return names


@pytest.mark.requirement("F1-DOCS")
def test_the_nurseries_are_those_of_the_code() -> None:
    text = (DOCS / "decisions" / "0007-nurseries.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([\w.]+)` in `([\w/.]+)` \|", text, re.MULTILINE)
    assert sorted(listed) == sorted(_nurseries())


def _nurseries() -> list[tuple[str, str]]:
    """Where the package opens a nursery: the outermost function, with its class, and the file."""
    found = []
    for path, text in _sources().items():
        if path.suffix != ".py" or not path.is_relative_to(PACKAGE):
            continue
        tree = ast.parse(text)
        owners: list[ast.Module | ast.ClassDef] = [tree]
        owners += [node for node in tree.body if isinstance(node, ast.ClassDef)]
        for owner in owners:
            for function in owner.body:
                if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                    continue
                calls = [node.func for node in ast.walk(function) if isinstance(node, ast.Call)]
                names = {getattr(call, "attr", getattr(call, "id", "")) for call in calls}
                if names & {"open_nursery", "open_hidden_nursery"}:
                    prefix = f"{owner.name}." if isinstance(owner, ast.ClassDef) else ""
                    found.append((prefix + function.name, str(path.relative_to(PACKAGE))))
    return found


# --- numbers ----------------------------------------------------------------------------------------


@cache
def _constants() -> dict[str, float]:
    constants: dict[str, float] = {}
    for module in pkgutil.walk_packages(gasoline_cdp.__path__, "gasoline_cdp."):
        if module.name.rpartition(".")[2] in {"windows", "__main__", "_kernel"}:
            continue
        found = vars(importlib.import_module(module.name)).items()
        named = {name: value for name, value in found if name.isupper()}
        constants |= {name: value for name, value in named.items() if isinstance(value, int | float)}
        # Of a series of numbers: how many they are.
        constants |= {name: len(value) for name, value in named.items() if _is_series(value)}
    return constants


def _is_series(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(one, int | float) for one in value)


@pytest.mark.requirement("F1-DOCS")
def test_the_limits_are_those_of_the_code() -> None:
    text = (DOCS / "design.md").read_text(encoding="utf-8")
    table = text.partition("## What is bounded")[2].partition("## ")[0]
    named = re.findall(r"`([A-Z_]+)` ([\d.]+)(?: (s|KB|MB)\b)?", table)
    assert len(named) > 30
    wrong = {name: value for name, value, unit in named if _constants().get(name) != float(value) * UNITS[unit]}
    assert wrong == {}
    # No number without its name.
    assert len(named) == len(re.findall(r"`[A-Z_]+`", table))
