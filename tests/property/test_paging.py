"""Answers stay within their budget, and following the cursor shows everything once."""

from collections import Counter
from typing import Any

import attrs
import pytest
import trio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gasoline_cdp import limits, wire
from gasoline_cdp.answers.lines import AnswerForm
from gasoline_cdp.answers.paging import part_of
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.records import SocketRecord, Source, StackFrame
from gasoline_cdp.tools.registry import TOOLS
from tests.fakes import PAGE, body_record, log_record, make_context, network_record

pytestmark = pytest.mark.requirement("F1-TOOLS")

NOTE = "The browser crashed: it was ended by signal 9. It is started again, and its tabs are reopened."
# What pages write: of one, two, three and four bytes, and what JSON writes as two.
WORDS = st.sampled_from(["x", "word ", "é", "漢字", "🙂", '"', "\\", "\n", "</script>"])


@attrs.frozen
class Draft:
    """A record in the making: what it says, how long it is, and how often it is said."""

    name: int
    unit: str
    length: int
    kind: int

    def text(self, limit: int, scale: float = 1.0) -> str:
        """Begins with its name, so that it is known again however short it is cut."""
        size = min(limit, int(self.length * scale))
        return f"n{self.name} " + (self.unit * size)[:size]


DRAFT = st.builds(
    Draft,
    name=st.integers(0, 8),
    unit=WORDS,
    length=st.sampled_from([0, 1, 30, 300, 1500, 4000]) | st.integers(0, 4000),
    kind=st.integers(0, 5),
)
# A few things, said again and again in any order.
DRAFTS = st.lists(DRAFT, min_size=1, max_size=6).flatmap(lambda few: st.lists(st.sampled_from(few), max_size=40))
SIZES = st.none() | st.sampled_from([2048, 3000, 8192, 20_000, limits.ANSWER_BYTES_MAX])
FORMS: st.SearchStrategy[AnswerForm] = st.sampled_from(["lines", "json"])
LIMITS = st.none() | st.sampled_from([1, 2, 7, 20, 21, 1000])


def source_of(draft: Draft) -> Source:
    url = f"http://app.test/{draft.text(limits.URL_CHARS, 0.2)}"
    kind = ("page", "iframe", "worker", "page", "service_worker", "page")[draft.kind]
    return Source(1 + draft.kind % 3, kind, url, 1, f"T{draft.kind}", "F1" if kind == "iframe" else "")  # type: ignore[arg-type]


def add_log(context: Context, draft: Draft) -> None:
    frames = tuple(
        StackFrame(draft.text(120), f"http://app.test/{draft.text(limits.URL_CHARS)}", 3, 14) for _ in range(draft.kind)
    )
    level = ("error", "error", "warning", "log", "error", "debug")[draft.kind]
    seq = context.telemetry.next_seq()
    text = draft.text(limits.TEXT_CHARS)
    context.telemetry.add(log_record(seq, text, source=source_of(draft), level=level, frames=frames))


def add_request(context: Context, draft: Draft) -> None:
    outcome = ("ok", "http_error", "failed", "redirect", "cors_blocked", "ok")[draft.kind]
    context.telemetry.add(
        network_record(
            context.telemetry.next_seq(),
            f"http://app.test/{draft.text(limits.URL_CHARS)}",
            source=source_of(draft),
            method=draft.text(20)[:20],
            outcome=outcome,
            type=("Fetch", "Image", "Script", "Document", "Font", "Stylesheet")[draft.kind],
            failure=draft.text(200),
            mime=draft.text(100),
            initiator=f"script {draft.text(300)}",
            redirect_to=draft.text(limits.URL_CHARS, 0.5),
            redirected_from=draft.text(limits.URL_CHARS, 0.7),
            duration_ms=12345.6,
            encoded_bytes=draft.length,
            from_cache=True,
            from_service_worker=True,
            has_auth_header=True,
        )
    )


def add_body(context: Context, draft: Draft) -> None:
    context.telemetry.add(
        body_record(
            context.telemetry.next_seq(),
            url=f"http://app.test/{draft.text(limits.URL_CHARS)}",
            request_body=draft.text(8000, 2),
            response_body=draft.text(16_000, 4),
            content_type=draft.text(100),
            source=source_of(draft),
        )
    )


