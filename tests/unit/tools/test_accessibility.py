"""The lines of `run_accessibility_audit`; what the tool finds is shown in a browser."""

import re
from typing import Any

import pytest
from attrs import evolve

from gasoline_cdp.answers.text import write_lines
from gasoline_cdp.probe.accessibility import AxeRun
from gasoline_cdp.tools.accessibility import AccessibilityAnswer, AccessibilityArgs, run_accessibility_audit
from tests.fakes import make_context
from tests.made_audits import made_rule, made_run
from tests.page_words import CLAIM, HOSTILE, ours

AT = "2026-11-18T07:26:39.670Z"


def answer_of(**changes: Any) -> AccessibilityAnswer:
    summary = {"violations": 0, "elements": 0, "passes": 45, "incomplete": 0, "inapplicable": 12}
    given: dict[str, Any] = {"status": "success", "url": "http://app.test/cart", "tab_id": 1, "timestamp": AT}
    return AccessibilityAnswer(**{**given, "summary": summary, "violations": [], **changes})


async def pages(run: AxeRun, max_bytes: int) -> list[AccessibilityAnswer]:
    """An audit as a reader of lines goes through it."""
    context = evolve(make_context(), form="lines")
    run.result["url"] = "http://app.test/cart"
    run.number = context.audits.keep(("an audit",), run, 1)
    found: list[AccessibilityAnswer] = []
    cursor: str | None = f"{run.number}-0"
    while cursor:
        answer = await run_accessibility_audit(AccessibilityArgs(cursor=cursor, max_bytes=max_bytes), context)
        assert len(write_lines(answer.render()).encode()) <= max_bytes
        found.append(answer)
        cursor = answer.cursor
    return found


def test_a_clean_page_is_one_line() -> None:
    text = write_lines(answer_of().render())
    assert text == "No violations; 45 rules passed. tab 1, http://app.test/cart"


def test_what_is_not_ordinary_is_said() -> None:
    text = write_lines(
        answer_of(status="partial", warnings=["timeout"], frames=3, cached=True, message="Frames are missing.").render()
    )
    assert re.match(r"No violations; 45 rules passed; 3 frames; audited at \d\d:\d\d:39\. tab 1", text)
    assert text.split("\n")[1:] == ["Partial: timeout.", "Frames are missing."]


def test_a_page_that_navigated_has_no_numbers() -> None:
    text = write_lines(
        answer_of(status="partial", summary=None, warnings=["page_navigated"], message="Call again.").render()
    )
    assert text == "Not audited. tab 1, http://app.test/cart\nPartial: page_navigated.\nCall again."


async def test_every_element_is_told_and_counts_agree() -> None:
    rules = [made_rule("image-alt", 60, words=3), made_rule("label", 30, "serious"), made_rule("region", 1, "minor")]
    run = made_run(rules, made_rule("color-contrast", 20), passes=30)
    answers = await pages(run, 2048)
    assert len(answers) > 1
    texts = [write_lines(answer.render()) for answer in answers]
    assert texts[0].startswith("3 violations, 91 elements; 1 to be looked at; 30 rules passed")
    for name, count in (("image-alt", 60), ("label", 30), ("region", 1), ("color-contrast", 20)):
        for place in range(count):
            assert sum(len(re.findall(rf"#{name}-{place}\b", text)) for text in texts) == 1
    for place in range(30):
        assert sum(len(re.findall(rf"\bp{place} 1\b", text)) for text in texts) >= 1
    told = 0
    for answer, text in zip(answers, texts, strict=True):
        told += len(re.findall(r"#[\w-]+-\d+\b", text)) + len(answer.passes)
        rest = 141 - told
        assert text.split("\n")[-1].startswith(f'{rest} more: cursor="{answer.cursor}"') == bool(rest)


async def test_an_answer_in_lines_holds_more() -> None:
    context = make_context()
    run = made_run([made_rule("image-alt", 200)])
    run.result["url"] = "http://app.test/"
    run.number = context.audits.keep(("an audit",), run, 1)
    args = AccessibilityArgs(cursor=f"{run.number}-0", max_bytes=4096)
    in_json = await run_accessibility_audit(args, context)
    in_lines = await run_accessibility_audit(args, evolve(context, form="lines"))
    assert len(in_lines.violations[0]["nodes"]) > 2 * len(in_json.violations[0]["nodes"])


@pytest.mark.requirement("S20")
@pytest.mark.parametrize("hostile", HOSTILE)
def test_no_address_passes_for_our_words(hostile: str) -> None:
    text = write_lines(answer_of(url=f"http://app.test/{hostile}").render())
    assert len(text.splitlines()) == 1
    assert CLAIM in text
    assert CLAIM not in ours(text)
