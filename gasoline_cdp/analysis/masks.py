"""Whether a text that has been made safe had a secret in it."""

import re

from gasoline_cdp.redact import REDACTED

# As `redact.mask` writes a secret of a known format: its first six characters and its last three.
_MASKED = re.compile(r"(?<![\w-])[\w.-]{6}…[\w.=-]{3}(?![\w-])")
# A token that a server gave a page to be sent back.
_JWT = "eyJ"


def shows_secret(text: str, *, by_name: bool) -> bool:
    """Whether there is a mask in the text. `by_name`: also one that a name gave away (`token=`), or of a JWT."""
    if by_name and REDACTED in text:
        return True
    return "…" in text and any(by_name or not found[0].startswith(_JWT) for found in _MASKED.finditer(text))
