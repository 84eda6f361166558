"""Which requests are the browser's own, and which belong among the errors: decided here for all who ask."""

import re

from gasoline_cdp.records import WRONG, NetworkRecord

STATIC = frozenset({"Image", "Font", "Stylesheet", "Script", "Media", "Manifest", "TextTrack"})

# What browsers ask every server for, whatever its pages say.
_WELL_KNOWN = re.compile(
    r"https?://[^/?#]*/(?:favicon\.ico|apple-touch-icon[\w-]*\.png|\.well-known/appspecific/[^?#]*)(?:[?#]|$)",
    re.IGNORECASE,
)


def is_browser_initiated(record: NetworkRecord) -> bool:
    """Whether the browser asked by itself: an icon for the tab, or what its developer tools look for.

    It does so once for a profile, not for each load, so neither its failure nor its absence says anything of a page.
    Icons that a page names are asked for in the same way, and known by what they are for: pictures in a page are of
    another type. Chrome may name the parser of the page that comes next as the initiator, but never a script.
    """
    if record.type != "Other" or record.initiator.startswith("script"):
        return False
    return record.request_headers.get("sec-fetch-dest") == "image" or _WELL_KNOWN.match(record.url) is not None


def went_wrong(record: NetworkRecord) -> bool:
    """Whether a request belongs among the errors. What the page gave up by itself does not, nor the browser's own."""
    return record.outcome in WRONG and not is_browser_initiated(record)
