"""Limits the search of one text by counting steps, not by a clock.

A step is about two microseconds: one name, or one run of characters. Ordinary text needs far fewer steps than it is
allowed; a text that is made to be slow uses up its own, and the rest of it is masked unread. Steps are spent before the
work they stand for, so that nothing expensive begins with the last step.
"""

from gasoline_cdp import limits


def extra_steps(chars: int) -> int:
    """Steps beyond its own that a text of this length may take: enough for one secret, more if it is longer."""
    extra = limits.SEARCH_EXTRA_FOR_ONE + chars // limits.SEARCH_CHARS_PER_EXTRA_STEP
    return min(limits.SEARCH_EXTRA_STEPS, extra)


class Work:
    """The steps that are left for a text."""

    __slots__ = ("left",)

    def __init__(self, steps: int) -> None:
        self.left = steps

    @classmethod
    def for_text(cls, text: str, extra: int = 0) -> "Work":
        """The steps that a text is allowed by its length, plus `extra`."""
        return cls(len(text) // limits.SEARCH_CHARS_PER_STEP + extra)

    def spend(self, steps: int) -> bool:
        """Spend steps; False if too few were left."""
        self.left -= steps
        return self.left >= 0
