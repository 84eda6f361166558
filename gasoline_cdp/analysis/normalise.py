"""Takes out of messages and addresses what changes from one run to the next, so that equal things compare equal."""

import re

from gasoline_cdp.analysis.performance import path_of

_UUID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
# In this order: what is found first is no longer there for the later ones.
_CHANGING: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(rf"\b{_UUID}\b"), "[uuid]"),
    (
        re.compile(r"\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?"),
        "[timestamp]",
    ),
    (re.compile(r"\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,6})?\b"), "[timestamp]"),
    (
        re.compile(r"(?:[\w@.-]{1,200}[/\\]){0,20}[\w@.-]{1,200}\.[A-Za-z]{1,6}(?:\?[^\s:)]{0,200})?(?::\d{1,7}){1,2}"),
        "[file]",
    ),
    (re.compile(r"(?<=[._-])(?=[A-Za-z]{0,32}\d)[0-9a-zA-Z]{8,32}(?=\.(?:m?js|css)\b)"), "[hash]"),
    (re.compile(r"\b(?=[a-fA-F]{0,63}\d)[0-9a-fA-F]{8,64}\b"), "[id]"),
    (re.compile(r"\bat line \d+"), "at line [id]"),
    (re.compile(r"(?<![\w.])\d{2,}(?:\.\d+)?"), "[id]"),
    (re.compile(r"(?<=[A-Za-z]_)\d{2,}\b|(?<=[A-Za-z]-)\d{2,}\b|(?<=#)\d+\b"), "[id]"),
)
_ID_SEGMENT = re.compile(
    rf"\d+|{_UUID}|(?=[a-fA-F]{{0,63}}\d)[0-9a-fA-F]{{8,64}}|[0-9A-HJKMNP-TV-Z]{{26}}"
    r"|(?=[A-Za-z_-]{0,63}\d)(?=[\w-]{0,63}[A-Z])(?=[\w-]{0,63}[a-z])[\w-]{16,64}"
)


def message_key(text: str) -> str:
    """A message without ids, times, numbers and the places of code."""
    for pattern, sign in _CHANGING:
        text = pattern.sub(sign, text)
    return text


def endpoint_of(method: str, url: str) -> str:
    """Method and path of a request, with `:id` for each segment that names one of many; no query."""
    return f"{method} {without_ids(path_of(url))}"


def without_ids(path: str) -> str:
    """A path with `:id` for each segment that names one of many."""
    return "/".join(":id" if _ID_SEGMENT.fullmatch(segment) else segment for segment in path.split("/"))
