"""The ways to find an element again: each finds it alone, and role and name are the browser's own."""

import json

import pytest

from tests.hands import Hand, by_id, open_actions, told
from tests.support import Watch

pytestmark = pytest.mark.requirement("F2-ACTIONS")


@pytest.fixture
async def hand(watch: Watch, site: str) -> Hand:
    return await open_actions(watch, site)


NAMED = {
    "labelled": ("button", "Named from afar"),
    "picture": ("link", "A cat"),
    "plain": ("textbox", "Nickname"),
    "first": ("textbox", "First name"),
    "colour": ("combobox", "Colour"),
    "save": ("button", "Save"),
    "save-all": ("button", "Save all"),
    "send": ("button", "Send order"),
}


@pytest.mark.parametrize("name", NAMED)
async def test_role_and_name_are_the_browsers(hand: Hand, watch: Watch, name: str) -> None:
    await hand.click(by_id(name))
    (click,) = await told(watch, "click")
    role = click.selectors["role"]
    assert (role["role"], role["name"]) == NAMED[name]
    document = await watch.tab.session.send("Runtime.evaluate", {"expression": "document"})
    query = {"objectId": document["result"]["objectId"], "role": role["role"], "accessibleName": role["name"]}
    nodes = (await watch.tab.session.send("Accessibility.queryAXTree", query))["nodes"]
    assert len([node for node in nodes if not node["ignored"]]) == 1


async def test_a_name_is_the_one_before_the_click_changed_it(hand: Hand, watch: Watch) -> None:
    await hand.click(by_id("toggle"))
    (click,) = await told(watch, "click")
    assert click.selectors["role"] == {"role": "button", "name": "Play"}
    assert click.selectors["text"] == click.fields["text"] == "Play"
    await hand.click(by_id("toggle"))
    _, again = await told(watch, "click", 2)
    assert again.selectors["role"]["name"] == "Pause"


_CAPITALS = """document.head.append(
  Object.assign(document.createElement("style"), {textContent: "* { text-transform: uppercase }"})
)"""


async def test_capitals_of_a_style_sheet_are_in_no_name(hand: Hand, watch: Watch) -> None:
    await watch.evaluate(_CAPITALS)
    for number, (name, named) in enumerate({"save-all": "Save all", "first": "First name"}.items(), 1):
        await hand.click(by_id(name))
        clicks = await told(watch, "click", number)
        assert clicks[-1].selectors["role"]["name"] == named
    document = await watch.tab.session.send("Runtime.evaluate", {"expression": "document"})
    query = {"objectId": document["result"]["objectId"], "role": "button", "accessibleName": "SAVE ALL"}
    # Chrome's own name has them.
    assert (await watch.tab.session.send("Accessibility.queryAXTree", query))["nodes"]


_ICONS = """document.body.insertAdjacentHTML("afterbegin", "<table>" + ["Milk", "Bread"].map((name) =>
  `<tr><td>${name.length}</td><td>${name}</td><td><a href="#a" aria-label="View"><svg width=9 height=9></svg></a>
  <a href="#b" aria-label="Edit" id="edit-${name}"><svg width=9></svg></a></td></tr>`).join("") + "</table>")"""


async def test_an_icon_in_a_row_is_found_by_the_row_and_its_own_name(hand: Hand, watch: Watch) -> None:
    await watch.evaluate(_ICONS)
    await hand.click(by_id("edit-Bread"))
    (click,) = await told(watch, "click")
    assert click.selectors["within"] == {"role": "link", "name": "Edit", "container": "row", "text": "Bread"}


CLICKED = [
    *[
        by_id(name)
        for name in ("send", "first", "plain", "agree", "colour", "notes", "save", "save-all", ":r7:", "picture")
    ],
    *[f"document.querySelectorAll('.remove')[{place}]" for place in range(3)],
    "document.querySelector('[data-testid=total]')",
    "document.querySelectorAll('[data-testid=twice]')[1]",
    "document.querySelector('h1')",
    "document.querySelector('li')",
]

