"""Session snapshots in an answer: their names and counts."""

import re
from collections.abc import Iterator

from attrs import field, frozen

from gasoline_cdp import limits
from gasoline_cdp.analysis.compare.snapshots import SessionSnapshot
from gasoline_cdp.answers.amounts import clock, duration, size
from gasoline_cdp.answers.lines import Line
from gasoline_cdp.answers.paging import iso
from gasoline_cdp.answers.quoting import word
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.errors import Code, GasolineError

CURRENT = "current"
_NAME = re.compile(r"[\w][\w .:/@+-]*")


@frozen(kw_only=True)
class SnapshotEntry:
    """The counts of a snapshot."""

    captured_at: str
    console_errors: int
    console_warnings: int
    network_requests: int
    network_errors: int
    websocket_connections: int
    unique_endpoints: int
    page_url: str
    performance: dict[str, float | None] | None = None
    findings: dict[str, int] = field(factory=dict)
    # Kind → how many a snapshot had no room for.
    left_out: dict[str, int] = field(factory=dict)

    def lines(self) -> Iterator[Line]:
        """The page and the counts."""
        yield Line(word(self.page_url), time=clock(self.captured_at), tag="page")
        failed = f" ({self.network_errors} failed)" if self.network_errors else ""
        counts = (
            number_of(self.console_errors, "console error"),
            number_of(self.console_warnings, "warning"),
            f"{number_of(self.network_requests, 'request')}{failed} to {number_of(self.unique_endpoints, 'endpoint')}",
            number_of(self.websocket_connections, "WebSocket") if self.websocket_connections else "",
            *(f"{count} {check}" for check, count in self.findings.items()),
        )
        yield Line(", ".join(filter(None, counts)))
        if load := self._load():
            yield Line(load, tag="load")
        if self.left_out:
            kinds = ", ".join(f"{count} {kind}" for kind, count in self.left_out.items())
            yield Line(f"{kinds} did not fit", tone="warning")

    def _load(self) -> str:
        load = self.performance or {}
        took, count, moved = (load.get(name) for name in ("load_time", "request_count", "transfer_size"))
        parts = (
            duration(took) if took is not None else "",
            number_of(round(count), "request") if count is not None else "",
            size(moved) if moved is not None else "",
        )
        return ", ".join(filter(None, parts))


def new_name(name: str | None) -> str:
    """A valid name of a snapshot. Raises `invalid_params` for others."""
    given = (name or "").strip()
    if given == CURRENT:
        problem = f"name must not be {CURRENT!r}, which means the state now"
    elif len(given) > limits.SNAPSHOT_NAME_CHARS:
        problem = f"name must have at most {limits.SNAPSHOT_NAME_CHARS} characters"
    elif not given:
        problem = "name is needed"
    elif not _NAME.fullmatch(given):
        problem = "name may have letters, digits, spaces and . : / @ + - and begins with a letter or a digit"
    else:
        return given
    raise GasolineError(Code.INVALID_PARAMS, f"Cannot keep the snapshot: {problem}.", problems=[problem])


def not_kept(snapshot: SessionSnapshot) -> str:
    """What a snapshot had no room for, and where to find it; empty if all fits."""
    if not snapshot.left_out:
        return ""
    missing = ", ".join(number_of(count, f"more {name.removesuffix('s')}") for name, count in snapshot.left_out.items())
    return (
        f" {missing} did not fit and will not be compared: narrow it with url_filter or tab_id. "
        "observe(what='errors') and observe(what='network') list all."
    )


def show_snapshot(snapshot: SessionSnapshot) -> SnapshotEntry:
    """A snapshot as an entry."""
    load = next(iter(snapshot.performance), None)
    return SnapshotEntry(
        captured_at=iso(snapshot.captured_at),
        console_errors=snapshot.error_count,
        console_warnings=sum(issue.count for issue in snapshot.warnings),
        network_requests=sum(endpoint.calls for endpoint in snapshot.network),
        network_errors=sum(endpoint.failed for endpoint in snapshot.failing),
        websocket_connections=sum(socket.connections for socket in snapshot.websockets),
        unique_endpoints=len(snapshot.network),
        page_url=snapshot.page_url,
        performance=None
        if load is None
        else {
            "load_time": load.metrics.load,
            "request_count": load.metrics.request_count,
            "transfer_size": load.metrics.transfer_size,
        },
        findings={category: len(issues) for category, issues in snapshot.findings.items()},
        left_out=snapshot.left_out,
    )
