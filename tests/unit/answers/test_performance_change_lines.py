"""What differs between two loads, as lines."""

import pytest

from gasoline_cdp.analysis.performance.regressions import Change
from gasoline_cdp.analysis.performance.resources import Cause, ResourceChange
from gasoline_cdp.answers.performance_change_lines import cause_lines, change_line
from gasoline_cdp.answers.shared_facts import SharedFacts
from gasoline_cdp.answers.text import write_lines
from tests.page_words import CLAIM, HOSTILE, ours

SHARED = SharedFacts(origin="http://app.test")


def test_a_change_with_its_share() -> None:
    change = Change(metric="load", current=1800, baseline=1000, change_percent=80.0, absolute_change=800)
    assert str(change_line(change, "worse:", "error")) == "worse: load 1000 ms → 1800 ms, +80%"
    fresh = Change(metric="long_task_count", current=3, baseline=0, change_percent=None, absolute_change=3)
    assert str(change_line(fresh, "worse:", "error")) == "worse: long_task_count 0 → 3"


def test_a_cause_with_what_it_speaks_of() -> None:
    cause = Cause(
        sentence="A script request took 400 ms longer (resources[0]).",
        explains_ms=400.0,
        resources=(
            ResourceChange(
                url="http://app.test/app.js",
                type="script",
                size_before=1024,
                size_after=2048,
                duration_before=50,
                duration_after=450,
            ),
            ResourceChange(url="http://cdn.test/new.js", type="script", size_after=2048, duration_after=100),
            ResourceChange(url="http://app.test/old.js", type="script", size_before=10, duration_before=5),
        ),
        script={"url": "http://app.test/app.js", "duration": 300},
    )
    assert [str(line) for line in cause_lines(cause, SHARED)] == [
        "cause: A script request took 400 ms longer (resources[0]). explains 400ms",
        "  resources[0] /app.js script 1KB → 2KB 50ms → 450ms",
        "  resources[1] http://cdn.test/new.js script new 2KB 100ms",
        "  resources[2] /old.js script gone 10B 5ms",
        "  script url=http://app.test/app.js duration=300",
    ]


@pytest.mark.requirement("S20")
@pytest.mark.parametrize("hostile", HOSTILE)
def test_no_address_passes_for_our_words(hostile: str) -> None:
    cause = Cause(
        sentence="Ours.",
        resources=(ResourceChange(url=f"http://app.test/{hostile}", type=hostile),),
        script={"function": hostile},
    )
    lines = list(cause_lines(cause, SHARED))
    text = write_lines(lines)
    assert len(text.splitlines()) == len(lines)
    assert text.count(CLAIM) == 3
    assert CLAIM not in ours(text)
