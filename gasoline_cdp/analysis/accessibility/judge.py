"""Turns results of axe-core into findings: violations with their WCAG criterion, elements with what to change."""

import re
from collections.abc import Callable
from typing import Any

from attrs import evolve

from gasoline_cdp import limits
from gasoline_cdp.analysis.accessibility.changes import Fix
from gasoline_cdp.analysis.accessibility.fixes import fix_for
from gasoline_cdp.analysis.markup import safe_markup, safe_selector
from gasoline_cdp.findings import Finding, Severity
from gasoline_cdp.redact import safe_text

_SEVERITIES: dict[str, Severity] = {"critical": "critical", "serious": "high", "moderate": "medium", "minor": "low"}

_LEVEL = re.compile(r"wcag(\d{1,2})(a{1,3})")
_CRITERION = re.compile(r"wcag(\d)(\d)(\d{1,2})")
_SPACES = re.compile(r"\s{2,}")
_SELECTOR_CHARS = 300
_SUMMARY_CHARS = 300
_FIX_CHARS = 500
_RELATED = 5
# Fields shown of an element, in this order.
_SHOWN = ("selector", "html", "review", "fix", "related")

# Criterion → name of the page that explains it.
_PAGES = {
    "1.1.1": "non-text-content", "1.2.1": "audio-only-and-video-only-prerecorded", "1.2.2": "captions-prerecorded",
    "1.3.1": "info-and-relationships", "1.3.4": "orientation", "1.3.5": "identify-input-purpose",
    "1.4.1": "use-of-color", "1.4.2": "audio-control", "1.4.3": "contrast-minimum", "1.4.4": "resize-text",
    "1.4.6": "contrast-enhanced", "1.4.12": "text-spacing", "2.1.1": "keyboard", "2.1.3": "keyboard-no-exception",
    "2.2.1": "timing-adjustable", "2.2.2": "pause-stop-hide", "2.2.4": "interruptions", "2.4.1": "bypass-blocks",
    "2.4.2": "page-titled", "2.4.4": "link-purpose-in-context", "2.4.9": "link-purpose-link-only",
    "2.5.3": "label-in-name", "2.5.8": "target-size-minimum", "3.1.1": "language-of-page",
    "3.1.2": "language-of-parts", "3.2.5": "change-on-request", "3.3.2": "labels-or-instructions",
    "4.1.2": "name-role-value",
}  # fmt: skip
# Criteria that are new in WCAG 2.2. The pages of 2.1 explain all others.
_NEW = {"2.5.8"}


def criteria(tags: list[str]) -> list[str]:
    """`["wcag143"]` → `["1.4.3"]`."""
    return [".".join(match.groups()) for tag in tags if (match := _CRITERION.fullmatch(tag))]


def level(tags: list[str]) -> str | None:
    """`wcag2aa`, `wcag21aa` → `AA`."""
    levels = [match[2].upper() for tag in tags if (match := _LEVEL.fullmatch(tag))]
    return max(levels, key=len) if levels else None


def reference(rule: dict[str, Any]) -> dict[str, str]:
    """The criterion, its level and a link. For a rule of good practice, the link only."""
    tags = rule["tags"]
    numbers = criteria(tags)
    shown = {"wcag": numbers[0]} if numbers else {}
    if conformance := level(tags):
        shown["level"] = conformance
    page = _PAGES.get(numbers[0]) if numbers else None
    if page:
        version = "WCAG22" if numbers[0] in _NEW else "WCAG21"
        return {**shown, "url": f"https://www.w3.org/WAI/{version}/Understanding/{page}"}
    return {**shown, "url": help_url(rule)}


def help_url(rule: dict[str, Any]) -> str:
    """The page about a rule by axe's authors."""
    return str(rule["helpUrl"]).partition("?")[0]


def selector_of(target: list[Any]) -> str:
    """Axe's path to an element in the syntax of query_dom: ` >>> ` enters a shadow root or a frame."""
    steps = [step for part in target for step in ([part] if isinstance(part, str) else part)]
    return safe_text(safe_selector(" >>> ".join(steps)), _SELECTOR_CHARS)


def failure_summary(node: dict[str, Any]) -> str:
    """What is wrong with an element, in axe's words. If any of several fixes would do, the first one."""
    messages = [check["message"] for part in ("none", "all") for check in node[part]]
    messages += [check["message"] for check in node["any"][:1]]
    return safe_text("; ".join(dict.fromkeys(messages)), _SUMMARY_CHARS)


