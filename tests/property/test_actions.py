"""Whatever an observer reports: the capture goes on, and what is kept of it can be shown."""

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gasoline_cdp import wire
from gasoline_cdp.answers.action_entries import show_action, show_dom_snapshot
from gasoline_cdp.capture.actions import Actions
from gasoline_cdp.cdp.connection import Connection, Session
from gasoline_cdp.store.telemetry import Telemetry
from tests.fakes import PAGE, FakeTransport

pytestmark = pytest.mark.requirement("F2-ACTIONS")

TEXT = st.text(alphabet=st.characters(exclude_categories=()), max_size=12)
NUMBER = st.integers() | st.floats() | st.sampled_from([0, 1.79e12, 2**31, 2**64, 10**400, 1e308])
SCALAR = st.none() | st.booleans() | NUMBER | TEXT
JSON = st.recursive(
    SCALAR, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=6
)


def shaped(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Objects with the names that our observers use and mostly the right values, or something else altogether."""
    return st.fixed_dictionaries({}, optional={name: strategy | JSON for name, strategy in fields.items()})


TEST_ID = shaped(attribute=st.sampled_from(["data-testid", "data-cy", "id"]), value=TEXT)
ACTION = shaped(
    type=st.sampled_from(["click", "input", "select", "keypress", "submit", "scroll", "navigate"]),
    ts=NUMBER,
    url=TEXT,
    handle=st.integers(0, 9),
    elements=st.integers(0, 9000),
    selectors=shaped(test_id=TEST_ID, label=TEXT, text=TEXT, id=TEXT, css=TEXT, role=TEXT),
    fields=shaped(
        x=NUMBER,
        y=NUMBER,
        text=TEXT,
        value=TEXT,
        input_type=TEXT,
        selected_value=TEXT | st.lists(TEXT),
        selected_text=TEXT,
        key=st.sampled_from(["Enter", "x"]),
        modifiers=st.lists(TEXT),
        action=TEXT,
        method=TEXT,
        scroll_x=NUMBER,
    ),
)
SNAPSHOT = shaped(
    trigger=st.sampled_from(["load", "history"]),
    ts=NUMBER,
    url=TEXT,
    elements=st.lists(
        shaped(role=st.sampled_from(["heading", "test_id"]), text=TEXT, selector=TEXT, attribute=TEXT, value=TEXT)
        | JSON,
        max_size=7,
    ),
)


def heard() -> tuple[Actions, Telemetry, Session]:
    telemetry = Telemetry()
    return Actions(telemetry), telemetry, Session(Connection(FakeTransport()), "S1")


@given(ACTION, st.sampled_from(["action", "held"]), st.integers(0, 5) | JSON)
def test_any_action_leaves_the_capture_alive(report: dict[str, Any], kind: str, context_id: object) -> None:
    actions, telemetry, session = heard()
    actions.reported({**report, "kind": kind}, PAGE, session, context_id)
    for record in telemetry.actions.newest():
        assert orjson.loads(wire.encode(wire.dump(show_action(record))))


@given(SNAPSHOT)
def test_any_snapshot_leaves_the_capture_alive(report: dict[str, Any]) -> None:
    actions, telemetry, _ = heard()
    actions.showed(report, PAGE)
    for record in telemetry.dom_snapshots.newest():
        assert orjson.loads(wire.encode(wire.dump(show_dom_snapshot(record))))
