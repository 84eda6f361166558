"""Files of snapshots: what the daemon says of the browser is for the person, and not for the file."""

import json
from pathlib import Path
from typing import Any

import pytest

from gasoline_cdp.frontends.cli.comparing import run_snapshot
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
