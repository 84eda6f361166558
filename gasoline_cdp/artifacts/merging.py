"""Joins the artifacts of several runs, such as the shards of one test suite."""

from collections.abc import Sequence
from typing import Any

from gasoline_cdp.analysis.gates.allowances import Allowance
from gasoline_cdp.analysis.gates.verdict import Verdict
from gasoline_cdp.artifacts.pr_summary import RunFacts


def merge_har(files: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """One archive with the pages and entries of all, in the order of time."""
    pages: list[dict[str, Any]] = []
    entries: list[dict[str, Any]] = []
    comments = []
    for number, file in enumerate(files, 1):
        log = file["log"]
        # Each file counts its pages from one.
        pages += [{**page, "id": f"{number}_{page['id']}"} for page in log.get("pages", ())]
        entries += [
            {**entry, "pageref": f"{number}_{entry['pageref']}"} if "pageref" in entry else entry
            for entry in log["entries"]
        ]
        comments += [f"Run {number}: {log['comment']}"] if "comment" in log else []
    joined = {
        **files[0]["log"],
        "pages": sorted(pages, key=lambda page: str(page["startedDateTime"])),
        "entries": sorted(entries, key=lambda entry: str(entry["startedDateTime"])),
    }
    return {"log": {**joined, "comment": " ".join(comments)} if comments else joined}


def merge_facts(runs: Sequence[RunFacts]) -> RunFacts:
    """The facts of all runs as those of one. It failed if one of them did."""
    verdicts = [run.verdict for run in runs]
    codes = [run.exit_code for run in runs if run.exit_code]
    return RunFacts(
        verdict=Verdict(
            failures=tuple(gate_finding for verdict in verdicts for gate_finding in verdict.failures),
            others=tuple(gate_finding for verdict in verdicts for gate_finding in verdict.others),
            allowed=tuple(gate_finding for verdict in verdicts for gate_finding in verdict.allowed),
            unused=_unused(verdicts),
            expired=_expired(verdicts),
            not_checked=tuple(dict.fromkeys(text for verdict in verdicts for text in verdict.not_checked)),
        ),
        gates=tuple(dict.fromkeys(gate for run in runs for gate in run.gates)),
        command=" | ".join(dict.fromkeys(run.command for run in runs)),
        exit_code=codes[0] if codes else 0,
        tests=sum(run.tests for run in runs),
        pages=sum(run.pages for run in runs),
        requests=sum(run.requests for run in runs),
        messages=sum(run.messages for run in runs),
        # The newest loads of several runs are not one load: the first run that has a path tells of it.
        loads=tuple({load.path: load for run in reversed(runs) for load in run.loads}.values()),
        audits=tuple(dict.fromkeys(kind for run in runs for kind in run.audits)),
        notes=tuple(dict.fromkeys(note for run in runs for note in run.notes)),
    )


def _unused(verdicts: Sequence[Verdict]) -> tuple[Allowance, ...]:
    """Allowances that no run needed."""
    everywhere = set(verdicts[0].unused).intersection(*(set(verdict.unused) for verdict in verdicts))
    return tuple(one for one in verdicts[0].unused if one in everywhere)


def _expired(verdicts: Sequence[Verdict]) -> tuple[tuple[Allowance, int], ...]:
    counts: dict[Allowance, int] = {}
    for verdict in verdicts:
        for allowance, count in verdict.expired:
            counts[allowance] = counts.get(allowance, 0) + count
    return tuple(counts.items())
