"""Takes whole messages out of what a WebSocket brings, without copying large ones several times.

Chrome writes each message as one frame without a mask. Those are taken here; all else goes to the library.
"""

from collections.abc import Callable

# FIN with the opcode of text or of bytes, and no bit of an extension.
_WHOLE = (0x81, 0x82)
_SHORT, _LONG = 126, 127
# From this bit on, the second byte of a frame says more than its size: it has a mask, which no server sets.
_MASKED = 0x80


class PlainFrames:
    """The messages in a stream of frames.

    What is no plain message goes to `pass_on`, byte by byte as it came. It returns the messages that it found there.
    """

    def __init__(self, pass_on: Callable[[bytes], list[bytes]]) -> None:
        self._pass_on = pass_on
        # The beginning of a frame whose size is not known yet.
        self._start = b""
        # Of the frame that is arriving: what is still missing, its pieces, and whether the library gets it.
        self._missing = 0
        self._pieces: list[bytes] = []
        self._foreign = False
        # Whether the library got something of the latest bytes: it may have an answer to send.
        self.passed_on = False

    def take(self, data: bytes) -> list[bytes]:
        """The messages that are complete with these bytes."""
        self.passed_on = False
        messages: list[bytes] = []
        if self._missing:
            data = self._continue(data, messages)
        if self._start:
            data, self._start = self._start + data, b""
        at, end = 0, len(data)
        while at < end:
            body, size = _sizes(data, at)
            if not body:
                self._start = data[at:]
                break
            foreign = data[at] not in _WHOLE or bool(data[at + 1] & _MASKED)
            begin, stop = at if foreign else body, body + size
            if stop > end:
                self._missing, self._foreign = stop - end, foreign
                messages += self._add(data[begin:])
            elif foreign:
                messages += self._to_library(data[begin:stop])
            else:
                messages.append(data[begin:stop])
            at = stop
        return messages

    def _continue(self, data: bytes, messages: list[bytes]) -> bytes:
        """Go on with the frame that is arriving. Returns what follows it."""
        if len(data) <= self._missing:
            piece, rest = data, b""
        else:
            piece, rest = data[: self._missing], data[self._missing :]
        self._missing -= len(piece)
        messages += self._add(piece)
        if not self._missing and not self._foreign:
            messages.append(b"".join(self._pieces))
            self._pieces = []
        return rest

    def _add(self, piece: bytes) -> list[bytes]:
        if self._foreign:
            return self._to_library(piece)
        self._pieces.append(piece)
        return []

    def _to_library(self, data: bytes) -> list[bytes]:
        self.passed_on = True
        return self._pass_on(data)


def _sizes(data: bytes, at: int) -> tuple[int, int]:
    """Where the body of a frame begins, and its size; zeros if that has not arrived yet."""
    if len(data) < at + 2:
        return 0, 0
    size = data[at + 1] & ~_MASKED
    wide = 8 if size == _LONG else 2 if size == _SHORT else 0
    body = at + 2 + wide + (4 if data[at + 1] & _MASKED else 0)
    if len(data) < body:
        return 0, 0
    return body, int.from_bytes(data[at + 2 : at + 2 + wide], "big") if wide else size
