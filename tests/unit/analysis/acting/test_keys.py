"""Keys by name."""

import pytest

from gasoline_cdp.analysis.acting.keys import MODIFIERS, KeyPress, modifier, parse_keys, typed_keys
from gasoline_cdp.errors import GasolineError


@pytest.mark.parametrize(
    ("text", "key", "code", "held", "types"),
    [
        ("Enter", "Enter", "Enter", 0, "\r"),
        ("enter", "Enter", "Enter", 0, "\r"),
        ("esc", "Escape", "Escape", 0, ""),
        ("a", "a", "KeyA", 0, "a"),
        ("A", "A", "KeyA", 8, "A"),
        ("Control+a", "a", "KeyA", 2, ""),
        ("Control+A", "a", "KeyA", 2, ""),
        ("ctrl+shift+K", "K", "KeyK", 10, ""),
        ("Control++", "+", "", 2, ""),
        ("+", "+", "", 0, "+"),
        ("Shift+Tab", "Tab", "Tab", 8, ""),
        ("F5", "F5", "F5", 0, ""),
        ("down", "ArrowDown", "ArrowDown", 0, ""),
        ("/", "/", "Slash", 0, "/"),
    ],
)
def test_a_key_is_known_by_its_name(text: str, key: str, code: str, held: int, types: str) -> None:
    (press,) = parse_keys(text)
    assert (press.key, press.code, press.modifiers, press.text) == (key, code, held, types)


def test_several_keys_are_pressed_in_turn() -> None:
    assert [press.key for press in parse_keys("Control+A Delete")] == ["a", "Delete"]
    assert parse_keys("Control+A")[0].commands == ("selectAll",)


@pytest.mark.parametrize("text", ["", "Entr", "Foo+a", "Control+"])
def test_what_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(GasolineError):
        parse_keys(text)


def test_events_press_and_release() -> None:
    down, up = parse_keys("a")[0].events()
    assert (down["type"], down["text"], up["type"]) == ("keyDown", "a", "keyUp")
    assert parse_keys("Escape")[0].events()[0]["type"] == "rawKeyDown"


def test_text_is_typed_by_keys_where_there_are_keys() -> None:
    typed = typed_keys("aB\n\u00e9")
    assert [one.key if isinstance(one, KeyPress) else one for one in typed] == ["a", "B", "Enter", "\u00e9"]


def test_modifiers_have_other_names() -> None:
    assert [modifier(name) for name in ("ctrl", "Cmd", "shift", "a")] == ["Control", "Meta", "Shift", None]
    assert set(MODIFIERS) == {"Alt", "Control", "Meta", "Shift"}
