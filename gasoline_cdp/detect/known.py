"""Secrets that were recognised before, to be masked when they come back without their name.

Values are not kept: only their first characters, which an audit shows anyway, their length, and a digest with the
key of this run.
"""

from collections import OrderedDict
from hashlib import blake2b
from secrets import token_bytes

HEAD = 6
# The shortest run that the search by format looks at.
_SHORTEST = 13
_LONGEST = 4096


class Known:
    """The last recognised values, by their first characters."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._key = token_bytes(16)
        self._digests: OrderedDict[bytes, str] = OrderedDict()
        self.beginnings: dict[str, dict[bytes, int]] = {}

    def _digest(self, value: str) -> bytes:
        return blake2b(value.encode(errors="replace"), key=self._key, digest_size=12).digest()

    def add(self, value: str) -> None:
        """Remember a value until enough others were added."""
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
            # Long bodies are searched in a thread, which may be here at the same time.
            values = self.beginnings.get(begins, {})
            values.pop(oldest, None)
            if not values:
                self.beginnings.pop(begins, None)

    def end_of(self, text: str, position: int) -> int:
        """The end of a known value that begins at `position`; 0 if there is none."""
        values = self.beginnings.get(text[position : position + HEAD], {})
        # Bounded: a page could make many values with the same beginning.
        for length in sorted(set(values.copy().values()), reverse=True)[:4]:
            if len(text) - position >= length and self._digest(text[position : position + length]) in values:
                return position + length
        return 0


def _is_run(head: str) -> bool:
    return head.isascii() and head.replace("_", "a").replace("-", "a").isalnum()
