"""Whether generated tests pass on the app they were recorded on, and fail on a broken one for the right reason.

Flows are recorded from real input in pages of ours and in other people's applications, which npm and pip fetch by name
into a directory that outlives the run (--fetch). Each test is run by the real Playwright several times, then once on
every broken variant of its app.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

import trio
from attrs import define, field
from rich.console import Console

from gasoline_cdp.browser.launched import Launched
from gasoline_cdp.config import CaptureOptions, Config
from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.records import Record
from gasoline_cdp.tools.registry import TOOLS
from tests.benchmarks.flow_apps import Break, Opener
from tests.benchmarks.flow_components import COMPONENTS, component_flows
from tests.benchmarks.flow_own import RecordedFlow, own_flows
from tests.benchmarks.flow_strangers import NPM, stranger_flows
from tests.benchmarks.flow_user import User
from tests.benchmarks.flow_whole_programs import PROGRAMS_NPM, PROGRAMS_PYPI, program_flows
from tests.fakes import make_context
from tests.node_tools import fetch_packages
from tests.recorded import acted, called, showed
from tests.suites.generated import run_python, spec_results
from tests.support import Watch, open_watch

_DETECTIONS = 0.95
# One run of the test runner ends within its time, even on a machine with much else to do.
_TESTS_AT_ONCE = 20
_LONG_FLOWS = 5


@define
class Outcome:
    """What became of one flow."""

    flow: RecordedFlow
    seconds: float = 0.0
    warnings: list[str] = field(factory=list)
    # File of the test → what it runs on: the whole app, or a broken one. Two breaks may have the same name.
    files: dict[str, Break | None] = field(factory=dict)
    errors: dict[str, str] = field(factory=dict)

    @property
    def passes(self) -> list[bool]:
        return [not self.errors[file] for file, change in self.files.items() if not change and file in self.errors]

    def detections(self) -> list[tuple[str, bool, str]]:
        """Each break, whether the test failed for its reason, and what it said."""
        given = [(change, self.errors.get(file, "")) for file, change in self.files.items() if change]
        return [(change.name, bool(said and re.search(change.reason, said)), said) for change, said in given]


def main(arguments: Sequence[str]) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="launcher/run bench flows", description=__doc__)
    parser.add_argument("--only", default="", help="flows whose name contains one of these, with commas between")
    parser.add_argument("--runs", type=int, default=3, help="how often each test runs on the whole app (default: 3)")
    parser.add_argument("--language", choices=["typescript", "javascript", "python"], default="typescript")
    parser.add_argument("--breaks", action=argparse.BooleanOptionalAction, default=True, help="also on broken apps")
    parser.add_argument("--show", action="store_true", help="print each test")
    parser.add_argument("--workers", default="3", help="of Playwright (default: 3)")
    parser.add_argument("--fetch", type=Path, default=Path(sys.prefix) / ".flows", help="where packages are kept")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as home:
        flows = [flow for flow in all_flows(options.fetch, Path(home)) if _is_chosen(flow.name, options.only)]
        outcomes = trio.run(_run, options, flows, Path(home))
    return _report(outcomes)


def fetch(directory: Path) -> tuple[Path, Path]:
    """The packages from npm and from PyPI, fetched the first time."""
    return _from_npm(directory / "npm", NPM), _from_pypi(directory / "pypi", ["datasette"])


def all_flows(directory: Path, home: Path) -> list[RecordedFlow]:
    """All flows, in pages of ours and in other people's."""
    guests = _from_npm(directory / "guests-npm", (*COMPONENTS, *PROGRAMS_NPM))
    programs = program_flows(guests, _from_pypi(directory / "guests-pypi", PROGRAMS_PYPI), home)
    return [*own_flows(home), *stranger_flows(*fetch(directory), home), *component_flows(guests), *programs]


def _from_npm(directory: Path, names: Sequence[str]) -> Path:
    if not (directory / "done").exists():
        fetch_packages(directory, names)
        (directory / "done").touch()
    return directory / "node_modules"


def _from_pypi(directory: Path, names: Sequence[str]) -> Path:
    if not (directory / "done").exists():
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(directory), *names]
        subprocess.run(command, check=True)
        (directory / "done").touch()
    return directory


def _is_chosen(name: str, only: str) -> bool:
    return any(part in name for part in only.split(","))


async def _run(options: argparse.Namespace, flows: Sequence[RecordedFlow], home: Path) -> list[Outcome]:
    outcomes = [Outcome(flow) for flow in flows]
    scripts: dict[str, str] = {}
    environment: dict[str, str] = {}
    async with trio.open_nursery() as servers:
        async with open_watch(make_config()) as watch:
            # A person is there, who answers dialogs.
            watch.daemon.capture.headless.clear()
            for number, outcome in enumerate(outcomes):
                environment |= outcome.flow.environment
                try:
                    await _record(watch, outcome, number, options, servers, scripts)
                except Exception as error:  # noqa: BLE001 - the other flows are recorded all the same
                    outcome.errors["recording"] = f"not recorded: {type(error).__name__} {error}"
        say(f"{len(outcomes)} flows recorded; running {len(scripts)} tests")
        run = run_python if options.language == "python" else spec_results
        environment["SUITE_WORKERS"] = options.workers
        results: dict[str, list[str]] = {}
        for some in batched(scripts.items(), _TESTS_AT_ONCE):
            results |= await trio.to_thread.run_sync(partial(run, home / "project", dict(some), **environment))
        servers.cancel_scope.cancel()
    for outcome in outcomes:
        for file in outcome.files:
            outcome.errors[file] = next(filter(None, results[file]), "")
    return outcomes


