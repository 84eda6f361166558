"""Messages taken out of frames: the same ones as the library takes, wherever the bytes are cut."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.uri import parse_uri

from gasoline_cdp.cdp.plain_frames import PlainFrames

# Each way to write a size, on both sides of its limits.
_SIZES = st.sampled_from([0, 1, 2, 125, 126, 127, 128, 65535, 65536, 70000])


def _frame(opcode: Opcode, data: bytes, *, fin: bool = True, mask: bool = False) -> bytes:
    return Frame(opcode, data, fin=fin).serialize(mask=mask)


class _Library:
    """A connection that is open, as the library reads it."""

    def __init__(self) -> None:
        self.protocol = ClientProtocol(parse_uri("ws://127.0.0.1/"), state=State.OPEN, max_size=None)
        self._pieces = b""

    def take(self, data: bytes) -> list[bytes]:
        self.protocol.receive_data(data)
        messages = []
        for event in self.protocol.events_received():
            assert isinstance(event, Frame)
            if event.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
                self._pieces += bytes(event.data)
                if event.fin:
                    messages.append(self._pieces)
                    self._pieces = b""
        return messages


def _cut(data: bytes, cuts: list[int]) -> list[bytes]:
    at = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[begin:end] for begin, end in pairwise(at)]


@given(
    sent=st.lists(st.tuples(st.sampled_from(["text", "binary", "pieces", "ping", "pong"]), _SIZES), max_size=8),
    cuts=st.lists(st.integers(0, 1 << 20), max_size=12),
)
def test_messages_are_those_of_the_library(sent: list[tuple[str, int]], cuts: list[int]) -> None:
    data, wanted, pings = b"", [], []
    for number, (kind, size) in enumerate(sent):
        body = bytes([97 + number]) * size
        if kind == "pieces":
            data += _frame(Opcode.TEXT, body[:3], fin=False) + _frame(Opcode.CONT, body[3:])
            wanted.append(body)
        elif kind in ("ping", "pong"):
            data += _frame(Opcode.PING if kind == "ping" else Opcode.PONG, body[:125])
            pings += [body[:125]] if kind == "ping" else []
        else:
            data += _frame(Opcode.TEXT if kind == "text" else Opcode.BINARY, body)
            wanted.append(body)
    library = _Library()
    frames = PlainFrames(library.take)
    messages: list[bytes] = []
    for piece in _cut(data, cuts):
        messages += frames.take(piece)
    assert messages == wanted
    assert _Library().take(data) == wanted
    # Every ping gets its answer.
    answers = b"".join(library.protocol.data_to_send())
    assert len(answers) == sum(len(_frame(Opcode.PONG, ping, mask=True)) for ping in pings)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(_frame(Opcode.TEXT, b"x" * 300, mask=True), id="a mask"),
        pytest.param(b"\xc1\x01x", id="a bit of an extension"),
        pytest.param(b"\x83\x01x", id="an unknown opcode"),
    ],
)
def test_what_no_browser_sends_ends_the_connection(data: bytes) -> None:
    library = _Library()
    frames = PlainFrames(library.take)
    assert [frames.take(data[at : at + 1]) for at in range(len(data))] == [[]] * len(data)
    assert library.protocol.close_sent is not None
    assert library.protocol.close_sent.code == 1002


def test_only_what_the_library_got_may_need_an_answer() -> None:
    library = _Library()
    frames = PlainFrames(library.take)
    assert frames.take(_frame(Opcode.TEXT, b"one") + _frame(Opcode.PING, b"?")) == [b"one"]
    assert frames.passed_on
    assert frames.take(_frame(Opcode.TEXT, b"two")) == [b"two"]
    assert not frames.passed_on
