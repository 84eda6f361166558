"""The text of a generated test."""

from typing import Any

import pytest
from attrs import evolve

from gasoline_cdp.analysis.flows.flow import Flow
from gasoline_cdp.artifacts.playwright.python import write_python
from gasoline_cdp.artifacts.playwright.script import ScriptOptions
from gasoline_cdp.artifacts.playwright.typescript import write_script
from gasoline_cdp.artifacts.playwright.wording import Assertions
from tests.fakes import log_record
from tests.recorded import BEGIN, acted, called, flow_of, showed, went

pytestmark = pytest.mark.requirement("F6-TESTS")

SHAPE = {"id": "number", "title": "string", "tags?": ["string"], "owner": {"name": "string|null", "ok": "boolean"}}
HOSTILE = "it's \\ `${x}` \u2028 */ \" # \r\n<b>"


def flow(**more: Any) -> Flow:
    given: dict[str, Any] = {
        "network": [called(5.1, "/api/items", "POST", 201)],
        "snapshots": [showed(5, {"text": "Saved"})],
        "shape_of": lambda _: SHAPE,
    }
    return flow_of(went(0), acted(4, "input", "Title", value="Milk"), acted(5), **{**given, **more})


def test_what_is_waited_for_is_created_before_the_action_and_checked_after_it() -> None:
    text = write_script(flow(), ScriptOptions(name="saves")).text
    waiting = text.index("const postApiItems = answerTo(page, 'POST', '/api/items');")
    action = text.index("await page.getByRole('button', { name: 'Save', exact: true }).click();")
    checked = text.index("expect((await postApiItems).status()).toBe(201); // confidence: high")
    shown = text.index("await expect(page.getByText('Saved', { exact: true }).first()).toBeVisible();")
    assert waiting < action < checked < shown
    assert text.index("collectErrors(page);") < text.index("page.goto(")


def test_optional_and_nullable_keys_are_not_expected() -> None:
    text = write_script(flow(), ScriptOptions(name="saves")).text
    assert "owner: expect.objectContaining({ ok: expect.any(Boolean) })" in text
    assert "tags" not in text


def test_javascript_has_no_types() -> None:
    text = write_script(flow(), ScriptOptions(name="saves", language="javascript")).text
    assert "import { expect, test } from '@playwright/test';" in text
    assert "type " not in text.partition("test(")[0]


def test_python_waits_with_blocks() -> None:
    text = write_python(flow(), ScriptOptions(name="Saves it!", language="python")).text
    compile(text, "test_saves.py", "exec")
    assert "def test_saves_it(page: Page) -> None:" in text
    assert 'with page.expect_response(answer_to("POST", "/api/items"), timeout=15_000) as post_api_items:' in text
    assert (
        'assert has_shape(post_api_items.value.json(), {"id": (int, float), "title": str, "owner": {"ok": bool}})'
        in text
    )


def test_a_base_url_replaces_the_origin() -> None:
    text = write_script(flow(), ScriptOptions(name="saves", base_url="http://localhost:3000/")).text
    assert "await page.goto('http://localhost:3000/');" in text
    assert "app.test" not in text


def test_errors_of_the_recording_are_listed_instead_of_expected_away() -> None:
    logs = [log_record(1, "Error: boom */", level="error", ts=BEGIN + 1)]
    text = write_script(flow(logs=logs), ScriptOptions(name="saves")).text
    assert "errors" not in text.partition("test(")[2].partition("// Not checked")[0]
    assert "//   Error: boom */" in text or "// Error: boom */" in text


def test_only_what_was_asked_for_is_checked() -> None:
    none = Assertions(network=False, response_shape=False, no_errors=False, dom_state=False)
    for made in (
        write_script(flow(), ScriptOptions(name="saves", assertions=none)),
        write_python(flow(), ScriptOptions(name="saves", assertions=none, language="python")),
    ):
        assert made.assertions == 0
    visual = Assertions(visual=True)
    assert "toHaveScreenshot()" in write_script(flow(), ScriptOptions(name="saves", assertions=visual)).text


def test_texts_of_a_page_cannot_leave_their_literal_or_comment() -> None:
    hostile = flow_of(
        went(0), evolve(acted(4, "input", HOSTILE, value=HOSTILE), selectors={"label": HOSTILE}), acted(5),
        snapshots=[showed(5, {"text": HOSTILE})],
    )  # fmt: skip
    python = write_python(hostile, ScriptOptions(name=HOSTILE, language="python")).text
    compile(python, "test.py", "exec")
    script = write_script(hostile, ScriptOptions(name=HOSTILE)).text
    assert "\u2028" not in script
    assert all(line.count("'") % 2 == line.count("\\'") % 2 for line in script.splitlines() if "fill(" in line)


def test_the_expected_error_ends_a_reproduction() -> None:
    script = write_script(flow(), ScriptOptions(name="boom", expected_error="a is null")).text
    assert "errors.some((error) => error.includes('a is null'))" in script
    assert "toEqual([])" not in script
    python = write_python(flow(), ScriptOptions(name="boom", language="python", expected_error="a is null")).text
    compile(python, "test.py", "exec")
    assert 'assert any("a is null" in error for error in errors)' in python
