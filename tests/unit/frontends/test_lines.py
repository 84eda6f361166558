"""Lines are whole, whatever the pieces they come in."""

import pytest

from gasoline_cdp.frontends import lines as lines_module


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_lines_are_whole_whatever_the_pieces(size: int) -> None:
    text = b"one\ntwo\r\n\n\xff\rthree\nrest"
    lines = lines_module.Lines()
    cut = [line for start in range(0, len(text), size) for line in lines.cut(text[start : start + size])]
    assert cut == [b"one\n", b"two\r\n", b"\n", b"\xff\rthree\n"]


@pytest.mark.parametrize("size", [3, 10, 64])
def test_a_line_too_long_is_left_out_and_the_next_is_not(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines_module, "_LINE_BYTES", 20)
    text = b"one\n" + b"x" * 100 + b"\ntwo\n"
    lines = lines_module.Lines()
    cut = [line for start in range(0, len(text), size) for line in lines.cut(text[start : start + size])]
    assert cut == [b"one\n", b"two\n"]
    assert lines.skipped
