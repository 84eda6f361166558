"""Secrets that were recognised before, to be masked where they come back without the name that gave them away.

No value is kept: the first characters, which an audit shows anyway, the length, and a digest keyed for this run.
"""

from collections import OrderedDict
from hashlib import blake2b
from secrets import token_bytes

HEAD = 6
# As a run that the search looks at is at least.
_SHORTEST = 13
_LONGEST = 4096


class Known:
    """The last recognised values, each under how it begins."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._key = token_bytes(16)
        self._digests: OrderedDict[bytes, str] = OrderedDict()
        self.beginnings: dict[str, dict[bytes, int]] = {}

    def _digest(self, value: str) -> bytes:
        return blake2b(value.encode(errors="replace"), key=self._key, digest_size=12).digest()

    def add(self, value: str) -> None:
        """Remember a value for as long as few others come after it."""
        if not _SHORTEST <= len(value) <= _LONGEST or not _is_run(value[:_SHORTEST]):
            return
        digest = self._digest(value)
        if digest in self._digests:
            self._digests.move_to_end(digest)
            return
        head = value[:HEAD]
        self._digests[digest] = head
        self.beginnings.setdefault(head, {})[digest] = len(value)
        if len(self._digests) > self._most:
            oldest, begins = self._digests.popitem(last=False)
            # Long bodies are looked through in a thread, which may be here as well.
            values = self.beginnings.get(begins, {})
            values.pop(oldest, None)
            if not values:
                self.beginnings.pop(begins, None)

    def end_of(self, text: str, place: int) -> int:
        """Where a known value that begins at `place` ends; 0 if none does."""
        values = self.beginnings.get(text[place : place + HEAD], {})
        # A page that makes many values of one beginning pays with their echoes, not with our time.
        for length in sorted(set(values.copy().values()), reverse=True)[:4]:
            if len(text) - place >= length and self._digest(text[place : place + length]) in values:
                return place + length
        return 0


def _is_run(head: str) -> bool:
    return head.isascii() and head.replace("_", "a").replace("-", "a").isalnum()
