"""The findings of audits that have run, for reports: the newest audit of each page and kind."""

import time
from collections.abc import Hashable
from typing import Literal

from attrs import frozen

from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.findings import Finding
from gasoline_cdp.records import Source

AuditKind = Literal["accessibility", "security"]
# Audits whose findings a report can contain: the newest of each page.
_AUDITS_REPORTED = 200


@frozen(kw_only=True)
class FinishedAudit:
    """One audit and what it found. `page` is empty for an audit of the traffic of all pages."""

    kind: AuditKind
    findings: tuple[Finding, ...]
    page: str = ""
    ts: float = 0.0
    source: Source | None = None
    # Some frames were not checked.
    partial: bool = False


class AuditFindings:
    """Bounded. Auditing a page again replaces what was found in it before."""

    def __init__(self) -> None:
        self._audits: BoundedDict[Hashable, FinishedAudit] = BoundedDict(_AUDITS_REPORTED)

    def add_page(
        self,
        source: Source,
        scope: tuple[str, ...],
        findings: tuple[Finding, ...],
        *,
        kind: AuditKind = "accessibility",
        partial: bool = False,
    ) -> None:
        """A page was audited, or the part of it that `scope` names."""
        page = source.url.partition("#")[0]
        self._audits[kind, source.target_id, page, scope] = FinishedAudit(
            kind=kind, findings=findings, page=page, ts=time.time(), source=source, partial=partial
        )

    def add_traffic(self, which: Hashable, findings: tuple[Finding, ...], *, whole: bool) -> None:
        """The traffic was audited. An audit of all of it replaces those of parts."""
        if whole:
            for key in [key for key, audit in self._audits.items() if not audit.page]:
                del self._audits[key]
        self._audits["security", which] = FinishedAudit(kind="security", findings=findings, ts=time.time())

    def join_traffic(self, findings: tuple[Finding, ...]) -> None:
        """The traffic of a run was audited again. What was found earlier stays: its records may be gone."""
        earlier = [one for audit in self._audits.values() if not audit.page for one in audit.findings]
        joined = {(one.key, one.location.path): one for one in (*earlier, *findings)}
        self.add_traffic("run", tuple(joined.values()), whole=True)

    def all(self) -> list[FinishedAudit]:
        """Every audit, oldest first."""
        return list(self._audits.values())
