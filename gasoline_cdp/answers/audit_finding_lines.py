"""Findings of `analyze(action="audit")` as lines: what is wrong, its fix, and where it was first seen."""

from collections.abc import Iterator
from typing import Any

from gasoline_cdp.answers.finding_entries import TONES
from gasoline_cdp.answers.lines import Line
from gasoline_cdp.answers.marked_lines import labelled, line_bytes, listed, marked, sample_markup, wcag_words
from gasoline_cdp.answers.quoting import quoted, word, written_fields
from gasoline_cdp.answers.shared_facts import SharedFacts

_SELECTOR_CHARS = 300
_MESSAGE_CHARS = 200
# Affected elements with these fields only are listed by selector.
_ELEMENT = {"selector", "html"}
# Fields that an affected element's line shows without their names.
_BARE = {"id", "selector", "url", "message", "at", "status"}


def audit_finding_lines(entry: dict[str, Any], shared: SharedFacts, category: str = "") -> Iterator[Line]:
    """`critical image-alt 24 places WCAG 1.1.1 A | Images must have alternative text`.

    `category` is given if findings differ in it. A finding that did not fit has its heading only.
    """
    reference = entry.get("reference", {})
    words = (
        entry["severity"],
        category,
        word(entry["id"]),
        f"{entry['count']} places" if entry["count"] != 1 else "",
        wcag_words(reference.get("wcag", ""), reference.get("level", "")),
        marked(entry["message"]),
    )
    yield Line(" ".join(filter(None, words)), tone=TONES.get(entry["severity"], "plain"))
    if entry.get("fix"):
        yield labelled("fix", entry["fix"])
    affected = entry.get("affected", [])
    if affected and _is_element(affected[0]):
        yield from sample_markup(affected)
    yield from _affected_lines(affected, shared)


def audit_finding_bytes(entry: dict[str, Any]) -> int:
    """Maximum size of a finding's lines."""
    return line_bytes(audit_finding_lines(entry, SharedFacts(), entry["category"]))


def affected_bytes(affected: list[dict[str, Any]]) -> int:
    """Maximum size of the lines for more affected elements."""
    return line_bytes(_affected_lines(affected, SharedFacts()))


def _is_element(one: dict[str, Any]) -> bool:
    return bool(one.get("selector")) and one.keys() <= _ELEMENT


def _affected_lines(affected: list[dict[str, Any]], shared: SharedFacts) -> Iterator[Line]:
    yield from listed(one["selector"] for one in affected if _is_element(one))
    for one in affected:
        if not _is_element(one):
            yield from _detailed_lines(one, shared)


def _detailed_lines(one: dict[str, Any], shared: SharedFacts) -> Iterator[Line]:
    rest = {
        name: value
        for name, value in one.items()
        if name not in _BARE | {"fix", "review", "html"} and value is not None
    }
    # Without a selector, its markup is all that identifies an element.
    html = one.get("html") if not one.get("selector") else None
    words = (
        word(one["id"]) if one.get("id") else "",
        str(one["status"]) if one.get("status") else "",
        word(one["selector"], _SELECTOR_CHARS) if one.get("selector") else "",
        shared.url(one["url"]) if one.get("url") else "",
        quoted(one["message"], _MESSAGE_CHARS) if one.get("message") else "",
        quoted(html, _MESSAGE_CHARS) if html else "",
        written_fields(rest),
        shared.location(one["at"]) if one.get("at") else "",
    )
    yield Line(" ".join(filter(None, words)), depth=1)
    for label, name in (("why", "review"), ("fix", "fix")):
        if one.get(name):
            yield labelled(label, one[name], depth=2)
