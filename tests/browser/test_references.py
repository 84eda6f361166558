"""References of the accessibility tree: the element that they were given for, or a refusal; never another."""

import re
from typing import Any

import pytest
from attrs import define, field

from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.daemon import Config
from gasoline_cdp.tools.registry import TOOLS
from gasoline_cdp.tools.spec import call_tool
from tests.support import Watch

pytestmark = pytest.mark.requirement("F4-SEEING")

BUTTONS = 16
# Every element that is ever made has a mark of its own, which the page gives it: the truth to compare with.
FILL = """
(root, count) => {
  for (let n = 0; n < count; n++) {
    const button = document.createElement("button");
    button.dataset.mark = crypto.randomUUID();
    button.textContent = button.dataset.mark;
    root.append(button);
  }
}
"""
PAGE = f"""
(async () => {{
  const fill = {FILL};
  document.body.replaceChildren();
  const list = document.createElement("div");
  list.id = "list";
  document.body.append(list);
  fill(list, {BUTTONS});
  const host = document.createElement("section");
  document.body.append(host);
  fill(host.attachShadow({{mode: "open"}}), 2);
  const near = document.createElement("iframe");
  near.id = "near";
  near.src = "/page/blank";
  const far = document.createElement("iframe");
  far.id = "far";
  far.src = FAR;
  const loaded = [near, far].map((frame) => new Promise((done) => (frame.onload = done)));
  document.body.append(near, far);
  await Promise.all(loaded);
  fill(near.contentDocument.body, 3);
}})()
"""


@define
class Session:
    """The references that were given so far, each with the mark of its element."""

    watch: Watch
    known: dict[tuple[str, str], Tab] = field(factory=dict)
    found: int = 0
    refused: int = 0

    async def read(self, tab: Tab) -> None:
        answer = await self.watch.call("observe", what="accessibility_tree", tab_id=tab.tab_id, max_bytes=50 * 1024)
        assert "cursor" not in answer
        for mark, ref in re.findall(r'"([0-9a-f-]{36})".* \[(\S+)\]', answer["tree"]):
            self.known[mark, ref] = tab

    async def check(self, present: set[str], tool: str = "query_dom") -> None:
        """Use each reference: those of elements that are in their tab now find them, and the others nothing."""
        for (mark, ref), tab in self.known.items():
            data = await self._use(tool, ref, tab)
            if mark not in present:
                assert data["error"] == "element_not_found", (ref, data)
                self.refused += 1
                continue
            assert data["matches"][0]["attributes"]["data-mark"] == mark
            self.found += 1

    async def _use(self, tool: str, ref: str, tab: Tab) -> dict[str, Any]:
        answer = await call_tool(TOOLS, self.watch.context, tool, {"selector": f"ref={ref}", "tab_id": tab.tab_id})
        return answer.data

    async def marks(self, tab: Tab) -> set[str]:
        """The marks of the elements in a tab now, by the page's own word."""
        script = """
            [document, document.querySelector("#near")?.contentDocument, document.querySelector("section")?.shadowRoot]
            .flatMap((root) => root ? [...root.querySelectorAll("button")].map((one) => one.dataset.mark) : [])
        """
        found = set(await self.watch.evaluate(script, tab))
        far = [one for one in tab.session.children.values() if one.target_id]
        for frame in far:
            reply = await frame.send(
                "Runtime.evaluate",
                {
                    "expression": "[...document.querySelectorAll('button')].map((one) => one.dataset.mark)",
                    "returnByValue": True,
                },
            )
            found |= set(reply["result"]["value"])
        return found


@pytest.fixture
def attach_config(chromium: str) -> Config:
    return Config(mode="attach", ws_endpoint=chromium, url="about:blank", pilot=True, strict=True)


async def test_that_element_or_none(watch: Watch, site: str) -> None:
    here, there = f"{site}page/blank", f"{site}page/blank".replace("127.0.0.1", "localhost")
    first = watch.tab
    await watch.open(here)
    assert watch.daemon.root is not None
    await watch.daemon.root.send("Target.createTarget", {"url": here})
    second = await watch.until(lambda: watch.tab if watch.tab is not first else None)
    session = Session(watch)

    async def fill(tab: Tab, far: str) -> None:
        script = PAGE.replace("FAR", repr(far))
        await watch.evaluate(script, tab)
        (frame,) = [one for one in tab.session.children.values() if one.target_id]
        expression = f"({FILL})(document.body, 3)"
        await frame.send("Runtime.evaluate", {"expression": expression})
        await session.read(tab)

    async def check() -> None:
        await session.check({*(await session.marks(first)), *(await session.marks(second))})

    async def go(method: str, **params: Any) -> None:
        navigation = first.source.navigation
        await first.session.send(method, params)
        await watch.until(lambda: first.source.navigation > navigation)
        await watch.evaluate(
            "document.readyState === 'complete' || new Promise((r) => addEventListener('load', () => r()))", first
        )

    await watch.evaluate("0", second)
    await fill(first, there)
    await fill(second, there)
    count = BUTTONS + 2 + 3 + 3
    assert len(session.known) == 2 * count
    await check()
    assert (session.found, session.refused) == (2 * count, 0)

    # One tab's references name nothing in the other.
    for (_, ref), tab in session.known.items():
        other = second if tab is first else first
        assert (await session._use("query_dom", ref, other))["error"] == "element_not_found"

    # Rendered anew: with new keys, by innerHTML, in another order, and taken out.
    await watch.evaluate(
        f"""
        (() => {{
          const fill = {FILL};
          const list = document.getElementById("list");
          const holder = document.createElement("div");
          fill(holder, 3);
          list.children[0].replaceWith(holder.children[0]);
          list.append(list.children[1]);
          list.children[2].remove();
          list.insertAdjacentHTML("beforeend", `<button data-mark="${{crypto.randomUUID()}}">again</button>`);
          document.querySelector("#near").contentDocument.body.innerHTML = holder.innerHTML;
        }})()
        """,
        first,
    )
    await check()
    await session.read(first)

    # Another document in a frame; then the page itself: reload, same site, another site, and back from the cache.
    await watch.evaluate(
        "new Promise((done) => { const f = document.querySelector('#near'); f.onload = () => done();"
        " f.contentWindow.location.reload(); })",
        first,
    )
    await check()
    # Pages with frames are not kept in the cache in every version; this one has none.
    await watch.evaluate("document.querySelectorAll('iframe').forEach((one) => one.remove())", first)
    await session.read(first)
    before = await session.marks(first)
    await go("Page.navigate", url=f"{there}?other-site")
    await fill(first, here)
    await check()
    history = await first.session.send("Page.getNavigationHistory")
    await go("Page.navigateToHistoryEntry", entryId=history["entries"][history["currentIndex"] - 1]["id"])
    returned = await session.marks(first)
    await check()
    await go("Page.reload")
    await fill(first, there)
    await check()
    await go("Page.navigate", url=f"{here}?same-site")
    await fill(first, there)
    await check()
    assert session.found + session.refused >= 500
    assert session.refused > 100
    # Whether the page came back from the cache, the browser decides; its references then hold again.
    assert returned in (before, set())

    # The tools that act refuse alike.
    stale = next(ref for (mark, ref) in session.known if mark in before)
    for tool in ("highlight_element", "query_dom"):
        data = await session._use(tool, stale, first)
        assert data["error"] == "element_not_found"
        assert "accessibility_tree" in data["message"]
    for what in ("accessibility_tree", "screenshot"):
        error = await watch.error("observe", what=what, selector=f"ref={stale}", tab_id=first.tab_id)
        assert error["error"] == "element_not_found"