def add_message(context: Context, draft: Draft) -> None:
    seq = context.telemetry.next_seq()
    context.telemetry.add(
        SocketRecord(
            seq=seq,
            ts=1_790_000_000.0 + seq,
            source=source_of(draft),
            connection_id=f"ws{draft.kind}",
            url=f"ws://app.test/{draft.text(limits.URL_CHARS)}",
            event="message",
            direction="incoming",
            data=draft.text(4000),
            bytes=draft.length,
            details={"headers": {"x": draft.text(500)}},
        )
    )
    opened = {"requestId": f"w{seq % 30}", "url": f"ws://app.test/{draft.text(limits.URL_CHARS)}"}
    context.capture.sockets.created(opened, PAGE, None, 1_790_000_000.0)


def add_pending(context: Context, draft: Draft, number: int) -> None:
    context.capture.network.of("b1").request(
        {
            "requestId": f"pending {number}",
            "request": {"url": f"http://app.test/{draft.text(limits.URL_CHARS)}", "method": "GET"},
            "initiator": {"type": "script", "url": draft.text(300), "lineNumber": 4},
            "wallTime": 1_790_000_000.0,
        },
        source_of(draft),
        None,
    )


def budget(arguments: dict[str, Any], default_limit: int) -> int:
    """What the contract says of the size of an answer."""
    if arguments["max_bytes"] is not None:
        return int(arguments["max_bytes"])
    asked = arguments["limit"]
    return limits.ANSWER_BYTES_MAX if asked is not None and asked > default_limit else limits.ANSWER_BYTES


def pages_of(
    context: Context, arguments: dict[str, Any], form: AnswerForm, default_limit: int = 20
) -> list[dict[str, Any]]:
    """All answers, from the newest on, by following the cursor."""
    context = attrs.evolve(context, form=form)
    most = arguments["limit"] or (limits.ENTRIES_IN_LINES if form == "lines" else default_limit)

    async def ask() -> list[dict[str, Any]]:
        answers: list[dict[str, Any]] = []
        cursor = None
        while len(answers) < 500:
            answer = await call_tool(TOOLS, context, "observe", {**arguments, "cursor": cursor})
            assert not answer.is_error, answer.data
            assert answer.size(form) <= budget(arguments, default_limit)
            # What was fitted as lines may be too long for JSON, which would cut it.
            data = wire.dump(answer.record) if form == "lines" else answer.data
            assert len(data["entries"]) <= most
            answers.append(data)
            cursor = data.get("cursor")
            if cursor is None:
                return answers
            assert data["entries"], "an answer with nothing in it leads on"
        raise AssertionError("the cursor leads nowhere")

    return trio.run(ask)


def assert_whole(pages: list[dict[str, Any]], expected: list[str], name_of: Any) -> None:
    """Each page tells of the records that come next, newest first, repeated ones folded; and of how many remain."""
    place = 0
    for page in pages:
        shown = [(name_of(entry), entry.get("count", 1)) for entry in page["entries"]]
        covered = expected[place : place + sum(count for _, count in shown)]
        assert list(Counter(covered).items()) == shown
        assert page["total"] == len(expected) - place
        place += len(covered)
        assert page.get("left_out", 0) == len(expected) - place
    assert place == len(expected)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(FORMS, DRAFTS, SIZES, LIMITS, st.sampled_from(["errors", "logs"]))
