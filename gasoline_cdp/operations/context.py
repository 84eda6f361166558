"""Everything that a call may use."""

from pathlib import Path
from typing import TYPE_CHECKING

from attrs import Factory, frozen

from gasoline_cdp.analysis.gates.gate import Gate
from gasoline_cdp.answers.encoded_records import EncodedRecords
from gasoline_cdp.answers.lines import AnswerForm
from gasoline_cdp.browser.attachments import AttachedBrowsers
from gasoline_cdp.browser.status import BrowserStatus
from gasoline_cdp.capture.page import Capture
from gasoline_cdp.cdp.tabs import Tabs
from gasoline_cdp.operations.client import Client, Progress, no_progress
from gasoline_cdp.operations.jobs import Jobs
from gasoline_cdp.operations.saved_items import SavedItems
from gasoline_cdp.probe.conditions import Conditions
from gasoline_cdp.probe.evaluate import Scripts
from gasoline_cdp.probe.heaps import Heaps
from gasoline_cdp.probe.highlight import Highlights
from gasoline_cdp.probe.memory_trend import MemoryTrend
from gasoline_cdp.store.audit_findings import AuditFindings
from gasoline_cdp.store.audits import Audits
from gasoline_cdp.store.boundaries import Boundaries
from gasoline_cdp.store.leak_checks import LeakChecks
from gasoline_cdp.store.pilot import Pilot
from gasoline_cdp.store.seen_trees import SeenTrees
from gasoline_cdp.store.states import SavedStates
from gasoline_cdp.store.telemetry import Telemetry
from gasoline_cdp.streaming import Streaming

if TYPE_CHECKING:
    from gasoline_cdp.otel.export import Export


@frozen(kw_only=True)
class Context:
    """Holds references only. Each call has its own, with its client, progress callback and answer form."""

    telemetry: Telemetry
    capture: Capture
    # The daemon's own browser.
    browser: BrowserStatus
    pilot: Pilot
    streaming: Streaming
    started_at: float
    # Those attached by request.
    browsers: AttachedBrowsers = Factory(lambda self: AttachedBrowsers(self.browser), takes_self=True)
    boundaries: Boundaries = Factory(Boundaries)
    strict: bool = False
    jobs: Jobs = Factory(Jobs)
    highlights: Highlights = Factory(Highlights)
    scripts: Scripts = Factory(Scripts)
    conditions: Conditions = Factory(Conditions)
    states: SavedStates = Factory(SavedStates)
    # The directory in which we were started. Its project's budgets apply.
    directory: Path | None = None
    saved: SavedItems = Factory(SavedItems)
    # The directory for output files, if the person gave one.
    artifacts: Path | None = None
    # The directory whose files may be uploaded to pages, if the person gave one.
    uploads: Path | None = None
    client: Client = Factory(Client)
    progress: Progress = no_progress
    # The form that the caller reads. Answers are measured and sent in it.
    form: AnswerForm = "json"
    encoded: EncodedRecords = Factory(lambda self: EncodedRecords(self.telemetry), takes_self=True)
    audits: Audits = Factory(Audits)
    audit_findings: AuditFindings = Factory(AuditFindings)
    leak_checks: LeakChecks = Factory(LeakChecks)
    # The gates that the person asked for on the command line, if any.
    fail_on: tuple[Gate, ...] | None = None
    seen_trees: SeenTrees = Factory(SeenTrees)
    heaps: Heaps = Factory(Heaps)
    memory: MemoryTrend = Factory(MemoryTrend)
    # To an OpenTelemetry backend, if the person named one.
    export: "Export | None" = None

    @property
    def tabs(self) -> Tabs:
        """The tabs of all browsers."""
        return self.capture.tabs
