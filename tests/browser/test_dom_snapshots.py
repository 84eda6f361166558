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


# As component libraries do it: markers of places, the rest of the page set aside, a copy without size, and a list that
# belongs to a field elsewhere in the document.
_DIALOG = """document.body.insertAdjacentHTML("beforeend", `
<section><h2>Shelves</h2><p>Old text</p><button id=open>Open</button></section><input role=combobox aria-owns=owned>`);
document.getElementById("open").onclick = () => {
  const section = document.querySelector("section");
  section.append(document.createComment("v-if"), "");
  section.setAttribute("aria-hidden", "true");
  document.body.insertAdjacentHTML("beforeend", `<div role=dialog><p>Choose one</p>
  <p style="width: 0; height: 0; overflow: hidden">No size</p><ul id=owned><li>First shelf</li></ul>
  <p>Second text</p></div>`);
};"""


async def test_what_came_is_told_and_not_what_was_only_set_aside(watch: Watch, site: str) -> None:
    hand = await open_actions(watch, site)
    await watch.evaluate(f"{_DIALOG} 0")
    await hand.click(by_id("open"))
    snapshot = await shown(watch, "action")
    assert [element["text"] for element in snapshot.elements] == ["Choose one", "First shelf", "Second text"]
    assert snapshot.outline is not None
    (dialog,) = snapshot.outline["nodes"]
    assert dialog["role"] == "dialog"
    texts = [child["children"] for child in dialog["children"] if "children" in child]
    assert ["Choose one"] in texts
    assert ["Second text"] in texts
    assert "First shelf" not in str(snapshot.outline)
