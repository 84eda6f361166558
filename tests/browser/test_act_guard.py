"""Input never reaches another element than its target: not when the page changes at the last moment either."""

import pytest
import trio

from gasoline_cdp.acting.stepping import tab_lock
from gasoline_cdp.analysis.acting.steps import Click, parse_target
from gasoline_cdp.browser.attached import Attached
from gasoline_cdp.config import Config, ServeOptions
from gasoline_cdp.probe.input.actionable import Wanted, check
from gasoline_cdp.probe.input.guard import guarding
from gasoline_cdp.probe.input.keyboard import insert_text
from gasoline_cdp.probe.input.pointer import press
from gasoline_cdp.probe.input.refusals import Refused
from gasoline_cdp.probe.input.replies import catch_up
from gasoline_cdp.probe.input.targets import find_target
from tests.act_tries import try_often
from tests.support import Watch

pytestmark = pytest.mark.requirement("ACT-INPUT")


@pytest.fixture
def attach_config(chromium: str) -> Config:
    return Config(
        browser=Attached(ws_endpoint=chromium), serve=ServeOptions(pilot=True), url="about:blank", strict=True
    )


async def _no_wait() -> None:
    """A press that is released at once."""


async def test_a_press_on_its_way_to_another_element_is_stopped(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/act")
    element = await find_target(watch.tab, parse_target("#plain"))
    point = await check(element, Wanted(pointer=True))
    assert point is not None
    async with guarding(watch.tab, element, "pointer") as reached:
        # The page puts another button there after everything was checked.
        await watch.evaluate(
            "document.getElementById('plain').outerHTML = '<button id=wrong style=width:300px>Delete all</button>'"
        )
        await press(watch.tab, point, Click(), _no_wait)
        await catch_up(watch.tab)
    with pytest.raises(Refused, match="#wrong"):
        reached.require()
    assert await watch.evaluate("window.hits") == []
    # A person is not kept from it.
    await press(watch.tab, point, Click(), _no_wait)
    assert await watch.evaluate("window.hits.map((hit) => hit[0])") == ["wrong"]


async def test_text_on_its_way_to_another_field_is_stopped(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/act")
    element = await find_target(watch.tab, parse_target("#text"))
    await check(element, Wanted())
    async with guarding(watch.tab, element, "keys") as reached:
        await watch.evaluate("document.getElementById('area').focus()")
        await insert_text(watch.tab, "secret words")
        await catch_up(watch.tab)
    with pytest.raises(Refused, match="#area"):
        reached.require()
    assert await watch.evaluate("document.getElementById('area').value") == "old"


async def test_a_press_into_the_next_document_is_stopped(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/act")
    element = await find_target(watch.tab, parse_target("#plain"))
    point = await check(element, Wanted(pointer=True))
    assert point is not None
    async with guarding(watch.tab, element, "pointer") as reached:
        await watch.open(f"{site}page/act?again")
        await press(watch.tab, point, Click(), _no_wait)
        await catch_up(watch.tab)
    assert reached.pressed is not True
    assert await watch.evaluate("window.hits") == []
    await press(watch.tab, point, Click(), _no_wait)
    assert await watch.evaluate("window.hits.length") == 1


async def test_two_clients_and_a_restless_page(watch: Watch, site: str) -> None:
    tries = await try_often(watch, site, 10)
    assert tries.wrong == []
    assert tries.done > 0
    assert tries.done + tries.refused == 10


async def test_calls_for_a_tab_go_one_after_the_other(watch: Watch, site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    await watch.open(f"{site}page/act")
    monkeypatch.setattr("gasoline_cdp.acting.acting.ACT_SECONDS", 0.2)

    async def act_forever(task_status: trio.TaskStatus[None]) -> None:
        async with tab_lock(watch.tab):
            task_status.started()
            await trio.sleep_forever()

    async with trio.open_nursery() as nursery:
        await nursery.start(act_forever)
        busy = await watch.error("act", steps=[{"do": "click", "target": "#plain"}])
        nursery.cancel_scope.cancel()
    assert "Another call" in busy["message"]
    assert await watch.evaluate("window.hits") == []
