"""The summary of a run as markdown: for a pull request's comment, a job's summary, and one line for a commit."""

import signal
from collections.abc import Iterator, Sequence
from itertools import groupby

from attrs import field, frozen

from gasoline_cdp.analysis.compare.sessions import SessionDiff
from gasoline_cdp.analysis.gates.allowances import GateFinding
from gasoline_cdp.analysis.gates.gate import NOUNS, Gate
from gasoline_cdp.analysis.gates.verdict import Verdict
from gasoline_cdp.analysis.performance.regressions import Change
from gasoline_cdp.analysis.performance.resources import ResourceChange, ResourceChanges
from gasoline_cdp.artifacts.metric_words import LABELS, size_text, value_text
from gasoline_cdp.limits import KB

_TEXT_CHARS = 300
# A comment on GitHub may have 65536 characters, or it is refused; a job's summary 1024 KB, or it is thrown away.
COMMENT_BYTES = 60 * KB
STEP_SUMMARY_BYTES = 1000 * KB


@frozen(kw_only=True)
class LoadComparison:
    """The newest load of a path beside its earlier loads. Without any, `changes` have the same value twice."""

    path: str
    changes: tuple[Change, ...]
    worse: tuple[Change, ...] = ()
    resources: ResourceChanges = field(factory=ResourceChanges)
    # How many earlier loads it is compared with.
    samples: int = 0


@frozen(kw_only=True)
class RunFacts:
    """What is known about a run."""

    verdict: Verdict
    gates: Sequence[Gate] = ()
    command: str = ""
    # None while it runs, or if there is no command.
    exit_code: int | None = None
    tests: int = 0
    pages: int = 0
    requests: int = 0
    messages: int = 0
    loads: Sequence[LoadComparison] = ()
    # Compared with an earlier snapshot, if there is one, and its name.
    diff: SessionDiff | None = None
    compared_with: str = ""
    # Which kinds of audit ran: accessibility, security.
    audits: Sequence[str] = ()
    notes: Sequence[str] = ()


@frozen
class _Section:
    title: str
    lines: list[str]
    # Lines that belong together at the beginning, such as the head of a table.
    head: tuple[str, ...] = ()


def one_line(facts: RunFacts) -> str:
    """For a commit message or a log: verdict and counts."""
    if not facts.verdict.passed:
        verdict = f"Gates failed: {facts.verdict.summary()}."
    elif facts.gates and not _saw_anything(facts):
        verdict = "Nothing was captured, so the gates had nothing to judge."
    elif facts.gates:
        verdict = f"Gates passed: {', '.join(map(str, facts.gates))}."
    else:
        gate_finding = len(facts.verdict.others)
        verdict = (
            f"{gate_finding} problem{'s' if gate_finding != 1 else ''} seen; no gate is set."
            if gate_finding
            else "No problems seen."
        )
    ended = f"Command failed with {_exit_code(facts.exit_code)}. " if facts.exit_code else ""
    return f"{ended}{verdict} {_counts(facts)}"


def _exit_code(code: int) -> str:
    """A code above 128 means a signal, to shells and to us."""
    try:
        return f"{code} ({signal.Signals(code - 128).name})"
    except ValueError:
        return str(code)


def _saw_anything(facts: RunFacts) -> bool:
    return bool(facts.pages or facts.requests or facts.messages or facts.verdict.failures)


def make_summary(facts: RunFacts, max_bytes: int) -> str:
    """The markdown, cut by section if it is too long, failures first."""
    heading = f"## Browser evidence\n\n{_plain(one_line(facts))}\n"
    if not _saw_anything(facts):
        return f"{heading}\nNothing was captured: no page was opened in a browser that gasoline-cdp watches.\n"
    sections = [section for section in _sections(facts) if section.lines]
    text, left_out = heading, []
    for section in sections:
        added, cut = _fit(section, max_bytes - len(text.encode()) - _ROOM_FOR_NOTE)
        text += added
        if cut:
            left_out.append(f"{cut} of {len(section.lines)} lines of “{section.title}”")
    if left_out:
        text += f"\n_Left out, because the summary would be too long: {'; '.join(left_out)}._\n"
    return text


_ROOM_FOR_NOTE = 1024


def _fit(section: _Section, room: int) -> tuple[str, int]:
    """As many lines of a section as fit, and how many do not."""
    head = "\n".join(("", f"### {section.title}", "", *section.head, ""))
    head = head if section.head else f"\n### {section.title}\n\n"
    used, kept = len(head.encode()), 0
    for line in section.lines:
        used += len(line.encode()) + 1
        if used > room:
            break
        kept += 1
    if not kept:
        return "", len(section.lines)
    return head + "\n".join(section.lines[:kept]) + "\n", len(section.lines) - kept


