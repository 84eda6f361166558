"""The kernel: compiled where there is a compiler, refused if made from another source. The daemon has no numpy."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gasoline_cdp.analysis.heap import native
from launcher.build_kernel import KERNEL_NAME, compile_kernel

pytestmark = pytest.mark.requirement("F10-FILES")

_HAS_COMPILER = any(shutil.which(name) for name in ("cc", "gcc", "clang"))


def test_where_there_is_a_compiler_the_kernel_is_what_runs() -> None:
    assert KERNEL_NAME == native.KERNEL_NAME
    kernel = native.load_kernel()
    assert (kernel is not None) == _HAS_COMPILER, "./launcher/run compiles it: is this checkout set up with it?"


def test_a_kernel_of_another_source_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not _HAS_COMPILER:
        pytest.skip("there is no compiler here, so there is no kernel")
    other = tmp_path / "kernel.c"
    other.write_bytes(native.SOURCE.read_bytes() + b"\n")
    assert compile_kernel(other, tmp_path / KERNEL_NAME) == ""
    monkeypatch.setattr(native, "_HERE", tmp_path)
    assert native.load_kernel() is None
    assert compile_kernel(native.SOURCE, tmp_path / KERNEL_NAME) == ""
    # A new name: what is loaded under the old one stays loaded.
    (tmp_path / "again").mkdir()
    shutil.copy(tmp_path / KERNEL_NAME, tmp_path / "again")
    monkeypatch.setattr(native, "_HERE", tmp_path / "again")
    assert native.load_kernel() is not None


def test_without_a_compiler_nothing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert compile_kernel(native.SOURCE, tmp_path / "out") == "There is no C compiler."
    monkeypatch.setenv("CC", str(tmp_path / "none"))
    assert "did not start" in compile_kernel(native.SOURCE, tmp_path / "out")


def test_the_daemon_never_imports_numpy() -> None:
    code = (
        "import sys, gasoline_cdp.daemon, gasoline_cdp.frontends.serve, gasoline_cdp.frontends.cli.main,"
        " gasoline_cdp.tools.registry, gasoline_cdp.unlisted;"
        " print([name for name in sys.modules if name.partition('.')[0] == 'numpy'])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
