"""Findings of audits as SARIF 2.1.0, for code scanning. Every location is a relative path."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any

from attrs import frozen

from gasoline_cdp.analysis.normalise import without_ids
from gasoline_cdp.artifacts.har_parts import when
from gasoline_cdp.artifacts.source_paths import component_of, page_path, source_path
from gasoline_cdp.findings import SEVERITIES, Finding, Severity

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
# A package URL: it names the package wherever it is published.
_ABOUT = "pkg:pypi/gasoline-cdp"
_LEVELS: dict[Severity, str] = {
    "critical": "error",
    "high": "error",
    "medium": "warning",
    "low": "note",
    "info": "note",
}
# The scale by which GitHub sorts security alerts.
_SCORES: dict[Severity, str] = {"critical": "9.5", "high": "8.0", "medium": "5.5", "low": "3.0", "info": "1.0"}
_CWE = "https://cwe.mitre.org/data/definitions/{}.html"
_TEXT_CHARS = 1000
# What code scanning shows: results of a file, and tags of a rule.
SARIF_RESULTS = 5000
_SARIF_TAGS = 10


@frozen(kw_only=True)
class AuditReport:
    """The audits of one kind: what they found, where they looked, and where they could not."""

    kind: str
    findings: Sequence[Finding]
    audited: Sequence[str] = ()
    not_audited: Sequence[str] = ()
    notes: Sequence[str] = ()
    ended_at: float = 0.0


def make_sarif(reports: Iterable[AuditReport], version: str) -> dict[str, Any]:
    """One run for each kind of audit. A kind that was not audited has no run, since an empty run means success."""
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [_run(report, version) for report in reports]}


def result_count(log: dict[str, Any]) -> int:
    """How many results a file has."""
    return sum(len(run["results"]) for run in log["runs"])


def _run(report: AuditReport, version: str) -> dict[str, Any]:
    findings = sorted(report.findings, key=lambda one: SEVERITIES.index(one.severity))
    rules: dict[str, Finding] = {}
    for finding in findings:
        rules.setdefault(finding.rule, finding)
    order = {rule: index for index, rule in enumerate(rules)}
    results, left_out = _results(findings, order)
    notes = [*report.notes]
    if left_out:
        notes.append(f"{left_out} results are left out: consumers show {SARIF_RESULTS}, the worst come first.")
    if report.not_audited:
        notes.append(f"Not audited: {', '.join(report.not_audited)}.")
    return {
        "tool": {
            "driver": {
                "name": "gasoline-cdp",
                "semanticVersion": version,
                "version": version,
                "informationUri": _ABOUT,
                "rules": [_rule(finding, report.kind) for finding in rules.values()],
            }
        },
        "automationDetails": {"id": f"gasoline-cdp/{report.kind}/"},
        "invocations": [
            {
                "executionSuccessful": True,
                "endTimeUtc": when(report.ended_at),
                "toolExecutionNotifications": [{"level": "note", "message": {"text": note}} for note in notes],
            }
        ],
        "columnKind": "utf16CodeUnits",
        "results": results,
        "properties": {"pagesAudited": list(report.audited), "pagesNotAudited": list(report.not_audited)},
    }


def _rule(finding: Finding, kind: str) -> dict[str, Any]:
    reference = finding.reference
    number = reference.get("cwe", "").removeprefix("CWE-")
    address = reference.get("url") or (_CWE.format(number) if number.isdigit() else "")
    tags = [kind, *([finding.category] if finding.category != kind else [])]
    tags += [f"external/cwe/cwe-{number}"] if number else []
    tags += [f"wcag{reference['wcag']}"] if "wcag" in reference else []
    words = "".join(part.capitalize() for part in finding.rule.replace("-", "_").split("_"))
    return {
        "id": finding.rule,
        "name": words,
        "shortDescription": {"text": _sentence(finding.title)},
        "fullDescription": {"text": _sentence(finding.description or finding.title)},
        "help": {"text": _sentence(finding.fix or finding.description or finding.title)},
        **({"helpUri": address} if address.startswith("https://") else {}),
        "defaultConfiguration": {"level": _LEVELS[finding.severity]},
        "properties": {
            "tags": tags[:_SARIF_TAGS],
            **({"security-severity": _SCORES[finding.severity]} if kind == "security" else {}),
        },
    }


def _results(findings: Iterable[Finding], order: dict[str, int]) -> tuple[list[dict[str, Any]], int]:
    results: list[dict[str, Any]] = []
    # Equal elements, such as the rows of a table, are told apart by their order.
    seen: Counter[str] = Counter()
    left_out = 0
    for finding in findings:
        for affected in _occurrences(finding):
            if len(results) >= SARIF_RESULTS:
                left_out += 1
                continue
            identity = _identity(finding, affected)
            seen[identity] += 1
            results.append(_result(finding, affected, order[finding.rule], f"{identity}:{seen[identity]}"))
    return results, left_out


def _occurrences(finding: Finding) -> Iterator[dict[str, Any]]:
    """The elements of an accessibility finding, each with a place of its own; otherwise one for the finding."""
    elements = [one for one in finding.affected if one.get("selector")]
    yield from elements if finding.category == "accessibility" and elements else [{}]


def _identity(finding: Finding, affected: dict[str, Any]) -> str:
    """What stays the same from run to run and when lines move: rule, endpoint, page and element."""
    path = without_ids(finding.location.path)
    parts = (finding.key, path, str(affected.get("selector", "")))
    return sha256("\0".join(parts).encode()).hexdigest()[:32]


def _result(finding: Finding, affected: dict[str, Any], index: int, identity: str) -> dict[str, Any]:
    selector = str(affected.get("selector") or finding.location.selector)
    location: dict[str, Any] = {"physicalLocation": _physical_location(finding, affected)}
    if selector:
        location["logicalLocations"] = [{"fullyQualifiedName": selector, "kind": "element"}]
    elif finding.location.endpoint:
        location["logicalLocations"] = [{"fullyQualifiedName": finding.location.endpoint, "kind": "resource"}]
    return {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": _LEVELS[finding.severity],
        "message": {"text": _message(finding, affected)},
        "locations": [location],
        "partialFingerprints": {"gasolineFinding/v1": identity},
        "properties": {"page": finding.location.path or finding.location.url, "count": finding.count},
    }


def _physical_location(finding: Finding, affected: dict[str, Any]) -> dict[str, Any]:
    """A file of the source where one is known, otherwise the page."""
    source = finding.location.source
    component = component_of(str(affected.get("html", "")))
    if component is not None:
        uri, line = component
    elif source is not None and source.url:
        uri, line = source_path(source.url), source.line
    else:
        uri, line = page_path(finding.location.path or _path_of(finding.location.url)), 1
    return {"artifactLocation": {"uri": uri}, "region": {"startLine": max(1, line)}}


def _path_of(url: str) -> str:
    return "/" + url.partition("://")[2].partition("/")[2].partition("?")[0]


def _message(finding: Finding, affected: dict[str, Any]) -> str:
    where = str(affected.get("selector") or finding.location.endpoint or finding.location.path)
    fix = str(affected.get("fix") or finding.fix)
    words = [f"{finding.title}{f' ({where})' if where else ''}", finding.description, f"Fix: {fix}" if fix else ""]
    return " ".join(_sentence(part) for part in words if part)[: _TEXT_CHARS * 2]


def _sentence(text: str) -> str:
    """A text of one line that ends like a sentence."""
    flat = " ".join(text.split())[:_TEXT_CHARS]
    return flat if flat.endswith((".", "!", "?", "…")) else f"{flat}."


def merge_sarif(logs: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Several files as one: the runs of each kind joined, equal results once."""
    kinds: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for log in logs:
        for run in log["runs"]:
            kinds[run["automationDetails"]["id"]].append(run)
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [_joined(runs) for runs in kinds.values()]}


