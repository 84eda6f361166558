"""The guides' word: each is followed from its first command to its last, and answers what it says."""

import json
import re
from pathlib import Path

import pytest
import trio

from tests.documents import Step, differences, shape, steps_of
from tests.ports import free_port
from tests.support import PATIENCE

GUIDES = sorted((Path(__file__).parents[2] / "docs" / "guides").glob("*.md"))
_IN_ANOTHER_TERMINAL = re.compile(r"^(?:python3 .*|gasoline-cdp launch .*)$", re.MULTILINE)

# A reader is slower than a script: wait until a page has loaded and was measured.
_PRELUDE = """
trap 'gasoline-cdp stop >/dev/null 2>&1; kill $(jobs -p) 2>/dev/null; wait' EXIT
seen=
settle() {
    while :; do
        now=$(gasoline-cdp observe performance --json 2>/dev/null | grep -o '"ts": "[^"]*"' | head -1) || true
        if [ -n "$now" ] && [ "$now" != "$seen" ]; then break; fi
        # A load is measured some seconds after it, and each question starts a program.
        sleep 0.5
    done
    seen=$now
}
by_hand_reload() {
    # The page may be quicker to go than the call to answer.
    gasoline-cdp call execute_javascript --script 'location.reload()' --json >reload.log ||
        grep -q page_navigated reload.log
    settle
}
by_hand_serve() {
    until (exec 3<>/dev/tcp/127.0.0.1/PORT) 2>/dev/null; do sleep 0.1; done
}
by_hand_launch() {
    until grep -q 'Watching Chrome/' launch.log; do kill -0 $!; sleep 0.1; done
    settle
}
"""


def _as_script(steps: list[Step], port: int, *, pilot: bool) -> str:
    """All steps as one script for bash, which puts what each prints into a file of its own."""
    parts = [_PRELUDE]
    for number, step in enumerate(steps):
        if step.by_hand:
            parts.append(f"by_hand_{step.by_hand}")
            continue
        commands = _IN_ANOTHER_TERMINAL.sub(lambda found: _beside(found[0], pilot=pilot), step.commands)
        parts.append(f"{{\n{commands}}} >{number}.out 2>&1")
    return "\n".join(parts).replace("PORT", str(port)).replace("3000", str(port))


def _beside(command: str, *, pilot: bool) -> str:
    """A command that stays, as it is run in another terminal."""
    if command.startswith("python3"):
        return f"{command} >server.log 2>&1 &\nby_hand_serve"
    return f"{command} {'--pilot ' if pilot else ''}--temporary-profile --port 0 >launch.log 2>&1 &\nby_hand_launch"


@pytest.mark.requirement("F1-DOCS")
@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.stem)
@pytest.mark.usefixtures("environment")
async def test_a_guide_can_be_followed(guide: Path, tmp_path: Path) -> None:
    steps = steps_of(guide.read_text(encoding="utf-8"))
    port = free_port()
    # A reader has hands to reload a page with; the test has the pilot.
    script = _as_script(steps, port, pilot=any(step.by_hand for step in steps))
    with trio.fail_after(6 * PATIENCE):
        ended = await trio.run_process(
            ["bash", "-eu", "-c", script], capture_stdout=True, capture_stderr=True, check=False
        )
    logs = {file.name: file.read_text(errors="replace") for file in (*tmp_path.glob("*.log"), *tmp_path.glob("*.out"))}
    assert ended.returncode == 0, (ended.stderr.decode(), logs)
    problems = []
    for number, step in enumerate(steps):
        for language, shown in step.shown:
            problems += _compared(language, shown.replace("3000", str(port)), (tmp_path / f"{number}.out").read_text())
    assert problems == []


def _compared(language: str, shown: str, printed: str) -> list[str]:
    if language == "json":
        return differences(json.loads(shown), json.loads(printed))
    lines = {shape(line) for line in printed.splitlines()}
    return [f"{line!r} was not printed, but: {printed}" for line in shown.splitlines() if not _is_among(line, lines)]


def _is_among(line: str, lines: set[str]) -> bool:
    """Whether a line was printed. `…` stands for any text."""
    pattern = re.compile(".*".join(re.escape(shape(part)) for part in line.split("…")))
    return any(pattern.fullmatch(printed) for printed in lines)


@pytest.mark.requirement("F1-DOCS")
@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.stem)
def test_a_guide_shows_answers(guide: Path) -> None:
    steps = steps_of(guide.read_text(encoding="utf-8"))
    assert sum(len(step.shown) for step in steps) >= 2
