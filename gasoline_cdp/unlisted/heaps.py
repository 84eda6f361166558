"""Heap snapshots for tests and files: `expect_no_leaks`, and snapshots in files that a person names."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import trio
from attrs import frozen

from gasoline_cdp import limits, memory_limits, wire
from gasoline_cdp.answers.lines import Line
from gasoline_cdp.answers.memory_entries import leak_finding
from gasoline_cdp.answers.output_files import open_whole
from gasoline_cdp.answers.text import write_lines
from gasoline_cdp.audits.heap_questions import MemoryRequest
from gasoline_cdp.audits.memory import analyze_memory
from gasoline_cdp.audits.memory_answers import MemoryLeaksAnswer
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.comparisons.snapshot_entries import new_name
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.heap_worker.process import WorkerError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Needs, Operation
from gasoline_cdp.operations.pilot_gate import require_leak_checks
from gasoline_cdp.probe.heap_capture import worker_failed
from gasoline_cdp.probe.heaps import find_target

_BASELINE = "expect_no_leaks"
_READ_BYTES = 1 * limits.MB
_SLOW = Needs(pilot=True, slow=True, deadline=memory_limits.HEAP_SECONDS, tab="pinned")


@frozen(kw_only=True)
class ExpectNoLeaksArgs:
    """Arguments of /expect-no-leaks."""

    action: Literal["begin", "check"] = wire.arg("begin: take the baseline; check: compare with it")
    rounds: int | None = wire.arg(
        "check: how often the action ran in between", default=None, minimum=1, maximum=memory_limits.HEAP_ROUNDS_MAX
    )
    name: str | None = wire.arg("of the baseline, if several are kept for one page", default=None)
    tab_id: int | None = wire.arg("the tab (default: the tab used last)", default=None, minimum=0)
    target_id: str | None = wire.arg("the tab, by the id that the DevTools Protocol gives its page", default=None)


@frozen(kw_only=True)
class ExpectNoLeaksAnswer:
    """Whether the page is free of leaks. `message` is the answer of `leaks` as lines, for the test that fails."""

    passed: bool
    name: str
    tab_id: int
    message: str
    leaks: MemoryLeaksAnswer | None = None

    def render(self) -> Iterator[Line]:
        """The message."""
        yield from map(Line, self.message.split("\n"))


async def expect_no_leaks(args: ExpectNoLeaksArgs, context: Context) -> ExpectNoLeaksAnswer:
    """Take the baseline, or compare the page with it after the action ran some times."""
    tab = _tab_of(args, context)
    # Tests that run at the same time have pages of their own.
    name = new_name(args.name or f"{_BASELINE} {tab.tab_id}")
    if args.action == "begin":
        await context.heaps.take(tab, tab.session, name, context.progress)
        said = f"The baseline is taken. Run the action {memory_limits.EXPECTED_ROUNDS} times, then check."
        return ExpectNoLeaksAnswer(passed=True, name=name, tab_id=tab.tab_id, message=said)
    request = MemoryRequest(scope="leaks", tab_id=tab.tab_id, name=name, rounds=args.rounds)
    answer = await analyze_memory(request, context)
    assert isinstance(answer, MemoryLeaksAnswer)  # noqa: S101 - for the type checker
    context.leak_checks.add(tab.source, name, tuple(leak_finding(leak, tab.source.url) for leak in answer.findings))
    return ExpectNoLeaksAnswer(
        passed=not answer.findings,
        name=name,
        tab_id=tab.tab_id,
        message=write_lines(answer.render()),
        leaks=answer if answer.findings else None,
    )


def _tab_of(args: ExpectNoLeaksArgs, context: Context) -> Tab:
    if args.target_id is None:
        return context.tabs.pick(args.tab_id)
    tab = next((tab for tab in context.tabs.open() if tab.target_id == args.target_id), None)
    if tab is None:
        raise GasolineError(
            Code.NO_SUCH_TAB, "No open tab shows this page. Let gasoline-cdp watch its browser: POST /browsers."
        )
    return tab


def _needs(args: ExpectNoLeaksArgs, context: Context) -> Needs:
    require_leak_checks(EXPECT_NO_LEAKS.name, context)
    tab_id = _tab_of(args, context).tab_id
    return Needs(browser=False, slow=True, deadline=memory_limits.HEAP_SECONDS, tab="occupied", tab_id=tab_id)


EXPECT_NO_LEAKS = Operation(
    name="/expect-no-leaks", args=ExpectNoLeaksArgs, answer=ExpectNoLeaksAnswer, run=expect_no_leaks, needs=_needs
)


@frozen(kw_only=True)
class SaveHeapArgs:
    """Arguments of `gasoline-cdp heap --save`."""

    path: str = wire.arg("the file to write")
    of: str | None = wire.arg("part of the URL of a worker or frame", default=None)
    tab_id: int | None = wire.arg("the tab (default: the tab used last)", default=None, minimum=0)


@frozen(kw_only=True)
class SavedHeap:
    """The file, and its size."""

    path: str
    bytes: int
    summary: str


async def save_heap(args: SaveHeapArgs, context: Context) -> SavedHeap:
    """Take a heap snapshot into a file that a person named. It holds all strings of the page as they are."""
    tab = context.tabs.pick(args.tab_id)
    session, _ = await find_target(tab, args.of)
    path = Path(args.path)
    try:
        with open_whole(path) as file:

            def write(chunk: bytes) -> None:
                file.write(chunk)

            taken, _ = await context.heaps.take(tab, session, "", context.progress, write)
    except OSError as error:
        raise GasolineError(Code.OUTPUT_REFUSED, f"Cannot write {path}: {error.strerror}.") from error
    size = taken.text_bytes
    return SavedHeap(path=str(path), bytes=size, summary=f"{taken.objects} objects, {size / limits.MB:.1f} MB.")


@frozen(kw_only=True)
class LoadHeapArgs:
    """Arguments of `gasoline-cdp heap FILE --load NAME`."""

    path: str = wire.arg("a .heapsnapshot file of Chrome, DevTools or Node")
    name: str = wire.arg("the name to keep it by")


@frozen(kw_only=True)
class LoadedHeap:
    """The name under which it is kept, and what had to go."""

    name: str
    objects: int
    dropped: list[str]


async def load_heap(args: LoadHeapArgs, context: Context) -> LoadedHeap:
    """Keep the snapshot of a file by name, so that assistants can ask about it."""
    name = new_name(args.name)
    heaps = context.heaps
    outcome: dict[str, Any] = {}
    try:
        async with (
            await trio.open_file(args.path, "rb") as file,
            heaps.worker.receiving(f"name:{name}", outcome) as queue,
        ):
            while chunk := await file.read(_READ_BYTES):
                queue.add(chunk)
                await queue.drained()
                if queue.fault is not None:
                    raise queue.fault
        size = queue.bytes
    except OSError as error:
        raise GasolineError(Code.BAD_SNAPSHOT_FILE, f"Cannot read {args.path}: {error.strerror}.") from error
    except WorkerError as error:
        raise worker_failed(error) from error
    return LoadedHeap(name=name, objects=int(outcome["nodes"]), dropped=heaps.keep_loaded(name, size, outcome))


# Not as jobs: a person waits at the terminal until the file is there.
HEAP_FILES: tuple[Operation, ...] = (
    Operation(
        name="save_heap",
        args=SaveHeapArgs,
        answer=SavedHeap,
        run=save_heap,
        needs=Needs(pilot=True, deadline=memory_limits.HEAP_SECONDS),
    ),
    Operation(
        name="load_heap",
        args=LoadHeapArgs,
        answer=LoadedHeap,
        run=load_heap,
        needs=Needs(browser=False, deadline=memory_limits.HEAP_SECONDS),
    ),
)
