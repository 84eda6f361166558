"""Which commit is tested: as the CI system says, else as the checkout in the working directory has it."""

import re
from collections.abc import Mapping
from pathlib import Path

# GitHub, GitLab, CircleCI, Jenkins, Buildkite, Azure Pipelines, Bitbucket.
_VARIABLES = (
    "GITHUB_SHA",
    "CI_COMMIT_SHA",
    "CIRCLE_SHA1",
    "GIT_COMMIT",
    "BUILDKITE_COMMIT",
    "BUILD_SOURCEVERSION",
    "BITBUCKET_COMMIT",
)
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?", re.ASCII)
_PACKED_BYTES = 1_000_000


def commit_of(directory: Path | None, environ: Mapping[str, str]) -> str:
    """The full hash of the commit; empty if it is not known. Runs nothing."""
    named = (environ.get(name, "").strip().lower() for name in _VARIABLES)
    if commit := next(filter(_COMMIT.fullmatch, named), ""):
        return commit
    if directory is None:
        return ""
    try:
        return _checked_out(directory)
    except (OSError, UnicodeDecodeError):
        return ""


def _checked_out(directory: Path) -> str:
    git = next((one / ".git" for one in (directory, *directory.parents) if (one / ".git").exists()), None)
    if git is None:
        return ""
    if git.is_file():
        # A worktree or a submodule.
        git = git.parent / _read(git).removeprefix("gitdir:").strip()
    head = _read(git / "HEAD")
    if not head.startswith("ref:"):
        return head if _COMMIT.fullmatch(head) else ""
    ref = head.removeprefix("ref:").strip()
    shared = git / _read(git / "commondir") if (git / "commondir").exists() else git
    for root in (git, shared):
        if (root / ref).is_file():
            commit = _read(root / ref)
            return commit if _COMMIT.fullmatch(commit) else ""
    packed = _read(shared / "packed-refs").splitlines() if (shared / "packed-refs").exists() else []
    commits = (line.partition(" ")[0] for line in packed if line.partition(" ")[2] == ref)
    return next(filter(_COMMIT.fullmatch, commits), "")


def _read(file: Path) -> str:
    with file.open(encoding="utf-8") as stream:
        return stream.read(_PACKED_BYTES).strip()
