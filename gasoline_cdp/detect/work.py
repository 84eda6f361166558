"""How much looking through one text may take, counted in steps rather than by a clock.

A step is some two microseconds: a name looked at, a run of characters looked up. Ordinary text needs far fewer than
it is allowed; a text that is made to be slow uses its own allowance up, and what lies beyond is masked unread. Whatever
takes long is paid before it is done: what begins with the last step is not finished for free.
"""

from gasoline_cdp import limits


def extra_steps(chars: int) -> int:
    """What a text of this length may take beyond its share: enough for one secret, and more where there is room."""
    extra = limits.SEARCH_EXTRA_FOR_ONE + chars // limits.SEARCH_CHARS_PER_EXTRA_STEP
    return min(limits.SEARCH_EXTRA_STEPS, extra)


class Work:
    """The steps that are left for a text."""

    __slots__ = ("left",)

    def __init__(self, steps: int) -> None:
        self.left = steps

    @classmethod
    def for_text(cls, text: str, extra: int = 0) -> "Work":
        """What a text of this length is allowed, and so many steps more."""
        return cls(len(text) // limits.SEARCH_CHARS_PER_STEP + extra)

    def spend(self, steps: int) -> bool:
        """Take so many steps; False if there are none left."""
        self.left -= steps
        return self.left >= 0
