"""Events that are one long text come as Chrome wrote them, for one session and until the block ends."""

import trio
import trio.testing

from gasoline_cdp.cdp.connection import Connection, Session
from gasoline_cdp.cdp.transport import PipeTransport
from gasoline_cdp.cdp.undecoded import leaving_undecoded
from gasoline_cdp.heap_worker.frames import unescape

_CHUNK = rb'{"method":"H.chunk","params":{"text":"%b"},"sessionId":"%b"}'


async def test_only_texts_of_this_session_and_event_stay_undecoded() -> None:
    to_chrome, _ = trio.testing.memory_stream_one_way_pair()
    ours, from_chrome = trio.testing.memory_stream_one_way_pair()
    connection = Connection(PipeTransport(to_chrome, from_chrome), strict=True)
    sessions = [connection.open_session(name, connection.root) for name in ("own", "other")]
    seen: list[tuple[str, str, object]] = []

    def listen(session: Session, event: str) -> None:
        session.on(event, lambda params: seen.append((session.session_id, event, params.get("text"))))

    for session in sessions:
        listen(session, "H.chunk")
        listen(session, "H.other")
    messages = [
        _CHUNK % (rb"1,2\n\"\u00e9\"", b"own"),
        _CHUNK % (rb"a\nb", b"other"),
        rb'{"method":"H.other","params":{"text":"c\nd"},"sessionId":"own"}',
        rb'{"sessionId":"own","method":"H.chunk","params":{"text":"e\nf"}}',
    ]
    await ours.send_all(b"".join(message + b"\0" for message in messages))
    await ours.aclose()
    with leaving_undecoded(sessions[0], "H.chunk", "text"):
        await connection.read_forever()
    first = seen.pop(0)[2]
    assert isinstance(first, memoryview)
    assert unescape(bytes(first)) == '1,2\n"é"'.encode()
    assert seen == [("other", "H.chunk", "a\nb"), ("own", "H.other", "c\nd"), ("own", "H.chunk", "e\nf")]
    assert connection.decode(messages[0]) == {
        "method": "H.chunk",
        "params": {"text": '1,2\n"é"'},
        "sessionId": "own",
    }
