"""`gasoline-cdp ci`: starts the daemon, runs a command with its addresses, writes artifacts, applies the gates."""

import os
import shlex
import shutil
import signal
import tempfile
import time
from argparse import Namespace
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import trio
from attrs import evolve

from gasoline_cdp.analysis.compare.sessions import compare_sessions
from gasoline_cdp.analysis.compare.snapshots import SessionSnapshot
from gasoline_cdp.analysis.gates.gate import Gate, parse_gate
from gasoline_cdp.analysis.gates.settings import GateSettings
from gasoline_cdp.analysis.gates.verdict import judge
from gasoline_cdp.artifacts.pr_summary import RunFacts
from gasoline_cdp.audits.gate_findings import LEAKS, collect_findings
from gasoline_cdp.audits.reports import run_facts
from gasoline_cdp.audits.run_audits import audit_pages, audit_traffic
from gasoline_cdp.comparisons.documents import make_findings_document, make_requests_document
from gasoline_cdp.comparisons.generate_args import GenerateArgs
from gasoline_cdp.comparisons.session_snapshot import Span, capture_snapshot
from gasoline_cdp.config import Config
from gasoline_cdp.daemon import Daemon
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.frontends import limits as frontend_limits
from gasoline_cdp.frontends.cli.ci_command import CannotStartError, Command
from gasoline_cdp.frontends.cli.ci_files import HAR_FILE, SARIF_FILE, ArtifactFiles, own_junit
from gasoline_cdp.frontends.cli.ci_output import CiOutput
from gasoline_cdp.frontends.cli.snapshot_files import read_snapshot
from gasoline_cdp.frontends.http.access import Access
from gasoline_cdp.frontends.invocation import UsageError
from gasoline_cdp.frontends.serve import open_served_daemon
from gasoline_cdp.nurseries import lone_exception
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.project_settings import find_budgets, find_gates
from gasoline_cdp.store.boundaries import RecordFilter

_TRIPPED = 3
_EXPORTED = ("GASOLINE_URL", "GASOLINE_TOKEN", "GASOLINE_INGEST_KEY", "GASOLINE_CDP_ENDPOINT")
_NOTHING = (
    "Nothing was captured: no page was opened in a browser that gasoline-cdp watches. Connect the tests to "
    "GASOLINE_CDP_ENDPOINT, or use the Playwright fixture or the pytest plugin."
)
_NO_PAGE_AUDITED = (
    "a11y: no page could be audited, since all were closed when the command ended. Ask for the verdict while a test's "
    "pages are open: the Playwright fixture and the pytest plugin do."
)


def gates_of(texts: list[str] | None) -> tuple[Gate, ...] | None:
    """The gates that were typed: `--fail-on console-errors,a11y:serious`. None if none were."""
    if texts is None:
        return None
    try:
        return tuple(parse_gate(part) for text in texts for part in text.split(",") if part.strip())
    except ValueError as error:
        raise UsageError(f"gasoline-cdp ci: --fail-on: {error}") from error


def run_ci(options: Namespace, config: Config) -> int:
    """Run the command, and return its exit code, or 3 if a gate stops the build."""
    fail_on = gates_of(options.fail_on)
    output = CiOutput()
    # Mistakes in files are found before the tests run.
    settings = find_gates(config.directory, fail_on)
    find_budgets(config.directory)
    before = read_snapshot(options.compare) if options.compare else None
    files = ArtifactFiles(config.serve.artifacts, output.problem)
    files.prepare()
    run = _Run(options, evolve(config, fail_on=fail_on), settings, output, files, before)
    with _own_runtime_directory():
        try:
            return trio.run(run.supervise)
        except BaseExceptionGroup as group:
            raise lone_exception(group) from None


@contextmanager
def _own_runtime_directory() -> Iterator[None]:
    """A daemon of this run only: jobs of one machine do not meet, and neither does a person's own daemon."""
    if os.environ.get("GASOLINE_RUNTIME_DIR"):
        yield
        return
    directory = tempfile.mkdtemp(prefix="gasoline-ci-")
    os.environ["GASOLINE_RUNTIME_DIR"] = directory
    try:
        yield
    finally:
        del os.environ["GASOLINE_RUNTIME_DIR"]
        shutil.rmtree(directory, ignore_errors=True)


