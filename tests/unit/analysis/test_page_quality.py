"""What search engines read, and good practice."""

from typing import Any

import pytest

from gasoline_cdp.analysis.page_quality import PRACTICE_RULES, SEO_RULES, judge_practices, judge_seo
from gasoline_cdp.records import LogRecord, NetworkRecord, Source

SOURCE = Source(1, "page", "https://shop.test/", 1)
NONE = {"count": 0, "first": []}
FACTS: dict[str, Any] = {
    "title": "A shop", "description": "Sells things", "viewport": "width=device-width", "robots": None,
    "language": "en", "canonicals": [], "headings": 1, "vagueLinks": NONE, "uncrawlable": NONE,
    "protocol": "https:", "host": "shop.test", "passwordFields": 0, "insecureForms": NONE, "doctype": True,
    "quirks": False, "charset": "UTF-8", "distorted": NONE, "pasteBlocked": NONE, "redirects": 0,
}  # fmt: skip


def document(**more: Any) -> NetworkRecord:
    values: dict[str, Any] = {
        "seq": 1, "id": "r1", "ts": 0.0, "source": SOURCE, "method": "GET", "url": "https://shop.test/",
        "type": "Document", "outcome": "ok", "status": 200,
    }  # fmt: skip
    return NetworkRecord(**{**values, **more})


def test_a_good_page_has_no_findings() -> None:
    assert judge_seo(FACTS, document()) == []
    assert judge_practices(FACTS, [document()], []) == []


@pytest.mark.parametrize(
    ("facts", "finding"),
    [
        ({"title": " "}, "title_missing"),
        ({"title": "x" * 71}, "title_long"),
        ({"description": None}, "description_missing"),
        ({"description": "x" * 200}, "description_long"),
        ({"viewport": None}, "viewport_missing"),
        ({"robots": "NOINDEX"}, "indexing_forbidden"),
        ({"language": ""}, "language_missing"),
        ({"canonicals": ["/a", "/b"]}, "canonical_ambiguous"),
        ({"headings": 0}, "main_heading_missing"),
        ({"vagueLinks": {"count": 2, "first": [{"selector": "main", "html": "<a>"}]}}, "link_text_vague"),
        ({"uncrawlable": {"count": 1, "first": [{"selector": "main", "html": "<a>"}]}}, "links_uncrawlable"),
    ],
)
def test_search(facts: dict[str, Any], finding: str) -> None:
    (found,) = judge_seo({**FACTS, **facts}, document())
    assert (found.rule, found.category) == (finding, "seo")
    assert found.fix
    assert found.rule in SEO_RULES


def test_search_reads_the_document_s_answer() -> None:
    assert [one.rule for one in judge_seo(FACTS, document(status=404))] == ["document_error_status"]
    header = document(response_headers={"x-robots-tag": "noindex"})
    assert [one.rule for one in judge_seo(FACTS, header)] == ["indexing_forbidden"]
    assert judge_seo(FACTS, None) == []


@pytest.mark.parametrize(
    ("facts", "findings"),
    [
        ({"protocol": "http:"}, ["https_missing"]),
        ({"protocol": "http:", "passwordFields": 1}, ["https_missing", "password_over_http"]),
        ({"protocol": "http:", "host": "localhost", "passwordFields": 1}, []),
        ({"insecureForms": {"count": 1, "first": [{"selector": "main", "html": "<form>"}]}}, ["form_over_http"]),
        ({"doctype": False}, ["doctype_missing"]),
        ({"charset": "windows-1252"}, ["charset_not_utf8"]),
        ({"distorted": {"count": 1, "first": [{"selector": "main", "html": "<img>"}]}}, ["images_distorted"]),
        ({"pasteBlocked": {"count": 1, "first": [{"selector": "main", "html": "<input>"}]}}, ["paste_blocked"]),
        ({"redirects": 3}, ["redirect_chain"]),
    ],
)
def test_practices(facts: dict[str, Any], findings: list[str]) -> None:
    found = judge_practices({**FACTS, **facts}, [], [])
    assert [one.rule for one in found] == findings
    assert all(one.fix and one.category == "best_practices" for one in found)
    assert {one.rule for one in found} <= set(PRACTICE_RULES)


def test_practices_read_requests_and_logs() -> None:
    mixed = document(url="http://cdn.test/a.js", type="Script")
    failed = document(url="https://shop.test/x", status=500)
    error = LogRecord(seq=1, ts=0, source=SOURCE, kind="exception", level="error", text="Oops")
    old = LogRecord(seq=2, ts=0, source=SOURCE, kind="browser", level="warning", text="x is deprecated")
    found = {one.rule: one for one in judge_practices(FACTS, [mixed, failed], [error, old])}
    assert set(found) <= set(PRACTICE_RULES)
    assert set(found) == {"mixed_content", "requests_failed", "errors_in_console", "deprecated_features"}
    assert found["errors_in_console"].affected == [{"message": "Oops"}]


def test_an_element_is_named_by_selector_and_text() -> None:
    vague = {"count": 1, "first": [{"selector": "#nav > a", "html": '<a href="/x">', "text": "Read more"}]}
    (found,) = judge_seo({**FACTS, "vagueLinks": vague}, document())
    assert found.affected == [{"selector": "#nav > a", "text": "Read more", "html": '<a href="/x">'}]
