"""What a real page logs, in the words of Chrome's own console."""

import re
from typing import Any

import pytest

from gasoline_cdp import limits
from gasoline_cdp.records import LogRecord
from tests.support import Watch

pytestmark = pytest.mark.requirement("F2-CONSOLE")

# What is logged → what the console shows for it.
VALUES = {
    "1, -0, NaN, 1e21, 10n": "1 -0 NaN 1e+21 10n",
    "true, null, undefined, 'bare'": "true null undefined bare",
    "Symbol('s'), Symbol()": "Symbol(s) Symbol()",
    "{a: 1, b: 'two', c: [1, 2, 3], d: {e: 1}, f: null}": "{a: 1, b: 'two', c: Array(3), d: {…}, f: null}",
    "{a: 1, b: 2, c: 3, d: 4, e: 5, f: 6}": "{a: 1, b: 2, c: 3, d: 4, e: 5, …}",
    "{}, [], [[]], {a: []}": "{} [] [[]] {a: []}",
    "{'a-b': 1, 2: 3, [Symbol('k')]: 4, '': 5}": "{2: 3, 'a-b': 1, '': 5, Symbol(k): 4}",
    "Object.assign(Object.create(null), {a: 1})": "{a: 1}",
    "{get a() { return 1; }, b: 2}": "{a: (...), b: 2}",
    "(() => { const o = {name: 'o'}; o.self = o; return o; })()": "{name: 'o', self: {…}}",
    "[1, 'x', null, undefined]": "[1, 'x', null, undefined]",
    "[1, , 3], [, ,], new Array(5), [1, , ,]": "[1, empty, 3] [empty × 2] [empty × 5] [1, empty × 2]",
    "'ab'.match(/b/)": "['b', index: 1, input: 'ab', groups: undefined]",
    "[{a: 1}, [1, 2], () => 1]": "[{…}, Array(2), ƒ]",
    "new (class Cart { items = [1]; #secret = 2; get total() { return 3; } })": "Cart {#secret: 2, items: Array(1)}",
    "new Map([['k', {a: 1}], [{o: 1}, [1, 2]]])": "Map(2) {'k' => {a: 1}, {o: 1} => [1, 2]}",
    "new Map(), new Set([{a: 1}, 'x', 2])": "Map(0) {} Set(3) {{a: 1}, 'x', 2}",
    "new WeakMap(), new WeakSet()": "WeakMap {} WeakSet {}",
    "new Map([[1, 2]]).entries(), [1].values()": "MapIterator {1 => 2} Array Iterator {}",
    "new Uint8Array([1, 2, 3]), new Float64Array(1)": "Uint8Array(3) [1, 2, 3] Float64Array(1) [0]",
    "new ArrayBuffer(8), new DataView(new ArrayBuffer(4))": "ArrayBuffer(8) DataView(4)",
    "(function () { return arguments; })(1, 'x')": "Arguments(2) [1, 'x']",
    "/ab+c/gi": "/ab+c/gi",
    "new Proxy({a: 1}, {}), new Proxy(() => 1, {})": "Proxy(Object) {a: 1} Proxy(Function)",
    "Promise.resolve(5), new Promise(() => 1)": "Promise {<fulfilled>: 5} Promise {<pending>}",
    "(function* () {})()": "Generator {<suspended>}",
    "Object(1), Object('s'), Object(true)": "Number {1} String {'s'} Boolean {true}",
    "function named({a, b}, c) { return a; }, () => 1": "function named({a, b}, c) () => 1",
    "async (a) => { await a; }, class Cart extends Map { size2() {} }": "async (a) => class Cart extends Map",
    "\"it's\", {a: \"it's\", b: 'two\\nlines', c: '\"\\''}": "it's {a: \"it's\", b: 'two\\nlines', c: `\"'`}",
    "document.querySelector('#main'), document.querySelector('p')": "<div#main.wide.dark> <p>",
    "document, document.querySelector('p').firstChild": "#document #text 'hello'",
    "document.querySelectorAll('p'), {at: document.body}": "NodeList(1) [<p>] {at: <body>}",
    "document.querySelector('#main').lastChild": "<!--done-->",
    "new DOMException('stopped', 'AbortError')": "AbortError: stopped",
    "{failed: new TypeError('inner')}": "{failed: TypeError: inner}",
}
FORMATS = {
    "'%s is %d', 'Ada', 36": "Ada is 36",
    "'%d %d %i %f', '42', 'abc', 3.9, '1.5x'": "42 NaN 3 1.5",
    "'%d %i %f', {}, Symbol('x'), 10n": "NaN NaN 10",
    "'%i', -3.5": "-3",
    "'%s %s %s', {a: 1}, Symbol('q'), null": "[object Object] Symbol(q) null",
    "'%s', {toString() { return 'custom'; }}": "custom",
    "'%o and %O', {a: 1}, ['x']": "{a: 1} and ['x']",
    "'%o', 'text'": "'text'",
    "'%cred%c plain', 'color: red', ''": "red plain",
    "'100%% sure', 'rest'": "100% sure rest",
    "'%s and %s', 'one'": "one and %s",
    "'50% off', 1": "50% off 1",
    "'%x %s', 'a'": "%x a",
    "'%s', '%s', 'again'": "again",
    "1, '%s', 2": "1 %s 2",
    "'', 'a'": "a",
}


