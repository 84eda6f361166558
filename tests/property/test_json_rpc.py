"""Whatever a client writes over stdio, each message that wants an answer gets exactly one, in both protocol eras."""

import json
from collections import Counter
from typing import Any

import pytest
import trio
import trio.testing
from attrs import frozen
from hypothesis import given, settings
from hypothesis import strategies as st

from gasoline_cdp.frontends.mcp.server import McpFrontend
from tests.fakes import make_context
from tests.support import PATIENCE

pytestmark = pytest.mark.requirement("F3-MCP")

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "fuzz", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "fuzz", "version": "1"}}
# Answered as soon as it was read: none asks a page, and none listens for events.
METHODS = ["ping", "tools/list", "tools/call", "resources/read", "prompts/get", "server/discover", "nope", ""]


@frozen
class ClientLine:
    """A line, and the ids that its answers must have; None is null."""

    line: bytes
    answered: list[Any]


texts = st.text(max_size=8) | st.sampled_from(["\ud83d", "a\udc00b", "\x00", "\u2028", "2.0"])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
good_ids = st.integers(-(2**70), 2**70) | texts
bad_ids = st.sampled_from([None, True, False, 1.5, -0.0, [], [1], {}, {"id": 1}])


def _line(value: Any) -> bytes:
    return json.dumps(value).encode() + b"\n"


def _echoed(request_id: Any) -> Any:
    """What an error may say of an id: numbers and strings as they came, the rest as null."""
    return request_id if isinstance(request_id, int | float | str) and not isinstance(request_id, bool) else None


@st.composite
def requests(draw: Any, modern: bool) -> ClientLine:
    """A request that is right, or wrong in one or several members."""
    message: dict[str, Any] = {"jsonrpc": "2.0", "id": draw(good_ids), "method": draw(st.sampled_from(METHODS))}
    params = {"name": draw(st.sampled_from(["observe", "nope"])), "arguments": draw(values), "uri": draw(texts)}
    message["params"] = {**params, **({"_meta": META} if modern else {})}
    for member, wrong in {
        "jsonrpc": st.sampled_from(["1.0", 2.0, None]),
        "id": bad_ids,
        "method": st.none() | st.integers() | st.lists(texts, max_size=1),
        "params": values,
        "extra": values,
        "result": values,
    }.items():
        if draw(st.integers(0, 5)) == 0:
            message[member] = draw(wrong)
    if draw(st.integers(0, 9)) == 0:
        del message["jsonrpc"]
    return ClientLine(_line(message), [_echoed(message["id"])])


@st.composite
def batches(draw: Any, modern: bool) -> ClientLine:
    members = [json.loads(said.line) for said in draw(st.lists(requests(modern), max_size=3))]
    ids = [_echoed(member["id"]) for member in members]
    return ClientLine(_line(draw(st.permutations([*members, *draw(st.lists(texts, max_size=2))]))), ids or [None])


def _is_garbled(line: bytes) -> bool:
    try:
        json.loads(line.decode())
    except (ValueError, RecursionError):
        return bool(line.strip())
    return False


unreadable = (
    (
        st.binary(min_size=1, max_size=20).map(lambda data: data.replace(b"\n", b" "))
        | st.sampled_from(
            [b"{", b'{"jsonrpc":"2.0","id":1', b"\xff\xfe", b"[" * 5000, b'{"id":' + b"9" * 5000 + b"}", b"'"]
        )
    )
    .filter(_is_garbled)
    .map(lambda line: ClientLine(line + b"\n", [None]))
)
scalars = (st.none() | st.booleans() | st.integers() | texts).map(lambda value: ClientLine(_line(value), [None]))
# Not to be answered: a notification, and the reply to something that was never asked.
silent = st.sampled_from(
    [
        ClientLine(
            _line({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "no such"}}), []
        ),
        ClientLine(_line({"jsonrpc": "2.0", "method": "notifications/nope"}), []),
        ClientLine(_line({"jsonrpc": "2.0", "id": 5, "result": {}}), []),
        ClientLine(b"   \n", []),
    ]
)


def messages(*, modern: bool) -> st.SearchStrategy[list[ClientLine]]:
    return st.lists(requests(modern) | batches(modern) | unreadable | scalars | silent)


async def _converse(lines: list[bytes]) -> list[dict[str, Any]]:
    """Write all lines, close, and read what comes until the server ends too."""
    ours, theirs = trio.testing.memory_stream_pair()
    received = bytearray()

    async def write() -> None:
        await ours.send_all(b"".join(lines))
        await ours.send_eof()

    async def serve() -> None:
        await McpFrontend(make_context()).serve(theirs, theirs)
        await theirs.aclose()

    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(write)
            nursery.start_soon(serve)
            async for chunk in ours:
                received += chunk
    return [json.loads(line) for line in received.splitlines()]


def _check(opening: list[ClientLine], said: list[ClientLine]) -> None:
    everything = [*opening, *said]
    answers = trio.run(_converse, [one.line for one in everything])
    expected = Counter(json.dumps(request_id) for one in everything for request_id in one.answered)
    assert Counter(json.dumps(answer["id"]) for answer in answers if "method" not in answer) == expected
    for answer in answers:
        assert answer["jsonrpc"] == "2.0"
        assert ("result" in answer) != ("error" in answer) or "method" in answer


@settings(max_examples=60, deadline=None)
@given(messages(modern=False))
def test_every_message_of_the_handshake_era_is_answered_once(said: list[ClientLine]) -> None:
    hello = ClientLine(_line({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": HELLO}), ["hello"])
    greeted = ClientLine(_line({"jsonrpc": "2.0", "method": "notifications/initialized"}), [])
    _check([hello, greeted], said)


@settings(max_examples=60, deadline=None)
@given(messages(modern=True))
def test_every_message_of_the_era_without_a_handshake_is_answered_once(said: list[ClientLine]) -> None:
    _check([], said)
