"""Which commit is tested."""

import subprocess
from pathlib import Path

import pytest

from gasoline_cdp.otel.commit import commit_of

_ONE, _OTHER = "1" * 40, "2" * 40


def git(*arguments: str, cwd: Path) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=A", "-c", "user.email=a@b.test", *arguments],
        cwd=cwd,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    place = tmp_path / "project"
    place.mkdir()
    git("init", "-q", cwd=place)
    git("commit", "-q", "--allow-empty", "-m", "first", cwd=place)
    (place / "below").mkdir()
    return place


def test_a_ci_system_says_it(checkout: Path) -> None:
    assert commit_of(checkout, {"CI_COMMIT_SHA": _ONE, "GITHUB_SHA": _OTHER}) == _OTHER
    assert commit_of(None, {"CIRCLE_SHA1": f" {_ONE}\n"}) == _ONE


@pytest.mark.parametrize("wrong", ["", "main", "1234abc", "g" * 40, "<script>"])
def test_what_is_no_commit_is_not_taken_for_one(wrong: str) -> None:
    assert commit_of(None, {"GITHUB_SHA": wrong}) == ""


def test_the_checkout_says_it(checkout: Path) -> None:
    commit = git("rev-parse", "HEAD", cwd=checkout)
    assert commit_of(checkout / "below", {}) == commit
    # As a clone has it, and as one that was checked out by commit.
    git("pack-refs", "--all", cwd=checkout)
    assert commit_of(checkout, {}) == commit
    git("checkout", "-q", "--detach", cwd=checkout)
    assert commit_of(checkout, {}) == commit


def test_a_worktree_says_it(checkout: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    git("worktree", "add", "-q", "-b", "side", str(other), cwd=checkout)
    git("commit", "-q", "--allow-empty", "-m", "second", cwd=other)
    assert commit_of(other, {}) == git("rev-parse", "side", cwd=checkout) != git("rev-parse", "HEAD", cwd=checkout)
    git("pack-refs", "--all", cwd=checkout)
    assert commit_of(other, {}) == git("rev-parse", "side", cwd=checkout)


def test_without_any_there_is_none(tmp_path: Path, checkout: Path) -> None:
    assert commit_of(tmp_path, {}) == ""
    (checkout / ".git" / "HEAD").write_bytes(b"\xff\xfe")
    assert commit_of(checkout, {}) == ""
