"""What came of a step."""

import pytest
from attrs import evolve

from gasoline_cdp.records import DomSnapshotRecord, SocketRecord
from tests.fakes import PAGE
from tests.recorded import BEGIN, acted, called, showed, steps_of, went

pytestmark = pytest.mark.requirement("F6-FLOWS")


def test_a_call_belongs_to_the_event_that_the_page_was_handling() -> None:
    # By its own time it would belong to the first click.
    late = called(2.4, "/api/b", during=BEGIN + 3)
    steps = steps_of(went(0), acted(2), acted(3), network=[called(2.1, "/api/a"), late])
    assert [[call.name for call in step.calls] for step in steps] == [[], ["GET /api/a"], ["GET /api/b"]]


def test_the_submit_of_a_click_counts_as_the_click() -> None:
    sent = called(5.3, "/api/a", "POST", 201, during=BEGIN + 5.1)
    (_, step) = steps_of(went(0), acted(5), acted(5.1, "submit", name="form"), network=[sent])
    assert [(call.name, call.status) for call in step.calls] == [("POST /api/a", 201)]


def test_calls_that_come_of_themselves_are_not_waited_for() -> None:
    polls = [called(ts, "/api/poll") for ts in (10, 20, 30.1)]
    steps = steps_of(went(0), acted(30), network=polls)
    assert steps[-1].calls == ()


def test_ids_in_paths_may_differ() -> None:
    step = steps_of(went(0), acted(5), network=[called(5.1, "/api/items/817", "DELETE")])[-1]
    assert step.calls[0].path == "/api/items/:id"


@pytest.mark.parametrize("text", ["Saved at 12:31", "Order 8f3a91b2c4", "3 minutes ago", "Today", "Total [REDACTED]"])
def test_texts_that_change_from_run_to_run_are_not_expected(text: str) -> None:
    step = steps_of(went(0), acted(5), snapshots=[showed(5, {"text": text}, {"text": "Saved"})])[-1]
    assert [shown.text for shown in step.shows] == ["Saved"]


def test_a_text_that_differed_between_loads_is_not_expected() -> None:
    loads = [
        showed(ts, {"role": "heading", "text": text, "selector": "h1"}, trigger="load")
        for ts, text in ((0.5, "Hello Ann"), (20.5, "Hello Bob"))
    ]
    steps = steps_of(went(0), went(20), acted(30), snapshots=loads)
    assert [step.shows for step in steps] == [(), (), ()]


def test_what_came_and_what_went() -> None:
    shot = showed(5, {"text": "Milk"}, {"role": "gone", "text": "Bread"})
    step = steps_of(went(0), acted(5), snapshots=[shot])[-1]
    assert [(shown.text, shown.gone) for shown in step.shows] == [("Milk", False), ("Bread", True)]


def test_changes_of_a_document_that_was_left_do_not_count() -> None:
    shots = [showed(5, {"text": "Loading"}), showed(6, {"role": "heading", "text": "Cart"}, trigger="load")]
    step = steps_of(went(0), acted(5), went(5.5, "/cart"), snapshots=shots)[-1]
    assert [shown.text for shown in step.shows] == ["Cart"]


def test_scrolling_counts_only_if_the_page_answered() -> None:
    scroll = acted(5, "scroll", scroll_x=0, scroll_y=900)
    assert [step.kind for step in steps_of(went(0), scroll)] == ["open"]
    assert [step.kind for step in steps_of(went(0), scroll, network=[called(5.2, "/api/more")])] == ["open", "scroll"]


def test_a_message_that_brought_a_text_is_told() -> None:
    message = SocketRecord(
        seq=1, ts=BEGIN + 5.1, source=PAGE, connection_id="1", url="ws://app.test/", event="message",
        direction="incoming", data='{"said":"Hello"}',
    )  # fmt: skip
    step = steps_of(went(0), acted(5), snapshots=[showed(5, {"text": "Hello"})], sockets=[message])[-1]
    assert step.messages == ("Hello",)


