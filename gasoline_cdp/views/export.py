"""What was sent to an OpenTelemetry backend, for `status`."""

from attrs import frozen

from gasoline_cdp.answers.lines import Line, Tone
from gasoline_cdp.operations.context import Context


@frozen(kw_only=True)
class ExportStatus:
    """What was sent to an OpenTelemetry backend. `waiting` and `dropped` count records and what was made of them."""

    endpoint: str
    sent: int
    waiting: int
    dropped: int
    # Why the newest batch was not accepted.
    failure: str = ""

    def line(self) -> Line:
        """`to http://127.0.0.1:4318: 120 sent, 3 waiting, 0 dropped`."""
        counts = f"to {self.endpoint}: {self.sent} sent, {self.waiting} waiting, {self.dropped} dropped"
        tone: Tone = "warning" if self.failure or self.dropped else "plain"
        return Line(f"{counts}; not accepted: {self.failure}" if self.failure else counts, tag="export", tone=tone)


def export_status(context: Context) -> ExportStatus | None:
    """The counts of the export; None if nothing is exported."""
    export = context.export
    if export is None:
        return None
    return ExportStatus(
        endpoint=export.endpoint,
        sent=export.sent,
        waiting=export.waiting,
        dropped=export.dropped,
        failure=export.failure,
    )
