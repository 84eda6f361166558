"""Generated tests as their readers check them: by Playwright's recommended rules, the type checker and formatters."""

import subprocess
import sys
from pathlib import Path

import pytest
from attrs import evolve

from gasoline_cdp.analysis.flows.counters import COUNTED
from gasoline_cdp.analysis.flows.flow import Call, Dialog, Flow, ShownText, Step
from gasoline_cdp.analysis.flows.locators import Locator
from gasoline_cdp.analysis.flows.outlines import Outline, OutlineNode
from gasoline_cdp.artifacts.playwright.python import write_python
from gasoline_cdp.artifacts.playwright.script import ScriptOptions
from gasoline_cdp.artifacts.playwright.typescript import write_script
from gasoline_cdp.artifacts.playwright.wording import Assertions
from tests.suites.generated_lint import lint_scripts

pytestmark = pytest.mark.requirement("F6-TESTS")

SAVE = Locator("role", "Save it's `all`", "button")
ROW = Locator("role", "Delete", "button", "row", "Bread")
FRAMED = Locator("label", "Mail", frames=("#inner",))
NAMES = ("identifier", "title", "description", "created", "owner", "price")
SHAPE = {**dict.fromkeys(NAMES, "string"), "lines": [dict.fromkeys(NAMES, "number")]}
CALLS = (
    Call(method="POST", origin="http://app.test", path="/api/items/:id", status=201, shape=SHAPE),
    Call(method="GET", origin="http://app.test", path="/api/items", status=200, shape=[SHAPE]),
)
COUNTED_ITEMS = f"{COUNTED} item(s) / it's all: [x] #1"
LIST = OutlineNode(role="list", children=(OutlineNode(role="listitem", children=('A `quoted` ${text}: \\ "it\'s"',)),))
OUTLINE = Outline(
    Locator("role", "", "main"),
    (
        OutlineNode(role="heading", name="All: items", level=1),
        LIST,
        COUNTED_ITEMS,
        OutlineNode(role="cell", name=COUNTED_ITEMS),
    ),
)
SHOWS = (
    ShownText(text="Items", kind="heading"),
    *(ShownText(text=COUNTED_ITEMS, kind=kind, value="number") for kind in ("heading", "text", "test_id")),
    ShownText(text="3 left", kind="test_id", value="count", attribute="data-cy"),
    ShownText(text="Bread", gone=True),
)


def step(kind: str, **given: object) -> Step:
    return Step(kind=kind, ts=1000.0, **{"locator": SAVE, "element": 'button "Save"', **given})  # type: ignore[arg-type]


# Every kind of step, and everything that may come of one.
STEPS = (
    step("open", locator=None, value="http://app.test/items?a=1#top", calls=CALLS, shows=SHOWS),
    step("click", calls=CALLS, outline=OUTLINE, url_after="http://app.test/items/7", other_calls=("GET /more",)),
    step("click", locator=ROW, count=2, button="right", modifiers=("Control",), position=(3, 4)),
    step("click", dialogs=(Dialog(type="prompt", message="Name?", accepted=True, text="Ann"),)),
    step("click", download="report.csv"),
    step("fill", locator=FRAMED, value="it's\n\\"),
    step("fill", locator=FRAMED, secret="TEST_PASSWORD"),
    step("select", values=("a", "b")),
    step("select", secret="TEST_CARD"),
    step("check"),
    step("uncheck"),
    step("press", value="k", modifiers=("Control",)),
    step("press", value="Enter", locator=None),
    step("drag", target=ROW, position=(1, 2), drop_at=(3, 4)),
    step("hover"),
    step("upload", values=("photo.png",)),
    step("scroll", position=(0, 900)),
    step("scroll", locator=None, position=(0, 900)),
    step("back", locator=None, url_after="http://app.test/items"),
    step("reload", locator=None),
    step("comment", warning="Not repeated: */ a script ran."),
    step("click", opens=1, opened_shows=SHOWS),
    step("click", page=1),
)
FLOW = Flow(steps=STEPS, started=1000.0, seconds=60.0, first_url="http://app.test/items", last_url="http://app.test/")
NONE = Assertions(network=False, response_shape=False, no_errors=False, dom_state=False)
VARIANTS = {
    "whole": (FLOW, ScriptOptions(name="does 'all' of it")),
    "missing": (evolve(FLOW, missing=("/gone.png",)), ScriptOptions(name="misses", assertions=Assertions(visual=True))),
    "errors": (evolve(FLOW, errors=("Error: boom",)), ScriptOptions(name="has errors")),
    "reproduction": (FLOW, ScriptOptions(name="boom", assertions=NONE, expected_error="boom")),
}


@pytest.mark.long
def test_scripts_keep_the_rules_of_playwright_and_the_type_checker(tmp_path: Path) -> None:
    scripts = {
        f"{name}.spec.{language[0]}s": write_script(flow, evolve(options, language=language)).text
        for name, (flow, options) in VARIANTS.items()
        for language in ("typescript", "javascript")
    }
    control = "import { test } from '@playwright/test';\ntest('a', async ({ page }) => { page.click('a', 1); });\n"
    said = lint_scripts(tmp_path / "project", {**scripts, "control.spec.js": control, "control.spec.ts": control})
    assert [line for line in said if not line.startswith("control.")] == []
    assert any("playwright/" in line for line in said)
    assert any("TS2559" in line or "error TS" in line for line in said)


@pytest.mark.parametrize("name", VARIANTS)
def test_lines_are_short_and_have_no_spaces_at_their_end(name: str) -> None:
    flow, options = VARIANTS[name]
    for line in write_script(flow, options).text.splitlines():
        assert line == line.rstrip()
        # A locator or a comment stands on its line, however long.
        assert len(line) <= 100 or "expect.any" not in line, line


def test_python_is_clean_and_formatted(tmp_path: Path) -> None:
    for name, (flow, options) in VARIANTS.items():
        (tmp_path / f"test_{name}.py").write_text(write_python(flow, evolve(options, language="python")).text)
    ruff = [sys.executable, "-m", "ruff"]
    rules = "F,E7,E9,I,B,UP,PT"
    commands = (["check", "--isolated", "--select", rules], ["format", "--isolated", "--line-length", "320", "--diff"])
    for command in commands:
        done = subprocess.run([*ruff, *command, str(tmp_path)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