def _joined(runs: list[dict[str, Any]]) -> dict[str, Any]:
    first = runs[0]
    rules: dict[str, dict[str, Any]] = {}
    results: dict[tuple[str, str], dict[str, Any]] = {}
    for run in runs:
        for rule in run["tool"]["driver"]["rules"]:
            rules.setdefault(rule["id"], rule)
        for result in run["results"]:
            results.setdefault((result["ruleId"], result["partialFingerprints"]["gasolineFinding/v1"]), result)
    order = {rule: index for index, rule in enumerate(rules)}
    ranked = sorted(results.values(), key=lambda one: ("error", "warning", "note").index(one["level"]))
    audited = list(dict.fromkeys(page for run in runs for page in run["properties"]["pagesAudited"]))
    missing = dict.fromkeys(page for run in runs for page in run["properties"]["pagesNotAudited"])
    driver = {**first["tool"]["driver"], "rules": list(rules.values())}
    return {
        **first,
        "tool": {"driver": driver},
        "invocations": [invocation for run in runs for invocation in run["invocations"]],
        "results": [{**one, "ruleIndex": order[one["ruleId"]]} for one in ranked[:SARIF_RESULTS]],
        "properties": {"pagesAudited": audited, "pagesNotAudited": [page for page in missing if page not in audited]},
    }
