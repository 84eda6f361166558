"""What stays the same when the same thing happens twice: messages without their values, endpoints without their ids."""

import re

from gasoline_cdp.analysis.performance import path_of

# An error is told apart by how it begins; the rest is mostly data.
_MESSAGE_CHARS = 1000

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
# Pages write what is read here: no pattern looks twice at the same characters, however they are arranged.
_WORD = re.compile(r"[^\s()<>\"',;]+")
# With the line at its end: without one it is an address, which says what the error is about.
_FILE = re.compile(r"\.[a-z]{1,6}(?:\?[^:]{0,200})?:\d{1,9}(?::\d{1,9})?:?$", re.IGNORECASE)
_VALUE = re.compile(
    rf"(?P<uuid>\b{_UUID}\b)"
    r"|(?P<timestamp>\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)"
    # What a server answered is no value of the moment.
    r"|(?P<kept>\b(?:status(?: code)?|http|code)[ :=(]{1,3}[1-5]\d\d\b)"
    r"|(?P<id>\b(?=[a-f]{0,40}\d)[0-9a-f]{8,}\b|(?<![\w.])[-+]?\d+(?:\.\d+)?(?!\w))",
    re.IGNORECASE,
)
_ID_SEGMENT = re.compile(rf"\d+|{_UUID}|(?=[a-f]*\d)[0-9a-f]{{8,}}", re.IGNORECASE)
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^/?#]*", re.IGNORECASE)


def normalise_message(text: str) -> str:
    """A message with its ids, numbers, times and places replaced by what they are."""
    text = text[:_MESSAGE_CHARS]
    if ":" in text and "." in text:
        text = _WORD.sub(_without_place, text)
    return _VALUE.sub(_named, text)


def _without_place(word: re.Match[str]) -> str:
    return "[file]" if _FILE.search(word[0]) else word[0]


def _named(found: re.Match[str]) -> str:
    return found[0] if found.lastgroup == "kept" else f"[{found.lastgroup}]"


def endpoint_of(method: str, url: str) -> str:
    """`GET /users/:id/posts`: a method and a path, segment by segment, without query and fragment."""
    return f"{method} {without_ids(path_of(url))}"


def without_ids(path: str) -> str:
    """A path with `:id` for each segment that names one of many."""
    return "/".join(":id" if _ID_SEGMENT.fullmatch(segment) else segment for segment in path.split("/"))


def origin_of(url: str) -> str:
    """Scheme, host and port; empty for what has none."""
    found = _ORIGIN.match(url)
    return found[0] if found else ""
