"""Gates as JUnit results, alone or beside the results of the tests."""

import re
from collections import defaultdict
from collections.abc import Iterable

from junitparser import Failure, JUnitXml, JUnitXmlError, Skipped, TestCase, TestSuite

from gasoline_cdp.analysis.gates.allowances import GateFinding
from gasoline_cdp.analysis.gates.gate import GATE_NAMES
from gasoline_cdp.artifacts.pr_summary import RunFacts

_SUITE = "gasoline-cdp"
# What XML cannot contain.
_ILLEGAL = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LISTED = 100
# Parts of file names that say nothing about which file it is; and what separates the parts of a test's name.
_IN_MANY = {"", "py", "ts", "js", "mjs", "spec", "test", "tests", "e2e"}
_SEPARATORS = re.compile(r"\s*(?:::|›|>|»)\s*")


def gates_junit(facts: RunFacts) -> bytes:
    """A file with one suite: each gate is a test case."""
    xml = JUnitXml()
    xml.add_testsuite(_suite(facts))
    return _written(xml)


def merge_junit(own: bytes, facts: RunFacts) -> bytes:
    """The tests' own file with a suite for the gates, and with the failures of each test in its output.

    Raises ValueError if it is no JUnit file.
    """
    xml = _read(own)
    by_test: dict[str, list[GateFinding]] = defaultdict(list)
    for gate_finding in (*facts.verdict.failures, *facts.verdict.others):
        if gate_finding.test:
            by_test[gate_finding.test].append(gate_finding)
    for suite in xml:
        for case in suite:
            if found_here := [
                gate_finding for test, listed in by_test.items() if _is_test(case, test) for gate_finding in listed
            ]:
                _add_output(case, _lines(found_here))
    xml.add_testsuite(_suite(facts))
    return _written(xml)


def join_junit(files: Iterable[bytes]) -> bytes:
    """Several files as one. Raises ValueError if one is no JUnit file."""
    joined = JUnitXml()
    for content in files:
        for suite in _read(content):
            joined.add_testsuite(suite)
    joined.update_statistics()
    return _written(joined)


def _read(content: bytes) -> JUnitXml:
    try:
        read = JUnitXml.fromstring(content)
    except (JUnitXmlError, SyntaxError, ValueError) as error:
        raise ValueError("it is not a JUnit file") from error
    if isinstance(read, JUnitXml):
        return read
    xml = JUnitXml()
    xml.add_testsuite(read)
    return xml


def _suite(facts: RunFacts) -> TestSuite:
    suite = TestSuite(_SUITE)
    asked = {gate.name: str(gate) for gate in facts.gates}
    for name in GATE_NAMES:
        if name not in asked:
            continue
        case = TestCase(asked[name], classname=_SUITE)
        failures = [gate_finding for gate_finding in facts.verdict.failures if gate_finding.gate == name]
        unchecked = [text for text in facts.verdict.not_checked if text.startswith(f"{name}:")]
        if failures:
            failure = Failure(f"{len(failures)} found", "gate")
            failure.text = _lines(failures)
            case.result = [failure]
        elif unchecked:
            case.result = [Skipped(_clean(" ".join(unchecked)))]
        suite.add_testcase(case)
    suite.update_statistics()
    return suite


def _is_test(case: TestCase, test: str) -> bool:
    """Whether a test case is the test of this id: the end of the id is its name, and its class names the file."""
    parts = [part for part in _SEPARATORS.split(test) if part]
    named = [part for part in _SEPARATORS.split(str(case.name or "")) if part]
    if not named or parts[-len(named) :] != named:
        return False
    before, of_class = parts[: -len(named)], re.split(r"[./\\]", str(case.classname or ""))
    # The file, in whatever way the runner writes it: tests/test_shop.py, tests.test_shop, shop.spec.ts.
    words = set(re.split(r"[./\\]", "/".join(before)))
    return not before or bool(words.intersection(of_class) - _IN_MANY)


def _add_output(case: TestCase, text: str) -> None:
    known = case.system_out
    if known and text in known:
        return
    case.system_out = f"{known}\n{text}" if known else text


def _lines(gate_findings: Iterable[GateFinding]) -> str:
    listed = list(gate_findings)
    lines = [
        f"{one.gate}: {one.finding.text()}{f' ({one.finding.count} times)' if one.finding.count > 1 else ''}"
        for one in listed[:_LISTED]
    ]
    if len(listed) > _LISTED:
        lines.append(f"and {len(listed) - _LISTED} more")
    return _clean("\n".join(lines))


def _clean(text: str) -> str:
    return _ILLEGAL.sub("�", text)


def _written(xml: JUnitXml) -> bytes:
    xml.update_statistics()
    written: bytes = xml.tostring()
    return written