def make_config() -> Config:
    """A browser of its own, without a window."""
    return Config(
        browser=Launched(headless=True, temporary_profile=True, no_sandbox=True),
        capture=CaptureOptions(bodies="errors"),
        url="about:blank",
        strict=True,
    )


async def serve(app: Opener, change: Break | None, task_status: trio.TaskStatus[str]) -> None:
    """Serve an app, perhaps a broken one, until cancelled; starts with its address."""
    async with app(change) as url:
        task_status.started(url)
        await trio.sleep_forever()


async def _record(
    watch: Watch,
    outcome: Outcome,
    number: int,
    options: argparse.Namespace,
    servers: trio.Nursery,
    scripts: dict[str, str],
) -> None:
    """Record a flow in the whole app, and write a test for each server that it will run on."""
    flow = outcome.flow
    assert watch.daemon.root is not None
    for tab in list(watch.context.tabs.open())[1:]:
        await watch.close(tab)
    watch.telemetry.clear()
    async with flow.app(None) as url:
        await watch.open(f"{url}{flow.path}")
        user = User(watch)
        await user.rest(0.8)
        await flow.act(user)
        await user.rest(0.6)
        began = time.process_time()
        answer = await watch.call("generate_test", test_name=flow.name, language=options.language)
        outcome.seconds = time.process_time() - began
        outcome.warnings = answer.get("warnings", [])
        if options.show:
            Console().print(answer["test_script"], highlight=False, soft_wrap=True, markup=False)
        ending = {"python": ".py", "javascript": ".spec.js"}.get(options.language, ".spec.ts")
        changes = [*[None] * options.runs, *(flow.breaks if options.breaks else ())]
        for run, change in enumerate(changes):
            base = await servers.start(serve, flow.app, change)
            name = f"test_flow_{number}_{run}{ending}"
            made = await watch.call("generate_test", test_name=flow.name, language=options.language, base_url=base)
            scripts[name] = made["test_script"]
            outcome.files[name] = change
        await watch.go("about:blank")


async def _long_flow() -> float:
    """Seconds of processor for the test of 50 actions with 200 calls: the least of some."""
    context = make_context()
    for action in range(50):
        records: list[Record] = [
            acted(2.0 * action, name=f"Button {action}"),
            *(
                called(2.0 * action + 0.1 * number, f"/api/part{number}", id=f"{action}-{number}")
                for number in range(4)
            ),
            showed(2.0 * action, {"text": f"Done with part {action}"}),
        ]
        for record in records:
            context.telemetry.add(record)
    seconds = []
    for _ in range(_LONG_FLOWS):
        began = time.process_time()
        answer = await call_tool(TOOLS, context, "generate_test", {})
        seconds.append(time.process_time() - began)
        assert answer.data["action_count"] == 50, answer.data
        assert answer.data["test_script"].count("= answerTo(") == 200
    return min(seconds)


def _report(outcomes: Sequence[Outcome]) -> int:
    passed = [good for one in outcomes for good in one.passes]
    found = [(one, *detection) for one in outcomes for detection in one.detections()]
    for one in outcomes:
        failed = [said for file, said in one.errors.items() if said and not one.files.get(file)]
        missed = [f"{name}: {said[:400] or 'passed'}" for name, good, said in one.detections() if not good]
        detected = sum(good for _, good, _ in one.detections())
        passes = f"{sum(one.passes)}/{len(one.passes)} passed"
        say(f"{one.flow.name:<40} {passes}, {detected}/{len(one.detections())} detected")
        for text in failed[:1]:
            say(f"    FAILED {text[:1500]}")
        for text in missed:
            say(f"    MISSED {text}")
    rate = sum(passed) / max(1, len(passed))
    detection = sum(good for _, _, good, _ in found) / max(1, len(found))
    unrecorded = sum("recording" in one.errors for one in outcomes)
    slowest = max((one.seconds for one in outcomes), default=0.0)
    say(
        f"{len(outcomes)} flows, {unrecorded} not recorded; {sum(passed)}/{len(passed)} runs passed ({rate:.1%}); "
        f"{sum(good for _, _, good, _ in found)}/{len(found)} breaks detected for their reason ({detection:.1%}); "
        f"generated within {slowest * 1000:.0f} ms of processor; load {os.getloadavg()[0]:.1f}"
    )
    say(f"50 actions with 200 calls: generated in {trio.run(_long_flow) * 1000:.0f} ms of processor")
    return 0 if rate == 1 and detection >= _DETECTIONS and not unrecorded else 1


def batched(items: Iterable[tuple[str, str]], size: int) -> Iterator[list[tuple[str, str]]]:
    """The items in groups of so many."""
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some


def say(text: str) -> None:
    """One line of the report."""
    Console().print(text, highlight=False, soft_wrap=True, markup=False)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
