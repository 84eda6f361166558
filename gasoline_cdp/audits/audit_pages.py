"""Splits the elements of an accessibility audit into answers, page by page, so that every element can be reached."""

from collections import Counter
from typing import Any

from attrs import define, field

from gasoline_cdp import wire
from gasoline_cdp.analysis.accessibility.judge import rule_finding, show_node, show_review, show_rule
from gasoline_cdp.answers.lines import AnswerForm
from gasoline_cdp.audits.rule_lines import COMMON, first_bytes, further_bytes
from gasoline_cdp.probe.accessibility import AxeRun

_IMPACTS = ("critical", "serious", "moderate", "minor")
# Besides the name of a rule: its quotation marks and its count.
_NAME_BYTES = 10
_SHORT = 120


@define
class AuditPage:
    """The part of an audit in one answer."""

    violations: list[dict[str, Any]] = field(factory=list)
    incomplete: list[dict[str, Any]] = field(factory=list)
    passes: list[dict[str, Any]] = field(factory=list)
    # Kind → rule → number of elements still to come.
    left_out: dict[str, dict[str, int]] = field(factory=dict)
    end: int = 0
    # Elements that were counted but not kept.
    beyond: int = 0


@define
class _Item:
    kind: str
    rule: dict[str, Any]
    # Index of the element in the rule. None for a rule that passed.
    index: int | None


def _items(run: AxeRun) -> list[_Item]:
    """All items in the order of the answers: the first element of each rule, then the second of each."""
    items: list[_Item] = []
    for kind in ("violations", "incomplete"):
        rules = sorted(run.result[kind], key=_rank) if kind == "violations" else run.result[kind]
        items += sorted(
            (_Item(kind, rule, index) for rule in rules for index in range(len(rule["nodes"]))),
            key=lambda item: item.index or 0,
        )
    if run.passes:
        items += [_Item("passes", rule, None) for rule in run.result["passes"]]
    return items


def _rank(rule: dict[str, Any]) -> int:
    return _IMPACTS.index(rule["impact"]) if rule["impact"] in _IMPACTS else len(_IMPACTS)


def fill_audit_page(run: AxeRun, start: int, budget: int, form: AnswerForm = "json") -> AuditPage:
    """The items from `start` that fit beside the names of the remaining rules.

    The budget counts bytes in the form that the client reads: it holds more elements as lines than as JSON.
    """
    items = _items(run)
    page = AuditPage(end=start)
    left = Counter((item.kind, item.rule["id"]) for item in items[start:])
    names = sum(len(name) + _NAME_BYTES for _, name in left)
    ceiling = budget // 2
    shown: dict[tuple[str, str], dict[str, Any]] = {}
    for item in items[start:]:
        key = (item.kind, item.rule["id"])
        entry, node, cost = _shown(item, shown.get(key), form)
        rest = names - (len(key[1]) + _NAME_BYTES if left[key] == 1 else 0)
        if cost + min(rest, ceiling) > budget:
            # Each page has at least one element, so that the cursor advances.
            if page.end > start:
                break
            node = {name: node[name][:_SHORT] for name in ("selector", "fix", "review") if node.get(name)}
            entry = {name: entry[name] for name in ("id", "impact", "nodeCount") if name in entry}
        if key not in shown:
            shown[key] = entry
            getattr(page, item.kind).append(entry)
        if item.index is not None:
            shown[key].setdefault("nodes", []).append(node)
        budget -= cost
        names = rest
        left[key] -= 1
        page.end += 1
    page.left_out = _named(left, max(budget, ceiling))
    page.beyond = sum(
        rule["nodeCount"] - len(rule["nodes"]) for kind in ("violations", "incomplete") for rule in run.result[kind]
    )
    return page


def _shown(item: _Item, entry: dict[str, Any] | None, form: AnswerForm) -> tuple[dict[str, Any], dict[str, Any], int]:
    """The rule's entry (unchanged if the page has it), the element's own fields, and the size that both add."""
    rule = item.rule
    if item.index is None:
        passed = {"id": rule["id"], "description": rule["help"], "nodeCount": rule["nodeCount"]}
        # The size in the list of `passed_lines`.
        listed = len(f"{rule['id']} {rule['nodeCount']}") + 5
        return passed, {}, listed if form == "lines" else len(wire.encode(passed)) + 1
    show = show_node if item.kind == "violations" else show_review
    node = show(rule["id"], rule["nodes"][item.index])
    cost = 0
    new = entry is None
    if entry is None:
        common = {name: node[name] for name in COMMON if name in node}
        entry = {**_head(item), **common}
        cost = len(wire.encode(entry)) + len(',"nodes":[],')
    own = {name: value for name, value in node.items() if name not in COMMON or value != entry.get(name)}
    # Null for fields that the rule has and this element does not.
    own.update(dict.fromkeys(name for name in COMMON if name in entry and name not in node))
    words = {name: own[name] for name in COMMON if name in own}
    for other in entry.get("nodes", ()) if words else ():
        if {name: other[name] for name in COMMON if name in other} == words:
            own = {name: value for name, value in own.items() if name not in COMMON} | {"same_as": other["selector"]}
            break
    if form == "lines":
        return entry, own, first_bytes(entry, own) if new else further_bytes(own)
    return entry, own, cost + len(wire.encode(own)) + 1


def _head(item: _Item) -> dict[str, Any]:
    """The fields of a rule: all at its first element, few if an earlier page has shown it."""
    rule = item.rule
    if item.index:
        return {"id": rule["id"], "impact": rule["impact"], "nodeCount": rule["nodeCount"]}
    if item.kind == "violations":
        return show_rule(rule_finding(rule))
    return {"id": rule["id"], "description": rule["help"], "nodeCount": rule["nodeCount"]}


def _named(left: Counter[tuple[str, str]], budget: int) -> dict[str, dict[str, int]]:
    """Counts by kind and rule. Rules that do not fit are counted together."""
    named: dict[str, dict[str, int]] = {}
    for (kind, name), count in left.items():
        if not count:
            continue
        rules = named.setdefault(kind, {})
        budget -= len(name) + _NAME_BYTES
        if budget >= 0:
            rules[name] = count
        else:
            rules["others"] = rules.get("others", 0) + count
    return named