def show_node(rule_id: str, node: dict[str, Any]) -> dict[str, Any]:
    """One element that fails a rule."""
    shown: dict[str, Any] = {
        "selector": selector_of(node["target"]),
        # Drop the indentation of the source.
        "html": safe_markup(_SPACES.sub(" ", node["html"]), limits.AUDIT_HTML_CHARS),
        "failureSummary": failure_summary(node),
        "fix": _advice(fix_for(rule_id, node)),
    }
    related = related_to(node)
    # Leave out `related` if the advice names all of it already.
    if any(f"`{selector}`" not in shown["fix"] for selector in related if not selector.endswith(" more")):
        shown["related"] = related
    return shown


def show_review(rule_id: str, node: dict[str, Any]) -> dict[str, Any]:
    """One element that a person has to check: why, and if possible what to do if it is wrong."""
    shown = {"selector": selector_of(node["target"]), "review": failure_summary(node)}
    fix = fix_for(rule_id, node)
    return {**shown, "fix": _advice(fix)} if fix.ways else shown


def _advice(fix: Fix) -> str:
    # The sentence quotes attributes, and selectors made of attributes.
    return safe_markup(fix.sentence(), _FIX_CHARS)


def related_to(node: dict[str, Any]) -> list[str]:
    """Other elements that a check names: the second one with the same id, the link inside hidden content."""
    checks = [check for part in ("none", "all", "any") for check in node[part]]
    own = selector_of(node["target"])
    named = dict.fromkeys(selector_of(other["target"]) for check in checks for other in check.get("related") or ())
    selectors = [selector for selector in named if selector != own]
    more = sum(int(check.get("related_more") or 0) for check in checks) + max(0, len(selectors) - _RELATED)
    return [*selectors[:_RELATED], *([f"{more} more"] if more else [])]


def rule_finding(rule: dict[str, Any], *, review: bool = False) -> Finding:
    """A rule that elements fail, without the elements. `review`: a person has to check them."""
    levels = [tag for tag in rule["tags"] if _LEVEL.fullmatch(tag)]
    return Finding(
        rule=rule["id"],
        severity="info" if review else _SEVERITIES.get(rule["impact"] or "", "medium"),
        category="accessibility",
        title=rule["help"],
        evidence={
            "impact": rule["impact"],
            "helpUrl": help_url(rule),
            "wcag": [*levels, *criteria(rule["tags"])],
            "level": level(rule["tags"]),
        },
        count=rule["nodeCount"],
        reference=reference(rule),
    )


def show_rule(finding: Finding) -> dict[str, Any]:
    """A rule, in the terms of axe-core."""
    evidence = finding.evidence
    return {
        "id": finding.rule,
        "impact": evidence["impact"],
        "description": finding.title,
        "helpUrl": evidence["helpUrl"],
        "wcag": evidence["wcag"],
        "level": evidence["level"],
        "nodeCount": finding.count,
    }


def judge_accessibility(result: dict[str, Any]) -> list[Finding]:
    """Findings of `analyze`: violations by impact, and what a person has to check as information."""
    findings = violations_of(result)
    for rule in result["incomplete"]:
        finding = rule_finding(rule, review=True)
        words = f"To be looked at by a person: {finding.title}"
        findings.append(_with_elements(evolve(finding, title=words), rule["nodes"], show_review))
    return findings


def violations_of(result: dict[str, Any]) -> list[Finding]:
    """The violations, each with its first elements."""
    return [_with_elements(rule_finding(rule), rule["nodes"], show_node) for rule in result["violations"]]


def _with_elements(
    finding: Finding, nodes: list[dict[str, Any]], show: Callable[[str, dict[str, Any]], dict[str, Any]]
) -> Finding:
    shown = [show(finding.rule, node) for node in nodes[: limits.AUDIT_AFFECTED]]
    fix = shown[0].get("fix", "") if shown else ""
    affected = [
        # If all elements share the same advice, the finding carries it instead.
        {name: node[name] for name in _SHOWN if name in node and not (name == "fix" and node["fix"] == fix)}
        for node in shown
    ]
    return evolve(finding, affected=affected, fix=fix)
