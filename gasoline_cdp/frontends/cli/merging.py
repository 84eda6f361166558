"""`gasoline-cdp merge`: joins the artifacts of several runs of `ci`, such as the shards of one suite."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gasoline_cdp.artifacts.junit import join_junit
from gasoline_cdp.artifacts.merging import merge_facts, merge_har
from gasoline_cdp.artifacts.pr_summary import RunFacts
from gasoline_cdp.artifacts.sarif import merge_sarif
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.frontends.cli.artifacts_directory import (
    FACTS_FILE,
    HAR_FILE,
    JUNIT_FILE,
    SARIF_FILE,
    begin_artifacts,
)
from gasoline_cdp.frontends.cli.ci_files import ArtifactFiles, load_facts
from gasoline_cdp.frontends.cli.ci_output import CiOutput

_TRIPPED = 3


def run_merge(directories: Sequence[Path], target: Path) -> int:
    """Write the joined artifacts. The exit code is that of the runs: that of a command, or 3 for a gate."""
    output = CiOutput()
    runs = [_facts(directory) for directory in directories]
    archives, logs = _read(directories, HAR_FILE), _read(directories, SARIF_FILE)
    junit = [(one / JUNIT_FILE).read_bytes() for one in directories if (one / JUNIT_FILE).is_file()]
    # Only now: the target may be one of them.
    begin_artifacts(target, "Nothing was joined.")
    files = ArtifactFiles(target, output.problem)
    if archives:
        files.write(HAR_FILE, json.dumps(merge_har(archives)).encode())
    if logs:
        files.write(SARIF_FILE, json.dumps(merge_sarif(logs), indent=2).encode())
    if junit:
        try:
            files.write(JUNIT_FILE, join_junit(junit))
        except ValueError as error:
            raise _unusable(JUNIT_FILE, str(error)) from error
    facts = merge_facts(runs)
    files.write_facts(facts)
    files.write_index(facts)
    files.append_step_summary(facts, os.environ)
    output.verdict(facts)
    return facts.exit_code or (_TRIPPED if not facts.verdict.passed else 1 if files.failed else 0)


def _facts(directory: Path) -> RunFacts:
    path = directory / FACTS_FILE
    try:
        return load_facts(path)
    except FileNotFoundError as error:
        message = f"{directory} has no {FACTS_FILE}: it is not an artifacts directory of `gasoline-cdp ci`."
        raise GasolineError(Code.BAD_SNAPSHOT_FILE, message) from error
    except OSError as error:
        raise _unusable(str(path), error.strerror or "cannot be read") from error
    except (ValueError, KeyError, TypeError, ExceptionGroup) as error:
        raise _unusable(str(path), "it is not a file of `gasoline-cdp ci`, or was cut") from error


def _read(directories: Sequence[Path], name: str) -> list[dict[str, Any]]:
    read = []
    for directory in directories:
        try:
            read.append(json.loads((directory / name).read_bytes()))
        except FileNotFoundError:
            continue
        except ValueError as error:
            raise _unusable(str(directory / name), "it is not JSON, or was cut") from error
    return read


def _unusable(name: str, why: str) -> GasolineError:
    return GasolineError(Code.BAD_SNAPSHOT_FILE, f"Cannot use {name}: {why}.")
