"""Reduces messages and endpoints to what stays the same when the same thing happens twice."""

import re

from gasoline_cdp.analysis.performance.loads import path_of

# The beginning identifies an error. The rest is mostly data.
_MESSAGE_CHARS = 1000

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
# The input comes from pages, so every pattern here runs in linear time.
_WORD = re.compile(r"[^\s()<>\"',;]+")
# With a line number at the end. Without one it is an address, and part of what the error says.
_FILE = re.compile(r"\.[a-z]{1,6}(?:\?[^:]{0,200})?:\d{1,9}(?::\d{1,9})?:?$", re.IGNORECASE)
_VALUE = re.compile(
    rf"(?P<uuid>\b{_UUID}\b)"
    r"|(?P<timestamp>\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)"
    # A status code belongs to the message.
    r"|(?P<kept>\b(?:status(?: code)?|http|code)[ :=(]{1,3}[1-5]\d\d\b)"
    r"|(?P<id>\b(?=[a-f]{0,40}\d)[0-9a-f]{8,}\b|(?<![\w.])[-+]?\d+(?:\.\d+)?(?!\w))",
    re.IGNORECASE,
)
_ID = re.compile(
    r"\d+"
    r"|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    r"|(?=[0-9a-fA-F]*\d)[0-9a-fA-F]{8,}"
    # Ids with a prefix: cus_QXg1o8vcGmoR32. Names that look alike (user_settings) have no digit.
    r"|[A-Za-z]{1,12}_(?=[A-Za-z0-9]*\d)[A-Za-z0-9]{8,}"
    r"|(?=[A-Za-z0-9_-]*\d)(?=[A-Za-z0-9_-]*[a-z])(?=[A-Za-z0-9_-]*[A-Z])[A-Za-z0-9_-]{16,}"
    r"|[0-9A-HJKMNP-TV-Z]{26}"
    r"|\d{4}-\d{2}-\d{2}"
)
# Longer paths are cut: no API has them.
_SEGMENTS = 40
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^/?#]*", re.IGNORECASE)


def normalise_message(text: str) -> str:
    """A message with its ids, numbers, times and locations replaced by placeholders."""
    text = text[:_MESSAGE_CHARS]
    if ":" in text and "." in text:
        text = _WORD.sub(_without_position, text)
    return _VALUE.sub(_named, text)


def _without_position(word: re.Match[str]) -> str:
    return "[file]" if _FILE.search(word[0]) else word[0]


def _named(match: re.Match[str]) -> str:
    return match[0] if match.lastgroup == "kept" else f"[{match.lastgroup}]"


def endpoint_of(method: str, url: str) -> str:
    """`GET /users/:id/posts`: a method and a path, segment by segment, without query and fragment."""
    return f"{method} {without_ids(path_of(url))}"


def is_id(segment: str) -> bool:
    """Whether a path segment or an object key is an id: it names one of many."""
    return len(segment) <= 200 and (
        _ID.fullmatch(segment) is not None or "…" in segment or "[REDACTED]" in segment or "@" in segment[1:]
    )


def without_ids(path: str) -> str:
    """A path with `:id` in place of each id."""
    segments = path.split("/")[: _SEGMENTS + 1]
    return "/".join(":id" if is_id(segment) else segment for segment in segments)


def origin_of(url: str) -> str:
    """Scheme, host and port. Empty if the URL has none."""
    match = _ORIGIN.match(url)
    if match is None:
        return ""
    scheme, _, host = match[0].partition("://")
    # Without user name and password in front of the host.
    return f"{scheme}://{host.rpartition('@')[2]}"
