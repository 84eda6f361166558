"""What people do in a real page: every type of action, from true input, in every frame, and no secret told."""

import json
from collections.abc import Awaitable, Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import trio

import gasoline_cdp.capture.page
from gasoline_cdp import limits
from gasoline_cdp.capture.observers import OBSERVERS
from gasoline_cdp.config import Config
from gasoline_cdp.frontends.local.runtime import SOCKET
from tests.connected import open_socket
from tests.hands import Hand, actions, by_id, open_actions, shown, told
from tests.support import PATIENCE, Watch, open_watch

pytestmark = pytest.mark.requirement("F2-ACTIONS")


@pytest.fixture
async def hand(watch: Watch, site: str) -> Hand:
    return await open_actions(watch, site)


async def test_a_click_says_what_where_and_on_which_page(hand: Hand, watch: Watch, site: str) -> None:
    await hand.click(by_id("send"))
    (click,) = await told(watch, "click")
    assert click.fields["text"] == "Send order"
    assert await watch.evaluate(
        f"document.elementFromPoint({click.fields['x']}, {click.fields['y']}).closest('#send') != null"
    )
    assert click.by == "human"
    assert click.source.url == f"{site}page/actions"
    assert click.source.tab_id == watch.tab.tab_id
    assert click.selectors == {
        "test_id": {"attribute": "data-testid", "value": "send-order"},
        "role": {"role": "button", "name": "Send order"},
        "text": "Send order",
        "id": "send",
        "css": "button.primary",
    }


async def test_consecutive_inputs_are_one(hand: Hand, watch: Watch) -> None:
    await hand.click(by_id("first"))
    await hand.write("Ada")
    await hand.write(" L")
    await hand.click(by_id("plain"))
    await hand.write("al")
    first, second = await told(watch, "input", 2)
    assert first.fields == {"value": "Ada L", "input_type": "text"}
    assert first.selectors["label"] == "First name"
    assert first.selectors["role"] == {"role": "textbox", "name": "First name"}
    assert second.fields["value"] == "al"
    assert second.selectors["role"] == {"role": "textbox", "name": "Nickname"}
    assert [record.type for record in actions(watch)] == ["click", "input", "click", "input"]
    assert all(before.ts <= after.ts for before, after in pairwise(actions(watch)))


async def test_typing_is_told_when_it_has_stopped_for_a_second(hand: Hand, watch: Watch) -> None:
    await hand.focus(by_id("notes"))
    await hand.write("note")
    (typed,) = await told(watch, "input")
    assert typed.fields == {"value": "note", "input_type": "textarea"}


async def test_what_was_typed_is_told_when_the_page_is_left(hand: Hand, watch: Watch) -> None:
    await hand.focus(by_id("first"))
    await hand.write("Ada")
    await watch.evaluate("location.href = '/page/blank?left'")
    await watch.log("?left")
    await told(watch, "navigate", 2)
    kinds = [record.type for record in reversed(list(watch.telemetry.actions.newest()))]
    assert kinds == ["navigate", "input", "navigate"]
    assert actions(watch, "input")[0].fields["value"] == "Ada"


async def test_a_long_value_is_cut_and_a_token_in_it_is_masked_whole(hand: Hand, watch: Watch) -> None:
    token = "ghp_" + "q1W2e3R4t5Y6" * 3
    await hand.focus(by_id("notes"))
    await watch.tab.session.send("Input.insertText", {"text": "x" * 88 + " " + token + "y" * 100})
    (typed,) = await told(watch, "input")
    assert len(typed.fields["value"]) <= 100
    assert token[:12] not in typed.fields["value"]


async def test_editable_content_is_an_input(hand: Hand, watch: Watch) -> None:
    await hand.click(by_id("editor"))
    await hand.write("er")
    await hand.focus(by_id("first"))
    (typed,) = await told(watch, "input")
    assert typed.fields["input_type"] == "contenteditable"
    assert "er" in typed.fields["value"]
    (click,) = actions(watch, "click")
    assert click.fields["text"] == ""


async def test_a_choice_is_a_select(hand: Hand, watch: Watch) -> None:
    await hand.focus(by_id("colour"))
    await hand.key("ArrowDown")
    (chosen,) = await told(watch, "select")
    assert chosen.fields == {"selected_value": "g", "selected_text": "Green"}
    assert chosen.selectors["role"] == {"role": "combobox", "name": "Colour"}
    await hand.click(f"{by_id('many')}.options[1]")
    _, several = await told(watch, "select", 2)
    assert several.fields == {"selected_value": ["Two"], "selected_text": ["Two"]}
    assert not actions(watch, "input")


