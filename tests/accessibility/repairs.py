"""Applies what the audit advises, and asks axe-core again."""

import json
from pathlib import Path
from typing import Any

from attrs import asdict, frozen

from gasoline_cdp.analysis.accessibility.changes import Change, Fix, attributes_of
from gasoline_cdp.analysis.accessibility.fixes import fix_for
from gasoline_cdp.probe.accessibility import Axe, AxeRequest
from tests.support import Watch

APPLY = (Path(__file__).parent / "apply.js").read_text()


@frozen(kw_only=True)
class Repair:
    """One way to repair one element, tried."""

    rule: str
    html: str
    sentence: str
    # Whether axe reports the rule at that element, or one that took its place, afterwards.
    passes: bool
    after: str = ""


async def show(watch: Watch, document: str) -> None:
    """Put a document into the tab without a navigation, and wait for its frames."""
    await watch.evaluate(
        f"document.open(); document.write({json.dumps(document)}); document.close();"
        "Promise.all([...document.querySelectorAll('iframe')].map((frame) =>"
        "  frame.contentDocument?.readyState === 'complete' && frame.contentDocument.URL !== 'about:blank'"
        "    ? 0 : new Promise((done) => frame.addEventListener('load', done)))).then(() => 0)"
    )


async def audit(watch: Watch, rule: str) -> list[dict[str, Any]]:
    """The elements that fail a rule, or are for a person to judge by it, as the probe gives them."""
    run = await Axe(watch.tab, AxeRequest(tags=_TAGS), 0, lambda _: None).audit()
    found = [*run.result["violations"], *run.result["incomplete"]]
    return [node for one in found if one["id"] == rule for node in one["nodes"]]


# Of which every rule has one.
_TAGS = ("wcag2a", "wcag2aa", "wcag2aaa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice", "experimental",
         "cat.aria", "wcag2a-obsolete", "cat.parsing", "deprecated")  # fmt: skip


def steps(changes: tuple[Change, ...]) -> str:
    """As the page script takes them."""
    return json.dumps([asdict(change) for change in changes])


async def repair(watch: Watch, rule: str, document: str) -> tuple[list[tuple[Fix, dict[str, Any]]], list[Repair]]:
    """Try every way of every fix that the rule's findings in a document come with."""
    await show(watch, document)
    nodes = await audit(watch, rule)
    fixes = [(fix_for(rule, node), node) for node in nodes]
    tried = []
    for fix, node in fixes:
        for way in fix.ways:
            await show(watch, document)
            path = json.dumps([step for part in node["target"] for step in ([part] if isinstance(part, str) else part)])
            await watch.evaluate(f"{MARK}({path}); ({APPLY})({path}, {steps(way)}); 0")
            again = await audit(watch, rule)
            still = [one for one in again if MARKED in attributes_of(one["html"])]
            tried.append(
                Repair(
                    rule=rule,
                    html=node["html"][:120],
                    sentence=Fix(ways=(way,)).sentence(),
                    passes=not still,
                    after=await watch.evaluate("document.documentElement.outerHTML"),
                )
            )
    return fixes, tried


MARKED = "data-repaired"
MARK = f"""((path) => {{
  let root = document, found = null;
  for (const step of path) {{
    found = root.querySelector(step);
    root = found.shadowRoot ?? found.contentDocument ?? root;
  }}
  found.setAttribute("{MARKED}", "");
}})"""
