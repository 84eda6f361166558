"""A change of the code is recorded when a server tells of it, or when a load brings other files; and not otherwise."""

import json
from typing import Any

import pytest
from attrs import evolve

from gasoline_cdp.capture.code_changes import CodeChangeListener
from gasoline_cdp.records import LogRecord, Source
from gasoline_cdp.store.telemetry import Telemetry
from tests.fakes import PAGE, network_record

pytestmark = pytest.mark.requirement("F9-CHANGE")

START = 1_790_000_000.0
SCRIPT = "http://app.test/app.js"


class Tab:
    """A tab that loads documents, their scripts, and hears its development server."""

    def __init__(self) -> None:
        self.telemetry = Telemetry()
        self.listener = CodeChangeListener(self.telemetry)
        self.now = START
        self.source = PAGE
        self.connections = 0
        self.load()

    def load(self) -> None:
        self.now += 10
        self.source = evolve(self.source, navigation=self.source.navigation + 1)
        self.connections += 1
        self.listener.navigated(self.source, self.now, self.now + 0.1)

    def fetch(self, url: str = SCRIPT, *, after: float = 0.2, source: Source | None = None, **changes: Any) -> None:
        self.now += after
        given: dict[str, Any] = {"type": "Script", "ts": self.now, "source": source or self.source}
        headers = {name.replace("_", "-"): changes.pop(name) for name in ("etag", "last_modified") if name in changes}
        record = network_record(
            self.telemetry.next_seq(), url, **{**given, "response_headers": headers, "decoded_bytes": 100, **changes}
        )
        self.listener.finished(record)

    def hear(self, *messages: object, url: str = "ws://app.test/ws", protocol: str = "", **changes: Any) -> None:
        for message in messages:
            self.now += 0.01
            source = changes.get("source", self.source)
            text = json.dumps(message)
            self.listener.on_message(f"ws{self.connections}", url, protocol, source, text, self.now)

    def builds(self, build: str) -> None:
        self.hear({"type": "hash", "data": build}, {"type": "ok"})

    @property
    def changes(self) -> list[LogRecord]:
        """Oldest first."""
        return [record for record in reversed(list(self.telemetry.logs.newest())) if record.kind == "change"]

    @property
    def texts(self) -> list[str]:
        return [record.text.removeprefix("Code changed: ") for record in self.changes]


UPDATE = {"type": "update", "updates": [{"type": "js-update", "path": "/src/main.js", "acceptedPath": "/src/a.js"}]}


def test_what_a_server_tells_is_a_record_and_a_moment() -> None:
    tab = Tab()
    tab.hear({"type": "connected"}, UPDATE, protocol="vite-hmr")
    assert tab.texts == ["Vite updated the page: /src/a.js"]
    (record,) = tab.changes
    assert (record.level, record.ts, record.source) == ("info", tab.now, tab.source)
    change = tab.telemetry.code_changes.of_tab(1)
    assert change is not None
    assert (change.navigation, change.from_seq, change.told_by) == (tab.source.navigation, record.seq, "Vite")


def test_a_page_that_is_to_load_itself_anew_has_new_code_from_its_next_document_on() -> None:
    tab = Tab()
    tab.hear({"type": "full-reload", "path": "*", "triggeredBy": "/app/src/main.js"}, protocol="vite-hmr")
    assert tab.texts == ["Vite has the page load itself anew: /app/src/main.js"]
    change = tab.telemetry.code_changes.of_tab(1)
    assert change is not None
    assert change.navigation == tab.source.navigation + 1


def test_the_first_build_and_the_same_build_are_no_change() -> None:
    tab = Tab()
    tab.builds("e250324b47f284f2049f")
    tab.builds("e250324b47f284f2049f")
    tab.load()
    tab.builds("e250324b47f284f2049f")
    assert tab.texts == []
    tab.builds("76bdfccb2791716d060a")
    assert tab.texts == ["webpack updated the page"]
    tab.load()
    tab.builds("76bdfccb2791716d060a")
    assert len(tab.texts) == 1


def test_a_build_that_was_made_while_the_page_was_away_came_with_its_load() -> None:
    tab = Tab()
    tab.builds("e250324b47f284f2049f")
    tab.load()
    seq, loaded = tab.telemetry.last_seq, tab.now
    tab.fetch("http://app.test/other.js")
    tab.builds("76bdfccb2791716d060a")
    assert tab.texts == ["webpack has another build than at the load before"]
    change = tab.telemetry.code_changes.of_tab(1)
    assert change is not None
    assert (change.from_seq, change.ts, change.navigation) == (seq, loaded, tab.source.navigation)