async def open_page(watch: Watch, site: str) -> None:
    await watch.go(f"{site}page/rendering")
    await watch.log("rendering page ready")


async def said(watch: Watch, script: str) -> list[LogRecord]:
    """Run a script; give the console's records of it, in their order."""
    before = watch.telemetry.logs.received
    await watch.evaluate(f"{script};\nconsole.log('— the end —')")
    await watch.until(
        lambda: watch.telemetry.logs.received > before and next(watch.telemetry.logs.newest()).text == "— the end —"
    )
    new = watch.telemetry.logs.received - before
    return [record for record in [*watch.telemetry.logs.newest()][:new][::-1] if record.text != "— the end —"]


@pytest.mark.parametrize("expected", [VALUES, FORMATS], ids=["values", "formats"])
async def test_arguments_look_as_in_the_console(watch: Watch, site: str, expected: dict[str, str]) -> None:
    await open_page(watch, site)
    records = await said(watch, "".join(f"console.log({arguments});\n" for arguments in expected))
    assert dict(zip(expected, [record.text for record in records], strict=True)) == expected


async def test_a_date_is_shown_in_full(watch: Watch, site: str) -> None:
    await open_page(watch, site)
    (record,) = await said(watch, "console.log(new Date(0), {at: new Date(0)})")
    assert re.fullmatch(r"(\w{3} \w{3} \d\d \d{4} .*GMT.*\)) \{at: \1\}", record.text)


async def test_groups_give_their_depth_to_what_they_hold(watch: Watch, site: str) -> None:
    await open_page(watch, site)
    records = await said(
        watch,
        """
        console.group('outer'); console.log('one'); console.groupCollapsed('inner %s', 'x'); console.warn('two');
        console.groupEnd(); console.log('three'); console.groupEnd(); console.groupEnd(); console.log('four');
        console.group(); console.log('five'); console.clear(); console.log('six');
        """,
    )
    assert [(record.text, record.depth) for record in records] == [
        ("outer", 0),
        ("one", 1),
        ("inner x", 1),
        ("two", 2),
        ("three", 1),
        ("four", 0),
        ("console.group", 0),
        ("five", 1),
        ("six", 0),
    ]
    answer = await watch.call("observe", what="logs")
    assert {entry["message"]: entry.get("depth") for entry in answer["entries"]}.items() >= {
        ("two", 2),
        ("four", None),
    }


