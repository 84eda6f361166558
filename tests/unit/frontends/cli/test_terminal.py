"""What all that is printed for people has in common."""

import io

import pytest

from gasoline_cdp.frontends.cli.terminal import cut, open_console


def test_page_text_is_no_markup() -> None:
    out = io.StringIO()
    console = open_console()
    console.file = out
    console.print("[bold]x[/bold] :smile: [/link]")
    assert out.getvalue() == "[bold]x[/bold] :smile: [/link]\n"


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("ab cd", 4, "ab…"), ("日本語", 4, "日…"), ("abc", 1, "…"), ("abc", 0, "")],
)
def test_text_is_cut_by_columns(text: str, width: int, expected: str) -> None:
    assert cut(text, width) == expected
