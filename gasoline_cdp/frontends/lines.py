"""Splits a byte stream into complete lines of bounded length. Standard library only."""

# A tool's arguments are small, so this is generous. It keeps a client from filling memory.
_LINE_BYTES = 4 * 1024 * 1024


class Lines:
    """Buffers an incomplete line until its end arrives. A line that is too long is skipped; the next one is not."""

    TOO_LONG = f"A message may have {_LINE_BYTES} bytes at most; this one was longer."

    def __init__(self) -> None:
        self._rest = bytearray()
        self._skipping = False
        # Whether a line was skipped because it was too long. The reader resets it.
        self.skipped = False

    def cut(self, data: bytes) -> list[bytes]:
        """The lines that are complete now, with their line feeds."""
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
        # Only a line feed ends a line, so `splitlines` would split too much.
        return [line + b"\n" for line in whole.split(b"\n")[:-1]]

    def _hold(self, data: bytes) -> None:
        if not self._skipping:
            self._rest += data
            if len(self._rest) > _LINE_BYTES:
                self._rest.clear()
                self._skipping = self.skipped = True
