"""Files are written below one directory, at once, and never through a link."""

import os
from pathlib import Path

import pytest

from gasoline_cdp.answers.output_files import write_output
from gasoline_cdp.errors import Code, GasolineError

pytestmark = pytest.mark.requirement("S21")


def test_a_file_is_written_and_replaced(tmp_path: Path) -> None:
    assert write_output(tmp_path, "a/b.json", b"1", ".json") == str(tmp_path / "a" / "b.json")
    write_output(tmp_path, "a/b.json", b"22", ".json")
    assert (tmp_path / "a" / "b.json").read_bytes() == b"22"
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b.json"]


@pytest.mark.parametrize(
    "output",
    [
        "../x.json", "a/../../x.json", "/tmp/x.json", "a\0.json", "a\n.json", "x" * 300 + ".json",
        "a/" * 600 + "x.json",
        "", ".", "x.sh", ".hidden.json", "a/.git/x.json", "..\\x.json", "C:/x.json", "/".join(["a"] * 20) + "/x.json",
        "report\u202enosj.exe.json", "a\u200bb.json", "\ufeffx.json", "a\x7f.json", "a\x85.json",
    ],
)  # fmt: skip
def test_names_that_lead_out_are_refused(tmp_path: Path, output: str) -> None:
    with pytest.raises(GasolineError) as refused:
        write_output(tmp_path / "root", output, b"1", ".json")
    assert refused.value.code is Code.OUTPUT_REFUSED


def test_links_fifos_and_directories_are_refused(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept.json").write_text("kept")
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to(outside)
    (root / "file.json").symlink_to(outside / "kept.json")
    os.mkfifo(root / "fifo.json")
    (root / "dir.json").mkdir()
    for output in ("link/x.json", "file.json", "fifo.json", "dir.json"):
        with pytest.raises(GasolineError):
            write_output(root, output, b"1", ".json")
    assert (outside / "kept.json").read_text() == "kept"
    assert [path.name for path in outside.iterdir()] == ["kept.json"]


def test_without_a_directory_nothing_is_written() -> None:
    with pytest.raises(GasolineError, match="--artifacts"):
        write_output(None, "x.json", b"1", ".json")
