"""The first page of a run's artifacts: verdict, failures, and what each file is. Opens without a network."""

from collections.abc import Iterable, Sequence
from html import escape

from attrs import frozen

from gasoline_cdp.analysis.gates.allowances import GateFinding
from gasoline_cdp.analysis.gates.gate import NOUNS
from gasoline_cdp.artifacts.html_page import html_page
from gasoline_cdp.artifacts.pr_summary import RunFacts, one_line

_LISTED = 500


@frozen
class WrittenFile:
    """A file beside the page: its name, what it is, and its size."""

    name: str
    what: str
    bytes: int = 0


def index_page(facts: RunFacts, files: Sequence[WrittenFile], css: str) -> str:
    """The page. Everything from pages or servers is text, escaped here and nowhere else."""
    verdict = facts.verdict
    kind = "worse" if facts.exit_code or not verdict.passed else "better"
    body = [
        "<h1>Browser evidence</h1>",
        f'<p class="verdict {kind}">{_text(one_line(facts))}</p>',
        *([f'<p class="faint"><code>{_text(facts.command)}</code></p>'] if facts.command else []),
        *_findings("Failures", "worse", verdict.failures),
        "<h2>Files</h2>",
        "<ul>",
        *(f'<li><a href="{_text(one.name)}">{_text(one.name)}</a> {_text(one.what)}</li>' for one in files),
        "</ul>",
        *_findings("Other findings", "same", verdict.others),
        *_findings("Allowed", "same", verdict.allowed),
        *_notes("Allowances to remove", [f"{one} is not needed any more" for one in verdict.unused]),
        *_notes("Expired allowances", [f"{one}, until {one.until}: {count} match" for one, count in verdict.expired]),
        *_notes("Not checked", [*verdict.not_checked, *facts.notes]),
    ]
    return html_page("Browser evidence", css, body)


def _findings(title: str, kind: str, gate_findings: Sequence[GateFinding]) -> Iterable[str]:
    if not gate_findings:
        return
    yield f'<h2 class="{kind}">{title} ({len(gate_findings)})</h2>'
    yield f"<ul>{''.join(map(_item, gate_findings[:_LISTED]))}</ul>"
    if len(gate_findings) > _LISTED:
        yield f'<p class="faint">{len(gate_findings) - _LISTED} more are in findings.json.</p>'


def _item(gate_finding: GateFinding) -> str:
    finding = gate_finding.finding
    where = finding.location.text()
    details = [
        f"at {where}" if where and where not in finding.title else "",
        f"× {finding.count}" if finding.count > 1 else "",
        f"in {gate_finding.test}" if gate_finding.test else "",
    ]
    faint = _text(" ".join(part for part in details if part))
    return (
        f'<li><span class="kind">{NOUNS[gate_finding.gate]}</span><code>{_text(finding.title)}</code> '
        f'<span class="faint">{faint}</span></li>'
    )


def _notes(title: str, notes: Sequence[str]) -> Iterable[str]:
    if notes:
        yield f"<h2>{title}</h2>"
        yield f"<ul>{''.join(f'<li>{_text(note)}</li>' for note in notes)}</ul>"


def _text(text: object) -> str:
    return escape(str(text), quote=True)
