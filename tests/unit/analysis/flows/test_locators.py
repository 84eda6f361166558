"""Which selector a test uses."""

from typing import Any

import pytest

from gasoline_cdp.analysis.flows.locators import Locator, locator_of

pytestmark = pytest.mark.requirement("F6-FLOWS")

ALL: dict[str, Any] = {
    "test_id": {"attribute": "data-testid", "value": "save"},
    "role": {"role": "button", "name": "Save"},
    "label": "Save it",
    "placeholder": "Your name",
    "alt": "Logo",
    "title": "Saves",
    "text": "Save",
    "id": "save",
    "within": {"role": "button", "name": "Save", "container": "row", "text": "Ann"},
    "css": "#form > button",
}


def test_they_are_preferred_in_the_order_that_playwright_recommends() -> None:
    left = dict(ALL)
    chosen = []
    while left:
        found = locator_of(left)
        assert found is not None
        name = "id" if found.value == "#save" else "within" if found.container_role else found.kind
        chosen.append(name)
        del left[name]
    assert chosen == list(ALL)
    assert locator_of({}) is None


def test_a_container_goes_before_a_position_but_not_before_a_plain_path() -> None:
    container = {"role": "listitem", "text": "Milk", "css": "button.destroy"}
    counted = locator_of({"container": container, "css": "li:nth-of-type(2) > button"})
    assert counted is not None
    assert (counted.container_role, counted.value, counted.is_fragile) == ("listitem", "button.destroy", False)
    plain = locator_of({"container": container, "css": "button.destroy"})
    assert plain is not None
    assert plain.container_role == ""


@pytest.mark.parametrize(("identifier", "css"), [("save", "#save"), ("1st", '[id="1st"]'), ('a"b', '[id="a\\"b"]')])
def test_an_id_that_is_no_name_is_quoted(identifier: str, css: str) -> None:
    found = locator_of({"id": identifier})
    assert found is not None
    assert found.value == css


def test_frames_around_it_come_along() -> None:
    found = locator_of({"text": "Pay", "frames": ["#outer", "iframe"]})
    assert found is not None
    assert found.frames == ("#outer", "iframe")


@pytest.mark.parametrize("text", ["Saved at 10:42:07", "2 minutes ago", "Just now"])
def test_nothing_is_found_by_a_text_that_will_soon_be_another(text: str) -> None:
    found = locator_of({"role": {"role": "button", "name": text}, "text": text, "css": "p.saved"})
    assert found == Locator("css", "p.saved")
    # A slot of a timetable is called so every day.
    assert locator_of({"text": "10:30", "css": "p.slot"}) == Locator("text", "10:30")
