"""Accessibility audits as axe-core would give them, made for tests of what becomes of them."""

from typing import Any

from gasoline_cdp.probe.accessibility import AxeRun


def made_node(name: str, message: str, html: str = "<img>") -> dict[str, Any]:
    """An element that fails."""
    check: dict[str, Any] = {"id": "has-alt", "message": message, "data": None, "related": [], "related_more": 0}
    return {"target": [name], "html": html, "facts": None, "any": [check], "all": [], "none": []}


def made_rule(name: str, nodes: int, impact: str = "critical", unlisted: int = 0, *, words: int = 1) -> dict[str, Any]:
    """A rule that elements fail for so many different reasons."""
    return {
        "id": name,
        "impact": impact,
        "help": f"Help for {name}",
        "helpUrl": f"https://example.org/{name}",
        "tags": ["wcag2a", "wcag111"],
        "nodeCount": nodes + unlisted,
        "nodes": [made_node(f"#{name}-{place}", f"Wrong {place % words}") for place in range(nodes)],
    }


def made_run(violations: list[dict[str, Any]], *incomplete: dict[str, Any], passes: int = 0) -> AxeRun:
    """An audit."""
    passed = [{"id": f"p{place}", "help": "Passed", "nodeCount": 1} for place in range(passes)]
    result = {"violations": violations, "incomplete": list(incomplete), "passes": passed, "inapplicable": 0}
    return AxeRun(result=result, passes=bool(passes), number=1)
