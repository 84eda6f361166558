"""A part of an accessibility tree: its controls, lines with a text, what is within an element, what changed."""

import re
from typing import Any

import attrs
import pytest

from gasoline_cdp.operations.client import Client
from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.tools.registry import TOOLS
from tests.support import Watch

pytestmark = pytest.mark.requirement("F9-TREE")


TASKS = """document.title = 'Tasks'; document.body.innerHTML = `<h1>Tasks</h1><nav><a href="#all">All</a></nav>
  <ul>${['Tea', 'Milk', 'Bread'].map((name) => `<li id="${name}"><span>${name} today</span>
  <label><input type=checkbox> Done</label><button>Remove</button></li>`).join('')}</ul><p id=left>Left: <b>3</b></p>
  <div id=box role=dialog aria-label=Settings><input aria-label=Name></div>`; 0"""


def _bare(answer: dict[str, Any]) -> list[str]:
    return [re.sub(r" @[a-z]{3,}\d+", "", line) for line in answer["tree"].split("\n")]


@pytest.fixture
async def tasks(watch: Watch, site: str) -> Watch:
    await watch.open(f"{site}page/blank")
    await watch.evaluate(TASKS)
    return watch


async def test_a_tree_of_controls_says_which_is_which(tasks: Watch) -> None:
    answer = await tasks.call("observe", what="accessibility_tree", interactive_only=True)
    assert _bare(answer)[1:] == [
        " navigation",
        '  link "All"',
        *(
            line
            for name in ("Tea", "Milk", "Bread")
            for line in (f' li: "{name} today"', '  checkbox "Done" unchecked', '  button "Remove"')
        ),
        ' dialog "Settings"',
        '  textbox "Name"',
    ]
    assert re.fullmatch(r"14 of \d+ lines from 1 document: controls, and what they are inside of\.", answer["summary"])


async def test_a_tree_of_the_lines_with_a_text(tasks: Watch) -> None:
    answer = await tasks.call("observe", what="accessibility_tree", text="MILK")
    assert _bare(answer)[1:] == [" list", "  li", '   "Milk today"']
    none = await tasks.call("observe", what="accessibility_tree", text="Cheese", interactive_only=True)
    assert (none["tree"], none["lines"]) == ("", 0)
    assert none["summary"].startswith("No controls with this text among ")


async def test_a_tree_within_a_selector_or_a_reference(tasks: Watch) -> None:
    part = await tasks.call("observe", what="accessibility_tree", within="#box")
    assert _bare(part) == ['dialog "Settings"', ' textbox "Name"']
    (ref,) = re.findall(r"dialog .* (@[a-z]+\d+)", part["tree"])
    for given in (ref, f"ref={ref}", ref.removeprefix("@")):
        assert await tasks.call("observe", what="accessibility_tree", within=given) == part
    assert (await tasks.call("query_dom", selector=ref))["matches"][0]["selector"] == "#box"


async def test_arguments_without_an_effect_are_refused(tasks: Watch) -> None:
    for name, value in (("interactive_only", True), ("text", "x"), ("within", "#x")):
        error = await tasks.error("observe", what="logs", **{name: value})
        assert f"{name} goes with what='accessibility_tree' only" in error["message"]
    for since in ("5m", "change", "2026-01-01"):
        error = await tasks.error("observe", what="accessibility_tree", since=since)
        assert "since must be 'last' with what='accessibility_tree'" in error["message"]
    error = await tasks.error("observe", what="accessibility_tree", within="#box", selector="#box")
    assert "give one of them" in error["message"]


