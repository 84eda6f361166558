"""What is the same but for its details: endpoints with the ids taken out of their addresses."""

import re
from urllib.parse import urlsplit

_ID = re.compile(
    r"\d+"
    r"|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    r"|(?=[0-9a-fA-F]*\d)[0-9a-fA-F]{8,}"
    # Prefixed: cus_QXg1o8vcGmoR32. What only looks like it (user_settings) has no digit.
    r"|[A-Za-z]{1,12}_(?=[A-Za-z0-9]*\d)[A-Za-z0-9]{8,}"
    r"|(?=[A-Za-z0-9_-]*\d)(?=[A-Za-z0-9_-]*[a-z])(?=[A-Za-z0-9_-]*[A-Z])[A-Za-z0-9_-]{16,}"
    r"|[0-9A-HJKMNP-TV-Z]{26}"
    r"|\d{4}-\d{2}-\d{2}"
)
_SEGMENTS = 40


def is_id(segment: str) -> bool:
    """Whether a segment of a path, or a key of an object, names one thing among many of its kind."""
    return len(segment) <= 200 and (
        _ID.fullmatch(segment) is not None or "…" in segment or "[REDACTED]" in segment or "@" in segment[1:]
    )


def path_of(url: str) -> str:
    """The path of an address with its ids as `:id`, without query and fragment."""
    try:
        path = urlsplit(url).path
    except ValueError:
        path = url.partition("?")[0]
    segments = path.split("/")[: _SEGMENTS + 1]
    return "/".join(":id" if is_id(segment) else segment for segment in segments) or "/"


def endpoint_of(method: str, url: str) -> str:
    """`GET /users/:id/posts`: what requests to one endpoint have in common."""
    return f"{method} {path_of(url)}"


def origin_of(url: str) -> str:
    """Scheme, host and port, or nothing."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}" if parts.netloc else ""
