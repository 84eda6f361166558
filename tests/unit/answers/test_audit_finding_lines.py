"""Findings about the quality of a page, as lines: every kind of place that a judge names."""

from typing import Any

import pytest

from gasoline_cdp.answers.audit_finding_lines import affected_bytes, audit_finding_bytes, audit_finding_lines
from gasoline_cdp.answers.marked_lines import line_bytes
from gasoline_cdp.answers.shared_facts import SharedFacts
from gasoline_cdp.answers.text import write_lines
from tests.page_words import CLAIM, HOSTILE, ours

SHARED = SharedFacts(origin="http://app.test")


def entry_of(*affected: dict[str, Any], **changes: Any) -> dict[str, Any]:
    given = {"id": "thing_wrong", "severity": "low", "category": "seo", "message": "Wrong", "count": len(affected)}
    return {**given, "fix": "Mend it", "affected": list(affected), **changes}


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ({"id": "r5", "url": "http://app.test/a.png", "status": 404}, "r5 404 /a.png"),
        ({"id": "r2", "url": "http://cdn.test/a.js", "kilobytes": 12.2}, "r2 http://cdn.test/a.js kilobytes=12.2"),
        ({"message": 'x "y"', "at": "save (http://app.test/app.js:3:1)"}, r'"x \"y\"" app.js:3:1 save'),
        ({"selector": "main > p", "shift": 0.25}, '"main > p" shift=0.25'),
        ({"selector": "#a", "text": "click here", "html": "<a>click here</a>"}, '#a text="click here"'),
        ({"html": "<a name=x>"}, '"<a name=x>"'),
        (
            {"start_ms": 5, "duration_ms": 300, "script": {"url": "http://app.test/a.js", "duration_ms": 290}},
            "start_ms=5 duration_ms=300 script={url=http://app.test/a.js duration_ms=290}",
        ),
    ],
)
def test_places(place: dict[str, Any], line: str) -> None:
    lines = [str(line) for line in audit_finding_lines(entry_of(place), SHARED)]
    assert lines == ["low thing_wrong | Wrong", "  fix | Mend it", f"  {line}"]


def test_elements_with_other_advice_stand_for_themselves() -> None:
    plain = {"selector": "#a", "html": "<p>"}
    other = {"selector": "#b", "html": "<p>", "review": "Look", "fix": "Otherwise"}
    entry = entry_of(plain, other, reference={"wcag": "1.1.1", "level": "A", "url": "https://w3.test"})
    assert [str(line) for line in audit_finding_lines(entry, SHARED, "accessibility")] == [
        "low accessibility thing_wrong 2 places WCAG 1.1.1 A | Wrong",
        "  fix | Mend it",
        "  html | <p>",
        "  | #a",
        "  #b",
        "    why | Look",
        "    fix | Otherwise",
    ]


def test_one_that_is_only_named() -> None:
    named = {"id": "x", "severity": "high", "category": "seo", "message": "Wrong", "count": 3}
    assert [str(line) for line in audit_finding_lines(named, SHARED)] == ["high x 3 places | Wrong"]


def test_sizes_are_those_of_the_lines_at_most() -> None:
    places = [{"selector": f"#e{number}", "html": "<p class=x>"} for number in range(20)]
    places += [{"id": "r1", "url": "http://app.test/a"}]
    entry = entry_of(*places)
    most = audit_finding_bytes({**entry, "affected": places[:1]}) + sum(affected_bytes([one]) for one in places[1:])
    assert line_bytes(audit_finding_lines(entry, SHARED, "seo")) <= most


@pytest.mark.requirement("S20")
@pytest.mark.parametrize("hostile", HOSTILE)
def test_no_page_writes_a_line_of_a_finding(hostile: str) -> None:
    names = ("id", "url", "selector", "message", "at", "html", "fix", "review", "text", "cache_control", "invoker")
    places: list[dict[str, Any]] = [{name: hostile} for name in names if name not in ("fix", "review")]
    places += [{"selector": hostile, "html": hostile}, dict.fromkeys(names, hostile), {"script": {"url": hostile}}]
    lines = list(audit_finding_lines(entry_of(*places, message=hostile, fix=hostile), SHARED))
    text = write_lines(lines)
    assert len(text.splitlines()) == len(lines)
    assert text.count(CLAIM) > len(places)
    assert CLAIM not in ours(text)
