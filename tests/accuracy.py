"""Precision and recall on labelled material: `python -m tests.accuracy [--secrets FILE] [--contracts FILE]`.

Without arguments it judges the samples of this directory (tests/samples: third-party material with its own labels)
and the material that `tests.made_material` makes. With files of the same form it judges those.
"""

import argparse
import gzip
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from attrs import define, field
from rich.console import Console
from rich.table import Table

from gasoline_cdp.analysis.contracts.contract import Contract
from gasoline_cdp.detect.pii import find_pii
from gasoline_cdp.detect.scan import find
from gasoline_cdp.redact import charge_to, collect_masked, redact
from tests import made_clean, made_clean_packages, made_formats, made_issuers, made_material, made_syntaxes

SAMPLES = Path(__file__).parent / "samples"


@define
class Score:
    """Counts of right and wrong verdicts."""

    counts: Counter[str] = field(factory=Counter)
    wrong: list[str] = field(factory=list)

    def add(self, *, expected: bool, found: bool, what: str) -> None:
        verdict = ("hit" if found else "miss") if expected else ("false alarm" if found else "rest")
        self.counts[verdict] += 1
        if verdict in ("miss", "false alarm"):
            self.wrong.append(f"{verdict}: {what}")

    @property
    def recall(self) -> float:
        return _ratio(self.counts["hit"], self.counts["hit"] + self.counts["miss"])

    @property
    def precision(self) -> float:
        return _ratio(self.counts["hit"], self.counts["hit"] + self.counts["false alarm"])

    @property
    def false_alarm_rate(self) -> float:
        return self.counts["false alarm"] / max(1, self.counts["false alarm"] + self.counts["rest"])


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a JSON Lines file, compressed or not."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    return [json.loads(line) for line in text.split("\n") if line.strip()]


def is_reported(text: str) -> bool:
    """Whether the audit would tell of a secret in this text, on nobody's account."""
    charge_to("")
    with collect_masked() as masked:
        redact(text)
    return bool(masked)


def score_secrets(rows: Iterable[dict[str, Any]]) -> dict[str, Score]:
    """By kind, by tier (`tier covered` are the formats of the seed), and `all`."""
    scores: dict[str, Score] = defaultdict(Score)
    for row in rows:
        found = is_reported(row["text"])
        for name in (row["kind"], f"tier {row['tier']}", "all"):
            scores[name].add(expected=row["is_secret"], found=found, what=f"{row['kind']} {row['id']}")
    return dict(scores)


def score_made_secrets() -> dict[str, Score]:
    """The same of made material."""
    scores: dict[str, Score] = defaultdict(Score)
    rows = [
        *((kind, text, True) for kind, text in made_material.secrets()),
        *((kind, text, False) for kind, text in made_material.clean_texts()),
    ]
    for kind, text, expected in rows:
        names = [kind, "all"] + (["seed's formats"] if kind in made_material.SEED_KINDS else [])
        for name in names:
            scores[name].add(expected=expected, found=is_reported(text), what=f"{kind} {text[:60]!r}")
    return dict(scores)


def score_made_formats() -> dict[str, Score]:
    """The same by the shapes and syntaxes that public rule sets know, and of what is clean."""
    scores: dict[str, Score] = defaultdict(Score)
    groups = {
        "formats": made_formats.formats(),
        "syntaxes": made_syntaxes.named(),
        "authorization": made_syntaxes.authorization(),
        "clean": [*made_clean.clean(), *made_clean_packages.package_texts()],
    }
    for group, texts in groups.items():
        for kind, text in texts:
            found = is_reported(text)
            for name in (f"{group}: {kind}", f"all {group}", "all"):
                scores[name].add(expected=group != "clean", found=found, what=f"{kind} {text[:90]!r}")
    return dict(scores)


def score_issuers() -> dict[str, Score]:
    """The same by the issuers of public rule sets: by part, with and without what is public by design."""
    scores: dict[str, Score] = defaultdict(Score)
    for shape, carrier, text, value in made_issuers.issuers():
        start = text.index(value)
        found = any(one.reportable and one.start < start + len(value) and one.end > start for one in find(text))
        names = [f"{shape.part} with public"]
        if not shape.public:
            names += [shape.part, f"{shape.part} {'named' if shape.named else 'bare'}", f"{shape.part} {carrier}"]
        for name in names:
            scores[name].add(expected=True, found=found, what=f"{carrier} {shape.name} {shape.template}")
    return dict(scores)


def score_personal() -> dict[str, Score]:
    """Personal data, made."""
    scores: dict[str, Score] = defaultdict(Score)
    for kind, expected, text in made_material.personal():
        for name in (kind, "all"):
            scores[name].add(expected=expected, found=any(find_pii(text)), what=f"{kind} {text!r}")
    return dict(scores)


def violations_of(case: dict[str, Any]) -> set[str]:
    """The types of violation that a sequence of answers gives."""
    method, _, path = case["endpoint"].partition(" ")
    contract = Contract(endpoint=case["endpoint"], method=method, path=path)
    for number, response in enumerate(case["responses"]):
        contract.observe(response["status"], response["body"], 1_790_000_000.0 + number)
    return {violation.rule for violation in contract.violations()}


def score_contracts(cases: Iterable[dict[str, Any]]) -> dict[str, Score]:
    """A change counts as found where its type is told, and anything told of a control as a false alarm."""
    scores: dict[str, Score] = defaultdict(Score)
    for case in cases:
        expected = bool(case["expected_changes"])
        types = violations_of(case)
        found = case["violation_type"] in types if expected else bool(types)
        for name in (case["violation_type"], "all"):
            scores[name].add(
                expected=expected, found=found, what=f"{case['violation_type']} {case['endpoint']} {types}"
            )
    return dict(scores)


def _tables(secrets: Path, contracts: Path) -> Iterator[tuple[str, dict[str, Score]]]:
    yield f"secrets: {secrets.name}", score_secrets(read_rows(secrets))
    yield "secrets: made at run time", score_made_secrets()
    yield "secrets: documented shapes and syntaxes, made at run time", score_made_formats()
    yield "secrets: shapes of issuers, made at run time", score_issuers()
    yield "personal data: made at run time", score_personal()
    yield f"contracts: {contracts.name}", score_contracts(read_rows(contracts))


def main(arguments: Sequence[str]) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m tests.accuracy", description=__doc__)
    parser.add_argument("--secrets", type=Path, default=SAMPLES / "secrets.jsonl.gz")
    parser.add_argument("--contracts", type=Path, default=SAMPLES / "contract-mutations.jsonl.gz")
    parser.add_argument("--wrong", action="store_true", help="list what was judged wrongly")
    options = parser.parse_args(arguments)
    console = Console()
    for title, scores in _tables(options.secrets, options.contracts):
        table = Table("kind", "hits", "misses", "false alarms", "rest", "recall", "precision", title=title)
        for name, score in sorted(scores.items(), key=lambda item: (item[0] == "all", item[0])):
            counts = [str(score.counts[verdict]) for verdict in ("hit", "miss", "false alarm", "rest")]
            table.add_row(name, *counts, f"{score.recall:.3f}", f"{score.precision:.3f}")
        console.print(table)
        if options.wrong:
            for line in scores["all"].wrong if "all" in scores else ():
                console.print(line, markup=False, highlight=False)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