# The selector of each kind, evaluated by other means than ours: the elements it finds.
FIND = """(kind, selector) => {
  const all = [...document.querySelectorAll('*')];
  const texts = (e) => [...e.querySelectorAll('*')].map((inner) => inner.innerText?.trim());
  const label = (e) => e.ariaLabel || [...(e.labels || [])].map((label) => label.innerText.trim()).join();
  if (kind === 'css') return [...document.querySelectorAll(selector)];
  if (kind === 'id') return all.filter((e) => e.id === selector);
  if (kind === 'test_id') {
    const marked = [...document.querySelectorAll(`[${selector.attribute}]`)];
    return marked.filter((e) => e.getAttribute(selector.attribute) === selector.value);
  }
  if (kind === 'label') return all.filter((e) => label(e) === selector);
  const attribute = (e) => Element.prototype.getAttribute.call(e, kind);
  if (['placeholder', 'alt', 'title'].includes(kind)) return all.filter((e) => attribute(e) === selector);
  if (kind === 'container') {
    const tags = { listitem: 'li', row: 'tr', group: 'fieldset' };
    const boxes = [...document.querySelectorAll(tags[selector.role] ?? selector.role)];
    const telling = boxes.filter((e) => e.innerText.includes(selector.text));
    return telling.length === 1 && selector.css ? [...telling[0].querySelectorAll(selector.css)] : telling;
  }
  return all.filter((e) => e.innerText?.trim() === selector && !texts(e).includes(selector));
}"""


@pytest.mark.parametrize("element", CLICKED)
async def test_each_selector_finds_this_element_alone(hand: Hand, watch: Watch, element: str) -> None:
    await hand.click(element)
    (click,) = await told(watch, "click")
    assert "css" in click.selectors
    for kind, selector in click.selectors.items():
        if kind not in {"role", "within"} and not (kind == "container" and "css" not in selector):
            found = f"({FIND})({json.dumps(kind)}, {json.dumps(selector)})"
            assert await watch.evaluate(f"{found}.length") == 1, (kind, selector)
            assert await watch.evaluate(f"{element}.contains({found}[0])"), (kind, selector)


async def test_what_several_elements_share_is_no_selector(hand: Hand, watch: Watch) -> None:
    await hand.click("document.querySelectorAll('.remove')[1]")
    (click,) = await told(watch, "click")
    assert click.selectors == {"css": "li.row:nth-of-type(2) > button.remove"}
    await hand.click("document.querySelectorAll('[data-testid=twice]')[1]")
    _, click = await told(watch, "click", 2)
    assert "test_id" not in click.selectors
    assert click.selectors["text"] == "b"


async def test_names_made_by_machines_are_left_out(hand: Hand, watch: Watch) -> None:
    await hand.click(by_id(":r7:"))
    await hand.click("document.querySelectorAll('li')[2]")
    button, row = await told(watch, "click", 2)
    assert "id" not in button.selectors
    for part in ("sc-", "fVxyzQ", "Rows_list"):
        assert part not in row.selectors["css"]


async def test_attribute_values_are_escaped(hand: Hand, watch: Watch) -> None:
    await hand.click("document.querySelector('[data-cy]')")
    (click,) = await told(watch, "click")
    assert click.selectors["test_id"] == {"attribute": "data-cy", "value": "last one"}


async def test_shadow_trees_are_looked_into(hand: Hand, watch: Watch) -> None:
    await hand.click(f"{by_id('host')}.shadowRoot.querySelector('button')")
    (click,) = await told(watch, "click")
    assert click.selectors == {
        "test_id": {"attribute": "data-test-id", "value": "in-shadow"},
        "role": {"role": "button", "name": "In the shadow"},
        "text": "In the shadow",
        "css": "button.inside",
    }