class _Run:
    """One run of `ci`."""

    def __init__(
        self,
        options: Namespace,
        config: Config,
        settings: GateSettings,
        output: CiOutput,
        files: ArtifactFiles,
        before: SessionSnapshot | None,
    ) -> None:
        self._config = config
        self._settings = settings
        self._output = output
        self._files = files
        self._before = before
        self._compare: Path | None = options.compare
        self._junit: Path | None = options.junit
        self._command = Command(options.extra)
        # The command's exit code, once it has one.
        self._code: int | None = None
        self._interrupted = 0
        # What the gates and the files add to the command's code, if that is 0.
        self._gate_code = 0

    async def supervise(self) -> int:
        """Run everything. A signal goes to the command while it runs; before and after, it ends us."""
        signals = [signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
        code = None
        with trio.open_signal_receiver(*signals) as received:
            async with trio.open_nursery() as nursery:

                async def relay() -> None:
                    async for number in received:
                        if self._command.started and self._code is None:
                            self._command.forward(number)
                        else:
                            self._interrupted = number
                            nursery.cancel_scope.cancel()

                nursery.start_soon(relay)
                code = await self._all()
                nursery.cancel_scope.cancel()
        # Without a code it was interrupted. The command's own failure is not lost.
        return code if code is not None else self._code or 128 + self._interrupted

    async def _all(self) -> int:
        began = time.time()
        try:
            async with self._daemon() as (daemon, access):
                try:
                    self._code = await self._command.run(_environment(daemon, access))
                except CannotStartError as error:
                    self._output.problem(str(error))
                    self._code = error.code
                try:
                    await self._finish(daemon, began)
                except Exception as error:  # noqa: BLE001 - whatever goes wrong here, the command's code is not lost
                    # The gates have not judged, so this is no success.
                    self._gate_code = 1
                    words = error.message if isinstance(error, GasolineError) else type(error).__name__
                    self._output.problem(f"The artifacts are not complete: {words}.")
                if left := await self._command.end_left_behind():
                    listed = ", ".join(f"{name} ({pid})" for pid, name in sorted(left.items()))
                    self._output.say(f"The command left processes behind, which were ended: {listed}.")
        except GasolineError:
            if self._code:
                return self._code
            raise
        return self._code or self._gate_code

    @asynccontextmanager
    async def _daemon(self) -> AsyncIterator[tuple[Daemon, Access]]:
        async with AsyncExitStack() as stack:
            with self._output.group("gasoline-cdp: start"):
                self._output.progress("starting the browser")
                served = open_served_daemon(self._config, self._output.say)
                daemon, access = await stack.enter_async_context(served)
                watched = daemon.browser.version or "the browsers that tests name"
                self._output.say(f"Watching {watched} at {access.url}.")
            daemon.context.telemetry.run.lasting = True
            yield daemon, access

    async def _finish(self, daemon: Daemon, began: float) -> None:
        """Audit what can be audited, write the files, and judge."""
        context, files = daemon.context, self._files
        with self._output.group("gasoline-cdp: artifacts"):
            self._output.progress("auditing the pages that are still open")
            await context.capture.flush(context.tabs.open())
            await _wait_loads(context, wanted=find_budgets(self._config.directory) is not None)
            problems = await audit_pages(context, list(context.tabs.open()))
            await audit_traffic(context)
            facts = await self._facts(context, problems, daemon)
            self._output.progress("writing the artifacts")
            files.write_facts(facts)
            await self._write_documents(context)
            files.write_junit(facts, own_junit(self._command.words, os.environ, self._junit, began))
            files.write_index(facts)
            files.append_step_summary(facts, os.environ)
            if files.directory is not None and files.written:
                self._output.say(f"Artifacts: {files.directory} ({', '.join(one.name for one in files.written)}).")
        self._output.verdict(facts)
        unchecked = any(text is _NO_PAGE_AUDITED for text in facts.verdict.not_checked)
        self._gate_code = _TRIPPED if not facts.verdict.passed or unchecked else 1 if files.failed else 0

    async def _facts(self, context: Context, problems: list[str], daemon: Daemon) -> RunFacts:
        # The audits have run, so that no gate starts them again.
        collected = await collect_findings(context, RecordFilter(), ())
        wanted = {gate.name for gate in self._settings.all_gates()}
        not_checked = [*collected.not_checked, *(f"a11y: {problem}" for problem in problems)]
        seen = context.telemetry.run.pages()
        audited = any(audit.kind == "accessibility" for audit in context.audit_findings.all())
        if "a11y" in wanted and seen and not audited:
            not_checked.append(_NO_PAGE_AUDITED)
        if "leaks" in wanted:
            not_checked.append(LEAKS)
        today = datetime.now(UTC).date()
        verdict = judge(collected.findings, self._settings, today=today, not_checked=not_checked)
        notes = [daemon.failed.message] if daemon.failed is not None else []
        if restarts := context.browser.restarts:
            notes.append(f"The browser crashed and was restarted {restarts} times: what its pages did then is missing.")
        if dropped := context.telemetry.network.dropped:
            notes.append(f"{dropped} older requests had to make room: {HAR_FILE} has the newest only.")
        if not seen and not context.telemetry.network.received and not context.telemetry.logs.received:
            notes.append(_NOTHING)
        facts = evolve(
            run_facts(context, verdict, self._settings.all_gates()),
            command=shlex.join(self._command.words),
            exit_code=self._code,
            notes=notes,
        )
        if self._before is None or self._compare is None:
            return facts
        now = await capture_snapshot(context, Span(), {})
        return evolve(facts, diff=compare_sessions(self._before, now), compared_with=self._compare.stem)

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
            self._output.say(f"No {SARIF_FILE}: {error.message}")


async def _wait_loads(context: Context, *, wanted: bool) -> None:
    """Wait until the loads of pages that are still open have been measured, if there are budgets for them."""
    performance, measured = context.telemetry.performance, context.telemetry.run.is_measured
    with trio.move_on_after(frontend_limits.LOADS_SECONDS):
        while wanted and not all(measured(page.page_id) for page in performance.reporting()):  # noqa: ASYNC110 - as below
            # Loads are measured at a time of their own, by one task for each page.
            await trio.sleep(frontend_limits.LOADS_POLL_SECONDS)


def _environment(daemon: Daemon, access: Access) -> dict[str, str]:
    """The environment of the command. Addresses of another run are not passed on."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("GASOLINE_URL", "GASOLINE_TOKEN"))
    }
    environment |= {"GASOLINE_URL": access.url, "GASOLINE_INGEST_KEY": access.ingest_key}
    if access.token is not None:
        environment["GASOLINE_TOKEN"] = access.token
    if daemon.browser.debug_url:
        environment["GASOLINE_CDP_ENDPOINT"] = daemon.browser.debug_url
    return environment
