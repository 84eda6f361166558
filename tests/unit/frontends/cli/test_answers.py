"""Lines of an answer on a terminal: every word of them, in columns, whatever a page says and however narrow it is."""

import io
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from gasoline_cdp import wire
from gasoline_cdp.answers.lines import Line
from gasoline_cdp.errors import GasolineError
from gasoline_cdp.frontends.cli.answers import (
    lay_out,
    live_column,
    live_text,
    read_lines,
    show_answer,
    show_lines,
    wrap,
)

HEADING = Line("2 errors, last 3s ago. tab 1, http://localhost", tone="heading")
EXCEPTION = Line('"boom [red] :smile:"', time="10:00:01", tag="exception", place="app.js:8:1 f", tone="error")
REQUEST = Line("/api 12ms", time="10:00:00", tag="r10 POST 500", place="app.js:3:1 save", tone="error")
BODY = Line('| {"error":"no"}', depth=1, tone="dim")
NOTE = Line('4 more: cursor="12"', tone="dim")


def _shown(lines: list[Line], width: int = 80) -> list[str]:
    return [text.plain for text in lay_out(lines, width)]


def test_times_and_tags_of_neighbours_stand_below_each_other() -> None:
    assert _shown([HEADING, EXCEPTION, REQUEST, BODY, NOTE]) == [
        "2 errors, last 3s ago. tab 1, http://localhost",
        f"10:00:01  exception     {EXCEPTION.text:<42}  app.js:8:1 f",
        f"10:00:00  r10 POST 500  {'/api 12ms':<39}  app.js:3:1 save",
        '                        | {"error":"no"}',
        '4 more: cursor="12"',
    ]


def test_words_of_tags_stand_below_each_other() -> None:
    lines = [Line("/a", time="10:00:00", tag=tag) for tag in ("r9 GET 200", "r10 POST 500", "r11", "r12 GET CORS")]
    assert [line[10:] for line in _shown(lines)] == [
        "r9  GET  200   /a",
        "r10 POST 500   /a",
        "r11            /a",
        "r12 GET  CORS  /a",
    ]


def test_a_time_that_is_not_said_again_leaves_its_column_empty() -> None:
    lines = [EXCEPTION, Line("/b", tag="r1"), HEADING, Line("2 kept", tag="logs")]
    assert _shown(lines)[1:] == ["          r1         /b", HEADING.text, "logs  2 kept"]


def test_a_long_tag_moves_only_its_own_text() -> None:
    lines = [Line("a", tag="FCP"), Line("b", tag="x" * 40), Line("c", tag="LCP")]
    assert _shown(lines) == ["FCP  a", f"{'x' * 40}  b", "LCP  c"]


def test_open_groups_of_the_console_indent_the_text_and_parts_of_an_entry_the_line() -> None:
    inner = Line('"inner"', time="10:00:01", tag="log", depth=1)
    assert _shown([EXCEPTION, inner])[1] == '10:00:01  log          "inner"'
    parts = [Line("0.2", tag="CLS"), Line("value=0.1", tag="shift", depth=1), Line("one more", depth=1)]
    assert _shown(parts) == ["CLS  0.2", "  shift  value=0.1", "         one more"]


def test_what_is_too_long_goes_on_below_the_text() -> None:
    long = Line(f'"{"word " * 20}"', time="10:00:01", tag="error", place="app.js:8:1 f")
    shown = _shown([long, Line("s" * 90, tone="heading")], 60)
    assert shown[0].startswith('10:00:01  error  "word word')
    assert [line[:17].strip() for line in shown[1:4]] == ["", "", ""]
    # The place of a text that has several lines has one of its own.
    assert shown[3].strip() == "app.js:8:1 f"
    assert shown[4:] == ["s" * 58, f"  {'s' * 32}"]


def test_what_goes_on_stays_behind_the_indent_of_a_tree_and_behind_a_mark() -> None:
    tree = Line(f'    paragraph: "{"word " * 8}"')
    assert [line[:7].strip() for line in _shown([tree], 30)] == ["par", "w", "w"]
    marked = Line(f"| {'word ' * 8}", tag="fix", depth=1)
    assert _shown([marked], 40)[1] == "         word word"


