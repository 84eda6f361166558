"""How what people did looks in an answer, and how it reads as a line."""

from typing import Any

from attrs import evolve

from gasoline_cdp.answers.action_entries import show_action, show_dom_snapshot, written_element
from gasoline_cdp.answers.shared_facts import SharedFacts
from gasoline_cdp.records import ActionRecord, DomSnapshotRecord
from tests.fakes import PAGE

HERE = SharedFacts(origin="http://app.test", tab_id=1, page=PAGE.url)


def line_of(kind: str, selectors: dict[str, Any], fields: dict[str, Any], by: Any = "human") -> str:
    record = ActionRecord(seq=2, ts=2.0, source=PAGE, type=kind, selectors=selectors, fields=fields, by=by)
    (line,) = show_action(record).lines(HERE, 300)
    return str(evolve(line, time=""))


def test_actions_and_dom_snapshots_in_an_answer() -> None:
    action = ActionRecord(seq=2, ts=2.0, source=PAGE, type="click", selectors={"id": "x"}, fields={"x": 1}, by="human")
    assert (show_action(action).source, show_action(action).url) == ("human", PAGE.url)
    dom = DomSnapshotRecord(seq=3, ts=3.0, source=PAGE, trigger="load", elements=({"tag": "h1"},))
    assert (show_dom_snapshot(dom).trigger, show_dom_snapshot(dom).elements) == ("load", [{"tag": "h1"}])
    assert [str(evolve(line, time="")) for line in show_dom_snapshot(dom).lines(HERE, 300)] == [
        f"after load {HERE.url(PAGE.url)}",
        "  tag=h1",
    ]


def test_an_action_names_its_element_as_a_person_would() -> None:
    role = {"role": {"role": "button", "name": 'Save "all"'}, "css": "#save"}
    assert line_of("click", role, {}) == 'click button "Save \\"all\\"" css=#save'
    assert line_of("fill", {"id": "q"}, {"value": "two words"}, by="ai") == 'fill #q value="two words" by ai'


def test_a_navigation_says_where_to_and_from_where() -> None:
    moved = {"from_url": "http://app.test/a", "to_url": "http://app.test/b", "within_document": True}
    assert line_of("navigate", {}, moved) == "navigate /b from /a within_document=true"


def test_an_element_is_written_so_that_it_ends() -> None:
    assert written_element(None) == ""
    assert written_element("li > a") == '"li > a"'
