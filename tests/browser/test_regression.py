"""`analyze(action="regression")`: a page against its baseline, in a real browser."""

import time
from collections.abc import AsyncIterator
from typing import Any

import pytest

from gasoline_cdp import limits
from gasoline_cdp.audits.axe_runs import run_axe
from gasoline_cdp.frontends.http.loopback import serve_app
from tests.browser.test_before_and_after import Shop
from tests.site.versions import Version, shop_app
from tests.support import Watch

pytestmark = pytest.mark.requirement("F6-COMPARE")


@pytest.fixture(autouse=True)
def _settles_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PERFORMANCE_SETTLE_SECONDS", 0.6)


@pytest.fixture
async def shop(watch: Watch) -> AsyncIterator[Shop]:
    version = Version()
    watch.context.pilot.switch(on=True, by="person")
    async with serve_app(shop_app(version)) as url:
        yield Shop(watch, url, version)


async def regression(shop: Shop, scope: str, **arguments: Any) -> dict[str, Any]:
    return await shop.call("analyze", action="regression", scope=scope, **arguments)


async def test_an_unchanged_page_has_not_regressed(shop: Shop) -> None:
    await shop.visit(settled=True)
    kept = await regression(shop, "baseline")
    assert (kept["status"], kept["baseline"]["name"]) == ("success", "default")
    await shop.visit(settled=True)
    answer = await regression(shop, "compare")
    assert answer["verdict"] == "no_regression"
    # The first load of a browser is slow: that the second was quicker is told, and no improvement.
    assert answer["summary"].startswith("Nothing got worse.")
    assert answer["comparison"]["performance"]["measured"] is True


async def test_differences_that_do_not_fit_are_counted_and_can_be_had(shop: Shop) -> None:
    await shop.visit()
    await regression(shop, "baseline")
    kinds = ("ham", "eggs", "milk", "rice", "beans", "bread", "salt", "oil", "figs", "nuts", "corn", "peas")
    errors = tuple(f"no {kind} on shelf {side}" for kind in kinds for side in ("left", "right"))
    shop.version.become(errors=errors)
    await shop.visit()
    answer = await regression(shop, "compare")
    assert len(answer["comparison"]["errors"]["new_issues"]) + answer["left_out"] == len(errors)
    assert answer["left_out"] > 0
    whole = await regression(shop, "compare", max_bytes=limits.ANSWER_BYTES_MAX)
    assert len(whole["comparison"]["errors"]["new_issues"]) == len(errors)


async def test_what_got_worse_is_told_in_all_its_kinds(shop: Shop) -> None:
    await shop.visit(settled=True)
    await regression(shop, "baseline", name="main")
    shop.version.become(errors=("cart {id} failed",), extra_kilobytes=300)
    await shop.visit(settled=True)
    await shop.watch.evaluate(
        "document.body.append(Object.assign(new Image(), {src: 'data:,'})); localStorage.setItem('auth_token', 'x')"
    )
    answer = await regression(shop, "compare", name="main")
    assert answer["verdict"] == "regression_detected"
    compared = answer["comparison"]
    assert {"id": "image-alt", "count": 1} in compared["accessibility"]["new_issues"]
    assert compared["accessibility"]["resolved_issues"] == []
    assert [change["change"] for change in compared["security"]["changes"]] == ["new"]
    assert [issue["type"] for issue in compared["errors"]["new_issues"]] == ["console"]
    assert compared["performance"]["probable_cause"]["resources"][0]["url"].endswith("/analytics.js")
    # A busy machine paints later, too: that may stand between.
    assert "1 new error, 2 new accessibility issues, 1 new security finding, " in answer["summary"]
    assert "transfer_size worse by 300" in answer["summary"]


async def test_without_a_baseline_it_says_what_to_do(shop: Shop) -> None:
    await shop.visit()
    answer = await shop.watch.error("analyze", action="regression", scope="compare", name="none")
    assert answer["error"] == "no_such_snapshot"
    assert "scope='baseline', name='none'" in answer["message"]
    assert "gasoline-cdp snapshot FILE --load NAME" in answer["message"]


async def test_a_page_that_was_not_loaded_again_says_so(shop: Shop) -> None:
    await shop.visit(settled=True)
    await regression(shop, "baseline")
    answer = await regression(shop, "compare")
    assert answer["comparison"]["performance"]["measured"] is False