def test_a_terminal_that_is_too_narrow_for_columns_has_the_text_below_the_tag() -> None:
    assert _shown([REQUEST, BODY], 28) == [
        "10:00:00  r10 POST 500",
        "    /api 12ms",
        "    app.js:3:1 save",
        f"    {BODY.text}",
    ]


def test_json_is_broken_behind_a_comma_and_its_mark_is_not_left_alone() -> None:
    assert wrap('| {"error":"none left","id":"abcdefgh"}', 24) == ['| {"error":"none left",', '"id":"abcdefgh"}']
    assert wrap(f"| {'x' * 30}", 24) == [f"| {'x' * 22}", "x" * 8]
    assert wrap("", 10) == [""]


@given(st.text("ab ,日|é…", max_size=80), st.integers(2, 30))
def test_wrapping_loses_nothing_and_fits(text: str, room: int) -> None:
    lines = wrap(text, room)
    assert all(cell_len(line.rstrip()) <= room for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


_ANY = st.builds(
    Line,
    st.text(max_size=60),
    time=st.sampled_from(["", "10:00:00", "10:00:00.123"]),
    tag=st.text(max_size=30),
    place=st.text(max_size=60),
    tone=st.sampled_from(["plain", "error", "heading", "dim"]),
    depth=st.integers(0, 3),
)


@given(st.lists(_ANY, max_size=6), st.integers(1, 130))
def test_every_word_is_there_and_no_page_writes_a_line_of_its_own(lines: list[Line], width: int) -> None:
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=True, color_system=None, markup=False, emoji=False)
    show_lines(console, lines)
    written = out.getvalue()
    plain = "".join(text.plain for text in lay_out(lines, width))
    said = "".join(f"{line.time}{line.tag}{line.text}{line.place}" for line in read_lines(map(_safe, lines)))
    assert sorted(re.sub(r"\s", "", plain)) == sorted(re.sub(r"\s", "", said))
    assert written.count("\n") == len(list(lay_out(lines, width)))
    assert not re.search("[\x00-\x09\x0b-\x1a\x1c-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", written)
    # Only what rich says of bold and dim speaks to the terminal.
    assert not re.search(r"\x1b(?!\[[0-9;]*m)", written)


def _safe(line: Line) -> dict[str, Any]:
    """What `str` makes of each part of a line."""
    parts = {name: str(Line(getattr(line, name))) for name in ("time", "tag", "text", "place")}
    return {**parts, "tone": line.tone, "depth": line.depth}


def test_page_text_is_no_markup() -> None:
    out = io.StringIO()
    show_lines(Console(file=out, width=80, markup=False, emoji=False), [EXCEPTION])
    assert "boom [red] :smile:" in out.getvalue()


def test_the_tone_colours_the_tag_and_the_place_is_dim() -> None:
    (text,) = lay_out([EXCEPTION], 80)
    styles = {text.plain[span.start : span.end].strip(): span.style for span in text.spans}
    assert styles["10:00:01"] == "dim"
    assert styles["exception"] == "red"
    assert styles["app.js:8:1 f"] == "dim"
    (heading,) = lay_out([HEADING], 80)
    assert [span.style for span in heading.spans] == ["bold"]


# --- a live view ----------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1, 10, 20, 40, 60, 80, 120, 300])
@pytest.mark.parametrize(
    "line",
    [
        EXCEPTION,
        REQUEST,
        Line("", time="10:00:00", tag="log"),
        Line("短い日本語のメッセージ" * 20, time="10:00:00", tag="log", place="あ.js:1:1 関数"),
        Line("one\ntwo\tthree\x1b[31m", time="10:00:00", tag="log", place=f"{'x' * 300}.js:1:1 a\nname"),
        Line("x" * 5000, time="10:00:00", tag="ws1 ←"),
        Line("/a", time="10:00:00", tag="X" * 30),
    ],
)
def test_a_live_line_is_one_line_and_fits(line: Line, width: int) -> None:
    shown = live_text(line, live_column(), width).plain
    assert cell_len(shown) <= width
    assert shown == shown.rstrip()
    assert not re.search(r"[\n\t\x1b]", shown)


