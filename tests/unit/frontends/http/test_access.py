"""The file that says where HTTP is and what opens it."""

import json
import os
import stat
from pathlib import Path

import pytest

from gasoline_cdp.frontends.http.access import FILE, make_access, published, read_access
from gasoline_cdp.frontends.local.runtime import private_directory


@pytest.mark.requirement("S13")
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_the_file_is_this_user_s_alone_and_goes_with_the_run(umask: int) -> None:
    access = make_access(7890, no_token=False)
    before = os.umask(umask)
    try:
        with published(access) as file:
            assert stat.S_IMODE(file.lstat().st_mode) == 0o600
            assert stat.S_IMODE(file.parent.lstat().st_mode) == 0o700
            assert read_access() == access
            assert [path.name for path in file.parent.iterdir()] == [FILE]
    finally:
        os.umask(before)
    assert read_access() is None


@pytest.mark.requirement("S13")
def test_a_link_in_its_place_is_replaced_and_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    directory = private_directory()
    (directory / FILE).symlink_to(victim)
    (directory / f"{FILE}.{os.getpid()}").symlink_to(victim)
    with published(make_access(1, no_token=False)) as file:
        assert not file.is_symlink()
    assert victim.read_text() == "precious"


def test_the_file_of_one_that_was_killed_is_no_daemon() -> None:
    with published(make_access(1, no_token=False)) as file:
        assert read_access() is not None
        said = json.loads(file.read_text())
        # Above the largest number that a process can have.
        file.write_text(json.dumps({**said, "pid": 2**22 + 1}))
        assert read_access() is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"port": 1}', '{"port": "x", "token": null, "ingest_key": "k"}'])
def test_a_file_that_is_none_of_ours_is_no_daemon(text: str) -> None:
    (private_directory() / FILE).write_text(text)
    assert read_access() is None
