"""Text of pages in lines of ours: it ends where we say."""

import pytest

from gasoline_cdp.answers.quoting import block, folded, quoted, word, written_fields


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("plain", '"plain"'),
        ('say "x"', r'"say \"x\""'),
        ("a\r\n   b\tc", r'"a\nb c"'),
        ("back\\slash", r'"back\\slash"'),
        ("abcdef", '"abcd…" +2 chars'),
        ("", '""'),
    ],
)
def test_quoted(text: str, line: str) -> None:
    assert quoted(text, 4 if text == "abcdef" else 100) == line


@pytest.mark.parametrize("text", ["/a/b?c=d", "http://x.test/a", "net::ERR_FAILED", "#id", "a.b", "[data-x=1]"])
def test_names_and_addresses_need_no_quotes(text: str) -> None:
    assert word(text) == text


@pytest.mark.parametrize("text", ["", "two words", 'a"b', "a|b", "a\nb", "→x", "“x”", "a\u2028b"])
def test_what_could_pass_for_our_words_is_quoted(text: str) -> None:
    assert word(text).startswith('"')
    assert word(text).endswith('"')


def test_text_of_several_lines_stands_behind_a_mark() -> None:
    assert block("a\n| b\n\nc", 100) == ["| a", "| | b", "| ", "| c"]
    assert block("abcdef", 3) == ["| abc… +3 chars"]
    assert block("", 3) == ["| "]
    assert folded("a\n  b", 100) == "| a b"
    assert folded("x" * 50, 10) == f"| {'x' * 10}…"


def test_values_are_written_so_that_they_end() -> None:
    assert written_fields({"a": [1, "x y"], "b": {"c": None}, "d": 1.5}) == 'a=[1 "x y"] b={c=null} d=1.5'
    assert written_fields({"e f": True, "g": "abcdef"}, 4) == '"e f"=true g="abcd…" +2 chars'