async def test_only_the_named_keys_are_told(hand: Hand, watch: Watch) -> None:
    await hand.click(by_id("first"))
    for key in ("a", "Backspace", "b", "Delete", "Tab", "ArrowDown", "Escape"):
        await hand.key(key, text=key if len(key) == 1 else "")
    await hand.key("Tab", modifiers=8)
    keys = await told(watch, "keypress", 6)
    assert [key.fields["key"] for key in keys] == ["Backspace", "Delete", "Tab", "ArrowDown", "Escape", "Tab"]
    assert keys[-1].fields["modifiers"] == ["Shift"]
    assert keys[0].selectors["id"] == "first"


async def test_enter_submits_once(hand: Hand, watch: Watch, site: str) -> None:
    await hand.click(by_id("first"))
    await hand.write("Ada")
    await hand.key("Enter")
    (submit,) = await told(watch, "submit")
    assert submit.fields == {"action": f"{site}echo?kind=order", "method": "post"}
    assert submit.selectors == {"id": "order", "css": "form"}
    # The click that the browser makes of Enter in a form is the same action over again.
    assert [record.type for record in actions(watch)] == ["click", "input", "keypress", "submit"]


async def test_a_label_is_clicked_once(hand: Hand, watch: Watch) -> None:
    await hand.click(f"{by_id('agree')}.parentElement")
    assert await watch.evaluate(f"{by_id('agree')}.checked")
    await hand.click(by_id("agree"))
    label, box = await told(watch, "click", 2)
    assert label.selectors["text"] == "I agree"
    assert box.selectors["role"] == {"role": "checkbox", "name": "I agree"}
    assert not await watch.evaluate(f"{by_id('agree')}.checked")


async def test_scrolling_is_told_at_most_four_times_a_second(hand: Hand, watch: Watch) -> None:
    await hand.wheel("document.querySelector('h1')", 10, turns=20)
    await watch.until(lambda: any(record.fields["scroll_y"] == 200 for record in actions(watch, "scroll")))
    times = [record.ts for record in actions(watch, "scroll")]
    assert all(later - earlier > 0.2 for earlier, later in pairwise(times))
    assert actions(watch, "scroll")[0].selectors == {}


async def test_an_element_is_scrolled(hand: Hand, watch: Watch) -> None:
    await hand.wheel(by_id("box"), 50)
    scrolled = await watch.until(lambda: next((s for s in actions(watch, "scroll") if "id" in s.selectors), None))
    assert scrolled.selectors["id"] == "box"
    assert scrolled.fields["scroll_y"] > 0


async def test_what_a_script_does_is_no_action(hand: Hand, watch: Watch) -> None:
    await watch.evaluate(f"{by_id('save')}.click(); scrollTo(0, 500)")
    await hand.click(by_id("scripted"))
    await hand.click(by_id("save-all"))
    clicks = await told(watch, "click", 2)
    assert [click.selectors["id"] for click in clicks] == ["scripted", "save-all"]
    assert not actions(watch, "input")


@pytest.mark.requirement("S19")
async def test_secrets_do_not_leave_the_page(hand: Hand, watch: Watch) -> None:
    reports: list[str] = []
    watch.tab.session.on("Runtime.bindingCalled", lambda params: reports.append(params["payload"]))
    fields = {"password": "hunter2", "cc": "4111111111111111", "otp": "123987", "shy": "hushhush"}
    for name, secret in fields.items():
        await hand.click(by_id(name))
        await hand.write(secret[:-1])
        await hand.key("Backspace")
        await hand.write(secret[-2:])
        if name == "password":
            # Shown on demand, it is still the same secret.
            await watch.evaluate(f"{by_id(name)}.type = 'text'")
            await hand.write("9")
    await hand.focus(by_id("card"))
    await hand.key("ArrowDown")
    await told(watch, "select")
    typed = actions(watch, "input")
    assert len(typed) == 2 * len(fields)
    assert {record.fields["value"] for record in typed} == {"[redacted]"}
    assert actions(watch, "select")[0].fields == {"selected_value": "[redacted]", "selected_text": "[redacted]"}
    answers = [await watch.call("observe", what=what, max_bytes=50_000, limit=1000) for what in ("actions", "timeline")]
    everything = json.dumps(
        [reports, answers, [repr(watch.telemetry.known(record)) for record in watch.telemetry.actions.newest()]]
    )
    for secret in (*fields.values(), "Second kind"):
        assert secret not in everything
        assert secret[:-1] not in everything


NAMES = (
    "password", "passwd", "pwd", "secret", "token", "api_key", "private_key", "credit", "card", "cvv", "cvc", "ssn",
    "otp", "pin",
)  # fmt: skip


