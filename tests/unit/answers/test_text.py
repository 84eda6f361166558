"""The text of an answer says each thing once, and so that no two things look the same."""

from gasoline_cdp.answers.lines import Line
from gasoline_cdp.answers.text import write_lines


def texts(*lines: Line) -> list[str]:
    return write_lines(lines).split("\n")


def test_a_time_of_the_same_minute_has_its_seconds_only() -> None:
    times = ["13:26:49", "13:26:48", "", "13:26:47.120", "13:25:59", "2"]
    assert texts(*(Line("x", time=time) for time in times)) == [
        "13:26:49 x", ":48 x", "x", ":47.120 x", "13:25:59 x", "2 x",
    ]  # fmt: skip


def test_the_directory_of_a_file_stands_where_the_file_is_first_named() -> None:
    places = [
        "http://cdn.test:80/src/App.tsx:4:2 go < :9:1",
        "http://cdn.test:80/src/App.tsx:5:2",
        "src/log.ts:1:1 < http://cdn.test:80/src/App.tsx:6:2",
    ]
    assert texts(*(Line("x", place=place) for place in places)) == [
        "x http://cdn.test:80/src/App.tsx:4:2 go < :9:1",
        "x App.tsx:5:2",
        "x src/log.ts:1:1 < App.tsx:6:2",
    ]


def test_another_file_of_the_same_name_keeps_its_directory() -> None:
    places = ["src/a/index.js:1:1", "src/b/index.js:1:1", "index.js:1:1", "src/a/index.js:2:1", "src/b/index.js:2:1"]
    assert texts(*(Line("x", place=place) for place in places)) == [
        "x src/a/index.js:1:1",
        "x src/b/index.js:1:1",
        "x ./index.js:1:1",
        "x index.js:2:1",
        "x src/b/index.js:2:1",
    ]


def test_a_place_that_many_lines_have_gets_a_name() -> None:
    logger = "src/logging/report.ts:4:9 report"
    lines = [Line(name, place=logger) for name in "abc"]
    assert texts(Line("3 errors", tone="heading"), *lines, Line("d", place="src/a.js:1:1")) == [
        "3 errors",
        f"p1={logger}",
        "a p1",
        "b p1",
        "c p1",
        "d src/a.js:1:1",
    ]
    assert texts(*lines[:2]) == [f"a {logger}", "b report.ts:4:9 report"]
    assert texts(*(Line(name, place="a.js:1:1") for name in "abc")) == ["a a.js:1:1", "b a.js:1:1", "c a.js:1:1"]
