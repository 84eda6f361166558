"""Reports of observers become records: in order, within limits, with the role that the browser gives."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import MockClock

import gasoline_cdp
from gasoline_cdp import limits
from gasoline_cdp.capture.action_reports import parse_action, parse_dom_snapshot
from gasoline_cdp.capture.actions import Actions
from gasoline_cdp.cdp.connection import Session, open_connection
from gasoline_cdp.cdp.targets import Target
from gasoline_cdp.records import ActionRecord
from gasoline_cdp.redact import is_secret_name
from gasoline_cdp.store.telemetry import Telemetry
from tests.fakes import PAGE, FakeTransport, make_context, settled

pytestmark = pytest.mark.requirement("F2-ACTIONS")

NOW = 1_790_000_000.0
TARGET = Target(target_id="T1", kind="page", url="http://app.test/", title="", opener_id="", browser_context_id="")


def clicked(handle: int | None = None, **changes: Any) -> dict[str, Any]:
    """A click as the observer reports it."""
    report = {
        "kind": "action",
        "type": "click",
        "ts": NOW * 1000 - 250,
        "url": "http://app.test/cart",
        "selectors": {"test_id": {"attribute": "data-cy", "value": "buy"}, "text": "Buy", "css": "button.buy"},
        "fields": {"x": 3, "y": 4, "text": "Buy"},
        **changes,
    }
    return report if handle is None else {**report, "handle": handle, "elements": 100}


def held(handle: int, elements: int = 100) -> dict[str, Any]:
    """An element that is pressed, once the page has painted that."""
    return {"kind": "held", "handle": handle, "pressed": True, "elements": elements}


def painted(handle: int) -> dict[str, Any]:
    """The page has painted what an action did."""
    return {**held(handle), "pressed": False}


class Chrome:
    """A fake Chrome with one session, and the actions that are heard on it."""

    def __init__(self, transport: FakeTransport, session: Session, telemetry: Telemetry) -> None:
        self.transport = transport
        self.session = session
        self.telemetry = telemetry
        self.actions = Actions(telemetry)
        self.answered = 0

    def report(self, report: dict[str, Any]) -> None:
        self.actions.reported(report, PAGE, self.session, 7)

    def act(self, handle: int) -> None:
        """A click, and the page has painted what it did."""
        self.report(clicked(handle))
        self.report(painted(handle))

    def stored(self) -> list[ActionRecord]:
        return [self.telemetry.known(record) for record in self.telemetry.actions.newest()][::-1]

    async def answer(self, **names: tuple[str, str]) -> None:
        """Answer everything asked so far and what follows from it: objects are called by what was asked."""
        await settled()
        while len(self.transport.sent) > self.answered:
            command = self.transport.sent[self.answered]
            self.answered += 1
            self.transport.answer(command, self._result(command, names))
            await settled()

    def _result(self, command: dict[str, Any], names: dict[str, tuple[str, str]]) -> dict[str, Any]:
        params = command["params"]
        if command["method"] == "Runtime.callFunctionOn":
            kind = "element" if "heldElement" in params["functionDeclaration"] else "rivals"
            return {"result": {"objectId": kind}}
        if command["method"] == "Runtime.getProperties":
            rivals = [name for name in names if name != "element"]
            found = [{"name": str(at), "value": {"objectId": name}} for at, name in enumerate(rivals)]
            return {"result": [*found, {"name": "written", "value": {"value": names["element"][1]}}]}
        if command["method"] == "Accessibility.getPartialAXTree":
            role, name = names[params["objectId"]]
            return {"nodes": [{"ignored": False, "role": {"type": "role", "value": role}, "name": {"value": name}}]}
        return {}


@asynccontextmanager
async def opened() -> AsyncIterator[Chrome]:
    transport = FakeTransport()
    async with open_connection(transport, strict=True) as connection, trio.open_nursery() as nursery:
        chrome = Chrome(transport, connection.open_session("S1", connection.root), Telemetry())
        nursery.start_soon(chrome.actions.run)
        yield chrome
        nursery.cancel_scope.cancel()


async def test_the_role_is_asked_for_and_stands_behind_the_test_id() -> None:
    async with opened() as chrome:
        chrome.act(1)
        await chrome.answer(element=("button", "Buy"))
        (record,) = chrome.stored()
        assert list(record.selectors) == ["test_id", "role", "text", "css"]
        assert record.selectors["role"] == {"role": "button", "name": "Buy"}


async def test_nothing_is_asked_before_the_page_has_painted(autojump_clock: MockClock) -> None:
    async with opened() as chrome:
        start = autojump_clock.current_time()
        chrome.report(clicked(1))
        await settled()
        assert not chrome.transport.sent
        chrome.report(painted(1))
        await chrome.answer(element=("button", "Buy"))
        assert chrome.stored()[0].selectors["role"]["name"] == "Buy"
        assert autojump_clock.current_time() == start
        # The tree is there now: to ask costs nothing any more.
        chrome.report(clicked(2))
        await chrome.answer(element=("button", "Buy"))
        assert len(chrome.stored()) == 2
        assert autojump_clock.current_time() == start


async def test_a_page_too_busy_to_paint_is_asked_all_the_same(autojump_clock: MockClock) -> None:
    async with opened() as chrome:
        chrome.report(clicked(1))
        await trio.sleep_until(autojump_clock.current_time() + limits.ROLE_PAINT_SECONDS + 0.1)
        await chrome.answer(element=("button", "Buy"))
        assert chrome.stored()[0].selectors["role"]["name"] == "Buy"


async def test_what_was_pressed_is_not_asked_about_again_when_it_is_clicked() -> None:
    async with opened() as chrome:
        chrome.report(held(1))
        await chrome.answer(element=("button", "Buy"))
        asked = len(chrome.transport.sent)
        chrome.act(1)
        await settled()
        assert len(chrome.transport.sent) == asked
        assert chrome.stored()[0].selectors["role"] == {"role": "button", "name": "Buy"}
        # What holds for one action need not hold for the next.
        chrome.act(1)
        await settled()
        assert len(chrome.transport.sent) > asked


@pytest.mark.parametrize(
    ("rival", "kept"),
    [(("button", "Buy"), False), (("button", "Buy now"), True), (("link", "Buy"), True)],
)
async def test_a_name_that_another_element_has_too_is_left_out(rival: tuple[str, str], kept: bool) -> None:
    async with opened() as chrome:
        chrome.act(1)
        await chrome.answer(element=("button", "Buy"), other=rival)
        assert ("role" in chrome.stored()[0].selectors) is kept


@pytest.mark.parametrize(
    ("role", "name", "shown"),
    [
        ("image", "A cat", {"role": "img", "name": "A cat"}),
        ("generic", "A cat", None),
        ("button", "", None),
        ("button", "x" * 101, None),
        ("button", "ghp_" + "q1W2e3R4t5Y6" * 3, None),
    ],
)
async def test_only_a_name_that_finds_the_element_is_kept(role: str, name: str, shown: object) -> None:
    async with opened() as chrome:
        chrome.act(1)
        await chrome.answer(element=(role, name))
        assert chrome.stored()[0].selectors.get("role") == shown


async def test_an_element_that_is_gone_has_no_role_and_the_action_is_kept() -> None:
    async with opened() as chrome:
        chrome.act(1)
        await settled()
        chrome.transport.refuse(chrome.transport.last("Runtime.callFunctionOn"), -32000, "Cannot find context")
        await settled()
        assert chrome.stored()[0].selectors["text"] == "Buy"
        assert chrome.actions.without_role == 0


async def test_records_keep_the_order_of_the_reports() -> None:
    async with opened() as chrome:
        chrome.act(1)
        chrome.actions.navigated(PAGE, "http://app.test/next")
        chrome.report(clicked(None, fields={"text": "second"}))
        # None waits for the browser to name its element.
        assert [record.type for record in chrome.stored()] == ["click", "navigate", "click"]
        assert "role" not in chrome.stored()[0].selectors
        await chrome.answer(element=("button", "Buy"))
        with trio.fail_after(1):
            await chrome.actions.backlog.wait_idle()
        assert [record.type for record in chrome.stored()] == ["click", "navigate", "click"]
        assert chrome.stored()[0].selectors["role"] == {"role": "button", "name": "Buy"}


async def test_a_page_that_does_not_answer_is_left_alone_for_a_while(autojump_clock: MockClock) -> None:
    start = autojump_clock.current_time()
    async with opened() as chrome:
        chrome.act(1)
        await trio.sleep(limits.ROLE_SECONDS + 0.1)
        assert len(chrome.stored()) == 1
        asked = chrome.transport.methods("S1").count("Runtime.callFunctionOn")
        chrome.act(2)
        await settled()
        assert len(chrome.stored()) == 2
        assert chrome.transport.methods("S1").count("Runtime.callFunctionOn") == asked
        assert chrome.actions.without_role == 2
        await trio.sleep(limits.ROLE_REST_SECONDS)
        chrome.act(3)
        await settled()
        assert chrome.transport.methods("S1").count("Runtime.callFunctionOn") == asked + 1
        assert autojump_clock.current_time() - start < limits.ROLE_SECONDS + limits.ROLE_REST_SECONDS + 1


async def test_a_huge_page_is_not_asked() -> None:
    async with opened() as chrome:
        chrome.report({**clicked(1), "elements": limits.ROLE_ELEMENTS + 1})
        await settled()
        assert not chrome.transport.sent
        assert len(chrome.stored()) == chrome.actions.without_role == 1


async def test_a_large_page_is_asked_a_moment_after_the_action(autojump_clock: MockClock) -> None:
    async with opened() as chrome:
        large = {"elements": limits.ROLE_ELEMENTS_AT_ONCE + 1}
        chrome.report({**held(1), **large})
        await settled()
        chrome.report({**clicked(1), **large})
        await settled()
        assert not chrome.transport.sent
        await trio.sleep_until(autojump_clock.current_time() + limits.ROLE_CALM_SECONDS + 0.1)
        await chrome.answer(element=("button", "Buy"))
        assert chrome.stored()[0].selectors["role"]["name"] == "Buy"
        # Once the tree is there, also what is pressed can be asked about at once.
        asked = len(chrome.transport.sent)
        chrome.report({**held(2), **large})
        await settled()
        assert len(chrome.transport.sent) > asked


async def test_the_tree_is_given_up_when_nobody_acts(autojump_clock: MockClock) -> None:
    async with opened() as chrome:
        chrome.act(1)
        await chrome.answer(element=("button", "Buy"))
        await trio.sleep_until(autojump_clock.current_time() + limits.ROLE_RELEASE_SECONDS - 1)
        assert "Accessibility.disable" not in chrome.transport.methods("S1")
        await trio.sleep(2)
        assert chrome.transport.methods("S1")[-2:] == ["Accessibility.enable", "Accessibility.disable"]
        await trio.sleep(1000)
        assert chrome.transport.methods("S1").count("Accessibility.disable") == 1


async def test_a_flood_is_stored_without_roles_and_counted() -> None:
    async with opened() as chrome:
        for handle in range(limits.ACTION_BACKLOG + 50):
            chrome.act(handle)
        assert chrome.actions.without_role == 50
        assert len(chrome.stored()) == limits.ACTION_BACKLOG + 50


async def test_a_navigation_knows_where_it_came_from() -> None:
    async with opened() as chrome:
        chrome.actions.opened(PAGE)
        chrome.actions.navigated(PAGE, "http://app.test/a")
        chrome.actions.navigated(PAGE, "http://app.test/a#b", within_document=True)
        chrome.actions.navigated(PAGE, "http://app.test/a#b", within_document=True)
        chrome.actions.navigated(PAGE, "http://app.test/a#b")
        steps = [(record.fields["from_url"], record.fields["to_url"]) for record in chrome.stored()]
        assert steps == [
            (PAGE.url, "http://app.test/a"),
            ("http://app.test/a", "http://app.test/a#b"),
            ("http://app.test/a#b", "http://app.test/a#b"),
        ]


def test_time_and_address_are_those_of_the_action() -> None:
    action = parse_action(clicked(), NOW)
    assert action is not None
    record = action.record(1, PAGE)
    assert record.ts == NOW - 0.25
    assert record.source.url == "http://app.test/cart"
    assert record.source.tab_id == PAGE.tab_id
    set_clock = parse_action(clicked(ts=1e6), NOW)
    assert set_clock is not None
    assert set_clock.ts == NOW


@pytest.mark.parametrize(
    ("kind", "given", "kept"),
    [
        ("click", {"x": 1.6, "y": "2", "text": 5, "more": 1}, {"x": 1}),
        ("click", {}, {}),
        ("input", {"value": "v" * 700, "input_type": "text"}, {"value": "v" * 99 + "…", "input_type": "text"}),
        ("input", {"value": "v" * 100}, {"value": "v" * 100}),
        ("input", {"value": 5}, None),
        ("select", {"selected_value": ["a", 1, "b"]}, {"selected_value": ["a", "b"]}),
        ("keypress", {"key": "Enter", "modifiers": ["Shift", "Nonsense"]}, {"key": "Enter", "modifiers": ["Shift"]}),
        ("keypress", {"key": "a"}, None),
        ("submit", {"action": "http://u:passw0rd@h/?token=abcdef", "method": "post"}, None),
        ("scroll", {"scroll_x": 0, "scroll_y": 10**400}, {"scroll_x": 0}),
        ("paint", {}, None),
    ],
)
def test_only_fields_of_the_right_shape_are_kept(kind: str, given: dict[str, Any], kept: dict[str, Any] | None) -> None:
    action = parse_action(clicked(type=kind, fields=given), NOW)
    if kind == "submit":
        assert action is not None
        assert "passw0rd" not in json.dumps(action.fields)
        assert "abcdef" not in json.dumps(action.fields)
    else:
        assert (action.fields if action else None) == kept


def test_a_selector_that_had_to_be_masked_is_none() -> None:
    token = "ghp_" + "q1W2e3R4t5Y6" * 3
    given = {
        "test_id": {"attribute": "onclick", "value": "x"},
        "label": f"Token {token}",
        "text": "bidi \u202e text",
        "id": "x" * 600,
        "css": "button",
        "xpath": "//button",
    }
    action = parse_action(clicked(selectors=given), NOW)
    assert action is not None
    assert action.selectors == {"css": "button"}


def test_a_snapshot_is_bounded() -> None:
    element = {"role": "heading", "text": "t" * 300, "selector": "h1", "more": 1}
    report = {"ts": NOW * 1000, "url": "http://app.test/x", "trigger": "load", "elements": [element] * 9}
    snapshot = parse_dom_snapshot(report, NOW, 1, PAGE)
    assert snapshot is not None
    assert snapshot.elements == ({"role": "heading", "text": "t" * 99 + "…", "selector": "h1"},) * 5
    assert snapshot.source.url == "http://app.test/x"
    assert parse_dom_snapshot({**report, "trigger": "whim"}, NOW, 1, PAGE) is None


@pytest.mark.parametrize("payload", ["", "nonsense", "[]", "5", "[" * 100_000, '{"kind": "action"}', '{"kind": []}'])
async def test_what_is_no_report_is_passed_over(payload: str) -> None:
    context = make_context()
    transport = FakeTransport()
    async with open_connection(transport, strict=True) as connection:
        session = connection.open_session("S1", connection.root)
        context.capture.adopt(session, TARGET, waiting=False)
        params = {"name": "gasolineReport", "payload": payload, "executionContextId": 1}
        transport.event("Runtime.bindingCalled", params, session="S1")
        await settled()
        assert not connection.closed_reason
    assert not len(context.telemetry.actions)


@pytest.mark.requirement("S19")
@pytest.mark.parametrize("name", ["api_key", "pwd", "privateKey", "card_number", "session_id", "user-pin"])
def test_what_is_typed_into_a_secret_field(name: str) -> None:
    names = [{"name": "", "id": "", "autocomplete": ""}, {"name": name, "id": "x", "autocomplete": ""}]
    typed = parse_action(clicked(type="input", fields={"value": "typed", "input_type": "text"}, names=names), NOW)
    assert typed is not None
    assert typed.fields == {"value": "[redacted]", "input_type": "text"}
    chosen = {"selected_value": ["a", "b"], "selected_text": ["A", "B"]}
    selected = parse_action(clicked(type="select", fields=chosen, names=names), NOW)
    assert selected is not None
    assert selected.fields == {"selected_value": ["[redacted]"] * 2, "selected_text": ["[redacted]"] * 2}


@pytest.mark.parametrize(
    "name",
    [
        "password", "apiKey", "access_token", "client-secret", "session_id", "pwd", "passwd", "passphrase",
        "privateKey",
        "card_number", "pin", "card-pin", "cvv", "bearer", "sig", "csrf_token", "signingKey", "otp", "credential",
    ],
)  # fmt: skip
def test_a_page_keeps_what_goes_by_a_secret_name(name: str) -> None:
    source = (Path(gasoline_cdp.__file__).parent / "page" / "actions.js").read_text()
    expression = "".join(re.findall(r'"([^"\n]+)"', source.partition("new RegExp(")[2].partition('"i",')[0]))
    assert is_secret_name(name)
    assert re.search(expression, name, re.IGNORECASE)
