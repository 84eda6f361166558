"""Console, exceptions and rejections of a real page."""

import pytest

from tests.support import Watch

pytestmark = pytest.mark.requirement("F1-CAPTURE")


async def test_console_calls_say_what_devtools_would(watch: Watch, site: str) -> None:
    await watch.go(f"{site}page/console")
    await watch.log("console page done")
    said = {record.text: record for record in watch.telemetry.logs.newest() if record.kind == "console"}
    assert said["plain text"].level == "log"
    assert said["information 42 true null undefined"].level == "info"
    assert said["a warning {a: 1, b: 'two', c: Array(3)}"].level == "warning"
    error = next(record for text, record in said.items() if text.startswith("an error TypeError: broken thing"))
    assert error.level == "error"
    assert error.frames[0].url.endswith("/script/console.js")
    assert error.frames[0].line == 4
    assert said["debugging"].level == "debug"
    assert "Ada is 36 years and  styled rest" in said
    assert said["Assertion failed: the sum is wrong"].level == "error"
    assert "Map(1) {'k' => 1} Set(2) {1, 2} [1, 'x'] () => 1 Symbol(s) 10n" in said
    assert "inside" in said


async def test_an_exception_has_its_file_line_and_stack(watch: Watch, site: str) -> None:
    await watch.go(f"{site}page/console")
    record = await watch.log("out of range: 11")
    assert record.kind == "exception"
    assert record.text == "Uncaught RangeError: out of range: 11"
    assert [(frame.function, frame.line) for frame in record.frames] == [("thrower", 14), ("later", 17)]


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("nobody caught me", "Uncaught (in promise) Error: nobody caught me"),
        ("just a string", "Uncaught (in promise) just a string"),
        ("an object", "Uncaught (in promise) {code: 7, reason: 'an object'}"),
    ],
)
async def test_rejections_are_told_apart_and_say_why(watch: Watch, site: str, part: str, text: str) -> None:
    await watch.go(f"{site}page/console")
    record = await watch.log(part)
    assert (record.kind, record.text) == ("rejection", text)


async def test_navigation_loses_nothing(watch: Watch, site: str) -> None:
    await watch.go(f"{site}page/console")
    await watch.log("console page done")
    before = watch.telemetry.logs.received
    await watch.go(f"{site}page/blank")
    await watch.log("Navigated to " + f"{site}page/blank")
    assert watch.telemetry.logs.received > before
    assert watch.telemetry.logs.dropped == 0
    answer = await watch.call("observe", what="errors")
    kinds = {entry["kind"] for entry in answer["entries"]}
    assert {"exception", "rejection", "console"} <= kinds


async def test_records_know_their_tab_page_and_navigation(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/blank")
    await watch.evaluate("console.log('first')")
    first = await watch.log("first")
    await watch.go(f"{site}page/blank?again")
    await watch.log("?again")
    await watch.evaluate("console.log('second')")
    second = await watch.log("second")
    assert first.source.tab_id == second.source.tab_id == watch.tab.tab_id
    assert second.source.navigation == first.source.navigation + 1
    assert first.source.url == f"{site}page/blank"
    assert second.source.url == f"{site}page/blank?again"


async def test_text_no_utf8_can_carry_does_not_end_the_capture(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/blank")
    await watch.evaluate(r"console.log('half \ud800 pair'); console.log('nul \u0000 bidi \u202e tag \u{e0041}.')")
    await watch.evaluate("console.log('still here')")
    await watch.log("still here")
    texts = [record.text for record in watch.telemetry.logs.newest()]
    assert any(text.startswith("half") and text.endswith("pair") for text in texts)
    assert "nul  bidi  tag ." in texts
    await watch.call("observe", what="logs")


async def test_csp_violations_are_told(watch: Watch, site: str) -> None:
    await watch.go(f"{site}page/csp")
    record = await watch.log("Content Security Policy")
    assert record.kind == "browser"
    assert record.level == "error"


async def test_repeated_messages_are_folded_with_a_count(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/blank")
    await watch.evaluate("for (let i = 0; i < 30; i++) console.warn('again'); console.warn('once')")
    await watch.log("once")
    answer = await watch.call("observe", what="logs", level="warning")
    counts = {entry["message"]: entry.get("count", 1) for entry in answer["entries"]}
    assert counts == {"again": 30, "once": 1}
    assert answer["total"] == 31