async def test_groups_of_a_page_end_with_it_and_do_not_hold_what_its_frames_say(watch: Watch, site: str) -> None:
    await open_page(watch, site)
    records = await said(
        watch,
        """
        console.group('outer');
        const frame = document.createElement('iframe');
        document.body.append(frame);
        frame.contentWindow.console.log('in the frame');
        """,
    )
    assert [(record.text, record.depth) for record in records] == [("outer", 0), ("in the frame", 0)]
    await watch.go(f"{site}page/blank?next")
    await watch.log("?next")
    (record,) = await said(watch, "console.log('elsewhere')")
    assert record.depth == 0


TABLES = {
    "[{a: 1, b: 'x'}, {a: 2, c: {d: 1}}]": "(index) | a | b | c\n0 | 1 | 'x' | \n1 | 2 |  | {…}",
    "[[1, 2], [3, 4]]": "(index) | 0 | 1\n0 | 1 | 2\n1 | 3 | 4",
    "{first: {v: 1}, second: {v: 2}}": "(index) | v\nfirst | 1\nsecond | 2",
    "[1, 'two']": "(index) | Value\n0 | 1\n1 | 'two'",
    "[{a: 1, b: 2}], ['b']": "(index) | b\n0 | 2",
    "new Map([['k', {a: 1}]])": "(index) | Key | Value\n0 | 'k' | {a: 1}",
    "[1, {a: 2}]": "(index) | a | Value\n0 |  | 1\n1 | 2 | ",
    "[]": "[]",
    "'no table'": "no table",
}


async def test_tables_have_rows_and_columns(watch: Watch, site: str) -> None:
    await open_page(watch, site)
    records = await said(watch, "".join(f"console.table({arguments});\n" for arguments in TABLES))
    assert dict(zip(TABLES, [record.text for record in records], strict=True)) == TABLES


async def test_a_long_table_is_cut(watch: Watch, site: str) -> None:
    await open_page(watch, site)
    (record,) = await said(watch, "console.table(Array.from({length: 900}, (_, i) => ({i})))")
    assert record.text.startswith("(index) | i\n0 | 0\n1 | 1\n")
    assert record.text.endswith("\n99 | 99\n…")


async def test_the_calls_that_are_no_logs(watch: Watch, site: str) -> None:
    await open_page(watch, site)
    records = await said(
        watch,
        """
        console.assert(false); console.assert(1 === 2, 'sum %s', 'wrong'); console.assert(true, 'fine');
        console.count(); console.count('c'); console.count('c'); console.countReset('c'); console.count('c');
        console.countReset('unknown');
        console.dir({a: {b: 1}}); console.dirxml(document.body);
        """,
    )
    assert [(record.method, record.level, record.text) for record in records] == [
        ("assert", "error", "Assertion failed: console.assert"),
        ("assert", "error", "Assertion failed: sum wrong"),
        ("count", "log", "default: 1"),
        ("count", "log", "c: 1"),
        ("count", "log", "c: 2"),
        ("count", "log", "c: 1"),
        ("warning", "warning", "Count for 'unknown' does not exist"),
        ("dir", "log", "{a: {…}}"),
        ("dirxml", "log", "<body>"),
    ]


async def test_timers_say_their_time(watch: Watch, site: str) -> None:
    await open_page(watch, site)
    records = await said(
        watch, "console.time('t'); console.timeLog('t', 'so far', {a: 1}); console.timeEnd('t'); console.timeEnd('t')"
    )
    assert re.fullmatch(r"t: [\d.e-]+ ms so far \{a: 1\}", records[0].text)
    assert re.fullmatch(r"t: [\d.e-]+ ms", records[1].text)
    assert (records[2].level, records[2].text) == ("warning", "Timer 't' does not exist")


async def test_a_trace_has_its_stack_in_the_answer(watch: Watch, site: str) -> None:
    await open_page(watch, site)
    (record,) = await said(watch, "function inner() { console.trace('here', 1); } (function outer() { inner(); })()")
    assert (record.text, record.level) == ("here 1", "log")
    assert [frame.function for frame in record.frames][:2] == ["inner", "outer"]
    answer = await watch.call("observe", what="logs")
    entry = next(entry for entry in answer["entries"] if entry["message"] == "here 1")
    assert entry["at"].startswith("inner (")
    assert entry["stack"][0].startswith("outer (")