async def test_what_changed_since_a_client_last_looked(tasks: Watch) -> None:
    async def look(client: Client, **more: Any) -> dict[str, Any]:
        context = attrs.evolve(tasks.context, client=client)
        answer = await call_tool(TOOLS, context, "observe", {"what": "accessibility_tree", **more})
        assert not answer.is_error, answer.data
        return answer.data

    ours, theirs = Client("mcp"), Client("mcp")
    first = await look(ours, since="last")
    assert first["summary"].startswith("Nothing to compare with")
    assert "changes" not in first
    assert first["tree"] == (await look(theirs))["tree"]
    same = await look(ours, since="last")
    assert (same["tree"], same["summary"]) == ("", f"Nothing changed since your last look ({first['lines']} lines).")
    await tasks.evaluate(
        "document.querySelector('#Milk').remove(); document.querySelector('#Bread input').click();"
        "document.querySelector('#left b').firstChild.data = '2';"
        "document.querySelector('ul').insertAdjacentHTML('beforeend', '<li>Salt</li>'); 0"
    )
    changed = await look(ours, since="last")
    assert changed["changes"] == {"added": 1, "removed": 4, "changed": 2}
    assert _bare(changed)[1:] == [
        "   list",
        "-   li (and 3 inside)",
        "    li",
        '~    checkbox "Done" checked (was: checkbox "Done" unchecked)',
        '+   li: "Salt"',
        '~  "Left: 2" (was: "Left: 3")',
    ]
    assert changed["summary"] == "Since your last look: 1 added (+), 4 removed (-), 2 changed (~)."
    # References name the same elements as before.
    kept = dict(re.findall(r"(li|list)\b.* (@[a-z]+\d+)", changed["tree"]))
    assert all(ref in first["tree"] for role, ref in kept.items() if role != "li")
    # Another client, and this one with other arguments, were not shown that; the other is told now.
    assert (await look(ours, since="last", interactive_only=True))["summary"].startswith("Nothing to compare with")
    assert (await look(theirs, since="last"))["tree"] == changed["tree"]
    assert (await look(ours, since="last"))["tree"] == ""
    # A command of the same shell, or an editor's new connection, is the same client.
    assert (await look(Client("cli", ours.shown), since="last"))["tree"] == ""
    # Rows in another order are no new rows.
    await tasks.evaluate("const list = document.querySelector('ul'); list.append(list.firstElementChild); 0")
    sorted_ = await look(ours, since="last")
    assert sorted_["changes"] == {"moved": 4}
    assert _bare(sorted_)[-1] == ">   li (and 3 inside)"


async def test_another_document_is_shown_whole(tasks: Watch, site: str) -> None:
    await tasks.call("observe", what="accessibility_tree")
    await tasks.open(f"{site}page/elements")
    answer = await tasks.call("observe", what="accessibility_tree", since="last")
    assert answer["summary"].startswith("Another document than last time (the page navigated). The whole tree:")
    assert 'h1 "Elements"' in answer["tree"]
    assert "changes" not in answer


async def test_many_changes_are_shown_in_parts(tasks: Watch) -> None:
    await tasks.call("observe", what="accessibility_tree")
    await tasks.evaluate(
        "const items = '<li><a href=#>A new link</a></li>'.repeat(300);"
        "document.querySelector('ul').insertAdjacentHTML('beforeend', items); 0"
    )
    answer = await tasks.call("observe", what="accessibility_tree", since="last")
    seen = answer["tree"].split("\n")
    assert answer["changes"] == {"added": 600}
    while "cursor" in answer:
        # What happens meanwhile is told next time.
        await tasks.evaluate("document.querySelector('ul').prepend(document.createElement('li')); 0")
        answer = await tasks.call("observe", what="accessibility_tree", since="last", cursor=answer["cursor"])
        seen += answer["tree"].split("\n")
    assert sum(line.startswith("+ ") for line in seen) == 600
    assert len(seen) == 602
    assert (await tasks.call("observe", what="accessibility_tree", since="last"))["changes"]["added"] >= 1


async def test_the_rest_of_a_whole_tree_is_no_comparison(tasks: Watch) -> None:
    await tasks.evaluate(
        "document.body.innerHTML = '<ul>' + '<li><a href=#>A link with a name</a></li>'.repeat(400); 0"
    )
    answer = await tasks.call("observe", what="accessibility_tree", since="last")
    seen = answer["tree"].split("\n")
    while "cursor" in answer:
        answer = await tasks.call("observe", what="accessibility_tree", since="last", cursor=answer["cursor"])
        seen += answer["tree"].split("\n")
    assert len(seen) == answer["lines"] == 802
    again = await tasks.call("observe", what="accessibility_tree", since="last")
    assert again["summary"] == "Nothing changed since your last look (802 lines)."
    first = await tasks.call("observe", what="accessibility_tree", limit=10)
    assert first["left_out"] == 792
    again = await tasks.call("observe", what="accessibility_tree", since="last")
    assert again["summary"].endswith("You were shown 10 of its 802 lines.")
