"""Judges what axe-core found: each violation with its WCAG criterion, and each element with what to change."""

import re
from typing import Any

from gasoline_cdp import limits
from gasoline_cdp.analysis.accessibility_fixes import fix_for
from gasoline_cdp.analysis.changes import Fix
from gasoline_cdp.analysis.markup import safe_markup
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

# The pages that explain a criterion, by its number.
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
# Criteria that came with WCAG 2.2; all others are explained under 2.1 as well.
_NEW = {"2.5.8"}


def criteria(tags: list[str]) -> list[str]:
    """`["wcag143"]` → `["1.4.3"]`."""
    return [".".join(found.groups()) for tag in tags if (found := _CRITERION.fullmatch(tag))]


def level(tags: list[str]) -> str | None:
    """`wcag2aa`, `wcag21aa` → `AA`."""
    found = [match[2].upper() for tag in tags if (match := _LEVEL.fullmatch(tag))]
    return max(found, key=len) if found else None


def reference(rule: dict[str, Any]) -> dict[str, str]:
    """The criterion, its level, and where it is explained; for a rule of good practice only the latter."""
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
    """The page of axe's authors about a rule."""
    return str(rule["helpUrl"]).partition("?")[0]


def selector_of(target: list[Any]) -> str:
    """Axe's path to an element, in the words of query_dom: ` >>> ` enters a shadow root or a frame."""
    steps = [step for part in target for step in ([part] if isinstance(part, str) else part)]
    return safe_text(" >>> ".join(steps), _SELECTOR_CHARS)


def failure_summary(node: dict[str, Any]) -> str:
    """What is wrong with one element, in axe's words. Of the ways to pass of which any would do, the first."""
    messages = [check["message"] for part in ("none", "all") for check in node[part]]
    messages += [check["message"] for check in node["any"][:1]]
    return safe_text("; ".join(dict.fromkeys(messages)), _SUMMARY_CHARS)


def show_node(rule_id: str, node: dict[str, Any]) -> dict[str, Any]:
    """One element that fails a rule."""
    shown: dict[str, Any] = {
        "selector": selector_of(node["target"]),
        # Without the indents of its source.
        "html": safe_markup(_SPACES.sub(" ", node["html"]), limits.AUDIT_HTML_CHARS),
        "failureSummary": failure_summary(node),
        "fix": _advice(fix_for(rule_id, node)),
    }
    related = related_to(node)
    # Advice that names them all says it already.
    if any(f"`{selector}`" not in shown["fix"] for selector in related if not selector.endswith(" more")):
        shown["related"] = related
    return shown


def show_review(rule_id: str, node: dict[str, Any]) -> dict[str, Any]:
    """One element that a person has to look at: why, and what to do if it is wrong, where that can be said."""
    shown = {"selector": selector_of(node["target"]), "review": failure_summary(node)}
    fix = fix_for(rule_id, node)
    return {**shown, "fix": _advice(fix)} if fix.ways else shown


def _advice(fix: Fix) -> str:
    # It names attributes, and elements by theirs.
    return safe_markup(fix.sentence(), _FIX_CHARS)


def related_to(node: dict[str, Any]) -> list[str]:
    """The other elements that a check names: the second one with an id, the link inside what is hidden."""
    checks = [check for part in ("none", "all", "any") for check in node[part]]
    own = selector_of(node["target"])
    named = dict.fromkeys(selector_of(other["target"]) for check in checks for other in check.get("related") or ())
    found = [selector for selector in named if selector != own]
    more = sum(int(check.get("related_more") or 0) for check in checks) + max(0, len(found) - _RELATED)
    return [*found[:_RELATED], *([f"{more} more"] if more else [])]


def show_rule(rule: dict[str, Any]) -> dict[str, Any]:
    """A rule that elements fail, without the elements."""
    levels = [tag for tag in rule["tags"] if _LEVEL.fullmatch(tag)]
    return {
        "id": rule["id"],
        "impact": rule["impact"],
        "description": rule["help"],
        "helpUrl": help_url(rule),
        "wcag": [*levels, *criteria(rule["tags"])],
        "level": level(rule["tags"]),
        "nodeCount": rule["nodeCount"],
    }


def judge_accessibility(result: dict[str, Any]) -> list[Finding]:
    """Findings of `analyze`: violations by their impact, and as information what a person has to look at."""
    findings = [_finding(rule, _SEVERITIES.get(rule["impact"] or "", "medium")) for rule in result["violations"]]
    return findings + [_finding(rule, "info", review=True) for rule in result["incomplete"]]


def _finding(rule: dict[str, Any], severity: Severity, *, review: bool = False) -> Finding:
    show = show_review if review else show_node
    nodes = [show(rule["id"], node) for node in rule["nodes"][: limits.AUDIT_AFFECTED]]
    fix = nodes[0].get("fix") if nodes else None
    names = ("selector", "review", "fix") if review else ("selector", "html", "fix", "related")
    affected = [
        # Advice that is the same for all stands at the finding.
        {name: node[name] for name in names if name in node and not (name == "fix" and node["fix"] == fix)}
        for node in nodes
    ]
    return Finding(
        id=rule["id"],
        severity=severity,
        category="accessibility",
        message=f"To be looked at by a person: {rule['help']}" if review else rule["help"],
        count=rule["nodeCount"],
        fix=fix,
        affected=affected,
        reference=reference(rule),
    )