@pytest.mark.requirement("S19")
async def test_a_field_whose_name_tells_is_redacted(hand: Hand, watch: Watch) -> None:
    fields = "".join(f"<input id=f{place} name=the_{name.upper()}_x>" for place, name in enumerate((*NAMES, "colour")))
    await watch.evaluate(f"document.body.insertAdjacentHTML('afterbegin', {json.dumps(fields)})")
    for place in range(len(NAMES) + 1):
        await hand.focus(by_id(f"f{place}"))
        await hand.write("typed")
    await hand.focus(by_id("send"))
    typed = await told(watch, "input", len(NAMES) + 1)
    assert [record.fields["value"] for record in typed] == ["[redacted]"] * len(NAMES) + ["typed"]


@pytest.mark.parametrize("which", ["same", "other"])
async def test_frames_are_seen_also_of_other_origins(watch: Watch, site: str, which: str) -> None:
    await watch.go(f"{site}page/actions-frames")
    await watch.log("inner ready ?same")
    await watch.log("inner ready ?other")
    hand = Hand(watch)
    x, y = await watch.evaluate(
        f"(() => {{ const r = {by_id(which)}.getBoundingClientRect(); return [r.x + 60, r.y + 20]; }})()"
    )
    # A frame of another process may be painted and still not be known as the one to send input to.
    with trio.fail_after(PATIENCE):
        while not (inside := [click for click in actions(watch, "click") if click.source.kind == "iframe"]):
            for kind in ("mousePressed", "mouseReleased"):
                await hand.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
            await watch.actions_told()
    click = inside[0]
    assert click.source.url.endswith(f"/page/actions-inner?{which}")
    assert click.source.frame_id
    assert click.source.tab_id == watch.tab.tab_id
    assert click.selectors["test_id"]["value"] == "inner"
    assert click.selectors["role"] == {"role": "button", "name": "Inner button"}
    entry = (await watch.call("observe", what="actions"))["entries"][0]
    assert entry["frame_id"] == click.source.frame_id


async def test_a_hostile_page_hides_nothing(watch: Watch, site: str) -> None:
    await watch.go(f"{site}page/actions-hostile")
    await watch.log("hostile ready")
    hand = Hand(watch)
    await hand.click(by_id("field"))
    await hand.write("typed")
    await hand.key("Enter")
    await hand.click(by_id("go"))
    submits = await told(watch, "submit", 2)
    kinds = [record.type for record in actions(watch)]
    assert kinds == ["click", "input", "keypress", "submit", "click", "submit"]
    assert actions(watch, "input")[0].fields["value"] == "typed"
    assert actions(watch, "input")[0].selectors["label"] == "A field"
    assert actions(watch, "click")[1].selectors["role"] == {"role": "button", "name": "Go on"}
    assert submits[0].selectors["id"] == "form"
    snapshot = await shown(watch, "load")
    assert snapshot.elements[0]["text"] == "Real heading"
    assert not [record for record in watch.telemetry.logs.newest() if record.kind == "exception"]


async def test_a_strict_policy_hides_nothing(watch: Watch, site: str) -> None:
    await watch.go(f"{site}page/actions-strict")
    await shown(watch, "load")
    await Hand(watch).click("document.querySelector('button')")
    (click,) = await told(watch, "click")
    assert click.selectors["test_id"]["value"] == "strict"
    assert not [record for record in watch.telemetry.logs.newest() if "Trusted" in record.text]


async def test_a_page_that_writes_itself_anew_is_still_seen(hand: Hand, watch: Watch) -> None:
    await watch.evaluate("document.open(); document.write('<button id=new>New</button>'); document.close()")
    await watch.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    await hand.click(by_id("new"))
    (click,) = await told(watch, "click")
    assert click.selectors["id"] == "new"


LOOKS = """[
  Object.getOwnPropertyNames(window).sort(), Object.getOwnPropertyNames(document).sort(),
  document.documentElement.outerHTML, setTimeout(() => {}), requestIdleCallback(() => {}),
  performance.getEntriesByType('resource').length, navigator.userActivation.hasBeenActive,
]"""


