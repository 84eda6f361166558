"""`gasoline-cdp ci`: starts the daemon, runs a command with its addresses, writes artifacts, applies the gates."""

import os
import shutil
import signal
import tempfile
import time
from argparse import Namespace
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import trio
from attrs import evolve

from gasoline_cdp.analysis.gates.gate import Gate, parse_gate
from gasoline_cdp.analysis.gates.settings import GateSettings
from gasoline_cdp.config import Config
from gasoline_cdp.daemon import Daemon
from gasoline_cdp.errors import GasolineError
from gasoline_cdp.frontends.cli.artifacts_directory import begin_artifacts
from gasoline_cdp.frontends.cli.ci_command import CannotStartError, Command
from gasoline_cdp.frontends.cli.ci_output import CiOutput
from gasoline_cdp.frontends.http.access import Access
from gasoline_cdp.frontends.invocation import UsageError
from gasoline_cdp.frontends.late_imports import import_late
from gasoline_cdp.frontends.serve import open_served_daemon
from gasoline_cdp.nurseries import lone_exception
from gasoline_cdp.operations.project_settings import find_budgets, find_gates

if TYPE_CHECKING:
    from gasoline_cdp.analysis.compare.snapshots import SessionSnapshot


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
    before = _read_before(options.compare)
    if config.serve.artifacts is not None:
        begin_artifacts(config.serve.artifacts, "The command was not run.")
    run = _Run(options, evolve(config, fail_on=fail_on), settings, output, before)
    with _own_runtime_directory():
        try:
            return trio.run(run.supervise)
        except BaseExceptionGroup as group:
            raise lone_exception(group) from None


def _read_before(path: Path | None) -> "SessionSnapshot | None":
    if path is None:
        return None
    from gasoline_cdp.frontends.cli.snapshot_files import read_snapshot  # noqa: PLC0415 - few runs compare

    return read_snapshot(path)


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
        before: "SessionSnapshot | None",
    ) -> None:
        self._config = config
        self._settings = settings
        self._output = output
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
                    self._code = await self._command.run(_environment(daemon, access, self._settings))
                except CannotStartError as error:
                    self._output.problem(str(error))
                    self._code = error.code
                try:
                    self._gate_code = await self._finish(daemon, began)
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
            daemon.context.telemetry.keep_failures()
            evidence = daemon.context.telemetry.run
            evidence.lasting = True
            evidence.keeps_loads = find_budgets(self._config.directory) is not None
            yield daemon, access

    async def _finish(self, daemon: Daemon, began: float) -> int:
        finishing = await import_late("gasoline_cdp.frontends.cli.ci_finish")
        ended = finishing.EndedRun(
            command=self._command.words,
            code=self._code,
            began=began,
            settings=self._settings,
            junit=self._junit,
            before=self._before,
            compare=self._compare,
        )
        code: int = await finishing.finish_run(ended, daemon, self._output)
        return code


def _environment(daemon: Daemon, access: Access, settings: GateSettings) -> dict[str, str]:
    """The environment of the command. What another run said is not passed on."""
    ours = ("GASOLINE_URL", "GASOLINE_TOKEN", "GASOLINE_AUDIT_PAGES")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    environment |= {"GASOLINE_URL": access.url, "GASOLINE_INGEST_KEY": access.ingest_key}
    if access.token is not None:
        environment["GASOLINE_TOKEN"] = access.token
    if daemon.browser.debug_url:
        environment["GASOLINE_CDP_ENDPOINT"] = daemon.browser.debug_url
    if any(gate.name == "a11y" for gate in settings.all_gates()):
        # Pages of tests are closed when the command ends: fixtures have them audited before.
        environment["GASOLINE_AUDIT_PAGES"] = "1"
    return environment
