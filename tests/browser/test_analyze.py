"""`analyze` on a page with known faults: each found, with its cause and what to do."""

from typing import Any

import pytest
import trio

from gasoline_cdp import limits
from gasoline_cdp.audits import page_audit as audit
from gasoline_cdp.audits.axe_runs import run_axe
from gasoline_cdp.cdp.connection import Connection
from gasoline_cdp.probe.dom import ask_page
from tests.support import Watch

pytestmark = pytest.mark.requirement("F4-ANALYZE")


@pytest.fixture
async def page(watch: Watch, site: str) -> Watch:
    watch.context.pilot.switch(on=True, by="person")
    await watch.open(f"{site}page/slow")
    await watch.evaluate(
        "new Promise((done) => { const look = () => document.body.dataset.done ? done() : setTimeout(look, 20);"
        " look(); })"
    )
    await watch.request("slow-json")
    await watch.request("status/500")

    def measured() -> bool:
        vitals, _ = watch.telemetry.performance.vitals_of(watch.tab.tab_id, watch.tab.source.navigation)
        if vitals is None or "LCP" not in vitals.vitals:
            return False
        return watch.telemetry.performance.snapshot_of_page(vitals.page_id) is not None

    await watch.until(measured)
    return watch


def _by_id(answer: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {finding["id"]: finding for finding in answer["findings"]}


async def test_performance_findings_name_their_cause(page: Watch) -> None:
    answer = await page.call("analyze", action="audit", scope="performance", max_bytes=50_000)
    assert (answer["status"], answer["action"], answer["scope"]) == ("success", "audit", "performance")
    found = _by_id(answer)
    (blocking,) = [one for one in found["render_blocking_resources"]["affected"] if "slow-style" in one["url"]]
    assert blocking["duration_ms"] >= 400
    task = found["main_thread_blocked"]["affected"][0]
    assert task["duration_ms"] >= 340
    assert task["script"]["function"] == "busyForLong"
    assert "page/slow" in task["script"]["url"]
    assert any("slow-json" in one["url"] for one in found["api_slow"]["affected"])
    assert any("slow-style" in one["url"] for one in found["compression_missing"]["affected"])
    assert any("picture" in one["url"] for one in found["caching_missing"]["affected"])
    assert found["images_without_size"]["count"] == 1
    assert all(finding["fix"] for finding in answer["findings"])
    assert {finding["category"] for finding in answer["findings"]} == {"performance"}
    counted = {name: answer["summary"][name] for name in ("critical", "high", "medium", "low", "info")}
    assert sum(counted.values()) == len(answer["findings"])


async def test_full_joins_all_checks_with_scores(page: Watch) -> None:
    answer = await page.call("analyze", action="audit", max_bytes=50_000)
    assert answer["scope"] == "full"
    found = _by_id(answer)
    assert {"title_missing", "description_missing", "viewport_missing", "link_text_vague", "links_uncrawlable"} <= set(
        found
    )
    assert {"errors_in_console", "requests_failed", "images_distorted"} <= set(found)
    assert {"image-alt", "document-title", "html-has-lang"} <= set(found)
    assert found["errors_in_console"]["affected"][0]["message"] == "a mistake"
    assert found["image-alt"]["severity"] == "critical"
    assert found["image-alt"]["reference"]["wcag"] == "1.1.1"
    scores = answer["summary"]["scores"]
    assert set(scores) == {"accessibility", "performance", "seo", "best_practices"}
    assert all(0 <= score < 100 for score in scores.values())
    assert answer["summary"]["passed"] > 0
    again = await page.call("analyze", action="audit", max_bytes=50_000)
    assert again["cached"] is True
    assert again["findings"] == answer["findings"]
    assert (await page.call("analyze", action="audit", force_refresh=True))["cached"] is False


async def test_answers_are_small_unless_more_is_asked_for(page: Watch) -> None:
    answer = await page.call("analyze", action="audit")
    assert len(str(answer)) < 9000
    whole = await page.call("analyze", action="audit", max_bytes=50_000)
    assert len(answer["findings"]) + answer.get("left_out", 0) == len(whole["findings"])


async def test_accessibility_can_be_narrowed(page: Watch) -> None:
    answer = await page.call("analyze", action="audit", scope="accessibility", selector="h2")
    assert "image-alt" not in _by_id(answer)
    error = await page.error("analyze", action="audit", scope="accessibility", selector="h2[")
    assert error["error"] == "invalid_selector"
    assert (await page.error("analyze", action="audit", scope="full", selector="h2"))["error"] == "invalid_params"
    assert (await page.error("analyze", action="audit", scope="headers"))["error"] == "invalid_params"


async def test_page_navigated(page: Watch, site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found before the page went away is told, and that it went away."""

    async def leave_first(*arguments: Any, **options: Any) -> Any:
        await page.open(f"{site}page/blank")
        return await run_axe(*arguments, **options)

    monkeypatch.setattr("gasoline_cdp.audits.page_audit.run_axe", leave_first)
    answer = await page.call("analyze", action="audit")
    assert answer["status"] == "partial"
    assert answer["warnings"] == ["page_navigated"]
    assert "api_slow" in _by_id(answer) or answer["left_out"]


@pytest.mark.parametrize("scope", ["performance", "full"])
async def test_a_page_that_goes_away_is_not_told_as_clean(
    page: Watch, site: str, scope: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def leave_afterwards(*arguments: Any) -> Any:
        facts = await ask_page(*arguments)
        await page.open(f"{site}page/blank")
        return facts

    monkeypatch.setattr("gasoline_cdp.audits.page_audit.ask_page", leave_afterwards)
    answer = await page.call("analyze", action="audit", scope=scope)
    assert (answer["status"], answer["warnings"], answer["findings"]) == ("partial", ["page_navigated"], [])
    assert answer["summary"] == {}
    assert answer["notes"] == ["The page navigated while it was audited, so nothing can be said of it. Call again."]


async def test_vectors_have_no_pixels_and_links_have_their_words(page: Watch) -> None:
    await page.evaluate(
        """(async () => {
          const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="300"><rect width="9"/></svg>';
          const add = async (src, style) => {
            const image = Object.assign(new Image(), {src, alt: "x"});
            image.style = style;
            document.body.append(image);
            await image.decode();
          };
          await add(`/typed?type=image/svg%2Bxml&content=${encodeURIComponent(svg)}`, "width: 20px; height: 20px");
          await add(`data:image/svg+xml,${encodeURIComponent(svg)}`, "width: 20px; height: 20px");
          // Sized by a style sheet, and so reserved; in its own proportions, with room around it.
          await add("/picture?sized", "");
          const {naturalWidth, naturalHeight} = document.images[document.images.length - 1];
          const style = document.createElement("style");
          style.textContent = `img[src*=sized] { width: ${naturalWidth / 8}px; height: ${naturalHeight / 8}px;
            padding: 9px 0 }`;
          document.head.append(style);
        })()"""
    )
    await page.request("svg%2Bxml")
    found = _by_id(await page.call("analyze", action="audit", max_bytes=50_000))
    assert all("svg" not in image["url"] for image in found.get("images_larger_than_shown", {}).get("affected", []))
    assert found["images_distorted"]["count"] == 1
    assert found["images_without_size"]["count"] == 1
    (unsized,) = found["images_without_size"]["affected"]
    assert await page.evaluate(f"document.querySelector({unsized['selector']!r}) === document.images[1]")
    assert [link["text"] for link in found["link_text_vague"]["affected"]] == ["here"]


async def test_what_has_no_effect_is_refused(page: Watch) -> None:
    for arguments in (
        {"action": "security", "selector": "h2"},
        {"action": "regression", "selector": "h2"},
        {"action": "audit", "name": "main"},
        {"action": "security", "name": "main"},
    ):
        error = await page.error("analyze", **arguments)
        assert error["error"] == "invalid_params"
        assert "only" in error["message"]


async def test_every_answer_says_what_was_looked_at_and_when(page: Watch) -> None:
    tab_id = page.tab.tab_id
    answer = await page.call("analyze", action="audit", scope="performance")
    failed = len(answer["findings"]) + answer.get("left_out", 0)
    # Two rules have neither passed nor failed: nobody used the page, and what ran in it was not counted.
    assert answer["summary"]["passed"] == answer["summary"]["total_rules"] - failed - 2
    again = await page.call("analyze", action="audit", scope="performance")
    assert (again["cached"], again["timestamp"]) == (True, answer["timestamp"])
    security = await page.call("analyze", action="security")
    assert (security["status"], security["cached"], security["tab_id"]) == ("success", False, tab_id)
    audited = await page.call("run_accessibility_audit", tags=[])
    repeated = await page.call("run_accessibility_audit", tags=[])
    assert (repeated["cached"], repeated["timestamp"]) == (True, audited["timestamp"])


async def test_a_page_that_we_keep_busy_is_not_called_hung(page: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(audit._LIMITS, "accessibility", 3.0)
    monkeypatch.setattr(limits, "ANALYSED_PAGE_ANSWER_SECONDS", 0.2)
    monkeypatch.setattr(limits, "PAGE_ANSWER_SECONDS", 0.1)
    begun = trio.Event()

    def endless(_: str) -> str:
        begun.set()
        return "while (true);"

    monkeypatch.setattr("gasoline_cdp.probe.accessibility.vendored", endless)

    async def analyse() -> None:
        error = await page.error("analyze", action="audit", scope="accessibility")
        assert error["error"] == "analysis_timeout"
        assert "Narrow the audit with selector, or reload the page" in error["message"]

    async with trio.open_nursery() as nursery:
        nursery.start_soon(analyse)
        await begun.wait()
        for tool, arguments in (("get_page_info", {}), ("execute_javascript", {"script": "1"})):
            error = await page.error(tool, **arguments)
            assert error["error"] == "page_hung"
            assert "while an accessibility audit runs in it" in error["message"]
            assert "a reload would end it without a result" in error["message"]
    assert page.tab.analysis == ""


async def test_timeout_keeps_what_was_found(page: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(audit._LIMITS, "full", 2.0)
    monkeypatch.setattr("gasoline_cdp.probe.accessibility.vendored", lambda _: "while (true);")
    answer = await page.call("analyze", action="audit")
    assert answer["status"] == "partial"
    assert answer["warnings"] == ["timeout"]
    assert "scores" in answer["summary"]
    assert "accessibility" not in answer["summary"]["scores"]
    assert await page.evaluate("1 + 1") == 2


async def test_ai_web_pilot_disabled(watch: Watch, site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the pilot off nothing is sent to Chrome for a gated call."""
    await watch.open(f"{site}page/elements")
    sent: list[str] = []
    write = Connection.write

    def heard(self: Connection, session: Any, method: str, *rest: Any, **more: Any) -> Any:
        sent.append(method)
        return write(self, session, method, *rest, **more)

    monkeypatch.setattr(Connection, "write", heard)
    for scope in ("accessibility", "performance", "full"):
        error = await watch.error("analyze", action="audit", scope=scope)
        assert error["error"] == "ai_web_pilot_disabled"
    assert sent == []
    assert (await watch.call("run_accessibility_audit"))["status"] == "success"
    assert sent != []
