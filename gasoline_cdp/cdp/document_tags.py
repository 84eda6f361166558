"""Short names of documents, which references to their elements carry: no two documents have the same."""

from gasoline_cdp import limits
from gasoline_cdp.bounded import BoundedDict

# Consonants only: three of them are no word that could be taken for a role or a tag.
_LETTERS = "bcdfghjklmnpqrstvwxyz"
_TAG_CHARS = 3


class DocumentTags:
    """One for a daemon: which letters stand for which document.

    A document is known by Chrome's loader id, which is random and new for each navigation. The letters are made from
    it, so a document mostly has the same ones in another daemon. Where another document has them, it gets one more.
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._tags: BoundedDict[str, str] = BoundedDict(limits.DOCUMENTS_TAGGED, on_evict=self._free)

    def of(self, loader_id: str) -> str:
        """The letters of a document."""
        tag = self._tags.get(loader_id) or self._choose(loader_id)
        # Set it again: documents that are still asked about stay.
        self._tags[loader_id] = tag
        return tag

    def _choose(self, loader_id: str) -> str:
        chars = _TAG_CHARS
        while (tag := _letters(loader_id, chars)) in self._taken:
            chars += 1
        self._taken.add(tag)
        return tag

    def _free(self, _: str, tag: str) -> None:
        self._taken.discard(tag)


def _letters(loader_id: str, chars: int) -> str:
    number, letters = int(loader_id or "0", 16), ""
    for _ in range(chars):
        number, digit = divmod(number, len(_LETTERS))
        letters += _LETTERS[digit]
    return letters
