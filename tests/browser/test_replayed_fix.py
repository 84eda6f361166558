"""verify_fix(action="replay"): the recorded steps are done again, and the verdict counts nothing that was not."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from gasoline_cdp.frontends.http.loopback import serve_app
from tests.hands import Hand
from tests.planted import open_desk
from tests.site.versions import Version, shop_app
from tests.support import Watch

pytestmark = pytest.mark.requirement("F6-COMPARE")


@pytest.fixture
async def page(watch: Watch) -> AsyncIterator[Watch]:
    watch.context.pilot.switch(on=True, by="person")
    yield watch
    watch.context.pilot.switch(on=False, by="person")


async def settled(page: Watch) -> None:
    await page.until(lambda: not list(page.daemon.capture.network.in_flight()))


async def replayed(page: Watch, session_id: str) -> dict[str, Any]:
    return await page.call("verify_fix", action="replay", session_id=session_id)


@pytest.fixture
async def shop(page: Watch) -> AsyncIterator[tuple[str, Version]]:
    version = Version()
    async with serve_app(shop_app(version)) as url:
        version.become(cart_status=500, errors=("the cart failed",))
        await page.open(url)
        await page.log("the cart failed")
        await settled(page)
        yield url, version


async def test_a_load_is_repeated(page: Watch, shop: tuple[str, Version]) -> None:
    url, version = shop
    session = (await page.call("verify_fix", action="start"))["session_id"]
    assert (await replayed(page, session))["result"]["verdict"] == "unchanged"
    version.become()
    answer = await replayed(page, session)
    assert answer["result"]["verdict"] == "fixed"
    assert answer["message"].startswith("Replayed 1 of 1 step.")
    assert answer["replayed"] == ["open done"]
    assert page.tab.raw_url == url


async def test_mocks_and_other_conditions_prove_nothing(page: Watch, shop: tuple[str, Version]) -> None:
    _, version = shop
    session = (await page.call("verify_fix", action="start"))["session_id"]
    await page.call("diff_sessions", action="capture", name="before")
    await page.call("set_conditions", mocks=[{"url": "/api/cart/", "body": {"items": []}}])
    version.become()
    answer = await replayed(page, session)
    assert answer["result"]["verdict"] == "nothing_observed"
    assert {change["type"] for change in answer["result"]["changes"]} == {"not_retried"}
    assert 'Mocks answered "GET /api/cart/:id"' in answer["message"]
    compared = await page.call("diff_sessions", action="compare", compare_a="before")
    assert "Conditions differed" in compared["message"]
    await page.call("set_conditions", reset=True)
    assert (await replayed(page, session))["result"]["verdict"] == "fixed"


@pytest.mark.usefixtures("shop")
async def test_without_the_pilot_nothing_is_repeated(page: Watch) -> None:
    session = (await page.call("verify_fix", action="start"))["session_id"]
    page.context.pilot.switch(on=False, by="person")
    refused = await page.error("verify_fix", action="replay", session_id=session)
    assert refused["error"] == "ai_web_pilot_disabled"


async def test_a_secret_value_is_not_repeated(page: Watch, site: str) -> None:
    await page.open(f"{site}page/blank")
    await page.evaluate(
        "document.body.innerHTML = '<label>Password <input type=password></label><button>Sign in</button>';"
        "document.querySelector('button').onclick = () => console.error('refused by the door'); 1"
    )
    steps = [
        {"do": "fill", "target": "input", "value": "hunter2-planted"},
        {"do": "click", "target": 'button "Sign in"'},
    ]
    await page.call("act", steps=steps)
    await page.log("refused by the door")
    session = (await page.call("verify_fix", action="start"))["session_id"]
    answer = await replayed(page, session)
    assert answer["result"]["verdict"] == "nothing_observed"
    assert "secret" in answer["replayed"][-1]
    assert "hunter2" not in str(answer)


@pytest.mark.long
async def test_a_react_application_under_vite(page: Watch, tmp_path: Path) -> None:
    async with open_desk(tmp_path) as desk:
        hand = Hand(page)
        await desk.become(page, frozenset(desk.bugs) - {"cart", "save"})
        for step in ("load", "cart", "save"):
            await desk.do(page, hand, step, desk.urls[0])
        await page.log("reading 'amount'")
        await settled(page)
        session = (await page.call("verify_fix", action="start"))["session_id"]
        again = await replayed(page, session)
        assert again["result"]["verdict"] == "unchanged", again
        await desk.become(page, frozenset(desk.bugs))
        answer = await replayed(page, session)
        assert answer["result"]["verdict"] == "fixed", answer
        assert [step.rpartition(" ")[2] for step in answer["replayed"]] == ["done"] * len(answer["replayed"])