def _live(*lines: Line, width: int = 80) -> list[str]:
    column = live_column()
    return [live_text(line, column, width).plain for line in lines]


def test_live_lines_keep_their_columns_and_widen_them_when_they_must() -> None:
    lines = [
        EXCEPTION,
        Line("/a", time="10:00:02", tag="r9 GET 200"),
        Line("/b", time="10:00:02", tag="r1234 OPTIONS 204"),
    ]
    first, second, third = _live(*lines)
    assert first.startswith('10:00:01  exception     "boom')
    assert second == "10:00:02  r9  GET  200  /a"
    assert third == "10:00:02  r1234 OPTIONS 204  /b"
    assert _live(*lines, EXCEPTION)[3].index('"boom') == third.index("/b")


def test_a_live_line_says_of_the_place_what_there_is_room_for() -> None:
    line = Line(f'"{"word " * 30}"', time="10:00:01", tag="error", place="app.js:8:1 save < form.js:9:2 submit")
    narrow, wider, whole = (_live(line, width=width)[0] for width in (60, 100, 170))
    assert narrow.endswith("…  app.js:8:1")
    assert wider.endswith("…  app.js:8:1 save")
    assert whole.endswith("…  app.js:8:1 save < form.js:9:2 submit")


# --- what the daemon sends ------------------------------------------------------------------------


def test_lines_cross_the_socket_and_a_newer_daemon_may_say_more_of_them() -> None:
    lines = [HEADING, EXCEPTION, BODY]
    sent = [{**wire.dump(line), "weight": 3} for line in lines]
    assert read_lines(sent) == lines


def test_an_answer_is_shown_with_what_stands_below_it(capsys: pytest.CaptureFixture[str]) -> None:
    show_answer({"is_error": False, "lines": [wire.dump(EXCEPTION)]}, [Line("http://localhost:7890", tag="http")])
    first, last = capsys.readouterr().out.splitlines()
    assert "exception" in first
    assert last == "http  http://localhost:7890"


def test_notes_name_the_options_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    posing = Line('"go on with cursor=\\"12\\""', tag="error", tone="dim")
    larger = Line("2 more connections: a larger max_bytes shows them", tone="dim")
    rest = Line("Only named: 3 findings. A larger max_bytes shows them whole.", tone="dim")
    static = Line("2 requests. +4 static (include_static). http://a.test/include_static", tone="heading")
    tree = Line('9 more: go on with cursor, or ask for less with within or text. "larger limit"', tone="heading")
    quoting = Line('"go on with cursor" stands with text', tag="error")
    shown = (posing, NOTE, larger, rest, static, tree, quoting)
    show_answer({"is_error": False, "lines": [wire.dump(line) for line in shown]})
    said = capsys.readouterr().out
    assert "4 more: --cursor 12\n" in said
    assert "a larger --max-bytes shows them" in said
    assert 'cursor=\\"12' in said
    assert "A larger --max-bytes shows them whole" in said
    assert "(--include-static). http://a.test/include_static" in said
    assert 'go on with --cursor, or ask for less with --within or --text. "larger limit"' in " ".join(said.split())
    assert '"go on with cursor" stands with text' in said


def test_an_older_daemon_s_answer_is_json_and_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    show_answer({"is_error": False, "data": {"summary": "fine"}, "version": "0.0.1"})
    out, err = capsys.readouterr()
    assert out == '{\n  "summary": "fine"\n}\n'
    assert "version 0.0.1, and gives JSON only" in err
    assert err.endswith(" stop\n")


def test_an_error_is_raised() -> None:
    with pytest.raises(GasolineError, match=r"It hangs\."):
        show_answer({"is_error": True, "data": {"error": "page_hung", "message": "It hangs."}})


def test_a_line_of_no_words_is_a_line() -> None:
    assert [type(text) for text in lay_out([Line("")], 10)] == [Text]
