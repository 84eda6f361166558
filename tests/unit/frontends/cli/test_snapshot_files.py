"""A snapshot comes out of its file as it went in, and nothing else is taken for one."""

import os
from pathlib import Path

import orjson
import pytest
from hypothesis import given

from gasoline_cdp import limits, wire
from gasoline_cdp.analysis.compare.snapshots import SessionSnapshot
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.frontends import limits as frontend_limits
from gasoline_cdp.frontends.cli.snapshot_files import (
    BaselinePage,
    read_kept,
    read_snapshot,
    write_baseline,
    write_snapshot,
)
from tests.property.test_sessions import SNAPSHOTS


@given(snapshot=SNAPSHOTS)
def test_what_was_written_is_read(tmp_path_factory: pytest.TempPathFactory, snapshot: SessionSnapshot) -> None:
    path = tmp_path_factory.getbasetemp() / "snapshot.json"
    size = write_snapshot(path, wire.dump(snapshot))
    assert path.stat().st_size == size
    assert read_snapshot(path) == snapshot


@given(one=SNAPSHOTS, other=SNAPSHOTS)
def test_the_pages_of_a_baseline_are_read(
    tmp_path_factory: pytest.TempPathFactory, one: SessionSnapshot, other: SessionSnapshot
) -> None:
    path = tmp_path_factory.getbasetemp() / "baseline.json"
    write_baseline(path, [{"path": "/", "snapshot": wire.dump(one)}])
    assert read_kept(path) == [BaselinePage(path="/", snapshot=one)]
    # One page can be compared by `diff` as well.
    assert read_snapshot(path) == one
    write_baseline(path, [{"path": "/", "snapshot": wire.dump(one)}, {"path": "/cart", "snapshot": wire.dump(other)}])
    assert read_kept(path) == [BaselinePage(path="/", snapshot=one), BaselinePage(path="/cart", snapshot=other)]
    with pytest.raises(GasolineError, match=r"a baseline of 2 pages, for `gasoline-cdp snapshot .* --load NAME`"):
        read_snapshot(path)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "not JSON"),
        (b"[1]", "not a snapshot"),
        (b'{"format": "har"}', "not a snapshot"),
        (b'{"format": "gasoline-cdp snapshot", "version": 3}', "another version"),
        (b'{"format": "gasoline-cdp snapshot", "version": 1, "snapshot": {"errors": 3}}', "incomplete"),
        (b'{"format": "gasoline-cdp snapshot", "version": 1, "snapshot": {"captured_at": "now"}}', "changed"),
        (b'{"format": "gasoline-cdp baseline", "version": 3}', "another version"),
        (b'{"format": "gasoline-cdp baseline", "version": 1}', "incomplete"),
        (b'{"format": "gasoline-cdp baseline", "version": 1, "pages": [{"path": "/"}]}', "incomplete"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, content: bytes, why: str) -> None:
    path = tmp_path / "other.json"
    path.write_bytes(content)
    with pytest.raises(GasolineError, match=why) as caught:
        read_snapshot(path)
    assert caught.value.code is Code.BAD_SNAPSHOT_FILE


def test_a_file_of_the_version_before_is_read_as_far_as_it_can_be_compared(tmp_path: Path) -> None:
    """Its keys of accessibility are the rules', as now. Those of the other checks are not: nothing is told as new."""
    found = {"key": "image-alt", "message": "Images must have a text", "type": "accessibility", "page": "/"}
    leak = {"key": "credentials Stripe key in a URL GET /pay key", "message": "a key", "type": "security", "page": "/"}
    findings: dict[str, list[dict[str, str]]] = {"accessibility": [found], "security": [leak], "contracts": []}
    snapshot = {"captured_at": 1.0, "errors": [{"key": "e", "message": "e"}], "findings": findings}
    path = tmp_path / "old.json"
    path.write_bytes(orjson.dumps({"format": "gasoline-cdp snapshot", "version": 1, "snapshot": snapshot}))
    read = read_snapshot(path)
    assert [issue.key for issue in read.errors] == ["e"]
    assert {check: [issue.key for issue in issues] for check, issues in read.findings.items()} == {
        "accessibility": ["image-alt"],
        "contracts": [],
    }
    pages = [{"path": "/", "snapshot": snapshot}]
    path.write_bytes(orjson.dumps({"format": "gasoline-cdp baseline", "version": 1, "pages": pages}))
    assert read_kept(path) == [BaselinePage(path="/", snapshot=read)]


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(frontend_limits.SNAPSHOT_FILE_BYTES * limits.PERFORMANCE_PATHS + 1)
    with pytest.raises(GasolineError, match="too large"):
        read_snapshot(path)


@pytest.mark.parametrize("kind", ["fifo", "device", "directory"])
def test_what_is_no_file_is_not_waited_for(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "snapshot.json"
    match kind:
        case "fifo":
            os.mkfifo(path)
        case "device":
            path.symlink_to("/dev/zero")
        case _:
            path.mkdir()
    with pytest.raises(GasolineError, match=r"it is not a file|Is a directory"):
        read_snapshot(path)


def test_no_file_and_no_directory(tmp_path: Path) -> None:
    with pytest.raises(GasolineError, match="Cannot read"):
        read_snapshot(tmp_path / "none.json")
    with pytest.raises(GasolineError, match="Cannot write") as caught:
        write_snapshot(tmp_path / "none" / "x.json", {})
    assert caught.value.code is Code.OUTPUT_REFUSED


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(GasolineError, match="Cannot write"):
        write_snapshot(tmp_path / "taken", {})
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
