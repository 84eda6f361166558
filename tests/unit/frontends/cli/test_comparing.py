"""Files of snapshots: what the daemon says of the browser is for the person, and not for the file."""

import json
from pathlib import Path
from typing import Any

import pytest

from gasoline_cdp import limits, wire
from gasoline_cdp.analysis.compare.snapshots import SessionIssue, SessionSnapshot
from gasoline_cdp.frontends.cli.comparing import run_diff, run_snapshot
from gasoline_cdp.frontends.cli.snapshot_files import write_snapshot
from gasoline_cdp.frontends.local import bridge

pytestmark = pytest.mark.requirement("F6-COMPARE")


def test_a_notice_is_told_beside_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def answer(_: dict[str, Any]) -> dict[str, Any]:
        return {"data": {"notice": "The browser crashed.", "snapshot": {"x": 1}, "summary": "1 error."}}

    monkeypatch.setattr(bridge, "ask", answer)
    assert run_snapshot(tmp_path / "a.json", load=None, baseline=None, url=None, include=[]) == 0
    said = capsys.readouterr()
    assert said.err == "gasoline-cdp: The browser crashed.\n"
    assert "1 error." in said.out
    assert "crashed" not in json.dumps(json.loads((tmp_path / "a.json").read_text()))


def test_a_program_is_given_every_difference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An answer over MCP is cut to its budget; a program reads on."""
    errors = tuple(SessionIssue(key=f"error {n} " + "x" * 200, message=f"error {n} " + "x" * 200) for n in range(50))
    paths = tmp_path / "before.json", tmp_path / "after.json"
    for path, snapshot in zip(
        paths, (SessionSnapshot(captured_at=1.0), SessionSnapshot(captured_at=2.0, errors=errors)), strict=True
    ):
        write_snapshot(path, wire.dump(snapshot))
    run_diff(*paths, html=None, as_json=True, fail_on=None)
    told = capsys.readouterr().out
    assert len(told) > limits.ANSWER_BYTES
    assert len(json.loads(told)["diff"]["errors"]["new"]) == len(errors)
