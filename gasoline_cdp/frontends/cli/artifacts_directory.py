"""The directory of a run's artifacts before they are written: empty of an earlier run's, and honest until the end."""

from pathlib import Path

from gasoline_cdp.answers.output_files import write_whole
from gasoline_cdp.errors import Code, GasolineError

FACTS_FILE = "findings.json"
HAR_FILE = "gasoline.har"
SARIF_FILE = "gasoline.sarif"
SUMMARY_FILE = "summary.md"
JUNIT_FILE = "junit.xml"
INDEX_FILE = "index.html"
# Stands there until the summary does: a job that was killed has no other word of us.
_MISSING = (
    "## Browser evidence\n\n"
    "Not complete: gasoline-cdp ended before it could write this summary, or had no room for it. "
    "Files that are not beside this one are missing.\n"
)


def begin_artifacts(directory: Path, consequence: str) -> None:
    """Create the directory, and find out whether files can be written before an hour of work is lost.

    What an earlier run wrote is removed, so that nobody takes it for this one's.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        write_whole(directory / SUMMARY_FILE, _MISSING.encode())
        # Without it, such files may be of others.
        if (directory / FACTS_FILE).exists():
            for name in (HAR_FILE, SARIF_FILE, JUNIT_FILE, INDEX_FILE, FACTS_FILE):
                (directory / name).unlink(missing_ok=True)
    except OSError as error:
        message = f"Cannot write artifacts to {directory}: {error.strerror}. {consequence}"
        raise GasolineError(Code.OUTPUT_REFUSED, message) from error