async def logged_error(watch: Watch, site: str, part: str) -> tuple[LogRecord, dict[str, Any]]:
    """Load the page of errors; the record of one of them, and its entry in an answer."""
    await watch.go(f"{site}page/errors")
    await watch.log("errors page done")
    record = await watch.log(part)
    await watch.daemon.capture.previews.backlog.wait_idle()
    answer = await watch.call("observe", what="logs", limit=100)
    return record, next(entry for entry in answer["entries"] if part in entry["message"])


async def test_a_logged_error_says_where_it_was_made_and_where_it_was_logged(watch: Watch, site: str) -> None:
    record, entry = await logged_error(watch, site, "could not save")
    assert record.text == "could not save TypeError: broken thing"
    assert [(frame.function, frame.line) for frame in record.frames] == [
        ("makeError", 2),
        ("save", 5),
        ("", 11),
    ]
    assert record.logged is not None
    assert (record.logged.function, record.logged.line) == ("report", 9)
    assert entry["at"] == f"makeError ({site}script/errors.js:2:10)"
    assert entry["stack"] == [f"save ({site}script/errors.js:5:15)", f"{site}script/errors.js:11:1"]
    assert entry["logged_at"] == f"report ({site}script/errors.js:9:11)"


async def test_a_caught_error_is_told_by_its_own_frames(watch: Watch, site: str) -> None:
    record, entry = await logged_error(watch, site, "Cannot read properties of null")
    assert record.text == "TypeError: Cannot read properties of null (reading 'price')"
    assert [frame.line for frame in record.frames] == [15, 20]
    assert entry["logged_at"] == f"price ({site}script/errors.js:17:13)"


async def test_causes_are_told_down_to_the_root(watch: Watch, site: str) -> None:
    record, entry = await logged_error(watch, site, "checkout failed")
    at = f"at {site}script/errors.js:22:16"
    assert record.text == f"Error: checkout failed {{code: 'E_PAY', status: 402}}\nCaused by: RangeError: no card {at}"
    assert entry["message"] == (
        f"Error: checkout failed {{code: 'E_PAY', status: 402}}\nCaused by: RangeError: no card {at}\n"
        "Caused by: 'the root'"
    )


async def test_the_errors_of_an_aggregate_are_told(watch: Watch, site: str) -> None:
    _, entry = await logged_error(watch, site, "AggregateError: all failed")
    assert entry["message"] == "AggregateError: all failed [Error: one, TypeError: two]"


async def test_what_an_error_carries_is_told(watch: Watch, site: str) -> None:
    record, entry = await logged_error(watch, site, "HttpError: 500")
    assert record.text == "HttpError: 500 {response: {…}}"
    assert entry["message"] == "HttpError: 500 {response: {status: 500, data: {errors: [{message: 'no stock'}]}}}"


async def test_an_uncaught_error_has_the_same(watch: Watch, site: str) -> None:
    record, entry = await logged_error(watch, site, "thrown with")
    assert record.kind == "exception"
    assert entry["message"] == "Uncaught Error: thrown with a cause {order: {id: 7}}\nCaused by: 'why'"
    record, entry = await logged_error(watch, site, "rejected with")
    assert record.kind == "rejection"
    assert entry["message"] == "Uncaught (in promise) {reason: 'rejected with', order: {id: 8}}"


STATE = (
    "state {user: {id: 1, roles: ['admin', 'owner']}, cart: Map(1) {'a' => {n: 1}}, on: true, element: <body>, "
    "when: null, big: 10n, lazy: (...)}"
)