def test_a_stranger_s_frame_and_a_worker_do_not_speak_for_the_page() -> None:
    tab = Tab()
    tab.hear(UPDATE, protocol="vite-hmr", source=evolve(tab.source, kind="iframe", frame_id="F"))
    tab.hear(UPDATE, protocol="vite-hmr", source=evolve(tab.source, kind="worker"))
    assert tab.texts == []


def test_secrets_in_names_of_files_are_masked_and_names_cut() -> None:
    tab = Tab()
    path = "/src/a.js?token=ghp_" + "a1B2" * 9
    tab.hear({"type": "update", "updates": [{"path": path}, {"path": "/" + "x" * 5000}]}, protocol="vite-hmr")
    (text,) = tab.texts
    assert "a1B2a1B2" not in text
    assert len(text) < 300


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ({"decoded_bytes": 100}, {"decoded_bytes": 101}, "another size"),
        ({"etag": '"a"'}, {"etag": '"b"'}, "another ETag"),
        ({"etag": 'W/"a"'}, {"etag": '"a"', "decoded_bytes": 0}, ""),
        ({"etag": '"a"'}, {"etag": '"a"', "decoded_bytes": 101}, ""),
        ({"last_modified": "Mon"}, {"last_modified": "Tue"}, "another time of its last change"),
        ({"last_modified": "Mon"}, {"last_modified": "Mon"}, ""),
        # Two machines of one site, each with its own tag for the same file.
        ({"etag": '"a"', "last_modified": "Mon"}, {"etag": '"b"', "last_modified": "Mon"}, ""),
        # Nothing is said of the content.
        ({}, {}, ""),
        ({"decoded_bytes": 0}, {"decoded_bytes": 0}, ""),
        ({"decoded_bytes": 100}, {"decoded_bytes": 0}, ""),
        ({"etag": '"a"'}, {"last_modified": "Tue"}, ""),
        ({"etag": "[REDACTED]"}, {"etag": "[REDACTED]", "decoded_bytes": 101}, "another size"),
    ],
)
def test_a_load_brings_other_content_if_the_response_shows_it(
    before: dict[str, Any], after: dict[str, Any], told: str
) -> None:
    tab = Tab()
    tab.fetch(**before)
    tab.load()
    tab.fetch(**after)
    assert tab.texts == ([f"/app.js came back with {told} than before"] if told else [])


def test_what_a_load_brought_counts_from_its_beginning_and_once() -> None:
    tab = Tab()
    for name in ("a.js", "b.js"):
        tab.fetch(f"http://app.test/{name}", etag='"1"')
    tab.load()
    seq, loaded = tab.telemetry.last_seq, tab.now
    for name in ("a.js", "b.js"):
        tab.fetch(f"http://app.test/{name}", etag='"2"')
    assert len(tab.texts) == 1
    change = tab.telemetry.code_changes.of_tab(1)
    assert change is not None
    assert (change.from_seq, change.ts, change.navigation) == (seq, loaded, tab.source.navigation)
    assert tab.changes[0].ts == loaded


def test_what_is_fetched_long_after_the_load_counts_from_then() -> None:
    tab = Tab()
    tab.fetch(etag='"1"')
    tab.load()
    tab.fetch(etag='"2"', after=60)
    assert tab.changes[0].ts == tab.now


def test_what_the_server_told_before_explains_what_the_load_brings() -> None:
    tab = Tab()
    tab.fetch(etag='"1"')
    tab.hear(UPDATE, protocol="vite-hmr")
    tab.load()
    tab.fetch(etag='"2"')
    assert tab.texts == ["Vite updated the page: /src/a.js"]
    tab.load()
    tab.fetch(etag='"3"')
    assert tab.texts[1:] == ["/app.js came back with another ETag than before"]


@pytest.mark.parametrize(
    "changes",
    [
        {"url": "http://cdn.test/lib.js"},
        {"type": "Image"},
        {"type": "Fetch"},
        {"outcome": "http_error", "status": 500},
        {"method": "POST"},
        {"url": "http://app.test/app.js?key=[REDACTED]"},
        {"source": evolve(PAGE, kind="iframe", frame_id="F")},
    ],
)
def test_only_code_of_the_page_s_own_origin_that_came_counts(changes: dict[str, Any]) -> None:
    tab = Tab()
    tab.fetch(**{"etag": '"1"', **changes})
    tab.load()
    tab.fetch(**{"etag": '"2"', **changes})
    assert tab.texts == []


def test_the_same_file_twice_in_one_document_is_no_change() -> None:
    tab = Tab()
    tab.fetch(etag='"1"')
    tab.fetch(etag='"2"')
    assert tab.texts == []


