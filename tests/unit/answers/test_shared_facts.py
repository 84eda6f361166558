"""What entries share is said once."""

import pytest

from gasoline_cdp.analysis.normalise import origin_of
from gasoline_cdp.answers.log_entries import show_log
from gasoline_cdp.answers.network_entries import NetworkEntry, show_network
from gasoline_cdp.answers.shared_facts import SharedFacts, home_of
from gasoline_cdp.records import Source
from tests.fakes import PAGE, log_record, network_record

WORKER = Source(1, "worker", "http://app.test/w.js", 1, "W1")
SHARED = Source(0, "shared_worker", "http://app.test/s.js", 1, "W2")


def test_one_tab_one_page_one_origin() -> None:
    facts = SharedFacts.of([show_log(log_record(1)), show_log(log_record(2))])
    assert (facts.tab_id, facts.page, facts.origin) == (PAGE.tab_id, PAGE.url, origin_of(PAGE.url))
    assert facts.heading().startswith(f"tab {PAGE.tab_id}, ")
    assert PAGE.url in facts.heading()


def test_what_belongs_to_no_tab_does_not_hide_the_one_that_there_is() -> None:
    facts = SharedFacts.of([show_log(log_record(1)), show_log(log_record(2, source=SHARED))])
    assert facts.tab_id == PAGE.tab_id
    assert facts.tab(PAGE.tab_id) == ""


def test_where_entries_differ_each_says_so() -> None:
    second = Source(2, "page", "http://app.test/b", 1, "T2")
    facts = SharedFacts.of([show_log(log_record(1)), show_log(log_record(2, source=second))])
    assert (facts.tab_id, facts.page) == (None, "")
    assert facts.tab(2) == "tab 2"
    assert facts.on_page("http://app.test/b") == "on /b"


def test_a_worker_that_several_entries_come_from_gets_a_short_name() -> None:
    entries = [show_network(network_record(number, source=WORKER)) for number in (1, 2)]
    facts = SharedFacts.of([*entries, show_network(network_record(3, source=SHARED))])
    assert facts.inside(entries[0]) == "w1"
    assert [str(line) for line in facts.source_lines(entries)] == ["w1=worker /w.js"]
    assert list(facts.source_lines([show_network(network_record(3))])) == []
    assert home_of(entries[0]) == "http://app.test"


@pytest.mark.parametrize(
    ("at", "location"),
    [
        ("submit (http://app.test/src/App.tsx?t=17:42:7)", "src/App.tsx:42:7 submit"),
        ("http://app.test/:3:1", "/:3:1"),
        ("http://cdn.test/x.js?v=2:3:1", "http://cdn.test/x.js:3:1"),
        ("Object.a b (http://app.test/a.js:1:2)", 'a.js:1:2 "Object.a b"'),
        ("load (http://app.test/script.php?file=a:1:2)", "script.php?file=a:1:2 load"),
        ("<anonymous>:1:2", '"<anonymous>":1:2'),
        ("nowhere", "nowhere"),
    ],
)
def test_locations(at: str, location: str) -> None:
    assert SharedFacts(origin="http://app.test").location(at) == location


def test_a_stack_names_each_file_once_and_no_library() -> None:
    facts = SharedFacts(origin="http://app.test")
    below = ["b (http://app.test/a.js:2:1)", "(3 library frames)", "c (http://app.test/b.js:3:1)"]
    assert facts.stack("a (http://app.test/a.js:1:1)", below) == "a.js:1:1 a < :2:1 b < b.js:3:1 c"
    assert SharedFacts().stack("http://f.test/a.js:1:1", (), "http://f.test") == "a.js:1:1"


def test_addresses_are_cut_where_there_is_no_room() -> None:
    short = SharedFacts(origin="http://app.test", address_chars=10)
    assert short.url("http://app.test/" + "a" * 40) == '"/aaaaaaaaa…" +31 chars'


def test_a_blob_is_told_from_others_by_the_beginning_of_its_name() -> None:
    blob = "blob:http://app.test/f9b65013-33f9-4692-8fbc-6b2a16a14939"
    assert SharedFacts(origin="http://app.test").url(blob) == "blob:f9b65013"


def test_a_list_shows_the_nearest_callers() -> None:
    frames = [f"f{number} (http://app.test/a.js:{number}:1)" for number in range(2, 7)]
    assert SharedFacts(origin="http://app.test").stack("f1 (http://app.test/a.js:1:1)", frames, most=3) == (
        "a.js:1:1 f1 < :2:1 f2 < :3:1 f3"
    )


def test_the_paths_of_a_frame_on_another_origin_are_on_that() -> None:
    frame = Source(1, "iframe", "http://pay.test/card", 1, "T1")
    entries = [
        show_network(network_record(number, url=url, source=source))
        for number, (url, source) in enumerate(
            [
                ("http://pay.test/keys", frame),
                ("http://app.test/keys", frame),
                ("http://app.test/api", PAGE),
                ("http://app.test/api", PAGE),
            ]
        )
    ]
    facts = SharedFacts.of(entries)
    assert [str(line) for line in facts.source_lines(entries)] == [
        "f1=frame http://pay.test/card (paths below are on it)"
    ]
    assert [facts.url(entry.url, entry) for entry in entries] == ["/keys", "http://app.test/keys", "/api", "/api"]


def source_line(*entries: NetworkEntry) -> str:
    (line,) = SharedFacts.of(entries).source_lines(entries)
    return str(line)


def test_workers_of_one_script_differ_in_their_query() -> None:
    paths = ("/w.js?as=a", "/a.js", "/w.js?as=b")
    workers = [Source(1, "worker", f"http://app.test{path}", 1, path) for path in paths]
    workers.append(Source(0, "shared_worker", "http://app.test/w.js?as=c", 1, "S"))
    entries = [show_network(network_record(number, source=worker)) for number, worker in enumerate(workers * 2)]
    assert source_line(*entries) == "w2=worker /a.js, w1=worker /w.js?as=a, w3=?as=b, sh1=shared_worker ?as=c"


def test_a_frame_whose_document_is_listed_is_named_by_that() -> None:
    frame = Source(1, "iframe", "http://app.test/frame?as=a", 1, "T1")
    entries = [show_network(network_record(number, source=frame)) for number in (3, 2)]
    assert source_line(*entries) == "f1=frame /frame?as=a"
    document = show_network(network_record(1, frame.url, type="Document"))
    assert source_line(*entries, document) == "f1=frame r1"


def redirected(number: int, source: Source = PAGE) -> list[NetworkEntry]:
    """A request that followed a redirect, and the redirect: newest first."""
    there, back = "http://app.test/there", "http://app.test/go"
    return [
        show_network(network_record(number + 1, there, redirected_from=back, source=source)),
        show_network(network_record(number, back, status=302, redirect_to=there, source=source)),
    ]


def test_a_redirect_names_the_request_that_followed() -> None:
    entries = [*redirected(7), *redirected(5, WORKER), *redirected(3), *redirected(1)[1:]]
    facts = SharedFacts.of(entries)
    assert [facts.redirect(entry) for entry in entries if entry.redirect_to] == ["r8", "r6", "r4", "/there"]


def test_of_redirects_at_the_same_time_none_names_a_request_that_may_be_of_another() -> None:
    (second, to_second), (first, to_first) = redirected(7), redirected(1)
    facts = SharedFacts.of([second, first, to_second, to_first])
    assert facts.followed == {}
