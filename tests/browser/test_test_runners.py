"""Evidence for failing tests of real test runners, whose workers run side by side: exactly their own."""

import os
import re
import shlex
import shutil
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio

from gasoline_cdp.frontends.cli.ci_files import load_facts
from gasoline_cdp.frontends.http.access import read_access
from gasoline_cdp.frontends.http.loopback import serve_app
from tests.processes import COMMAND, browsers_with, until
from tests.suites.running import (
    SUITES,
    TryOfTest,
    open_gasoline,
    open_site,
    playwright_project,
    run_playwright,
    run_pytest,
    wrong_evidence,
)

pytestmark = [pytest.mark.long, pytest.mark.requirement("F11-EVIDENCE")]


@pytest.fixture
def shop() -> Iterator[str]:
    with open_site() as url:
        yield url


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project outside the checkout, into which the fixture was installed from its package."""
    return playwright_project(tmp_path_factory.mktemp("playwright"))


def _under(gates: str, *options: str) -> list[str]:
    return [*COMMAND, "ci", "--no-browser", "--port", "0", "--fail-on", gates, *options, "--"]


async def _playwright(
    project: Path, shop: str, *arguments: str, under: Sequence[str] = (), **environment: str
) -> list[TryOfTest]:
    run = partial(run_playwright, project, shop, *arguments, under=under, **environment)
    return await trio.to_thread.run_sync(run)


async def _playwright_file(project: Path, shop: str, name: str, *, under: Sequence[str]) -> list[TryOfTest]:
    """Run another file of the suite, alone."""
    own = project / name
    shutil.copy(SUITES / "playwright" / name, own)
    try:
        return await _playwright(project, shop, name, under=under, SUITE_WORKERS="2")
    finally:
        own.unlink()


async def test_playwright_s_failing_tests_have_their_own_evidence(project: Path, shop: str) -> None:
    async with open_gasoline():
        tries = await _playwright(
            project, shop, SUITE_FAULTS="http-500,worker,popup", SUITE_TESTS="9", SUITE_WORKERS="2"
        )
    assert sum(one.failed for one in tries) == 5, "three that fail, and the first try of two"
    assert len(tries) == 11
    assert wrong_evidence(tries) == []
    (failed,) = [one for one in tries if one.mark == "failing-http-500"]
    assert "POST 500 /api/failing-http-500/fail" in failed.message
    assert '{"error":"failing-http-500 is out of stock"}' in failed.message


async def test_pages_report_by_themselves_where_the_protocol_does_not_reach(project: Path, shop: str) -> None:
    async with open_gasoline():
        tries = await _playwright(
            project,
            shop,
            SUITE_FAULTS="exception,http-500,frame",
            SUITE_TESTS="7",
            SUITE_WORKERS="2",
            SUITE_CAPTURE="script",
        )
    assert wrong_evidence(tries) == []
    told = {one.mark: one.text("gasoline-summary.txt") for one in tries if one.failed}
    assert "TypeError: failing-exception broke" in told["failing-exception"]
    assert "is out of stock" in told["failing-http-500"]


def _promised(pid: int) -> dict[str, str]:
    """The environment under `gasoline-cdp ci`, for a suite that kills it."""
    access = read_access()
    assert access is not None
    return {"GASOLINE_URL": access.url, "GASOLINE_TOKEN": access.token or "", "SUITE_KILL": str(pid)}


async def test_tests_run_unharmed_without_a_daemon_and_when_it_is_killed(project: Path, shop: str) -> None:
    few = {"SUITE_FAULTS": "http-500", "SUITE_TESTS": "5", "SUITE_WORKERS": "1"}
    expected = {"failing-http-500", "flaky-1-try-0", "flaky-2-try-0"}
    absent = await _playwright(project, shop, **few)
    assert {one.mark for one in absent if one.failed} == expected
    assert all(not one.files for one in absent)
    async with open_gasoline() as pid:
        killed = await _playwright(project, shop, **_promised(pid), **few)
    assert {one.mark for one in killed if one.failed} == expected
    assert len(killed) == len(absent) == 7
    # In the middle of the first of them; the others began later, in workers that came later.
    said = {one.mark: one.text("gasoline-summary.txt") for one in killed if one.failed}
    assert all(re.search(r"Not all evidence is here: \S* at \S* is not there", text) for text in said.values()), said
    assert all(set(one.files) <= {"gasoline-summary.txt"} for one in killed)


async def _old_daemon(scope: dict[str, Any], _: Any, send: Any) -> None:
    """One of before there were browsers to name: it is healthy, and knows none of the paths."""
    known = scope["path"] == "/health"
    await send({"type": "http.response.start", "status": 200 if known else 404, "headers": []})
    await send({"type": "http.response.body", "body": b"{}"})


async def test_tests_run_unharmed_with_a_daemon_that_is_too_old(project: Path, shop: str, tmp_path: Path) -> None:
    few = {"SUITE_FAULTS": "http-500", "SUITE_TESTS": "4"}
    async with serve_app(_old_daemon) as url:
        tries = await _playwright(project, shop, GASOLINE_URL=url, SUITE_WORKERS="1", **few)
        cases, evidence = await trio.to_thread.run_sync(
            partial(run_pytest, "pytest", tmp_path, shop, GASOLINE_URL=url, **few)
        )
    assert {one.mark for one in tries if one.failed} == {"failing-http-500", "flaky-1-try-0", "flaky-2-try-0"}
    assert [one.mark for one in cases if one.failed] == ["failing-http-500"]
    assert all(not one.files for one in (*tries, *cases))
    assert list(evidence.glob("*/gasoline*")) == []


async def test_tests_of_pytest_run_unharmed_when_the_daemon_is_killed(tmp_path: Path, shop: str) -> None:
    few = {"SUITE_FAULTS": "http-500,exception", "SUITE_TESTS": "5"}
    async with open_gasoline() as pid:
        cases, _ = await trio.to_thread.run_sync(partial(run_pytest, "pytest", tmp_path, shop, **_promised(pid), **few))
    failed = {one.mark for one in cases if one.failed}
    assert failed == {"failing-http-500", "failing-exception", "flaky-1-try-0", "flaky-2-try-0"}
    assert len(cases) == 7, "five tests, two of them twice"
    # In the middle of the first of them, and before the others.
    for one in cases:
        assert not one.failed or "Not all evidence is here: gasoline-cdp at" in one.text("gasoline-summary.txt")


async def test_the_fixture_starts_a_daemon_and_the_daemon_ends_with_the_run(
    project: Path, shop: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "gasoline-cdp"
    script.write_text(f'#!/bin/sh\nexec {shlex.join(COMMAND)} "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    few = {"SUITE_FAULTS": "http-500", "SUITE_TESTS": "3", "SUITE_WORKERS": "2"}
    tries = await _playwright(project, shop, SUITE_AUTO_START="1", **few)
    assert wrong_evidence(tries) == []
    assert sum(one.failed for one in tries) == 3

    async def all_ended() -> bool:
        return not browsers_with("run-command.js")

    await until(all_ended)


async def test_gates_and_checks_for_leaks_fail_the_tests_of_playwright(project: Path, shop: str) -> None:
    tries = await _playwright_file(project, shop, "gates.spec.js", under=_under("leaks"))
    assert wrong_evidence(tries) == []
    failed = {one.mark: one.message for one in tries if one.failed}
    assert set(failed) == {
        "failing-leak", "failing-caught-leak", "failing-exception", "failing-profile", "flaky-3-try-0", "flaky-3-try-1",
    }  # fmt: skip
    assert "the page leaks memory" in failed["failing-leak"]
    assert "place" in failed["failing-leak"], "the listener that holds it"
    assert "gasoline-cdp: 1 leak" in failed["failing-caught-leak"]
    assert "failing-exception broke" in failed["failing-exception"]
    assert "POST 500 /api/failing-profile/fail" in failed["failing-profile"]


@pytest.mark.requirement("F11-ISOLATION")
async def test_suites_of_other_habits_have_their_own_evidence_too(project: Path, shop: str) -> None:
    under = [*COMMAND, "ci", "--no-browser", "--port", "0", "--"]
    tries = await _playwright_file(project, shop, "varied.spec.js", under=under)
    assert wrong_evidence(tries) == []
    failed = {one.mark: one for one in tries if one.failed}
    assert len(failed) == 15
    for mark in ("failing-meeting", "failing-closed"):
        # Of both people, whose contexts were made at once.
        said = failed[mark].text("gasoline-summary.txt")
        assert f"{mark} cannot draw the cart" in said
        assert f"{mark} is out of stock" in said
    # The page had failed before, in another test.
    series = failed["failing-series"].text("gasoline-snapshot.json")
    assert ("failing-series is out of stock" in series, "before is out of stock" in series) == (True, False)
    assert "failing-service serves nothing" in failed["failing-service"].text("gasoline-summary.txt")
    assert "failing-shared worker broke" in failed["failing-shared"].text("gasoline-summary.txt")
    assert "crashed" in failed["failing-crash"].text("gasoline-summary.txt")


async def test_pytest_playwright_s_failing_tests_have_their_own_evidence(tmp_path: Path, shop: str) -> None:
    few = {"SUITE_FAULTS": "http-500,worker,popup", "SUITE_TESTS": "9"}
    async with open_gasoline():
        cases, evidence = await trio.to_thread.run_sync(
            partial(run_pytest, "pytest", tmp_path, shop, "-n", "2", "--gasoline", **few)
        )
    assert sum(one.failed for one in cases) == 5, "three that fail, and the first try of two"
    assert wrong_evidence(cases) == []
    # In the directories of pytest-playwright, which has others for the second try.
    kept = sorted(path.parent.name for path in evidence.glob("*again*/gasoline-snapshot.json"))
    assert kept == [f"test-shop-py-test-passes-when-tried-again-chromium-{number}" for number in (1, 2)]


async def test_marks_and_checks_for_leaks_fail_the_tests_of_pytest(tmp_path: Path, shop: str) -> None:
    under = _under("leaks,contract-violations", "--artifacts", str(tmp_path / "artifacts"))
    cases, evidence = await trio.to_thread.run_sync(partial(run_pytest, "gates", tmp_path, shop, under=under))
    others = [one for one in cases if one.name.startswith("test_") and "third_time" not in one.name]
    assert wrong_evidence(others) == []
    # The gates of the whole run stand in the tests' own report.
    assert {one.name for one in cases if one.failed} >= {"leaks", "contract-violations"}
    failed = {one.mark: one.message for one in others if one.failed}
    assert set(failed) == {
        f"failing-{name}" for name in ("mark", "exception", "mistake", "leak", "profile", "async")
    }  # fmt: skip
    assert "gasoline-cdp: 1 network error" in failed["failing-mark"]
    assert "did you mean 'console-errors'?" in failed["failing-mistake"]
    assert "the page leaks memory" in failed["failing-leak"]
    assert "the page leaks memory" in failed["failing-async"]
    # Each try has its own evidence, and the third none.
    summaries = sorted(evidence.glob("*third-time*/gasoline-summary.txt"))
    assert [path.parent.name.partition("chromium")[2] for path in summaries] == ["", "-retry1"]
    for number, path in enumerate(summaries):
        assert f"flaky-3-try-{number} cannot draw the cart" in path.read_text()
        assert f"flaky-3-try-{1 - number}" not in path.read_text()
    facts = load_facts(tmp_path / "artifacts" / "findings.json")
    stopped = {(one.gate, one.test.rpartition("::")[2]) for one in facts.verdict.failures}
    assert stopped == {
        ("leaks", "test_fails_by_leak[chromium]"), ("leaks", "test_fails_by_async"), ("contract-violations", ""),
    }  # fmt: skip


def _violations(artifacts: Path) -> set[str]:
    """The tests on whose pages the run's own gate found something."""
    facts = load_facts(artifacts / "findings.json")
    assert facts.verdict.not_checked == ()
    assert {one.gate for one in facts.verdict.failures} == {"a11y"}
    return {one.test for one in facts.verdict.failures}


