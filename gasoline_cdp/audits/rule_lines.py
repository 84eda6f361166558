"""Rules of an accessibility audit as lines: shared texts once, then the elements that break the rule."""

from collections.abc import Iterable, Iterator
from typing import Any

from gasoline_cdp import wire
from gasoline_cdp.answers.lines import Line, Tone
from gasoline_cdp.answers.marked_lines import labelled, line_bytes, listed, marked, sample_markup, wcag_words
from gasoline_cdp.answers.quoting import word
from gasoline_cdp.answers.wording import number_of

# An element does not repeat these fields of its rule, neither in JSON nor in lines.
COMMON = ("failureSummary", "review", "fix", "related")
_LABELS = {"failureSummary": "why", "review": "why", "fix": "fix", "related": "related"}
_TONES: dict[str | None, Tone] = {"critical": "error", "serious": "error", "moderate": "warning"}


def rule_lines(rule: dict[str, Any]) -> Iterator[Line]:
    """`critical image-alt 24 elements WCAG 1.1.1 A | what is wrong`, then the fix and the elements.

    Elements with their own texts are listed below those.
    """
    why = rule.get("failureSummary") or rule.get("review") or rule.get("description")
    words = (
        rule.get("impact"),
        word(rule["id"]),
        number_of(rule["nodeCount"], "element") if rule["nodeCount"] != 1 else "",
        wcag_words(" ".join(name for name in rule.get("wcag", ()) if "." in name), rule.get("level") or ""),
        marked(why) if why else "",
    )
    tone = _TONES.get(rule.get("impact"), "plain")
    yield Line(" ".join(filter(None, words)), tone=tone)
    nodes = rule.get("nodes", [])
    yield from _words({name: rule[name] for name in ("fix", "related") if name in rule})
    if "description" in rule:
        yield from sample_markup(nodes)
    for own, selectors in _by_words(nodes):
        yield from _group_lines(own, selectors)


def first_bytes(rule: dict[str, Any], node: dict[str, Any]) -> int:
    """Size of a rule with its first element."""
    return line_bytes(rule_lines({**rule, "nodes": [node]}))


def further_bytes(node: dict[str, Any]) -> int:
    """Maximum size of one more element."""
    return line_bytes(_group_lines(_own_words(node), [node["selector"]]))


def passed_lines(rules: Iterable[dict[str, Any]]) -> Iterator[Line]:
    """The rules that passed, each with its number of elements."""
    yield from listed(f"{rule['id']} {rule['nodeCount']}" for rule in rules)


def _group_lines(own: dict[str, Any], selectors: list[str]) -> Iterator[Line]:
    yield from _words(own)
    yield from listed(selectors)


def _words(words: dict[str, Any]) -> Iterator[Line]:
    for name, value in words.items():
        if value:
            yield labelled(_LABELS[name], ", ".join(value) if isinstance(value, list) else value)
        else:
            # The rule has one, but it does not apply to this element.
            yield Line(f"{_LABELS[name]}: none known", depth=1)


def _own_words(node: dict[str, Any]) -> dict[str, Any]:
    return {name: node[name] for name in COMMON if name in node}


def _by_words(nodes: Iterable[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """The elements grouped by the texts that differ from their rule's. Those without any come first."""
    groups: dict[bytes, tuple[dict[str, Any], list[str]]] = {wire.encode({}): ({}, [])}
    keys: dict[str, bytes] = {}
    for node in nodes:
        own = _own_words(node)
        key = keys[node["same_as"]] if "same_as" in node else wire.encode(own)
        keys[node["selector"]] = key
        groups.setdefault(key, (own, []))[1].append(node["selector"])
    return ((own, selectors) for own, selectors in groups.values() if selectors)