def test_the_console_folded(
    form: AnswerForm, drafts: list[Draft], max_bytes: int | None, limit: int | None, what: str
) -> None:
    context = make_context(note=NOTE)
    for place, draft in enumerate(drafts):
        (add_request if place % 5 == 4 else add_log)(context, draft)
    arguments = {"what": what, "max_bytes": max_bytes, "limit": limit}
    pages = pages_of(context, arguments, form)
    records = [*context.telemetry.logs.newest()]
    keys = [
        (record.seq, f"{record.kind}/{record.source.tab_id}/{record.level}/{record.text}/{record.frames[:1]}")
        for record in records
        if what == "logs" or record.level == "error"
    ]
    if what == "errors":
        keys += [
            (record.seq, f"{record.source.tab_id}/{record.method}/{record.url}/{record.outcome}")
            for record in context.telemetry.network.newest()
            if record.outcome in {"http_error", "failed", "cors_blocked"}
        ]
    # An entry is known by the place at which its key was first met.
    expected = [key for _, key in sorted(keys, reverse=True)]
    total = 0
    for page in pages:
        size = sum(entry.get("count", 1) for entry in page["entries"])
        folded = list(Counter(expected[total : total + size]).values())
        assert [entry.get("count", 1) for entry in page["entries"]] == folded
        assert page["total"] == len(expected) - total
        total += size
        assert page.get("left_out", 0) == len(expected) - total
        for entry in page["entries"]:
            assert ("first_ts" in entry) == (entry.get("count", 1) > 1)
    assert total == len(expected)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(FORMS, DRAFTS, SIZES, LIMITS, st.booleans(), st.lists(st.sampled_from([0, 1, 2, 3, 4]), max_size=6))
def test_requests(
    form: AnswerForm, drafts: list[Draft], max_bytes: int | None, limit: int | None, static: bool, waiting: list[int]
) -> None:
    context = make_context(note=NOTE)
    for draft in drafts:
        add_request(context, draft)
    for number, place in enumerate(waiting):
        add_pending(context, drafts[place] if place < len(drafts) else Draft(0, "漢", 2000, 0), number)
    arguments = {"what": "network", "max_bytes": max_bytes, "limit": limit, "include_static": static}
    pages = pages_of(context, arguments, form)
    loaded = {"Image", "Font", "Stylesheet", "Script"}
    records = list(context.telemetry.network.newest())
    listed = [
        record.id
        for record in records
        if static or record.type not in loaded or record.outcome not in {"ok", "redirect"}
    ]
    assert_whole(pages, listed, lambda entry: entry["id"])
    assert sum(pages[0].get("static", {}).values()) == len(records) - len(listed)
    assert all("pending" not in page for page in pages[1:])
    assert len(pages[0].get("pending", [])) <= min(5, len(waiting))
    if budget(arguments, 20) == limits.ANSWER_BYTES_MAX:
        assert len(pages[0].get("pending", [])) == min(5, len(waiting))


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(FORMS, DRAFTS, SIZES, LIMITS)
def test_bodies(form: AnswerForm, drafts: list[Draft], max_bytes: int | None, limit: int | None) -> None:
    context = make_context(note=NOTE)
    for draft in drafts:
        add_body(context, draft)
    pages = pages_of(context, {"what": "network_bodies", "max_bytes": max_bytes, "limit": limit}, form)
    assert_whole(pages, [record.id for record in context.telemetry.bodies.newest()], lambda entry: entry["id"])


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(FORMS, DRAFTS, SIZES, LIMITS)
def test_messages_of_sockets(form: AnswerForm, drafts: list[Draft], max_bytes: int | None, limit: int | None) -> None:
    context = make_context(note=NOTE)
    for draft in drafts:
        add_message(context, draft)
    arguments = {"what": "websockets", "max_bytes": max_bytes, "limit": limit}
    pages = pages_of(context, arguments, form, default_limit=50)
    expected = [wire.encode(record.ts).decode() for record in context.telemetry.sockets.newest()]
    assert sum(len(page["entries"]) for page in pages) == len(expected)
    assert [page["total"] for page in pages] == sorted({page["total"] for page in pages}, reverse=True)


@given(st.lists(st.text(max_size=300), max_size=30), st.integers(-100, 2000))
def test_following_the_cursor_of_a_list_shows_everything_once_and_ends(entries: list[str], budget: int) -> None:
    seen: list[str] = []
    cursor: str | None = None
    while True:
        shown, left_out, cursor = part_of(entries, cursor, budget)
        seen += shown
        assert left_out == len(entries) - len(seen)
        assert (cursor is None) is (left_out == 0)
        if cursor is None:
            break
    assert seen == entries