def _sections(facts: RunFacts) -> Iterator[_Section]:
    verdict = facts.verdict
    yield _Section("Failures", list(_grouped(verdict.failures)))
    if facts.diff is not None:
        yield _Section(f"New since {_plain(facts.compared_with)}", list(_new(facts.diff)))
        yield _Section(f"Fixed since {_plain(facts.compared_with)}", list(_fixed(facts.diff)))
    yield _Section("Network failures", _of(verdict.others, "network-errors"))
    yield _Section("Errors", _of(verdict.others, "console-errors"))
    yield _Section("Performance", list(_performance(facts.loads)), _PERFORMANCE_HEAD)
    yield _Section("Resources", list(_resources(facts.loads)))
    for gate, kind in (("a11y", "accessibility"), ("security", "security")):
        listed = _of(verdict.others, gate)
        clean = [f"No {'violations' if gate == 'a11y' else 'findings'}."] if kind in facts.audits else ["Not audited."]
        failed = any(gate_finding.gate == gate for gate_finding in verdict.failures)
        yield _Section(kind.capitalize(), listed or ([] if failed else clean))
    yield _Section("API contracts", _of(verdict.others, "contract-violations"))
    yield _Section("Budgets", _of(verdict.others, "budgets"))
    yield _Section("Allow-list", list(_allowances(verdict)))
    yield _Section("Not checked", [f"- {_plain(text)}" for text in (*verdict.not_checked, *facts.notes)])


_PERFORMANCE_HEAD = (
    "The newest load of each page, after its earlier loads.",
    "",
    "| page | metric | before | after | change |",
    "| --- | --- | ---: | ---: | ---: |",
)


def _counts(facts: RunFacts) -> str:
    parts = ((facts.tests, "test"), (facts.pages, "page"), (facts.requests, "request"))
    return (
        ", ".join(f"{count} {noun}{'s' if count != 1 else ''}" for count, noun in parts if count or noun != "test")
        + "."
    )


def _grouped(gate_findings: Sequence[GateFinding]) -> Iterator[str]:
    for gate, of_gate in groupby(gate_findings, key=lambda one: one.gate):
        listed = list(of_gate)
        yield f"**{len(listed)} {NOUNS[gate]}{'s' if len(listed) != 1 else ''}**"
        yield ""
        yield from map(_line, listed)
        yield ""


def _of(gate_findings: Sequence[GateFinding], gate: str) -> list[str]:
    return [_line(one) for one in gate_findings if one.gate == gate]


def _line(gate_finding: GateFinding) -> str:
    finding = gate_finding.finding
    where = finding.location.text()
    parts = [
        _code(finding.title),
        f"at {_code(where)}" if where and where not in finding.title else "",
        f"× {finding.count}" if finding.count > 1 else "",
        f"({finding.severity})" if gate_finding.gate in ("a11y", "security") else "",
        f"in test {_code(gate_finding.test)}" if gate_finding.test else "",
    ]
    return f"- {' '.join(part for part in parts if part)}"


def _new(diff: SessionDiff) -> Iterator[str]:
    yield from (f"- {_code(issue.message)}" for issue in diff.errors.new)
    yield from (f"- {_code(f'{one.name} → {one.failed_status or one.failure}')}" for one in diff.network.new_errors)
    yield from (f"- {name}: {_code(one.message)}" for name, issues in diff.findings.items() for one in issues.new)


def _fixed(diff: SessionDiff) -> Iterator[str]:
    yield from (f"- {_code(issue.message)}" for issue in diff.errors.resolved)
    yield from (f"- {_code(one.name)}" for one in diff.network.resolved_errors)
    yield from (f"- {name}: {_code(one.message)}" for name, issues in diff.findings.items() for one in issues.resolved)


def _performance(loads: Sequence[LoadComparison]) -> Iterator[str]:
    for load in loads:
        for change in load.changes:
            name = LABELS[change.metric]
            before = value_text(change.metric, change.baseline) if load.samples else "–"
            delta = f"{change.current - change.baseline:+.4g}" if load.samples else "first load"
            if load.samples and change.change_percent is not None:
                delta = f"{change.change_percent:+.0f} %"
            mark = " ⚠" if change in load.worse else ""
            after = value_text(change.metric, change.current)
            yield f"| {_code(load.path)} | {name} | {before} | {after} | {delta}{mark} |"


def _resources(loads: Sequence[LoadComparison]) -> Iterator[str]:
    for load in loads:
        for word, changes in (("added", load.resources.added), ("removed", load.resources.removed)):
            yield from (f"- {word} on {_code(load.path)}: {_resource(one)}" for one in changes)


def _resource(one: ResourceChange) -> str:
    size = one.size_after if one.size_after is not None else one.size_before
    return f"{_code(one.url)} ({size_text(size or 0)})"


def _allowances(verdict: Verdict) -> Iterator[str]:
    if verdict.allowed:
        yield f"- {len(verdict.allowed)} allowed"
    yield from (f"- expired on {one.until}, {count} would match: {_plain(str(one))}" for one, count in verdict.expired)
    yield from (f"- not needed any more: {_plain(str(one))}" for one in verdict.unused)


def _code(text: str) -> str:
    """Text of a page as code: nothing in it is markdown, a link or the name of a person to notify."""
    flat = " ".join(text.split()).replace("`", "'").replace("|", "\\|")
    return f"`{flat[:_TEXT_CHARS]}{'…' if len(flat) > _TEXT_CHARS else ''}`"


def _plain(text: str) -> str:
    return " ".join(text.replace("<", "&lt;").replace("@", "&#64;").split())