async def test_the_page_is_as_it_would_be_without_us(
    attach_config: Config, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = []
    ours = [observer for observer in OBSERVERS if observer.name in {"reading", "selectors", "actions", "dom_snapshot"}]
    for observers in (ours, []):
        monkeypatch.setattr(gasoline_cdp.capture.page, "OBSERVERS", observers)
        async with open_watch(attach_config) as watch:
            await watch.go(f"{site}page/actions")
            await watch.log("actions ready")
            looks.append(await watch.evaluate(LOOKS))
            await watch.close(watch.tab)
    assert looks[0] == looks[1]


async def grow(watch: Watch, elements: int) -> None:
    await watch.evaluate(f"for (let i = 0; i < {elements}; i++) document.body.append(document.createElement('i'))")


async def test_a_large_page_is_asked_for_roles_a_moment_later(hand: Hand, watch: Watch) -> None:
    await grow(watch, limits.ROLE_ELEMENTS_AT_ONCE)
    await hand.click(by_id("save"))
    (click,) = await told(watch, "click")
    assert click.selectors["role"] == {"role": "button", "name": "Save"}


async def test_a_huge_page_is_not_asked_for_roles(hand: Hand, watch: Watch) -> None:
    await grow(watch, limits.ROLE_ELEMENTS)
    await hand.click(by_id("save"))
    (click,) = await told(watch, "click")
    assert click.selectors["id"] == "save"
    assert "role" not in click.selectors
    assert (await watch.call("observe", what="status"))["actions_without_role"] > 0


async def test_navigations_are_actions(watch: Watch, site: str) -> None:
    await watch.go(f"{site}page/actions-app")
    await watch.log("app ready")
    hand = Hand(watch)
    await hand.click(by_id("about"))
    await hand.click(by_id("away"))
    await watch.log("?away")
    navigations = await told(watch, "navigate", 4)
    page = f"{site}page/actions-app"
    assert [(n.fields["from_url"], n.fields["to_url"], n.fields["within_document"]) for n in navigations] == [
        ("about:blank", page, False),
        (page, f"{page}?passing", True),
        (f"{page}?passing", f"{page}?about", True),
        (f"{page}?about", f"{site}page/blank?away", False),
    ]
    kinds = [record.type for record in reversed(list(watch.telemetry.actions.newest()))]
    assert kinds == ["navigate", "click", "navigate", "navigate", "click", "navigate"]
    assert actions(watch, "click")[1].selectors["role"] == {"role": "link", "name": "Away"}


async def test_a_navigation_says_if_the_browser_was_told_to(watch: Watch, site: str) -> None:
    """By the address bar or the reload button, and not by the page; back and forward may be either."""
    page = f"{site}page/blank"
    await watch.open(page)
    session = watch.tab.session
    steps: list[tuple[str, Callable[[], Awaitable[Any]]]] = [
        ("reload", lambda: session.send("Page.reload")),
        ("", lambda: watch.evaluate("location.reload()")),
        ("", lambda: watch.evaluate("location.href = '?script'")),
        ("", lambda: watch.evaluate("Object.assign(document.createElement('a'), {href: '?link'}).click()")),
        ("", lambda: watch.evaluate("document.documentElement.appendChild(document.createElement('form')).submit()")),
        ("history", lambda: watch.evaluate("history.back()")),
        ("address", lambda: session.send("Page.navigate", {"url": f"{page}?typed"})),
        ("", lambda: watch.evaluate("history.pushState({}, '', '?pushed')")),
    ]
    for number, (_, go) in enumerate(steps, 2):
        await go()
        await told(watch, "navigate", number)
    hows = [navigation.fields.get("how", "") for navigation in actions(watch, "navigate")]
    assert hows == ["address", *(how for how, _ in steps)]


async def test_what_a_page_does_while_it_handles_an_event_bears_its_moment(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/blank")
    await watch.evaluate(
        """(() => {
          document.body.innerHTML = "<button id=go>Go</button>";
          document.getElementById("go").onclick = async () => {
            console.error("in the handler");
            const answer = fetch("/json");
            await null;
            console.error("at the end of its task");
            await answer;
            console.error("after the answer");
          };
        })()"""
    )
    await Hand(watch).click(by_id("go"))
    await watch.log("after the answer")
    (click,) = await told(watch, "click")
    logs = {record.text: record.during for record in watch.telemetry.logs.newest() if record.level == "error"}
    request = await watch.request("/json")
    assert logs.pop("after the answer") is None
    assert [abs(ts - click.ts) < 0.001 for ts in (*logs.values(), request.during) if ts is not None] == [True] * 3


async def test_a_live_view_shows_a_click_before_what_it_led_to(
    hand: Hand, watch: Watch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "KNOWN_SECONDS", PATIENCE)
    # As in a large page: the browser is asked about the element when it has painted what the click led to.
    monkeypatch.setattr(limits, "ROLE_ELEMENTS_AT_ONCE", 0)
    await watch.evaluate(
        "document.getElementById('send').addEventListener('click', () => { console.log('led to'); throw Error('oh'); })"
    )
    async with (
        open_socket(watch.context, tmp_path / "runtime"),
        await trio.open_unix_socket(str(tmp_path / "runtime" / SOCKET)) as stream,
    ):
        await stream.send_all(b'{"want": "watch"}\n')
        assert b"hello" in await stream.receive_some(65536)
        await hand.click(by_id("send"))
        read = b""
        with trio.fail_after(PATIENCE):
            while not (b"Uncaught" in read and b'"click"' in read and read.endswith(b"\n")):
                read += await stream.receive_some(65536)
    lines = [json.loads(line) for line in read.splitlines()]
    kinds = [line.get("type") if line["record"] == "action" else line.get("kind") for line in lines]
    assert kinds.index("click") < kinds.index("console") < kinds.index("exception")