def test_a_call_of_a_later_key_belongs_to_the_typing_and_not_to_the_next_click() -> None:
    typed = evolve(acted(5, "input", name="Search", value="abc"), until=BEGIN + 5.4)
    call = called(5.41, "/api/search", during=BEGIN + 5.39)
    steps = steps_of(went(0), typed, acted(5.8), network=[call])
    assert [[call.name for call in step.calls] for step in steps] == [[], ["GET /api/search"], []]


def test_a_later_report_of_an_action_replaces_the_earlier_one() -> None:
    shots = [showed(5, {"text": "Sending"}), evolve(showed(5, {"text": "Sent"}), seq=99999)]
    steps = steps_of(went(0), acted(5), snapshots=shots)
    assert [shown.text for shown in steps[-1].shows] == ["Sent"]


def test_what_a_click_changed_is_never_credited_to_the_typing_before_it() -> None:
    typed = evolve(acted(5, "input", name="Title", value="abc"), until=BEGIN + 5.2)
    steps = steps_of(went(0), typed, acted(5.21), snapshots=[showed(5.21, {"text": "Saved"})])
    assert [[shown.text for shown in step.shows] for step in steps] == [[], [], ["Saved"]]


def test_the_outline_is_the_one_of_the_document_that_an_action_loaded() -> None:
    def outlined(ts: float, trigger: str, text: str) -> DomSnapshotRecord:
        nodes = [{"role": "paragraph", "children": [text]}, {"role": "button", "name": "Save"}]
        outline = {"region": {"kind": "body", "value": "body"}, "nodes": nodes}
        return evolve(showed(ts, trigger=trigger), outline=outline)

    shots = [outlined(5, "action", "Please wait"), outlined(6.5, "load", "Your cart")]
    left, stayed = went(5.5, "/cart"), went(5.5, "/cart", within_document=True)
    for navigation, some, text in ((left, shots, "Your cart"), (stayed, shots[:1], "Please wait")):
        step = steps_of(went(0), acted(5), navigation, snapshots=some)[-1]
        assert step.outline is not None
        assert text in step.outline.texts
    assert steps_of(went(0), acted(5), snapshots=shots)[-1].outline is None


def test_a_call_that_follows_an_answer_at_once_belongs_to_the_same_step() -> None:
    slow = called(5.1, "/api/report", "POST", duration_ms=4000.0)
    for ts, names in ((9.12, ["POST /api/report", "GET /api/items"]), (9.5, ["POST /api/report"])):
        step = steps_of(went(0), acted(5), network=[slow, called(ts, "/api/items")])[-1]
        assert [call.name for call in step.calls] == names


def test_what_follows_a_dialog_that_a_person_thought_about_belongs_to_the_step() -> None:
    asked = acted(20, "dialog", dialog="confirm", message="Sure?", accepted=True)
    deleted = called(20.1, "/api/items/817", "DELETE")
    step = steps_of(went(0), acted(5), asked, went(20.4, "/list"), network=[deleted])[-1]
    assert ([call.name for call in step.calls], step.url_after) == (["DELETE /api/items/:id"], "http://app.test/list")


def test_a_late_save_of_what_was_typed_belongs_to_no_click() -> None:
    typed = evolve(acted(5, "input", name="Title", value="abc"), until=BEGIN + 5.2)
    saves = [called(5.4, "/api/draft", "PUT"), called(7.1, "/api/draft", "PUT"), called(7.2, "/api/tags")]
    steps = steps_of(went(0), typed, acted(7), network=saves)
    assert [[call.name for call in step.calls] for step in steps[1:]] == [["PUT /api/draft"], ["GET /api/tags"]]
    # What the page asked for while it handled the click is the click's.
    own = evolve(saves[1], during=BEGIN + 7)
    steps = steps_of(went(0), typed, acted(7), network=[saves[0], own])
    assert [call.name for call in steps[-1].calls] == ["PUT /api/draft"]
