"""What a page shows after it has loaded or changed its address."""

import pytest

from tests.hands import Hand, by_id, open_actions, shown
from tests.support import Watch

pytestmark = pytest.mark.requirement("F2-ACTIONS")


async def test_a_snapshot_shows_headings_and_marked_elements(watch: Watch, site: str) -> None:
    await open_actions(watch, site)
    snapshot = await shown(watch, "load")
    assert snapshot.source.url == f"{site}page/actions"
    assert snapshot.elements == (
        {"role": "heading", "text": "Order", "selector": "h1"},
        {"role": "heading", "text": "Details", "selector": "h2"},
        {
            "role": "test_id",
            "text": "Send order",
            "selector": '[data-testid="send-order"]',
            "attribute": "data-testid",
            "value": "send-order",
        },
        {
            "role": "test_id",
            "text": "Remove",
            "selector": '[data-cy="last\\ one"]',
            "attribute": "data-cy",
            "value": "last one",
        },
        {
            "role": "test_id",
            "text": "Total 12",
            "selector": '[data-testid="total"]',
            "attribute": "data-testid",
            "value": "total",
        },
    )
    answer = await watch.call("observe", what="dom_snapshots")
    assert answer["entries"][0]["elements"] == list(snapshot.elements)


async def test_a_snapshot_follows_the_last_of_several_moves(watch: Watch, site: str) -> None:
    await watch.go(f"{site}page/actions-app")
    await shown(watch, "load")
    await Hand(watch).click(by_id("about"))
    snapshot = await shown(watch, "history")
    assert snapshot.source.url == f"{site}page/actions-app?about"
    assert snapshot.elements[0]["text"] == "about"
    triggers = [one.trigger for one in watch.telemetry.dom_snapshots.newest()]
    assert [trigger for trigger in triggers if trigger != "action"] == ["history", "load"]
