"""What checks for leaks of memory found, for gates: the newest check of each page and name."""

import time
from collections.abc import Iterator

from attrs import frozen

from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.findings import Finding
from gasoline_cdp.records import Source

_CHECKS_KEPT = 200


@frozen(kw_only=True)
class LeakCheck:
    """One check of a page, and what it found. It has a source and a time, as records have."""

    source: Source
    ts: float
    findings: tuple[Finding, ...]


class LeakChecks:
    """Bounded. Checking a page again under the same name replaces what was found before."""

    def __init__(self) -> None:
        self._checks: BoundedDict[tuple[str, str], LeakCheck] = BoundedDict(_CHECKS_KEPT)

    def add(self, source: Source, name: str, findings: tuple[Finding, ...]) -> None:
        """A page was checked."""
        self._checks[source.target_id, name] = LeakCheck(source=source, ts=time.time(), findings=findings)

    def __iter__(self) -> Iterator[LeakCheck]:
        return iter(self._checks.values())
