"""Where an event comes from, and what its target was handling."""

from typing import Any

from gasoline_cdp.capture.sources import SessionSources
from tests.fakes import PAGE


def sources(**context: Any) -> SessionSources:
    made = SessionSources(lambda: PAGE, "T1")
    made.context_created({"context": {"id": 7, "auxData": {"frameId": "F"}, **context}})
    return made


def test_what_a_target_handles_ends_when_it_says_so() -> None:
    made = sources()
    made.handling(12.5, 7)
    assert made.during == 12.5
    made.handled()
    assert made.during is None


def test_a_document_that_goes_while_it_handles_something_handles_it_no_longer() -> None:
    destroyed, cleared = sources(), sources()
    for made in (destroyed, cleared):
        made.handling(12.5, 7)
        made.context_destroyed({"executionContextId": 8})
        assert made.during == 12.5
    destroyed.context_destroyed({"executionContextId": 7})
    cleared.contexts_cleared({})
    assert (destroyed.during, cleared.during) == (None, None)
