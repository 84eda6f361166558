"""The summary for people: failures first, cut by section, and nothing of a page is markup."""

import attrs
import pytest

from gasoline_cdp.analysis.gates.failures import log_finding
from gasoline_cdp.analysis.gates.gate import parse_gate
from gasoline_cdp.analysis.gates.verdict import Verdict
from gasoline_cdp.analysis.performance.regressions import Change
from gasoline_cdp.analysis.performance.resources import ResourceChange, ResourceChanges
from gasoline_cdp.artifacts.index_page import WrittenFile, index_page
from gasoline_cdp.artifacts.junit import gates_junit, join_junit, merge_junit
from gasoline_cdp.artifacts.merging import merge_facts, merge_har
from gasoline_cdp.artifacts.pr_summary import LoadComparison, RunFacts, make_summary, one_line
from gasoline_cdp.limits import KB
from tests.fakes import log_record

pytestmark = pytest.mark.requirement("F11-SUMMARY")

_OWN = (
    b'<?xml version="1.0"?><testsuites><testsuite name="s"><testcase classname="tests.test_shop" name="test_pays"/>'
    b'<testcase classname="tests.test_admin" name="test_pays"/></testsuite></testsuites>'
)


def facts(*texts: str, others: int = 0, test: str = "") -> RunFacts:
    failures = tuple(log_finding(log_record(1, text), test=test) for text in texts)
    more = tuple(log_finding(log_record(1, f"other {number}")) for number in range(others))
    verdict = Verdict(failures=failures, others=more)
    return RunFacts(verdict=verdict, gates=(parse_gate("console-errors"),), pages=1, requests=3, tests=2, messages=9)


def test_one_line_says_it_all() -> None:
    assert one_line(facts("boom")) == "Gates failed: 1 console error. 2 tests, 1 page, 3 requests."
    assert one_line(facts()) == "Gates passed: console-errors. 2 tests, 1 page, 3 requests."
    nothing = attrs.evolve(facts(), pages=0, requests=0, tests=0, messages=0)
    assert one_line(nothing).startswith("Nothing was captured")
    assert "Nothing was captured" in make_summary(nothing, 10 * KB)


def test_a_long_summary_is_cut_by_section_and_says_what_was_cut() -> None:
    text = make_summary(facts(*(f"failure {number}" for number in range(20)), others=2000), 20 * KB)
    assert len(text.encode()) <= 20 * KB
    assert all(f"`failure {number}`" in text for number in range(20))
    assert "of 2000 lines of “Errors”" in text


def test_loads_are_shown_beside_those_before() -> None:
    slower = Change(metric="load", current=300.0, baseline=100.0, change_percent=200.0, absolute_change=200.0)
    resource = ResourceChange(url="http://app.test/new.js", type="script", size_after=3000)
    load = LoadComparison(
        path="/cart", changes=(slower,), worse=(slower,), resources=ResourceChanges(added=(resource,)), samples=4
    )
    text = make_summary(attrs.evolve(facts(), loads=[load]), 10 * KB)
    assert "| `/cart` | Load | 100 ms | 300 ms | +200 % ⚠ |" in text
    assert "- added on `/cart`: `http://app.test/new.js` (2.9 KB)" in text
    first = make_summary(attrs.evolve(facts(), loads=[attrs.evolve(load, samples=0, worse=())]), 10 * KB)
    assert "| `/cart` | Load | – | 300 ms | first load |" in first


def test_nothing_of_a_page_is_markup() -> None:
    hostile = "`@team` <img src=x> | [link](http://evil) \n## heading ``` ##[error] ::error::"
    text = make_summary(facts(hostile), 10 * KB)
    (line,) = [line for line in text.splitlines() if "evil" in line]
    assert line.startswith("- `'@team' <img src=x> \\| [link](http://evil) ## heading ''' ")
    assert "`" not in line[3 : line.index("` at") if "` at" in line else -1]
    page = index_page(facts(hostile), [WrittenFile("a.har", "requests")], "")
    assert "<img" not in page
    assert b"\x00" not in gates_junit(facts("a\x00b"))


def test_the_tests_own_results_keep_theirs_and_get_the_gates() -> None:
    merged = merge_junit(_OWN, facts("boom", test="tests/test_shop.py::test_pays")).decode()
    shop, admin = merged.split('name="test_pays"')[1:]
    assert "boom" in shop.partition("</testcase>")[0]
    assert "boom" not in admin.partition("testsuite")[0]
    assert '<testcase name="console-errors" classname="gasoline-cdp"><failure' in merged
    # A directory or an ending that many files share does not say which file it is.
    alike = _OWN.replace(b"tests.test_admin", b"e2e/admin.spec.mjs")
    merged = merge_junit(alike, facts("boom", test="e2e/shop.spec.mjs › test_pays")).decode()
    assert "boom" not in merged.partition("test_admin")[2].partition("</testcase>")[0]
    assert "<system-out>" not in merged.partition('name="gasoline-cdp"')[0]
    with pytest.raises(ValueError, match="not a JUnit file"):
        merge_junit(b"<html/>", facts())
    assert join_junit([_OWN, gates_junit(facts())]).count(b"<testsuite ") == 2


def test_runs_are_joined() -> None:
    both = merge_facts([facts("boom"), attrs.evolve(facts(), exit_code=5)])
    assert (both.exit_code, both.tests, both.requests, len(both.verdict.failures)) == (5, 4, 6, 1)
    page = {"id": "page_1", "startedDateTime": "2026-01-01"}
    file = {"log": {"pages": [page], "entries": [{"pageref": "page_1", "startedDateTime": "2026-01-01"}]}}
    log = merge_har([file, file])["log"]
    assert [entry["pageref"] for entry in log["entries"]] == ["1_page_1", "2_page_1"]