async def test_objects_of_errors_and_warnings_are_looked_into(watch: Watch, site: str) -> None:
    await open_page(watch, site)
    await said(
        watch,
        """
        console.warn('state', {user: {id: 1, roles: ['admin', 'owner']}, cart: new Map([['a', {n: 1}]]), on: true,
          element: document.body, when: null, big: 10n, get lazy() { return 1; }});
        console.error([{a: {b: {c: {d: {e: 1}}}}}], {a: 1, b: 2, c: 3, d: 4, e: 5, f: 6});
        const ring = {name: 'ring'}; ring.self = ring; console.error(ring);
        console.log({only: {shallow: 1}});
        """,
    )
    await watch.daemon.capture.previews.backlog.wait_idle()
    answer = await watch.call("observe", what="logs")
    assert [entry["message"] for entry in answer["entries"][1:5]] == [
        "{only: {…}}",
        "{name: 'ring', self: [Circular]}",
        "[{a: {b: {c: {d: {…}}}}}] {a: 1, b: 2, c: 3, d: 4, e: 5, f: 6}",
        STATE,
    ]


async def test_objects_of_a_log_line_are_shown_three_levels_deep(watch: Watch, site: str) -> None:
    await open_page(watch, site)
    (record,) = await said(watch, "console.log('state', {a: {b: {c: {d: 1}}}})")
    await watch.daemon.capture.previews.backlog.wait_idle()
    assert watch.telemetry.known(record).text == "state {a: {b: {c: {…}}}}"


@pytest.mark.parametrize(
    "script",
    [
        # Changed after it was logged, and before we could look.
        "const o = {n: 1, inner: {}}; console.error(o); o.n = 2",
        "const o = {list: [1], inner: {}}; console.error(o); o.list.push(2)",
        # Looking has an effect, and so is not done.
        "console.error({inner: new Proxy({a: 1}, {ownKeys(t) { window.spied = true; return Reflect.ownKeys(t); }})})",
        "Object.keys = () => { window.spied = true; return []; }; console.error({inner: {a: 1}})",
        # More than the preview of an element, an event or a window is not wanted.
        "console.error(document.body, window)",
    ],
)
async def test_a_look_tells_nothing_false_and_has_no_effect(watch: Watch, site: str, script: str) -> None:
    await open_page(watch, site)
    (record,) = await said(watch, f"{{ {script} }}")
    await watch.daemon.capture.previews.backlog.wait_idle()
    assert watch.telemetry.known(record).text == record.text
    assert await watch.evaluate("window.spied === undefined")


async def test_logged_objects_are_let_go(watch: Watch, site: str) -> None:
    await open_page(watch, site)
    await watch.evaluate(
        f"""
        window.gone = 0;
        window.registry = new FinalizationRegistry(() => {{ window.gone++; }});
        for (let i = 0; i < {10 * limits.OBJECTS_HELD}; i++) {{
          const o = {{i, inner: {{i}}}};
          window.registry.register(o, i);
          (i % 5 ? console.log : console.error)(o);
        }}
        // Chrome itself keeps the newest thousand messages, whether anyone listens or not.
        for (let i = 0; i < 1000; i++) console.log('filling');
        """
    )
    session = watch.tab.session
    await watch.until(lambda: watch.telemetry.logs.received >= 10 * limits.OBJECTS_HELD + 1001)
    await watch.daemon.capture.previews.backlog.wait_idle()
    watch.daemon.capture.previews.release(session)
    await session.send("HeapProfiler.collectGarbage")
    gone = await watch.evaluate("new Promise((done) => setTimeout(() => done(window.gone), 50))")
    assert gone > 9 * limits.OBJECTS_HELD


async def test_a_secret_that_chrome_cut_in_two_is_not_shown(watch: Watch, site: str) -> None:
    await open_page(watch, site)
    token = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9." + "c2VjcmV0cGF5bG9hZA" * 4 + "." + "c2lnbmF0dXJl" * 4
    address = "postgres://admin:" + "hunter2" * 8 + "@db.internal/shop?sslmode=require&application_name=web&x=1"
    records = await said(watch, f"console.log({{held: '{token}'}}, {{at: '{address}'}}, {{why: 'word '.repeat(40)}})")
    text = records[0].text
    assert text == f"{{held: 'eyJhbG…'}} {{at: 'postgres://admin:…'}} {{why: '{'word ' * 10}…'}}"
