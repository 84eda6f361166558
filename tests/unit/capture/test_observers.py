"""How an observer's script is put together, how it tells the time, and that the vendored one is what it says."""

import hashlib
import json
import subprocess
from pathlib import Path

import pytest

from gasoline_cdp import limits
from gasoline_cdp.assets import page_script, vendored
from gasoline_cdp.capture.observers import OBSERVERS, Observer
from tests.node_tools import NODE

# A machine on which nothing takes time, but for the pauses. A pause is [before how many readings from now, how long].
# Steps are a pause, a clock that is set by so much, time that passes, or a time of the page that is asked about.
_CLOCK = """
const { script, steps } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
let page = 100, date = 1000000, pause = null;
const tick = () => { if (pause && pause[0]-- === 0) { page += pause[1]; date += pause[1]; pause = null; } };
const world = {
  performance: { now: () => (tick(), page) },
  Date: { now: () => (tick(), Math.floor(date)) },
};
require("node:vm").runInNewContext(script, world);
const told = [];
for (const [step, given] of steps) {
  if (step === "pause") pause = given;
  if (step === "pass") { page += given; date += given; }
  if (step === "set") date += given;
  if (step === "ask") told.push(world.gasolineWhen({ timeStamp: given }));
}
console.log(JSON.stringify(told));
"""
VENDOR = Path(__file__).parents[3] / "vendor"


def test_a_script_alone_is_called() -> None:
    assert Observer("actions").source() == f"({page_script('actions')})();"


def test_what_it_needs_runs_before_it_and_frames_are_left_out() -> None:
    vitals = next(observer for observer in OBSERVERS if observer.name == "vitals")
    source = vitals.source()
    assert source.startswith("if (window === window.top) {\nvar webVitals=")
    assert source.index(vendored("web-vitals.js")) < source.index(page_script("vitals"))
    assert source.endswith(")(2000.0);\n}")


def test_the_time_to_settle_is_the_limit_of_the_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PERFORMANCE_SETTLE_SECONDS", 0.25)
    assert OBSERVERS[-1].source().endswith(")(250.0);\n}")


def _times(*steps: tuple[str, object]) -> list[float]:
    given = {"script": Observer("clock").source(), "steps": steps}
    done = subprocess.run([NODE, "-e", _CLOCK], input=json.dumps(given), capture_output=True, text=True, check=True)
    told: list[float] = json.loads(done.stdout)
    return told


def test_an_event_has_one_time_however_often_the_machine_pauses_while_it_is_read() -> None:
    for reading in range(3):
        pause = ("pause", [reading, 60])
        # The second event came 8 ms after the first; the page asks twice about each, as two observers do.
        assert _times(
            ("ask", 100), ("pass", 8), pause, ("ask", 108), ("pass", 0.4), ("ask", 108), ("ask", 100)
        ) == [1000000, 1000008, 1000008, 1000000]  # fmt: skip


def test_an_event_has_the_time_of_a_clock_that_was_set() -> None:
    assert _times(("ask", 100), ("set", 3600000), ("ask", 100)) == [1000000, 4600000]


def test_an_event_is_neither_of_the_future_nor_of_long_ago() -> None:
    assert _times(("pass", 60000), ("ask", 70000), ("ask", 100)) == [1060000, 1050000]


@pytest.mark.parametrize(("name", "file"), [("web-vitals", "web-vitals.js"), ("axe", "axe.min.js")])
def test_a_vendored_file_is_unchanged(name: str, file: str) -> None:
    facts = dict(line.split(": ", 1) for line in (VENDOR / f"{name}.version").read_text().splitlines())
    assert facts["sha256"] == hashlib.sha256((VENDOR / file).read_bytes()).hexdigest()
    assert (VENDOR / f"{name}.LICENSE.txt").is_file()
