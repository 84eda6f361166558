"""What surrounds a value with a format: where it may begin in a run, and signs that it is no secret."""

import re
from collections.abc import Iterator

from gasoline_cdp.detect.form import Format
from gasoline_cdp.detect.plausible import is_mixed

_DASHES = re.compile(r"-{2,}")
# How many characters of a run belong to the escape before it.
_ESCAPED = {"n": 1, "r": 1, "t": 1, "b": 1, "f": 1, "u": 5, "x": 3}
# Marks of this length are specific enough, whatever they end with.
_TELLING = 8
# After a short mark a token has at least so many; identifiers that look alike (`re_…`, `key_…`) have fewer.
_LONGER_THAN_IDS = 32


def beginnings(text: str, run: re.Match[str], before: str) -> Iterator[int]:
    """Where in a run a value may begin: where the run does, and after what was joined to it (`%22`, `<!--`)."""
    start = run.start()
    yield start
    if before == "%":
        yield start + 2
    elif before == "\\":
        yield start + _ESCAPED.get(text[start], 0)
    elif text[start] in "-_":
        yield start + 1
    if "--" in run[0]:
        yield from (start + dashes.end() for dashes in _DASHES.finditer(run[0]))


def mark_is_enough(mark: str, form: Format, rest: str) -> bool:
    """Whether a mark identifies a secret although its length is not the documented one."""
    if len(mark) >= _TELLING or (form.glued is not None and mark[-1] in "_-"):
        return True
    return mark[-1] in "_-" and len(rest) >= _LONGER_THAN_IDS and is_mixed(rest)


def in_slashes(text: str, start: int, end: int) -> bool:
    """`"/…/"`: an expression that looks for the value, in some other tool's settings."""
    return text[start - 2 : start] in ('"/', "'/") and text[end : end + 2] in ('/"', "/'")


def is_presigned(text: str, start: int) -> bool:
    """Whether this key id stands in a signed URL, made to be handed out, or signs with the keys of a session."""
    before = text[max(0, start - 21) : start].lower()
    return before.endswith(("x-amz-credential=", "awsaccesskeyid=", "x-amz-security-token=")) or (
        before.endswith("credential=") and text.startswith("ASIA", start)
    )
