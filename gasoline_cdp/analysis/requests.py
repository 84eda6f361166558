"""Decides which requests are the browser's own, and which count as errors. Everyone asks here."""

import re

from gasoline_cdp.records import WRONG, NetworkRecord

STATIC = frozenset({"Image", "Font", "Stylesheet", "Script", "Media", "Manifest", "TextTrack"})

# Paths that browsers request from every server.
_WELL_KNOWN = re.compile(
    r"https?://[^/?#]*/(?:favicon\.ico|apple-touch-icon[\w-]*\.png|\.well-known/appspecific/[^?#]*)(?:[?#]|$)",
    re.IGNORECASE,
)


def is_browser_initiated(record: NetworkRecord) -> bool:
    """Whether the browser made the request by itself: a tab icon, or what its developer tools look for.

    It does so once per profile, not per load, so neither failure nor absence says anything about the page. Icons that a
    page declares are requested the same way; they are recognised by their destination, since images in a page have
    another type. Chrome may name the parser of the next page as the initiator, but never a script.
    """
    if record.type != "Other" or record.initiator.startswith("script"):
        return False
    return record.request_headers.get("sec-fetch-dest") == "image" or _WELL_KNOWN.match(record.url) is not None


def went_wrong(record: NetworkRecord) -> bool:
    """Whether a request counts as an error. Requests cancelled by the page and the browser's own do not."""
    return record.outcome in WRONG and not is_browser_initiated(record)
