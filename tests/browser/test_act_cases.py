"""What makes an element ready for a step: the cases of tests/act_cases.toml, each on a page of its own."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from gasoline_cdp.acting import doing
from gasoline_cdp.browser.attached import Attached
from gasoline_cdp.config import Config, ServeOptions
from tests.support import Watch

pytestmark = pytest.mark.requirement("ACT-INPUT")

Case = dict[str, Any]

CASES: dict[str, list[Case]] = tomllib.loads((Path(__file__).parents[1] / "act_cases.toml").read_text())
# `$` finds by id, `later` waits for some frames.
_TOOLS = (
    "window.log = []; window.$ = (id) => document.getElementById(id);"
    "window.later = (task, frames = 12) => requestAnimationFrame(() => (frames ? later(task, frames - 1) : task()));"
)
_LOGS = "onclick='log.push(event.currentTarget.id)'"


@pytest.fixture
def attach_config(chromium: str) -> Config:
    return Config(
        browser=Attached(ws_endpoint=chromium), serve=ServeOptions(pilot=True), url="about:blank", strict=True
    )


async def _wrong(watch: Watch, site: str, kind: str, *, refused: bool) -> list[object]:
    """The cases of a kind that come out otherwise."""
    wrong: list[object] = []
    for case in CASES[kind]:
        if ("refused" in case) is not refused:
            continue
        await watch.open(f"{site}page/blank?{case['about'].replace(' ', '-')}")
        body = case["body"].replace("LOG", _LOGS)
        await watch.evaluate(f"document.body.innerHTML = {body!r}; {_TOOLS} 0")
        await watch.evaluate(case.get("script", "0"))
        step = {"do": case.get("do", kind), "target": case.get("target", "#a"), "value": case.get("given")}
        answer = await watch.call("act", steps=[step])
        said = str(answer["steps"][0].get("detail", ""))
        found = await watch.evaluate(case.get("of", "log"))
        if refused:
            as_told = not answer["success"] and case["refused"] in said and found == []
        else:
            as_told = answer["success"] and found == case.get("is", ["a"]) and case.get("detail", "") in said
        if not as_told:
            wrong.append((case["about"], answer["steps"], found))
    return wrong


@pytest.mark.parametrize("kind", CASES)
async def test_steps_wait_until_their_element_is_ready(
    watch: Watch, site: str, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    # A busy machine draws few frames.
    monkeypatch.setattr(doing, "_ELEMENT_SECONDS", 15.0)
    assert await _wrong(watch, site, kind, refused=False) == []


@pytest.mark.parametrize("kind", CASES)
async def test_steps_are_refused_for_the_right_reason(
    watch: Watch, site: str, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(doing, "_ELEMENT_SECONDS", 0.1)
    assert await _wrong(watch, site, kind, refused=True) == []