async def test_what_a_navigation_tore_is_neither_kept_nor_judged(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    await shop.visit()
    leave = True

    async def leave_meanwhile(*arguments: Any, **options: Any) -> Any:
        if leave:
            await shop.watch.open(f"{shop.url}elsewhere")
        return await run_axe(*arguments, **options)

    async def refused(tool: str, **arguments: Any) -> str:
        await shop.visit()
        error = await shop.watch.error(tool, **arguments)
        assert "nothing was judged and nothing was stored" in error["message"]
        return str(error["error"])

    monkeypatch.setattr("gasoline_cdp.comparisons.snapshot_checks.run_axe", leave_meanwhile)
    assert await refused("analyze", action="regression", scope="baseline") == "page_navigated"
    assert shop.watch.context.saved.baselines.items(time.monotonic()) == []
    assert await refused("diff_sessions", action="capture", name="a", include=["accessibility"]) == "page_navigated"
    assert (await shop.watch.call("diff_sessions", action="list"))["snapshots"] == []
    leave = False
    await shop.visit()
    await shop.watch.call("analyze", action="regression", scope="baseline")
    leave = True
    assert await refused("analyze", action="regression", scope="compare") == "page_navigated"


async def test_half_a_document_is_not_judged(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LOAD_WAIT_SECONDS", 0.05)
    await shop.visit()
    await shop.watch.evaluate("document.open(); document.write('<p>half')")
    error = await shop.watch.error("analyze", action="regression", scope="baseline")
    assert error["error"] == "page_navigated"
    assert "still loading its document" in error["message"]
    await shop.watch.evaluate("document.close()")
    assert (await shop.watch.call("analyze", action="regression", scope="baseline"))["status"] == "success"


async def test_elements_count_and_not_only_rules(shop: Shop) -> None:
    add = "document.body.append(Object.assign(new Image(), {src: 'data:,'}))"
    await shop.visit()
    await shop.watch.evaluate(add)
    await regression(shop, "baseline")
    for _ in range(3):
        await shop.watch.evaluate(add)
    answer = await regression(shop, "compare")
    assert answer["verdict"] == "regression_detected"
    compared = answer["comparison"]["accessibility"]
    # Nor do they stand in a landmark.
    assert compared["new_issues"] == [{"id": "image-alt", "count": 3}, {"id": "region", "count": 3}]
    assert compared["current_issues"] == compared["baseline_issues"] + 6
    assert answer["summary"].startswith("6 new accessibility issues.")
    assert answer["comparison"]["errors"]["resolved_issues"] == []
    assert (answer["tab_id"], answer["cached"]) == (shop.watch.tab.tab_id, False)
    await regression(shop, "baseline")
    await shop.watch.evaluate("document.images[0].remove()")
    answer = await regression(shop, "compare")
    assert answer["verdict"] == "improved"
    assert {"id": "image-alt", "count": 1} in answer["comparison"]["accessibility"]["resolved_issues"]
    assert answer["summary"].startswith("Nothing got worse. Better: 2 accessibility issues gone.")


async def test_checks_can_be_part_of_a_verification(shop: Shop) -> None:
    """`include`: what axe-core finds counts as an issue, and its repair as a fix."""
    await shop.visit()
    await shop.watch.evaluate("document.body.append(Object.assign(new Image(), {src: 'data:,'}))")
    started = await shop.call("verify_fix", action="start", include=["accessibility", "contracts"])
    assert any(detail["type"] == "accessibility" for detail in started["baseline"]["error_details"])
    session = {"session_id": started["session_id"]}
    await shop.call("verify_fix", action="watch", **session)
    await shop.visit()
    result = (await shop.call("verify_fix", action="compare", **session))["result"]
    # The shop has other issues, which nobody has mended.
    assert result["verdict"] == "improved"
    resolved = [change for change in result["changes"] if change["type"] == "resolved"]
    assert [(change["category"], change["evidence"]) for change in resolved] == [
        ("accessibility", "checked again, and not found")
    ]


# Built at run time, so that no scanner mistakes this file for a leak.
LEAK = "paying with " + "sk_live_" + "51H8xYzAbCdEfGhIjKlMnOpQ"


def security(changes: list[dict[str, Any]]) -> list[str]:
    return [change["type"] for change in changes if change["category"] == "security"]


async def test_a_secret_that_leaks_after_a_change_is_new_in_a_verification(shop: Shop) -> None:
    result = await shop.verify(include=("security",), errors=(LEAK,))
    new = [issue["after"] for issue in result["new_issues"] if issue["category"] == "security"]
    assert len(new) == 1
    assert "Stripe key" in new[0]
    assert "sk_live_51H8" not in str(result)


async def test_a_secret_that_leaks_no_more_is_resolved(shop: Shop) -> None:
    shop.version.become(errors=(LEAK,))
    assert "resolved" in security((await shop.verify(include=("security",)))["changes"])


async def test_a_secret_that_leaks_after_a_change_is_new_between_sessions(shop: Shop) -> None:
    await shop.visit()
    await shop.call("diff_sessions", action="capture", name="before", include=["security"])
    shop.version.become(errors=(LEAK,))
    await shop.visit()
    compared = await shop.call("diff_sessions", action="compare", compare_a="before")
    assert "regressed" in str(compared)
    assert "Stripe key" in str(compared)
    assert "sk_live_51H8" not in str(compared)


async def test_a_secret_that_leaks_after_a_change_is_a_regression(shop: Shop) -> None:
    await shop.visit()
    await regression(shop, "baseline")
    shop.version.become(errors=(LEAK,))
    await shop.visit()
    compared = (await regression(shop, "compare"))["comparison"]["security"]["changes"]
    assert [change["change"] for change in compared] == ["new"]
    await regression(shop, "baseline")
    shop.version.become()
    await shop.visit()
    compared = (await regression(shop, "compare"))["comparison"]["security"]["changes"]
    assert [change["change"] for change in compared] == ["resolved"]
