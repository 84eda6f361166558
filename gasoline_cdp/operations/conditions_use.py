"""Says which conditions are in force: what a page does under them is not what it does for its users."""

from gasoline_cdp.operations.context import Context
from gasoline_cdp.redact import safe_text

_CHARS = 200
# More than these are counted.
_NAMED = 6


def describe_conditions(context: Context) -> str:
    """The conditions in force in one line; empty if there are none."""
    words = context.conditions.words
    if not words:
        return ""
    more = f"; {len(words) - _NAMED} more" if len(words) > _NAMED else ""
    return "; ".join(safe_text(word, _CHARS) for word in words[:_NAMED]) + more
