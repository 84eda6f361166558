"""Cuts a stream of bytes into whole lines of bounded length. Standard library only."""

# A tool's arguments are small, so this is generous, and it keeps a client from filling memory.
_LINE_BYTES = 4 * 1024 * 1024


class Lines:
    """What has come of a line is kept until its end comes. A line that is too long is left out, and the next is not."""

    TOO_LONG = f"A message may have {_LINE_BYTES} bytes at most; this one was longer."

    def __init__(self) -> None:
        self._rest = bytearray()
        self._skipping = False
        # Whether a line was too long and left out; whoever reads it sets it back.
        self.skipped = False

    def cut(self, data: bytes) -> list[bytes]:
        """The lines that are whole now, with their line feeds."""
        end = data.rfind(b"\n") + 1
        if not end:
            self._hold(data)
            return []
        whole = bytes(self._rest) + data[:end]
        self._rest.clear()
        if self._skipping:
            whole = whole[whole.index(b"\n") + 1 :]
            self._skipping = False
        self._hold(data[end:])
        # A line ends with a line feed and with nothing else.
        return [line + b"\n" for line in whole.split(b"\n")[:-1]]

    def _hold(self, data: bytes) -> None:
        if not self._skipping:
            self._rest += data
            if len(self._rest) > _LINE_BYTES:
                self._rest.clear()
                self._skipping = self.skipped = True