@pytest.mark.requirement("F11-GATES")
async def test_a_gate_of_the_run_for_accessibility_sees_the_pages_of_playwright_s_tests(
    project: Path, shop: str, tmp_path: Path
) -> None:
    under = _under("a11y:serious", "--artifacts", str(tmp_path))
    few = {"SUITE_FAULTS": "http-500", "SUITE_TESTS": "4", "SUITE_WORKERS": "2"}
    tries = await _playwright(project, shop, under=under, **few)
    assert wrong_evidence(tries) == []
    seen = _violations(tmp_path)
    # Of tests that passed. The gate is the run's: no test fails by it.
    assert {name.rpartition(" › ")[2] for name in seen} == {one.name for one in tries if not one.failed}


@pytest.mark.requirement("F11-GATES")
async def test_a_gate_of_the_run_for_accessibility_sees_the_pages_of_pytest(tmp_path: Path, shop: str) -> None:
    under = _under("a11y:serious", "--artifacts", str(tmp_path / "artifacts"))
    few = {"SUITE_FAULTS": "http-500", "SUITE_TESTS": "4"}
    cases, _ = await trio.to_thread.run_sync(partial(run_pytest, "pytest", tmp_path, shop, under=under, **few))
    tests = [one for one in cases if one.name.startswith("test_")]
    assert wrong_evidence(tests) == []
    seen = {name.rpartition("::")[2] for name in _violations(tmp_path / "artifacts")}
    assert seen == {one.name for one in tests if not one.failed or "tried_again" in one.name}


async def test_selenium_s_failing_tests_have_their_own_evidence(tmp_path: Path, shop: str) -> None:
    driver = shutil.which("chromedriver")
    assert driver is not None, "Install chromedriver (Debian: apt-get install chromium-driver)."
    few = {"SUITE_FAULTS": "console-error,http-500", "SUITE_TESTS": "4", "SUITE_CHROMEDRIVER": driver}
    async with open_gasoline():
        cases, _ = await trio.to_thread.run_sync(
            partial(run_pytest, "selenium", tmp_path, shop, "-n", "2", "-p", "no:playwright", "--gasoline", **few)
        )
    assert sum(one.failed for one in cases) == 2
    assert wrong_evidence(cases) == []