def test_a_style_sheet_is_code() -> None:
    tab = Tab()
    tab.fetch("http://app.test/a.css", type="Stylesheet", etag='"1"')
    tab.load()
    tab.fetch("http://app.test/a.css", type="Stylesheet", etag='"2"')
    assert tab.texts == ["/a.css came back with another ETag than before"]


def test_next_on_webpack_is_known_by_what_its_page_asks_for() -> None:
    tab = Tab()
    url = "http://app.test/_next/static/webpack/app/page.1daf10667d56659e.hot-update.js"
    tab.listener.asked({"request": {"url": url}, "wallTime": tab.now}, tab.source)
    tab.listener.asked({"request": {"url": SCRIPT}, "wallTime": tab.now}, tab.source)
    tab.listener.asked({"request": None}, tab.source)
    assert tab.texts == ["Next.js updated the page: app/page"]


FIRST, SECOND = "http://app.test/app.3f2a9b1c.js", "http://app.test/app.9b1c3f2a.js"


def test_a_document_that_names_another_build_of_a_file() -> None:
    tab = Tab()
    tab.fetch(FIRST, initiator="parser http://app.test/:3")
    tab.load()
    tab.fetch(FIRST, initiator="parser http://app.test/:3")
    assert tab.texts == []
    tab.load()
    seq, loaded = tab.telemetry.last_seq, tab.now
    tab.fetch(SECOND, initiator="parser http://app.test/:3")
    assert tab.texts == ["/app.9b1c3f2a.js is loaded, where the load before had /app.3f2a9b1c.js"]
    change = tab.telemetry.code_changes.of_tab(1)
    assert change is not None
    assert (change.from_seq, change.ts, change.told_by) == (seq, loaded, "a load")


@pytest.mark.parametrize(
    ("before", "initiator", "document"),
    [
        # A script may choose another chunk for another reason.
        ([FIRST], "script http://app.test/main.js:4", PAGE.url),
        # Nobody knows which of two became this one.
        ([FIRST, "http://app.test/app.00ff00ff.js"], "parser", PAGE.url),
        # Another page has other files.
        ([FIRST], "parser", "http://app.test/other"),
        ([], "parser", PAGE.url),
        (["http://app.test/lib.3f2a9b1c.js"], "parser", PAGE.url),
    ],
)
def test_another_name_alone_is_no_change(before: list[str], initiator: str, document: str) -> None:
    tab = Tab()
    for url in before:
        tab.fetch(url, initiator=initiator)
    tab.source = evolve(tab.source, url=document)
    tab.load()
    tab.fetch(SECOND, initiator=initiator)
    assert tab.texts == []


def test_a_file_that_comes_after_its_document_has_gone_is_not_of_the_next_one() -> None:
    tab = Tab()
    tab.fetch(FIRST, initiator="parser")
    gone = tab.source
    tab.load()
    tab.fetch(SECOND, initiator="parser", source=gone)
    assert tab.texts == []
    tab.load()
    tab.fetch(SECOND, initiator="parser")
    assert len(tab.texts) == 1


def test_the_last_load_of_a_page_counts_though_another_was_between() -> None:
    tab = Tab()
    tab.fetch(FIRST, initiator="parser")
    tab.source = evolve(tab.source, url="http://app.test/other")
    tab.load()
    tab.source = evolve(tab.source, url=f"{PAGE.url}#part")
    tab.load()
    tab.fetch(SECOND, initiator="parser")
    assert len(tab.texts) == 1


def test_a_body_that_is_kept_tells_content_of_the_same_size_apart() -> None:
    tab = Tab()
    script = network_record(1, SCRIPT, type="Script", source=tab.source, ts=tab.now)
    tab.listener.read(script, "let a = 1")
    tab.listener.read(script, "let a = 2")
    assert tab.texts == []
    for number, text, told in ((2, "let a = 2", 0), (3, "let a = 3", 1)):
        tab.load()
        again = network_record(number, SCRIPT, type="Script", source=tab.source, ts=tab.now)
        tab.listener.read(evolve(again, type="Fetch", url="http://app.test/data"), text)
        tab.listener.read(again, text)
        assert len(tab.texts) == told
    assert tab.texts == ["/app.js came back with another content than before"]


def test_what_a_response_and_its_body_show_is_one_change() -> None:
    tab = Tab()
    for text in ("let a = 1", "let a = 20"):
        tab.load()
        tab.fetch(decoded_bytes=len(text))
        tab.listener.read(network_record(1, SCRIPT, type="Script", source=tab.source, ts=tab.now), text)
    assert tab.texts == ["/app.js came back with another size than before"]
