"""Arguments that many tools have, in the same words."""

from typing import Any

from gasoline_cdp import limits, wire


def max_bytes_argument() -> Any:
    """How long the answer may be."""
    return wire.arg(
        "Maximum answer size in bytes (default 8192).",
        default=None,
        minimum=limits.ANSWER_BYTES_MIN,
        maximum=limits.ANSWER_BYTES_MAX,
    )


def tab_argument(*, only: tuple[str, ...] = ()) -> Any:
    """The one tab that is asked, by all actions or by `only` these."""
    return wire.arg("Tab to ask (default: the tab used last).", default=None, minimum=0, only=only)
