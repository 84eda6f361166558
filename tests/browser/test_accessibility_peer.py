"""The same pages audited by us and by Playwright with axe-core in the same Chromium: same rules, same counts."""

import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import trio

from gasoline_cdp import limits
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.frontends.http.loopback import serve_app
from tests.accessibility.site import HERE, REFERENCE, accessibility_app
from tests.node_tools import NODE, install_packages
from tests.support import PATIENCE, Watch

pytestmark = pytest.mark.requirement("F4-AXE")

# Frames only, which are audited inside the others; and those on which the reference breaks down, or waits for ever.
_PARTS = {"leaf.html", "middle.html"}
_BEYOND = {"sandboxed-silent.html", "hostile.html", "clobbered.html", "odd-lazy-frames.html"}
_OWN = sorted(path.name for path in (HERE / "pages").glob("*.*html") if path.name not in _PARTS | _BEYOND)
# A few of the simple ones, of which others are compared with what is on record. What we do to a page is the same for
# all of them; our own are the difficult ones.
_CASES = [REFERENCE[key] for key in sorted(REFERENCE)][::6]
# Of the large page, as many rows as fill several answers. Thousands are audited elsewhere.
_ROWS = 100
# Media that never come, for which axe-core waits ten seconds.
_WAITING = "80f0bf"
_TABS = 3
# Both take it in turns with the browser, on a busy machine.
_SECONDS = 300.0


@pytest.fixture
async def pages() -> AsyncIterator[list[str]]:
    """The addresses of all pages; some show another origin, on another port and another host."""
    async with serve_app(accessibility_app()) as url, serve_app(accessibility_app()) as other:
        elsewhere = other.replace("127.0.0.1", "localhost")
        addresses = [url.rstrip("/") + str(page["url"]) for page in _CASES]
        addresses += [f"{url}pages/{name}?other={elsewhere}&rows={_ROWS}" for name in _OWN]
        addresses.append(f"{url}pages/other-origin.html?other={other}")
        # Those that wait come first, so that everything else is done meanwhile.
        yield sorted(addresses, key=lambda address: _WAITING not in address)


async def _witness(chromium: str, pages: list[str]) -> dict[str, dict[str, Any]]:
    packages = install_packages(HERE)
    with trio.fail_after(_SECONDS):
        done = await trio.run_process(
            [str(NODE), str(HERE / "witness.mjs"), chromium, str(_TABS)],
            stdin="\n".join(pages).encode(),
            capture_stdout=True,
            env={**os.environ, "WITNESS_PACKAGES": str(packages)},
        )
    told = [json.loads(line) for line in done.stdout.splitlines()]
    return {found["url"]: found for found in told}


async def _another_tab(watch: Watch) -> Tab:
    assert watch.daemon.root is not None
    made = (await watch.daemon.root.send("Target.createTarget", {"url": "about:blank"}))["targetId"]
    with trio.fail_after(PATIENCE):
        while (tab := watch.daemon.context.tabs.by_target(made)) is None:
            await trio.lowlevel.checkpoint()
    return tab


async def _whole(watch: Watch, tab: Tab) -> dict[str, Any]:
    """The audit of a tab with all its pages."""
    size = 50 * 1024
    answer = await watch.call("run_accessibility_audit", include_passes=True, max_bytes=size, tab_id=tab.tab_id)
    whole = answer
    while "cursor" in answer:
        answer = await watch.call("run_accessibility_audit", cursor=answer["cursor"], max_bytes=size)
        for kind in ("violations", "incomplete", "passes"):
            rules = {rule["id"]: rule for rule in whole.setdefault(kind, [])}
            for rule in answer.get(kind, ()):
                if rule["id"] in rules:
                    rules[rule["id"]]["nodes"] += rule["nodes"]
                else:
                    whole[kind].append(rule)
    return whole


def _counts(rules: list[dict[str, Any]]) -> dict[str, int]:
    return {rule["id"]: rule["nodeCount"] for rule in rules}


def _differences(ours: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    """Kind → rule → our count and theirs."""
    if ours["inapplicable"] != theirs["inapplicable"]:
        return {"inapplicable": [ours["inapplicable"], theirs["inapplicable"]]}
    return {
        kind: {
            rule: [ours[kind].get(rule), theirs[kind].get(rule)]
            for rule in {*ours[kind], *theirs[kind]}
            if ours[kind].get(rule) != theirs[kind].get(rule)
        }
        for kind in ("violations", "incomplete", "passes")
    }


def _steps(target: list[Any]) -> str:
    return " >>> ".join(step for part in target for step in ([part] if isinstance(part, str) else part))


@pytest.mark.long
async def test_axe_through_us_is_axe_by_playwright(
    watch: Watch, chromium: str, pages: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The reference waits for every frame, however busy the machine is.
    monkeypatch.setattr(limits, "AUDIT_FRAME_SECONDS", 60.0)
    monkeypatch.setattr(limits, "ACCESSIBILITY_TOOL_SECONDS", 120.0)
    told: dict[str, dict[str, Any]] = {}
    audits: dict[str, dict[str, Any]] = {}

    async def witness() -> None:
        told.update(await _witness(chromium, pages))

    waiting = [*pages]

    async def audit(tab: Tab) -> None:
        while waiting:
            url = waiting.pop(0)
            await watch.open(url, tab)
            audits[url] = await _whole(watch, tab)

    tabs = [watch.tab, *[await _another_tab(watch) for _ in range(_TABS - 1)]]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(witness)
        for tab in tabs:
            nursery.start_soon(audit, tab)
    assert len(told) == len(pages) >= 40
    assert {found["version"] for found in told.values()} == {_vendored_version()}
    frames = 0
    different = {}
    for url, ours in audits.items():
        frames += ours.get("frames", 1) - 1
        theirs = told[url]
        found = {name: _counts(ours.get(name, [])) for name in ("violations", "incomplete", "passes")}
        found["inapplicable"] = ours["summary"]["inapplicable"]
        expected = {name: theirs[name] for name in found}
        if found != expected:
            different[url] = _differences(found, expected)
            continue
        for rule in ours["violations"]:
            selectors = [node["selector"] for node in rule["nodes"]]
            assert selectors == [_steps(target) for target in theirs["targets"][rule["id"]]], url
    assert not different, json.dumps(different, indent=1)
    assert frames >= 20


async def test_a_page_has_the_violations_that_are_on_record(watch: Watch) -> None:
    # Of the others some; without those that wait.
    others = [key for key in sorted(REFERENCE) if _WAITING not in key and REFERENCE[key] not in _CASES]
    async with serve_app(accessibility_app()) as url:
        for key in others[::4]:
            await watch.open(url.rstrip("/") + str(REFERENCE[key]["url"]))
            ours = await watch.call("run_accessibility_audit", max_bytes=50 * 1024)
            assert _counts(ours["violations"]) == REFERENCE[key]["violations"], key


def _vendored_version() -> str:
    lines = (Path(__file__).parents[2] / "vendor" / "axe.version").read_text().splitlines()
    return next(line.removeprefix("version: ") for line in lines if line.startswith("version: "))
