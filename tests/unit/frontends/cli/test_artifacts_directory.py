import json
from pathlib import Path

import pytest

from gasoline_cdp.errors import GasolineError
from gasoline_cdp.frontends.cli.artifacts_directory import FACTS_FILE, SUMMARY_FILE, begin_artifacts


def test_files_of_an_earlier_run_are_removed_and_others_stay(tmp_path: Path) -> None:
    for name in ("gasoline.har", "gasoline.sarif", "junit.xml", "index.html", FACTS_FILE, "trace.zip"):
        (tmp_path / name).write_text(json.dumps("of an earlier run"))
    begin_artifacts(tmp_path, "")
    assert {path.name for path in tmp_path.iterdir()} == {SUMMARY_FILE, "trace.zip"}
    assert "gasoline-cdp ended before it could write this summary" in (tmp_path / SUMMARY_FILE).read_text()


def test_a_page_of_somebody_else_stays(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("a shop")
    begin_artifacts(tmp_path, "")
    assert (tmp_path / "index.html").read_text() == "a shop"


def test_a_directory_is_made_and_a_file_in_its_place_is_refused(tmp_path: Path) -> None:
    begin_artifacts(tmp_path / "a" / "b", "")
    assert (tmp_path / "a" / "b" / SUMMARY_FILE).exists()
    (tmp_path / "file").touch()
    with pytest.raises(GasolineError, match=r"Cannot write artifacts to \S*file: .*\. The tests were not run\."):
        begin_artifacts(tmp_path / "file", "The tests were not run.")
