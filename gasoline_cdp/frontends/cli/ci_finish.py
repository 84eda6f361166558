"""The end of a run of `ci`: audits what is open, writes the artifacts and applies the gates.

Imported when the command has ended, so that the daemon has no more memory than it needs while tests run.
"""

import os
import shlex
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import trio
from attrs import evolve, frozen

from gasoline_cdp.analysis.compare.sessions import compare_sessions
from gasoline_cdp.analysis.compare.snapshots import SessionSnapshot
from gasoline_cdp.analysis.gates.settings import GateSettings
from gasoline_cdp.analysis.gates.verdict import judge
from gasoline_cdp.artifacts.pr_summary import RunFacts
from gasoline_cdp.audits.gate_findings import collect_findings
from gasoline_cdp.audits.reports import run_facts
from gasoline_cdp.audits.run_audits import audit_pages, audit_traffic
from gasoline_cdp.comparisons.findings_document import make_findings_document
from gasoline_cdp.comparisons.generate_args import GenerateArgs
from gasoline_cdp.comparisons.requests_document import make_requests_document
from gasoline_cdp.comparisons.session_snapshot import TimeSpan, capture_snapshot
from gasoline_cdp.daemon import Daemon
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.frontends import limits as frontend_limits
from gasoline_cdp.frontends.cli.artifacts_directory import HAR_FILE, SARIF_FILE
from gasoline_cdp.frontends.cli.ci_files import ArtifactFiles, own_junit
from gasoline_cdp.frontends.cli.ci_output import CiOutput
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.project_settings import find_budgets
from gasoline_cdp.store.boundaries import RecordFilter

_TRIPPED = 3
_NOTHING = (
    "Nothing was captured: no page was opened in a browser that gasoline-cdp watches. Connect the tests to "
    "GASOLINE_CDP_ENDPOINT, or use the Playwright fixture or the pytest plugin."
)
_NO_PAGE_AUDITED = (
    "a11y: no page could be audited, since all were closed when the command ended. The Playwright fixture and the "
    "pytest plugin have pages audited at the end of each test that passes. Other tests ask for their verdict "
    "(POST /verdict) before they close their pages."
)


@frozen(kw_only=True)
class EndedRun:
    """A run whose command has ended: what it was, what the person asked for, and how it ended."""

    command: Sequence[str]
    code: int
    began: float
    settings: GateSettings
    junit: Path | None = None
    # The snapshot to compare with, and its file.
    before: SessionSnapshot | None = None
    compare: Path | None = None


async def finish_run(run: EndedRun, daemon: Daemon, output: CiOutput) -> int:
    """Audit what can be audited, write the files, and judge. Returns what that adds to the command's exit code."""
    return await _Finish(run, daemon, output).run()


class _Finish:
    def __init__(self, run: EndedRun, daemon: Daemon, output: CiOutput) -> None:
        self._run = run
        self._daemon = daemon
        self._output = output
        self._files = ArtifactFiles(daemon.config.serve.artifacts, output.problem)

    async def run(self) -> int:
        context, files = self._daemon.context, self._files
        with self._output.group("gasoline-cdp: artifacts"):
            self._output.progress("auditing the pages that are still open")
            await context.capture.flush(context.tabs.open())
            await _wait_loads(context, wanted=find_budgets(self._daemon.config.directory) is not None)
            problems = await audit_pages(context, list(context.tabs.open()))
            await audit_traffic(context)
            facts = await self._facts(context, problems)
            self._output.progress("writing the artifacts")
            files.write_facts(facts)
            await self._write_documents(context)
            files.write_junit(facts, own_junit(self._run.command, os.environ, self._run.junit, self._run.began))
            files.write_index(facts)
            files.append_step_summary(facts, os.environ)
            if files.directory is not None and files.written:
                self._output.say(f"Artifacts: {files.directory} ({', '.join(one.name for one in files.written)}).")
        self._output.verdict(facts)
        unchecked = any(text is _NO_PAGE_AUDITED for text in facts.verdict.not_checked)
        return _TRIPPED if not facts.verdict.passed or unchecked else 1 if files.failed else 0

    async def _facts(self, context: Context, problems: list[str]) -> RunFacts:
        run, daemon = self._run, self._daemon
        wanted = {gate.name for gate in run.settings.all_gates()}
        # The audits have run, so that no gate starts them again.
        unaudited = [gate for gate in run.settings.all_gates() if gate.name not in {"a11y", "security"}]
        collected = await collect_findings(context, RecordFilter(), unaudited)
        not_checked = [*collected.not_checked, *(f"a11y: {problem}" for problem in problems)]
        seen = context.telemetry.run.pages()
        audited = any(audit.kind == "accessibility" for audit in context.audit_findings.all())
        if "a11y" in wanted and seen and not audited:
            not_checked.append(_NO_PAGE_AUDITED)
        today = datetime.now(UTC).date()
        verdict = judge(collected.findings, run.settings, today=today, not_checked=not_checked)
        notes = [daemon.failed.message] if daemon.failed is not None else []
        if restarts := context.browser.restarts:
            notes.append(f"The browser crashed and was restarted {restarts} times: what its pages did then is missing.")
        if dropped := context.telemetry.network.dropped:
            notes.append(f"{dropped} older requests had to make room: {HAR_FILE} has the newest only.")
        if not seen and not context.telemetry.network.received and not context.telemetry.logs.received:
            notes.append(_NOTHING)
        facts = evolve(
            run_facts(context, verdict, run.settings.all_gates()),
            command=shlex.join(run.command),
            exit_code=run.code,
            notes=notes,
        )
        if run.before is None or run.compare is None:
            return facts
        now = await capture_snapshot(context, TimeSpan(), {})
        return evolve(facts, diff=compare_sessions(run.before, now), compared_with=run.compare.stem)

    async def _write_documents(self, context: Context) -> None:
        if self._files.directory is None:
            return
        har = await trio.to_thread.run_sync(partial(make_requests_document, GenerateArgs(format="har"), context))
        self._files.write(HAR_FILE, har.text)
        try:
            self._files.write(SARIF_FILE, make_findings_document(context).text)
        except GasolineError as error:
            if error.code is not Code.NO_AUDIT:
                raise
            self._output.say(f"No {SARIF_FILE}: there was nothing to audit.")


async def _wait_loads(context: Context, *, wanted: bool) -> None:
    """Wait until the loads of pages that are still open have been measured, if there are budgets for them."""
    performance, measured = context.telemetry.performance, context.telemetry.run.is_measured
    with trio.move_on_after(frontend_limits.LOADS_SECONDS):
        while wanted and not all(measured(page.page_id) for page in performance.reporting()):  # noqa: ASYNC110 - as below
            # Loads are measured at a time of their own, by one task for each page.
            await trio.sleep(frontend_limits.LOADS_POLL_SECONDS)
