"""A secret in a text: of which kind, where, and what is known of it."""

from attrs import frozen

REDACTED = "[REDACTED]"


@frozen(kw_only=True)
class Found:
    """A secret and where it stands: `start` to `end` is its value."""

    kind: str
    start: int
    end: int
    # Of the field or parameter that holds it.
    name: str = ""
    # Worth telling somebody, rather than only masking.
    real: bool = False
    test_mode: bool = False
    mild: bool = False
    # A checksum says that the value was altered or made up.
    doubtful: bool = False
    # The name stands in a query.
    in_query: bool = False
    # Masked to its ends rather than whole.
    partial: bool = False
