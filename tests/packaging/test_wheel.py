"""The wheel and the sdist: what is in them, and that the wheel runs where there is no checkout."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

from gasoline_cdp import __version__
from gasoline_cdp.chrome.find import find_browser
from launcher.build_kernel import KERNEL_NAME
from tests.heap_snapshots import Node, write_snapshot
from tests.processes import HEADLESS
from tests.suites.running import SUITES, open_site, python_packages

CHECKOUT = Path(__file__).parents[2]
VENDOR = CHECKOUT / "vendor"
_METADATA = f"gasoline_cdp-{__version__}.dist-info"
_COMPILED = any(shutil.which(name) for name in ("cc", "gcc", "clang"))

pytestmark = pytest.mark.requirement("F1-PACKAGE")


def _run(*command: str | Path, cwd: Path, code: int = 0, **environment: str) -> str:
    """Run a program, free of what this run's environment says about Python; what it printed."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PIP_", "VIRTUAL_ENV"))}
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**kept, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def _build(source: Path, target: str, into: Path) -> Path:
    _run(sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", into, cwd=source)
    (built,) = into.iterdir()
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _build(CHECKOUT, "wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _build(CHECKOUT, "sdist", tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a fresh environment with the wheel in it. Only the dependencies are borrowed from this one."""
    fresh = tmp_path_factory.mktemp("fresh") / "venv"
    venv.create(fresh, symlinks=True)
    programs = fresh / "bin"
    quiet = ["--quiet", "--disable-pip-version-check", "--no-cache-dir"]
    pip = [sys.executable, "-m", "pip", "--python", str(programs / "python")]
    _run(*pip, "install", *quiet, "--no-deps", "--no-index", wheel, cwd=fresh)
    libraries = Path(
        _run(programs / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=fresh).strip()
    )
    # A directory named like this is searched, but its own .pth files (our editable install) are not read.
    borrowed = dict.fromkeys((sysconfig.get_path("purelib"), sysconfig.get_path("platlib")))
    (libraries / "borrowed.pth").write_text("".join(f"{path}\n" for path in borrowed))
    return programs


def _contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _axe_version() -> dict[str, str]:
    lines = (VENDOR / "axe.version").read_text(encoding="utf-8").splitlines()
    return dict(line.split(": ", 1) for line in lines)


def test_the_vendored_axe_is_the_one_its_version_file_names() -> None:
    script = (VENDOR / "axe.min.js").read_bytes()
    named = _axe_version()
    assert hashlib.sha256(script).hexdigest() == named["sha256"]
    assert script.startswith(f"/*! axe v{named['version']}\n".encode())


def test_the_wheel_holds_the_package_what_it_needs_and_nothing_else(wheel: Path) -> None:
    contents = _contents(wheel)
    package = {name: data for name, data in contents.items() if not name.startswith(f"{_METADATA}/")}
    sources = [path for path in (CHECKOUT / "gasoline_cdp").rglob("*") if path.is_file()]
    kernel = f"gasoline_cdp/analysis/heap/{KERNEL_NAME}"
    expected = {
        path.relative_to(CHECKOUT).as_posix(): path.read_bytes()
        for path in sources
        # An editable install has its own kernel beside the source.
        if "__pycache__" not in path.parts and path != CHECKOUT / kernel
    }
    assert (package.pop(kernel, None) is not None) == _COMPILED
    expected |= {f"gasoline_cdp/_vendor/{path.name}": path.read_bytes() for path in VENDOR.iterdir()}
    assert sorted(package) == sorted(expected)
    assert package == expected
    for needed in (
        "gasoline_cdp/py.typed",
        "gasoline_cdp/page/page_info.js",
        "gasoline_cdp/frontends/cli/demo_site/index.html",
        "gasoline_cdp/_vendor/axe.min.js",
        "gasoline_cdp/_vendor/axe.version",
        "gasoline_cdp/_vendor/axe.LICENSE.txt",
    ):
        assert needed in package


def test_the_wheel_s_metadata_is_complete(wheel: Path) -> None:
    contents = _contents(wheel)
    metadata = {name.removeprefix(f"{_METADATA}/") for name in contents if name.startswith(f"{_METADATA}/")}
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    licences = {f"licenses/{path}" for path in project["license-files"]}
    assert metadata == {"METADATA", "RECORD", "WHEEL", "entry_points.txt", *licences}
    for path in project["license-files"]:
        assert contents[f"{_METADATA}/licenses/{path}"] == (CHECKOUT / path).read_bytes()
    entries = contents[f"{_METADATA}/entry_points.txt"]
    assert b"gasoline-cdp = gasoline_cdp.frontends.entry:main" in entries
    assert b"[pytest11]\ngasoline_cdp = gasoline_cdp.frontends.pytest_plugin.plugin" in entries
    assert f"\nVersion: {__version__}\n".encode() in contents[f"{_METADATA}/METADATA"]
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_") if _COMPILED else "any"
    assert wheel.name == f"gasoline_cdp-{__version__}-py3-none-{platform}.whl"
    purelib = b"Root-Is-Purelib: " + (b"false" if _COMPILED else b"true")
    assert purelib in contents[f"{_METADATA}/WHEEL"]


def test_without_a_compiler_the_wheel_is_pure(tmp_path: Path) -> None:
    command = (sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", tmp_path)
    _run(*command, cwd=CHECKOUT, CC=str(tmp_path / "none"))
    (built,) = tmp_path.iterdir()
    assert built.name == f"gasoline_cdp-{__version__}-py3-none-any.whl"
    contents = _contents(built)
    assert f"gasoline_cdp/analysis/heap/{KERNEL_NAME}" not in contents
    assert "gasoline_cdp/analysis/heap/fallback_engine.py" in contents


def test_the_metadata_claims_what_is_tested(wheel: Path) -> None:
    metadata = _contents(wheel)[f"{_METADATA}/METADATA"].decode()
    claimed = [line for line in metadata.splitlines() if line.startswith("Classifier: Operating System")]
    assert claimed == ["Classifier: Operating System :: POSIX :: Linux"]
    readme = (CHECKOUT / "README.md").read_text(encoding="utf-8")
    platforms = readme.partition("## Platforms")[2].partition("\n## ")[0]
    tested = [line for line in platforms.splitlines() if line.startswith("|") and "not tested" not in line][2:]
    assert len(tested) == 1
    assert tested[0].startswith("| Linux")
    versions = re.findall(r"^Classifier: Programming Language :: Python :: (3\.\d+)$", metadata, re.MULTILINE)
    assert versions == re.findall(r"Python (3\.\d+)", tested[0])
    # The project has no page of its own yet.
    assert "Project-URL" not in metadata


def test_the_sdist_builds_the_same_wheel(sdist: Path, wheel: Path, tmp_path: Path) -> None:
    with tarfile.open(sdist) as archive:
        # Our own archive. The argument that refuses hostile ones came with Python 3.11.4.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(tmp_path / "source")
    (source,) = (tmp_path / "source").iterdir()
    assert source.name == f"gasoline_cdp-{__version__}"
    for needed in ("README.md", "LICENSE", "launcher/run", "vendor/axe.min.js", "tests/conftest.py"):
        assert (source / needed).is_file(), needed
    again = _build(source, "wheel", tmp_path / "again")
    assert _contents(again) == _contents(wheel)


def test_the_installed_command_is_the_wheel_s(installed: Path, tmp_path: Path) -> None:
    assert _run(installed / "gasoline-cdp", "--version", cwd=tmp_path) == f"gasoline-cdp {__version__}\n"
    where = _run(installed / "python", "-c", "import gasoline_cdp; print(gasoline_cdp.__file__)", cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(installed.parent)
    assert "get_page_info" in _run(installed / "gasoline-cdp", "completions", "bash", cwd=tmp_path)


def test_the_installed_command_reads_a_heap(installed: Path, tmp_path: Path) -> None:
    nodes = [Node("synthetic", "", 0, [("element", 1, 1)]), Node("object", "Cart", 16)]
    (tmp_path / "a.heapsnapshot").write_bytes(write_snapshot(nodes))
    told = json.loads(_run(installed / "gasoline-cdp", "heap", "a.heapsnapshot", "--json", cwd=tmp_path))
    assert told["engine"] == ("native" if _COMPILED else "fallback")
    assert [one["name"] for one in told["classes"]] == ["Cart"]


def test_the_installed_package_finds_what_runs_in_pages(installed: Path, tmp_path: Path) -> None:
    code = (
        "from gasoline_cdp.assets import page_script, vendored\n"
        "print(vendored('axe.min.js')[:20], page_script('page_info')[:12], sep='|')"
    )
    told = _run(installed / "python", "-c", code, cwd=tmp_path)
    assert told.startswith(f"/*! axe v{_axe_version()['version']}\n")
    assert told.endswith("|// @ts-check\n")


@pytest.mark.requirement("F11-EVIDENCE")
def test_the_installed_plugin_adds_the_evidence_of_a_failing_test(installed: Path, tmp_path: Path) -> None:
    readme = (CHECKOUT / "README.md").read_text(encoding="utf-8")
    # Beside `pip install`, this line is all that it takes.
    line = next(found for found in re.findall(r"`(gasoline-cdp ci [^`]*)`", readme) if found.endswith("pytest"))
    _, *arguments, program = line.split()
    arguments.insert(1, "--port=0")
    environment = {
        "SUITE_BROWSER": str(find_browser()),
        "SUITE_FAULTS": "http-500",
        "PYTHONPATH": str(python_packages()),
    }
    with open_site() as site:
        pytest_command = [str(installed / "python"), "-m", program, "-c", os.devnull, "-k", "fails_by"]
        shutil.copy(SUITES / "pytest" / "test_shop.py", tmp_path)
        suite = [str(tmp_path), "-p", "no:cacheprovider", f"--rootdir={tmp_path}"]
        command = [installed / "gasoline-cdp", *arguments, *pytest_command, *suite]
        told = _run(*command, cwd=tmp_path, code=1, SUITE_SITE=site, **environment)
    assert '| {"error":"failing-http-500 is out of stock"}' in told
    assert list(tmp_path.glob("test-results/*/gasoline.har"))


def test_the_installed_command_runs_the_demo_anywhere(installed: Path, tmp_path: Path) -> None:
    told = _run(installed / "gasoline-cdp", "demo", "--once", *HEADLESS, cwd=tmp_path)
    assert "/api/checkout" in told
    assert "applyCoupon" in told
