"""The artifacts of a run as files: written when the command has ended, each whole or not at all."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import define, evolve, field

from gasoline_cdp import wire
from gasoline_cdp.answers.output_files import write_whole
from gasoline_cdp.artifacts.index_page import WrittenFile, index_page
from gasoline_cdp.artifacts.junit import gates_junit, merge_junit
from gasoline_cdp.artifacts.pr_summary import COMMENT_BYTES, STEP_SUMMARY_BYTES, RunFacts, make_summary
from gasoline_cdp.assets import artifact_style
from gasoline_cdp.frontends.cli.artifacts_directory import (
    FACTS_FILE,
    HAR_FILE,
    INDEX_FILE,
    JUNIT_FILE,
    SARIF_FILE,
    SUMMARY_FILE,
)
from gasoline_cdp.limits import KB

FACTS_VERSION = 1
_LEAST_SUMMARY_BYTES = 4 * KB
_WHAT = {
    HAR_FILE: "requests, for DevTools or any HAR viewer",
    SARIF_FILE: "findings of the audits, for code scanning",
    SUMMARY_FILE: "the summary, for a pull request",
    JUNIT_FILE: "the gates as test results",
    FACTS_FILE: "all findings, for programs and for gasoline-cdp merge",
}
# How test runners are told where to write JUnit results.
_JUNIT_OPTION = re.compile(r"--(?:junit-?xml|log-junit|junit)(?:=(.+))?")
_JUNIT_VARIABLES = ("PLAYWRIGHT_JUNIT_OUTPUT_FILE", "PLAYWRIGHT_JUNIT_OUTPUT_NAME", "JEST_JUNIT_OUTPUT_FILE")


@define(eq=False)
class ArtifactFiles:
    """Writes files to a directory, if there is one. What cannot be written is said, and is in `failed`."""

    directory: Path | None
    complain: Callable[[str], None]
    written: list[WrittenFile] = field(factory=list)
    failed: bool = False

    def write(self, name: str, content: bytes) -> None:
        """Write one file."""
        if self.directory is None:
            return
        if self.write_at(self.directory / name, content):
            self.written.append(WrittenFile(name, _WHAT.get(name, ""), len(content)))

    def write_at(self, path: Path, content: bytes) -> bool:
        """Write a file anywhere. Returns whether that worked."""
        try:
            # Test runners clear their directories, and ours may be in one of them.
            if not path.parent.exists():
                path.parent.mkdir(parents=True)
            write_whole(path, content)
        except OSError as error:
            self.failed = True
            self.complain(f"Cannot write {path}: {error.strerror}.")
            return False
        return True

    def write_facts(self, facts: RunFacts) -> None:
        """The summary, the findings and the page: what is made from facts alone."""
        self.write(SUMMARY_FILE, make_summary(facts, COMMENT_BYTES).encode())
        self.write(FACTS_FILE, dump_facts(facts))

    def write_index(self, facts: RunFacts) -> None:
        """The page that lists what was written. It comes last."""
        if self.directory is not None:
            files = sorted(self.written, key=lambda one: one.name)
            self.write(INDEX_FILE, index_page(facts, files, artifact_style("diff_page")).encode())

    def write_junit(self, facts: RunFacts, own: Path | None) -> None:
        """The gates as test results: in the command's own file, or in one beside the other artifacts."""
        if own is not None:
            try:
                merged = merge_junit(own.read_bytes(), facts)
            except OSError as error:
                self.complain(f"Cannot read {own}: {error.strerror}.")
            except ValueError as error:
                self.complain(f"{own} stays as it is: {error}.")
            else:
                self.write_at(own, merged)
                return
        self.write(JUNIT_FILE, gates_junit(facts))

    def append_step_summary(self, facts: RunFacts, environ: Mapping[str, str]) -> None:
        """Add the summary to the page of a GitHub job. GitHub throws a summary that is too long away as a whole."""
        if not (named := environ.get("GITHUB_STEP_SUMMARY")):
            return
        path = Path(named)
        try:
            room = STEP_SUMMARY_BYTES - (path.stat().st_size if path.exists() else 0)
            if room < _LEAST_SUMMARY_BYTES:
                self.complain("The job summary is full: ours is left out.")
                return
            with path.open("ab") as file:
                file.write(make_summary(facts, room).encode())
        except OSError as error:
            self.complain(f"Cannot write the job summary to {path}: {error.strerror}.")


def dump_facts(facts: RunFacts) -> bytes:
    """The facts as a file that `load_facts` reads. A comparison is not part of it."""
    content = {"version": FACTS_VERSION, "passed": facts.verdict.passed, "run": wire.dump(evolve(facts, diff=None))}
    return json.dumps(content, indent=1).encode()


def load_facts(path: Path) -> RunFacts:
    """The facts of a run. Raises ValueError if this is not such a file."""
    content: Any = json.loads(path.read_bytes())
    if not isinstance(content, dict) or content.get("version") != FACTS_VERSION:
        raise ValueError("it was written by another version")
    return wire.structure(content["run"], RunFacts)


def own_junit(command: Sequence[str], environ: Mapping[str, str], named: Path | None, since: float) -> Path | None:
    """The JUnit file that the command wrote: as named, or as its options and the environment say."""
    candidates = [named] if named is not None else []
    for index, word in enumerate(command):
        if match := _JUNIT_OPTION.fullmatch(word):
            value = match[1] or (command[index + 1] if index + 1 < len(command) else "")
            candidates += [Path(value)] if value else []
    candidates += [Path(environ[name]) for name in _JUNIT_VARIABLES if environ.get(name)]
    for path in candidates:
        try:
            if path.is_file() and (path.stat().st_mtime >= since - 1 or path == named):
                return path
        except OSError:
            continue
    return None
