"""Events that are one long text, left as Chrome wrote them: another process decodes the text."""

from collections.abc import Iterator
from contextlib import contextmanager

from gasoline_cdp.cdp.connection import Params, Session


@contextmanager
def leaving_undecoded(session: Session, event: str, parameter: str) -> Iterator[None]:
    """Until the block ends, the only parameter of this event is no `str` but a `memoryview`.

    It is the JSON string without its quotes. If Chrome writes a message in another way, the parameter is a `str`.
    """
    opening = f'{{"method":"{event}","params":{{"{parameter}":"'.encode()
    closing = f'"}},"sessionId":"{session.session_id}"}}'.encode()
    connection = session.connection
    decode = connection.decode

    def decode_others(raw: bytes) -> Params | None:
        if not (raw.startswith(opening) and raw.endswith(closing)):
            return decode(raw)
        text = memoryview(raw)[len(opening) : -len(closing)]
        return {"method": event, "sessionId": session.session_id, "params": {parameter: text}}

    connection.decode = decode_others
    try:
        yield
    finally:
        connection.decode = decode
