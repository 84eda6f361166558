"""Outlines as the templates that Playwright compares ARIA snapshots with: YAML, with every text of a page quoted."""

import json
import re
from collections.abc import Iterator, Sequence

from gasoline_cdp.analysis.flows.counters import COUNTED
from gasoline_cdp.analysis.flows.outlines import Outline, OutlineNode
from gasoline_cdp.artifacts.playwright.patterns import pattern_of

# Such a text means the same without quotes.
_PLAIN = re.compile(r"[A-Za-z][A-Za-z ,.()!?]*[A-Za-z.!?)]")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off"})


def template(outline: Outline) -> list[str]:
    """Its lines: `- listitem: Milk`."""
    return list(_lines(outline.nodes, 0))


def _lines(nodes: Sequence[OutlineNode | str], depth: int) -> Iterator[str]:
    indent = "  " * depth
    for node in nodes:
        if isinstance(node, str):
            yield f"{indent}- text: {_value(node)}"
            continue
        key = _key(node)
        if not node.children:
            yield f"{indent}- {key}"
        elif len(node.children) == 1 and isinstance(node.children[0], str):
            yield f"{indent}- {key}: {_value(node.children[0])}"
        else:
            yield f"{indent}- {key}:"
            yield from _lines(node.children, depth + 1)


def _key(node: OutlineNode) -> str:
    parts = [node.role]
    if node.name:
        parts.append(
            f"/{pattern_of(node.name)}/" if COUNTED in node.name else json.dumps(node.name, ensure_ascii=False)
        )
    parts += [f"[level={node.level}]"] if node.level else []
    parts += ["[checked]"] if node.checked else []
    key = " ".join(parts)
    # In single quotes, where a quote is written twice, YAML takes everything as it is.
    return "'" + key.replace("'", "''") + "'" if node.name and not _PLAIN.fullmatch(node.name) else key


def _value(text: str) -> str:
    if COUNTED in text:
        # In single quotes YAML takes everything as it is.
        return "'/" + pattern_of(text).replace("'", "''") + "/'"
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return json.dumps(text, ensure_ascii=False)
