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


def test_the_list_of_named_places_says_a_directory_once() -> None:
    first, second = "src/logging/report.ts:4:9 report", "src/logging/report.ts:9:1"
    lines = [Line(name, place=place) for place in (first, second) for name in "abc"]
    assert texts(*lines)[0] == f"p1={first}, p2=report.ts:9:1"


def test_callers_that_the_line_above_has_are_not_repeated() -> None:
    places = [
        "lib/load.js:183:15 c < :352:17 onError",
        "lib/load.js:182:15 c < :352:17 onError",
        "",
        "lib/load.js:180:14 c < :352:17 onError",
        "lib/other.js:180:14 c < :352:17 onError",
        "lib/other.js:1:1 < :2:2",
        "lib/other.js:1:9 < :2:2",
    ]
    assert texts(*(Line("x", place=place) for place in places)) == [
        "x lib/load.js:183:15 c < :352:17 onError",
        "x load.js:182:15 c < …",
        "x",
        "x load.js:180:14 c < …",
        "x lib/other.js:180:14 c < :352:17 onError",
        "x other.js:1:1 < :2:2",
        "x other.js:1:9 < :2:2",
    ]


def test_parameters_that_the_last_line_of_a_path_has_are_not_repeated() -> None:
    addresses = [
        "/io/?EIO=4&transport=polling&t=a&sid=4QJs 113ms",
        "/io/?EIO=4&transport=polling&t=b&sid=4QJs 14ms",
        "/other?EIO=4&transport=polling",
        "/io/?EIO=4&transport=polling&t=b&sid=4QJs",
        # One that lacks a parameter is shown whole, and so is one that differs in nearly everything.
        "/io/?EIO=4&transport=polling&t=c",
        "/n?a=1&b=2",
        "/n?a=1&b=3",
        "/s?of=blue-chairs&of=red-chairs",
        "/s?of=blue-chairs",
        '"/io/?EIO=4&transport=polling &t=c"',
    ]
    requests = [Line(address, tag=f"r{number}") for number, address in enumerate(addresses, 1)]
    assert texts(*requests) == [
        "r1 /io/?EIO=4&transport=polling&t=a&sid=4QJs 113ms",
        "r2 /io/?…&t=b 14ms",
        "r3 /other?EIO=4&transport=polling",
        "r4 /io/?…",
        "r5 /io/?EIO=4&transport=polling&t=c",
        "r6 /n?a=1&b=2",
        "r7 /n?a=1&b=3",
        "r8 /s?of=blue-chairs&of=red-chairs",
        "r9 /s?of=blue-chairs",
        'r10 "/io/?EIO=4&transport=polling &t=c"',
    ]
    # Only requests have an address there.
    assert texts(Line("/a?b=1234567", tag="error"), Line("/a?b=1234567", tag="error"))[1] == "error /a?b=1234567"
