"""How an observer's script is put together, and that the vendored one is what it says."""

import hashlib
from pathlib import Path

import pytest

from gasoline_cdp import limits
from gasoline_cdp.assets import page_script, vendored
from gasoline_cdp.capture.observers import OBSERVERS, Observer

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


@pytest.mark.parametrize(("name", "file"), [("web-vitals", "web-vitals.js"), ("axe", "axe.min.js")])
def test_a_vendored_file_is_unchanged(name: str, file: str) -> None:
    facts = dict(line.split(": ", 1) for line in (VENDOR / f"{name}.version").read_text().splitlines())
    assert facts["sha256"] == hashlib.sha256((VENDOR / file).read_bytes()).hexdigest()
    assert (VENDOR / f"{name}.LICENSE.txt").is_file()
